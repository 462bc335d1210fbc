/* krr_fit.c - every setting on all samples or, of many, on some; then the coefficients. */
#include "classify/krr_fit.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "classify/samples.h"
#include "classify/values.h"
#include "classify/vectors.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "run/blas.h"

#define ROWS 256 /* of a large matrix at a time */

/* Added to the kernel of the landmarks, which may be close to each other. */
#define JITTER 1e-10

static spd_status make_room(spd_context *ctx, const krr_problem *p, arena *keep, krr_fit *f)
{
    size_t count = p->to.count, rows = !p->D2 ? 0 : p->landmarks ? p->some : p->to.p;
    *f = (krr_fit){.lambda = NAN,
                   .A = arena_zero(keep, rows, count * sizeof *f->A),
                   .w = arena_zero(keep, p->rank, count * sizeof *f->w),
                   .bias = arena_zero(keep, count, sizeof *f->bias),
                   .left = arena_zero(keep, p->to.p, count * sizeof *f->left)};
    return arena_status(keep, ctx, "kernel ridge regression");
}

/* f->w <- scale T'A. */
static void take_weights(const krr_problem *p, krr_fit *f)
{
    size_t count = p->to.count;
    if (!p->rank || !p->D2)
        return;
    spd_private_blas_hold();
    dense_trans_product(p->rank, count, p->to.p, p->T, f->A, 0.0, f->w);
    spd_private_blas_release();
    for (size_t e = 0; e < p->rank * count; e++)
        f->w[e] *= p->scale;
}

/* ---- every setting --------------------------------------------------------------------------- */

/* K (p x p) <- the kernel. */
static spd_status fill_kernel(spd_context *ctx, const krr_problem *p, double beta, double *K)
{
    size_t size = p->to.p;
    spd_status status = SPD_OK;
    if (p->rank)
        status = vectors_products(ctx, p->rank, size, p->T, size, p->T, K);
    else
        memset(K, 0, size * size * sizeof *K);
    for (size_t e = 0; status == SPD_OK && e < size * size; e++)
        K[e] = p->scale * K[e] + exp(-beta * p->D2[e]);
    if (status == SPD_OK)
        spd_symmetrize(size, 1, K);
    return status;
}

/* f <- this setting, if it is better. left (p x count) was predicted. Non-zero: it is. */
static int take_setting(const krr_problem *p, ridge_quality q, double scale, double beta,
                        double lambda, const double *left, krr_fit *f)
{
    if (!isnan(f->lambda) && !ridge_is_better(q, f->quality))
        return 0;
    f->quality = q;
    f->scale = scale;
    f->beta = beta;
    f->lambda = lambda;
    memcpy(f->left, left, p->to.p * p->to.count * sizeof *left);
    return 1;
}

static spd_status try_path(spd_context *ctx, const krr_problem *p, ridge *r, tried lambda,
                           double scale, double beta, krr_fit *f)
{
    arena room = {0};
    double *left = arena_alloc(&room, p->to.p, p->to.count * sizeof *left);
    spd_status status = arena_status(&room, ctx, "a kernel");
    for (size_t k = 0; status == SPD_OK && k < lambda.count; k++) {
        ridge_quality q;
        status = ridge_leave_out(ctx, r, lambda.value[k], left, &q);
        if (status == SPD_OK && take_setting(p, q, scale, beta, lambda.value[k], left, f))
            ridge_solve(r, f->lambda, p->D2 ? f->A : f->w, f->bias);
    }
    arena_free(&room);
    return status;
}

/* The path over lambda at one beta; what is better than *f replaces it. */
static spd_status follow_path(spd_context *ctx, const krr_problem *p, tried lambda, double scale,
                              double beta, krr_fit *f)
{
    arena room = {0};
    ridge r;
    size_t columns = p->D2 ? p->to.p : p->rank;
    double *K = arena_alloc(&room, p->to.p, columns * sizeof *K);
    spd_status status = arena_status(&room, ctx, "a kernel");
    if (status == SPD_OK && !p->D2) {
        for (size_t e = 0; e < p->to.p * p->rank; e++) /* their inner products are the kernel */
            K[e] = sqrt(p->scale) * p->T[e];
        status = ridge_open_vectors(ctx, &p->to, p->rank, K, &room, &r);
    } else if (status == SPD_OK) {
        status = fill_kernel(ctx, p, beta, K);
        if (status == SPD_OK)
            status = ridge_open(ctx, &p->to, K, &room, &r);
    }
    if (status == SPD_OK)
        status = try_path(ctx, p, &r, lambda, scale, beta, f);
    arena_free(&room);
    return status;
}

