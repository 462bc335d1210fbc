/* complex_map.c - maps that are real forms of complex ones.
 *
 * With P = W W' the projector onto the span, (P + J P J')/2 is the real form of a complex Hermitian
 * matrix, and its leading eigenvectors span the nearest complex map. A vector of the real form is
 * a complex vector with real and imaginary parts in turn, so that a complex basis is found by
 * Gram and Schmidt's method on complex numbers: each vector that is taken brings v and J v.
 *
 * At such a W, J W = W K with K = W'JW, and the gradient G of a cost that J does not change has
 * J G = G K too. What has it is G - J G K, halved. */
#include "learn/complex_map.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

/* ---- bases ---------------------------------------------------------------------------------- */

static double length2(size_t n, const double *v)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sum;
}

/* v (n numbers, n/2 complex) <- v - q (q^H v), q of length 1. */
static void take_off(size_t n, const double *q, double *v)
{
    double real = 0.0, imaginary = 0.0;
    for (size_t i = 0; i < n; i += 2) {
        real += q[i] * v[i] + q[i + 1] * v[i + 1];
        imaginary += q[i] * v[i + 1] - q[i + 1] * v[i];
    }
    for (size_t i = 0; i < n; i += 2) {
        v[i] -= real * q[i] - imaginary * q[i + 1];
        v[i + 1] -= real * q[i + 1] + imaginary * q[i];
    }
}

/* The first m/2 rows of V (m x n) <- orthonormal complex vectors that span what all rows do. */
static void orthonormalise(size_t n, size_t m, double *V)
{
    for (size_t k = 0; k < m / 2; k++) {
        size_t best = k;
        double most = -1.0, *q = V + k * n;
        for (size_t j = k; j < m; j++) {
            double here = length2(n, V + j * n);
            best = here > most ? j : best;
            most = here > most ? here : most;
        }
        for (size_t i = 0; i < n; i++) {
            double swap = V[best * n + i];
            V[best * n + i] = q[i];
            q[i] = swap;
        }
        for (size_t j = 0; j < k; j++) /* once more: what is left of it may be small */
            take_off(n, V + j * n, q);
        double scale = 1.0 / sqrt(length2(n, q));
        for (size_t i = 0; i < n; i++)
            q[i] *= scale;
        for (size_t j = k + 1; j < m; j++)
            take_off(n, q, V + j * n);
    }
}

/* W (n x m) <- the real form of the complex vectors in the first m/2 rows of V. */
static void put_columns(size_t n, size_t m, const double *V, double *W)
{
    for (size_t i = 0; i < n; i += 2)
        for (size_t k = 0; k < m; k += 2) {
            double real = V[k / 2 * n + i], imaginary = V[k / 2 * n + i + 1];
            W[i * m + k] = W[(i + 1) * m + k + 1] = real;
            W[i * m + k + 1] = -imaginary;
            W[(i + 1) * m + k] = imaginary;
        }
}

void complex_map_basis(size_t n, size_t m, double *W, double *work)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            work[k * n + i] = W[i * m + k];
    orthonormalise(n, m, work);
    put_columns(n, m, work, W);
}

spd_status complex_map_nearest(spd_context *ctx, size_t n, size_t m, double *W)
{
    arena room = {0};
    double *P = arena_alloc(&room, n, n * sizeof *P), *Z = arena_alloc(&room, n, n * sizeof *Z);
    double *V = arena_alloc(&room, m, n * sizeof *V), *lambda = arena_alloc(&room, n, sizeof *P);
    double *work = arena_alloc(&room, dense_eigh_some_work(n), sizeof *work);
    spd_status status = arena_status(&room, ctx, "the map");
    if (status == SPD_OK) {
        tall_product_trans(n, m, n, W, W, P);
        spd_complex_extract(n / 2, n / 2, 1, P, Z);
        spd_complex_embed(n / 2, n / 2, 1, Z, P);
        if (dense_eigh_some(n, n - m, m, P, lambda, V, work))
            status = ctx_fail(ctx, SPD_ENUMERIC, "the nearest complex map did not converge");
    }
    if (status == SPD_OK) {
        orthonormalise(n, m, V);
        put_columns(n, m, V, W);
    }
    arena_free(&room);
    return status;
}

