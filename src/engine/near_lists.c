/* near_lists.c - see near_lists.h. */
#include "engine/near_lists.h"

#include <math.h>
#include <string.h>

#include "base/ranks.h"
#include "base/rng.h"
#include "engine/fault.h"
#include "engine/pairwise.h"
#include "engine/trees.h"

#define BLOCK (METRIC_OCTETS * LANES)
#define EACH  32    /* samples of a chunk */
#define TREES 6     /* of all, and as many of each class */
#define LEAF  48    /* samples, at most, unless more are wanted */
#define FEW   0.002 /* a round that changes so few of all entries is the last */

enum { PURPOSE_TREES = 1, PURPOSE_DRAWN };

/* What one thread works with. */
typedef struct near_seat {
    unsigned *mark; /* p: == stamp: seen for the sample at hand */
    unsigned stamp;
    size_t *candidate;
    size_t count;
    double *scratch;
} seat;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- lists --------------------------------------------------------------------------------- */

/* The list of i that j may stand in, -1 for none. */
static int list_of(const int *label, size_t i, size_t j)
{
    if (!label || label[i] < 0)
        return 0;
    return label[j] < 0 ? -1 : label[i] != label[j];
}

hit *near_list(const near_lists *d, hit *lists, size_t i, int which)
{
    return lists + i * d->each + (which ? d->k[0] : 0);
}

static int has(const hit *list, size_t count, size_t index)
{
    for (size_t e = 0; e < count; e++)
        if (list[e].index == index)
            return 1;
    return 0;
}

/* d2 (count <= BLOCK) <- squared distances of sample i and others. */
static void measure(const near_lists *d, size_t i, size_t count, const size_t *which, double *d2,
                    double *scratch)
{
    const approximate_job *job = d->job;
    size_t size = job->m->size(job->n);
    block_dist2(d->kernels, job->m, job->n, job->F + i * size, count, job->F, size, which, d2,
                scratch);
}

/* The same among stand-ins; what is too far for a list may be more. */
static void measure_stand_ins(const near_lists *d, size_t i, size_t count, const size_t *which,
                              hit *lists, const size_t *counts, double *d2)
{
    const stand_ins *s = d->s;
    double limit[2];
    for (int list = 0; list < 2; list++) {
        size_t k = d->k[list];
        int full = k > 0 && counts[2 * i + (size_t)list] == k;
        limit[list] = full ? near_list(d, lists, i, list)[k - 1].d2 : INFINITY;
    }
    for (size_t c = 0; c < count; c++)
        d2[c] = stand_ins_dist2(s->d, s->V + i * s->d, s->V + which[c] * s->d,
                                limit[list_of(d->job->label, i, which[c]) > 0]);
}

/* Offers the candidates of the seat to the lists of sample i, which do not have them. */
static spd_status offer_all(near_lists *d, seat *t, size_t chunk, size_t i, hit *lists,
                            size_t *count)
{
    for (size_t done = 0; done < t->count; done += BLOCK) {
        size_t now = t->count - done < BLOCK ? t->count - done : BLOCK;
        const size_t *which = t->candidate + done;
        double d2[BLOCK];
        if (d->s)
            measure_stand_ins(d, i, now, which, lists, count, d2);
        else
            measure(d, i, now, which, d2, t->scratch);
        for (size_t c = 0; c < now; c++) {
            int list = list_of(d->job->label, i, which[c]);
            if (!isfinite(d2[c])) {
                d->bad[chunk][0] = i;
                d->bad[chunk][1] = which[c];
                return SPD_ENUMERIC;
            }
            d->changed[chunk] +=
                (size_t)hits_offer(near_list(d, lists, i, list), &count[2 * i + (size_t)list],
                                   d->k[list], (hit){d2[c], which[c], 1});
        }
    }
    d->measured[chunk] += d->s ? 0.0 : (double)t->count;
    return SPD_OK;
}

/* ---- first lists ----------------------------------------------------------------------------- */

/* Every sample of a leaf meets all others of it. */
static spd_status leaf_chunk(void *user, size_t chunk, int thread)
{
    near_lists *d = user;
    seat *t = &d->seats[thread];
    const size_t *member = d->l->order + d->l->first[chunk];
    size_t size = d->l->first[chunk + 1] - d->l->first[chunk];
    spd_status status = SPD_OK;
    for (size_t a = 0; a < size && status == SPD_OK; a++) {
        size_t i = member[a];
        t->count = 0;
        for (size_t b = 0; b < size; b++) {
            int list = list_of(d->job->label, i, member[b]);
            if (b == a || list < 0 ||
                has(near_list(d, d->now, i, list), d->count[2 * i + (size_t)list], member[b]))
                continue;
            t->candidate[t->count++] = member[b];
        }
        status = offer_all(d, t, chunk, i, d->now, d->count);
    }
    return status;
}