static spd_status try_all(spd_context *ctx, const krr_problem *p, const krr_grid *g, krr_fit *f)
{
    spd_status status = SPD_OK;
    if (!p->D2 || !isnan(g->beta))
        status = follow_path(ctx, p, g->lambda, 0.0, g->beta, f);
    for (size_t e = 0; !p->D2 && status == SPD_OK && e < p->rank * p->to.count; e++)
        f->w[e] *= sqrt(p->scale); /* they are of vectors times this */
    if (!p->D2 || !isnan(g->beta))
        return status;
    for (size_t i = 0; i < g->scale.count && status == SPD_OK; i++)
        status =
            follow_path(ctx, p, g->lambda, g->scale.value[i], g->scale.value[i] / p->median, f);
    return status;
}

/* ---- some of many ---------------------------------------------------------------------------- */

/* part <- the problem on some of the samples. */
static spd_status take_part(spd_context *ctx, const krr_problem *p, arena *keep, krr_problem *part)
{
    const ridge_targets *to = &p->to;
    size_t columns = to->count, count = p->some;
    const size_t *index = p->index;
    double *Y = arena_alloc(keep, count, columns * sizeof *Y);
    size_t *at = to->at ? arena_alloc(keep, count, sizeof *at) : NULL;
    int *group = to->groups ? arena_alloc(keep, count, sizeof *group) : NULL;
    classes *groups = arena_zero(keep, 1, sizeof *groups);
    double *T = arena_alloc(keep, count, p->rank * sizeof *T);
    *part = *p;
    part->some = 0;
    part->landmarks = 0;
    part->T = T;
    part->D2 = arena_alloc(keep, count, count * sizeof *part->D2);
    spd_status status = arena_status(keep, ctx, "some of the samples");
    if (status < 0)
        return status;
    samples_rows(count, index, columns * sizeof *Y, to->Y, Y);
    if (p->rank)
        samples_rows(count, index, p->rank * sizeof *T, p->T, T);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            part->D2[i * count + j] = p->landmarks ? p->D2[i * to->p + index[j]]
                                      : i < j      ? p->D2[index[i] * to->p + index[j]]
                                                   : p->D2[index[j] * to->p + index[i]];
    if (at)
        samples_rows(count, index, sizeof *at, to->at, at);
    if (group) {
        samples_rows(count, index, sizeof *group, to->groups->label, group);
        status = classes_sort(ctx, count, group, keep, groups);
    }
    part->to = (ridge_targets){.p = count,
                               .count = columns,
                               .Y = Y,
                               .at = at,
                               .groups = group && groups->count > 1 ? groups : NULL};
    return status == SPD_OK ? values_median_above(ctx, count, part->D2, &part->median) : status;
}

/* f's scale, beta and lambda <- the best on some samples. */
static spd_status try_on_some(spd_context *ctx, const krr_problem *p, const krr_grid *g, krr_fit *f)
{
    arena room = {0};
    krr_problem part;
    krr_fit found;
    spd_status status = take_part(ctx, p, &room, &part);
    if (status == SPD_OK)
        status = make_room(ctx, &part, &room, &found);
    if (status == SPD_OK)
        status = try_all(ctx, &part, g, &found);
    if (status == SPD_OK) {
        f->scale = found.scale;
        f->beta = found.beta;
        f->lambda = found.lambda;
    }
    arena_free(&room);
    return status;
}

/* ---- many ------------------------------------------------------------------------------------ */

/* The lower triangle of p->D2 <- the kernel, from the upper one. */
static spd_status fill_lower(spd_context *ctx, const krr_problem *p, double beta)
{
    size_t size = p->to.p;
    arena room = {0};
    double *part = arena_zero(&room, ROWS, size * sizeof *part);
    spd_status status = arena_status(&room, ctx, "a kernel");
    for (size_t first = 0; status == SPD_OK && first < size; first += ROWS) {
        size_t last = smaller(first + ROWS, size);
        if (p->rank)
            status = vectors_products(ctx, p->rank, last - first, p->T + first * p->rank, last,
                                      p->T, part);
        for (size_t from = 0; status == SPD_OK && from < last; from += ROWS)
            for (size_t i = first; i < last; i++)
                for (size_t j = from; j <= i && j < from + ROWS; j++) {
                    double d2 = i == j ? 0.0 : p->D2[j * size + i];
                    p->D2[i * size + j] = exp(-beta * d2) + p->scale * part[(i - first) * last + j];
                }
    }
    arena_free(&room);
    return status;
}

