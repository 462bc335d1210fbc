/* description.c - room for what comes of one input. */
#include "base/memory.h"
#include "describe/descriptor.h"

spd_status description_room(spd_context *ctx, size_t count, size_t n, size_t columns,
                            description *out)
{
    size_t entries;
    double *X = NULL, *column = NULL;
    if (!mem_mul(n, n, &entries) && !mem_mul(entries, count, &entries)) {
        X = mem_zero(entries, sizeof *X);
        column = mem_mul(count, columns, &entries) ? NULL : mem_zero(entries, sizeof *column);
    }
    if (!X || !column) {
        mem_free(X);
        mem_free(column);
        return ctx_nomem(ctx, "covariance matrices");
    }
    *out = (description){.count = count, .n = n, .X = X, .columns = columns, .column = column};
    return SPD_OK;
}

void description_free(description *out)
{
    if (!out)
        return;
    mem_free(out->X);
    mem_free(out->column);
    *out = (description){0};
}
