/* pairwise.h - prepared sets and distances between them, in parallel. */
#ifndef SPD_OPS_PAIRWISE_H
#define SPD_OPS_PAIRWISE_H

#include "base/arena.h"
#include "geometry/metric.h"

/* F (p x size) <- the p matrices X (p x n x n) prepared for metric m. SPD_ENOTSPD with a message
 * that names the first bad sample as `name`[index]. */
spd_status prepare_set(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                       const char *name, double *F);

/* The same of matrices that are part of a set, the first of them its X[number]. */
spd_status prepare_part(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                        const char *name, size_t number, double *F);

/* *F <- X prepared, *G <- the q matrices Y, called `name`, prepared; *F again without a Y. */
spd_status prepare_both(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                        size_t q, const double *Y, const char *name, arena *keep, const double **F,
                        const double **G);

/* Scratch of one thread for octets of prepared samples: METRIC_OCTETS octets and their work. */
size_t block_work(const metric *m, size_t n);

/* block_work doubles shared out: room for two octets, their distances, and the metric's own. */
typedef struct block_store {
    double *d2;     /* METRIC_OCTETS x 8 */
    double *octets; /* METRIC_OCTETS x size x 8 */
    double *rest;
} block_store;
block_store block_split(const metric *m, size_t n, double *work);

/* Interleaves count <= METRIC_OCTETS * 8 prepared samples; returns the number of octets. */
size_t block_interleave(const kernels *k, size_t size, size_t count, const double *const *G,
                        double *octets);

/* The same of the prepared samples F + stride * which[0], ...; which NULL: the first `count`. */
size_t block_gather(const kernels *k, size_t size, size_t count, const double *F, size_t stride,
                    const size_t *which, double *octets);

/* d2 (count) <- squared distances between the prepared sample f and `count` <= METRIC_OCTETS * 8
 * others, F, stride and which as in block_gather; work: block_work doubles. */
void block_dist2(const kernels *k, const metric *m, size_t n, const double *f, size_t count,
                 const double *F, size_t stride, const size_t *which, double *d2, double *work);

#endif
