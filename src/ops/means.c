/* means.c - means of sets: the passes of a mean_rule over the samples, in parallel.
 *
 * Samples are summed in chunks whose number depends on p alone, and the chunks' sums are added in
 * order: the mean has the same bits for any number of threads. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/order.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/relay.h"
#include "base/sized.h"
#include "base/stop.h"
#include "run/blas.h"
#include "run/engine.h"
#include "run/octets.h"
#include "run/parallel.h"
#include "ops/fault.h"
#include "ops/flat_mean.h"
#include "ops/class_means.h"
#include "ops/scale.h"
#include "sets/set.h"
#include "geometry/mean.h"
#include "linalg/definite.h"
#include "linalg/dense.h"

#define TASK             "mean"
#define UNIT             "iterations"
#define USUAL_TOLERANCE  1e-12
#define USUAL_ITERATIONS 1000
#define USUAL_EXPONENT   60                /* of two: matrices of this size are not scaled */
#define MEAN_PIECE       ((size_t)4 << 20) /* bytes that are read at once */
#define LOST_ENTRY       0x1p-900          /* of a scaled matrix */

typedef struct mean_run {
    spd_context *ctx;
    const kernels *k;
    const mean_rule *rule; /* of the current pass */
    mean_state *state;
    size_t n, p, per_chunk, chunks;
    int shared;                 /* the chunks are dealt out to the ranks */
    const spd_set *given;       /* where the samples are */
    const size_t *which;        /* p of them, by number; NULL: all */
    const spd_set *set;         /* the same, or multiplied by 2^-exponent */
    spd_set host, scaled;       /* which these may be */
    set_walk *walks;            /* one for each thread; NULL until they are needed */
    const engine_table *engine; /* that makes the passes, */
    engine_passes *passes;      /* or NULL: the processor does */
    spd_metric metric;
    int exponent;
    double *weight;  /* p, sum one */
    double *partial; /* chunks x terms */
    double *sum;     /* terms */
    double *work;    /* threads x stride */
    size_t stride;
    arena room;           /* all of these and the state's */
    atomic_size_t lowest; /* sample at fault */
} mean_run;

/* ---- one pass ----------------------------------------------------------------------------- */

/* What one of a rule's functions asks for. */
static size_t doubles(size_t (*of)(size_t n), size_t n)
{
    return of ? of(n) : 0;
}

static size_t pass_work(const mean_rule *rule, size_t n)
{
    size_t octets = MEAN_OCTETS * (TRI(n) + rule->terms(n)) * LANES;
    return octets + (doubles(rule->term_work, n) + LANES - 1) / LANES * LANES;
}

/* sum (terms) += weighted terms of samples first .. first+count-1, which X holds; returns the mask
 * of bad ones. */
static unsigned add_batch(const mean_run *r, size_t first, size_t count, const double *X,
                          double *sum, double *work)
{
    size_t n = r->n, terms = r->rule->terms(n);
    double *T = work + MEAN_OCTETS * TRI(n) * LANES;
    unsigned bad[MEAN_OCTETS];
    size_t used = octets_pack(r->k, n, 0, count, X, work);
    r->rule->term(r->k, n, used, r->state->frame, work, T, bad, T + MEAN_OCTETS * terms * LANES);
    double *const target[LANES] = {sum, sum, sum, sum, sum, sum, sum, sum};
    for (size_t g = 0; g < used; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES;
        r->k->scatter(terms, lanes, T + g * terms * LANES, r->weight + first + g * LANES, target);
    }
    return octets_mask(used, bad, count);
}

/* The same for a rule whose terms are the matrices. */
static unsigned add_plain(const mean_run *r, size_t first, size_t count, const double *X,
                          double *sum)
{
    size_t n2 = r->n * r->n;
    unsigned bad = 0;
    flat_add(r->k, n2, count, r->weight + first, X, sum);
    double zero = 0.0; /* NaN as soon as an entry is NaN or Inf */
    for (size_t e = 0; e < n2; e++)
        zero += 0.0 * sum[e];
    for (size_t i = 0; i < count && zero != 0.0; i++)
        bad |= (unsigned)!isfinite(scale_largest(n2, X + i * n2)) << i;
    return bad;
}

