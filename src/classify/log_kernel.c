/* log_kernel.c - the log-Euclidean kernel, centred in its feature space.
 *
 *   training  K  <- (I - 11'/p) K (I - 11'/p)
 *   queries   Kq <- (Kq - 11'K/p) (I - 11'/p),  kept transposed: a column per query
 *
 * The matrices are taken as they are: what regularisation they need, they got when they were made
 * or read. */
#include "classify/log_kernel.h"

#include "base/memory.h"
#include "classify/centre.h"

spd_status log_kernel_new(spd_context *ctx, const spd_samples *train, log_kernel *kernel)
{
    size_t p = train->p;
    *kernel = (log_kernel){.train = *train};
    kernel->K = mem_alloc(p, p * sizeof *kernel->K);
    kernel->mean = mem_alloc(p, sizeof *kernel->mean);
    if (!kernel->K || !kernel->mean)
        return ctx_nomem(ctx, "the kernel");
    spd_status status =
        spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, train->n, p, train->X, 0, NULL, kernel->K);
    if (status == SPD_OK)
        centre_both(p, kernel->K, kernel->mean);
    return status;
}

void log_kernel_free(log_kernel *kernel)
{
    mem_free(kernel->K);
    mem_free(kernel->mean);
    *kernel = (log_kernel){0};
}

spd_status log_kernel_meet(spd_context *ctx, const log_kernel *kernel, const spd_samples *queries,
                           double *Kt)
{
    const spd_samples *train = &kernel->train;
    size_t p = train->p, q = queries->p;
    spd_status status =
        spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, train->n, p, train->X, q, queries->X, Kt);
    for (size_t j = 0; status == SPD_OK && j < q; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < p; i++) {
            Kt[i * q + j] -= kernel->mean[i];
            sum += Kt[i * q + j];
        }
        for (size_t i = 0; i < p; i++)
            Kt[i * q + j] -= sum / (double)p;
    }
    return status;
}
