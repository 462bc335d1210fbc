/* ksvm.c - support vector machines on a kernel between SPD matrices, one for each pair of classes
 * (svm_pairs.h); a query goes to the class that wins most of its pairs. ksvm has the first two
 * kernels, cov3dj the third.
 *
 *   Stein          K = exp(-beta d2_S), its diagonal shifted by -lambda_min(K) where that is
 *                  positive: K is not definite for every beta (math.md, eq. 10)
 *   log-Euclidean  K = tr(log X log Y), centred, divided by its mean diagonal: then `cost` means
 *                  the same whatever the spread of the data, as it does for Stein, whose diagonal
 *                  is 1
 *   Euclidean      upper triangles of unit length: a linear machine */
#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/log_kernel.h"
#include "classify/samples.h"
#include "classify/svm_pairs.h"
#include "classify/values.h"
#include "classify/vectors.h"
#include "ops/check.h"
#include "run/parallel.h"

/* k(X, Y) = u(X)'u(Y),   u(X) = (x_ij, i <= j), scaled to length one
 *
 * A matrix of several blocks gives the upper triangles of its blocks, one after the other: what is
 * zero in all matrices adds nothing. Of real forms the kernel is that of the Hermitian matrices:
 * each number of theirs is there twice. */

/* ---- the linear kernel of upper triangles --------------------------------------------------- */

/* u (n (n + 1)/2) <- the upper triangle of X (n x n), of length one; divided by its largest entry
 * first, so that squares stay in range. */