static spd_status pass_chunk(void *user, size_t chunk, int thread)
{
    mean_run *r = user;
    size_t terms = r->rule->terms(r->n), first = chunk * r->per_chunk;
    size_t end = first + r->per_chunk < r->p ? first + r->per_chunk : r->p;
    double *sum = r->partial + chunk * terms, *work = r->work + (size_t)thread * r->stride;
    set_walk *walk = set_walk_at(r->walks, (size_t)thread);
    memset(sum, 0, terms * sizeof *sum);
    set_walk_begin(walk, first, end, r->which);
    for (size_t there = 0; first < end; first += there) {
        const double *X = set_walk_next(walk, &there);
        if (!X)
            return SPD_EIO;
        for (size_t i = 0; i < there && !stop_wanted(); i += BATCH) {
            size_t count = there - i < BATCH ? there - i : BATCH;
            const double *at = X + i * r->n * r->n;
            unsigned bad = r->rule->plain ? add_plain(r, first + i, count, at, sum)
                                          : add_batch(r, first + i, count, at, sum, work);
            if (bad) {
                octets_fault(&r->lowest, first + i, bad);
                return SPD_ENUMERIC;
            }
        }
    }
    return SPD_OK;
}

/* The Bures-Wasserstein mean works with products of samples, and starts from the identity: beside
 * that samples must not be small. The means of other metrics do not care. */
static spd_status choose_scale(mean_run *r)
{
    size_t count = r->p * r->n * r->n;
    const double *X = set_doubles(r->given);
    if (r->metric != SPD_METRIC_BURES_WASSERSTEIN || !X || r->which)
        return SPD_OK; /* elsewhere they are taken as they are */
    r->exponent = scale_exponent(scale_largest(count, X), USUAL_EXPONENT);
    if (r->exponent == 0)
        return SPD_OK;
    double *scaled = arena_alloc(&r->room, r->p, r->n * r->n * sizeof *scaled);
    if (!scaled)
        return ctx_nomem(r->ctx, "the mean");
    scale_by(count, X, -r->exponent, scaled);
    r->scaled = *SPD_SET(r->n, r->p, scaled);
    r->set = &r->scaled;
    return SPD_OK;
}

/* The samples on the host, and ways through them, for the processor. */
static spd_status reach_samples(mean_run *r)
{
    spd_status status = SPD_OK;
    if (r->walks)
        return SPD_OK;
    if (engine_of(r->given)) {
        status = set_to_host(r->ctx, r->given, &r->room, &r->host);
        r->given = r->set = &r->host;
    }
    if (status == SPD_OK)
        status = choose_scale(r);
    if (status == SPD_OK)
        status = set_walks_new(r->ctx, r->set, (size_t)parallel_threads(r->ctx), BATCH, MEAN_PIECE,
                               &r->walks);
    return status;
}

/* A breakdown: of sets in memory all samples are looked at, of others the one at fault. */
static spd_status broken_down(mean_run *r, size_t i, const double *X)
{
    spd_status status = reach_samples(r);
    if (status < 0)
        return status;
    if (set_doubles(r->given) && !r->which)
        return fault_mean(r->ctx, r->n, r->p, set_doubles(r->given), i);
    return fault_mean(r->ctx, r->n, X ? 1 : 0, X, i);
}

/* Why sample i has no term: in the first pass it is the sample's fault, unless it has become so
 * small beside the others when they were scaled; later it was found fit. */
static spd_status explain(mean_run *r, size_t i, int first_pass)
{
    size_t at = r->which ? r->which[i] : i, n2 = r->n * r->n;
    double *room = mem_alloc(2 * n2, sizeof *room);
    const double *X = room ? set_sample(r->given, at, room) : NULL;
    const double *scaled = X ? set_sample(r->set, at, room + n2) : NULL;
    spd_status status;
    if (!scaled)
        status = room ? set_fail(r->ctx, r->given, SPD_EIO) : ctx_nomem(r->ctx, "the mean");
    else if (first_pass && !(r->exponent && scale_largest(n2, scaled) < LOST_ENTRY))
        status = fault_matrix(r->ctx, r->n, X, "X", at);
    else
        status = broken_down(r, at, X);
    mem_free(room);
    return set_locate(r->ctx, r->given, status);
}

