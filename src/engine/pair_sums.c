/* pair_sums.c - sums over the graph, in parallel and in a fixed order. */
#include "engine/pair_sums.h"

#include <math.h>
#include <string.h>

#include "engine/candidates.h"
#include "engine/pair_plan.h"
#include "engine/parallel.h"
#include "geometry/log_derivative.h"

struct pair_sums {
    spd_context *ctx;
    const kernels *k;
    const pair_rule *rule;
    const objective *o;
    size_t m, p;
    pair_plan plan;     /* the pairs with weight matrices */
    candidates *from;   /* objectives of samples: where those pairs are chosen; else NULL */
    double *d2;         /* plan.count */
    double *L, *logdet; /* p x TRI, p; L are logarithms for rules that want them, and then */
    double *V, *lambda; /* p x m m, p x m: eigenvectors and eigenvalues of S; else NULL */
    double *Zb;      /* p x TRI: between weights apart, where their scale comes last; else NULL */
    double *buffer;  /* weight matrices of a block */
    double *work;    /* threads x work_size */
    const double *S; /* of the call in progress */
    double *Z;
    size_t now;      /* block in progress */
    double scale[2]; /* of the within and the between weights */
};

static size_t work_size(size_t m)
{
    size_t sample = (2 * TRI(m) + 1) * LANES, pairs = pairs_work(m);
    size_t log = (TRI(m) + m * m + m) * LANES + log_derivative_work(m);
    sample = sample > log ? sample : log;
    return sample > pairs ? sample : pairs;
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* Each unordered pair stands for two ordered ones: c = 2 A_ij. */
static void fill_plan(pair_plan *plan, size_t count, const spd_pair *given)
{
    size_t w = 0, b = plan->within;
    for (size_t i = 0; i < count; i++) {
        if (given[i].within > 0.0)
            plan->pairs[w++] = (pair){given[i].i, given[i].j, 2.0 * given[i].within};
        if (given[i].between > 0.0)
            plan->pairs[b++] = (pair){given[i].i, given[i].j, 2.0 * given[i].between};
    }
    plan->count = b;
    pair_plan_make(plan);
}

/* For up to `most` pairs with weight matrices. */
static void allocate(pair_sums *s, size_t most, arena *keep)
{
    size_t tri = TRI(s->m), threads = (size_t)parallel_threads(s->ctx);
    pair_plan_open(&s->plan, s->p, s->m, s->rule->sides, most, keep);
    size_t rows = s->plan.each < most ? s->plan.each : most;
    s->d2 = arena_alloc(keep, most, sizeof *s->d2);
    s->L = arena_alloc(keep, s->p, tri * sizeof *s->L);
    s->logdet = arena_alloc(keep, s->p, sizeof *s->logdet);
    s->buffer = arena_alloc(keep, rows, (size_t)s->rule->sides * tri * sizeof *s->buffer);
    s->work = arena_alloc(keep, threads, work_size(s->m) * sizeof *s->work);
    if (s->rule->logarithms) {
        s->V = arena_alloc(keep, s->p, s->m * s->m * sizeof *s->V);
        s->lambda = arena_alloc(keep, s->p, s->m * sizeof *s->lambda);
    }
    if (s->o->of_sums && !s->o->fixed)
        s->Zb = arena_alloc(keep, s->p, tri * sizeof *s->Zb);
}

spd_status pair_sums_new(spd_context *ctx, spd_metric metric, spd_objective wanted, size_t m,
                         size_t p, size_t count, const spd_pair *pairs, arena *keep,
                         pair_sums **sums)
{
    pair_sums *s = arena_zero(keep, 1, sizeof *s);
    size_t within = 0, between = 0;
    if (!s)
        return ctx_nomem(ctx, "pairs");
    s->ctx = ctx;
    s->k = kernels_get();
    s->rule = pair_rule_get(metric);
    s->o = objective_get(wanted);
    s->m = m;
    s->p = p;
    for (size_t i = 0; i < count; i++) {
        within += pairs[i].within > 0.0 ? 1 : 0;
        between += pairs[i].between > 0.0 ? 1 : 0;
    }
    allocate(s, s->o->of_sample ? count : within + between, keep);
    spd_status status = arena_status(keep, ctx, "pairs");
    if (status < 0)
        return status;
    *sums = s;
    if (s->o->of_sample)
        return candidates_new(ctx, s->o, p, count, pairs, keep, &s->from);
    s->plan.within = within;
    fill_plan(&s->plan, count, pairs);
    return SPD_OK;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Weights that belong to the sample itself: - degree S_i^-1 for rules that want it, else zero. */
static void begin_weights(const pair_sums *s, size_t first, size_t lanes, const double *inverse)
{
    size_t tri = TRI(s->m);
    double *target[LANES], scale[LANES];
    double *const arrays[2] = {s->Z, s->Zb};
    for (size_t between = 0; between < 2 && arrays[between]; between++) {
        double *Z = arrays[between];
        memset(Z + first * tri, 0, lanes * tri * sizeof *Z);
        for (size_t l = 0; l < lanes; l++) {
            target[l] = Z + (first + l) * tri;
            scale[l] = -s->plan.degree[between * s->p + first + l];
            if (!s->Zb) /* the difference: one array for both graphs */
                scale[l] += s->plan.degree[s->p + first + l];
        }
        if (inverse)
            s->k->scatter(tri, lanes, inverse, scale, target);
    }
}

/* The same from factors A (TRI x 8), which are overwritten; B is scratch of that size. */
static void begin_octet(const pair_sums *s, size_t first, size_t lanes, double *A, double *B)
{
    if (s->rule->sample_inverse) {
        s->k->tri_inverse(s->m, A, B);
        s->k->tri_gram(s->m, B, A);
    }
    begin_weights(s, first, lanes, s->rule->sample_inverse ? A : NULL);
}

/* Eight samples: factor, log-determinant, and their own share of the weights, unless the pairs are
 * yet to be chosen. */
static spd_status sample_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
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
    if (!s->from)
        begin_octet(s, first, lanes, A, B);
    return SPD_OK;
}

/* Eight samples' own share of the weights, from the factors found before. */
static spd_status begin_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
    double *A = s->work + (size_t)thread * work_size(s->m);
    const double *in[LANES];
    for (size_t l = 0; l < lanes; l++)
        in[l] = s->L + (first + l) * tri;
    s->k->gather(tri, lanes, in, A);
    begin_octet(s, first, lanes, A, A + tri * LANES);
    return SPD_OK;
}

