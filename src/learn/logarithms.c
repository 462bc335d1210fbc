/* logarithms.c - the logarithms of all samples, centred. */
#include "learn/logarithms.h"

#include "base/memory.h"

/* L (p x n2) <- L less the mean over p; mean is n2 zeros at first. */
static void centre(size_t n2, size_t p, double *L, double *mean)
{
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < n2; e++)
            mean[e] += L[i * n2 + e] / (double)p;
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < n2; e++)
            L[i * n2 + e] -= mean[e];
}

spd_status logarithms_new(spd_context *ctx, size_t n, size_t p, const double *X, double **L)
{
    double *logs = mem_alloc(p, n * n * sizeof *logs), *mean = mem_zero(n, n * sizeof *mean);
    spd_status status = logs && mean ? spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, p, X), logs)
                                     : ctx_nomem(ctx, "the logarithms");
    if (status == SPD_OK) {
        centre(n * n, p, logs, mean);
        *L = logs;
    } else {
        mem_free(logs);
    }
    mem_free(mean);
    return status;
}
