/* kernel_pls.c - kernel partial least squares (Rosipal and Trejo 2001).
 *
 * NIPALS repeats  t = K u / |K u|,  c = Y't,  u = Y c  until t stands still, then deflates
 * K <- (I - tt')K(I - tt'),  Y <- (I - tt')Y.  Its fixed point is known without repeating:
 *
 *   c = leading eigenvector of Y'KY,   u = Y c,   t = (I - TT') K u,  normalised
 *
 * With Y deflated, T'Y = 0, so that Y'KY and u are the same for the deflated K and for K itself: K
 * is never changed. K u lies in the span of the t found so far and t itself, hence T'KU is upper
 * triangular and  B = U (T'KU)^-1 T'Y  a back substitution. */
#include "classify/kernel_pls.h"

#include <math.h>
#include <string.h>

#include "run/blas.h"
#include "run/parallel.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

/* Y, or what K adds to T, is used up when so little of it is left. */
#define NOTHING 1e-10

typedef struct pls_run {
    const double *K; /* p x p */
    double *T;       /* room x p, orthonormal rows */
    double *Y, *KY;  /* p x outputs: deflated Y, and K times it */
    double *M;       /* outputs x outputs: Y'KY */
    double *c, *tY;  /* outputs: the eigenvector; t'Y */
    double *Kt;      /* p */
    double *work;
} pls_run;

static double length(size_t count, const double *a)
{
    return sqrt(tall_dot(count, 1, a, a));
}

/* out (p) <- A c for A (p x outputs). */
static void combine(size_t p, size_t outputs, const double *A, const double *c, double *out)
{
    for (size_t i = 0; i < p; i++)
        out[i] = tall_dot(outputs, 1, A + i * outputs, c);
}

/* A (p x outputs) <- A - x y' */
static void subtract(size_t p, size_t outputs, const double *x, const double *y, double *A)
{
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < outputs; c++)
            A[i * outputs + c] -= x[i] * y[c];
}

/* t (p) <- t minus its part in the first a rows of T, which is added to column a of R. */
static void project(const kernel_pls *pls, const double *T, size_t a, double *t)
{
    size_t p = pls->p;
    for (size_t b = 0; b < a; b++) {
        double part = tall_dot(p, 1, T + b * p, t);
        for (size_t i = 0; i < p; i++)
            t[i] -= part * T[b * p + i];
        pls->R[b * pls->room + a] += part;
    }
}

/* Component a: u and t, and column a of R. 0 when there is none. */
static int next_component(const kernel_pls *pls, pls_run *r, size_t a)
{
    size_t p = pls->p, outputs = pls->outputs;
    double *u = pls->U + a * p, *t = r->T + a * p, lambda;
    dense_trans_product(outputs, outputs, p, r->Y, r->KY, 0.0, r->M);
    spd_symmetrize(outputs, 1, r->M);
    if (dense_eigh_some(outputs, outputs - 1, 1, r->M, &lambda, r->c, r->work) || !(lambda > 0.0))
        return 0;
    combine(p, outputs, r->Y, r->c, u);
    combine(p, outputs, r->KY, r->c, t);
    double before = length(p, t);
    project(pls, r->T, a, t);
    project(pls, r->T, a, t); /* what rounding left of the first time */
    double left = length(p, t);
    if (!(left > NOTHING * before))
        return 0;
    for (size_t i = 0; i < p; i++)
        t[i] /= left;
    pls->R[a * pls->room + a] = left;
    return 1;
}

/* Y and K Y without their part along t, row a of T; row a of C <- t'Y. */
static void deflate(const kernel_pls *pls, pls_run *r, size_t a)
{
    size_t p = pls->p, outputs = pls->outputs;
    const double *t = r->T + a * p;
    dense_trans_product(1, outputs, p, t, r->Y, 0.0, r->tY);
    memcpy(pls->C + a * outputs, r->tY, outputs * sizeof *r->tY);
    dense_trans_product(p, 1, p, r->K, t, 0.0, r->Kt);
    subtract(p, outputs, t, r->tY, r->Y);
    subtract(p, outputs, r->Kt, r->tY, r->KY);
}

static void find_components(kernel_pls *pls, pls_run *r)
{
    size_t entries = pls->p * pls->outputs;
    double whole = length(entries, r->Y);
    dense_trans_product(pls->p, pls->outputs, pls->p, r->K, r->Y, 0.0, r->KY);
    while (pls->count < pls->room && !pls->exhausted) {
        if (length(entries, r->Y) <= NOTHING * whole || !next_component(pls, r, pls->count))
            pls->exhausted = 1;
        else
            deflate(pls, r, pls->count++);
    }
}

spd_status kernel_pls_fit(spd_context *ctx, size_t p, size_t outputs, const double *K,
                          const double *Y, size_t components, arena *keep, kernel_pls *pls)
{
    arena own = {0};
    size_t room = components < p ? components : p;
    *pls = (kernel_pls){.p = p,
                        .outputs = outputs,
                        .room = room,
                        .U = arena_alloc(keep, room, p * sizeof *pls->U),
                        .R = arena_zero(keep, room, room * sizeof *pls->R),
                        .C = arena_alloc(keep, room, outputs * sizeof *pls->C)};
    pls_run r = {.K = K,
                 .T = arena_alloc(&own, room, p * sizeof *r.T),
                 .Y = arena_alloc(&own, p, outputs * sizeof *r.Y),
                 .KY = arena_alloc(&own, p, outputs * sizeof *r.KY),
                 .M = arena_alloc(&own, outputs, outputs * sizeof *r.M),
                 .c = arena_alloc(&own, outputs, sizeof *r.c),
                 .tY = arena_alloc(&own, outputs, sizeof *r.tY),
                 .Kt = arena_alloc(&own, p, sizeof *r.Kt),
                 .work = arena_alloc(&own, dense_eigh_some_work(outputs), sizeof *r.work)};
    spd_status status =
        keep->failed || own.failed ? ctx_nomem(ctx, "partial least squares") : SPD_OK;
    if (status == SPD_OK) {
        memcpy(r.Y, Y, p * outputs * sizeof *Y);
        spd_private_blas_hold();
        find_components(pls, &r);
        spd_private_blas_release();
    }
    arena_free(&own);
    return status;
}

void kernel_pls_coefficients(const kernel_pls *pls, size_t components, double *B, double *work)
{
    size_t outputs = pls->outputs, a = components < pls->count ? components : pls->count;
    double *Z = work; /* a x outputs: R^-1 C, from the last row up */
    memcpy(Z, pls->C, a * outputs * sizeof *Z);
    for (size_t i = a; i-- > 0;)
        for (size_t c = 0; c < outputs; c++) {
            for (size_t j = i + 1; j < a; j++)
                Z[i * outputs + c] -= pls->R[i * pls->room + j] * Z[j * outputs + c];
            Z[i * outputs + c] /= pls->R[i * pls->room + i];
        }
    memset(B, 0, pls->p * outputs * sizeof *B);
    spd_private_blas_hold();
    dense_trans_product(pls->p, outputs, a, pls->U, Z, 1.0, B);
    spd_private_blas_release();
}
