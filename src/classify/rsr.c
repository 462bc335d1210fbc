/* rsr.c - Riemannian sparse representation (Harandi, Sanderson, Hartley, Lovell, ECCV 2012).
 *
 *   K_ij = exp(-beta d2_S(X_i, X_j)),   k_i = exp(-beta d2_S(X_i, Q))
 *
 * and classes by sparse coding (coding.h). beta is given, or beta-scale divided by the median of
 * the squared Stein distances within the training set; a kernel that is not positive semidefinite
 * is repaired (gram.h). */
#include <math.h>

#include "classify/classifier.h"
#include "classify/coding.h"
#include "classify/gram.h"
#include "classify/samples.h"
#include "classify/values.h"

typedef struct rsr_prepared {
    classes of;
    double *D2; /* p x p */
    double median;
} rsr_prepared;

typedef struct rsr_trained {
    double beta;
    gram gram;
} rsr_trained;

/* ---- training samples --------------------------------------------------------------------- */

static spd_status prepare(spd_context *ctx, training_state *c)
{
    const samples *train = &c->train;
    rsr_prepared *r = c->prepared = arena_zero(&c->preparing, 1, sizeof *r);
    if (!r)
        return ctx_nomem(ctx, "distances");
    spd_status status = samples_stein(ctx, train, &c->preparing, &r->D2, &r->median);
    if (status == SPD_OK)
        status = classes_sort(ctx, train->p, train->label, &c->preparing, &r->of);
    return status;
}

/* out <- exp(-beta d2) */
static void kernel_values(size_t count, double beta, const double *d2, double *out)
{
    for (size_t e = 0; e < count; e++)
        out[e] = exp(-beta * d2[e]);
}

static spd_status choose_beta(spd_context *ctx, const training_state *c, double *beta)
{
    const rsr_prepared *r = c->prepared;
    const spd_method *method = &c->method;
    double given = method->value[SPD_PARAMETER_BETA],
           scale = method->value[SPD_PARAMETER_BETA_SCALE];
    *beta = isnan(given) ? scale / r->median : given;
    if (*beta > 0.0 && isfinite(*beta))
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL, "%s is %g: give a number above zero",
                    isnan(given) ? "beta-scale" : "beta", isnan(given) ? scale : given);
}

static spd_status train_kernel(spd_context *ctx, training_state *c)
{
    const rsr_prepared *r = c->prepared;
    size_t p = c->train.p;
    double beta;
    spd_status status = choose_beta(ctx, c, &beta);
    if (status < 0)
        return status;
    rsr_trained *t = c->trained = arena_zero(&c->training, 1, sizeof *t);
    double *K = arena_alloc(&c->training, p, p * sizeof *K);
    if (!t || !K)
        return ctx_nomem(ctx, "the kernel");
    t->beta = beta;
    kernel_values(p * p, beta, r->D2, K);
    return gram_make(ctx, p, K, c->method.value[SPD_PARAMETER_LAMBDA], &c->training, &t->gram);
}

/* ---- queries ------------------------------------------------------------------------------ */

/* c->met <- squared distances (queries x p). */
static spd_status meet(spd_context *ctx, training_state *c)
{
    double *D2 = c->met = arena_alloc(&c->meeting, c->queries.p, c->train.p * sizeof *D2);
    return D2 ? samples_stein_to(ctx, &c->queries, &c->train, D2) : ctx_nomem(ctx, "distances");
}

/* The kernel values of a batch of queries. */
static void fill(const void *user, size_t first, size_t count, double *k, double *y2, double *work)
{
    const training_state *c = user;
    const rsr_trained *t = c->trained;
    size_t p = c->train.p;
    kernel_values(count * p, t->beta, (const double *)c->met + first * p, k);
    gram_fit(&t->gram, count, k, y2, work);
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const rsr_prepared *r = c->prepared;
    const rsr_trained *t = c->trained;
    double lambda = c->method.value[SPD_PARAMETER_LAMBDA];
    lasso_dictionary suited = t->gram.dictionary;
    arena room = {0};
    coding by = {.dictionary = &suited,
                 .of = &r->of,
                 .lambda = lambda,
                 .fill = fill,
                 .user = c,
                 .work = gram_fit_work(&t->gram, LASSO_BATCH),
                 .score = c->score,
                 .classes = c->train.classes};
    spd_status status = lasso_dictionary_suit(ctx, lambda, &room, &suited);
    if (status == SPD_OK)
        status = coding_decide(ctx, &by, c->queries.p, label);
    arena_free(&room);
    return status;
}

static void keep(saved_arrays *s, training_state *c)
{
    rsr_prepared *r = saved_block(s, &c->prepared, sizeof *r);
    rsr_trained *t = saved_block(s, &c->trained, sizeof *t);
    if (!r || !t)
        return;
    training_state_keep_samples(s, c);
    saved_real(s, "beta", &t->beta);
    gram_keep(s, c->train.p, c->method.value[SPD_PARAMETER_LAMBDA], &t->gram);
    if (s->status == SPD_OK && saved_taking(s))
        s->status = classes_sort(s->ctx, c->train.p, c->train.label, s->room, &r->of);
}

const classifier classifier_rsr = {
    .kind = SPD_CLASSIFIER_RSR,
    .keep = keep,
    .holds = SPD_HOLDING_SAMPLES,
    .scores = CODING_SCORES,
    .squares = 4,
    .metrics = {SPD_METRIC_STEIN, ONLY(SPD_METRIC_STEIN), 0},
    .choices = {{SPD_PARAMETER_BETA, NAN, {0}, NULL, NULL},
                {SPD_PARAMETER_BETA_SCALE, 1, {0.25, 0.5, 1, 2, 4, 8}, NULL, NULL},
                {SPD_PARAMETER_LAMBDA, 1e-2, {1e-4, 1e-3, 1e-2, 1e-1}, NULL, NULL}},
    .decides = 1u << SPD_PARAMETER_LAMBDA,
    .prepare = prepare,
    .train = train_kernel,
    .meet = meet,
    .decide = decide,
};
