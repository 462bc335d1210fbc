/* map.c - fitting and applying the maps; formulas in map.h. */
#include "evaluate/map.h"

#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "classify/members.h"
#include "classify/samples.h"
#include "engine/blas.h"
#include "engine/parallel.h"
#include "evaluate/method.h"
#include "learn/start.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

void map_free(map *a)
{
    if (a->model)
        spd_model_free(a->model);
    else
        mem_free(a->W);
    *a = (map){0};
}

static spd_status map_room(spd_context *ctx, map *a)
{
    a->W = mem_alloc(a->n, a->m * sizeof *a->W);
    return a->W ? SPD_OK : ctx_nomem(ctx, "a map");
}

/* W (n x m) <- the eigenvectors of symmetric M (n x n) with the largest eigenvalues, largest
 * first. */
static spd_status leading(spd_context *ctx, size_t n, size_t m, const double *M, double *W)
{
    double *lambda = mem_alloc(n, sizeof *lambda), *V = mem_alloc(n, n * sizeof *V);
    spd_status status = SPD_OK;
    if (!lambda || !V)
        status = ctx_nomem(ctx, "a map");
    if (status == SPD_OK)
        status = spd_eigh(ctx, n, 1, M, lambda, V);
    for (size_t r = 0; r < n && status == SPD_OK; r++)
        for (size_t c = 0; c < m; c++)
            W[r * m + c] = V[r * n + (n - 1 - c)];
    mem_free(lambda);
    mem_free(V);
    return status;
}

/* ---- the learned map ---------------------------------------------------------------------------
 */

static spd_status fit_ml(spd_context *ctx, const spd_method *method, const samples *train,
                         map_graph graph, map *a)
{
    spd_fit_options options = method_fit_options(method);
    spd_model *model = NULL;
    if (graph.pairs) {
        options.learning = SPD_OWN_GRAPH;
        options.own_pairs = graph.pairs;
        options.pairs = graph.count;
        options.affinity_weight = 1.0; /* it is in the pairs already */
    }
    spd_status status =
        spd_fit(ctx, train->n, train->p, train->X, train->label, &options, NULL, &model);
    if (status < 0) {
        spd_model_free(model);
        return status;
    }
    a->model = model;
    a->W = model->W;
    a->nu_w = model->options->nu_w;
    a->nu_b = model->options->nu_b;
    return SPD_OK;
}

spd_status map_of_model(spd_context *ctx, const spd_model *model, map *result)
{
    map a = {
        .n = model->n, .m = model->m, .nu_w = model->options->nu_w, .nu_b = model->options->nu_b};
    spd_status status = map_room(ctx, &a);
    if (status == SPD_OK) {
        memcpy(a.W, model->W, a.n * a.m * sizeof *a.W);
        *result = a;
    }
    return status;
}

/* ---- maps without learning ----------------------------------------------------------------------
 */

/* random and pca are starts of the learner. */
static spd_status fit_start(spd_context *ctx, const spd_method *method, const samples *train,
                            map *a)
{
    rng r;
    rng_seed(&r, method->fit ? method->fit->seed : 1);
    spd_init init = method->map == SPD_MAP_RANDOM ? SPD_INIT_RANDOM : SPD_INIT_MEAN;
    spd_status status = map_room(ctx, a);
    if (status == SPD_OK)
        status = start_point(ctx, init, a->n, a->m, train->p, train->X, NULL, &r, a->W);
    return status;
}

static spd_status fit_mean(spd_context *ctx, const spd_method *method, const samples *train, map *a)
{
    double *M = mem_alloc(a->n, a->n * sizeof *M);
    spd_status status = M ? map_room(ctx, a) : ctx_nomem(ctx, "a map");
    if (status == SPD_OK)
        status = spd_mean(ctx, method->metric, a->n, train->p, train->X, NULL, M, NULL);
    if (status >= 0)
        status = leading(ctx, a->n, a->m, M, a->W);
    mem_free(M);
    return status;
}

/* means (classes x n x n) <- the mean of each class that has samples, *count of them. */
static spd_status class_means(spd_context *ctx, const spd_method *method, const samples *train,
                              double *means, size_t *count)
{
    size_t n2 = train->n * train->n;
    members m = {0};
    double *room = mem_alloc(train->p, n2 * sizeof *room);
    spd_status status = room ? members_sort(ctx, train, &m) : ctx_nomem(ctx, "class means");
    *count = 0;
    for (size_t c = 0; c < train->classes && status >= 0; c++) {
        size_t size = members_count(&m, c);
        samples_rows(size, m.order + m.first[c], n2 * sizeof *room, train->X, room);
        if (size > 0)
            status = spd_mean(ctx, method->metric, train->n, size, room, NULL,
                              means + (*count)++ * n2, NULL);
    }
    members_free(&m);
    mem_free(room);
    return status < 0 ? status : SPD_OK;
}

