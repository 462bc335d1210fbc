/* image.h - images from files: PNG, JPEG, TIFF, WebP, GIF, BMP, PNM; and to files: PNG.
 *
 * Every size in a file is a claim, checked before memory is asked for. Colour profiles are ignored,
 * alpha is dropped, palettes are resolved, 1 to 16 bits become numbers in [0, 1]. */
#ifndef SPD_FORMATS_IMAGE_H
#define SPD_FORMATS_IMAGE_H

#include "base/budget.h"
#include "base/context.h"

typedef struct image {
    size_t width, height, channels; /* 1 grey, 3 RGB */
    double *pixel;                  /* height x width x channels, in [0, 1] */
    budget *room;                   /* what its values were taken from, or NULL */
} image;

/* *picture <- the image in memory, format by content; new. Its values are taken from the budget,
 * NULL for none, and given back with it. Messages do not name the file. */
spd_status image_decode(spd_context *ctx, const unsigned char *bytes, size_t size, budget *room,
                        image **picture);

/* SPD_EINVAL when a side is 0, channels is neither 1 nor 3, or there are over 2^28 values. */
spd_status image_check(spd_context *ctx, size_t width, size_t height, size_t channels);

/* A new image with room for pixels, after image_check. */
spd_status image_new(spd_context *ctx, size_t width, size_t height, size_t channels,
                     image **picture);
void image_free(image *picture);

/* Writes a PNG file of 8 bits, grey or RGB, whole or not at all; values beyond [0, 1] are cut off,
 * NaN is black. The same pixels give the same bytes: no time is written. Messages do not name the
 * file. */
spd_status image_write(spd_context *ctx, const char *path, const image *picture);

#endif
