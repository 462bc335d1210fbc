/* region_features.h - Tuzel's features of a pixel (Tuzel, Porikli, Meer 2006).
 *
 *   o = [x, y, I, |Ix|, |Iy|, |Ixx|, |Iyy|, sqrt(Ix^2 + Iy^2), atan2(|Iy|, |Ix|)]           9
 *
 * with R, G, B in place of I for colours, which makes 11. x and y are pixels from the upper left;
 * intensities are on the scale 0 .. 255, as theirs were; derivatives are of the grey image, by
 * [-1 0 1] and [-1 2 -1], where pixels beyond the border repeat those at it. */
#ifndef SPD_DESCRIBE_REGION_FEATURES_H
#define SPD_DESCRIBE_REGION_FEATURES_H

#include "formats/image.h"
#include "spdml-data.h"

typedef struct region_features {
    const image *in; /* borrowed */
    size_t channels; /* 1: I, 3: R, G, B */
    size_t n;
    double *grey; /* height x width, 0 .. 255 */
} region_features;

/* colours 0: I alone, also of a colour image. A grey image has no colours either way. */
spd_status region_features_new(spd_context *ctx, const image *in, int colours, region_features *f);
void region_features_free(region_features *f);

/* O (width x n) <- pixels (x, y), (x + 1, y), ... */
void region_features_row(const region_features *f, size_t x, size_t y, size_t width, double *O);

/* O (width height x n) <- the pixels of a rectangle inside the image, row after row. */
void region_features_rect(const region_features *f, const spd_rect *rect, double *O);

#endif