/* P (n x n) <- M^-1/2 with M the arithmetic mean of `count` means. */
static spd_status whitener(spd_context *ctx, size_t n, size_t count, const double *means, double *P)
{
    spd_status status = spd_mean(ctx, SPD_EUCLIDEAN, n, count, means, NULL, P, NULL);
    return status < 0 ? status : spd_apply(ctx, SPD_INVSQRT, 0.0, n, 1, P, P);
}

/* B (n x n) <- sum of log(P M_c P)^2; means are overwritten. */
static spd_status sum_squared_logs(spd_context *ctx, size_t n, size_t count, double *means,
                                   const double *P, double *B)
{
    size_t n2 = n * n;
    double *work = mem_alloc(n2, sizeof *work);
    spd_status status = work ? SPD_OK : ctx_nomem(ctx, "class means");
    if (status == SPD_OK) {
        spd_private_blas_hold();
        for (size_t c = 0; c < count; c++)
            dense_congruence(n, P, means + c * n2, means + c * n2, work);
        spd_private_blas_release();
        status = spd_apply(ctx, SPD_LOG, 0.0, n, count, means, means);
    }
    memset(B, 0, n2 * sizeof *B);
    for (size_t c = 0; c < count && status == SPD_OK; c++) {
        dense_gram(n, means + c * n2, work);
        for (size_t e = 0; e < n2; e++)
            B[e] += work[e];
    }
    mem_free(work);
    return status;
}

/* W <- P U, made orthonormal. */
static spd_status unwhiten(spd_context *ctx, const map *a, const double *P, double *W)
{
    size_t n = a->n, m = a->m, size = tall_orthonormalise_work(n, m);
    double *U = mem_alloc(n, m * sizeof *U), *work = mem_alloc(size, sizeof *work);
    spd_status status = U && work ? SPD_OK : ctx_nomem(ctx, "a map");
    if (status == SPD_OK) {
        memcpy(U, W, n * m * sizeof *U);
        dense_trans_product(n, m, n, P, U, 0.0, W); /* P is symmetric */
        tall_orthonormalise(n, m, W, work);
    }
    mem_free(U);
    mem_free(work);
    return status;
}

static spd_status fit_csp(spd_context *ctx, const spd_method *method, const samples *train, map *a)
{
    size_t n2 = a->n * a->n, count = 0;
    double *means = mem_alloc(train->classes, n2 * sizeof *means);
    double *P = mem_alloc(n2, sizeof *P), *B = mem_alloc(n2, sizeof *B);
    spd_status status = means && P && B ? map_room(ctx, a) : ctx_nomem(ctx, "class means");
    if (status == SPD_OK)
        status = class_means(ctx, method, train, means, &count);
    if (status == SPD_OK)
        status = whitener(ctx, a->n, count, means, P);
    if (status == SPD_OK)
        status = sum_squared_logs(ctx, a->n, count, means, P, B);
    if (status == SPD_OK)
        status = leading(ctx, a->n, a->m, B, a->W);
    if (status == SPD_OK)
        status = unwhiten(ctx, a, P, a->W);
    mem_free(means);
    mem_free(P);
    mem_free(B);
    return status;
}

/* ---- all of them
 * --------------------------------------------------------------------------------- */

spd_status map_fit(spd_context *ctx, const spd_method *method, const samples *train,
                   map_graph graph, map *result)
{
    map a = {.n = train->n, .m = method_count(method, SPD_PARAM_M)};
    spd_status status = SPD_OK;
    if (method->map == SPD_MAP_NONE)
        a.m = a.n;
    if (a.m < 1 || a.m > a.n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "m = %zu is out of range: a map of %zu x %zu matrices has 1 <= m <= %zu",
                        a.m, a.n, a.n, a.n);
    if (a.m == a.n)
        status = SPD_OK;
    else if (method->map == SPD_MAP_ML)
        status = fit_ml(ctx, method, train, graph, &a);
    else if (method->map == SPD_MAP_MEAN)
        status = fit_mean(ctx, method, train, &a);
    else if (method->map == SPD_MAP_CSP)
        status = fit_csp(ctx, method, train, &a);
    else
        status = fit_start(ctx, method, train, &a);
    if (status < 0)
        map_free(&a);
    *result = a;
    return status;
}

spd_status map_apply(spd_context *ctx, const map *a, size_t p, const double *X, double **S)
{
    *S = NULL;
    if (!a->W)
        return SPD_OK;
    double *made = mem_alloc(p, a->m * a->m * sizeof *made);
    spd_status status = made ? spd_congruence(ctx, a->n, a->m, p, X, a->W, made)
                             : ctx_nomem(ctx, "mapped matrices");
    if (status < 0)
        mem_free(made);
    else
        *S = made;
    return status;
}
