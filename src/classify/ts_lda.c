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

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/members.h"
#include "classify/products.h"
#include "classify/tangent.h"
#include "engine/blas.h"
#include "engine/parallel.h"
#include "linalg/dense.h"

/* Least rho: Sigma must have a Cholesky factor. */
#define LEAST_SHRINKAGE 1e-8

typedef struct discriminants {
    tangent_space *space;
    size_t count; /* classes that have samples */
    int *class;   /* count */
    double *w;    /* count x rank: Sigma^-1 m_c */
    double *bias; /* count */
} discriminants;

/* ---- scatter -------------------------------------------------------------------------------- */

/* mean (rank) <- of the vectors of class c, which become residuals R (p x rank). */
static void take_mean(const tangent_space *t, const members *m, size_t c, double *R, double *mean)
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
    double p = (double)t->p, dim = (double)t->dim, trace = 0.0, frobenius = 0.0, fourth = 0.0;
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
    products_flip(t->p, rank, R, Rt);
    spd_status status = products_between(ctx, t->p, rank, Rt, rank, Rt, Sigma);
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

/* x (n) <- (L L')^-1 x */
static void solve(size_t n, const double *L, double *x)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < r; c++)
            x[r] -= L[r * n + c] * x[c];
        x[r] /= L[r * n + r];
    }
    for (size_t r = n; r-- > 0;) {
        x[r] /= L[r * n + r];
        for (size_t c = 0; c < r; c++)
            x[c] -= L[r * n + c] * x[r];
    }
}

/* Means of all classes to s->w, residuals to R. */
static void take_means(const members *m, discriminants *s, double *R)
{
    for (size_t c = 0; c < m->classes; c++)
        if (members_count(m, c) > 0) {
            take_mean(s->space, m, c, R, s->w + s->count * s->space->rank);
            s->class[s->count++] = (int)c;
        }
}

/* s->w, which holds the means, <- Sigma^-1 m_c, and the biases. mean: rank doubles. */
static void solve_all(const members *m, const double *L, discriminants *s, double *mean)
{
    size_t rank = s->space->rank;
    for (size_t k = 0; k < s->count; k++) {
        double *w = s->w + k * rank, dot = 0.0;
        memcpy(mean, w, rank * sizeof *mean);
        solve(rank, L, w);
        for (size_t a = 0; a < rank; a++)
            dot += mean[a] * w[a];
        double share = (double)members_count(m, (size_t)s->class[k]) / (double)s->space->p;
        s->bias[k] = log(share) - 0.5 * dot;
    }
}

/* With one BLAS thread, so that bits do not depend on their number. */
static spd_status factor(spd_context *ctx, size_t n, double *Sigma)
{
    spd_private_blas_hold();
    int bad = n > 0 && dense_chol(n, Sigma);
    spd_private_blas_release();
    return bad ? ctx_fail(ctx, SPD_ENUMERIC,
                          "the within-class scatter cannot be inverted; regularise the data")
               : SPD_OK;
}

static spd_status discriminate(spd_context *ctx, const samples *train, discriminants *s)
{
    size_t rank = s->space->rank, p = train->p;
    members m = {0};
    double *R = mem_alloc(p, rank * sizeof *R), *Rt = mem_alloc(p, rank * sizeof *Rt);
    double *Sigma = mem_alloc(rank, rank * sizeof *Sigma), *mean = mem_alloc(rank, sizeof *mean);
    s->class = mem_alloc(train->classes, sizeof *s->class);
    s->w = mem_alloc(train->classes, rank * sizeof *s->w);
    s->bias = mem_alloc(train->classes, sizeof *s->bias);
    spd_status status = SPD_OK;
    if (!R || !Rt || !Sigma || !mean || !s->class || !s->w || !s->bias)
        status = ctx_nomem(ctx, "discriminants");
    if (status == SPD_OK)
        status = members_sort(ctx, train, &m);
    if (status == SPD_OK) {
        take_means(&m, s, R);
        status = scatter(ctx, s->space, R, Rt, Sigma);
    }
    if (status == SPD_OK)
        status = factor(ctx, rank, Sigma);
    if (status == SPD_OK)
        solve_all(&m, Sigma, s, mean);
    members_free(&m);
    mem_free(R);
    mem_free(Rt);
    mem_free(Sigma);
    mem_free(mean);
    return status;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void release(void *prepared)
{
    discriminants *s = prepared;
    if (!s)
        return;
    tangent_free(s->space);
    mem_free(s->class);
    mem_free(s->w);
    mem_free(s->bias);
    mem_free(s);
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    discriminants *s = mem_zero(1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "discriminants");
    spd_status remark = tangent_learn(ctx, method->metric, train, &s->space), status = remark;
    if (status >= 0)
        status = discriminate(ctx, train, s);
    if (status < 0) {
        release(s);
        return status;
    }
    *prepared = s;
    return remark;
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const discriminants *s = prepared;
    return tangent_meet(ctx, s->space, queries, met);
}

static int best_class(const discriminants *s, const double *product)
{
    size_t best = 0;
    for (size_t k = 1; k < s->count; k++)
        if (product[k] + s->bias[k] > product[best] + s->bias[best])
            best = k;
    return s->class[best];
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const discriminants *s = prepared;
    const tangent_met *t = met;
    double *product = mem_alloc(t->q, s->count * sizeof *product);
    (void)trained;
    (void)method;
    if (!product)
        return ctx_nomem(ctx, "discriminants");
    spd_status status =
        products_between(ctx, s->space->rank, t->q, t->vectors, s->count, s->w, product);
    for (size_t i = 0; i < t->q && status == SPD_OK; i++)
        label[i] = best_class(s, product + i * s->count);
    mem_free(product);
    return status;
}

const classifier classifier_ts_lda = {
    .kind = SPD_TS_LDA,
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
    .release_met = tangent_release_met,
    .release_prepared = release,
};