/* Progress within a pass is a share of the current iteration. */
static spd_progress in_iteration(const void *user, const spd_progress *part)
{
    const mean_run *r = user;
    return (spd_progress){TASK, UNIT, r->state->iterations + part->done, 0.0};
}

/* The same by an engine; SPD_DECLINED: the processor goes on, and finds what is wrong. */
static spd_status pass_elsewhere(mean_run *r)
{
    if (!r->passes)
        return SPD_DECLINED;
    spd_metric rule = r->rule == &mean_jeffrey ? SPD_METRIC_JEFFREY : r->metric;
    relay whole;
    relay_open(&whole, r->ctx, in_iteration, r);
    spd_status status =
        r->engine->mean_sum(r->passes, rule, r->state->frame, r->rule->terms(r->n), r->sum);
    relay_close(&whole);
    if (status < 0) {
        r->engine->mean_close(r->passes);
        r->passes = NULL;
    }
    return status;
}

/* r->sum <- weighted sum of the terms of all samples. */
static spd_status pass(mean_run *r, int first_pass)
{
    size_t terms = r->rule->terms(r->n);
    relay whole;
    spd_status status = pass_elsewhere(r);
    if (status != SPD_DECLINED)
        return status;
    status = reach_samples(r);
    if (status < 0)
        return status;
    atomic_store(&r->lowest, SIZE_MAX);
    relay_open(&whole, r->ctx, in_iteration, r);
    if (r->shared)
        status = parallel_split(r->ctx, r->chunks, pass_chunk, r, TASK, UNIT, 1.0, NULL);
    else
        status = parallel_for(r->ctx, r->chunks, pass_chunk, r, TASK, UNIT, 1.0, NULL);
    relay_close(&whole);
    if (status == SPD_ECANCELLED)
        status = ctx_fail(r->ctx, status, "mean cancelled");
    else if (status == SPD_ENOMEM || status == SPD_EIO)
        status = set_fail(r->ctx, r->given, status);
    else if (status < 0)
        status = explain(r, atomic_load(&r->lowest), first_pass);
    if (r->shared) {
        status = ranks_settle(r->ctx, status);
        if (status == SPD_OK)
            ranks_collect(ranks_of(r->ctx), r->chunks, 1, terms * sizeof *r->partial, r->partial);
    }
    if (status < 0)
        return status;
    memset(r->sum, 0, terms * sizeof *r->sum);
    for (size_t c = 0; c < r->chunks; c++)
        for (size_t e = 0; e < terms; e++)
            r->sum[e] += r->partial[c * terms + e];
    return SPD_OK;
}

/* ---- the loop ----------------------------------------------------------------------------- */

/* Between short passes, which do not report themselves; ranks that share them ask at the passes. */
static int cancelled(mean_run *r)
{
    return r->shared ? 0 : ctx_report(r->ctx, TASK, UNIT, r->state->iterations, 0.0);
}

/* Of begin and advance, which work on one matrix. */
static spd_status explain_breakdown(mean_run *r, spd_status status)
{
    if (status == SPD_OK)
        return SPD_OK;
    return broken_down(r, SPD_NO_INDEX, NULL);
}

static spd_status advance(mean_run *r)
{
    return explain_breakdown(r, r->rule->advance(r->state, r->sum));
}

/* The first point: one pass of the rule's start. */
static spd_status start(mean_run *r, const mean_rule *rule)
{
    spd_status status = SPD_OK;
    r->rule = rule->start;
    if (r->rule)
        status = pass(r, 1);
    if (r->rule && status == SPD_OK)
        status = advance(r);
    r->rule = rule;
    r->state->done = 0;
    if (status == SPD_OK && rule->begin)
        status = explain_breakdown(r, rule->begin(r->state));
    return status;
}

