/* complex_map.h - maps that are real forms of complex ones (math.md, eq. 22).
 *
 * Multiplication by i is a rotation J of the rows, by a quarter turn of each pair of them. A map
 * W (n x m, orthonormal) is a complex one in some basis when J leaves its span alone. */
#ifndef SPD_LEARN_COMPLEX_MAP_H
#define SPD_LEARN_COMPLEX_MAP_H

#include "base/context.h"
#include "optim/problem.h"

/* W (n x m, orthonormal, n and m even) <- the real form of a complex map with orthonormal columns,
 * whose span is the nearest to that of W. */
spd_status complex_map_nearest(spd_context *ctx, size_t n, size_t m, double *W);

/* The same where J leaves the span of W alone, up to rounding: another basis of it. work: n m
 * doubles. */
void complex_map_basis(size_t n, size_t m, double *W, double *work);

/* *wrapped <- the problem inside, which it owns, with gradients that keep the span a complex one:
 * they would but for rounding, which an unstable direction makes grow. Frees inside on failure. */
spd_status complex_map_wrap(spd_context *ctx, problem *inside, problem **wrapped);

#endif
