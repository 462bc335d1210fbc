/* part.c - some of the samples, copied together. */
#include "evaluate/part.h"

#include <string.h>

#include "base/memory.h"

void part_free(part *a)
{
    mem_free(a->index);
    mem_free(a->X);
    mem_free(a->V);
    mem_free(a->label);
    *a = (part){0};
}

/* *to (new) <- rows of from, each `size` doubles, as a->index says. */
static spd_status copy_rows(spd_context *ctx, const part *a, size_t size, const double *from,
                            double **to)
{
    double *rows = mem_alloc(a->s.p, size * sizeof *rows);
    if (!rows)
        return ctx_nomem(ctx, "a part of the samples");
    for (size_t i = 0; i < a->s.p; i++)
        memcpy(rows + i * size, from + a->index[i] * size, size * sizeof *rows);
    *to = rows;
    return SPD_OK;
}

spd_status part_take(spd_context *ctx, const samples *whole, const size_t *fold, size_t which,
                     int inside, int vectors, part *result)
{
    part a = {.s = *whole};
    spd_status status = SPD_OK;
    a.index = mem_alloc(whole->p, sizeof *a.index);
    a.label = mem_alloc(whole->p, sizeof *a.label);
    if (!a.index || !a.label)
        status = ctx_nomem(ctx, "a part of the samples");
    a.s.p = 0;
    for (size_t i = 0; i < whole->p && status == SPD_OK; i++) {
        if ((fold[i] == which) != inside)
            continue;
        a.index[a.s.p] = i;
        a.label[a.s.p++] = whole->label[i];
    }
    if (status == SPD_OK && vectors)
        status = copy_rows(ctx, &a, whole->height * whole->width, whole->V, &a.V);
    else if (status == SPD_OK)
        status = copy_rows(ctx, &a, whole->n * whole->n, whole->X, &a.X);
    a.s.X = a.X;
    a.s.V = a.V;
    a.s.label = a.label;
    if (status < 0)
        part_free(&a);
    *result = a;
    return status;
}
