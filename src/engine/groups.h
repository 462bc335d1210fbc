/* groups.h - runs a function over all samples of a set, sixteen at a time, in parallel. */
#ifndef SPD_ENGINE_GROUPS_H
#define SPD_ENGINE_GROUPS_H

#include <stdatomic.h>

#include "base/context.h"
#include "linalg/kernels.h"

/* Samples of one call: two groups of eight, because two eigenvalue problems hide latency. */
#define BATCH_GROUPS 2
#define BATCH        (BATCH_GROUPS * LANES)

typedef struct group_loop {
    size_t p;    /* samples */
    size_t work; /* scratch doubles of one thread */

    /* Does samples first .. first+count-1, count <= BATCH. Returns the mask of those at fault: bit
     * i stands for sample first+i. */
    unsigned (*body)(void *user, size_t first, size_t count, double *work);
    void *user;
    const char *task;
} group_loop;

/* SPD_ENUMERIC when samples are at fault, without a message, and *bad is the lowest of them;
 * SPD_ENOMEM and SPD_ECANCELLED come with one. */
spd_status groups_run(spd_context *ctx, const group_loop *loop, size_t *bad);

/* *lowest <- the lowest sample of the mask (not zero; bit i is sample first+i), if lower still. */
void groups_fault(atomic_size_t *lowest, size_t first, unsigned mask);

/* tri (groups x TRI(n) x 8) <- samples first .. first+count-1 of X (n x n each); returns groups. */
size_t groups_pack(const kernels *k, size_t n, size_t first, size_t count, const double *X,
                   double *tri);

/* The way back: Y (n x n each, both triangles) from index first on. */
void groups_unpack(const kernels *k, size_t n, size_t first, size_t count, const double *tri,
                   double *Y);

/* Masks of single groups (used of them) joined to one of count samples. */
unsigned groups_mask(size_t used, const unsigned *bad, size_t count);

#endif
