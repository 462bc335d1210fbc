/* pair_sums.c - sums over the graph, in parallel and in a fixed order. */
#include "fit/pair_sums.h"

#include <math.h>
#include <string.h>

#include "fit/candidates.h"
#include "fit/pair_exchange.h"
#include "fit/pair_tiles.h"
#include "run/parallel.h"
#include "geometry/spdfun.h"

#define BUFFER_BYTES ((size_t)4 << 20)

struct pair_sums {
    spd_context *ctx;
    const kernels *k;
    const pair_rule *rule;
    size_t m, own, all; /* samples of this rank; with ghosts */
    pair_order order;
    pair_plan plan; /* the pairs with weight matrices */
    pair_exchange exchange;
    candidates *from;  /* softmax: what weighs those pairs; else NULL */
    int tiled;         /* all pairs of the set, each once, under Stein: */
    pair_tiles *tiles; /* in place of stages; else NULL */
    double *d2;        /* order.measured, where there are no candidates */
    double *part;      /* own chunks x 2: sums of f */
    double total;      /* of all |c|, for the difference */
    double *L;         /* all x TRI, or NULL; logarithms for rules that want them */
    double *logdet;    /* all, or NULL */
    double *V;         /* with logarithms, all x m m: eigenvectors of S; else NULL */
    double *lambda;    /* all x m: eigenvalues of S */
    double *buffer;    /* weight matrices of a stage */
    double *work;      /* threads x work_size */
    const double *S;   /* of the call in progress */
    double *Z;
    size_t now; /* stage in progress */
};