static void take_upper(size_t n, const double *X, double *u)
{
    size_t count = 0;
    double largest = 0.0;
    for (size_t e = 0; e < n * n; e++)
        largest = fmax(largest, fabs(X[e]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            u[count++] = X[i * n + j] / largest;
    values_to_unit(count, u);
}

static double *upper_of(const samples *s, arena *keep)
{
    size_t each = s->n * (s->n + 1) / 2;
    double *U = arena_alloc(keep, s->p, each * sizeof *U);
    for (size_t i = 0; i < s->p && U; i++)
        take_upper(s->n, s->X + i * s->n * s->n, U + i * each);
    return U;
}

/* K (a->p x b->p) <- the kernel between two sets of matrices of one size; a may be b. A file keeps
 * the support vectors alone, and BLAS rounds a product by its place among the others: values of
 * queries are dot products, equal before and after. */
static spd_status upper_kernel(spd_context *ctx, const samples *a, const samples *b, double *K)
{
    arena room = {0};
    double *A = upper_of(a, &room), *B = a == b ? A : upper_of(b, &room);
    spd_status status = arena_status(&room, ctx, "upper triangles");
    if (status == SPD_OK)
        status = (a == b ? vectors_products : vectors_dots)(ctx, a->n * (a->n + 1) / 2, a->p, A,
                                                            b->p, B, K);
    if (status == SPD_OK && a == b)
        spd_symmetrize(a->p, 1, K);
    arena_free(&room);
    return status;
}

/* ---- the classifiers ------------------------------------------------------------------------ */

#define QUERIES_PER_CHUNK 16

typedef struct kernels_of {
    log_kernel log; /* log-Euclidean: the centred kernel */
    double scale;   /* and one over its mean diagonal */
    double *D2;     /* Stein: p x p squared distances */
    double median;  /* of those above the diagonal */
    double *U;      /* Euclidean: p x p, the kernel */
} kernels_of;

typedef struct machines {
    double beta;
    svm_pairs pairs;
} machines;

static int is_stein(const training_state *c)
{
    return c->method.metric == SPD_METRIC_STEIN;
}

static int is_log(const training_state *c)
{
    return c->method.metric == SPD_METRIC_LOG_EUCLIDEAN;
}

/* ---- prepared ------------------------------------------------------------------------------- */

static spd_status prepare_log(spd_context *ctx, training_state *c, kernels_of *s)
{
    size_t p = c->train.p;
    double trace = 0.0;
    spd_status status = log_kernel_new(ctx, &c->train, &c->preparing, &s->log);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        trace += s->log.K[i * p + i];
    s->scale = trace > 0.0 ? (double)p / trace : 1.0;
    return status;
}

static spd_status prepare_upper(spd_context *ctx, training_state *c, kernels_of *s)
{
    s->U = arena_alloc(&c->preparing, c->train.p, c->train.p * sizeof *s->U);
    return s->U ? upper_kernel(ctx, &c->train, &c->train, s->U) : ctx_nomem(ctx, "a kernel");
}

static spd_status prepare(spd_context *ctx, training_state *c)
{
    kernels_of *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "a kernel");
    if (!is_stein(c) && !is_log(c))
        return prepare_upper(ctx, c, s);
    return is_stein(c) ? samples_stein(ctx, &c->train, &c->preparing, &s->D2, &s->median)
                       : prepare_log(ctx, c, s);
}

/* ---- the kernel of training ----------------------------------------------------------------- */

static double kernel_value(const training_state *c, double beta, double stored)
{
    const kernels_of *s = c->prepared;
    if (is_stein(c))
        return exp(-beta * stored);
    return is_log(c) ? s->scale * stored : stored;
}

/* K <- K + s I such that no eigenvalue is negative. */
static spd_status repair(spd_context *ctx, size_t p, double *K)
{
    arena room = {0};
    double *scratch = arena_alloc(&room, p, p * sizeof *scratch);
    double *lambda = arena_zero(&room, p, sizeof *lambda);
    spd_status status = arena_status(&room, ctx, "a kernel");
    if (status == SPD_OK && !check_definite(p, K, scratch))
        status = spd_eigh(ctx, SPD_SET(p, 1, K), lambda, NULL);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        K[i * p + i] -= fmin(lambda[0], 0.0);
    arena_free(&room);
    return status;
}

/* K (p x p) <- the kernel between training samples. */
static spd_status fill_kernel(spd_context *ctx, const training_state *c, double beta, double *K)
{
    const kernels_of *s = c->prepared;
    size_t p = c->train.p;
    const double *stored = is_stein(c) ? s->D2 : is_log(c) ? s->log.K : s->U;
    for (size_t e = 0; e < p * p; e++)
        K[e] = kernel_value(c, beta, stored[e]);
    return is_stein(c) ? repair(ctx, p, K) : SPD_OK;
}

/* ---- training ------------------------------------------------------------------------------- */

static spd_status train(spd_context *ctx, training_state *c)
{
    size_t p = c->train.p;
    double beta = c->method.value[SPD_PARAMETER_BETA], cost = c->method.value[SPD_PARAMETER_COST];
    if (isnan(beta))
        beta = c->method.value[SPD_PARAMETER_BETA_SCALE] / ((kernels_of *)c->prepared)->median;
    if (is_stein(c) && !(beta > 0.0 && isfinite(beta)))
        return ctx_fail(ctx, SPD_EINVAL, "beta is %g: give a number above zero", beta);
    if (!(cost > 0.0 && isfinite(cost)))
        return ctx_fail(ctx, SPD_EINVAL, "cost is %g: give a number above zero", cost);
    arena room = {0};
    machines *t = c->trained = arena_zero(&c->training, 1, sizeof *t);
    double *K = arena_alloc(&room, p, p * sizeof *K);
    spd_status status = t && K ? fill_kernel(ctx, c, beta, K) : ctx_nomem(ctx, "a kernel");
    if (status == SPD_OK) {
        t->beta = beta;
        status = svm_pairs_train(ctx, p, c->train.label, K, cost, &c->training, &t->pairs);
    }
    arena_free(&room);
    return status;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* c->met <- squared distances, or kernel values, of log-Euclidean centred (p x queries). */
static spd_status meet(spd_context *ctx, training_state *c)
{
    const kernels_of *s = c->prepared;
    size_t p = c->train.p, q = c->queries.p;
    double *stored = NULL;
    spd_status status;
    if (is_log(c))
        status = log_kernel_meet(ctx, &s->log, &c->train, &c->queries, &c->meeting, &stored);
    else if (!(stored = arena_alloc(&c->meeting, p, q * sizeof *stored)))
        status = ctx_nomem(ctx, "a kernel");
    else if (is_stein(c))
        status = samples_stein_to(ctx, &c->train, &c->queries, stored);
    else
        status = upper_kernel(ctx, &c->train, &c->queries, stored);
    c->met = stored;
    return status;
}

typedef struct voting {
    const training_state *c;
    double *k;     /* threads x p: one query's kernel values */
    size_t *votes; /* threads x classes */
    int *label;    /* q */
} voting;

static spd_status vote_chunk(void *user, size_t chunk, int thread)
{
    const voting *v = user;
    const training_state *c = v->c;
    const machines *t = c->trained;
    const double *stored = c->met;
    size_t p = c->train.p, q = c->queries.p, first = chunk * QUERIES_PER_CHUNK;
    double *k = v->k + (size_t)thread * p;
    for (size_t j = first; j < first + QUERIES_PER_CHUNK && j < q; j++) {
        for (size_t i = 0; i < p; i++)
            k[i] = kernel_value(c, t->beta, stored[i * q + j]);
        v->label[j] = svm_pairs_choose(&t->pairs, k, v->votes + (size_t)thread * c->train.classes);
        if (c->score)
            svm_pairs_score(&t->pairs, k, c->score + j * c->train.classes);
    }
    return SPD_OK;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    size_t threads = (size_t)parallel_threads(ctx), q = c->queries.p;
    arena room = {0};
    voting v = {.c = c,
                .k = arena_alloc(&room, threads, c->train.p * sizeof *v.k),
                .votes = arena_alloc(&room, threads, c->train.classes * sizeof *v.votes),
                .label = arena_alloc(&room, q, sizeof *v.label)};
    spd_status status = arena_status(&room, ctx, "votes");
    if (status == SPD_OK)
        status = parallel_for(ctx, (q + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK, vote_chunk, &v,
                              "votes", "matrices", (double)q, NULL);
    if (status == SPD_OK)
        memcpy(label, v.label, q * sizeof *label);
    arena_free(&room);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* *c, which is a copy, <- with its support vectors alone. The log-Euclidean kernel of a query is
 * centred over all samples: there they stay. */
static spd_status reduce(spd_context *ctx, arena *room, training_state *c)
{
    const machines *t = c->trained;
    size_t p = c->train.p, count = 0;
    machines *fewer = arena_zero(room, 1, sizeof *fewer);
    char *used = arena_alloc(room, p, 1);
    size_t *index = arena_alloc(room, p, sizeof *index);
    spd_status status = arena_status(room, ctx, "support vectors");
    if (status < 0)
        return status;
    svm_pairs_used(&t->pairs, p, used);
    for (size_t i = 0; i < p; i++)
        if (used[i])
            index[count++] = i;
    samples all = c->train;
    status = samples_part(ctx, &all, count, index, room, &c->train);
    fewer->beta = t->beta;
    if (status == SPD_OK)
        status = svm_pairs_part(ctx, &t->pairs, used, count, c->train.label, room, &fewer->pairs);
    c->trained = fewer;
    return status;
}

static void keep(saved_arrays *s, training_state *c)
{
    kernels_of *k = saved_block(s, &c->prepared, sizeof *k);
    if (s->status == SPD_OK && !saved_taking(s) && !is_log(c))
        s->status = reduce(s->ctx, s->room, c);
    machines *t = saved_block(s, &c->trained, sizeof *t);
    if (!k || !t)
        return;
    training_state_keep_samples(s, c);
    svm_pairs_keep(s, c->train.p, c->train.label, &t->pairs);
    if (is_stein(c)) {
        saved_real(s, "beta", &t->beta);
    } else if (is_log(c)) {
        saved_real(s, "scale", &k->scale);
        saved_reals(s, "kernel_mean", c->train.p, 1, &k->log.mean);
    }
}

#define SVM_SCORES                                                                                 \
    {                                                                                              \
        "pairs of classes won, and a part below 1/3 that grows with the margins", 0, 0             \
    }

const classifier classifier_ksvm = {
    .kind = SPD_CLASSIFIER_KSVM,
    .keep = keep,
    .scores = SVM_SCORES,
    .holds = SPD_HOLDING_SAMPLES,
    .squares = 2,
    .metrics = {SPD_METRIC_STEIN, ONLY(SPD_METRIC_STEIN) | ONLY(SPD_METRIC_LOG_EUCLIDEAN), 1},
    .choices = {{SPD_PARAMETER_BETA, NAN, {0}, NULL, NULL},
                {SPD_PARAMETER_BETA_SCALE, 1, {0.1, 0.3, 1, 3}, NULL, NULL},
                {SPD_PARAMETER_COST, 10, {1, 10, 100, 1000}, NULL, NULL}},
    .prepare = prepare,
    .train = train,
    .meet = meet,
    .decide = decide,
};

const classifier classifier_cov3dj = {
    .kind = SPD_CLASSIFIER_COV3DJ,
    .keep = keep,
    .scores = SVM_SCORES,
    .holds = SPD_HOLDING_SAMPLES,
    .squares = 2,
    .metrics = {SPD_METRIC_EUCLIDEAN, ONLY(SPD_METRIC_EUCLIDEAN), 0},
    .choices = {{SPD_PARAMETER_COST, 10, {1, 10, 100, 1000}, NULL, NULL}},
    .prepare = prepare,
    .train = train,
    .meet = meet,
    .decide = decide,
};
