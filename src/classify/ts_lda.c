/* ts_lda.c - linear discriminant analysis in the tangent space at the mean (tangent.h).
 *
 *   S = R'R/p over the residuals r_i = t_i - mean of its class,   mu = tr S/dim
 *   b = sum_i |r_i r_i' - S|^2 / (dim p^2),   d = |S - mu I|^2 / dim,   rho = min(b, d)/d
 *   Sigma = (1 - rho) S + rho mu I                               (Ledoit and Wolf 2004)
 *   class of t = argmax_c  t'Sigma^-1 m_c - m_c'Sigma^-1 m_c/2 + ln(p_c/p),   ties by lower class
 *
 * The axes of the tangent space hold all of S and of the means m_c, and Sigma is a multiple of the
 * identity beyond them: everything is done on the rank <= min(p, dim) axes, while dim stays in the
 * formulas. Where no class has two different samples S is zero, and Sigma is the identity. A class
 * without samples is never chosen. */
#include <math.h>
#include <string.h>

#include "base/classes.h"
#include "classify/classifier.h"
#include "classify/vectors.h"
#include "classify/tangent.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "linalg/dense.h"

/* Least rho: Sigma must have a Cholesky factor. */
#define LEAST_SHRINKAGE 1e-8

typedef struct discriminants {
    tangent_space space; /* first, for tangent_meet */
    classes of;
    double *w;    /* of.count x rank: Sigma^-1 m_c */
    double *bias; /* of.count */
} discriminants;

/* ---- scatter -------------------------------------------------------------------------------- */

/* mean (rank) <- of the vectors of class c, which become residuals R (p x rank). */
static void take_mean(const tangent_space *t, const classes *m, size_t c, double *R, double *mean)
{
    size_t rank = t->rank, first = m->first[c], last = m->first[c + 1];
    memset(mean, 0, rank * sizeof *mean);
    for (size_t i = first; i < last; i++)
        for (size_t a = 0; a < rank; a++)
            mean[a] += t->vectors[m->order[i] * rank + a];
    for (size_t a = 0; a < rank; a++)
        mean[a] /= (double)(last - first);
    for (size_t i = first; i < last; i++)
        for (size_t a = 0; a < rank; a++)
            R[m->order[i] * rank + a] = t->vectors[m->order[i] * rank + a] - mean[a];
}

static double square(double x)
{
    return x * x;
}

/* rho and *mu, from S (rank x rank) and R (p x rank). */
static double shrinkage(const tangent_space *t, const double *S, const double *R, double *mu)
{
    double p = (double)t->p, dim = (double)t->degrees, trace = 0.0, frobenius = 0.0, fourth = 0.0;
    for (size_t a = 0; a < t->rank; a++)
        trace += S[a * t->rank + a];
    for (size_t e = 0; e < t->rank * t->rank; e++)
        frobenius += square(S[e]);
    for (size_t i = 0; i < t->p; i++) {
        double norm = 0.0;
        for (size_t a = 0; a < t->rank; a++)
            norm += square(R[i * t->rank + a]);
        fourth += square(norm);
    }
    *mu = trace / dim;
    /* sum_i |r_i r_i' - S|^2 = sum_i |r_i|^4 - p |S|^2 */
    double b = (fourth - p * frobenius) / (dim * p * p), d = frobenius / dim - square(*mu);
    double rho = d > 0.0 ? fmin(b, d) / d : 1.0;
    return fmax(rho, LEAST_SHRINKAGE);
}

/* Sigma (rank x rank) <- from R (p x rank), whose transpose is left in Rt. */
static spd_status scatter(spd_context *ctx, const tangent_space *t, const double *R, double *Rt,
                          double *Sigma)
{
    size_t rank = t->rank;
    vectors_flip(t->p, rank, R, Rt);
    spd_status status = vectors_products(ctx, t->p, rank, Rt, rank, Rt, Sigma);
    if (status < 0)
        return status;
    double mu;
    for (size_t e = 0; e < rank * rank; e++)
        Sigma[e] /= (double)t->p;
    double rho = shrinkage(t, Sigma, R, &mu), keep = mu > 0.0 ? 1.0 - rho : 0.0;
    for (size_t e = 0; e < rank * rank; e++)
        Sigma[e] *= keep;
    for (size_t a = 0; a < rank; a++)
        Sigma[a * rank + a] += mu > 0.0 ? rho * mu : 1.0;
    return SPD_OK;
}