/* Eight samples: logarithm, eigenvalues and eigenvectors. */
static spd_status log_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), m = s->m, first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
    double *A = s->work + (size_t)thread * work_size(m), *V = A + tri * LANES;
    double *lambda = V + m * m * LANES, *work = lambda + m * LANES;
    const double *in[LANES];
    double *L_out[LANES], *V_out[LANES], *lambda_out[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = s->S + (first + l) * tri;
        L_out[l] = s->L + (first + l) * tri;
        V_out[l] = s->V + (first + l) * m * m;
        lambda_out[l] = s->lambda + (first + l) * m;
    }
    s->k->gather(tri, lanes, in, A);
    if (log_derivative_prepare(s->k, m, A, lambda, V, work) & ((1u << lanes) - 1u))
        return SPD_ENOTSPD;
    s->k->split(tri, lanes, A, L_out);
    s->k->split(m * m, lanes, V, V_out);
    s->k->split(m, lanes, lambda, lambda_out);
    if (!s->from)
        begin_weights(s, first, lanes, NULL);
    return SPD_OK;
}

/* Z <- D log[Z] of eight samples: from weights of the logarithms to weights of the samples. */
static spd_status pull_back_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), m = s->m, first = octet * LANES;
    size_t last = s->p - first < LANES ? s->p : first + LANES;
    for (size_t i = first; i < last; i++)
        log_derivative_apply(m, s->lambda + i * m, s->V + i * m * m, s->Z + i * tri,
                             s->work + (size_t)thread * work_size(m));
    return SPD_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static spd_status batch_chunk(void *user, size_t batch, int thread)
{
    pair_sums *s = user;
    const block *b = &s->plan.block[s->now];
    size_t at = batch * PAIR_BATCH, left = b->count - at;
    size_t count = left < PAIR_BATCH ? left : PAIR_BATCH;
    pair_samples samples = {s->S, s->L, s->logdet};
    s->rule->batch(s->k, s->m, count, s->plan.pairs + b->first + at, &samples,
                   s->d2 + b->first + at, s->buffer + at * (size_t)s->rule->sides * TRI(s->m),
                   s->work + (size_t)thread * work_size(s->m));
    return SPD_OK;
}

static spd_status share_chunk(void *user, size_t chunk, int thread)
{
    pair_sums *s = user;
    const block *b = &s->plan.block[s->now];
    size_t tri = TRI(s->m);
    int between = b->first >= s->plan.within;
    double *Z = between && s->Zb ? s->Zb : s->Z, sign = between && !s->Zb ? -1.0 : 1.0;
    (void)thread;
    for (size_t i = s->plan.chunk[b->chunk + chunk]; i < s->plan.chunk[b->chunk + chunk + 1]; i++) {
        const share *t = &s->plan.shares[i];
        s->k->axpy(tri, sign * t->c, s->buffer + t->row * tri, Z + t->sample * tri);
    }
    return SPD_OK;
}

/* Z <- scale[0] Zw - scale[1] Zb */
static spd_status combine_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
    double *Z = s->Z + first * tri;
    const double *Zb = s->Zb + first * tri;
    (void)thread;
    for (size_t e = 0; e < lanes * tri; e++)
        Z[e] = s->scale[0] * Z[e] - s->scale[1] * Zb[e];
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
    for (s->now = 0; s->now < s->plan.blocks && status == SPD_OK; s->now++) {
        const block *b = &s->plan.block[s->now];
        status =
            loop(s, (b->count + PAIR_BATCH - 1) / PAIR_BATCH, (double)b->count * cube, batch_chunk);
        if (status == SPD_OK)
            status =
                loop(s, b[1].chunk - b->chunk, 2.0 * (double)b->count * (double)tri, share_chunk);
    }
    return status;
}

