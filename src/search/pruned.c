/* pruned.c - exact nearest neighbours, most pairs discarded by lower bounds.
 *
 * The distances of a query are bounded from below, level after level, each costlier and tighter
 * than the one before (bounds.h). After each level the most promising samples are measured exactly,
 * and all whose bound is above the k-th best distance are dropped; what survives the last level is
 * measured, in order of growing bound, until no bound is below the k-th best. A query with two
 * lists is searched for one after the other.
 *
 * Distances are computed by the same kernel as all of them are (tiles.c), and bounds are deflated
 * by a rounding margin, so both give the same neighbours, bit for bit. Which levels pay is decided
 * on a few queries, by counting, not by the clock: the work done is the same on every machine. */
#include <math.h>
#include <string.h>

#include "base/ranks.h"
#include "ops/pairwise.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "search/bounds.h"

#define CALIBRATION 16 /* most queries on which the levels are tried */
#define PLANS       (1u << MAX_LEVELS)

/* What one thread works with. */
typedef struct workspace {
    double *bound;          /* p */
    size_t *candidate;      /* p */
    unsigned char *dropped; /* p: bit i: by level i */
    double *scratch;
} workspace;

typedef struct pruned {
    const search *s;
    bounds *b;                /* NULL: all distances are computed */
    unsigned plan[MAX_LISTS]; /* of each list; bit i: level i is used; 0: all distances */
    size_t *order;            /* q: queries in the order of work */
    size_t first;             /* of them that is worked on now */
    workspace *work;
    neighbour *list; /* q x each: in the order of work */
    size_t *count;   /* q x 2 */
    double *exact;   /* q: distances computed */
} pruned;

/* A list of a query that is looked for now. */
typedef struct target {
    size_t query, wanted;
    int which;
    neighbour *list;
    size_t *count;
    double *exact;
} target;

