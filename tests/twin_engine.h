/* twin_engine.h - the slow twin of the engines: keeps W, forms every matrix anew, one pair at a
 * time, by other formulas than the library's.
 *
 *   Stein     dd2/dS_i = ((S_i+S_j)/2)^-1 / 2 - S_i^-1 / 2
 *   AIRM      dd2/dS_i = 2 S_i^-1/2 log(S_i^1/2 S_j^-1 S_i^1/2) S_i^-1/2
 *   Jeffrey   dd2/dS_i = (S_j^-1 - S_i^-1 S_j S_i^-1) / 2
 *   log-Euclidean   dd2/dS_i = 2 D log(S_i)[log S_i - log S_j]
 *   D_W d2  = 2 X_i W dd2/dS_i + 2 X_j W dd2/dS_j  */
#ifndef SPD_TEST_TWIN_ENGINE_H
#define SPD_TEST_TWIN_ENGINE_H

#include "base/memory.h"
#include "fit/engine.h"
#include "random_spd.h"

typedef struct twin_engine {
    problem base;
    engine_input in;
    double *W, *U, *sigma;
} twin_engine;

HELPER const double *twin_sample(const twin_engine *e, size_t i)
{
    return i < e->in.p ? e->in.X + i * e->in.n * e->in.n : e->in.extra;
}

/* S (m x m) <- W'XW */
HELPER void twin_small(const twin_engine *e, const double *W, size_t i, double *S)
{
    SCOPE;
    double *T = block(e->in.m * e->in.n);
    flip(e->in.n, e->in.m, W, T);
    congruent(e->in.m, e->in.n, T, twin_sample(e, i), S);
}

/* D (m x m) <- dd2(A,B)/dA */
HELPER void twin_derivative(spd_metric metric, size_t m, const double *A, const double *B,
                            double *D)
{
    SCOPE;
    double *x = block(m * m), *y = block(m * m), *z = block(m * m);
    if (metric == SPD_METRIC_STEIN) {
        for (size_t e = 0; e < m * m; e++)
            x[e] = 0.5 * (A[e] + B[e]);
        spd_inverse(NULL, SPD_SET(m, 1, x), x);
        spd_inverse(NULL, SPD_SET(m, 1, A), y);
        for (size_t e = 0; e < m * m; e++)
            D[e] = 0.5 * (x[e] - y[e]);
    } else if (metric == SPD_METRIC_AIRM) {
        spd_apply(NULL, SPD_FUNCTION_SQRT, 0.0, SPD_SET(m, 1, A), x);
        spd_inverse(NULL, SPD_SET(m, 1, B), y);
        congruent(m, m, x, y, z);
        spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(m, 1, z), z);
        spd_apply(NULL, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(m, 1, A), x);
        congruent(m, m, x, z, D);
        for (size_t e = 0; e < m * m; e++)
            D[e] *= 2.0;
    } else if (metric == SPD_METRIC_LOG_EUCLIDEAN) {
        twin_function(m, log, A, x);
        twin_function(m, log, B, y);
        for (size_t e = 0; e < m * m; e++)
            z[e] = 2.0 * (x[e] - y[e]);
        twin_log_derivative(m, A, z, D);
    } else {
        spd_inverse(NULL, SPD_SET(m, 1, A), x);
        spd_inverse(NULL, SPD_SET(m, 1, B), y);
        congruent(m, m, x, B, z);
        for (size_t e = 0; e < m * m; e++)
            D[e] = 0.5 * (y[e] - z[e]);
    }
}

/* The difference from the squared distances; weight <- derivatives by them. */
HELPER double twin_sums(const engine_input *in, const double *d2, double *weight)
{
    double sum[2] = {0.0, 0.0};
    for (size_t q = 0; q < in->pairs; q++) {
        sum[0] += 2.0 * in->pair[q].within * d2[q];
        sum[1] += 2.0 * in->pair[q].between * d2[q];
    }
    for (size_t q = 0; q < in->pairs; q++)
        weight[q] = 2.0 * (in->pair[q].within - in->pair[q].between);
    return sum[0] - sum[1];
}

/* What sample i adds to f and weight; 1 if it has pairs of both kinds: the softmax,
 * f_i = ln(sum over all) - ln(sum over near pairs) of e^(-4 d2 / s). */
HELPER int twin_softmax(const engine_input *in, const double *d2, size_t i, double *f,
                        double *weight)
{
    double sum[2] = {0.0, 0.0}, count = 0.0, s = 0.0, by_s = 0.0;
    for (size_t q = 0; q < in->pairs; q++)
        if (in->pair[q].i == i || in->pair[q].j == i) {
            s += d2[q];
            count++;
        }
    s /= count;
    for (size_t q = 0; q < in->pairs; q++)
        if (in->pair[q].i == i || in->pair[q].j == i)
            sum[in->pair[q].within > 0.0] += exp(-4.0 * d2[q] / s);
    if (sum[0] == 0.0 || sum[1] == 0.0)
        return 0;
    *f += log(sum[0] + sum[1]) - log(sum[1]);
    for (int pass = 0; pass < 2; pass++)
        for (size_t q = 0; q < in->pairs; q++) {
            int own = in->pair[q].within > 0.0;
            double by_exponent =
                exp(-4.0 * d2[q] / s) * (1.0 / (sum[0] + sum[1]) - (own ? 1.0 / sum[1] : 0.0));
            if (in->pair[q].i != i && in->pair[q].j != i)
                continue;
            if (pass == 0)
                by_s += by_exponent * 4.0 * d2[q] / (s * s);
            else
                weight[q] += by_s / count - by_exponent * 4.0 / s;
        }
    return 1;
}