static double weighted_sum(const pair_sums *s, size_t from, size_t to)
{
    double sum = 0.0;
    for (size_t i = from; i < to; i++)
        sum += s->plan.pairs[i].c * s->d2[i];
    return sum;
}

/* From the samples to what pairs are measured by; SPD_ENOTSPD where there is none. */
static spd_status prepare_samples(pair_sums *s)
{
    size_t octets = (s->p + LANES - 1) / LANES;
    double cube = (double)(s->m * s->m * s->m);
    return s->rule->logarithms ? loop(s, octets, 9.0 * (double)s->p * cube, log_chunk)
                               : loop(s, octets, (double)s->p * cube / 2.0, sample_chunk);
}

/* Weights of the logarithms become weights of the samples. */
static spd_status pull_back(pair_sums *s)
{
    double cube = (double)(s->m * s->m * s->m);
    if (!s->rule->logarithms)
        return SPD_OK;
    return loop(s, (s->p + LANES - 1) / LANES, 8.0 * (double)s->p * cube, pull_back_chunk);
}

/* ---- objectives of sums --------------------------------------------------------------------- */

static spd_status value_of_sums(pair_sums *s, double *f)
{
    const pair_plan *plan = &s->plan;
    size_t octets = (s->p + LANES - 1) / LANES, tri = TRI(s->m);
    spd_status status = sum_pairs(s);
    if (status < 0)
        return status;
    double within = weighted_sum(s, 0, plan->within);
    double between = weighted_sum(s, plan->within, plan->count);
    if (within + between <= s->rule->no_spread * plan->total * (double)s->m) {
        /* equal matrices: what is left is rounding, and its gradient would lead nowhere */
        within = between = 0.0;
        memset(s->Z, 0, s->p * tri * sizeof *s->Z);
    }
    *f = s->o->of_sums(within, between, s->scale);
    if (s->Zb)
        status = loop(s, octets, (double)s->p * (double)tri, combine_chunk);
    return status == SPD_OK ? pull_back(s) : status;
}

/* ---- objectives of samples ------------------------------------------------------------------ */

static spd_status measure_chunk(void *user, size_t batch, int thread)
{
    pair_sums *s = user;
    size_t at = batch * PAIR_BATCH, left = candidates_count(s->from) - at;
    size_t count = left < PAIR_BATCH ? left : PAIR_BATCH;
    pair_samples samples = {s->S, s->L, s->logdet};
    s->rule->batch(s->k, s->m, count, candidates_pairs(s->from) + at, &samples,
                   candidates_d2(s->from) + at, NULL, s->work + (size_t)thread * work_size(s->m));
    return SPD_OK;
}

/* Pairs with a positive weight become within pairs, with a negative one between pairs. */
static void choose_pairs(pair_sums *s, const double *weight)
{
    const pair *from = candidates_pairs(s->from);
    size_t count = candidates_count(s->from), at = 0;
    for (int between = 0; between < 2; between++) {
        for (size_t e = 0; e < count; e++) {
            double c = between ? -weight[e] : weight[e];
            if (c > 0.0)
                s->plan.pairs[at++] = (pair){from[e].i, from[e].j, c};
        }
        *(between ? &s->plan.count : &s->plan.within) = at;
    }
    pair_plan_make(&s->plan);
}

static spd_status value_of_samples(pair_sums *s, double *f)
{
    size_t octets = (s->p + LANES - 1) / LANES, count = candidates_count(s->from);
    double cube = (double)(s->m * s->m * s->m), value = NAN;
    const double *weight = NULL;
    spd_status status =
        loop(s, (count + PAIR_BATCH - 1) / PAIR_BATCH, (double)count * cube / 3.0, measure_chunk);
    if (status == SPD_OK)
        status = candidates_weigh(s->from, s->rule->no_spread * (double)s->m, &value, &weight);
    if (status < 0 || !weight || !isfinite(value))
        return status;
    choose_pairs(s, weight);
    status = loop(s, octets, (double)s->p * cube, begin_chunk);
    if (status == SPD_OK)
        status = sum_pairs(s);
    if (status == SPD_OK)
        status = pull_back(s);
    *f = value;
    return status;
}

spd_status pair_sums_value(pair_sums *s, const double *S, double *f, double *Z)
{
    s->S = S;
    s->Z = Z;
    *f = NAN;
    spd_status status = prepare_samples(s);
    if (status == SPD_ENOTSPD)
        return SPD_OK;
    if (status < 0)
        return status;
    return s->from ? value_of_samples(s, f) : value_of_sums(s, f);
}
