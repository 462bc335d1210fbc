/* pairwise.h - prepared sets and distances between them, in parallel. */
#ifndef SPD_ENGINE_PAIRWISE_H
#define SPD_ENGINE_PAIRWISE_H

#include "base/context.h"
#include "geometry/metric.h"

/* F (p x size) <- the p matrices X (p x n x n) prepared for metric m. SPD_ENOTSPD with a message
 * that names the first bad sample as `name`[index]. */
spd_status prepare_set(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                       const char *name, double *F);

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

/* d2 (count) <- squared distances between the prepared sample f and `count` <= METRIC_OCTETS * 8
 * prepared samples G[0], G[1], ...; work: block_work doubles. */
void block_dist2(const kernels *k, const metric *m, size_t n, const double *f, size_t count,
                 const double *const *G, double *d2, double *work);

#endif
