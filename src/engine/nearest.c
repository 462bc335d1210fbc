/* nearest.c - exact k nearest neighbours, most pairs discarded by lower bounds.
 *
 * Brute force measures each query against all samples. The pruned search bounds the distances of
 * a query from below, level after level, each costlier and tighter than the one before
 * (nearest_levels.h). After each level the most promising samples are measured exactly, and all
 * whose bound is above the k-th best distance are dropped; what survives the last level is
 * measured, in order of growing bound, until no bound is below the k-th best.
 *
 * Distances are computed by the same kernel in both ways, and bounds are deflated by a rounding
 * margin, so both give the same neighbours, bit for bit. Which levels pay is decided on a few
 * queries, by counting, not by the clock: the work done is the same on every machine. */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "engine/blas.h"
#include "engine/cuda_sets.h"
#include "engine/hits.h"
#include "engine/approximate.h"
#include "engine/nearest_approximate.h"
#include "engine/nearest_levels.h"
#include "engine/pairwise.h"
#include "engine/parallel.h"
#include "engine/fault.h"
#include "engine/rows.h"

#define BLOCK             (METRIC_OCTETS * LANES)
#define QUERIES_PER_CHUNK 16
#define CALIBRATION       16 /* most queries on which the levels are tried */
#define PLANS             (1u << MAX_LEVELS)

/* What one thread works with. */
typedef struct seat {
    double *bound;          /* p */
    size_t *candidate;      /* p */
    unsigned char *dropped; /* p: bit i: by level i */
    hit *best;              /* QUERIES_PER_CHUNK x k, ascending */
    double *scratch;
} seat;

typedef struct search {
    const kernels *k;
    const metric *m;
    size_t n, p, q, wanted;
    int within;
    const double *X, *queries; /* p x n x n and q x n x n; the same within one set */
    const double *F, *Q;       /* the same, prepared */
    levels *lv;
    unsigned plan;       /* bit i: level i is used; 0 is brute force */
    const size_t *order; /* queries in the order of work */
    size_t first, last;  /* range of order that is worked on now */
    seat *seats;
    double *exact; /* q: distances computed */
    int64_t *index;
    double *d2;
} search;

/* ---- the k best ------------------------------------------------------------------------------ */

static double kth_best(const hit *best, size_t count, size_t wanted)
{
    return count == wanted ? best[wanted - 1].d2 : INFINITY;
}

static void store(search *s, size_t query, const hit *best)
{
    for (size_t i = 0; i < s->wanted; i++) {
        s->index[query * s->wanted + i] = (int64_t)best[i].index;
        s->d2[query * s->wanted + i] = best[i].d2;
    }
}

/* ---- candidates -------------------------------------------------------------------------------
 */

static int comes_before(const double *bound, size_t a, size_t b)
{
    double x = bound[a], y = bound[b];
    return x < y || (a < b && x == y);
}

/* Moves the `count` of `total` candidates with the smallest bound[candidate] to the front, in no
 * order, ties to the lower number: quickselect, a few passes where sorting takes many. */
static void select_smallest(size_t *candidate, size_t total, size_t count, const double *bound)
{
    size_t low = 0, high = total;
    while (count > low && count < high && high - low > 1) {
        size_t pivot = candidate[low + (high - low - 1) / 2], i = low, j = high - 1;
        for (;;) {
            while (comes_before(bound, candidate[i], pivot))
                i++;
            while (comes_before(bound, pivot, candidate[j]))
                j--;
            if (i >= j)
                break;
            size_t t = candidate[i];
            candidate[i] = candidate[j];
            candidate[j] = t;
            i++;
            j--;
        }
        size_t middle = j + 1;
        if (count < middle)
            high = middle;
        else
            low = middle;
    }
}

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

/* Exact distances of `count` <= BLOCK candidates, offered to best. */
static spd_status measure(search *s, seat *t, size_t query, const size_t *candidate, size_t count,
                          hit *best, size_t *found)
{
    size_t size = s->m->size(s->n);
    double d2[BLOCK];
    block_dist2(s->k, s->m, s->n, s->Q + query * size, count, s->F, size, candidate, d2,
                t->scratch);
    for (size_t c = 0; c < count; c++) {
        if (!isfinite(d2[c]))
            return SPD_ENUMERIC;
        hits_offer(best, found, s->wanted, (hit){d2[c], candidate[c], 0});
    }
    s->exact[query] += (double)count;
    return SPD_OK;
}

/* ---- one query, pruned --------------------------------------------------------------------------
 */

/* All samples but the query itself, with no bound yet. */
static size_t all_candidates(const search *s, seat *t, size_t query)
{
    size_t total = 0;
    for (size_t i = 0; i < s->p; i++) {
        t->bound[i] = 0.0;
        if (!s->within || i != query)
            t->candidate[total++] = i;
    }
    return total;
}

