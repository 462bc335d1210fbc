/* log_kernel.h - the centred log-Euclidean kernel tr(log X log Y) of covariance discriminative
 * learning (cdl, cdl-lda). */
#ifndef SPD_CLASSIFY_LOG_KERNEL_H
#define SPD_CLASSIFY_LOG_KERNEL_H

#include "base/arena.h"

typedef struct log_kernel {
    double *K;    /* p x p: (I - 11'/p) K (I - 11'/p) */
    double *mean; /* p: means of the columns of K before centring */
} log_kernel;

/* *kernel <- of the training samples. */
spd_status log_kernel_new(spd_context *ctx, const spd_samples *train, arena *keep,
                          log_kernel *kernel);

/* *Kt (p x queries->p, a column per query) <- the centred kernel between training and queries, the
 * transpose of (Kq - 11'K/p)(I - 11'/p). */
spd_status log_kernel_meet(spd_context *ctx, const log_kernel *kernel, const spd_samples *train,
                           const spd_samples *queries, arena *keep, double **Kt);

#endif
