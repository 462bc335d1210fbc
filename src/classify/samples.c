/* samples.c - samples as callers give them, the means of their classes, and parts of them. */
#include "classify/samples.h"

#include <string.h>

#include "base/sized.h"
#include "classify/values.h"

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

/* ---- some of the samples --------------------------------------------------------------------- */

/* Those rows of from; NULL where from is. */
static void *copy_rows(size_t count, const size_t *index, size_t bytes, const void *from,
                       arena *keep)
{
    void *rows = from ? arena_alloc(keep, count, bytes) : NULL;
    if (rows)
        samples_rows(count, index, bytes, from, rows);
    return rows;
}

spd_status samples_part(spd_context *ctx, const samples *all, size_t count, const size_t *index,
                        arena *keep, samples *part)
{
    size_t matrix = all->n * all->n * sizeof *all->X;
    size_t vector = all->height * all->width * sizeof *all->V;
    *part = *all;
    part->p = count;
    part->X = copy_rows(count, index, matrix, all->X, keep);
    part->V = copy_rows(count, index, vector, all->V, keep);
    part->label = copy_rows(count, index, sizeof *all->label, all->label, keep);
    part->mean = copy_rows(count, index, all->n * sizeof *all->mean, all->mean, keep);
    part->observations = copy_rows(count, index, samples_blocks(all) * sizeof *all->observations,
                                   all->observations, keep);
    part->group = copy_rows(count, index, sizeof *all->group, all->group, keep);
    part->fold_group = copy_rows(count, index, sizeof *all->fold_group, all->fold_group, keep);
    part->target = copy_rows(count, index, sizeof *all->target, all->target, keep);
    return arena_status(keep, ctx, "a part of the samples");
}

/* s->class_name <- copies. */
static spd_status own_names(spd_context *ctx, arena *keep, samples *s)
{
    const char *const *given = s->class_name;
    const char **names = given ? arena_zero(keep, s->classes, sizeof *names) : NULL;
    for (size_t k = 0; names && k < s->classes; k++) {
        const char *text = given[k] ? given[k] : "";
        size_t size = strlen(text) + 1;
        char *copy = arena_alloc(keep, size, 1);
        names[k] = copy ? memcpy(copy, text, size) : NULL;
    }
    s->class_name = names;
    return arena_status(keep, ctx, "names of classes");
}

/* What spd_samples_subset hands out. */
typedef struct own_samples {
    samples s;
    arena room; /* all of it, this struct too */
} own_samples;

spd_status spd_samples_subset(spd_context *ctx, const spd_samples *given, size_t count,
                              const size_t *index, spd_samples **subset)
{
    ctx_clear(ctx);
    samples all;
    if (!given || !index || count == 0 || !subset)
        return ctx_fail(ctx, SPD_EINVAL, "no samples, no numbers of samples or no room given");
    spd_status status = samples_take(ctx, given, &all);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        if (index[i] >= all.p)
            status =
                ctx_fail(ctx, SPD_EINVAL, "there is no sample %zu: there are %zu", index[i], all.p);
    if (status < 0)
        return status;
    arena room = {0};
    own_samples *own = arena_zero(&room, 1, sizeof *own);
    status = own ? samples_part(ctx, &all, count, index, &room, &own->s)
                 : ctx_nomem(ctx, "a part of the samples");
    if (own && status == SPD_OK)
        status = own_names(ctx, &room, &own->s);
    if (!own || status < 0) {
        arena_free(&room);
        return status;
    }
    own->room = room;
    *subset = &own->s;
    return SPD_OK;
}

void spd_samples_free(spd_samples *s)
{
    if (!s)
        return;
    arena room = ((own_samples *)s)->room;
    arena_free(&room);
}

spd_status samples_stein(spd_context *ctx, const samples *s, arena *keep, double **D2,
                         double *median)
{
    *D2 = arena_alloc(keep, s->p, s->p * sizeof **D2);
    if (!*D2)
        return ctx_nomem(ctx, "distances");
    spd_status status = samples_stein_to(ctx, s, NULL, *D2);
    return status < 0 ? status : values_median_above(ctx, s->p, *D2, median);
}
