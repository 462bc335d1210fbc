/* ksvm.c - support vector machines on a kernel between SPD matrices, one for each pair of classes
 * (svm_pairs.h); a query goes to the class that wins most of its pairs.
 *
 *   Stein          K = exp(-beta d2_S), its diagonal shifted by -lambda_min(K) where that is
 *                  positive: K is not definite for every beta (math.md, eq. 10)
 *   log-Euclidean  K = tr(log X log Y), centred, divided by its mean diagonal: then `cost` means
 *                  the same whatever the spread of the data, as it does for Stein, whose diagonal
 *                  is 1 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/log_kernel.h"
#include "classify/svm_pairs.h"
#include "classify/values.h"
#include "engine/check.h"
#include "engine/parallel.h"

#define QUERIES_PER_CHUNK 16

typedef struct kernels_of {
    samples train;
    spd_metric metric;
    log_kernel log; /* log-Euclidean: the centred kernel */
    double scale;   /* and one over its mean diagonal */
    double *D2;     /* Stein: p x p squared distances */
    double median;  /* of those above the diagonal */
} kernels_of;

typedef struct machines {
    double beta;
    svm_pairs *pairs;
} machines;

/* ---- parameters ----------------------------------------------------------------------------- */

static double standard(const samples *train, spd_parameter parameter)
{
    (void)train;
    return parameter == SPD_PARAM_COST ? 10.0 : 1.0;
}

static size_t grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    static const double costs[] = {1, 10, 100, 1000}, scales[] = {0.1, 0.3, 1, 3};
    (void)train;
    if (parameter == SPD_PARAM_COST)
        return values_copy(sizeof costs / sizeof *costs, costs, values, room);
    if (parameter == SPD_PARAM_BETA_SCALE)
        return values_copy(sizeof scales / sizeof *scales, scales, values, room);
    return 0;
}

/* ---- prepared ------------------------------------------------------------------------------- */

static spd_status prepare_stein(spd_context *ctx, kernels_of *s)
{
    size_t p = s->train.p;
    s->D2 = mem_alloc(p, p * sizeof *s->D2);
    if (!s->D2)
        return ctx_nomem(ctx, "distances");
    spd_status status = spd_pairwise2(ctx, SPD_STEIN, s->train.n, p, s->train.X, 0, NULL, s->D2);
    return status < 0 ? status : values_median_above(ctx, p, s->D2, &s->median);
}

static spd_status prepare_log(spd_context *ctx, kernels_of *s)
{
    size_t p = s->train.p;
    double trace = 0.0;
    spd_status status = log_kernel_new(ctx, &s->train, &s->log);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        trace += s->log.K[i * p + i];
    s->scale = trace > 0.0 ? (double)p / trace : 1.0;
    return status;
}

static void release_prepared(void *prepared)
{
    kernels_of *s = prepared;
    if (!s)
        return;
    log_kernel_free(&s->log);
    mem_free(s->D2);
    mem_free(s);
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    kernels_of *s = mem_zero(1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "a kernel");
    s->train = *train;
    s->metric = method->metric;
    spd_status status = s->metric == SPD_STEIN ? prepare_stein(ctx, s) : prepare_log(ctx, s);
    if (status < 0)
        release_prepared(s);
    else
        *prepared = s;
    return status;
}

/* ---- the kernel of training ----------------------------------------------------------------- */

static double kernel_value(const kernels_of *s, double beta, double stored)
{
    return s->metric == SPD_STEIN ? exp(-beta * stored) : s->scale * stored;
}

/* K <- K + s I such that no eigenvalue is negative. */
static spd_status repair(spd_context *ctx, size_t p, double *K)
{
    double *room = mem_alloc(p, p * sizeof *room), *lambda = mem_alloc(p, sizeof *lambda);
    spd_status status = SPD_OK;
    if (!room || !lambda)
        status = ctx_nomem(ctx, "a kernel");
    else if (!check_definite(p, K, room))
        status = spd_eigh(ctx, p, 1, K, lambda, NULL);
    else
        lambda[0] = 0.0;
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        K[i * p + i] -= fmin(lambda[0], 0.0);
    mem_free(room);
    mem_free(lambda);
    return status;
}

/* K (p x p) <- the kernel between training samples. */
static spd_status fill_kernel(spd_context *ctx, const kernels_of *s, double beta, double *K)
{
    size_t p = s->train.p;
    const double *stored = s->metric == SPD_STEIN ? s->D2 : s->log.K;
    for (size_t e = 0; e < p * p; e++)
        K[e] = kernel_value(s, beta, stored[e]);
    return s->metric == SPD_STEIN ? repair(ctx, p, K) : SPD_OK;
}

/* ---- training ------------------------------------------------------------------------------- */

static void release_trained(void *trained)
{
    machines *t = trained;
    if (t)
        svm_pairs_free(t->pairs);
    mem_free(t);
}