/* ---- discriminants -------------------------------------------------------------------------- */

/* s->w, which holds the means, <- Sigma^-1 m_c, and the biases. mean: rank doubles. */
static void solve_all(const double *L, const discriminants *s, double *mean)
{
    size_t rank = s->space.rank;
    for (size_t k = 0; k < s->of.count; k++) {
        double *w = s->w + k * rank, dot = 0.0;
        memcpy(mean, w, rank * sizeof *mean);
        if (rank > 0)
            dense_solve_vector(rank, L, w);
        for (size_t a = 0; a < rank; a++)
            dot += mean[a] * w[a];
        double share = (double)class_size(&s->of, k) / (double)s->space.p;
        s->bias[k] = log(share) - 0.5 * dot;
    }
}

static spd_status discriminate(spd_context *ctx, arena *keep, discriminants *s)
{
    size_t rank = s->space.rank, p = s->space.p;
    arena room = {0};
    double *R = arena_alloc(&room, p, rank * sizeof *R);
    double *Rt = arena_alloc(&room, p, rank * sizeof *Rt);
    double *Sigma = arena_alloc(&room, rank, rank * sizeof *Sigma);
    double *mean = arena_alloc(&room, rank, sizeof *mean);
    s->w = arena_alloc(keep, s->of.count, rank * sizeof *s->w);
    s->bias = arena_alloc(keep, s->of.count, sizeof *s->bias);
    spd_status status = room.failed || keep->failed ? ctx_nomem(ctx, "discriminants") : SPD_OK;
    if (status == SPD_OK) {
        for (size_t k = 0; k < s->of.count; k++)
            take_mean(&s->space, &s->of, k, R, s->w + k * rank);
        status = scatter(ctx, &s->space, R, Rt, Sigma);
    }
    spd_private_blas_hold(); /* bits do not depend on the number of threads */
    if (status == SPD_OK && rank > 0 && dense_chol(rank, Sigma))
        status = ctx_fail(ctx, SPD_ENUMERIC,
                          "the within-class scatter cannot be inverted; regularise the data");
    if (status == SPD_OK)
        solve_all(Sigma, s, mean);
    spd_private_blas_release();
    arena_free(&room);
    return status;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static spd_status prepare(spd_context *ctx, training_state *c)
{
    const samples *train = &c->train;
    discriminants *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "discriminants");
    spd_status status = tangent_learn(ctx, c->method.metric, train, &c->preparing, &s->space);
    spd_status remark = status;
    if (status >= 0)
        status = classes_sort(ctx, train->p, train->label, &c->preparing, &s->of);
    if (status == SPD_OK)
        status = discriminate(ctx, &c->preparing, s);
    return status < 0 ? status : remark;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const discriminants *s = c->prepared;
    return tangent_decide(ctx, c, &s->space, &s->of, s->w, s->bias, label);
}

static void keep(saved_arrays *s, training_state *c)
{
    discriminants *t = saved_block(s, &c->prepared, sizeof *t);
    if (!t)
        return;
    tangent_keep(s, c, &t->space);
    training_state_keep_classes(s, c, &t->of);
    saved_reals(s, "discriminants", t->of.count, t->space.rank, &t->w);
    saved_reals(s, "bias", t->of.count, 1, &t->bias);
}

const classifier classifier_ts_lda = {
    .kind = SPD_CLASSIFIER_TS_LDA,
    .keep = keep,
    .scores = {"logarithm of the probability of the class, up to a constant", 0, 0},
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 0},
    .prepare = prepare,
    .meet = tangent_meet,
    .decide = decide,
};
