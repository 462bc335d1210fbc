/* pairs.h - distances between pairs of small SPD matrices and their derivatives, in batches.
 *
 *   f = sum over pairs of c d2(S_i, S_j)                               (math.md, eq. 3)
 *   df = sum_i tr(Z_i dS_i)/2, Z_i gathered over pairs:                (eq. 4)
 *
 *   Stein     M = ((S_i + S_j)/2)^-1;  Z_i += c M,  Z_j += c M; and once per sample
 *             Z_i -= (sum of its c) S_i^-1
 *   AIRM      S_i V = S_j V Lam, V' S_j V = I;
 *             Z_i += 4c V (log Lam / Lam) V',  Z_j -= 4c V (log Lam) V'
 *   Jeffrey   Z_i += c (S_j^-1 - S_i^-1 S_j S_i^-1), and the same with i and j exchanged
 *   log-Euclidean   L = log S; G_i += 4c (L_i - L_j), G_j -= the same; and once per sample
 *             Z_i = D log(S_i)[G_i]  (spdfun.h)
 *   Euclidean Z_i += 4c (S_i - S_j), Z_j -= the same; any symmetric S
 *
 * A rule computes d2 and the matrices that c multiplies; adding them up is the caller's. Samples
 * are packed lower triangles, TRI(m) doubles each, with their Cholesky factors and
 * log-determinants, or their logarithms. Serial and re-entrant. */
#ifndef SPD_GEOMETRY_PAIRS_H
#define SPD_GEOMETRY_PAIRS_H

#include <stdint.h>

#include "linalg/kernels.h"
#include "spdml.h"

#define PAIR_BATCH 16

typedef struct pair {
    uint32_t i, j;
    double c; /* weight */
} pair;

/* The samples that pairs refer to. */
typedef struct pair_samples {
    const double *S, *L;  /* p x TRI(m); L: Cholesky factors, or logarithms */
    const double *logdet; /* p */
} pair_samples;

typedef struct pair_rule {
    int sides;          /* 1: i and j get the same matrix; 2: one each */
    int sample_inverse; /* Z_i -= (sum of c) S_i^-1 is to be added per sample */
    int logarithms;     /* L are logarithms, and what the pairs add up is G_i: Z_i = D log[G_i] */
    int plain;          /* S alone is looked at, and need not be positive definite */
    double no_spread;   /* mean d2 per dimension that counts as zero: what rounding makes of it */

    /* d2 (count) <- squared distances of count <= PAIR_BATCH pairs, NaN where one cannot be had;
     * M (sides x count x TRI, or NULL) <- weight matrices, i's first. */
    void (*batch)(const kernels *k, size_t m, size_t count, const pair *pairs,
                  const pair_samples *s, double *d2, double *M, double *work);
} pair_rule;

/* NULL for a metric that has none. */
const pair_rule *pair_rule_get(spd_metric metric);

/* Scratch doubles of any rule's batch. */
size_t pairs_work(size_t m);

#endif
