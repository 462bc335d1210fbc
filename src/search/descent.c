/* descent.c - most of the nearest neighbours in almost linear time, by neighbour descent (Dong,
 * Moses, Li 2011): a neighbour of a neighbour is likely to be a neighbour.
 *
 * First among sketches (sketch.h): leaves of random trees give first lists, and rounds better them,
 * in which every row meets those on the lists of the samples on its lists. Then the best of these
 * lists are measured truly, and a few rounds more with the true distances follow. In a round every
 * row looks at the lists of the last one and writes its own: the same bits for any number of
 * threads. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "base/classes.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "ops/pairwise.h"
#include "run/parallel.h"
#include "search/job.h"
#include "search/sketch.h"

#define EACH        32    /* rows of a chunk */
#define TREES       6     /* of all, and as many of each class */
#define LEAF        48    /* rows, at most, unless more are wanted */
#define FEW         0.002 /* a round that changes so few of all entries is the last */
#define ROUNDS      8     /* at most, among sketches */
#define TRUE_ROUNDS 4     /* and among matrices */
#define REACH       40    /* the nearest of a list that are asked for theirs, among sketches */
#define TRUE_REACH  6     /* and among matrices */
#define MORE        32    /* entries, besides twice as many as wanted, of lists of sketches */

enum { PURPOSE_TREES = 1, PURPOSE_DRAWN };

/* What one thread works with. */
typedef struct workspace {
    unsigned *mark; /* p: == stamp: seen for the row at hand */
    unsigned stamp;
    size_t *candidate;
    size_t count;
    double *scratch;
} workspace;

/* The samples by class. */
typedef struct grouping {
    classes c;
    size_t *class_of; /* p: number of the class; of no use without a label */
} grouping;

typedef struct descent {
    const search *s;
    const sketches *sketches;   /* by which is measured; NULL: by the metric */
    const grouping *g;          /* NULL: no labels */
    const struct descent *from; /* whose lists are handed over */
    size_t rows;                /* p */
    size_t k[MAX_LISTS], each;
    size_t reach;               /* how many of a list are asked for theirs */
    neighbour *now, *next;      /* rows x each */
    size_t *count, *count_next; /* rows x 2 */
    neighbour *back;            /* rows x reach: those in whose lists a row is, nearest first */
    size_t *backs;              /* rows */
    workspace *work;
    const leaves *leaves; /* of the tree at hand */
    size_t *changed;      /* chunks: entries */
    double *measured;     /* chunks: true distances */
    double total;         /* of them, so far */
    size_t (*bad)[2];     /* chunks: a row and a sample without a distance */
} descent;

/* ---- lists ----------------------------------------------------------------------------------- */

/* The list of row i that row j may be in, -1 for none. */
static int list_of(const descent *d, size_t i, size_t j)
{
    return list_for(d->s->job->label, i, j);
}

static neighbour *list_at(const descent *d, neighbour *lists, size_t i, int which)
{
    return lists + i * d->each + (which ? d->k[0] : 0);
}

static size_t *count_at(size_t *counts, size_t i, int which)
{
    return counts + MAX_LISTS * i + which;
}

static int has(const neighbour *list, size_t count, size_t index)
{
    for (size_t e = 0; e < count; e++)
        if (list[e].index == index)
            return 1;
    return 0;
}

/* d2 (count <= SEARCH_BLOCK) <- squared distances of row i and samples among sketches; what is too
 * far for a list may be more. */
static void measure_sketches(const descent *d, size_t i, size_t count, const size_t *sample,
                             neighbour *lists, size_t *counts, double *d2)
{
    const sketches *v = d->sketches;
    double limit[MAX_LISTS];
    for (int which = 0; which < MAX_LISTS; which++)
        limit[which] =
            list_limit(list_at(d, lists, i, which), *count_at(counts, i, which), d->k[which]);
    for (size_t c = 0; c < count; c++)
        d2[c] = sketch_dist2(v->d, v->V + i * v->d, v->V + sample[c] * v->d,
                             limit[list_of(d, i, sample[c]) > 0]);
}

