/* mdm.c - minimum distance to mean.
 *
 *   M_c = the mean of class c,   class of X = argmin_c d2(X, M_c),   ties by lower class
 *
 * Both mean and distance in the method's metric. A class without samples has no mean and is never
 * chosen. */

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/members.h"
#include "classify/samples.h"

/* Of the means; what is nearer to two of them than this is a tie in all but name. */
#define PRECISION 1e-10

typedef struct centres {
    spd_metric metric;
    size_t n, count; /* classes that have samples */
    double *M;       /* count x n x n */
    int *class;      /* count */
} centres;

typedef struct choice {
    size_t q;
    int64_t *index; /* q: the nearest mean */
} choice;

static void release_centres(void *prepared)
{
    centres *s = prepared;
    if (!s)
        return;
    mem_free(s->M);
    mem_free(s->class);
    mem_free(s);
}

/* The next mean <- that of class c, whose samples are gathered in room (p x n x n). */
static spd_status add_mean(spd_context *ctx, const samples *train, const members *m, size_t c,
                           double *room, centres *s)
{
    size_t n2 = train->n * train->n, count = members_count(m, c);
    if (count == 0)
        return SPD_OK;
    samples_rows(count, m->order + m->first[c], n2 * sizeof *room, train->X, room);
    spd_status status =
        spd_mean(ctx, s->metric, train->n, count, room,
                 &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = PRECISION},
                 s->M + s->count * n2, NULL);
    s->class[s->count++] = (int)c;
    return status;
}

/* A mean that has not quite converged is still a good centre: SPD_NOT_CONVERGED at the end. */
static spd_status add_means(spd_context *ctx, const samples *train, const members *m, double *room,
                            centres *s)
{
    size_t unfinished = 0;
    for (size_t c = 0; c < train->classes; c++) {
        spd_status status = add_mean(ctx, train, m, c, room, s);
        if (status < 0)
            return status;
        unfinished += status == SPD_NOT_CONVERGED;
    }
    if (unfinished)
        return ctx_fail(ctx, SPD_NOT_CONVERGED, "the means of %zu classes did not converge",
                        unfinished);
    return SPD_OK;
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    size_t n2 = train->n * train->n;
    members m = {0};
    double *room = mem_alloc(train->p, n2 * sizeof *room);
    centres *s = mem_zero(1, sizeof *s);
    spd_status status = SPD_OK;
    if (s) {
        s->metric = method->metric;
        s->n = train->n;
        s->M = mem_alloc(train->classes, n2 * sizeof *s->M);
        s->class = mem_alloc(train->classes, sizeof *s->class);
    }
    if (!room || !s || !s->M || !s->class)
        status = ctx_nomem(ctx, "class means");
    if (status == SPD_OK)
        status = members_sort(ctx, train, &m);
    if (status == SPD_OK)
        status = add_means(ctx, train, &m, room, s);
    members_free(&m);
    mem_free(room);
    if (status < 0)
        release_centres(s);
    else
        *prepared = s;
    return status;
}

static void release_choice(void *met)
{
    choice *c = met;
    if (c)
        mem_free(c->index);
    mem_free(c);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const centres *s = prepared;
    choice *c = mem_zero(1, sizeof *c);
    double *d2 = mem_alloc(queries->p, sizeof *d2);
    spd_status status = SPD_OK;
    if (c) {
        c->q = queries->p;
        c->index = mem_alloc(queries->p, sizeof *c->index);
    }
    if (!c || !d2 || !c->index)
        status = ctx_nomem(ctx, "nearest means");
    else
        status = spd_nearest(
            ctx, s->metric, s->n, s->count, s->M, queries->p, queries->X,
            &(spd_neighbours){.size = sizeof(spd_neighbours), .k = 1, .index = c->index, .d2 = d2});
    mem_free(d2);
    if (status < 0)
        release_choice(c);
    else
        *met = c;
    return status;
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const centres *s = prepared;
    const choice *c = met;
    (void)ctx;
    (void)trained;
    (void)method;
    for (size_t i = 0; i < c->q; i++)
        label[i] = s->class[c->index[i]];
    return SPD_OK;
}

const classifier classifier_mdm = {
    .kind = SPD_MDM,
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
    .release_met = release_choice,
    .release_prepared = release_centres,
};
