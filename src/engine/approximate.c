/* approximate.c - see approximate.h. */
#include "engine/approximate.h"

#include <math.h>
#include <string.h>

#include "base/classes.h"
#include "base/rng.h"
#include "engine/fault.h"
#include "engine/nearest_levels.h"
#include "engine/pairwise.h"
#include "engine/parallel.h"
#include "engine/trees.h"

#define BLOCK       (METRIC_OCTETS * LANES)
#define EACH        32    /* samples of a chunk */
#define TREES       6     /* of all, and as many of each class */
#define LEAF        48    /* samples, at most, unless more are wanted */
#define ROUNDS      8     /* at most, among stand-ins */
#define TRUE_ROUNDS 4     /* and among matrices */
#define REACH       16    /* the nearest of a list that are asked for theirs, among stand-ins */
#define TRUE_REACH  6     /* and among matrices */
#define MORE        12    /* entries, beside twice as many as wanted, of lists of stand-ins */
#define FEW         0.002 /* a round that changes so few of all entries is the last */
#define ESTIMATE    200   /* samples that the recall is estimated on */
#define OPERATIONS  1e12  /* of the exact search: about a minute */

enum { PURPOSE_TREES = 1, PURPOSE_DRAWN, PURPOSE_ESTIMATE };

/* How samples are measured: by stand-ins, or, with d 0, by the metric. */
typedef struct yardstick {
    const kernels *k;
    const approximate_job *job;
    const stand_ins *s;
} yardstick;

/* What one thread works with. */
typedef struct seat {
    unsigned *mark; /* p: == stamp: seen for the sample at hand */
    unsigned stamp;
    size_t *candidate; /* room */
    size_t count, room;
    double *scratch;
} seat;

typedef struct descent {
    const approximate_job *job;
    yardstick y;
    size_t k[2], each, reach, back_room;
    hit *now, *next;            /* p x each */
    size_t *count, *count_next; /* p x 2 */
    hit *back;                  /* p x back_room: those in whose lists a sample is, nearest first */
    size_t *backs;              /* p */
    seat *seats;
    const leaves *l; /* of the tree at hand */
    const classes *c;
    size_t *of;       /* p: number of the class in c; of no use without a label */
    size_t *changed;  /* chunks */
    double *measured; /* chunks */
    size_t (*bad)[2]; /* chunks: a pair without a distance */
} descent;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- lists ------------------------------------------------------------------------------------
 */

/* The list of i that j may stand in, -1 for none. */
static int list_of(const int *label, size_t i, size_t j)
{
    if (!label || label[i] < 0)
        return 0;
    return label[j] < 0 ? -1 : label[i] != label[j];
}

static hit *list_at(const descent *d, hit *lists, size_t i, int which)
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
static void measure(const yardstick *y, size_t i, size_t count, const size_t *which, double *d2,
                    double *scratch)
{
    const approximate_job *job = y->job;
    if (y->s) {
        size_t d = y->s->d;
        for (size_t c = 0; c < count; c++)
            d2[c] = stand_ins_dist2(d, y->s->V + i * d, y->s->V + which[c] * d);
    } else {
        size_t size = job->m->size(job->n);
        block_dist2(y->k, job->m, job->n, job->F + i * size, count, job->F, size, which, d2,
                    scratch);
    }
}

/* Offers the candidates of the seat to the lists of sample i, which do not have them. */
static spd_status offer_all(descent *d, seat *t, size_t chunk, size_t i, hit *lists, size_t *count)
{
    for (size_t done = 0; done < t->count; done += BLOCK) {
        size_t now = t->count - done < BLOCK ? t->count - done : BLOCK;
        const size_t *which = t->candidate + done;
        double d2[BLOCK];
        measure(&d->y, i, now, which, d2, t->scratch);
        for (size_t c = 0; c < now; c++) {
            int list = list_of(d->job->label, i, which[c]);
            if (!isfinite(d2[c])) {
                d->bad[chunk][0] = i;
                d->bad[chunk][1] = which[c];
                return SPD_ENUMERIC;
            }
            d->changed[chunk] +=
                (size_t)hits_offer(list_at(d, lists, i, list), &count[2 * i + (size_t)list],
                                   d->k[list], (hit){d2[c], which[c], 1});
        }
    }
    d->measured[chunk] += d->y.s ? 0.0 : (double)t->count;
    return SPD_OK;
}

