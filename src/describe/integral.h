/* integral.h - scatter matrices of rectangles by integral images of first and second order.
 *
 * With the sums over all pixels above and left of a point,
 *
 *   p(x, y) = sum o_uv,   P(x, y) = sum o_uv o_uv'      over u < x, v < y,
 *
 * those over a rectangle are differences at its corners, whatever its size: O(n^2) for each, after
 * one pass over the image (Tuzel, Porikli, Meer 2006). Then S = P - p p'/r for its r pixels.
 *
 * The tables of a whole image would take n (n + 3)/2 numbers per pixel. The rectangles are known
 * beforehand, so only one row of them is kept, which sweeps down the image; a rectangle takes its
 * differences where it begins and where it ends.
 *
 * Differences of large sums lose digits. So features are taken about a point near their means (S
 * does not depend on it), and the sums start again at zero every INTEGRAL_BAND rows, where the
 * rectangles that go on collect what they have. What is lost for a small rectangle is then about
 * eps sqrt(band) times its distance from the left border, in standard deviations. */
#ifndef SPD_DESCRIBE_INTEGRAL_H
#define SPD_DESCRIBE_INTEGRAL_H

#include "base/context.h"
#include "spdml-data.h"

#define INTEGRAL_BAND 64

/* An image with n features per pixel; row fills O (width x n) with those of row y. */
typedef struct integral_source {
    size_t width, height, n;
    void (*row)(const void *user, size_t y, double *O);
    const void *user;
} integral_source;

/* S (rects x n x n) <- sum (o - mu)(o - mu)' over the pixels of each rectangle, mean (rects x n) <-
 * mu, their mean. Rectangles lie inside the image and are not empty. */
spd_status integral_scatters(spd_context *ctx, const integral_source *source, size_t rects,
                             const spd_rect *rect, double *S, double *mean);

#endif
