/* image_formats.h - what the readers of the image formats share. For image*.c and tests alone.
 *
 * A reader calls image_begin when it knows the size, and fills the pixels; what is made and lent is
 * handed out or released by image_decode_file. */
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
    size_t most;         /* values that an image may have */
    budget *budget;      /* for its values; NULL: none */
    image *made;         /* by image_begin */
    unsigned char *room; /* by image_room */
} image_file;

/* Format by content: *picture is new, or untouched with a message. */
spd_status image_decode_file(const image_file *file, image **picture);

/* One format each. */
spd_status image_decode_png(image_file *file);
spd_status image_decode_jpeg(image_file *file);
spd_status image_decode_tiff(image_file *file);
spd_status image_decode_webp(image_file *file);
spd_status image_decode_gif(image_file *file);
spd_status image_decode_bmp(image_file *file);
spd_status image_decode_pnm(image_file *file);

/* What the library of a format says of its version; NULL in a build without it. */
const char *image_png_version(void);
const char *image_jpeg_version(void);
const char *image_tiff_version(void);
const char *image_webp_version(void);
const char *image_gif_version(void);

/* Does it begin as a PNM image does? The others have signatures, which image.c knows. */
int image_is_pnm(const image_file *file);

/* file->made <- an image as the header claims it, pixels not set. SPD_EFORMAT when that has no
 * pixel, more values than file->most, or more pixels than a file of this size can hold with so many
 * in a byte; per_byte 0: that cannot be judged. */
spd_status image_begin(image_file *file, size_t width, size_t height, size_t channels,
                       double per_byte);

/* file->room <- count x size bytes, zero, for a row or a block before it is scaled. */
spd_status image_room(image_file *file, size_t count, size_t size);

/* to (count) <- from / highest; 8 bits, and 16 bits with the high byte first. */
void image_scale_8(size_t count, const unsigned char *from, double highest, double *to);
void image_scale_16(size_t count, const unsigned char *from, double highest, double *to);

#endif