/* Offers the candidates of the workspace to the lists of row i, which do not have them. */
static spd_status offer_all(const descent *d, workspace *w, size_t chunk, size_t i,
                            neighbour *lists, size_t *counts)
{
    const search *s = d->s;
    for (size_t done = 0; done < w->count; done += SEARCH_BLOCK) {
        size_t now = smaller(w->count - done, SEARCH_BLOCK);
        const size_t *sample = w->candidate + done;
        double d2[SEARCH_BLOCK];
        if (d->sketches)
            measure_sketches(d, i, now, sample, lists, counts, d2);
        else
            block_dist2(s->kernels, s->metric, s->n, s->F + i * s->size, now, s->F, s->size, sample,
                        d2, w->scratch);
        for (size_t c = 0; c < now; c++) {
            int which = list_of(d, i, sample[c]);
            if (!isfinite(d2[c])) {
                d->bad[chunk][0] = i;
                d->bad[chunk][1] = sample[c];
                return SPD_ENUMERIC;
            }
            d->changed[chunk] +=
                (size_t)list_offer(list_at(d, lists, i, which), count_at(counts, i, which),
                                   d->k[which], (neighbour){d2[c], sample[c], 1});
        }
    }
    d->measured[chunk] += d->sketches ? 0.0 : (double)w->count;
    return SPD_OK;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static size_t chunks_of(const descent *d)
{
    return (d->rows + EACH - 1) / EACH;
}

static spd_status explain(spd_context *ctx, const descent *d, size_t chunk)
{
    return search_fault(ctx, d->s, d->bad[chunk][0], d->bad[chunk][1]);
}

static void reset(descent *d, size_t chunks)
{
    memset(d->changed, 0, chunks * sizeof *d->changed);
    memset(d->measured, 0, chunks * sizeof *d->measured);
}

/* Runs a loop whose chunks change lists here and there: every rank does all of it. */
static spd_status run_alone(spd_context *ctx, descent *d, size_t chunks, parallel_body body)
{
    size_t failed = 0;
    reset(d, chunks);
    spd_status status = parallel_for(ctx, chunks, body, d, NULL, NULL, 0.0, &failed);
    return status == SPD_ENUMERIC ? explain(ctx, d, failed) : status;
}

/* Runs a loop whose chunks write the next lists of their rows, which become the present ones; ranks
 * deal out the chunks, and each gets the lists of all. */
static spd_status run_rows(spd_context *ctx, descent *d, parallel_body body, const char *task)
{
    ranks *r = ranks_of(ctx);
    size_t failed = 0, rows = d->rows, chunks = chunks_of(d);
    reset(d, chunks);
    spd_status status =
        parallel_split(ctx, chunks, body, d, task, "samples", (double)rows, &failed);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, d, failed);
    status = ranks_settle(ctx, status);
    if (status < 0)
        return status;
    ranks_collect(r, rows, EACH, d->each * sizeof *d->next, d->next);
    ranks_collect(r, rows, EACH, MAX_LISTS * sizeof *d->count, d->count_next);
    ranks_collect(r, chunks, 1, sizeof *d->changed, d->changed);
    ranks_collect(r, chunks, 1, sizeof *d->measured, d->measured);
    for (size_t chunk = 0; chunk < chunks; chunk++)
        d->total += d->measured[chunk];
    neighbour *list = d->now;
    size_t *count = d->count;
    d->now = d->next;
    d->next = list;
    d->count = d->count_next;
    d->count_next = count;
    return SPD_OK;
}

/* ---- first lists ----------------------------------------------------------------------------- */

/* Every row of a leaf meets the samples of it. */
static spd_status leaf_chunk(void *user, size_t chunk, int thread)
{
    const descent *d = user;
    workspace *w = &d->work[thread];
    const size_t *member = d->leaves->order + d->leaves->first[chunk];
    size_t size = d->leaves->first[chunk + 1] - d->leaves->first[chunk];
    spd_status status = SPD_OK;
    for (size_t a = 0; a < size && status == SPD_OK; a++) {
        size_t i = member[a];
        w->count = 0;
        for (size_t b = 0; b < size; b++) {
            int which = list_of(d, i, member[b]);
            if (b == a || which < 0 ||
                has(list_at(d, d->now, i, which), *count_at(d->count, i, which), member[b]))
                continue;
            w->candidate[w->count++] = member[b];
        }
        status = offer_all(d, w, chunk, i, d->now, d->count);
    }
    return status;
}