HELPER double twin_of_samples(const engine_input *in, const double *d2, double *weight)
{
    double f = 0.0, samples = 0.0;
    memset(weight, 0, in->pairs * sizeof *weight);
    for (size_t i = 0; i < in->p + (in->extra ? 1 : 0); i++)
        samples += twin_softmax(in, d2, i, &f, weight);
    for (size_t q = 0; q < in->pairs; q++)
        weight[q] /= samples;
    return f / samples;
}

/* Cost at any W; G (n x m or NULL) <- its gradient there. */
HELPER double twin_cost(const twin_engine *e, const double *W, double *G)
{
    SCOPE;
    size_t n = e->in.n, m = e->in.m;
    double *A = block(m * m), *B = block(m * m);
    double *d2 = block(e->in.pairs), *weight = block(e->in.pairs);
    for (size_t q = 0; q < e->in.pairs; q++) {
        const spd_pair *t = &e->in.pair[q];
        twin_small(e, W, t->i, A);
        twin_small(e, W, t->j, B);
        d2[q] = twin_dist2(e->in.metric, m, A, B);
    }
    double f = (e->in.objective == SPD_OBJECTIVE_SOFTMAX ? twin_of_samples : twin_sums)(&e->in, d2,
                                                                                        weight);
    if (G)
        memset(G, 0, n * m * sizeof *G);
    for (size_t q = 0; G && q < e->in.pairs; q++) {
        const spd_pair *t = &e->in.pair[q];
        for (int side = 0; side < 2; side++) {
            size_t own = side ? t->j : t->i, other = side ? t->i : t->j;
            double *D = block(m * m), *XW = block(n * m), *part = block(n * m);
            twin_small(e, W, own, A);
            twin_small(e, W, other, B);
            twin_derivative(e->in.metric, m, A, B, D);
            times(n, n, m, twin_sample(e, own), W, XW);
            times(n, m, m, XW, D, part);
            for (size_t k = 0; k < n * m; k++)
                G[k] += 2.0 * weight[q] * part[k];
        }
    }
    return f;
}

/* At (n x m) <- W cos(sigma t) + U sin(sigma t) */
HELPER void twin_at(const twin_engine *e, double t, double *At)
{
    for (size_t k = 0; k < e->in.n * e->in.m; k++) {
        double angle = e->sigma[k % e->in.m] * t;
        At[k] = e->W[k] * cos(angle) + e->U[k] * sin(angle);
    }
}

HELPER spd_status twin_start(problem *base, const double *W)
{
    twin_engine *e = (twin_engine *)base;
    memcpy(e->W, W, e->in.n * e->in.m * sizeof *W);
    return SPD_OK;
}

HELPER spd_status twin_cost_grad(problem *base, double *f, double *G)
{
    twin_engine *e = (twin_engine *)base;
    *f = twin_cost(e, e->W, G);
    return SPD_OK;
}

HELPER spd_status twin_aim(problem *base, const double *U, const double *sigma, const double *V)
{
    SCOPE;
    twin_engine *e = (twin_engine *)base;
    double *old = copy_of(e->in.n * e->in.m, e->W);
    times(e->in.n, e->in.m, e->in.m, old, V, e->W);
    memcpy(e->U, U, e->in.n * e->in.m * sizeof *U);
    memcpy(e->sigma, sigma, e->in.m * sizeof *sigma);
    return SPD_OK;
}

/* The derivative is tr(G' dW/dt). */
HELPER spd_status twin_probe(problem *base, double t, double *f, double *df)
{
    SCOPE;
    twin_engine *e = (twin_engine *)base;
    size_t count = e->in.n * e->in.m;
    double *At = block(count), *G = block(count);
    twin_at(e, t, At);
    *f = twin_cost(e, At, G);
    *df = 0.0;
    for (size_t k = 0; k < count; k++) {
        double s = e->sigma[k % e->in.m];
        *df += G[k] * s * (e->U[k] * cos(s * t) - e->W[k] * sin(s * t));
    }
    return SPD_OK;
}

HELPER spd_status twin_step(problem *base, double t)
{
    SCOPE;
    twin_engine *e = (twin_engine *)base;
    double *At = block(e->in.n * e->in.m);
    twin_at(e, t, At);
    memcpy(e->W, At, e->in.n * e->in.m * sizeof *At);
    return SPD_OK;
}

HELPER void twin_free(problem *base)
{
    (void)base; /* the case owns it */
}

HELPER problem *twin_engine_new(const engine_input *in)
{
    twin_engine *e = take_zeros(1, sizeof *e);
    e->base = (problem){.n = in->n,
                        .m = in->m,
                        .start = twin_start,
                        .cost_grad = twin_cost_grad,
                        .aim = twin_aim,
                        .probe = twin_probe,
                        .step = twin_step,
                        .free = twin_free};
    e->in = *in;
    e->W = block(in->n * in->m);
    e->U = block(in->n * in->m);
    e->sigma = block(in->m);
    return &e->base;
}

#endif