/* ---- the problem ---------------------------------------------------------------------------- */

typedef struct kept {
    problem base;
    problem *inside;
    double *W, *U; /* n x m: where it is, and where it goes */
    double *sigma; /* m */
    double *A;     /* n x m */
    double *K;     /* m x m */
    arena room;    /* where this lies */
} kept;

/* A (n x m) <- J B */
static void turn(size_t n, size_t m, const double *B, double *A)
{
    for (size_t i = 0; i < n; i += 2)
        for (size_t k = 0; k < m; k++) {
            A[i * m + k] = -B[(i + 1) * m + k];
            A[(i + 1) * m + k] = B[i * m + k];
        }
}

static spd_status kept_start(problem *base, const double *W)
{
    kept *s = (kept *)base;
    memcpy(s->W, W, base->n * base->m * sizeof *W);
    return s->inside->start(s->inside, W);
}

static spd_status kept_cost_grad(problem *base, double *f, double *G)
{
    kept *s = (kept *)base;
    size_t n = base->n, m = base->m;
    spd_status status = s->inside->cost_grad(s->inside, f, G);
    if (status != SPD_OK)
        return status;
    turn(n, m, s->W, s->A);
    tall_inner(n, m, s->W, s->A, s->K);
    turn(n, m, G, s->A);
    tall_add(n, m, -1.0, s->A, s->K, G);
    for (size_t e = 0; e < n * m; e++)
        G[e] *= 0.5;
    return SPD_OK;
}

static spd_status kept_aim(problem *base, const double *U, const double *sigma, const double *V)
{
    kept *s = (kept *)base;
    tall_multiply(base->n, base->m, s->W, V, s->A);
    memcpy(s->U, U, base->n * base->m * sizeof *U);
    memcpy(s->sigma, sigma, base->m * sizeof *sigma);
    return s->inside->aim(s->inside, U, sigma, V);
}

static void kept_ahead(problem *base, double t)
{
    kept *s = (kept *)base;
    s->inside->ahead(s->inside, t);
}

static spd_status kept_probe(problem *base, double t, double *f, double *df)
{
    kept *s = (kept *)base;
    return s->inside->probe(s->inside, t, f, df);
}

static spd_status kept_step(problem *base, double t)
{
    kept *s = (kept *)base;
    size_t m = base->m;
    for (size_t e = 0; e < base->n * m; e++) {
        double angle = s->sigma[e % m] * t;
        s->W[e] = s->W[e] * cos(angle) + s->U[e] * sin(angle);
    }
    return s->inside->step(s->inside, t);
}

static void kept_free(problem *base)
{
    kept *s = (kept *)base;
    arena room = s->room;
    s->inside->free(s->inside);
    arena_free(&room);
}

spd_status complex_map_wrap(spd_context *ctx, problem *inside, problem **wrapped)
{
    arena room = {0};
    size_t n = inside->n, m = inside->m;
    kept *s = arena_zero(&room, 1, sizeof *s);
    double *block = arena_alloc(&room, 3 * n + m + 1, m * sizeof *block);
    spd_status status = arena_status(&room, ctx, "the map");
    if (status < 0) {
        inside->free(inside);
        arena_free(&room);
        return status;
    }
    s->base = (problem){.n = n,
                        .m = m,
                        .grad_pass = inside->grad_pass,
                        .start = kept_start,
                        .cost_grad = kept_cost_grad,
                        .aim = kept_aim,
                        .ahead = inside->ahead ? kept_ahead : NULL,
                        .probe = kept_probe,
                        .step = kept_step,
                        .free = kept_free};
    s->inside = inside;
    s->W = block;
    s->U = s->W + n * m;
    s->A = s->U + n * m;
    s->K = s->A + n * m;
    s->sigma = s->K + m * m;
    s->room = room;
    *wrapped = &s->base;
    return SPD_OK;
}