/* Some of other classes, drawn at random, since a leaf may have one class only. */
static spd_status drawn_chunk(void *user, size_t chunk, int thread)
{
    const descent *d = user;
    workspace *w = &d->work[thread];
    const classes *c = &d->g->c;
    size_t last = smaller((chunk + 1) * EACH, d->rows);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        if (c->label[i] < 0)
            continue;
        rng r;
        rng_seed(&r, rng_key(d->s->job->seed, PURPOSE_DRAWN, i));
        size_t own = class_size(c, d->g->class_of[i]), begin = c->first[d->g->class_of[i]];
        w->count = 0;
        w->stamp++;
        for (size_t tries = 0; tries < 2 * d->k[1]; tries++) {
            size_t at = rng_below(&r, c->labelled - own), j = c->order[at < begin ? at : at + own];
            if (w->mark[j] == w->stamp)
                continue;
            w->mark[j] = w->stamp;
            w->candidate[w->count++] = j;
        }
        status = offer_all(d, w, chunk, i, d->now, d->count);
    }
    return status;
}

static size_t leaf_size(const descent *d)
{
    return larger(d->each + 2, LEAF);
}

/* Lists of the leaves of a tree of all rows, or of a tree of every class. */
static spd_status grow(spd_context *ctx, descent *d, int by_class, uint64_t number, leaves *l,
                       double *work)
{
    const classes *c = d->g ? &d->g->c : NULL;
    rng r;
    rng_seed(&r, rng_key(d->s->job->seed, PURPOSE_TREES, number));
    l->count = 0;
    for (size_t i = 0; i < d->rows; i++)
        l->order[i] = c ? c->order[i] : i;
    if (by_class)
        for (size_t k = 0; k < c->count; k++)
            leaves_cut(l, d->sketches, c->first[k], class_size(c, k), leaf_size(d), &r, work);
    else
        leaves_cut(l, d->sketches, 0, d->rows, leaf_size(d), &r, work);
    d->leaves = l;
    return run_alone(ctx, d, l->count, leaf_chunk);
}

static spd_status plant(spd_context *ctx, descent *d)
{
    arena room = {0};
    leaves l = {0};
    int by_class = d->g && d->g->c.count > 1;
    double *work = arena_alloc(&room, d->rows, sizeof *work);
    spd_status status =
        work ? leaves_new(ctx, d->rows, d->g ? d->g->c.count : 1, leaf_size(d), &room, &l)
             : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK && by_class)
        status = run_alone(ctx, d, chunks_of(d), drawn_chunk);
    for (uint64_t t = 0; t < TREES && status == SPD_OK; t++) {
        status = grow(ctx, d, 0, 2 * t, &l, work);
        if (status == SPD_OK && by_class)
            status = grow(ctx, d, 1, 2 * t + 1, &l, work);
    }
    arena_free(&room);
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* d->back <- for each row those in whose lists it is, the nearest of them. */
static void turn_round(descent *d)
{
    memset(d->backs, 0, d->rows * sizeof *d->backs);
    for (size_t i = 0; i < d->rows; i++)
        for (int which = 0; which < MAX_LISTS; which++) {
            const neighbour *from = list_at(d, d->now, i, which);
            for (size_t e = 0; e < *count_at(d->count, i, which); e++)
                list_offer(d->back + from[e].index * d->reach, &d->backs[from[e].index], d->reach,
                           (neighbour){from[e].d2, i, from[e].fresh});
        }
}

/* The nearest of a list become candidates of i, unless both ways to them were there before. */
static void take_from(const descent *d, workspace *w, size_t i, const neighbour *list, size_t count,
                      int fresh)
{
    for (size_t e = 0; e < smaller(count, d->reach); e++) {
        size_t l = list[e].index;
        if (!(fresh || list[e].fresh) || w->mark[l] == w->stamp)
            continue;
        w->mark[l] = w->stamp;
        if (list_of(d, i, l) >= 0)
            w->candidate[w->count++] = l;
    }
}

/* All lists of those on one list of i. */
static void ask(const descent *d, workspace *w, size_t i, const neighbour *list, size_t count)
{
    for (size_t e = 0; e < smaller(count, d->reach); e++) {
        size_t j = list[e].index;
        int fresh = list[e].fresh;
        take_from(d, w, i, list_at(d, d->now, j, 0), *count_at(d->count, j, 0), fresh);
        take_from(d, w, i, list_at(d, d->now, j, 1), *count_at(d->count, j, 1), fresh);
        take_from(d, w, i, d->back + j * d->reach, d->backs[j], fresh);
    }
}

