/* pass.h - a data pass over some of an engine's samples, and what its results are blended with. */
#ifndef SPD_ENGINE_PASS_H
#define SPD_ENGINE_PASS_H

#include "engine/walk.h"

/* Parts of Q: W'XW, W'XU, its transpose, U'XU. */
#define PASS_PARTS 4

/* Does sample i of the caller's, which is X (n x n); next: where the one after it lies. work and
 * sum: what pass_run was given. */
typedef void (*pass_body)(void *user, size_t i, const double *X, const double *next, double *work,
                          double *sum);

/* What is walked over: a set, and one more sample behind it, or NULL. */
typedef struct pass {
    const spd_store *set;
    const double *extra;
    store_walk *walk;
    size_t begin; /* which sample of the set is the caller's number 0 */
} pass;

/* body for samples first .. last-1 of the caller's, in order. SPD_EIO when they cannot be read. */
spd_status pass_run(const pass *over, size_t first, size_t last, pass_body body, void *user,
                    double *work, double *sum);

/* out (PASS_PARTS x TRI(m)) <- the coefficients of the parts at the angles whose cosine and sine
 * are given (m each), or their derivatives by t. */
void blend_coefficients(size_t m, const double *sigma, const double *cosine, const double *sine,
                        int derivative, double *out);

/* Half of the sum of products of coefficients c and what was collected for them, z; entries off the
 * diagonal stand for two. */
double blend_slope(size_t m, const double *c, const double *z);

#endif
