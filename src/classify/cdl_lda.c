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

#include "classify/classifier.h"
#include "classify/log_kernel.h"
#include "classify/vectors.h"
#include "run/blas.h"
#include "run/parallel.h"
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

/* ---- directions ----------------------------------------------------------------------------- */

typedef struct lda_room {
    double *s, *V; /* p, p x p: eigenvalues and eigenvectors of K */
    double *E, *F; /* p x classes: E and V'E */
    double *M;     /* p x classes: V'M of the head of this file; then directions */
    double *Z;     /* classes x classes: M'M, then its eigenvectors */
    double *mu;    /* classes: eigenvalues */
    double *work;
} lda_room;

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

/* Eigenvalues and eigenvectors of K and of M'M. */
static spd_status solve(spd_context *ctx, const samples *train, const double *K, lda_room *r)
{
    size_t p = train->p, classes = train->classes;
    memcpy(r->V, K, p * p * sizeof *r->V);
    if (dense_eigh(p, 1, r->V, r->s, r->work))
        return ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of the kernel did not converge");
    indicators(train, r->E, r->mu);
    dense_trans_product(p, classes, p, r->V, r->E, 0.0, r->F);
    for (size_t i = 0; i < p; i++) { /* M <- diag(s / sqrt(s^2 + RIDGE)) F */
        double factor = r->s[i] / sqrt(r->s[i] * r->s[i] + RIDGE);
        for (size_t c = 0; c < classes; c++)
            r->M[i * classes + c] = factor * r->F[i * classes + c];
    }
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
static void take_back(const samples *train, const lda_prepared *t, lda_room *r)
{
    size_t p = train->p, dim = t->dim;
    double *G = r->M; /* spent; dim <= classes */
    for (size_t d = 0; d < dim; d++)
        direction(train, r, dim, d, G);
    tall_product(p, p, dim, r->V, G, t->A);
    for (size_t i = 0; i < p; i++)
        for (size_t d = 0; d < dim; d++)
            G[i * dim + d] *= r->s[i];
    tall_product(p, p, dim, r->V, G, t->V);
}

static spd_status find_directions(spd_context *ctx, const samples *train, arena *keep,
                                  lda_prepared *t)
{
    size_t p = train->p, classes = train->classes, most = p > classes ? p : classes;
    arena room = {0};
    lda_room r = {.s = arena_alloc(&room, p, sizeof *r.s),
                  .V = arena_alloc(&room, p, p * sizeof *r.V),
                  .E = arena_zero(&room, p, classes * sizeof *r.E),
                  .F = arena_alloc(&room, p, classes * sizeof *r.F),
                  .M = arena_alloc(&room, p, classes * sizeof *r.M),
                  .Z = arena_alloc(&room, classes, classes * sizeof *r.Z),
                  .mu = arena_alloc(&room, classes, sizeof *r.mu),
                  .work = arena_alloc(&room, dense_eigh_work(most), sizeof *r.work)};
    spd_status status = arena_status(&room, ctx, "the directions of cdl-lda");
    spd_private_blas_hold();
    if (status == SPD_OK)
        status = solve(ctx, train, t->kernel.K, &r);
    if (status == SPD_OK) {
        t->dim = directions(classes, r.mu);
        t->A = arena_alloc(keep, p, t->dim * sizeof *t->A);
        t->V = arena_alloc(keep, p, t->dim * sizeof *t->V);
        if (t->A && t->V)
            take_back(train, t, &r);
        else
            status = ctx_nomem(ctx, "the directions of cdl-lda");
    }
    spd_private_blas_release();
    arena_free(&room);
    return status;
}

/* ---- the classifier ------------------------------------------------------------------------- */

static spd_status prepare(spd_context *ctx, training_state *c)
{
    lda_prepared *t = c->prepared = arena_zero(&c->preparing, 1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "cdl-lda");
    spd_status status = log_kernel_new(ctx, &c->train, &c->preparing, &t->kernel);
    return status == SPD_OK ? find_directions(ctx, &c->train, &c->preparing, t) : status;
}

/* c->met <- coordinates of the queries (q x dim), Kt'A. */
static spd_status meet(spd_context *ctx, training_state *c)
{
    const lda_prepared *t = c->prepared;
    size_t q = c->queries.p;
    arena room = {0};
    double *Kt, *Q = c->met = arena_alloc(&c->meeting, q, t->dim * sizeof *Q);
    spd_status status = arena_status(&c->meeting, ctx, "coordinates of cdl-lda");
    if (status == SPD_OK)
        status = log_kernel_meet(ctx, &t->kernel, &c->train, &c->queries, &room, &Kt);
    if (status == SPD_OK) {
        spd_private_blas_hold();
        dense_trans_product(q, t->dim, c->train.p, Kt, t->A, 0.0, Q);
        spd_private_blas_release();
    }
    arena_free(&room);
    return status;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const lda_prepared *t = c->prepared;
    return vectors_nearest(ctx, t->dim, c->train.p, t->V, c->train.label, c->queries.p, c->met,
                           label, c->train.classes, c->score);
}

static void keep(saved_arrays *s, training_state *c)
{
    size_t p = c->train.p;
    lda_prepared *t = saved_block(s, &c->prepared, sizeof *t);
    if (!t)
        return;
    training_state_keep_samples(s, c);
    saved_size(s, "directions", 1, c->train.classes, &t->dim);
    saved_reals(s, "kernel_mean", p, 1, &t->kernel.mean);
    saved_reals(s, "coefficients", p, t->dim, &t->A);
    saved_reals(s, "coordinates", p, t->dim, &t->V);
}

const classifier classifier_cdl_lda = {
    .kind = SPD_CLASSIFIER_CDL_LDA,
    .keep = keep,
    .holds = SPD_HOLDING_SAMPLES,
    .scores = NEAREST_COORDINATES(0),
    .squares = 2,
    .metrics = {SPD_METRIC_LOG_EUCLIDEAN, ONLY(SPD_METRIC_LOG_EUCLIDEAN), 0},
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
};
