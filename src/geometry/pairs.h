/* pairs.h - cost and gradient weights over a list of pairs of small SPD matrices.
 *
 *   f = sum over pairs of c d2(S_i, S_j)                               (math.md, eq. 3)
 *   Stein:  M = ((S_i + S_j)/2)^-1;  Z_i += c M,  Z_j += c M           (eq. 4)
 *           the other half of (4), - c S_i^-1, belongs to the sample and is added once
 *           per sample by the caller, times the sum of its c
 *   AIRM:   S_i V = S_j V Lam, V' S_j V = I;
 *           Z_i += 4c V (log Lam / Lam) V',  Z_j -= 4c V (log Lam) V'
 *
 * Samples are packed lower triangles, TRI(m) doubles each. Serial: pairs are taken in order,
 * sixteen at a time, so equal lists give equal bits. */
#ifndef SPD_GEOMETRY_PAIRS_H
#define SPD_GEOMETRY_PAIRS_H

#include <stdint.h>

#include "linalg/kernels.h"

typedef struct pair {
    uint32_t i, j;
    double c; /* weight */
} pair;

/* Scratch doubles of both functions. */
size_t pairs_work(size_t m);

/* Returns f; S (p x TRI), logdet (p), Z (p x TRI, added to; NULL when only f is wanted). NaN
 * when a mean has no Cholesky factor; Z is then rubbish. */
double pairs_stein(const kernels *k, size_t m, size_t count, const pair *pairs, const double *S,
                   const double *logdet, double *Z, double *work);

/* The same for AIRM; L (p x TRI) are the Cholesky factors of S. */
double pairs_airm(const kernels *k, size_t m, size_t count, const pair *pairs, const double *S,
                  const double *L, double *Z, double *work);

#endif