static double beta_of(const kernels_of *s, const spd_method *method)
{
    double beta = method->value[SPD_PARAM_BETA];
    return isnan(beta) ? method->value[SPD_PARAM_BETA_SCALE] / s->median : beta;
}

static spd_status check_values(spd_context *ctx, const kernels_of *s, double beta, double cost)
{
    if (s->metric == SPD_STEIN && !(beta > 0.0 && isfinite(beta)))
        return ctx_fail(ctx, SPD_EINVAL, "beta is %g: give a number above zero", beta);
    if (!(cost > 0.0 && isfinite(cost)))
        return ctx_fail(ctx, SPD_EINVAL, "cost is %g: give a number above zero", cost);
    return SPD_OK;
}

static spd_status train(spd_context *ctx, const void *prepared, const spd_method *method,
                        void **trained)
{
    const kernels_of *s = prepared;
    size_t p = s->train.p;
    double beta = beta_of(s, method), cost = method->value[SPD_PARAM_COST];
    spd_status status = check_values(ctx, s, beta, cost);
    if (status < 0)
        return status;
    machines *t = mem_zero(1, sizeof *t);
    double *K = mem_alloc(p, p * sizeof *K);
    status = t && K ? fill_kernel(ctx, s, beta, K) : ctx_nomem(ctx, "a kernel");
    if (status == SPD_OK) {
        t->beta = beta;
        status = svm_pairs_train(ctx, &s->train, K, cost, &t->pairs);
    }
    mem_free(K);
    if (status < 0)
        release_trained(t);
    else
        *trained = t;
    return status;
}

/* ---- queries -------------------------------------------------------------------------------- */

typedef struct met_kernel {
    size_t q;
    double *stored; /* p x q, a column per query: squared distances, or centred kernel values */
} met_kernel;

static void release_met(void *met)
{
    met_kernel *t = met;
    if (t)
        mem_free(t->stored);
    mem_free(t);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const kernels_of *s = prepared;
    size_t p = s->train.p, q = queries->p;
    met_kernel *t = mem_zero(1, sizeof *t);
    spd_status status = SPD_OK;
    if (t) {
        t->q = q;
        t->stored = mem_alloc(p, q * sizeof *t->stored);
    }
    if (!t || !t->stored)
        status = ctx_nomem(ctx, "a kernel");
    else if (s->metric == SPD_STEIN)
        status = spd_pairwise2(ctx, SPD_STEIN, s->train.n, p, s->train.X, q, queries->X, t->stored);
    else
        status = log_kernel_meet(ctx, &s->log, queries, t->stored);
    if (status < 0)
        release_met(t);
    else
        *met = t;
    return status;
}

typedef struct voting {
    const kernels_of *s;
    const machines *t;
    const met_kernel *met;
    double *k;     /* threads x p: one query's kernel values */
    size_t *votes; /* threads x classes */
    int *label;    /* q */
} voting;

static spd_status vote_chunk(void *user, size_t chunk, int thread)
{
    const voting *v = user;
    size_t p = v->s->train.p, q = v->met->q, first = chunk * QUERIES_PER_CHUNK;
    double *k = v->k + (size_t)thread * p;
    for (size_t j = first; j < first + QUERIES_PER_CHUNK && j < q; j++) {
        for (size_t i = 0; i < p; i++)
            k[i] = kernel_value(v->s, v->t->beta, v->met->stored[i * q + j]);
        v->label[j] =
            svm_pairs_choose(v->t->pairs, k, v->votes + (size_t)thread * v->s->train.classes);
    }
    return SPD_OK;
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    voting v = {.s = prepared, .t = trained, .met = met};
    size_t threads = (size_t)parallel_threads(ctx), q = v.met->q;
    spd_status status = SPD_OK;
    (void)method;
    v.k = mem_alloc(threads, v.s->train.p * sizeof *v.k);
    v.votes = mem_alloc(threads, v.s->train.classes * sizeof *v.votes);
    v.label = mem_alloc(q, sizeof *v.label);
    if (!v.k || !v.votes || !v.label)
        status = ctx_nomem(ctx, "votes");
    else
        status = parallel_for(ctx, (q + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK, vote_chunk, &v,
                              "votes", "matrices", (double)q, NULL);
    if (status == SPD_OK)
        memcpy(label, v.label, q * sizeof *label);
    mem_free(v.k);
    mem_free(v.votes);
    mem_free(v.label);
    return status;
}

const classifier classifier_ksvm = {
    .kind = SPD_KSVM,
    .uses = USES(SPD_PARAM_BETA) | USES(SPD_PARAM_BETA_SCALE) | USES(SPD_PARAM_COST),
    .standard = standard,
    .grid = grid,
    .prepare = prepare,
    .train = train,
    .meet = meet,
    .decide = decide,
    .release_met = release_met,
    .release_trained = release_trained,
    .release_prepared = release_prepared,
};