/* Some of other classes, drawn at random, since a leaf may have one class only. */
static spd_status drawn_chunk(void *user, size_t chunk, int thread)
{
    near_lists *d = user;
    seat *t = &d->seats[thread];
    const classes *c = d->c;
    size_t last = smaller((chunk + 1) * EACH, d->job->p);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        if (d->job->label[i] < 0)
            continue;
        rng r;
        rng_seed(&r, rng_key(d->job->seed, PURPOSE_DRAWN, i));
        size_t own = class_size(c, d->of[i]), begin = c->first[d->of[i]];
        t->count = 0;
        t->stamp++;
        for (size_t tries = 0; tries < 2 * d->k[1]; tries++) {
            size_t at = rng_below(&r, c->labelled - own), j = c->order[at < begin ? at : at + own];
            if (t->mark[j] == t->stamp)
                continue;
            t->mark[j] = t->stamp;
            t->candidate[t->count++] = j;
        }
        status = offer_all(d, t, chunk, i, d->now, d->count);
    }
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* d->back <- for each sample those in whose lists it stands, the nearest of them. */
static void turn_round(near_lists *d)
{
    memset(d->backs, 0, d->job->p * sizeof *d->backs);
    for (size_t i = 0; i < d->job->p; i++)
        for (int list = 0; list < 2; list++) {
            const hit *from = near_list(d, d->now, i, list);
            for (size_t e = 0; e < d->count[2 * i + (size_t)list]; e++)
                hits_offer(d->back + from[e].index * d->reach, &d->backs[from[e].index], d->reach,
                           (hit){from[e].d2, i, from[e].fresh});
        }
}

/* The nearest of a list become candidates of i, unless both ways to them were there before. */
static void take_from(const near_lists *d, seat *t, size_t i, const hit *list, size_t count,
                      int fresh)
{
    for (size_t e = 0; e < smaller(count, d->reach); e++) {
        size_t l = list[e].index;
        if (!(fresh || list[e].fresh) || t->mark[l] == t->stamp)
            continue;
        t->mark[l] = t->stamp;
        if (list_of(d->job->label, i, l) >= 0)
            t->candidate[t->count++] = l;
    }
}

/* All lists of the samples on one list of i. */
static void ask(const near_lists *d, seat *t, size_t i, const hit *list, size_t count)
{
    for (size_t e = 0; e < smaller(count, d->reach); e++) {
        size_t j = list[e].index;
        int fresh = list[e].fresh;
        take_from(d, t, i, near_list(d, d->now, j, 0), d->count[2 * j], fresh);
        take_from(d, t, i, near_list(d, d->now, j, 1), d->count[2 * j + 1], fresh);
        take_from(d, t, i, d->back + j * d->reach, d->backs[j], fresh);
    }
}

/* The lists of sample i for the next round, as they are, with nothing fresh. */
static void keep_lists(const near_lists *d, seat *t, size_t i)
{
    t->mark[i] = ++t->stamp;
    for (int list = 0; list < 2; list++) {
        size_t count = d->count_next[2 * i + (size_t)list] = d->count[2 * i + (size_t)list];
        const hit *from = near_list(d, d->now, i, list);
        hit *to = near_list(d, d->next, i, list);
        for (size_t e = 0; e < count; e++) {
            to[e] = (hit){from[e].d2, from[e].index, 0};
            t->mark[from[e].index] = t->stamp;
        }
    }
}

static spd_status round_chunk(void *user, size_t chunk, int thread)
{
    near_lists *d = user;
    seat *t = &d->seats[thread];
    size_t last = smaller((chunk + 1) * EACH, d->job->p);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        keep_lists(d, t, i);
        t->count = 0;
        ask(d, t, i, near_list(d, d->now, i, 0), d->count[2 * i]);
        ask(d, t, i, near_list(d, d->now, i, 1), d->count[2 * i + 1]);
        ask(d, t, i, d->back + i * d->reach, d->backs[i]);
        status = offer_all(d, t, chunk, i, d->next, d->count_next);
    }
    return status;
}

/* A loop over chunks of rows, each of which has lists of its own. */
typedef struct row_loop {
    parallel_body body;
    void *user;
    size_t rows, per; /* rows, and how many a chunk has */
    hit *hit;         /* rows x each: what it fills */
    size_t *count;    /* rows x 2 */
} row_loop;

/* A pair without a distance is named. */
static spd_status explain(spd_context *ctx, const near_lists *d, size_t chunk)
{
    const approximate_job *job = d->job;
    size_t i = d->bad[chunk][0], j = d->bad[chunk][1], n2 = job->n * job->n;
    return fault_pair(ctx, job->n, "X", i, job->X + i * n2, "X", j, job->X + j * n2);
}