/* ---- first lists ------------------------------------------------------------------------------
 */

/* Every sample of a leaf meets all others of it. */
static spd_status leaf_chunk(void *user, size_t chunk, int thread)
{
    descent *d = user;
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
                has(list_at(d, d->now, i, list), d->count[2 * i + (size_t)list], member[b]))
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
    descent *d = user;
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

/* ---- rounds -----------------------------------------------------------------------------------
 */

/* d->back <- for each sample those in whose lists it stands, the nearest of them. */
static void turn_round(descent *d)
{
    memset(d->backs, 0, d->job->p * sizeof *d->backs);
    for (size_t i = 0; i < d->job->p; i++)
        for (int list = 0; list < 2; list++) {
            const hit *from = list_at(d, d->now, i, list);
            for (size_t e = 0; e < d->count[2 * i + (size_t)list]; e++)
                hits_offer(d->back + from[e].index * d->back_room, &d->backs[from[e].index],
                           d->back_room, (hit){from[e].d2, i, from[e].fresh});
        }
}

/* The nearest of a list become candidates of i, unless both ways to them were there before. */
static void take_from(const descent *d, seat *t, size_t i, const hit *list, size_t count, int fresh)
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
static void ask(const descent *d, seat *t, size_t i, const hit *list, size_t count)
{
    for (size_t e = 0; e < smaller(count, d->reach); e++) {
        size_t j = list[e].index;
        int fresh = list[e].fresh;
        take_from(d, t, i, list_at(d, d->now, j, 0), d->count[2 * j], fresh);
        take_from(d, t, i, list_at(d, d->now, j, 1), d->count[2 * j + 1], fresh);
        take_from(d, t, i, d->back + j * d->back_room, d->backs[j], fresh);
    }
}

/* The lists of sample i for the next round, as they are, with nothing fresh. */
static void keep_lists(const descent *d, seat *t, size_t i)
{
    t->mark[i] = ++t->stamp;
    for (int list = 0; list < 2; list++) {
        size_t count = d->count_next[2 * i + (size_t)list] = d->count[2 * i + (size_t)list];
        const hit *from = list_at(d, d->now, i, list);
        hit *to = list_at(d, d->next, i, list);
        for (size_t e = 0; e < count; e++) {
            to[e] = (hit){from[e].d2, from[e].index, 0};
            t->mark[from[e].index] = t->stamp;
        }
    }
}

static spd_status round_chunk(void *user, size_t chunk, int thread)
{
    descent *d = user;
    seat *t = &d->seats[thread];
    size_t last = smaller((chunk + 1) * EACH, d->job->p);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        keep_lists(d, t, i);
        t->count = 0;
        ask(d, t, i, list_at(d, d->now, i, 0), d->count[2 * i]);
        ask(d, t, i, list_at(d, d->now, i, 1), d->count[2 * i + 1]);
        ask(d, t, i, d->back + i * d->back_room, d->backs[i]);
        status = offer_all(d, t, chunk, i, d->next, d->count_next);
    }
    return status;
}

/* Runs a loop over chunks; a pair without a distance is named. */
static spd_status run(spd_context *ctx, descent *d, size_t chunks, parallel_body body, void *user,
                      const char *task)
{
    const approximate_job *job = d->job;
    size_t failed = 0, n2 = job->n * job->n;
    memset(d->changed, 0, chunks * sizeof *d->changed);
    spd_status status =
        parallel_for(ctx, chunks, body, user, task, "samples", (double)job->p, &failed);
    if (status != SPD_ENUMERIC)
        return status;
    size_t i = d->bad[failed][0], j = d->bad[failed][1];
    return fault_pair(ctx, job->n, "X", i, job->X + i * n2, "X", j, job->X + j * n2);
}

