/* fuzz_image.c - any bytes as an image: pixels in [0, 1], or a message.
 *
 * Images of more than a million values are refused here, so that time goes into many small ones.
 * PNG files guard every chunk with a checksum, which changes at random never meet: it is put right
 * after most changes. */
#include <string.h>

#include "base/memory.h"
#include "formats/image_formats.h"
#include "fuzz.h"

size_t LLVMFuzzerCustomMutator(unsigned char *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(unsigned char *bytes, size_t size, size_t most);

/* CRC-32 as PNG and zip have it. */
static uint32_t checksum(const unsigned char *bytes, size_t size)
{
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

/* Puts right the checksums of the chunks that are there in full. */
static void repair_png(unsigned char *bytes, size_t size)
{
    size_t at = 8;
    while (size - at >= 12) {
        const unsigned char *b = bytes + at;
        const size_t length = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
        if (length > size - at - 12)
            return;
        const uint32_t sum = checksum(b + 4, length + 4);
        for (int k = 0; k < 4; k++)
            bytes[at + 8 + length + (size_t)k] = (unsigned char)(sum >> (24 - 8 * k));
        at += 12 + length;
    }
}

size_t LLVMFuzzerCustomMutator(unsigned char *bytes, size_t size, size_t most, unsigned seed)
{
    size = LLVMFuzzerMutate(bytes, size, most);
    if (seed % 8 && size > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        repair_png(bytes, size);
    return size;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    const long live = mem_live();
    const image_file file = {.ctx = ctx, .bytes = bytes, .size = size, .most = (size_t)1 << 20};
    image *picture = NULL;
    spd_status status = image_decode_file(&file, &picture);
    fuzz_check(ctx, status, picture);
    for (size_t i = 0; picture && i < picture->width * picture->height * picture->channels; i++)
        if (!(picture->pixel[i] >= 0.0 && picture->pixel[i] <= 1.0))
            abort();
    image_free(picture);
    if (mem_live() != live)
        abort();
    spd_context_free(ctx);
    return 0;
}