/* Candidates before `from` are measured. Measures the `count` most promising of the others, in
 * blocks, and drops those beyond the k-th best. Returns how many candidates there still are. */
static size_t advance(search *s, seat *t, size_t query, size_t *from, size_t total, size_t count,
                      size_t *found, spd_status *status)
{
    if (count > total - *from)
        count = total - *from;
    select_smallest(t->candidate + *from, total - *from, count, t->bound);
    for (size_t done = 0; done < count && *status == SPD_OK; done += BLOCK) {
        size_t now = count - done < BLOCK ? count - done : BLOCK;
        *status = measure(s, t, query, t->candidate + *from + done, now, t->best, found);
    }
    *from += count;
    return drop_far(t->candidate, *from, total, t->bound, kth_best(t->best, *found, s->wanted));
}

static spd_status search_pruned(search *s, seat *t, size_t query)
{
    size_t found = 0, from = 0, total = all_candidates(s, t, query);
    size_t promising = (s->wanted + BLOCK - 1) / BLOCK * BLOCK;
    spd_status status = SPD_OK;
    for (size_t i = 0; i < levels_count(s->lv) && status == SPD_OK; i++) {
        if (!(s->plan >> i & 1u))
            continue;
        levels_bound(s->lv, s->k, i, query, total - from, t->candidate + from, t->bound,
                     t->scratch);
        total = advance(s, t, query, &from, total, promising, &found, &status);
        promising = BLOCK;
    }
    while (from < total && status == SPD_OK)
        total = advance(s, t, query, &from, total, BLOCK, &found, &status);
    if (status == SPD_OK)
        store(s, query, t->best);
    return status;
}

static spd_status pruned_chunk(void *user, size_t chunk, int thread)
{
    search *s = user;
    size_t at = s->first + chunk;
    return search_pruned(s, &s->seats[thread], s->order[at]);
}

/* ---- brute force ----------------------------------------------------------------------------- */

/* A handful of queries against all samples, a block of samples interleaved once for all. */
static spd_status brute_chunk(void *user, size_t chunk, int thread)
{
    search *s = user;
    seat *t = &s->seats[thread];
    size_t at = s->first + chunk * QUERIES_PER_CHUNK, size = s->m->size(s->n);
    size_t queries = s->last - at < QUERIES_PER_CHUNK ? s->last - at : QUERIES_PER_CHUNK;
    size_t found[QUERIES_PER_CHUNK] = {0};
    block_store block = block_split(s->m, s->n, t->scratch);
    for (size_t first = 0; first < s->p; first += BLOCK) {
        size_t count = s->p - first < BLOCK ? s->p - first : BLOCK;
        size_t octets =
            block_gather(s->k, size, count, s->F + first * size, size, NULL, block.octets);
        for (size_t a = 0; a < queries; a++) {
            size_t query = s->order[at + a];
            s->m->dist2(s->k, s->n, octets, s->Q + query * size, block.octets, block.d2,
                        block.rest);
            for (size_t c = 0; c < count; c++) {
                if (!isfinite(block.d2[c]))
                    return SPD_ENUMERIC;
                if (!s->within || first + c != query)
                    hits_offer(t->best + a * s->wanted, &found[a], s->wanted,
                               (hit){block.d2[c], first + c, 0});
            }
            int itself = s->within && query >= first && query < first + count;
            s->exact[query] += (double)count - itself;
        }
    }
    for (size_t a = 0; a < queries; a++)
        store(s, s->order[at + a], t->best + a * s->wanted);
    return SPD_OK;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* The first sample whose distance to a query is no number, p when there is none. */
static size_t first_bad(const search *s, size_t query)
{
    size_t size = s->m->size(s->n);
    for (size_t first = 0; first < s->p; first += BLOCK) {
        size_t count = s->p - first < BLOCK ? s->p - first : BLOCK;
        double d2[BLOCK];
        block_dist2(s->k, s->m, s->n, s->Q + query * size, count, s->F + first * size, size, NULL,
                    d2, s->seats[0].scratch);
        for (size_t c = 0; c < count; c++)
            if (!isfinite(d2[c]))
                return first + c;
    }
    return s->p;
}

/* Which pair failed, among `count` queries from `at` on: looks once more at them, with BLAS held to
 * one thread as before, so that one of them fails again. */
static spd_status explain(spd_context *ctx, const search *s, size_t at, size_t count)
{
    size_t last = s->last - at < count ? s->last : at + count;
    spd_private_blas_hold();
    size_t sample = first_bad(s, s->order[at]);
    while (sample == s->p && at + 1 < last)
        sample = first_bad(s, s->order[++at]);
    spd_private_blas_release();
    size_t n2 = s->n * s->n, query = s->order[at];
    return fault_pair(ctx, s->n, s->within ? "X" : "Q", query, s->queries + query * n2, "X", sample,
                      s->X + sample * n2);
}

/* Every rank has answered its share of the queries; now each gets the answers of all. */
static spd_status collect_answers(spd_context *ctx, search *s, size_t step)
{
    const size_t count = s->last - s->first, *which = s->order + s->first;
    spd_status status =
        rows_collect(ctx, count, step, which, s->wanted * sizeof *s->index, s->index);
    if (status == SPD_OK)
        status = rows_collect(ctx, count, step, which, s->wanted * sizeof *s->d2, s->d2);
    return status == SPD_OK ? rows_collect(ctx, count, step, which, sizeof *s->exact, s->exact)
                            : status;
}

/* Runs the queries order[first .. last-1] with the plan in s. */
static spd_status run(spd_context *ctx, search *s, size_t first, size_t last)
{
    size_t step = s->plan ? 1 : QUERIES_PER_CHUNK, failed = 0;
    s->first = first;
    s->last = last;
    spd_status status =
        parallel_share(ctx, (last - first + step - 1) / step, s->plan ? pruned_chunk : brute_chunk,
                       s, "neighbours", "queries", (double)(last - first), &failed);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, s, first + failed * step, step);
    status = ranks_settle(ctx, status);
    return status == SPD_OK ? collect_answers(ctx, s, step) : status;
}

