/* cdl_lda.c - covariance discriminative learning with kernel discriminant analysis (Wang, Guo,
 * Davis, Dai 2012).
 *
 *   K centred (log_kernel.h), E (p x classes) with 1/sqrt(n_c) where a sample is of class c
 *   between  B = K E E' K      total  T = K K + 0.01 I      B a = lambda T a,  a'K a = 1
 *
 * and nearest neighbours among the coordinates K a. With K = V diag(s) V' and
 * M = T^-1/2 K E = V diag(s / sqrt(s^2 + 0.01)) V'E  the problem has the size of the classes:
 * M'M z = lambda z,  a = T^-1/2 M z = V diag(s / (s^2 + 0.01)) V'E z. There are classes - 1
 * directions, and a'1 = 0. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/log_kernel.h"
#include "classify/vectors.h"
#include "engine/blas.h"
#include "engine/parallel.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

#define RIDGE   0.01  /* of T */
#define NOTHING 1e-12 /* directions whose lambda is so small beside the largest say nothing */

typedef struct lda_prepared {
    log_kernel kernel;
    size_t dim;
    double *A; /* p x dim: a direction per column */
    double *V; /* p x dim: coordinates of the training samples */
} lda_prepared;

typedef struct lda_met {
    size_t q;
    double *Q; /* q x dim */
} lda_met;

/* ---- directions ----------------------------------------------------------------------------- */

typedef struct lda_room {
    double *s, *V; /* p, p x p: eigenvalues and eigenvectors of K */
    double *E, *F; /* p x classes: E and V'E */
    double *M;     /* p x classes: V'M of the head of this file; then directions */
    double *Z;     /* classes x classes: M'M, then its eigenvectors */
    double *mu;    /* classes: eigenvalues */
    double *work;
} lda_room;

static spd_status room_new(spd_context *ctx, size_t p, size_t classes, lda_room *r)
{
    size_t most = p > classes ? p : classes;
    *r = (lda_room){0};
    r->s = mem_alloc(p, sizeof *r->s);
    r->V = mem_alloc(p, p * sizeof *r->V);
    r->E = mem_zero(p, classes * sizeof *r->E);
    r->F = mem_alloc(p, classes * sizeof *r->F);
    r->M = mem_alloc(p, classes * sizeof *r->M);
    r->Z = mem_alloc(classes, classes * sizeof *r->Z);
    r->mu = mem_alloc(classes, sizeof *r->mu);
    r->work = mem_alloc(dense_eigh_work(most), sizeof *r->work);
    if (r->s && r->V && r->E && r->F && r->M && r->Z && r->mu && r->work)
        return SPD_OK;
    return ctx_nomem(ctx, "the directions of cdl-lda");
}

static void room_free(lda_room *r)
{
    mem_free(r->s);
    mem_free(r->V);
    mem_free(r->E);
    mem_free(r->F);
    mem_free(r->M);
    mem_free(r->Z);
    mem_free(r->mu);
    mem_free(r->work);
}

/* E (p x classes, zero before) <- 1/sqrt(n_c); count (classes) <- n_c. */
static void indicators(const samples *train, double *E, double *count)
{
    memset(count, 0, train->classes * sizeof *count);
    for (size_t i = 0; i < train->p; i++)
        count[train->label[i]] += 1.0;
    for (size_t i = 0; i < train->p; i++) {
        size_t c = (size_t)train->label[i];
        E[i * train->classes + c] = 1.0 / sqrt(count[c]);
    }
}

/* M <- diag(s / sqrt(s^2 + RIDGE)) F */
static void whiten(size_t p, size_t classes, const double *s, const double *F, double *M)
{
    for (size_t i = 0; i < p; i++) {
        double factor = s[i] / sqrt(s[i] * s[i] + RIDGE);
        for (size_t c = 0; c < classes; c++)
            M[i * classes + c] = factor * F[i * classes + c];
    }
}

/* Eigenvalues and eigenvectors of K and of M'M. */
static spd_status solve(spd_context *ctx, const log_kernel *kernel, lda_room *r)
{
    size_t p = kernel->train.p, classes = kernel->train.classes;
    memcpy(r->V, kernel->K, p * p * sizeof *r->V);
    if (dense_eigh(p, 1, r->V, r->s, r->work))
        return ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of the kernel did not converge");
    indicators(&kernel->train, r->E, r->mu);
    dense_trans_product(p, classes, p, r->V, r->E, 0.0, r->F);
    whiten(p, classes, r->s, r->F, r->M);
    dense_trans_product(classes, classes, p, r->M, r->M, 0.0, r->Z);
    spd_symmetrize(classes, 1, r->Z);
    if (dense_eigh(classes, 1, r->Z, r->mu, r->work))
        return ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of cdl-lda did not converge");
    return SPD_OK;
}

/* How many directions tell classes apart; one (of zeros) where none does. */
static size_t directions(size_t classes, const double *mu)
{
    size_t dim = 0;
    while (dim + 1 < classes && mu[classes - 1 - dim] > NOTHING * mu[classes - 1])
        dim++;
    return dim ? dim : 1;
}

