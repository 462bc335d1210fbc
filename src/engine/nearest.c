/* nearest.c - exact k nearest neighbours, most pairs discarded by lower bounds.
 *
 * Brute force measures each query against all samples. The pruned search first bounds every pair
 * from below by a distance between small compressed matrices (math.md, eq. 9), in two levels:
 *
 *   level 1   Stein at about n/8 (times 8 for AIRM), all samples
 *   level 2   the metric itself at about n/3, for what level 1 leaves
 *   exact     for what level 2 leaves, most promising first, until no bound is below the k-th
 *             best distance
 *
 * Distances are computed by the same kernel in both ways, and bounds are deflated by a rounding
 * margin, so both give the same neighbours, bit for bit. Which levels pay is decided on a few
 * queries, by counting, not by the clock: the work done is the same on every machine. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/nearest_levels.h"
#include "engine/pairwise.h"
#include "engine/parallel.h"

#define BLOCK (METRIC_GROUPS * LANES)
#define QUERIES_PER_CHUNK 16
#define CALIBRATION 16 /* queries on which the levels are tried */

typedef struct hit {
    double d2;
    size_t index;
} hit;

/* What one thread works with. */
typedef struct seat {
    double *bound;      /* p */
    size_t *candidate;  /* p */
    hit *best;          /* QUERIES_PER_CHUNK x k, ascending */
    double *scratch;
} seat;

typedef struct search {
    const kernels *k;
    const metric *m;
    size_t n, p, q, wanted;
    int within;
    const double *F, *Q; /* prepared samples and queries */
    levels *lv;
    int use1, use2;
    const size_t *order; /* queries in the order of work */
    size_t first, last;  /* range of order that is worked on now */
    seat *seats;
    double *exact, *kept1, *kept2; /* per query: distances computed, pairs left by each level */
    int64_t *index;
    double *d2;
} search;

/* ---- the k best ------------------------------------------------------------------------------ */

static int before(hit a, hit b)
{
    return a.d2 < b.d2 || (a.d2 == b.d2 && a.index < b.index);
}

/* Keeps the `wanted` best of what is offered, ascending; ties by lower index. */
static void offer(hit *best, size_t *count, size_t wanted, hit h)
{
    if (*count == wanted && !before(h, best[wanted - 1]))
        return;
    size_t at = *count < wanted ? (*count)++ : wanted - 1;
    for (; at > 0 && before(h, best[at - 1]); at--)
        best[at] = best[at - 1];
    best[at] = h;
}

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

/* ---- candidates ------------------------------------------------------------------------------- */

static int candidate_before(const double *bound, size_t a, size_t b)
{
    return bound[a] < bound[b] || (bound[a] == bound[b] && a < b);
}

