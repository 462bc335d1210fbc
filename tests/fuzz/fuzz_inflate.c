/* fuzz_inflate.c - any bytes as deflated ones: zlib and the code of ours in its place unpack the
 * same, or both refuse. The first byte says whether there are a header and a checksum, the next two
 * how many bytes are given and taken at a time. */
#include <string.h>

#include "fuzz.h"
#include "stand_ins.h"

#define MOST ((size_t)1 << 17)
#define END  1 /* Z_STREAM_END */

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    static unsigned char real_out[MOST], own_out[MOST];
    if (size < 3)
        return 0;
    unpacking real = {
        bytes[0] & 1 ? 15 : -15, 1 + bytes[1], 1 + (size_t)bytes[2] * bytes[2], real_out, MOST, 0};
    unpacking own = real;
    own.out = own_out;
    int real_end = real_unpack(bytes + 3, size - 3, &real) == END;
    int own_end = own_unpack(bytes + 3, size - 3, &own) == END;
    size_t both = real.made < own.made ? real.made : own.made;
    if (real_end != own_end || (real_end && real.made != own.made))
        abort();
    if (memcmp(real_out, own_out, both) != 0)
        abort();
    return 0;
}
