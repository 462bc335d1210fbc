/* fuzz_bvh.c - any bytes as a .bvh file. */
#include "fuzz_motion.h"

static spd_status parse(spd_context *ctx, const unsigned char *bytes, size_t size, motion **clip)
{
    return bvh_parse(ctx, (const char *)bytes, size, clip);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    fuzz_clip(parse, bytes, size);
    return 0;
}
