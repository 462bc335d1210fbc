/* samples.c - some of the samples, copied together. */
#include "classify/samples.h"

#include <string.h>

#include "base/memory.h"
#include "base/sized.h"

spd_status samples_take(spd_context *ctx, const spd_samples *given, samples *mine)
{
    *mine = (samples){.size = sizeof *mine};
    return sized_take(ctx, "spd_samples", sizeof *mine, mine, given);
}

spd_status samples_check_labels(spd_context *ctx, const samples *s)
{
    for (size_t i = 0; i < s->p; i++)
        if (s->label[i] < 0 || (size_t)s->label[i] >= s->classes)
            return ctx_fail_at(ctx, SPD_EINVAL, i, s->label[i],
                               "sample %zu has class %d, but there are %zu classes", i, s->label[i],
                               s->classes);
    return SPD_OK;
}

void samples_rows(size_t count, const size_t *index, size_t bytes, const void *from, void *to)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)to + i * bytes, (const char *)from + index[i] * bytes, bytes);
}

/* *rows (new) <- those of from, where there are any. */
static spd_status copy_rows(spd_context *ctx, size_t count, const size_t *index, size_t bytes,
                            const void *from, void **rows)
{
    if (!from)
        return SPD_OK;
    *rows = mem_alloc(count, bytes);
    if (!*rows)
        return ctx_nomem(ctx, "a part of the samples");
    samples_rows(count, index, bytes, from, *rows);
    return SPD_OK;
}

static spd_status check_numbers(spd_context *ctx, const samples *all, size_t count,
                                const size_t *index)
{
    for (size_t i = 0; i < count; i++)
        if (index[i] >= all->p)
            return ctx_fail(ctx, SPD_EINVAL, "there is no sample %zu: there are %zu", index[i],
                            all->p);
    return SPD_OK;
}

spd_status spd_samples_subset(spd_context *ctx, const spd_samples *given, size_t count,
                              const size_t *index, spd_samples **subset)
{
    ctx_clear(ctx);
    samples all;
    if (!given || !index || count == 0 || !subset)
        return ctx_fail(ctx, SPD_EINVAL, "no samples, no numbers of samples or no room given");
    spd_status status = samples_take(ctx, given, &all);
    if (status == SPD_OK)
        status = check_numbers(ctx, &all, count, index);
    if (status < 0)
        return status;
    void *X = NULL, *V = NULL, *label = NULL;
    samples *s = mem_alloc(1, sizeof *s);
    status = s ? SPD_OK : ctx_nomem(ctx, "a part of the samples");
    if (status == SPD_OK)
        status = copy_rows(ctx, count, index, all.n * all.n * sizeof *all.X, all.X, &X);
    if (status == SPD_OK)
        status = copy_rows(ctx, count, index, all.height * all.width * sizeof *all.V, all.V, &V);
    if (status == SPD_OK)
        status = copy_rows(ctx, count, index, sizeof *all.label, all.label, &label);
    if (status < 0) {
        mem_free(X);
        mem_free(V);
        mem_free(label);
        mem_free(s);
        return status;
    }
    *s = all;
    s->p = count;
    s->X = X;
    s->V = V;
    s->label = label;
    *subset = s;
    return SPD_OK;
}

void spd_samples_free(spd_samples *s)
{
    if (!s)
        return;
    mem_free((void *)(uintptr_t)s->X);
    mem_free((void *)(uintptr_t)s->V);
    mem_free((void *)(uintptr_t)s->label);
    mem_free(s);
}
