/* sift.h - SIFT descriptors on a regular grid, as VLFeat's vl_dsift defines them.
 *
 * A descriptor has 4 x 4 bins in space, bin pixels apart, of 8 orientations: 128 numbers. Every
 * gradient counts in the bins and orientations next to it by linear interpolation, weighted by a
 * Gaussian of 2 bins about the centre (not VLFeat's flat window); the descriptor is normalised,
 * clamped at 0.2 and normalised again. Pixels outside the image have the gradient of the border
 * pixel, and gradients shorter than 1e-4 count as none. Agrees with VLFeat to 5e-5, apart from
 * descriptors of length below 1e-4 before normalisation: there its fast square root gives 0, and
 * all that is not 0 becomes one number. Frames per axis and their centres, in pixels:
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

/* *grid <- the frames of an image; SPD_EINVAL when there is no room for one, or when there are too
 * many. */
spd_status sift_grid_of(spd_context *ctx, size_t width, size_t height, size_t step, size_t bin,
                        sift_grid *grid);

/* The pixel at the centre of frame i of an axis; half pixels are rounded down. It is never on the
 * border of the image. */
size_t sift_centre(const sift_grid *grid, size_t i);

/* Descriptors of the grey image (height x width), row after row of frames: that of frame f is
 * written to O + f * stride, orientation fastest, then x, then y. Re-entrant. */
spd_status sift_dense(spd_context *ctx, const sift_grid *grid, const double *grey, size_t stride,
                      double *O);

#endif