/* share (PLANS) += for each pair of this query: bit i of the entry is set when level i alone
 * would have dropped it, given the final k-th best distance. */
static void tally(search *s, seat *t, size_t query, double *share)
{
    double limit = s->d2[(query + 1) * s->wanted - 1];
    unsigned char *dropped = t->dropped;
    size_t total = all_candidates(s, t, query);
    memset(dropped, 0, s->p);
    for (size_t i = 0; i < levels_count(s->lv); i++) {
        for (size_t c = 0; c < s->p; c++)
            t->bound[c] = 0.0;
        levels_bound(s->lv, s->k, i, query, total, t->candidate, t->bound, t->scratch);
        for (size_t c = 0; c < s->p; c++)
            dropped[c] |= (unsigned char)((t->bound[c] > limit) << i);
    }
    for (size_t c = 0; c < s->p; c++)
        share[dropped[c]] += 1.0 / (double)s->p;
}

/* Operations per pair of a plan: each level is paid for what the levels before it left. */
static double plan_cost(const search *s, unsigned plan, const double *share)
{
    double cost = 0.0, left = 0.0;
    for (size_t i = 0; i <= levels_count(s->lv); i++) {
        unsigned earlier = plan & ((1u << i) - 1u);
        left = 0.0;
        for (unsigned d = 0; d < PLANS; d++)
            left += d & earlier ? 0.0 : share[d];
        if (i < levels_count(s->lv) && plan >> i & 1u)
            cost += left * levels_cost(s->lv, i);
    }
    return cost + left * levels_exact_cost(s->m, s->n);
}

/* The cheapest plan, by what the calibration queries show; brute force unless that is clearly
 * dearer, since operation counts flatter the bounds. */