static spd_status solve_many(spd_context *ctx, const krr_problem *p, int fixed, krr_fit *f)
{
    spd_status status = SPD_ENUMERIC;
    for (int step = 0; status == SPD_ENUMERIC && step < (fixed ? 1 : 6); step++) {
        f->lambda *= step ? 10.0 : 1.0; /* the kernel of all has eigenvalues below zero */
        ctx_clear(ctx);
        status = fill_lower(ctx, p, f->beta);
        if (status == SPD_OK)
            status = ridge_once(ctx, &p->to, f->lambda, p->D2, f->left, &f->quality, f->A, f->bias);
    }
    for (size_t i = 0; i < p->to.p; i++)
        p->D2[i * p->to.p + i] = 0.0;
    if (status == SPD_OK)
        take_weights(p, f);
    return status;
}

/* ---- landmarks ------------------------------------------------------------------------------- */

/* V (p x (marks + rank)) <- vectors whose inner products are the kernel that the landmarks span: L^-1
 * k of each sample, with L L' the kernel of the landmarks, and its vector. */
static spd_status span(spd_context *ctx, const krr_problem *p, double beta, double *L, double *V,
                       double *missed)
{
    size_t marks = p->some, size = p->to.p, dim = marks + p->rank;
    arena room = {0};
    double *k = arena_alloc(&room, marks, ROWS * sizeof *k);
    spd_status status = arena_status(&room, ctx, "landmarks");
    if (status < 0)
        return status;
    for (size_t i = 0; i < marks; i++)
        for (size_t j = 0; j < marks; j++)
            L[i * marks + j] = exp(-beta * p->D2[i * size + p->index[j]]) +
                               (i == j ? JITTER * (double)marks : 0.0);
    spd_private_blas_hold();
    if (dense_chol(marks, L))
        status =
            ctx_fail(ctx, SPD_ENUMERIC,
                     "the kernel of %zu landmarks is not definite: a larger beta is needed", marks);
    *missed = 0.0;
    for (size_t first = 0; status == SPD_OK && first < size; first += ROWS) {
        size_t count = smaller(ROWS, size - first);
        for (size_t a = 0; a < marks; a++)
            for (size_t i = 0; i < count; i++)
                k[a * count + i] = exp(-beta * p->D2[a * size + first + i]);
        tall_solve(marks, count, L, k);
        for (size_t i = 0; i < count; i++) {
            double *v = V + (first + i) * dim, length = 0.0;
            for (size_t a = 0; a < marks; a++) {
                v[a] = k[a * count + i];
                length += v[a] * v[a];
            }
            for (size_t a = 0; a < p->rank; a++)
                v[marks + a] = sqrt(p->scale) * p->T[(first + i) * p->rank + a];
            *missed += fmax(1.0 - length, 0.0) / (double)size;
        }
    }
    spd_private_blas_release();
    arena_free(&room);
    return status;
}

static spd_status solve_on_landmarks(spd_context *ctx, const krr_problem *p, krr_fit *f)
{
    size_t marks = p->some, dim = marks + p->rank, count = p->to.count;
    arena room = {0};
    ridge r;
    double *L = arena_alloc(&room, marks, marks * sizeof *L);
    double *V = arena_alloc(&room, p->to.p, dim * sizeof *V);
    double *w = arena_alloc(&room, dim, count * sizeof *w);
    spd_status status = arena_status(&room, ctx, "landmarks");
    if (status == SPD_OK)
        status = span(ctx, p, f->beta, L, V, &f->missed);
    if (status == SPD_OK)
        status = ridge_open_vectors(ctx, &p->to, dim, V, &room, &r);
    if (status == SPD_OK)
        status = ridge_leave_out(ctx, &r, f->lambda, f->left, &f->quality);
    if (status == SPD_OK) {
        ridge_solve(&r, f->lambda, w, f->bias);
        memcpy(f->A, w, marks * count * sizeof *w);
        spd_private_blas_hold();
        tall_solve_trans(marks, count, L, f->A);
        spd_private_blas_release();
        for (size_t e = 0; e < p->rank * count; e++)
            f->w[e] = sqrt(p->scale) * w[marks * count + e];
    }
    arena_free(&room);
    return status;
}

spd_status krr_fit_best(spd_context *ctx, const krr_problem *p, const krr_grid *grid, arena *keep,
                        krr_fit *f)
{
    int many = p->D2 && p->some;
    spd_status status = make_room(ctx, p, keep, f);
    if (status == SPD_OK)
        status = many ? try_on_some(ctx, p, grid, f) : try_all(ctx, p, grid, f);
    if (status == SPD_OK && !many)
        take_weights(p, f);
    else if (status == SPD_OK)
        status = p->landmarks ? solve_on_landmarks(ctx, p, f)
                              : solve_many(ctx, p, grid->lambda.count == 1, f);
    return status;
}