static void reset(near_lists *d, size_t chunks)
{
    memset(d->changed, 0, chunks * sizeof *d->changed);
    memset(d->measured, 0, chunks * sizeof *d->measured);
}

/* Runs the loop; ranks deal out the chunks, and each gets the lists of all. */
static spd_status run_rows(spd_context *ctx, near_lists *d, const row_loop *l, const char *task)
{
    ranks *r = ranks_of(ctx);
    size_t failed = 0, chunks = (l->rows + l->per - 1) / l->per;
    reset(d, chunks);
    spd_status status =
        parallel_share(ctx, chunks, l->body, l->user, task, "samples", (double)l->rows, &failed);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, d, failed);
    status = ranks_settle(ctx, status);
    if (status < 0)
        return status;
    ranks_collect(r, l->rows, l->per, d->each * sizeof *l->hit, l->hit);
    ranks_collect(r, l->rows, l->per, 2 * sizeof *l->count, l->count);
    ranks_collect(r, chunks, 1, sizeof *d->changed, d->changed);
    ranks_collect(r, chunks, 1, sizeof *d->measured, d->measured);
    for (size_t chunk = 0; chunk < chunks; chunk++)
        d->total += d->measured[chunk];
    return SPD_OK;
}

/* Runs a loop whose chunks fill lists here and there: every rank does all of it. */
static spd_status run(spd_context *ctx, near_lists *d, size_t chunks, parallel_body body)
{
    size_t failed = 0;
    reset(d, chunks);
    spd_status status = parallel_for(ctx, chunks, body, d, NULL, NULL, 0.0, &failed);
    return status == SPD_ENUMERIC ? explain(ctx, d, failed) : status;
}

static size_t chunks_of(const near_lists *d)
{
    return (d->job->p + EACH - 1) / EACH;
}

static size_t changes(const near_lists *d)
{
    size_t sum = 0;
    for (size_t c = 0; c < chunks_of(d); c++)
        sum += d->changed[c];
    return sum;
}

spd_status near_lists_rounds(spd_context *ctx, near_lists *d, int rounds, const char *task)
{
    spd_status status = SPD_OK;
    for (int r = 0; r < rounds && status == SPD_OK; r++) {
        turn_round(d);
        status = run_rows(
            ctx, d, &(row_loop){round_chunk, d, d->job->p, EACH, d->next, d->count_next}, task);
        hit *lists = d->now;
        size_t *count = d->count;
        d->now = d->next;
        d->next = lists;
        d->count = d->count_next;
        d->count_next = count;
        if ((double)changes(d) <= FEW * (double)d->job->p * (double)d->each)
            break;
    }
    return status;
}

/* ---- from lists to lists -----------------------------------------------------------------------
 */

/* The lists of the stand-ins, measured truly. */
typedef struct handover {
    near_lists *from, *to;
} handover;

static spd_status handover_chunk(void *user, size_t chunk, int thread)
{
    const handover *h = user;
    near_lists *from = h->from, *to = h->to;
    seat *t = &to->seats[thread];
    size_t last = smaller((chunk + 1) * EACH, to->job->p);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        t->count = 0;
        for (int list = 0; list < 2; list++) {
            const hit *have = near_list(from, from->now, i, list);
            for (size_t e = 0; e < from->count[2 * i + (size_t)list]; e++)
                t->candidate[t->count++] = have[e].index;
        }
        status = offer_all(to, t, chunk, i, to->now, to->count);
    }
    return status;
}

spd_status near_lists_pass(spd_context *ctx, near_lists *from, near_lists *to)
{
    row_loop l = {handover_chunk, &(handover){from, to}, to->job->p, EACH, to->now, to->count};
    return run_rows(ctx, to, &l, "neighbours");
}

/* ---- all against some --------------------------------------------------------------------------
 */

/* Samples whose lists are found exactly, to fill them or to compare with. */
typedef struct exact_job {
    near_lists *d;
    const size_t *row;   /* samples */
    size_t others;       /* among which is looked */
    const size_t *other; /* which; NULL: all */
    hit *hit;            /* rows x each */
    size_t *count;       /* rows x 2 */
} exact_job;

