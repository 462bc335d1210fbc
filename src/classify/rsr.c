/* rsr.c - Riemannian sparse representation (Harandi, Sanderson, Hartley, Lovell, ECCV 2012).
 *
 *   K_ij = exp(-beta d2_S(X_i, X_j)),   k_i = exp(-beta d2_S(X_i, Q))
 *
 * and classes by sparse coding (coding.h). beta is given, or beta-scale divided by the median of
 * the squared Stein distances within the training set; a kernel that is not positive semidefinite
 * is repaired (gram.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/coding.h"
#include "classify/gram.h"
#include "classify/values.h"

typedef struct rsr_prepared {
    samples train;
    members members;
    double *D2; /* p x p */
    double median;
} rsr_prepared;

typedef struct rsr_trained {
    double beta;
    gram gram;
} rsr_trained;

typedef struct rsr_met {
    size_t q;
    double *D2; /* q x p */
} rsr_met;

/* ---- parameters --------------------------------------------------------------------------- */

static double rsr_standard(const samples *train, spd_parameter parameter)
{
    (void)train;
    return parameter == SPD_PARAM_LAMBDA       ? 1e-2
           : parameter == SPD_PARAM_BETA_SCALE ? 1.0
                                               : (double)NAN;
}

static size_t rsr_grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    static const double scales[] = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
    static const double lambdas[] = {1e-4, 1e-3, 1e-2, 1e-1};
    (void)train;
    if (parameter == SPD_PARAM_BETA_SCALE)
        return values_copy(sizeof scales / sizeof *scales, scales, values, room);
    if (parameter == SPD_PARAM_LAMBDA)
        return values_copy(sizeof lambdas / sizeof *lambdas, lambdas, values, room);
    return 0;
}

/* ---- training samples --------------------------------------------------------------------- */

static void rsr_release_prepared(void *prepared)
{
    rsr_prepared *r = prepared;
    if (!r)
        return;
    members_free(&r->members);
    mem_free(r->D2);
    mem_free(r);
}

static spd_status rsr_prepare(spd_context *ctx, const spd_method *method, const samples *train,
                              void **prepared)
{
    size_t p = train->p, square;
    (void)method;
    rsr_prepared *r = mem_zero(1, sizeof *r);
    if (!r)
        return ctx_nomem(ctx, "rsr");
    r->train = *train;
    r->D2 = mem_mul(p, p, &square) ? NULL : mem_alloc(square, sizeof *r->D2);
    spd_status status = r->D2 ? SPD_OK : ctx_nomem(ctx, "distances");
    if (status == SPD_OK)
        status = spd_pairwise2(ctx, SPD_STEIN, train->n, p, train->X, 0, NULL, r->D2);
    if (status == SPD_OK)
        status = values_median_above(ctx, p, r->D2, &r->median);
    if (status == SPD_OK)
        status = members_sort(ctx, train, &r->members);
    if (status < 0)
        rsr_release_prepared(r);
    else
        *prepared = r;
    return status;
}

static void rsr_release_trained(void *trained)
{
    rsr_trained *t = trained;
    if (!t)
        return;
    gram_free(&t->gram);
    mem_free(t);
}

/* out <- exp(-beta d2) */
static void kernel_values(size_t count, double beta, const double *d2, double *out)
{
    for (size_t e = 0; e < count; e++)
        out[e] = exp(-beta * d2[e]);
}

static spd_status choose_beta(spd_context *ctx, const rsr_prepared *r, const spd_method *method,
                              double *beta)
{
    double given = method->value[SPD_PARAM_BETA], scale = method->value[SPD_PARAM_BETA_SCALE];
    *beta = isnan(given) ? scale / r->median : given;
    if (*beta > 0.0 && isfinite(*beta))
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL, "%s is %g: give a number above zero",
                    isnan(given) ? "beta-scale" : "beta", isnan(given) ? scale : given);
}

static spd_status rsr_train(spd_context *ctx, const void *prepared, const spd_method *method,
                            void **trained)
{
    const rsr_prepared *r = prepared;
    size_t p = r->train.p;
    double beta, *K = NULL;
    spd_status status = choose_beta(ctx, r, method, &beta);
    if (status < 0)
        return status;
    rsr_trained *t = mem_zero(1, sizeof *t);
    if (!t || !(K = mem_alloc(p * p, sizeof *K))) {
        mem_free(t);
        return ctx_nomem(ctx, "the kernel");
    }
    t->beta = beta;
    kernel_values(p * p, beta, r->D2, K);
    status = gram_make(ctx, p, K, method->normalize_kernel, &t->gram);
    if (status < 0)
        rsr_release_trained(t);
    else
        *trained = t;
    return status;
}

/* ---- queries ------------------------------------------------------------------------------ */

static void rsr_release_met(void *met)
{
    rsr_met *m = met;
    if (!m)
        return;
    mem_free(m->D2);
    mem_free(m);
}

static spd_status rsr_meet(spd_context *ctx, const void *prepared, const samples *queries,
                           void **met)
{
    const rsr_prepared *r = prepared;
    size_t p = r->train.p, q = queries->p, count;
    rsr_met *m = mem_zero(1, sizeof *m);
    if (!m)
        return ctx_nomem(ctx, "rsr");
    m->q = q;
    m->D2 = mem_mul(q, p, &count) ? NULL : mem_alloc(count, sizeof *m->D2);
    spd_status status = m->D2 ? SPD_OK : ctx_nomem(ctx, "distances");
    if (status == SPD_OK && q)
        status = spd_pairwise2(ctx, SPD_STEIN, r->train.n, q, queries->X, p, r->train.X, m->D2);
    if (status < 0)
        rsr_release_met(m);
    else
        *met = m;
    return status;
}

/* The kernel values of a batch of queries. */
typedef struct rsr_source {
    const rsr_trained *trained;
    const rsr_met *met;
} rsr_source;

static void rsr_fill(const void *user, size_t first, size_t count, double *k, double *y2,
                     double *work)
{
    const rsr_source *s = user;
    const gram *g = &s->trained->gram;
    kernel_values(count * g->p, s->trained->beta, s->met->D2 + first * g->p, k);
    gram_fit(g, count, k, y2, work);
}

static spd_status rsr_decide(spd_context *ctx, const void *prepared, const void *trained,
                             const void *met, const spd_method *method, int *label)
{
    const rsr_prepared *r = prepared;
    rsr_source source = {trained, met};
    coding c = {.dictionary = &source.trained->gram.dictionary,
                .members = &r->members,
                .lambda = method->value[SPD_PARAM_LAMBDA],
                .fill = rsr_fill,
                .user = &source,
                .work = gram_fit_work(&source.trained->gram, LASSO_BATCH)};
    return coding_decide(ctx, &c, source.met->q, label);
}

const classifier classifier_rsr = {
    .kind = SPD_RSR,
    .uses = USES(SPD_PARAM_BETA) | USES(SPD_PARAM_BETA_SCALE) | USES(SPD_PARAM_LAMBDA),
    .standard = rsr_standard,
    .grid = rsr_grid,
    .prepare = rsr_prepare,
    .train = rsr_train,
    .meet = rsr_meet,
    .decide = rsr_decide,
    .release_met = rsr_release_met,
    .release_trained = rsr_release_trained,
    .release_prepared = rsr_release_prepared,
};
