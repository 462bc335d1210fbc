/* metric.h - what a metric is to the rest of the library: two functions on octets.
 *
 * A sample is prepared once (factored, its logarithm taken, ...) into `size` doubles; distances
 * are then computed between one prepared sample and octets of prepared ones. Vectors, not
 * threads: the engine runs many of these calls side by side.
 *
 * Adding a metric: docs/architecture.md, "A new metric". */
#ifndef SPD_GEOMETRY_METRIC_H
#define SPD_GEOMETRY_METRIC_H

#include "base/context.h"
#include "linalg/kernels.h"

/* Most octets that one call of dist2 takes: two eigenvalue problems in flight hide latency. */
#define METRIC_OCTETS 2

typedef struct metric {
    /* Doubles of one prepared sample. */
    size_t (*size)(size_t n);

    /* Scratch doubles for prepare and dist2. */
    size_t (*work)(size_t n);

    /* F (size x 8) <- the eight matrices of octet (TRI(n) x 8) prepared. Returns the mask of
     * lanes that are not positive definite (or, for metrics that do not care, not finite). */
    unsigned (*prepare)(const kernels *k, size_t n, const double *octet, double *F, double *work);

    /* d2 (octets x 8) <- squared distances between the sample f (size) and the lanes of G
     * (octets x size x 8), octets <= METRIC_OCTETS. Never negative; not finite when there is none:
     * an eigenvalue iteration failed, or it is outside the range of numbers. The result of a lane
     * does not depend on the other lanes, nor on which lane it is. */
    void (*dist2)(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                  double *d2, double *work);

    /* Is it the Euclidean distance between prepared samples (flat.h)? */
    int flat;

    /* May be NULL. f (size) <- the n x n matrix X prepared, of which the lower triangle is read;
     * the same bits as by prepare. Non-zero where that reports a lane. */
    int (*single)(size_t n, const double *X, double *f);

    /* May be NULL, of flat metrics. Is the distance 0 of prepared f and g (size) one that has
     * fallen below the range of numbers? */
    int (*lost)(size_t n, const double *f, const double *g);
} metric;

/* By number; NULL for a number that is no metric. */
const metric *metric_get(spd_metric id);

/* ---- a single pair: pair.c --------------------------------------------------------------------
 *
 * Where there is one pair alone, most lanes of an octet would be idle. Both matrices stand in one
 * octet, of which only the first lanes are worked on, or the work is done by BLAS and LAPACK. */

/* Scratch of pair_dist2, aligned as memory.h has it. */
size_t pair_work(spd_metric id, size_t n);

/* *d2 <- the squared distance of X and Y (n x n each, of which lower triangles are read). Non-zero
 * where it is not to be had this way, whatever the reason: the general way knows more about
 * rounding, and about what to say. */
int pair_dist2(spd_metric id, size_t n, const double *X, const double *Y, double *d2, double *work);

extern const metric metric_airm, metric_stein, metric_log_euclidean, metric_jeffrey,
    metric_bures_wasserstein, metric_log_cholesky, metric_euclidean;

#endif