static spd_status exact_chunk(void *user, size_t chunk, int thread)
{
    const exact_job *e = user;
    near_lists *d = e->d;
    seat *t = &d->seats[thread];
    size_t i = e->row[chunk], next = 0;
    hit *lists = e->hit + chunk * d->each;
    e->count[2 * chunk] = e->count[2 * chunk + 1] = 0;
    while (next < e->others) {
        double d2[BLOCK];
        size_t which[BLOCK], count = 0;
        for (; count < BLOCK && next < e->others; next++) {
            size_t j = e->other ? e->other[next] : next;
            if (j != i && list_of(d->job->label, i, j) >= 0)
                which[count++] = j;
        }
        measure(d, i, count, which, d2, t->scratch);
        for (size_t c = 0; c < count; c++) {
            int list = list_of(d->job->label, i, which[c]);
            if (!isfinite(d2[c])) {
                d->bad[chunk][0] = i;
                d->bad[chunk][1] = which[c];
                return SPD_ENUMERIC;
            }
            hits_offer(lists + (list ? d->k[0] : 0), &e->count[2 * chunk + (size_t)list],
                       d->k[list], (hit){d2[c], which[c], 0});
        }
        d->measured[chunk] += (double)count;
    }
    return SPD_OK;
}

spd_status near_lists_exact(spd_context *ctx, near_lists *d, size_t rows, const size_t *row,
                            size_t others, const size_t *other, hit *found, size_t *count)
{
    exact_job e = {d, row, others, other, found, count};
    return run_rows(ctx, d, &(row_loop){exact_chunk, &e, rows, 1, found, count}, "neighbours");
}

/* ---- life ---------------------------------------------------------------------------------- */

static size_t leaf_size(const near_lists *d)
{
    return d->each + 2 > LEAF ? d->each + 2 : LEAF;
}

spd_status near_lists_open(spd_context *ctx, arena *keep, near_lists *d)
{
    const approximate_job *job = d->job;
    size_t p = job->p, threads = (size_t)parallel_threads(ctx), room = 9 * d->reach * d->reach;
    d->kernels = kernels_get();
    d->each = d->k[0] + d->k[1];
    room = room > leaf_size(d) ? room : leaf_size(d);
    room = room > 2 * d->each ? room : 2 * d->each;
    d->chunks = chunks_of(d) + p / (leaf_size(d) / 2) + p + 2;
    d->now = arena_alloc(keep, p, d->each * sizeof *d->now);
    d->next = arena_alloc(keep, p, d->each * sizeof *d->next);
    d->count = arena_zero(keep, p, 2 * sizeof *d->count);
    d->count_next = arena_zero(keep, p, 2 * sizeof *d->count_next);
    d->back = arena_alloc(keep, p, d->reach * sizeof *d->back);
    d->backs = arena_alloc(keep, p, sizeof *d->backs);
    d->changed = arena_zero(keep, d->chunks, sizeof *d->changed);
    d->measured = arena_zero(keep, d->chunks, sizeof *d->measured);
    d->bad = arena_zero(keep, d->chunks, sizeof *d->bad);
    d->seats = arena_zero(keep, threads, sizeof *d->seats);
    for (size_t t = 0; d->seats && t < threads; t++)
        d->seats[t] =
            (seat){.mark = arena_zero(keep, p, sizeof(unsigned)),
                   .candidate = arena_alloc(keep, room, sizeof(size_t)),
                   .scratch = arena_alloc(keep, block_work(job->m, job->n), sizeof(double))};
    return arena_status(keep, ctx, "neighbours");
}

/* One tree of all, or one of every class. */
static spd_status grow(spd_context *ctx, near_lists *d, int by_class, uint64_t number, leaves *l,
                       double *work)
{
    const classes *c = d->c;
    rng r;
    rng_seed(&r, rng_key(d->job->seed, PURPOSE_TREES, number));
    l->count = 0;
    memcpy(l->order, c->order, d->job->p * sizeof *l->order);
    if (by_class)
        for (size_t k = 0; k < c->count; k++)
            leaves_cut(l, d->s, c->first[k], class_size(c, k), leaf_size(d), &r, work);
    else
        leaves_cut(l, d->s, 0, d->job->p, leaf_size(d), &r, work);
    d->l = l;
    return run(ctx, d, l->count, leaf_chunk);
}

spd_status near_lists_plant(spd_context *ctx, near_lists *d)
{
    arena room = {0};
    leaves l = {0};
    double *work = arena_alloc(&room, d->job->p, sizeof *work);
    spd_status status = work ? leaves_new(ctx, d->job->p, d->c->count, leaf_size(d), &room, &l)
                             : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK && d->c->count > 1)
        status = run(ctx, d, chunks_of(d), drawn_chunk);
    for (uint64_t t = 0; t < TREES && status == SPD_OK; t++) {
        status = grow(ctx, d, 0, 2 * t, &l, work);
        if (status == SPD_OK && d->c->count > 1)
            status = grow(ctx, d, 1, 2 * t + 1, &l, work);
    }
    arena_free(&room);
    return status;
}
