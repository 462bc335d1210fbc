/* octets.h - runs a function over all samples of a set, sixteen at a time, in parallel. */
#ifndef SPD_RUN_OCTETS_H
#define SPD_RUN_OCTETS_H

#include <stdatomic.h>

#include "base/context.h"
#include "linalg/kernels.h"

/* Samples of one call: two octets, because two eigenvalue problems hide latency. */
#define BATCH_OCTETS 2
#define BATCH        (BATCH_OCTETS * LANES)

typedef struct octet_loop {
    size_t p;    /* samples */
    size_t work; /* scratch doubles of one thread */

    /* Does samples first .. first+count-1, count <= BATCH. Returns the mask of those at fault: bit
     * i stands for sample first+i. */
    unsigned (*body)(void *user, size_t first, size_t count, double *work);
    void *user;
    const char *task;
} octet_loop;

/* SPD_ENUMERIC when samples are at fault, without a message, and *bad is the lowest of them;
 * SPD_ENOMEM and SPD_ECANCELLED come with one. */
spd_status octets_run(spd_context *ctx, const octet_loop *loop, size_t *bad);

/* The same for this rank's share of the samples (parallel_split); then, when all ranks are well,
 * result (p x each) <- what all of them have put there. */
spd_status octets_share(spd_context *ctx, const octet_loop *loop, size_t *bad);
void octets_collect(spd_context *ctx, size_t p, size_t each, double *result);

/* *lowest <- the lowest sample of the mask (not zero; bit i is sample first+i), if lower still. */
void octets_fault(atomic_size_t *lowest, size_t first, unsigned mask);

/* tri (octets x TRI(n) x 8) <- samples first .. first+count-1 of X (n x n each); returns octets. */
size_t octets_pack(const kernels *k, size_t n, size_t first, size_t count, const double *X,
                   double *tri);

/* The way back: Y (n x n each, both triangles) from index first on. */
void octets_unpack(const kernels *k, size_t n, size_t first, size_t count, const double *tri,
                   double *Y);

/* Masks of single octets (used of them) joined to one of count samples. */
unsigned octets_mask(size_t used, const unsigned *bad, size_t count);

#endif
