/* logarithms.c - the logarithms of all samples, centred. */
#include "learn/logarithms.h"

#include "base/memory.h"
#include "linalg/tall.h"

spd_status logarithms_new(spd_context *ctx, size_t n, size_t p, const double *X, double **L)
{
    double *logs = mem_alloc(p, n * n * sizeof *logs), *mean = mem_alloc(n, n * sizeof *mean);
    spd_status status = logs && mean ? spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, p, X), logs)
                                     : ctx_nomem(ctx, "the logarithms");
    if (status == SPD_OK) {
        tall_centre(p, n * n, logs, mean);
        *L = logs;
    } else {
        mem_free(logs);
    }
    mem_free(mean);
    return status;
}
