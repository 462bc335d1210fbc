/* image_formats.h - what the readers of the image formats share. For image*.c and tests alone. */
#ifndef SPD_FORMATS_IMAGE_FORMATS_H
#define SPD_FORMATS_IMAGE_FORMATS_H

#include "formats/image.h"

/* The most values (width x height x channels) of an image. */
#define IMAGE_VALUES ((size_t)1 << 28)

/* A file in memory that is being decoded. */
typedef struct image_file {
    spd_context *ctx;
    const unsigned char *bytes; /* size */
    size_t size;
    size_t most; /* values that an image may have */
} image_file;

/* Format by content; the rule for each: *picture is new, or untouched with a message. */
spd_status image_decode_file(const image_file *file, image **picture);
spd_status image_decode_png(const image_file *file, image **picture);
spd_status image_decode_jpeg(const image_file *file, image **picture);
spd_status image_decode_tiff(const image_file *file, image **picture);
spd_status image_decode_pnm(const image_file *file, image **picture);

/* Does it begin as a PNM image does? The others have signatures, which image.c knows. */
int image_is_pnm(const image_file *file);

/* SPD_EFORMAT when a header claims no pixel, more values than file->most, or more pixels than a
 * file of this size can hold with so many in a byte; per_byte 0: that cannot be judged. */
spd_status image_claim(const image_file *file, size_t width, size_t height, size_t channels,
                       double per_byte);

/* to (count) <- from / highest; 8 bits, and 16 bits with the high byte first. */
void image_scale_8(size_t count, const unsigned char *from, double highest, double *to);
void image_scale_16(size_t count, const unsigned char *from, double highest, double *to);

#endif
