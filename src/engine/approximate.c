/* approximate.c - see approximate.h. */
#include "engine/approximate.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "engine/near_lists.h"
#include "engine/nearest_levels.h"

#define ROUNDS      8    /* at most, among stand-ins */
#define TRUE_ROUNDS 4    /* and among matrices */
#define REACH       40   /* the nearest of a list that are asked for theirs, among stand-ins */
#define TRUE_REACH  6    /* and among matrices */
#define MORE        32   /* entries, beside twice as many as wanted, of lists of stand-ins */
#define OPERATIONS  4e11 /* of the exact search: about a minute */

enum { PURPOSE_ESTIMATE = 3 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Samples by class, those without a label last; without labels one class. */
static spd_status sort_classes(spd_context *ctx, const approximate_job *job, arena *keep,
                               classes *c, size_t **of)
{
    int *none = job->label ? NULL : arena_zero(keep, job->p, sizeof *none);
    *of = arena_zero(keep, job->p, sizeof **of);
    spd_status status = *of && (job->label || none) ? SPD_OK : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK)
        status = classes_sort(ctx, job->p, job->label ? job->label : none, keep, c);
    for (size_t k = 0; status == SPD_OK && k < c->count; k++)
        for (size_t e = c->first[k]; e < c->first[k + 1]; e++)
            (*of)[c->order[e]] = k;
    return status;
}

/* to->now <- the lists, found among stand-ins, of so many more that the true ones are likely to be
 * among them. */
static spd_status find_candidates(spd_context *ctx, near_lists *to)
{
    const approximate_job *job = to->job;
    arena room = {0};
    stand_ins s = {0};
    near_lists d = {.job = job, .c = to->c, .of = to->of, .s = &s, .reach = REACH};
    for (int list = 0; list < 2; list++)
        d.k[list] = job->k[list] ? 2 * job->k[list] + MORE : 0;
    spd_status status = stand_ins_make(ctx, job->m, job->n, job->p, job->X, job->F, &room, &s);
    if (status == SPD_OK)
        status = near_lists_open(ctx, &room, &d);
    if (status == SPD_OK)
        status = near_lists_plant(ctx, &d);
    if (status == SPD_OK)
        status = near_lists_rounds(ctx, &d, ROUNDS, "candidates");
    if (status == SPD_OK)
        status = near_lists_pass(ctx, &d, to);
    arena_free(&room);
    return status;
}

/* ---- exact lists ----------------------------------------------------------------------------- */

/* found (new, rows x each), count (new) <- the true lists of some samples among the first `others`.
 */
static spd_status exactly(spd_context *ctx, near_lists *d, size_t rows, const size_t *row,
                          size_t others, arena *keep, hit **found, size_t **count)
{
    *found = arena_alloc(keep, rows, d->each * sizeof **found);
    *count = arena_alloc(keep, rows, 2 * sizeof **count);
    if (!*found || !*count)
        return ctx_nomem(ctx, "neighbours");
    return near_lists_exact(ctx, d, rows, row, others, NULL, *found, *count);
}

/* How many list `which` of sample i could have. */
static size_t there_are(const near_lists *d, size_t i, int which)
{
    size_t p = d->job->p, own = class_size(d->c, d->of[i]);
    if (!d->job->label || d->job->label[i] < 0)
        return which ? 0 : p - 1;
    return which ? d->c->labelled - own : own - 1;
}

/* Lists that are too short, which hardly ever happens, are found exactly. */
static spd_status fill(spd_context *ctx, near_lists *d)
{
    arena room = {0};
    hit *exact = NULL;
    size_t *count = NULL;
    size_t rows = 0, *row = arena_alloc(&room, d->job->p, sizeof *row);
    for (size_t i = 0; row && i < d->job->p; i++)
        if (d->count[2 * i] < smaller(d->k[0], there_are(d, i, 0)) ||
            d->count[2 * i + 1] < smaller(d->k[1], there_are(d, i, 1)))
            row[rows++] = i;
    spd_status status = row ? SPD_OK : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK && rows > 0)
        status = exactly(ctx, d, rows, row, d->job->p, &room, &exact, &count);
    for (size_t a = 0; status == SPD_OK && a < rows; a++) {
        memcpy(d->now + row[a] * d->each, exact + a * d->each, d->each * sizeof *exact);
        memcpy(d->count + 2 * row[a], count + 2 * a, 2 * sizeof *count);
    }
    arena_free(&room);
    return status;
}

