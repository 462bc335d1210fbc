/* sift.h - SIFT descriptors on a regular grid, through VLFeat's dense SIFT.
 *
 * A descriptor has 4 x 4 bins in space, bin pixels apart, of 8 orientations: 128 numbers, gradients
 * weighted by a Gaussian of 2 bins about its centre (not VLFeat's flat window), normalised,
 * clamped at 0.2 and normalised again. Frames per axis and their centres, in pixels:
 *
 *   count = floor((side - 1 - 3 bin) / step) + 1,   centre_i = 1.5 bin + step i
 *
 * so that bins' centres stay inside the image: 98 for 400 pixels, step 4, bin 3. Where all
 * gradients vanish the descriptor is 0. */
#ifndef SPD_DESCRIBE_SIFT_H
#define SPD_DESCRIBE_SIFT_H

#include "base/context.h"

#define SIFT_SIZE 128

typedef struct sift_grid {
    size_t width, height; /* of the image */
    size_t step, bin;
    size_t columns, rows; /* frames along x and y */
} sift_grid;

/* *grid <- the frames of an image; SPD_EINVAL when there is no room for one, or when there are more
 * than VLFeat can count. */
spd_status sift_grid_of(spd_context *ctx, size_t width, size_t height, size_t step, size_t bin,
                        sift_grid *grid);

/* The pixel at the centre of frame i of an axis; half pixels are rounded down. It is never on the
 * border of the image. */
size_t sift_centre(const sift_grid *grid, size_t i);

/* Descriptors of the grey image (height x width), row after row of frames: that of frame f is
 * written to O + f * stride, orientation fastest, then x, then y. smooth is the deviation of a
 * Gaussian that the image is convolved with before, its border pixels repeated outwards; 0: none.
 * Re-entrant. */
spd_status sift_dense(spd_context *ctx, const sift_grid *grid, double smooth, const double *grey,
                      size_t stride, double *O);

#endif