/* Column d of G (p x dim) <- V'a of the d-th best direction, scaled to a'Ka = 1. */
static void direction(const samples *train, const lda_room *r, size_t dim, size_t d, double *G)
{
    size_t p = train->p, classes = train->classes;
    double aKa = 0.0;
    for (size_t i = 0; i < p; i++) {
        double Fz = 0.0, s = r->s[i];
        for (size_t c = 0; c < classes; c++)
            Fz += r->F[i * classes + c] * r->Z[c * classes + classes - 1 - d];
        G[i * dim + d] = s / (s * s + RIDGE) * Fz;
        aKa += s * G[i * dim + d] * G[i * dim + d];
    }
    for (size_t i = 0; i < p; i++)
        G[i * dim + d] *= aKa > 0.0 ? 1.0 / sqrt(aKa) : 0.0;
}

/* A <- V G and coordinates K A <- V diag(s) G. */
static void take_back(lda_prepared *t, lda_room *r)
{
    size_t p = t->kernel.train.p, dim = t->dim;
    double *G = r->M; /* spent; dim <= classes */
    for (size_t d = 0; d < dim; d++)
        direction(&t->kernel.train, r, dim, d, G);
    tall_product(p, p, dim, r->V, G, t->A);
    for (size_t i = 0; i < p; i++)
        for (size_t d = 0; d < dim; d++)
            G[i * dim + d] *= r->s[i];
    tall_product(p, p, dim, r->V, G, t->V);
}

static spd_status find_directions(spd_context *ctx, lda_prepared *t)
{
    size_t p = t->kernel.train.p, classes = t->kernel.train.classes;
    lda_room r;
    spd_status status = room_new(ctx, p, classes, &r);
    spd_private_blas_hold();
    if (status == SPD_OK)
        status = solve(ctx, &t->kernel, &r);
    if (status == SPD_OK) {
        t->dim = directions(classes, r.mu);
        t->A = mem_alloc(p, t->dim * sizeof *t->A);
        t->V = mem_alloc(p, t->dim * sizeof *t->V);
        if (t->A && t->V)
            take_back(t, &r);
        else
            status = ctx_nomem(ctx, "the directions of cdl-lda");
    }
    spd_private_blas_release();
    room_free(&r);
    return status;
}

/* ---- the classifier ------------------------------------------------------------------------- */

static void release_prepared(void *prepared)
{
    lda_prepared *t = prepared;
    if (!t)
        return;
    log_kernel_free(&t->kernel);
    mem_free(t->A);
    mem_free(t->V);
    mem_free(t);
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    lda_prepared *t = mem_zero(1, sizeof *t);
    (void)method;
    if (!t)
        return ctx_nomem(ctx, "cdl-lda");
    spd_status status = log_kernel_new(ctx, train, &t->kernel);
    if (status == SPD_OK)
        status = find_directions(ctx, t);
    if (status == SPD_OK)
        *prepared = t;
    else
        release_prepared(t);
    return status;
}

static void release_met(void *met)
{
    lda_met *m = met;
    if (m)
        mem_free(m->Q);
    mem_free(m);
}

/* m->Q <- Kt'A for Kt (p x q) lent. */
static spd_status project(spd_context *ctx, const lda_prepared *t, const samples *queries,
                          double *Kt, lda_met *m)
{
    spd_status status = log_kernel_meet(ctx, &t->kernel, queries, Kt);
    if (status == SPD_OK) {
        spd_private_blas_hold();
        dense_trans_product(m->q, t->dim, t->kernel.train.p, Kt, t->A, 0.0, m->Q);
        spd_private_blas_release();
    }
    return status;
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const lda_prepared *t = prepared;
    lda_met *m = mem_zero(1, sizeof *m);
    double *Kt = mem_alloc(t->kernel.train.p, queries->p * sizeof *Kt);
    spd_status status = m && Kt ? SPD_OK : ctx_nomem(ctx, "the kernel of the queries");
    if (status == SPD_OK) {
        m->q = queries->p;
        m->Q = mem_alloc(m->q, t->dim * sizeof *m->Q);
        status = m->Q ? project(ctx, t, queries, Kt, m) : ctx_nomem(ctx, "coordinates of cdl-lda");
    }
    if (status == SPD_OK)
        *met = m;
    else
        release_met(m);
    mem_free(Kt);
    return status;
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const lda_prepared *t = prepared;
    const lda_met *m = met;
    int64_t *index = mem_alloc(m->q, sizeof *index);
    (void)trained;
    (void)method;
    spd_status status =
        index ? vectors_nearest(ctx, t->dim, t->kernel.train.p, t->V, m->q, m->Q, index)
              : ctx_nomem(ctx, "neighbours");
    for (size_t i = 0; status == SPD_OK && i < m->q; i++)
        label[i] = t->kernel.train.label[index[i]];
    mem_free(index);
    return status;
}

const classifier classifier_cdl_lda = {
    .kind = SPD_CDL_LDA,
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
    .release_met = release_met,
    .release_prepared = release_prepared,
};