static unsigned choose_plan(search *s, size_t tried)
{
    double share[PLANS] = {0};
    unsigned best = 0;
    for (size_t i = 0; i < tried; i++)
        tally(s, &s->seats[0], s->order[i], share);
    for (unsigned d = 0; d < PLANS; d++)
        share[d] /= (double)tried;
    double least = 0.8 * plan_cost(s, 0, share);
    for (unsigned plan = 1; plan < 1u << levels_count(s->lv); plan++) {
        double cost = plan_cost(s, plan, share);
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

/* One query in sixteen, at least one and at most CALIBRATION; none without levels. */
static size_t calibration_size(const search *s)
{
    if (!s->lv)
        return 0;
    size_t tried = s->q / 16 + 1;
    return tried < CALIBRATION ? tried : CALIBRATION;
}

static spd_status search_all(spd_context *ctx, search *s, size_t *order)
{
    size_t tried = calibration_size(s);
    spd_status status = SPD_OK;
    order_queries(s->q, tried, order);
    s->order = order;
    if (tried) {
        s->plan = (1u << levels_count(s->lv)) - 1u;
        status = run(ctx, s, 0, tried);
        if (status == SPD_OK && tried < s->q)
            s->plan = choose_plan(s, tried);
    }
    if (status == SPD_OK && tried < s->q)
        status = run(ctx, s, tried, s->q);
    return status;
}

/* ---- the public function --------------------------------------------------------------------- */

static spd_status make_seats(spd_context *ctx, search *s, arena *room)
{
    size_t scratch = block_work(s->m, s->n), threads = (size_t)parallel_threads(ctx);
    if (s->lv && levels_work(s->lv) > scratch)
        scratch = levels_work(s->lv);
    s->seats = arena_alloc(room, threads, sizeof *s->seats);
    for (size_t t = 0; s->seats && t < threads; t++)
        s->seats[t] = (seat){.bound = arena_alloc(room, s->p, sizeof(double)),
                             .candidate = arena_alloc(room, s->p, sizeof(size_t)),
                             .dropped = arena_alloc(room, s->p, 1),
                             .best = arena_alloc(room, QUERIES_PER_CHUNK * s->wanted, sizeof(hit)),
                             .scratch = arena_alloc(room, scratch, sizeof(double))};
    return arena_status(room, ctx, "neighbours");
}

static spd_status nearest_check(spd_context *ctx, const search *s, const double *X,
                                const spd_neighbours *near)
{
    if (!s->m)
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (s->n == 0 || s->p == 0 || s->q == 0 || !X || !near->index || !near->d2)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has no neighbours");
    size_t others = s->within ? s->p - 1 : s->p;
    if (s->wanted == 0 || s->wanted > others)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu neighbours requested, but there are only %zu other "
                        "matrices",
                        s->wanted, others);
    if (!spd_search_name(near->search))
        return ctx_fail(ctx, SPD_EINVAL, "there is no search number %d", (int)near->search);
    return SPD_OK;
}

/* Copies results and counts out; only now are the caller's arrays touched. */
static void deliver(const search *s, spd_neighbours *near)
{
    memcpy(near->index, s->index, s->q * s->wanted * sizeof *near->index);
    memcpy(near->d2, s->d2, s->q * s->wanted * sizeof *near->d2);
    near->pairs = (double)s->q * (double)(s->p - (s->within ? 1 : 0));
    near->exact = 0.0;
    for (size_t i = 0; i < s->q; i++)
        near->exact += s->exact[i];
    near->pruned = 1.0 - near->exact / near->pairs;
    near->recall = 1.0;
    near->search = SPD_SEARCH_EXACT;
}

static int approximates(const spd_context *ctx, const search *s, const spd_neighbours *near)
{
    if ((ctx && ctx->place) || (!s->within && s->q <= APPROXIMATE_ESTIMATE))
        return 0; /* of few queries the estimate alone would take the exact search */
    return near->search == SPD_SEARCH_APPROXIMATE ||
           (near->search == SPD_SEARCH_AUTO && approximate_pays(s->m, s->n, s->p, s->q));
}

spd_status spd_nearest(spd_context *ctx, spd_metric metric_id, size_t n, size_t p, const double *X,
                       size_t q, const double *Q, spd_neighbours *neighbours)
{
    spd_neighbours near = SPD_INIT(spd_neighbours);
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_neighbours", sizeof near, &near, neighbours);
    if (status < 0)
        return status;
    const size_t k = near.k;
    search s = {.k = kernels_get(),
                .m = metric_get(metric_id),
                .n = n,
                .p = p,
                .q = Q ? q : p,
                .wanted = k,
                .within = !Q,
                .X = X,
                .queries = Q ? Q : X};
    arena room = {0};
    status = nearest_check(ctx, &s, X, &near);
    if (status < 0)
        return status;
    if (approximates(ctx, &s, &near)) {
        status = nearest_approximate(ctx, s.m, n, p, X, s.q, Q, &near);
        if (status == SPD_OK)
            sized_give(sizeof near, &near, neighbours);
        return status;
    }
    int done = 0;
    status = cuda_nearest(ctx, metric_id, n, p, X, s.q, Q, &near, &done);
    if (done)
        sized_give(sizeof near, &near, neighbours);
    if (status < 0 || done)
        return status;
    size_t *order = arena_alloc(&room, s.q, sizeof *order);
    s.exact = arena_zero(&room, s.q, sizeof *s.exact);
    s.index = arena_alloc(&room, s.q, k * sizeof *s.index);
    s.d2 = arena_alloc(&room, s.q, k * sizeof *s.d2);
    status = prepare_both(ctx, s.m, n, p, X, q, Q, "Q", &room, &s.F, &s.Q);
    level_input in = {s.m, n, p, s.q, X, Q ? Q : X, s.F, s.Q, &room};
    if (status == SPD_OK && !near.brute && levels_pay(&in))
        status = levels_new(ctx, &in, &s.lv);
    if (status == SPD_OK)
        status = make_seats(ctx, &s, &room);
    if (status == SPD_OK)
        status = search_all(ctx, &s, order);
    if (status == SPD_OK) {
        deliver(&s, &near);
        sized_give(sizeof near, &near, neighbours);
    }
    arena_free(&room);
    return status;
}
