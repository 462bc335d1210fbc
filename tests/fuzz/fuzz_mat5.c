/* fuzz_mat5.c - any bytes as a MATLAB file of version 5.
 *
 * The first byte chooses: 0, the rest is the file; 1, the rest is one variable, which is packed
 * with a right checksum and put behind a right header, so that a change reaches what the checksum
 * guards. */
#include <zlib.h>

#include "fuzz.h"
#include "fuzz_mat.h"

static void put_word(unsigned char *at, size_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    if (size < 1)
        return 0;
    if (bytes[0] == 0) {
        read_mat(bytes + 1, size - 1);
        return 0;
    }
    uLongf packed = compressBound(size - 1);
    unsigned char *file = malloc(136 + packed);
    if (!file || compress2(file + 136, &packed, bytes + 1, size - 1, 1) != Z_OK)
        abort();
    memset(file, ' ', 124);
    memcpy(file, "MATLAB 5.0 MAT-file", 19);
    memcpy(file + 124, bytes[0] & 2 ? "\1\0MI" : "\0\1IM", 4);
    put_word(file + 128, 15);
    put_word(file + 132, packed);
    if (bytes[0] & 2) { /* big-endian: the tag turned round */
        put_word(file + 128, __builtin_bswap32(15));
        put_word(file + 132, __builtin_bswap32((unsigned)packed));
    }
    read_mat(file, 136 + packed);
    free(file);
    return 0;
}