static size_t work_size(size_t m)
{
    size_t sample = (2 * TRI(m) + 1) * LANES, pairs = pairs_work(m);
    size_t there = spdfun_spectrum_work(m), back = spdfun_derivative_work(m);
    size_t log = TRI(m) * LANES + (there > back ? there : back);
    sample = sample > log ? sample : log;
    return sample > pairs ? sample : pairs;
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* Pairs of a stage of a process alone: their matrices fill the buffer. */
static size_t stage_pairs(size_t m, int sides)
{
    size_t fit = BUFFER_BYTES / (TRI(m) * sizeof(double) * (size_t)sides);
    return fit < PAIR_BATCH ? PAIR_BATCH : fit;
}

static void allocate(pair_sums *s, arena *keep)
{
    size_t tri = TRI(s->m), threads = (size_t)parallel_threads(s->ctx);
    pair_plan_open(&s->plan, &s->order, s->rule->sides, keep);
    pair_exchange_open(&s->exchange, &s->plan, tri, keep);
    s->d2 = arena_alloc(keep, s->order.measured, sizeof *s->d2);
    s->part = arena_alloc(keep, s->order.cut.owned, 2 * sizeof *s->part);
    if (!s->rule->plain) {
        s->L = arena_alloc(keep, s->all, tri * sizeof *s->L);
        s->logdet = arena_alloc(keep, s->all, sizeof *s->logdet);
    }
    if (s->tiled)
        s->tiles = pair_tiles_new(s->ctx, s->m, &s->order, keep);
    else
        s->buffer = arena_alloc(keep, s->plan.rows, tri * sizeof *s->buffer);
    s->work = arena_alloc(keep, threads, work_size(s->m) * sizeof *s->work);
    if (s->rule->logarithms) {
        size_t octets = (s->all + LANES - 1) / LANES, row = s->m * LANES * sizeof(double);
        s->V = arena_alloc(keep, octets, s->m * row);
        s->lambda = arena_alloc(keep, octets, row);
    }
}

/* sum (2) <- of x over the pairs measured here and elsewhere, within and between apart: chunk by
 * chunk, then along the tree. */
static void sum_by_kind(const pair_sums *s, const double *x, double *sum)
{
    const pair_order *o = &s->order;
    memset(s->part, 0, 2 * o->cut.owned * sizeof *s->part);
    for (size_t slot = 0; slot < o->measured; slot++) {
        double c = o->pairs[slot].c;
        s->part[2 * o->chunk[slot] + (c < 0.0)] += fabs(c) * (x ? x[slot] : 1.0);
    }
    ranks_sum(o->cut.ranks, o->cut.chunks, 2, s->part, sum);
}

int pair_sums_tiled(spd_metric metric, spd_objective wanted, size_t m, size_t samples, size_t count,
                    const spd_pair *pairs)
{
    return metric == SPD_METRIC_STEIN && objective_of_samples(wanted) &&
           pair_tiles_serve(m, samples, count, pairs);
}

spd_status pair_sums_new(spd_context *ctx, spd_metric metric, spd_objective wanted, size_t m,
                         const split *cut, size_t count, const spd_pair *pairs, arena *keep,
                         pair_sums **sums)
{
    pair_sums *s = arena_zero(keep, 1, sizeof *s);
    double both[2];
    if (!s)
        return ctx_nomem(ctx, "pairs");
    s->ctx = ctx;
    s->k = kernels_get();
    s->rule = pair_rule_get(metric);
    s->m = m;
    s->tiled = pair_sums_tiled(metric, wanted, m, cut->all, count, pairs);
    spd_status status = pair_order_make(ctx, cut, count, pairs, !objective_of_samples(wanted),
                                        s->tiled, stage_pairs(m, s->rule->sides), keep, &s->order);
    if (status < 0)
        return status;
    s->own = s->order.own;
    s->all = s->own + s->order.ghosts;
    allocate(s, keep);
    status = arena_status(keep, ctx, "pairs");
    if (status < 0)
        return status;
    *sums = s;
    pair_plan_begin(&s->plan);
    if (objective_of_samples(wanted))
        return candidates_new(ctx, &s->order, keep, &s->from);
    pair_plan_make(&s->plan, NULL);
    sum_by_kind(s, NULL, both);
    s->total = both[0] + both[1];
    return SPD_OK;
}

size_t pair_sums_room(const pair_sums *sums)
{
    return sums->all;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* How many of eight samples from `first` on there are, of so many. */
static size_t lanes_of(size_t samples, size_t first)
{
    size_t left = samples > first ? samples - first : 0;
    return left < LANES ? left : LANES;
}

/* Weights that belong to the sample itself: - degree S_i^-1 for rules that want it, else zero. */
static void begin_weights(const pair_sums *s, size_t first, const double *inverse)
{
    size_t tri = TRI(s->m), lanes = lanes_of(s->own, first);
    double *target[LANES], scale[LANES];
    memset(s->Z + first * tri, 0, lanes * tri * sizeof *s->Z);
    for (size_t l = 0; l < lanes; l++) {
        target[l] = s->Z + (first + l) * tri;
        scale[l] = s->plan.degree[s->own + first + l] - s->plan.degree[first + l];
    }
    if (inverse && lanes)
        s->k->scatter(tri, lanes, inverse, scale, target);
}

/* The same from factors A (TRI x 8), which are overwritten; B is scratch of that size. */
static void begin_octet(const pair_sums *s, size_t first, double *A, double *B)
{
    if (s->rule->sample_inverse) {
        s->k->tri_inverse(s->m, A, B);
        s->k->tri_gram(s->m, B, A);
    }
    begin_weights(s, first, s->rule->sample_inverse ? A : NULL);
}

/* Eight samples: factor, log-determinant, and their own part of the weights, unless the pairs are
 * yet to be chosen. */
static spd_status sample_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = lanes_of(s->all, first);
    double *A = s->work + (size_t)thread * work_size(s->m), *B = A + tri * LANES;
    double *logdet = B + tri * LANES;
    const double *in[LANES];
    double *out[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = s->S + (first + l) * tri;
        out[l] = s->L + (first + l) * tri;
    }
    s->k->gather(tri, lanes, in, A);
    if (s->k->chol(s->m, A, logdet) & ((1u << lanes) - 1u))
        return SPD_ENOTSPD;
    s->k->split(tri, lanes, A, out);
    memcpy(s->logdet + first, logdet, lanes * sizeof *logdet);
    if (!s->from && first < s->own)
        begin_octet(s, first, A, B);
    return SPD_OK;
}

/* Eight samples' own part of the weights, from the factors found before. */
static spd_status begin_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = lanes_of(s->own, first);
    double *A = s->work + (size_t)thread * work_size(s->m);
    const double *in[LANES];
    if (!s->rule->sample_inverse) {
        begin_weights(s, first, NULL);
        return SPD_OK;
    }
    for (size_t l = 0; l < lanes; l++)
        in[l] = s->L + (first + l) * tri;
    s->k->gather(tri, lanes, in, A);
    begin_octet(s, first, A, A + tri * LANES);
    return SPD_OK;
}