/* Moves the `count` candidates of smallest bound to the front, in no order (quickselect). */
static void select_smallest(size_t *candidate, size_t total, size_t count, const double *bound)
{
    size_t low = 0, high = total;
    while (count > low && count < high && high - low > 1) {
        size_t pivot = candidate[low + (high - low - 1) / 2], i = low, j = high - 1;
        for (;;) {
            while (candidate_before(bound, candidate[i], pivot))
                i++;
            while (candidate_before(bound, pivot, candidate[j]))
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
    const double *G[BLOCK];
    double d2[BLOCK];
    for (size_t c = 0; c < count; c++)
        G[c] = s->F + candidate[c] * size;
    block_dist2(s->k, s->m, s->n, s->Q + query * size, count, G, d2, t->scratch);
    for (size_t c = 0; c < count; c++) {
        if (isnan(d2[c]))
            return SPD_ENUMERIC;
        offer(best, found, s->wanted, (hit){d2[c], candidate[c]});
    }
    s->exact[query] += (double)count;
    return SPD_OK;
}

/* ---- one query, pruned -------------------------------------------------------------------------- */

/* Bounds of the first level that is in use; fills t->bound and the list of candidates. */
static size_t first_bounds(search *s, seat *t, size_t query)
{
    if (s->use1)
        levels_scan(s->lv, s->k, query, t->bound, t->scratch);
    else
        for (size_t i = 0; i < s->p; i++)
            t->bound[i] = 0.0;
    size_t total = 0;
    for (size_t i = 0; i < s->p; i++)
        if (!s->within || i != query)
            t->candidate[total++] = i;
    return total;
}

/* Measures the most promising candidates first, so that the others meet a tight limit. */
static spd_status seed(search *s, seat *t, size_t query, size_t total, hit *best, size_t *found,
                       size_t *seeds)
{
    *seeds = (s->wanted + BLOCK - 1) / BLOCK * BLOCK;
    if (*seeds > total)
        *seeds = total;
    select_smallest(t->candidate, total, *seeds, t->bound);
    for (size_t at = 0; at < *seeds; at += BLOCK) {
        size_t count = *seeds - at < BLOCK ? *seeds - at : BLOCK;
        spd_status status = measure(s, t, query, t->candidate + at, count, best, found);
        if (status < 0)
            return status;
    }
    return SPD_OK;
}

/* Exact distances for the rest, in blocks of growing bound, until no bound is below the limit. */
static spd_status finish(search *s, seat *t, size_t query, size_t from, size_t total, hit *best,
                         size_t *found)
{
    while (from < total) {
        size_t count = total - from < BLOCK ? total - from : BLOCK;
        select_smallest(t->candidate + from, total - from, count, t->bound);
        spd_status status = measure(s, t, query, t->candidate + from, count, best, found);
        if (status < 0)
            return status;
        from += count;
        total = drop_far(t->candidate, from, total, t->bound, kth_best(best, *found, s->wanted));
    }
    return SPD_OK;
}

static spd_status search_pruned(search *s, seat *t, size_t query)
{
    hit *best = t->best;
    size_t found = 0, seeds, total = first_bounds(s, t, query);
    spd_status status = seed(s, t, query, total, best, &found, &seeds);
    if (status < 0)
        return status;
    double limit = kth_best(best, found, s->wanted);
    total = drop_far(t->candidate, seeds, total, t->bound, limit);
    s->kept1[query] = (double)total;
    if (s->use2) {
        levels_refine(s->lv, s->k, query, total - seeds, t->candidate + seeds, t->bound,
                      t->scratch);
        total = drop_far(t->candidate, seeds, total, t->bound, limit);
    }
    s->kept2[query] = (double)total;
    status = finish(s, t, query, seeds, total, best, &found);
    if (status == SPD_OK)
        store(s, query, best);
    return status;
}

static spd_status pruned_chunk(void *user, size_t chunk, int thread)
{
    search *s = user;
    size_t at = s->first + chunk;
    return search_pruned(s, &s->seats[thread], s->order[at]);
}

/* ---- brute force ---------------------------------------------------------------------------------- */

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
        const double *G[BLOCK];
        for (size_t c = 0; c < count; c++)
            G[c] = s->F + (first + c) * size;
        size_t groups = block_interleave(s->k, size, count, G, block.groups);
        for (size_t a = 0; a < queries; a++) {
            size_t query = s->order[at + a];
            s->m->dist2(s->k, s->n, groups, s->Q + query * size, block.groups, block.d2, block.rest);
            for (size_t c = 0; c < count; c++) {
                if (isnan(block.d2[c]))
                    return SPD_ENUMERIC;
                if (!s->within || first + c != query)
                    offer(t->best + a * s->wanted, &found[a], s->wanted,
                          (hit){block.d2[c], first + c});
            }
            s->exact[query] += (double)count;
        }
    }
    for (size_t a = 0; a < queries; a++)
        store(s, s->order[at + a], t->best + a * s->wanted);
    return SPD_OK;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

/* Runs the queries order[first .. last-1] with the plan in s. */
static spd_status run(spd_context *ctx, search *s, size_t first, size_t last)
{
    s->first = first;
    s->last = last;
    if (s->use1 || s->use2)
        return parallel_for(ctx, last - first, pruned_chunk, s, "neighbours", "queries",
                            (double)(last - first), NULL);
    size_t chunks = (last - first + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK;
    return parallel_for(ctx, chunks, brute_chunk, s, "neighbours", "queries",
                        (double)(last - first), NULL);
}

/* From the shares that each level left on the calibration queries, keeps the levels whose cost is
 * earned back. Costs are operation counts per pair. */
static void choose_plan(search *s, size_t tried)
{
    double kept1 = 0.0, kept2 = 0.0, pairs = (double)tried * (double)s->p;
    for (size_t i = 0; i < tried; i++) {
        kept1 += s->kept1[s->order[i]] / pairs;
        kept2 += s->kept2[s->order[i]] / pairs;
    }
    double exact = levels_cost(s->m, s->n), one = levels_cost1(s->lv), two = levels_cost2(s->lv);
    double both = one + kept1 * two + kept2 * exact, first = one + kept1 * exact;
    s->use2 = both < first;
    s->use1 = fmin(both, first) < exact;
    s->use2 = s->use1 && s->use2;
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

static spd_status search_all(spd_context *ctx, search *s)
{
    size_t tried = s->lv ? (s->q < CALIBRATION ? s->q : CALIBRATION) : 0;
    spd_status status = SPD_OK;
    order_queries(s->q, tried, (size_t *)s->order);
    if (tried) {
        s->use1 = s->use2 = 1;
        status = run(ctx, s, 0, tried);
        choose_plan(s, tried);
    }
    if (status == SPD_OK && tried < s->q)
        status = run(ctx, s, tried, s->q);
    if (status == SPD_ENUMERIC)
        ctx_fail(ctx, status, "a distance could not be computed: a pair of matrices is too "
                              "ill-conditioned; regularise the data");
    return status;
}

/* ---- the public function ---------------------------------------------------------------------------- */

static void seats_free(seat *seats, size_t threads)
{
    for (size_t t = 0; seats && t < threads; t++) {
        mem_free(seats[t].bound);
        mem_free(seats[t].candidate);
        mem_free(seats[t].best);
        mem_free(seats[t].scratch);
    }
    mem_free(seats);
}

static seat *seats_new(const search *s, size_t threads)
{
    size_t scratch = block_work(s->m, s->n);
    if (s->lv && levels_work(s->lv) > scratch)
        scratch = levels_work(s->lv);
    seat *seats = mem_zero(threads, sizeof *seats);
    int good = seats != NULL;
    for (size_t t = 0; good && t < threads; t++) {
        seats[t].bound = mem_alloc(s->p, sizeof(double));
        seats[t].candidate = mem_alloc(s->p, sizeof(size_t));
        seats[t].best = mem_alloc(QUERIES_PER_CHUNK * s->wanted, sizeof(hit));
        seats[t].scratch = mem_alloc(scratch, sizeof(double));
        good = seats[t].bound && seats[t].candidate && seats[t].best && seats[t].scratch;
    }
    if (good)
        return seats;
    seats_free(seats, threads);
    return NULL;
}

static spd_status nearest_check(spd_context *ctx, const search *s, const double *X,
                                const int64_t *index, const double *d2)
{
    if (!s->m)
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (s->n == 0 || s->p == 0 || s->q == 0 || !X || !index || !d2)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has no neighbours");
    size_t others = s->within ? s->p - 1 : s->p;
    if (s->wanted == 0 || s->wanted > others)
        return ctx_fail(ctx, SPD_EINVAL, "%zu neighbours wanted, but there are %zu other matrices",
                        s->wanted, others);
    return SPD_OK;
}

/* Copies results and counts out; only now are the caller's arrays touched. */
static void deliver(const search *s, int64_t *index, double *d2, spd_nearest_info *info)
{
    memcpy(index, s->index, s->q * s->wanted * sizeof *index);
    memcpy(d2, s->d2, s->q * s->wanted * sizeof *d2);
    if (!info)
        return;
    info->pairs = (double)s->q * (double)(s->p - (s->within ? 1 : 0));
    info->exact = 0.0;
    for (size_t i = 0; i < s->q; i++)
        info->exact += s->exact[i];
    info->exact = fmin(info->exact, info->pairs);
    info->pruned = 1.0 - info->exact / info->pairs;
}

spd_status spd_nearest(spd_context *ctx, spd_metric metric_id, size_t n, size_t p, const double *X,
                       size_t q, const double *Q, size_t k, int brute, int64_t *index, double *d2,
                       spd_nearest_info *info)
{
    search s = {.k = kernels_get(), .m = metric_get(metric_id), .n = n, .p = p,
                .q = Q ? q : p, .wanted = k, .within = !Q};
    size_t threads = (size_t)parallel_threads(ctx);
    double *F = NULL, *G = NULL, *counts = NULL;
    size_t *order = NULL;
    ctx_clear(ctx);
    spd_status status = nearest_check(ctx, &s, X, index, d2);
    if (status < 0)
        return status;
    F = mem_alloc(p, s.m->size(n) * sizeof *F);
    G = Q ? mem_alloc(q, s.m->size(n) * sizeof *G) : F;
    counts = mem_zero(s.q, 3 * sizeof *counts);
    order = mem_alloc(s.q, sizeof *order);
    s.index = mem_alloc(s.q, k * sizeof *s.index);
    s.d2 = mem_alloc(s.q, k * sizeof *s.d2);
    if (!F || !G || !counts || !order || !s.index || !s.d2) {
        status = ctx_nomem(ctx, "neighbours");
        goto done;
    }
    s.F = F;
    s.Q = G;
    s.order = order;
    s.exact = counts;
    s.kept1 = counts + s.q;
    s.kept2 = counts + 2 * s.q;
    status = prepare_set(ctx, s.m, n, p, X, "X", F);
    if (status == SPD_OK && Q)
        status = prepare_set(ctx, s.m, n, q, Q, "Q", G);
    if (status == SPD_OK && !brute && levels_pay(s.m, n, p, s.q))
        status = levels_new(ctx, s.m, n, p, X, q, Q, &s.lv);
    if (status < 0)
        goto done;
    s.seats = seats_new(&s, threads);
    status = s.seats ? search_all(ctx, &s) : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK)
        deliver(&s, index, d2, info);
done:
    seats_free(s.seats, threads);
    levels_free(s.lv);
    mem_free(s.index);
    mem_free(s.d2);
    mem_free(order);
    mem_free(counts);
    if (Q)
        mem_free(G);
    mem_free(F);
    return status;
}