/* The lists of all samples by way of candidates that are likely to be near. */
static spd_status among_near(spd_context *ctx, near_lists *d)
{
    spd_status status = find_candidates(ctx, d);
    if (status == SPD_OK)
        status = near_lists_rounds(ctx, d, TRUE_ROUNDS, "neighbours");
    return status == SPD_OK ? fill(ctx, d) : status;
}

/* Of the true neighbours in one list those that were found; a tie counts. */
static size_t agreeing(const hit *found, size_t count, const hit *exact, size_t wanted)
{
    size_t same = 0;
    while (same < count && same < wanted && found[same].d2 <= exact[wanted - 1].d2)
        same++;
    return same;
}

/* drawn (new, p - from) <- the samples from `from` on, `count` drawn at random in front. */
static size_t *draw(const near_lists *d, size_t from, size_t count, arena *keep)
{
    size_t p = d->job->p - from, *drawn = arena_alloc(keep, p, sizeof *drawn);
    if (drawn)
        approximate_draw(d->job->seed, p, count, drawn);
    for (size_t i = 0; drawn && i < p; i++)
        drawn[i] += from;
    return drawn;
}

/* The lists of all samples, among the candidates: what there is of each kind. */
static spd_status among_some(spd_context *ctx, near_lists *d)
{
    arena room = {0};
    size_t p = d->job->p, *all = draw(d, 0, 0, &room);
    spd_status status = all ? near_lists_exact(ctx, d, p, all, d->job->candidates,
                                               d->job->candidate, d->now, d->count)
                            : ctx_nomem(ctx, "neighbours");
    arena_free(&room);
    return status;
}

/* *recall <- the share of true neighbours that was found, of samples drawn at random, or of
 * queries. */
static spd_status estimate(spd_context *ctx, near_lists *d, double *recall)
{
    arena room = {0};
    hit *exact = NULL;
    size_t *count = NULL;
    size_t p = d->job->p, from = d->job->queries ? p - d->job->queries : 0;
    size_t rows = smaller(APPROXIMATE_ESTIMATE, p - from), same = 0, all = 0;
    size_t *row = draw(d, from, rows, &room);
    spd_status status = row ? exactly(ctx, d, rows, row, from ? from : p, &room, &exact, &count)
                            : ctx_nomem(ctx, "neighbours");
    for (size_t a = 0; status == SPD_OK && a < rows; a++)
        for (int list = 0; list < 2; list++) {
            size_t wanted = count[2 * a + (size_t)list];
            all += wanted;
            same +=
                agreeing(near_list(d, d->now, row[a], list), d->count[2 * row[a] + (size_t)list],
                         exact + a * d->each + (list ? d->k[0] : 0), wanted);
        }
    *recall = all ? (double)same / (double)all : 1.0;
    arena_free(&room);
    return status;
}

/* ---- outside --------------------------------------------------------------------------------- */

spd_status approximate_run(spd_context *ctx, const approximate_job *job, arena *keep,
                           approximate_lists *found)
{
    classes c = {0};
    size_t *of;
    spd_status status = sort_classes(ctx, job, keep, &c, &of);
    if (status < 0)
        return status;
    near_lists d = {
        .job = job, .c = &c, .of = of, .k = {job->k[0], job->k[1]}, .reach = TRUE_REACH};
    status = near_lists_open(ctx, keep, &d);
    if (status == SPD_OK)
        status = job->candidate ? among_some(ctx, &d) : among_near(ctx, &d);
    *found = (approximate_lists){.hit = d.now, .count = d.count};
    if (status == SPD_OK)
        status = estimate(ctx, &d, &found->recall);
    found->measured = d.total;
    return status;
}

void approximate_draw(uint64_t seed, size_t p, size_t count, size_t *drawn)
{
    rng r;
    rng_seed(&r, rng_key(seed, PURPOSE_ESTIMATE, 0));
    for (size_t i = 0; i < p; i++)
        drawn[i] = i;
    rng_draw(&r, count, p, drawn);
}

int approximate_pays(const metric *m, size_t n, size_t p, size_t q)
{
    double one = m->flat ? (double)m->size(n) : levels_exact_cost(m, n);
    return (double)p * (double)q * one > OPERATIONS;
}