/* Eight samples: logarithm, eigenvalues and eigenvectors. */
static spd_status log_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), row = s->m * LANES, first = octet * LANES;
    size_t lanes = lanes_of(s->all, first);
    double *A = s->work + (size_t)thread * work_size(s->m);
    const double *in[LANES];
    double *out[LANES];
    unsigned bad;
    for (size_t l = 0; l < lanes; l++) {
        in[l] = s->S + (first + l) * tri;
        out[l] = s->L + (first + l) * tri;
    }
    s->k->gather(tri, lanes, in, A);
    spdfun_spectrum(s->k, SPD_FUNCTION_LOG, 0.0, s->m, 1, A, s->lambda + octet * row,
                    s->V + octet * s->m * row, &bad, A + tri * LANES);
    if (bad & ((1u << lanes) - 1u))
        return SPD_ENOTSPD;
    s->k->split(tri, lanes, A, out);
    if (!s->from)
        begin_weights(s, first, NULL);
    return SPD_OK;
}

/* Z <- D log[Z] of eight samples: from weights of the logarithms to weights of the samples. */
static spd_status pull_back_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), row = s->m * LANES, first = octet * LANES;
    size_t lanes = lanes_of(s->own, first);
    double *G = s->work + (size_t)thread * work_size(s->m), *Z[LANES];
    const double *in[LANES];
    for (size_t l = 0; l < lanes; l++)
        in[l] = Z[l] = s->Z + (first + l) * tri;
    s->k->gather(tri, lanes, in, G);
    spdfun_derivative(s->k, SPD_FUNCTION_LOG, 0.0, s->m, s->lambda + octet * row,
                      s->V + octet * s->m * row, G, G + tri * LANES);
    s->k->split(tri, lanes, G, Z);
    return SPD_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static spd_status batch_chunk(void *user, size_t batch, int thread)
{
    pair_sums *s = user;
    const plan_stage *b = &s->plan.stage[s->now];
    size_t at = batch * PAIR_BATCH, left = b->count - at;
    size_t count = left < PAIR_BATCH ? left : PAIR_BATCH;
    pair_samples samples = {s->S, s->L, s->logdet};
    s->rule->batch(s->k, s->m, count, s->plan.pairs + b->first + at, &samples,
                   s->d2 + b->first + at, s->buffer + at * (size_t)s->rule->sides * TRI(s->m),
                   s->work + (size_t)thread * work_size(s->m));
    return SPD_OK;
}

static spd_status term_chunk(void *user, size_t chunk, int thread)
{
    pair_sums *s = user;
    const plan_stage *b = &s->plan.stage[s->now];
    size_t tri = TRI(s->m);
    (void)thread;
    for (size_t i = s->plan.chunk[b->chunk + chunk]; i < s->plan.chunk[b->chunk + chunk + 1]; i++) {
        const pair_term *t = &s->plan.terms[i];
        s->k->axpy(tri, pair_plan_weight(&s->plan, t->slot), s->buffer + t->row * tri,
                   s->Z + t->sample * tri);
    }
    return SPD_OK;
}

/* ---- the sum -------------------------------------------------------------------------------- */

/* cost: operations in all, roughly; for few of them threads are not woken. */
static spd_status loop(pair_sums *s, size_t chunks, double cost, parallel_body body)
{
    spd_status status = SPD_OK;
    if (cost > 2e5)
        return parallel_for(s->ctx, chunks, body, s, NULL, NULL, 0.0, NULL);
    for (size_t chunk = 0; chunk < chunks && status == SPD_OK; chunk++)
        status = body(s, chunk, 0);
    return status;
}

static spd_status sum_pairs(pair_sums *s)
{
    spd_status status = SPD_OK;
    double cube = (double)(s->m * s->m * s->m);
    size_t tri = TRI(s->m);
    for (s->now = 0; s->now < s->order.stages && status == SPD_OK; s->now++) {
        const plan_stage *b = &s->plan.stage[s->now];
        status =
            loop(s, (b->count + PAIR_BATCH - 1) / PAIR_BATCH, (double)b->count * cube, batch_chunk);
        if (status == SPD_OK)
            pair_exchange_rows(&s->exchange, &s->plan, s->now, s->buffer);
        if (status == SPD_OK)
            status = loop(s, b[1].chunk - b->chunk, (double)(b[1].term - b->term) * (double)tri,
                          term_chunk);
    }
    return status;
}