/* The lists of row i for the next round, as they are, with nothing fresh. */
static void keep_lists(const descent *d, workspace *w, size_t i)
{
    w->mark[i] = ++w->stamp;
    for (int which = 0; which < MAX_LISTS; which++) {
        size_t count = *count_at(d->count, i, which);
        const neighbour *from = list_at(d, d->now, i, which);
        neighbour *to = list_at(d, d->next, i, which);
        *count_at(d->count_next, i, which) = count;
        for (size_t e = 0; e < count; e++) {
            to[e] = (neighbour){from[e].d2, from[e].index, 0};
            w->mark[from[e].index] = w->stamp;
        }
    }
}

static spd_status round_chunk(void *user, size_t chunk, int thread)
{
    const descent *d = user;
    workspace *w = &d->work[thread];
    size_t last = smaller((chunk + 1) * EACH, d->rows);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        keep_lists(d, w, i);
        w->count = 0;
        for (int which = 0; which < MAX_LISTS; which++)
            ask(d, w, i, list_at(d, d->now, i, which), *count_at(d->count, i, which));
        ask(d, w, i, d->back + i * d->reach, d->backs[i]);
        status = offer_all(d, w, chunk, i, d->next, d->count_next);
    }
    return status;
}

/* Rounds, until hardly anything changes. */
static spd_status run_rounds(spd_context *ctx, descent *d, int rounds, const char *task)
{
    spd_status status = SPD_OK;
    for (int r = 0; r < rounds && status == SPD_OK; r++) {
        size_t changed = 0;
        turn_round(d);
        status = run_rows(ctx, d, round_chunk, task);
        for (size_t chunk = 0; chunk < chunks_of(d); chunk++)
            changed += d->changed[chunk];
        if ((double)changed <= FEW * (double)d->rows * (double)d->each)
            break;
    }
    return status;
}

/* ---- from sketches to matrices --------------------------------------------------------------- */

/* The lists of the sketches, measured truly. */
static spd_status handover_chunk(void *user, size_t chunk, int thread)
{
    const descent *d = user, *from = d->from;
    workspace *w = &d->work[thread];
    size_t last = smaller((chunk + 1) * EACH, d->rows);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        w->count = 0;
        for (int which = 0; which < MAX_LISTS; which++) {
            const neighbour *have = list_at(from, from->now, i, which);
            for (size_t e = 0; e < *count_at(from->count, i, which); e++)
                w->candidate[w->count++] = have[e].index;
        }
        status = offer_all(d, w, chunk, i, d->next, d->count_next);
    }
    return status;
}

/* d: empty lists, from what d->s, rows, k and reach say. */
static spd_status open_lists(spd_context *ctx, arena *keep, descent *d)
{
    const search *s = d->s;
    size_t own = d->rows, threads = (size_t)parallel_threads(ctx);
    d->each = d->k[0] + d->k[1];
    size_t room = larger(larger(9 * d->reach * d->reach, leaf_size(d)), 2 * d->each);
    size_t chunks = chunks_of(d) + d->rows / (leaf_size(d) / 2) + 2;
    if (d->g)
        chunks += d->g->c.count;
    d->now = arena_alloc(keep, own, d->each * sizeof *d->now);
    d->next = arena_alloc(keep, own, d->each * sizeof *d->next);
    d->count = arena_zero(keep, own, MAX_LISTS * sizeof *d->count);
    d->count_next = arena_zero(keep, own, MAX_LISTS * sizeof *d->count_next);
    d->back = arena_alloc(keep, own, d->reach * sizeof *d->back);
    d->backs = arena_alloc(keep, own, sizeof *d->backs);
    d->changed = arena_zero(keep, chunks, sizeof *d->changed);
    d->measured = arena_zero(keep, chunks, sizeof *d->measured);
    d->bad = arena_zero(keep, chunks, sizeof *d->bad);
    d->work = arena_zero(keep, threads, sizeof *d->work);
    for (size_t t = 0; d->work && t < threads; t++)
        d->work[t] =
            (workspace){.mark = arena_zero(keep, d->rows, sizeof(unsigned)),
                        .candidate = arena_alloc(keep, room, sizeof(size_t)),
                        .scratch = arena_alloc(keep, block_work(s->metric, s->n), sizeof(double))};
    return arena_status(keep, ctx, "neighbours");
}

