/* map.c - fitting and applying the maps; formulas in map.h. */
#include "evaluate/map.h"

#include <string.h>

#include "base/rng.h"
#include "classify/samples.h"
#include "engine/blas.h"
#include "engine/parallel.h"
#include "evaluate/method.h"
#include "learn/start.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

/* W (n x m) <- the eigenvectors of symmetric M (n x n) with the largest eigenvalues, largest
 * first. */
static spd_status leading(spd_context *ctx, size_t n, size_t m, const double *M, double *W)
{
    arena room = {0};
    double *lambda = arena_alloc(&room, n, sizeof *lambda);
    double *V = arena_alloc(&room, n, n * sizeof *V);
    spd_status status = lambda && V ? spd_eigh(ctx, n, 1, M, lambda, V) : ctx_nomem(ctx, "a map");
    for (size_t r = 0; r < n && status == SPD_OK; r++)
        for (size_t c = 0; c < m; c++)
            W[r * m + c] = V[r * n + (n - 1 - c)];
    arena_free(&room);
    return status;
}

/* ---- the learned map ---------------------------------------------------------------------------
 */

static spd_status fit_ml(spd_context *ctx, const spd_method *method, const samples *train,
                         map_graph graph, map *a)
{
    spd_fit_options options = method_fit_options(method);
    if (graph.pairs) {
        options.learning = SPD_OWN_GRAPH;
        options.own_pairs = graph.pairs;
        options.pairs = graph.count;
        options.affinity_weight = 1.0; /* it is in the pairs already */
    }
    spd_status status =
        spd_fit(ctx, train->n, train->p, train->X, train->label, &options, NULL, &a->model);
    if (status < 0)
        return status;
    a->W = a->model->W;
    a->nu_w = a->model->options->nu_w;
    a->nu_b = a->model->options->nu_b;
    a->objective = a->model->options->objective;
    return SPD_OK;
}

static spd_status map_room(spd_context *ctx, arena *keep, map *a)
{
    a->W = arena_alloc(keep, a->n, a->m * sizeof *a->W);
    return a->W ? SPD_OK : ctx_nomem(ctx, "a map");
}

spd_status map_of_model(spd_context *ctx, const spd_model *model, arena *keep, map *a)
{
    *a = (map){.n = model->n,
               .m = model->m,
               .nu_w = model->options->nu_w,
               .nu_b = model->options->nu_b,
               .objective = model->options->objective};
    spd_status status = map_room(ctx, keep, a);
    if (status == SPD_OK)
        memcpy(a->W, model->W, a->n * a->m * sizeof *a->W);
    return status;
}

/* ---- maps without learning ----------------------------------------------------------------------
 */

/* random and pca are starts of the learner. */
static spd_status fit_start(spd_context *ctx, const spd_method *method, const samples *train,
                            const map *a)
{
    rng r;
    rng_seed(&r, method->fit ? method->fit->seed : 1);
    spd_init init = method->map == SPD_MAP_RANDOM ? SPD_INIT_RANDOM : SPD_INIT_MEAN;
    return start_point(ctx, init, a->n, a->m, train->p, train->X, NULL, &r, a->W);
}

static spd_status fit_mean(spd_context *ctx, const spd_method *method, const samples *train,
                           const map *a)
{
    arena room = {0};
    double *M = arena_alloc(&room, a->n, a->n * sizeof *M);
    spd_status status = M ? spd_mean(ctx, method->metric, a->n, train->p, train->X, NULL, M, NULL)
                          : ctx_nomem(ctx, "a map");
    if (status >= 0)
        status = leading(ctx, a->n, a->m, M, a->W);
    arena_free(&room);
    return status;
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
    arena room = {0};
    double *work = arena_alloc(&room, n2, sizeof *work);
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
    arena_free(&room);
    return status;
}

/* W <- P U, made orthonormal. */
static spd_status unwhiten(spd_context *ctx, const map *a, const double *P, double *W)
{
    size_t n = a->n, m = a->m;
    arena room = {0};
    double *U = arena_alloc(&room, n, m * sizeof *U);
    double *work = arena_alloc(&room, tall_orthonormalise_work(n, m), sizeof *work);
    spd_status status = arena_status(&room, ctx, "a map");
    if (status == SPD_OK) {
        memcpy(U, W, n * m * sizeof *U);
        dense_trans_product(n, m, n, P, U, 0.0, W); /* P is symmetric */
        tall_orthonormalise(n, m, W, work);
    }
    arena_free(&room);
    return status;
}

static spd_status fit_csp(spd_context *ctx, const spd_method *method, const samples *train,
                          const map *a)
{
    size_t n2 = a->n * a->n;
    arena room = {0};
    classes of = {0};
    double *means = arena_alloc(&room, train->classes, n2 * sizeof *means);
    double *P = arena_alloc(&room, n2, sizeof *P), *B = arena_alloc(&room, n2, sizeof *B);
    spd_status status = arena_status(&room, ctx, "class means");
    if (status == SPD_OK)
        status = classes_sort(ctx, train->p, train->label, &room, &of);
    if (status == SPD_OK)
        status = samples_class_means(ctx, method->metric, 0.0, train, &of, means);
    if (status >= 0)
        status = whitener(ctx, a->n, of.count, means, P);
    if (status == SPD_OK)
        status = sum_squared_logs(ctx, a->n, of.count, means, P, B);
    if (status == SPD_OK)
        status = leading(ctx, a->n, a->m, B, a->W);
    if (status == SPD_OK)
        status = unwhiten(ctx, a, P, a->W);
    arena_free(&room);
    return status;
}

/* ---- all of them -------------------------------------------------------------------------------
 */

spd_status map_fit(spd_context *ctx, const spd_method *method, const samples *train,
                   map_graph graph, arena *keep, map *a)
{
    *a = (map){.n = train->n, .m = method_count(method, SPD_PARAM_M)};
    if (method->map == SPD_MAP_NONE)
        a->m = a->n;
    if (a->m < 1 || a->m > a->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "m = %zu is out of range: a map of %zu x %zu matrices has 1 <= m <= %zu",
                        a->m, a->n, a->n, a->n);
    if (a->m == a->n)
        return SPD_OK;
    if (method->map == SPD_MAP_ML)
        return fit_ml(ctx, method, train, graph, a);
    spd_status status = map_room(ctx, keep, a);
    if (status < 0)
        return status;
    if (method->map == SPD_MAP_MEAN)
        return fit_mean(ctx, method, train, a);
    if (method->map == SPD_MAP_CSP)
        return fit_csp(ctx, method, train, a);
    return fit_start(ctx, method, train, a);
}

spd_status map_apply(spd_context *ctx, const map *a, arena *keep, samples *s)
{
    if (!a->W)
        return SPD_OK;
    double *S = arena_alloc(keep, s->p, a->m * a->m * sizeof *S);
    spd_status status = S ? spd_congruence(ctx, a->n, a->m, s->p, s->X, a->W, S)
                          : ctx_nomem(ctx, "mapped matrices");
    s->X = S;
    s->n = a->m;
    return status;
}