/* From the samples to what pairs are measured by; SPD_ENOTSPD where there is none, on any rank. */
static spd_status prepare_samples(pair_sums *s)
{
    size_t octets = (s->all + LANES - 1) / LANES, packed = TRI(s->m);
    double cube = (double)(s->m * s->m * s->m);
    if (s->rule->plain)
        return s->from ? SPD_OK : loop(s, octets, (double)(s->own * packed), begin_chunk);
    spd_status status = s->rule->logarithms
                            ? loop(s, octets, 9.0 * (double)s->all * cube, log_chunk)
                            : loop(s, octets, (double)s->all * cube / 2.0, sample_chunk);
    if (status < 0 && status != SPD_ENOTSPD)
        return status;
    return ranks_any(s->order.cut.ranks, status == SPD_ENOTSPD) ? SPD_ENOTSPD : SPD_OK;
}

/* Weights of the logarithms become weights of the samples. */
static spd_status pull_back(pair_sums *s)
{
    double cube = (double)(s->m * s->m * s->m);
    if (!s->rule->logarithms)
        return SPD_OK;
    return loop(s, (s->own + LANES - 1) / LANES, 8.0 * (double)s->own * cube, pull_back_chunk);
}

/* ---- the difference ------------------------------------------------------------------------- */

static spd_status difference_of(pair_sums *s, double *f)
{
    double sum[2];
    spd_status status = sum_pairs(s);
    if (status < 0)
        return status;
    sum_by_kind(s, s->d2, sum);
    if (sum[0] + sum[1] <= s->rule->no_spread * s->total * (double)s->m) {
        /* equal matrices: what is left is rounding, and its gradient would lead nowhere */
        sum[0] = sum[1] = 0.0;
        memset(s->Z, 0, s->own * TRI(s->m) * sizeof *s->Z);
    }
    *f = sum[0] - sum[1];
    return pull_back(s);
}

/* ---- softmax -------------------------------------------------------------------------------- */

static spd_status measure_chunk(void *user, size_t batch, int thread)
{
    pair_sums *s = user;
    size_t at = batch * PAIR_BATCH, left = s->order.measured - at;
    size_t count = left < PAIR_BATCH ? left : PAIR_BATCH;
    pair_samples samples = {s->S, s->L, s->logdet};
    s->rule->batch(s->k, s->m, count, s->order.pairs + at, &samples, candidates_d2(s->from) + at,
                   NULL, s->work + (size_t)thread * work_size(s->m));
    return SPD_OK;
}

/* The sum of the samples' values, chunk by chunk, then along the tree. */
static double sum_values(const pair_sums *s, const double *value)
{
    const split *cut = &s->order.cut;
    double sum = 0.0;
    memset(s->part, 0, cut->owned * sizeof *s->part);
    for (size_t i = 0; i < s->own; i++)
        s->part[i / cut->each] += value[i];
    ranks_sum(cut->ranks, cut->chunks, 1, s->part, &sum);
    return sum;
}

/* The distances of all candidates. */
static spd_status measure(pair_sums *s)
{
    size_t measured = s->order.measured;
    double cube = (double)(s->m * s->m * s->m), *d2 = candidates_d2(s->from);
    if (s->tiles)
        return pair_tiles_measure(s->tiles, s->S, s->logdet, d2);
    spd_status status = loop(s, (measured + PAIR_BATCH - 1) / PAIR_BATCH,
                             (double)measured * cube / 3.0, measure_chunk);
    if (status == SPD_OK)
        pair_exchange_distances(&s->exchange, d2);
    return status;
}

static spd_status softmax_of(pair_sums *s, double *f)
{
    size_t octets = (s->own + LANES - 1) / LANES;
    double cube = (double)(s->m * s->m * s->m), *weight = NULL;
    const double *value = NULL;
    spd_status status = measure(s);
    if (status < 0)
        return status;
    status = candidates_weigh(s->from, s->rule->no_spread * (double)s->m, &value, &weight);
    if (status < 0)
        return status;
    *f = sum_values(s, value);
    if (!isfinite(*f)) {
        *f = NAN;
        return SPD_OK;
    }
    pair_exchange_weights(&s->exchange, weight);
    pair_plan_make(&s->plan, weight);
    status = loop(s, octets, (double)s->own * cube, begin_chunk);
    if (status == SPD_OK)
        status = s->tiles ? pair_tiles_weigh(s->tiles, weight, s->Z) : sum_pairs(s);
    return status == SPD_OK ? pull_back(s) : status;
}

spd_status pair_sums_value(pair_sums *s, double *S, double *f, double *Z)
{
    s->S = S;
    s->Z = Z;
    *f = NAN;
    pair_exchange_samples(&s->exchange, S);
    spd_status status = prepare_samples(s);
    if (status == SPD_ENOTSPD)
        return SPD_OK;
    if (status < 0)
        return status;
    return s->from ? softmax_of(s, f) : difference_of(s, f);
}