static spd_status iterate(mean_run *r, const mean_rule *rule, int max_iter)
{
    mean_state *s = r->state;
    spd_status status = start(r, rule);
    while (status == SPD_OK && !s->done && s->iterations < max_iter) {
        status = pass(r, !rule->start && s->iterations == 0);
        if (status == SPD_OK)
            status = advance(r);
        s->iterations++;
        if (status == SPD_OK && !s->done && cancelled(r))
            status = ctx_fail(r->ctx, SPD_ECANCELLED, "mean cancelled");
    }
    return status;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Everything the passes need. */
static spd_status lend(mean_run *r, const mean_rule *rule)
{
    size_t n = r->n, terms = rule->terms(n), advance = doubles(rule->advance_work, n);
    mean_state *s = r->state;
    r->stride = pass_work(rule, n);
    if (rule->start) {
        terms = larger(terms, rule->start->terms(n));
        advance = larger(advance, doubles(rule->start->advance_work, n));
        r->stride = larger(r->stride, pass_work(rule->start, n));
    }
    r->weight = arena_alloc(&r->room, r->p, sizeof *r->weight);
    r->partial = arena_alloc(&r->room, r->chunks, terms * sizeof *r->partial);
    r->sum = arena_alloc(&r->room, terms, sizeof *r->sum);
    r->work = arena_alloc(&r->room, (size_t)parallel_threads(r->ctx), r->stride * sizeof *r->work);
    s->M = arena_alloc(&r->room, n, n * sizeof *s->M);
    s->frame = arena_alloc(&r->room, TRI(n), sizeof *s->frame);
    s->own = arena_alloc(&r->room, doubles(rule->state, n), sizeof *s->own);
    s->work = arena_alloc(&r->room, advance, sizeof *s->work);
    return arena_status(&r->room, r->ctx, "the mean");
}

/* ---- public ------------------------------------------------------------------------------- */

static spd_status check_arguments(spd_context *ctx, const mean_rule *rule,
                                  const spd_mean_options *o, const double *M)
{
    if (!rule)
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (!M)
        return ctx_fail(ctx, SPD_EINVAL, "the output array for the mean is missing");
    if (!(o->tol >= 0.0) || o->max_iter < 0)
        return ctx_fail(ctx, SPD_EINVAL, "tolerance %g or iteration limit %d is negative", o->tol,
                        o->max_iter);
    return SPD_OK;
}

/* r->weight <- weights (or equal ones) scaled to sum one. */
static spd_status scale_weights(mean_run *r, const double *weights)
{
    double sum = 0.0;
    for (size_t i = 0; i < r->p; i++) {
        double w = weights ? weights[i] : 1.0;
        if (!(w >= 0.0) || !isfinite(w))
            return ctx_fail_at(r->ctx, SPD_EINVAL, i, w, "weight %zu is %g: give numbers >= 0", i,
                               w);
        r->weight[i] = w;
        sum += w;
    }
    if (!(sum > 0.0) || !isfinite(sum))
        return ctx_fail(r->ctx, SPD_EINVAL,
                        "the weights sum to %g: give finite numbers, one above zero", sum);
    for (size_t i = 0; i < r->p; i++)
        r->weight[i] /= sum;
    return SPD_OK;
}

/* Fills M and info from a finished state. */
static spd_status deliver(mean_run *r, double *M, spd_mean_info *info)
{
    const mean_state *s = r->state;
    if (r->exponent)
        scale_by(r->n * r->n, s->M, r->exponent, s->M);
    for (size_t e = 0; e < r->n * r->n; e++)
        if (!isfinite(s->M[e]))
            return broken_down(r, SPD_NO_INDEX, NULL);
    memcpy(M, s->M, r->n * r->n * sizeof *M);
    const spd_mean_info found = {
        .iterations = s->iterations, .residual = s->residual, .converged = s->done};
    sized_give(sizeof found, &found, info);
    if (s->done)
        return SPD_OK;
    return ctx_fail(r->ctx, SPD_NOT_CONVERGED,
                    "the %s mean did not converge in %d iterations (residual %.2g, tolerance %.2g)",
                    spd_name(SPD_ENUM_METRIC, r->metric), s->iterations, s->residual, s->tol);
}

/* One matrix is its own mean, if it is positive definite. */
static spd_status single(mean_run *r, const double *weights)
{
    size_t n = r->n;
    double *M = r->state->M = arena_alloc(&r->room, 2 * n, n * sizeof *M);
    r->weight = arena_alloc(&r->room, 1, sizeof *r->weight);
    if (r->room.failed)
        return ctx_nomem(r->ctx, "the mean");
    r->state->done = 1;
    spd_status status = reach_samples(r);
    if (status == SPD_OK)
        status = scale_weights(r, weights);
    if (status < 0)
        return status;
    const double *X = set_sample(r->given, r->which ? r->which[0] : 0, M);
    if (!X)
        return set_fail(r->ctx, r->given, SPD_EIO);
    for (size_t i = 0; i < n * n; i++)
        M[i] = X[i / n < i % n ? i % n * n + i / n : i]; /* the lower triangle counts */
    return definite_matrix(n, M, M + n * n) ? SPD_OK : explain(r, 0, 1);
}

/* The passes by an engine, if one is to make them. */
static spd_status open_passes(mean_run *r)
{
    const set_job j = {.of = OPERATION_MEAN,
                       .task = "mean",
                       .unit = "iterations",
                       .X = r->given,
                       .metric = r->metric};
    r->engine = r->which ? NULL : engine_for(r->ctx, &j);
    spd_status status =
        r->engine ? r->engine->mean_open(r->ctx, &j, r->weight, &r->passes) : SPD_DECLINED;
    return status == SPD_DECLINED ? reach_samples(r) : status;
}

static spd_status several(mean_run *r, const mean_rule *rule, const spd_mean_options *o)
{
    spd_status status = lend(r, rule);
    if (status == SPD_OK)
        status = scale_weights(r, o->weights);
    if (status == SPD_OK)
        status = open_passes(r);
    if (status == SPD_OK)
        status = iterate(r, rule, o->max_iter ? o->max_iter : USUAL_ITERATIONS);
    return status;
}

static spd_status mean_of(mean_run *r, const mean_rule *rule, const spd_mean_options *o, double *M,
                          spd_mean_info *info)
{
    r->per_chunk = flat_chunk(r->p);
    r->chunks = (r->p + r->per_chunk - 1) / r->per_chunk;
    r->shared = ranks_of(r->ctx) && r->chunks >= 2 * (size_t)ranks_of(r->ctx)->count;
    spd_private_blas_hold(); /* between the passes too: one matrix is not worth threads */
    spd_status status = r->p == 1 && !rule->plain ? single(r, o->weights) : several(r, rule, o);
    if (status == SPD_OK)
        status = deliver(r, M, info);
    spd_private_blas_release();
    if (status == SPD_OK && r->state)
        ctx_finish(r->ctx, TASK, r->state->iterations);
    if (r->passes)
        r->engine->mean_close(r->passes);
    set_walks_end(r->walks);
    arena_free(&r->room);
    return status;
}

spd_status mean_listed(spd_context *ctx, spd_metric metric, const spd_set *set, size_t count,
                       const size_t *which, const spd_mean_options *options, double *M,
                       spd_mean_info *info)
{
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    const mean_rule *rule = mean_get(metric);
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_mean_options", sizeof o, &o, options);
    if (status == SPD_OK)
        status = sized_check(ctx, "spd_mean_info", info);
    if (status == SPD_OK)
        status = check_arguments(ctx, rule, &o, M);
    if (status < 0)
        return status;
    mean_state state = {.n = set->n, .tol = o.tol > 0.0 ? o.tol : USUAL_TOLERANCE};
    mean_run r = {.ctx = ctx, .k = kernels_get(), .state = &state, .n = set->n, .p = count};
    r.given = r.set = set;
    r.which = which;
    r.metric = metric;
    return mean_of(&r, rule, &o, M, info);
}

spd_status spd_mean(spd_context *ctx, spd_metric metric, const spd_set *given,
                    const spd_mean_options *options, double *M, spd_mean_info *info)
{
    spd_set X;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "X", given, &X);
    return status < 0 ? status : mean_listed(ctx, metric, &X, X.p, NULL, options, M, info);
}