/* d <- the lists among sketches, of so many more that the true ones are likely to be among them. */
static spd_status find_candidates(spd_context *ctx, arena *keep, const sketches *v, descent *d)
{
    const search_job *job = d->s->job;
    for (int which = 0; which < MAX_LISTS; which++)
        d->k[which] = job->k[which] ? smaller(2 * job->k[which] + MORE, d->s->p) : 0;
    d->reach = REACH;
    d->sketches = v;
    spd_status status = open_lists(ctx, keep, d);
    if (status == SPD_OK)
        status = plant(ctx, d);
    if (status == SPD_OK)
        status = run_rounds(ctx, d, ROUNDS, "candidates");
    return status;
}

/* d <- the lists of all samples, from those of sketches. */
static spd_status descend(spd_context *ctx, descent *d)
{
    arena room = {0};
    sketches v;
    descent near = {.s = d->s, .g = d->g, .rows = d->rows};
    spd_status status = sketches_make(ctx, d->s, &room, &v);
    if (status == SPD_OK)
        status = find_candidates(ctx, &room, &v, &near);
    d->from = &near;
    if (status == SPD_OK)
        status = run_rows(ctx, d, handover_chunk, "neighbours");
    d->from = NULL;
    arena_free(&room);
    return status == SPD_OK ? run_rounds(ctx, d, TRUE_ROUNDS, "neighbours") : status;
}

/* ---- outside --------------------------------------------------------------------------------- */

static spd_status sort_classes(spd_context *ctx, const search *s, arena *keep, grouping *g)
{
    g->class_of = arena_zero(keep, s->p, sizeof *g->class_of);
    if (!g->class_of)
        return ctx_nomem(ctx, "neighbours");
    spd_status status = classes_sort(ctx, s->p, s->job->label, keep, &g->c);
    for (size_t k = 0; status == SPD_OK && k < g->c.count; k++)
        for (size_t e = g->c.first[k]; e < g->c.first[k + 1]; e++)
            g->class_of[g->c.order[e]] = k;
    return status;
}

/* How many are admitted to a list of a query. */
static size_t admitted(const descent *d, size_t query, int which)
{
    const search *s = d->s;
    if (!d->g || d->g->c.label[query] < 0)
        return which ? 0 : s->p - 1;
    size_t own = class_size(&d->g->c, d->g->class_of[query]);
    return which ? d->g->c.labelled - own : own - 1;
}

static int is_short(const descent *d, size_t query, int which)
{
    size_t wanted = search_wanted(d->s->job, query, which);
    return d->count[MAX_LISTS * query + (size_t)which] < smaller(wanted, admitted(d, query, which));
}

/* Lists that are too short, which hardly ever happens, are found exactly. */
static spd_status fill(spd_context *ctx, descent *d)
{
    const search *s = d->s;
    arena room = {0};
    neighbour *exact = NULL;
    size_t *count = NULL, rows = 0, *row = arena_alloc(&room, s->q, sizeof *row);
    for (size_t i = 0; row && i < s->q; i++)
        if (is_short(d, i, 0) || is_short(d, i, 1))
            row[rows++] = i;
    spd_status status = row ? SPD_OK : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK && rows > 0)
        status = search_lists(ctx, s, rows, &room, &exact, &count);
    if (status == SPD_OK && rows > 0)
        status = tiles_run(ctx, s, (subset){rows, row}, exact, count);
    for (size_t a = 0; status == SPD_OK && a < rows; a++) {
        memcpy(d->now + row[a] * s->each, exact + a * s->each, s->each * sizeof *exact);
        memcpy(d->count + MAX_LISTS * row[a], count + MAX_LISTS * a, MAX_LISTS * sizeof *count);
    }
    d->total += (double)rows * (double)(s->p - 1);
    arena_free(&room);
    return status;
}

spd_status descent_run(spd_context *ctx, const search *s, search_result *found)
{
    arena room = {0};
    grouping g = {0};
    const search_job *job = s->job;
    descent d = {.s = s,
                 .g = job->label ? &g : NULL,
                 .rows = s->p,
                 .k = {job->k[0], job->k[1]},
                 .reach = TRUE_REACH};
    spd_status status = d.g ? sort_classes(ctx, s, &room, &g) : SPD_OK;
    if (status == SPD_OK)
        status = open_lists(ctx, &room, &d);
    if (status == SPD_OK)
        status = descend(ctx, &d);
    if (status == SPD_OK)
        status = fill(ctx, &d);
    if (status == SPD_OK) {
        memcpy(found->list, d.now, s->q * s->each * sizeof *d.now);
        memcpy(found->count, d.count, s->q * MAX_LISTS * sizeof *d.count);
        found->exact += d.total;
    }
    arena_free(&room);
    return status;
}