static size_t chunks_of(const descent *d)
{
    return (d->job->p + EACH - 1) / EACH;
}

static size_t changes(const descent *d)
{
    size_t sum = 0;
    for (size_t c = 0; c < chunks_of(d); c++)
        sum += d->changed[c];
    return sum;
}

static spd_status run_rounds(spd_context *ctx, descent *d, int rounds, const char *task)
{
    spd_status status = SPD_OK;
    for (int r = 0; r < rounds && status == SPD_OK; r++) {
        turn_round(d);
        status = run(ctx, d, chunks_of(d), round_chunk, d, task);
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

/* ---- the two stages ---------------------------------------------------------------------------
 */

static size_t leaf_size(const descent *d)
{
    return d->each + 2 > LEAF ? d->each + 2 : LEAF;
}

static size_t chunk_room(const descent *d)
{
    return chunks_of(d) + d->job->p / (leaf_size(d) / 2) + d->job->p + 2;
}

static spd_status descent_open(spd_context *ctx, const approximate_job *job, const size_t k[2],
                               const stand_ins *s, size_t reach, arena *keep, descent *d)
{
    *d = (descent){.job = job, .y = {kernels_get(), job, s}, .k = {k[0], k[1]}, .reach = reach};
    d->each = k[0] + k[1];
    d->back_room = reach;
    size_t p = job->p, threads = (size_t)parallel_threads(ctx), room = 9 * reach * reach;
    room = room > leaf_size(d) ? room : leaf_size(d);
    room = room > 4 * d->each + 64 ? room : 4 * d->each + 64;
    d->now = arena_alloc(keep, p, d->each * sizeof *d->now);
    d->next = arena_alloc(keep, p, d->each * sizeof *d->next);
    d->count = arena_zero(keep, p, 2 * sizeof *d->count);
    d->count_next = arena_zero(keep, p, 2 * sizeof *d->count_next);
    d->back = arena_alloc(keep, p, d->back_room * sizeof *d->back);
    d->backs = arena_alloc(keep, p, sizeof *d->backs);
    d->changed = arena_zero(keep, chunk_room(d), sizeof *d->changed);
    d->measured = arena_zero(keep, chunk_room(d), sizeof *d->measured);
    d->bad = arena_zero(keep, chunk_room(d), sizeof *d->bad);
    d->seats = arena_zero(keep, threads, sizeof *d->seats);
    for (size_t t = 0; d->seats && t < threads; t++)
        d->seats[t] =
            (seat){.mark = arena_zero(keep, p, sizeof(unsigned)),
                   .candidate = arena_alloc(keep, room, sizeof(size_t)),
                   .room = room,
                   .scratch = arena_alloc(keep, block_work(job->m, job->n), sizeof(double))};
    return arena_status(keep, ctx, "neighbours");
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

/* One tree of all, or one of every class. */
static spd_status grow(spd_context *ctx, descent *d, int by_class, uint64_t number, leaves *l,
                       double *work)
{
    const classes *c = d->c;
    rng r;
    rng_seed(&r, rng_key(d->job->seed, PURPOSE_TREES, number));
    l->count = 0;
    memcpy(l->order, c->order, d->job->p * sizeof *l->order);
    if (by_class)
        for (size_t k = 0; k < c->count; k++)
            leaves_cut(l, d->y.s, c->first[k], class_size(c, k), leaf_size(d), &r, work);
    else
        leaves_cut(l, d->y.s, 0, d->job->p, leaf_size(d), &r, work);
    d->l = l;
    return run(ctx, d, l->count, leaf_chunk, d, NULL);
}

static spd_status first_lists(spd_context *ctx, descent *d)
{
    arena room = {0};
    leaves l = {0};
    double *work = arena_alloc(&room, d->job->p, sizeof *work);
    spd_status status = work ? leaves_new(ctx, d->job->p, d->c->count, leaf_size(d), &room, &l)
                             : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK && d->c->count > 1)
        status = run(ctx, d, chunks_of(d), drawn_chunk, d, NULL);
    for (uint64_t t = 0; t < TREES && status == SPD_OK; t++) {
        status = grow(ctx, d, 0, 2 * t, &l, work);
        if (status == SPD_OK && d->c->count > 1)
            status = grow(ctx, d, 1, 2 * t + 1, &l, work);
    }
    arena_free(&room);
    return status;
}

/* The lists of the stand-ins, measured truly. */
typedef struct handover {
    descent *from, *to;
} handover;

static spd_status handover_chunk(void *user, size_t chunk, int thread)
{
    const handover *h = user;
    descent *from = h->from, *to = h->to;
    seat *t = &to->seats[thread];
    size_t last = smaller((chunk + 1) * EACH, to->job->p);
    spd_status status = SPD_OK;
    for (size_t i = chunk * EACH; i < last && status == SPD_OK; i++) {
        t->count = 0;
        for (int list = 0; list < 2; list++) {
            const hit *have = list_at(from, from->now, i, list);
            for (size_t e = 0; e < from->count[2 * i + (size_t)list]; e++)
                t->candidate[t->count++] = have[e].index;
        }
        status = offer_all(to, t, chunk, i, to->now, to->count);
    }
    return status;
}

/* to->now <- the lists, found among stand-ins, of so many more that the true ones are likely to be
 * among them. */
static spd_status stage_of_stand_ins(spd_context *ctx, const approximate_job *job, const classes *c,
                                     size_t *of, descent *to)
{
    arena room = {0};
    stand_ins s = {0};
    descent d;
    const size_t k[2] = {job->k[0] ? 2 * job->k[0] + MORE : 0,
                         job->k[1] ? 2 * job->k[1] + MORE : 0};
    spd_status status = stand_ins_make(ctx, job->m, job->n, job->p, job->X, job->F, &room, &s);
    if (status == SPD_OK)
        status = descent_open(ctx, job, k, &s, REACH, &room, &d);
    if (status == SPD_OK) {
        d.c = c;
        d.of = of;
        status = first_lists(ctx, &d);
    }
    if (status == SPD_OK)
        status = run_rounds(ctx, &d, ROUNDS, "candidates");
    if (status == SPD_OK)
        status = run(ctx, to, chunks_of(to), handover_chunk, &(handover){&d, to}, "neighbours");
    arena_free(&room);
    return status;
}

/* ---- all against some -------------------------------------------------------------------------
 */

/* Samples whose lists are found exactly, to fill them or to compare with. */
typedef struct exact_job {
    descent *d;
    size_t *row;   /* samples */
    hit *hit;      /* rows x each */
    size_t *count; /* rows x 2 */
} exact_job;

static spd_status exact_chunk(void *user, size_t chunk, int thread)
{
    const exact_job *e = user;
    descent *d = e->d;
    seat *t = &d->seats[thread];
    size_t i = e->row[chunk], p = d->job->p;
    hit *lists = e->hit + chunk * d->each;
    e->count[2 * chunk] = e->count[2 * chunk + 1] = 0;
    for (size_t first = 0; first < p;) {
        double d2[BLOCK];
        size_t which[BLOCK], count = 0;
        for (; count < BLOCK && first < p; first++)
            if (first != i && list_of(d->job->label, i, first) >= 0)
                which[count++] = first;
        measure(&d->y, i, count, which, d2, t->scratch);
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

static spd_status exactly(spd_context *ctx, descent *d, size_t rows, size_t *row, arena *keep,
                          exact_job *e)
{
    *e = (exact_job){d, row, arena_alloc(keep, rows, d->each * sizeof *e->hit),
                     arena_alloc(keep, rows, 2 * sizeof *e->count)};
    if (!e->hit || !e->count)
        return ctx_nomem(ctx, "neighbours");
    return run(ctx, d, rows, exact_chunk, e, "neighbours");
}

/* How many list `which` of sample i could have. */
static size_t there_are(const descent *d, size_t i, int which)
{
    size_t p = d->job->p, own = class_size(d->c, d->of[i]);
    if (!d->job->label || d->job->label[i] < 0)
        return which ? 0 : p - 1;
    return which ? d->c->labelled - own : own - 1;
}

/* Lists that are too short, which hardly ever happens, are found exactly. */
static spd_status fill(spd_context *ctx, descent *d)
{
    arena room = {0};
    exact_job e;
    size_t rows = 0, *row = arena_alloc(&room, d->job->p, sizeof *row);
    for (size_t i = 0; row && i < d->job->p; i++)
        if (d->count[2 * i] < smaller(d->k[0], there_are(d, i, 0)) ||
            d->count[2 * i + 1] < smaller(d->k[1], there_are(d, i, 1)))
            row[rows++] = i;
    spd_status status = row ? SPD_OK : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK && rows > 0)
        status = exactly(ctx, d, rows, row, &room, &e);
    for (size_t a = 0; status == SPD_OK && a < rows; a++) {
        memcpy(d->now + row[a] * d->each, e.hit + a * d->each, d->each * sizeof *e.hit);
        memcpy(d->count + 2 * row[a], e.count + 2 * a, 2 * sizeof *e.count);
    }
    arena_free(&room);
    return status;
}

/* Of the true neighbours in one list those that were found; a tie counts. */
static size_t agreeing(const hit *found, size_t count, const hit *exact, size_t wanted)
{
    size_t same = 0;
    while (same < count && same < wanted && found[same].d2 <= exact[wanted - 1].d2)
        same++;
    return same;
}

/* *recall <- the share of true neighbours that was found, of samples drawn at random. */
static spd_status estimate(spd_context *ctx, descent *d, double *recall)
{
    arena room = {0};
    exact_job e;
    size_t p = d->job->p, rows = smaller(ESTIMATE, p), same = 0, all = 0;
    size_t *row = arena_alloc(&room, p, sizeof *row);
    spd_status status = row ? SPD_OK : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK) {
        rng r;
        rng_seed(&r, rng_key(d->job->seed, PURPOSE_ESTIMATE, 0));
        for (size_t i = 0; i < p; i++)
            row[i] = i;
        for (size_t i = 0; i < rows; i++) {
            size_t j = i + rng_below(&r, p - i), other = row[j];
            row[j] = row[i];
            row[i] = other;
        }
        status = exactly(ctx, d, rows, row, &room, &e);
    }
    for (size_t a = 0; status == SPD_OK && a < rows; a++)
        for (int list = 0; list < 2; list++) {
            size_t wanted = e.count[2 * a + (size_t)list];
            all += wanted;
            same += agreeing(list_at(d, d->now, row[a], list), d->count[2 * row[a] + (size_t)list],
                             e.hit + a * d->each + (list ? d->k[0] : 0), wanted);
        }
    *recall = all ? (double)same / (double)all : 1.0;
    arena_free(&room);
    return status;
}

/* ---- outside ----------------------------------------------------------------------------------
 */

spd_status approximate_run(spd_context *ctx, const approximate_job *job, arena *keep,
                           approximate_lists *found)
{
    descent d;
    classes c = {0};
    size_t *of;
    spd_status status = sort_classes(ctx, job, keep, &c, &of);
    if (status == SPD_OK)
        status = descent_open(ctx, job, job->k, NULL, TRUE_REACH, keep, &d);
    if (status < 0)
        return status;
    d.c = &c;
    d.of = of;
    status = stage_of_stand_ins(ctx, job, &c, of, &d);
    if (status == SPD_OK)
        status = run_rounds(ctx, &d, TRUE_ROUNDS, "neighbours");
    if (status == SPD_OK)
        status = fill(ctx, &d);
    *found = (approximate_lists){.p = job->p, .k = {job->k[0], job->k[1]}};
    if (status == SPD_OK)
        status = estimate(ctx, &d, &found->recall);
    found->hit = d.now;
    found->count = d.count;
    for (size_t k = 0; k < chunk_room(&d); k++)
        found->measured += d.measured[k];
    return status;
}

int approximate_pays(const metric *m, size_t n, size_t p, size_t q)
{
    return (double)p * (double)q * levels_exact_cost(m, n) > OPERATIONS;
}