static target target_at(const pruned *x, size_t at, int which)
{
    const search *s = x->s;
    size_t query = x->order[at], skip = which ? s->job->k[0] : 0;
    return (target){query,
                    search_wanted(s->job, query, which),
                    which,
                    x->list + at * s->each + skip,
                    x->count + MAX_LISTS * at + which,
                    x->exact + at};
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Drops candidates from `from` on whose bound is above the limit; returns how many are left. */
static size_t drop_far(size_t *candidate, size_t from, size_t total, const double *bound,
                       double limit)
{
    size_t kept = from;
    for (size_t i = from; i < total; i++)
        if (!(bound[candidate[i]] > limit))
            candidate[kept++] = candidate[i];
    return kept;
}

/* Exact distances of `count` <= SEARCH_BLOCK candidates, offered to the list. */
static spd_status measure(const search *s, workspace *w, const target *t, const size_t *candidate,
                          size_t count)
{
    double d2[SEARCH_BLOCK];
    block_dist2(s->kernels, s->metric, s->n, s->G + t->query * s->size, count, s->F, s->size,
                candidate, d2, w->scratch);
    for (size_t c = 0; c < count; c++) {
        if (!isfinite(d2[c]))
            return SPD_ENUMERIC;
        list_offer(t->list, t->count, t->wanted, (neighbour){d2[c], candidate[c], 0});
    }
    *t->exact += (double)count;
    return SPD_OK;
}

/* All samples that the list admits, with no bound yet. */
static size_t all_candidates(const search *s, workspace *w, const target *t)
{
    const int *label = s->job->label;
    size_t total = 0;
    for (size_t i = 0; i < s->p; i++) {
        w->bound[i] = 0.0;
        if ((!s->within || i != t->query) && list_for(label, t->query, i) == t->which)
            w->candidate[total++] = i;
    }
    return total;
}

/* Candidates before `from` are measured. Measures the `count` most promising of the others, in
 * blocks, and drops those beyond the k-th best. Returns how many candidates there still are. */
static size_t advance(const search *s, workspace *w, const target *t, size_t *from, size_t total,
                      size_t count, spd_status *status)
{
    if (count > total - *from)
        count = total - *from;
    select_smallest(w->candidate + *from, total - *from, count, w->bound);
    for (size_t done = 0; done < count && *status == SPD_OK; done += SEARCH_BLOCK) {
        size_t now = count - done < SEARCH_BLOCK ? count - done : SEARCH_BLOCK;
        *status = measure(s, w, t, w->candidate + *from + done, now);
    }
    *from += count;
    return drop_far(w->candidate, *from, total, w->bound,
                    list_limit(t->list, *t->count, t->wanted));
}

/* The list by levels, or, if the plan has none, by all distances. */
static spd_status find_list(const pruned *x, workspace *w, const target *t)
{
    const search *s = x->s;
    unsigned plan = x->plan[t->which];
    size_t from = 0, total = all_candidates(s, w, t), block = SEARCH_BLOCK;
    size_t promising = (t->wanted + block - 1) / block * block;
    spd_status status = SPD_OK;
    for (size_t i = 0; i < bounds_levels(x->b) && status == SPD_OK; i++) {
        if (!(plan >> i & 1u))
            continue;
        bounds_raise(x->b, s->kernels, i, t->query, total - from, w->candidate + from, w->bound,
                     w->scratch);
        total = advance(s, w, t, &from, total, promising, &status);
        promising = block;
    }
    while (from < total && status == SPD_OK)
        total = advance(s, w, t, &from, total, plan ? block : total, &status);
    return status;
}

static spd_status query_chunk(void *user, size_t chunk, int thread)
{
    const pruned *x = user;
    spd_status status = SPD_OK;
    for (int which = 0; which < MAX_LISTS && status == SPD_OK; which++) {
        target t = target_at(x, x->first + chunk, which);
        if (t.wanted > 0)
            status = find_list(x, &x->work[thread], &t);
    }
    return status;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Names a pair of the query without a distance: see explain in tiles.c. */
static spd_status explain(spd_context *ctx, const pruned *x, size_t at)
{
    const search *s = x->s;
    size_t query = x->order[at], sample = 0;
    spd_private_blas_hold();
    for (; sample + 1 < s->p; sample++) {
        double d2;
        block_dist2(s->kernels, s->metric, s->n, s->G + query * s->size, 1, s->F + sample * s->size,
                    s->size, NULL, &d2, x->work[0].scratch);
        if (!isfinite(d2))
            break;
    }
    spd_private_blas_release();
    return search_fault(ctx, s, query, sample);
}

/* Every rank has answered its share of the queries; now each gets the answers of all. */
static void collect(spd_context *ctx, const pruned *x, size_t first, size_t count)
{
    ranks *r = ranks_of(ctx);
    size_t each = x->s->each;
    ranks_collect(r, count, 1, each * sizeof *x->list, x->list + first * each);
    ranks_collect(r, count, 1, MAX_LISTS * sizeof *x->count, x->count + MAX_LISTS * first);
    ranks_collect(r, count, 1, sizeof *x->exact, x->exact + first);
}

/* Runs the queries order[first .. last-1] with the plan in x. */
static spd_status run(spd_context *ctx, pruned *x, size_t first, size_t last)
{
    const search *s = x->s;
    size_t failed = 0, count = last - first;
    if (!x->plan[0] && !x->plan[1]) {
        for (size_t at = first; at < last; at++)
            x->exact[at] = (double)(s->p - (s->within ? 1 : 0));
        return tiles_run(ctx, s, (subset){count, x->order + first}, x->list + first * s->each,
                         x->count + MAX_LISTS * first);
    }
    x->first = first;
    spd_status status =
        parallel_split(ctx, count, query_chunk, x, "neighbours", "queries", (double)count, &failed);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, x, first + failed);
    status = ranks_settle(ctx, status);
    if (status == SPD_OK)
        collect(ctx, x, first, count);
    return status;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* share (PLANS) += for each sample that the list admits: bit i of the entry is set when level i
 * alone would have dropped it, given the final k-th best distance. */
static void tally(const pruned *x, const target *t, double *share)
{
    const search *s = x->s;
    workspace *w = &x->work[0];
    double limit = list_limit(t->list, *t->count, t->wanted);
    size_t total = all_candidates(s, w, t);
    memset(w->dropped, 0, s->p);
    for (size_t i = 0; i < bounds_levels(x->b); i++) {
        for (size_t c = 0; c < s->p; c++)
            w->bound[c] = 0.0;
        bounds_raise(x->b, s->kernels, i, t->query, total, w->candidate, w->bound, w->scratch);
        for (size_t c = 0; c < s->p; c++)
            w->dropped[c] |= (unsigned char)((w->bound[c] > limit) << i);
    }
    for (size_t c = 0; c < total; c++)
        share[w->dropped[w->candidate[c]]] += 1.0;
}

/* Operations of a plan: each level is paid for what the levels before it left. */
static double plan_cost(const pruned *x, unsigned plan, const double *share)
{
    double cost = 0.0, left = 0.0;
    for (size_t i = 0; i <= bounds_levels(x->b); i++) {
        unsigned earlier = plan & ((1u << i) - 1u);
        left = 0.0;
        for (unsigned d = 0; d < PLANS; d++)
            left += d & earlier ? 0.0 : share[d];
        if (i < bounds_levels(x->b) && plan >> i & 1u)
            cost += left * bounds_cost(x->b, i);
    }
    return cost + left * bounds_exact_cost(x->s->metric, x->s->n);
}

/* The cheapest plan for a list, by what the calibration queries show; all distances unless that is
 * clearly dearer, since operation counts flatter the bounds. */
static unsigned choose_plan(const pruned *x, size_t tried, int which)
{
    double share[PLANS] = {0};
    unsigned best = 0;
    for (size_t at = 0; at < tried; at++) {
        target t = target_at(x, at, which);
        tally(x, &t, share);
    }
    double least = 0.8 * plan_cost(x, 0, share);
    for (unsigned plan = 1; plan < 1u << bounds_levels(x->b); plan++) {
        double cost = plan_cost(x, plan, share);
        if (cost < least) {
            least = cost;
            best = plan;
        }
    }
    return best;
}

/* The queries for calibration, evenly spaced, then all others. */
static void order_queries(size_t q, size_t spaced, size_t *order)
{
    size_t at = 0, next = 0, rest = spaced;
    for (size_t i = 0; i < q; i++) {
        if (at < spaced && i == next) {
            order[at++] = i;
            next = at * q / spaced;
        } else {
            order[rest++] = i;
        }
    }
}

static spd_status search_all(spd_context *ctx, pruned *x)
{
    size_t q = x->s->q, tried = q / 16 + 1 < CALIBRATION ? q / 16 + 1 : CALIBRATION;
    spd_status status = SPD_OK;
    if (!x->b)
        tried = 0;
    order_queries(q, tried, x->order);
    if (tried) {
        x->plan[0] = x->plan[1] = (1u << bounds_levels(x->b)) - 1u;
        status = run(ctx, x, 0, tried);
        for (int which = 0; which < MAX_LISTS && status == SPD_OK && tried < q; which++)
            x->plan[which] = choose_plan(x, tried, which);
    }
    if (status == SPD_OK && tried < q)
        status = run(ctx, x, tried, q);
    return status;
}

/* ---- outside --------------------------------------------------------------------------------- */

static spd_status make_room(spd_context *ctx, pruned *x, arena *room)
{
    const search *s = x->s;
    size_t scratch = block_work(s->metric, s->n), threads = (size_t)parallel_threads(ctx);
    if (x->b && bounds_work(x->b) > scratch)
        scratch = bounds_work(x->b);
    x->order = arena_alloc(room, s->q, sizeof *x->order);
    x->exact = arena_zero(room, s->q, sizeof *x->exact);
    x->work = arena_alloc(room, threads, sizeof *x->work);
    for (size_t t = 0; x->work && t < threads; t++)
        x->work[t] = (workspace){.bound = arena_alloc(room, s->p, sizeof(double)),
                                 .candidate = arena_alloc(room, s->p, sizeof(size_t)),
                                 .dropped = arena_alloc(room, s->p, 1),
                                 .scratch = arena_alloc(room, scratch, sizeof(double))};
    spd_status status = arena_status(room, ctx, "neighbours");
    return status == SPD_OK ? search_lists(ctx, s, s->q, room, &x->list, &x->count) : status;
}

/* The answers in the order of the queries. */
static void put_in_order(const pruned *x, search_result *found)
{
    size_t each = x->s->each;

    for (size_t at = 0; at < x->s->q; at++) {
        size_t query = x->order[at];
        memcpy(found->list + query * each, x->list + at * each, each * sizeof *found->list);
        memcpy(found->count + MAX_LISTS * query, x->count + MAX_LISTS * at,
               MAX_LISTS * sizeof *found->count);
        found->exact += x->exact[at];
    }
}

spd_status pruned_run(spd_context *ctx, const search *s, search_result *found)
{
    arena room = {0};
    pruned x = {.s = s};
    spd_status status = SPD_OK;
    if (!s->job->brute && bounds_pay(s))
        status = bounds_new(ctx, s, &room, &x.b);
    if (status == SPD_OK)
        status = make_room(ctx, &x, &room);
    if (status == SPD_OK)
        status = search_all(ctx, &x);
    if (status == SPD_OK)
        put_in_order(&x, found);
    arena_free(&room);
    return status;
}
