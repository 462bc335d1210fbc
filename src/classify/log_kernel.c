/* log_kernel.c - the log-Euclidean kernel, centred in its feature space.
 *
 *   training  K  <- (I - 11'/p) K (I - 11'/p)
 *   queries   Kq <- (Kq - 11'K/p) (I - 11'/p),  kept transposed: a column per query
 *
 * The matrices are taken as they are: what regularisation they need, they got when they were made
 * or read. */
#include "classify/log_kernel.h"

#include "classify/samples.h"
#include "classify/values.h"

spd_status log_kernel_new(spd_context *ctx, const spd_samples *train, arena *keep,
                          log_kernel *kernel)
{
    size_t p = train->p;
    kernel->K = arena_alloc(keep, p, p * sizeof *kernel->K);
    kernel->mean = arena_alloc(keep, p, sizeof *kernel->mean);
    if (!kernel->K || !kernel->mean)
        return ctx_nomem(ctx, "the kernel");
    const spd_set X = samples_set(train);
    spd_status status = spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, &X, NULL, kernel->K);
    if (status == SPD_OK)
        values_centre(p, kernel->K, kernel->mean);
    return status;
}

spd_status log_kernel_meet(spd_context *ctx, const log_kernel *kernel, const spd_samples *train,
                           const spd_samples *queries, arena *keep, double **Kt)
{
    size_t p = train->p, q = queries->p;
    double *K = *Kt = arena_alloc(keep, p, q * sizeof *K);
    if (!K)
        return ctx_nomem(ctx, "the kernel of the queries");
    const spd_set X = samples_set(train), Q = samples_set(queries);
    spd_status status = spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, &X, &Q, K);
    for (size_t j = 0; status == SPD_OK && j < q; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < p; i++) {
            K[i * q + j] -= kernel->mean[i];
            sum += K[i * q + j];
        }
        for (size_t i = 0; i < p; i++)
            K[i * q + j] -= sum / (double)p;
    }
    return status;
}
