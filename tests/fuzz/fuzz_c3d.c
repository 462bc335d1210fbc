/* fuzz_c3d.c - any bytes as a .c3d file. */
#include "fuzz_motion.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    fuzz_clip(c3d_parse, bytes, size);
    return 0;
}
