/* test_log_euclidean_fit.c - cost and gradient against the definition, and the alternating
 * scheme: fixed points, planted spaces, limits, resuming, any number of threads. */
#include "test.h"

#include "base/memory.h"
#include "learn/log_euclidean_fit.h"
#include "random_spd.h"

#define MOST 12 /* largest n here */

/* ---- the twin: sums over ordered pairs, by the definition -------------------------------------
 */

static double twin_cost(spd_objective objective, size_t n, size_t m, const double *X, size_t count,
                        const spd_pair *pairs, const double *W)
{
    double Sw = 0.0, Sb = 0.0, *A = block(n * n), *B = block(n * n), *T = block(m * n),
           *S = block(m * m);
    flip(n, m, W, T);
    for (size_t e = 0; e < count; e++) {
        twin_function(n, log, X + pairs[e].i * n * n, A);
        twin_function(n, log, X + pairs[e].j * n * n, B);
        for (size_t k = 0; k < n * n; k++)
            A[k] -= B[k];
        congruent(m, n, T, A, S);
        Sw += 2.0 * pairs[e].within * pow(norm(m * m, S), 2.0);
        Sb += 2.0 * pairs[e].between * pow(norm(m * m, S), 2.0);
    }
    free(A);
    free(B);
    free(T);
    free(S);
    return objective == SPD_RATIO ? log(Sw) - log(Sb) : Sw - Sb;
}

static spd_pair *random_pairs(rng *r, size_t p, size_t *count)
{
    spd_pair *pairs = calloc(p * p, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < i; j++)
            if (rng_uniform(r) < 0.3)
                pairs[(*count)++] = (spd_pair){i, j, rng_uniform(r), (double)rng_below(r, 2)};
    return pairs;
}

static spd_status cost_of(spd_context *ctx, spd_objective objective, size_t n, size_t m, size_t p,
                          const double *X, size_t count, const spd_pair *pairs, const double *W,
                          double *cost, double *G)
{
    const engine_input in = {n, m, p, X, NULL, SPD_LOG_EUCLIDEAN, objective, count, pairs, NULL};
    return log_euclidean_cost(ctx, &in, W, cost, G);
}

static double cost_at(spd_objective objective, size_t n, size_t m, size_t p, const double *X,
                      size_t count, const spd_pair *pairs, const double *W, double *G)
{
    double cost = NAN;
    CHECK(cost_of(NULL, objective, n, m, p, X, count, pairs, W, &cost, G) == SPD_OK, "");
    return cost;
}

static void cost_by_definition(void)
{
    const size_t n = 7, m = 3, p = 70;
    rng r;
    rng_seed(&r, 1);
    size_t count;
    double *X = random_set(&r, n, p, 100.0), *W = block(n * m);
    spd_pair *pairs = random_pairs(&r, p, &count);
    for (size_t e = 0; e < p * n * n; e++)
        X[e] *= 1e6; /* a common part of the logarithms, which no difference sees */
    for (size_t e = 0; e < n * m; e++)
        W[e] = rng_normal(&r);
    for (int objective = 0; objective < 2; objective++) {
        spd_objective o = (spd_objective)objective;
        double expected = twin_cost(o, n, m, X, count, pairs, W);
        double cost = cost_at(o, n, m, p, X, count, pairs, W, NULL);
        CHECK_CLOSE(cost / expected, 1.0, 1e-11, "objective %d", objective);
    }
    free(X);
    free(W);
    free(pairs);
}

/* f(W + h H) - f(W) - h <G,H> shrinks with h^2, for any W of full rank. */
static void gradient_by_taylor(void)
{
    const size_t n = 6, m = 2, p = 25;
    rng r;
    rng_seed(&r, 2);
    size_t count;
    double *X = random_set(&r, n, p, 30.0), W[12], H[12], G[12], V[12];
    spd_pair *pairs = random_pairs(&r, p, &count);
    for (size_t e = 0; e < n * m; e++) {
        W[e] = rng_normal(&r);
        H[e] = rng_normal(&r);
    }
    for (int objective = 0; objective < 2; objective++) {
        spd_objective o = (spd_objective)objective;
        double f = cost_at(o, n, m, p, X, count, pairs, W, G), slope = 0.0, rest[2];
        for (size_t e = 0; e < n * m; e++)
            slope += G[e] * H[e];
        for (int k = 0; k < 2; k++) {
            double h = k ? 1e-4 : 1e-3;
            for (size_t e = 0; e < n * m; e++)
                V[e] = W[e] + h * H[e];
            rest[k] = cost_at(o, n, m, p, X, count, pairs, V, NULL) - f - h * slope;
        }
        CHECK_CLOSE(log10(fabs(rest[0] / rest[1])), 2.0, 0.05, "objective %d", objective);
    }
    free(X);
    free(pairs);
}

/* ---- the scheme ---------------------------------------------------------------------------------
 */

typedef struct trail {
    minimise_state s;
    double W[MOST * MOST]; /* the result so far, as a fit keeps it */
    double cost[300];
    int calls, stop_after;
} trail;

static int note(void *user, const minimise_state *s, const spd_fit_step *last)
{
    trail *t = user;
    CHECK(s->iteration == t->calls && last->cost == s->f && last->seconds >= 0.0, "call %d",
          t->calls);
    t->cost[t->calls++] = s->f;
    if (s->f <= s->best_f)
        memcpy(t->W, s->W, s->n * s->m * sizeof *t->W);
    return t->stop_after && t->calls > t->stop_after;
}

static const minimise_options usual = {.tol = 1e-12, .gtol = 1e-9, .max_iter = 200};

static void open_trail(trail *t, size_t n, size_t m)
{
    memset(t, 0, sizeof *t);
    CHECK(minimise_open(&t->s, SPD_POLAK_RIBIERE, n, m) == SPD_OK, "open");
    for (size_t i = 0; i < m; i++)
        t->s.W[i * m + i] = 1.0;
}

static spd_status alternate(spd_objective objective, size_t n, size_t m, size_t p, const double *X,
                            size_t count, const spd_pair *pairs, const minimise_options *o,
                            trail *t)
{
    const engine_input in = {n, m, p, X, NULL, SPD_LOG_EUCLIDEAN, objective, count, pairs, NULL};
    return log_euclidean_minimise(NULL, &in, o, 0, &t->s, note, t);
}

/* Two classes that differ in the last `signal` coordinates, samples that differ in the others. */
static double *planted(rng *r, size_t n, size_t p, size_t signal)
{
    double *X = block(p * n * n), *L = block(n * n);
    for (size_t i = 0; i < p; i++) {
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++) {
                int informative = b >= n - signal;
                double x = rng_normal(r) * (informative ? 0.02 : 1.0);
                if (informative && a == b && i % 2)
                    x += 2.0;
                L[a * n + b] = L[b * n + a] = x;
            }
        spd_apply(NULL, SPD_EXP, 0.0, n, 1, L, X + i * n * n);
    }
    free(L);
    return X;
}

/* All pairs: within a class drawn together, others apart. */
static spd_pair *class_pairs(size_t p, size_t *count)
{
    spd_pair *pairs = calloc(p * p, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < i; j++)
            pairs[(*count)++] = (spd_pair){j, i, (i + j) % 2 ? 0.0 : 1.0, (i + j) % 2 ? 1.0 : 0.0};
    return pairs;
}

/* The scheme is local: as in a fit with restarts, the best of a few random starts counts. */
static void finds_a_planted_space(void)
{
    const size_t n = 9, m = 2, p = 30;
    rng r;
    rng_seed(&r, 3);
    size_t count;
    double *X = planted(&r, n, p, m), Q[81];
    spd_pair *pairs = class_pairs(p, &count);
    for (int objective = 0; objective < 2; objective++) {
        double best = INFINITY, share = 0.0;
        for (int start = 0; start < 5; start++) {
            trail t;
            open_trail(&t, n, m);
            random_orthogonal(&r, n, Q);
            for (size_t i = 0; i < n; i++)
                memcpy(t.s.W + i * m, Q + i * n, m * sizeof *Q);
            spd_status status =
                alternate((spd_objective)objective, n, m, p, X, count, pairs, &usual, &t);
            CHECK(status == SPD_OK && t.s.best_f < t.cost[0], "%g after %g", t.s.best_f, t.cost[0]);
            double inside = 0.0;
            for (size_t i = n - m; i < n; i++)
                inside += pow(norm(m, t.W + i * m), 2.0);
            if (t.s.best_f < best) {
                best = t.s.best_f;
                share = inside;
            }
            minimise_close(&t.s);
        }
        /* The difference trades some of the space for chance imbalances of the noise. */
        CHECK_CLOSE(share, (double)m, objective ? 0.05 : 0.2, "share of the planted space, %d",
                    objective);
    }
    free(X);
    free(pairs);
}

/* Random graphs: the best cost seen is known, its W is orthonormal, state and cost agree. */
static void knows_the_best(void)
{
    const size_t n = 8, m = 3, p = 40;
    rng r;
    rng_seed(&r, 4);
    for (int trial = 0; trial < 10; trial++) {
        size_t count;
        double *X = random_set(&r, n, p, 100.0), G[24], WW[9], T[24];
        spd_pair *pairs = random_pairs(&r, p, &count);
        spd_objective o = (spd_objective)(trial % 2);
        trail t;
        open_trail(&t, n, m);
        CHECK(alternate(o, n, m, p, X, count, pairs, &usual, &t) == SPD_OK, "status");
        CHECK(t.calls == t.s.iteration + 1, "%d calls, %d iterations", t.calls, t.s.iteration);
        for (int k = 0; k < t.calls; k++)
            CHECK(t.s.best_f <= t.cost[k], "trial %d: iteration %d was better", trial, k);
        CHECK_CLOSE(cost_at(o, n, m, p, X, count, pairs, t.W, G), t.s.best_f,
                    1e-12 * fabs(t.s.best_f), "f");
        CHECK(t.cost[t.s.best_iteration] == t.s.best_f, "iteration %d", t.s.best_iteration);
        flip(n, m, t.W, T);
        times(m, n, m, T, t.W, WW);
        for (size_t e = 0; e < m * m; e++)
            CHECK_CLOSE(WW[e], e % (m + 1) == 0 ? 1.0 : 0.0, 1e-13, "W'W");
        if (t.s.stop == SPD_STOP_GRADIENT)
            CHECK(t.s.gradient_norm <= 1e-9 * fmax(fabs(t.s.f), t.s.first_f - t.s.f), "gradient");
        minimise_close(&t.s);
        free(X);
        free(pairs);
    }
}

/* One pair that is drawn together, m = 1: (w'Dw)^2 has its minimum 0 where w'Dw = 0, or where
 * |w'Dw| is smallest for definite D; for diagonal D that is a unit vector, and a fixed point. */
static void converges_where_it_must(void)
{
    const double x[] = {exp(3.0), exp(1.0), exp(2.0)};
    double X[18] = {0};
    for (size_t d = 0; d < 3; d++) {
        X[d * 4] = x[d];
        X[9 + d * 4] = 1.0;
    }
    const spd_pair only = {0, 1, 1.0, 0.0};
    trail t;
    open_trail(&t, 3, 1);
    CHECK(alternate(SPD_DIFFERENCE, 3, 1, 2, X, 1, &only, &usual, &t) == SPD_OK, "status");
    /* The start is a fixed point: its gradient vanishes at once. */
    CHECK(t.s.stop == SPD_STOP_GRADIENT && t.s.iteration == 0, "stop %d", t.s.stop);
    CHECK_CLOSE(t.s.f, 2.0 * 9.0, 1e-12, "(log 3 difference)^2, twice");
    minimise_close(&t.s);
    open_trail(&t, 3, 1);
    t.s.W[0] = t.s.W[1] = t.s.W[2] = sqrt(1.0 / 3.0);
    CHECK(alternate(SPD_DIFFERENCE, 3, 1, 2, X, 1, &only, &usual, &t) == SPD_OK, "status");
    CHECK(t.s.best_f <= t.cost[0], "no worse than the start");
    CHECK_CLOSE(cost_at(SPD_DIFFERENCE, 3, 1, 2, X, 1, &only, t.W, NULL), t.s.best_f, 1e-12, "f");
    minimise_close(&t.s);
}

static void limits_and_cancelling(void)
{
    const size_t n = 8, m = 2, p = 20;
    rng r;
    rng_seed(&r, 5);
    size_t count;
    double *X = random_set(&r, n, p, 50.0);
    spd_pair *pairs = random_pairs(&r, p, &count);
    minimise_options o = {.max_iter = 3};
    trail t;
    open_trail(&t, n, m);
    alternate(SPD_DIFFERENCE, n, m, p, X, count, pairs, &o, &t);
    CHECK(t.s.stop == SPD_STOP_ITERATIONS && t.s.iteration == 3, "%d", t.s.iteration);
    minimise_close(&t.s);
    o.max_iter = 100;
    open_trail(&t, n, m);
    t.stop_after = 2;
    alternate(SPD_DIFFERENCE, n, m, p, X, count, pairs, &o, &t);
    CHECK(t.s.stop == SPD_STOP_CANCELLED && t.s.iteration == 2, "%d", t.s.iteration);
    minimise_close(&t.s);
    o.max_time = 1e-9;
    open_trail(&t, n, m);
    alternate(SPD_DIFFERENCE, n, m, p, X, count, pairs, &o, &t);
    CHECK(t.s.stop == SPD_STOP_TIME && t.s.iteration == 0, "%d", t.s.iteration);
    minimise_close(&t.s);
    free(X);
    free(pairs);
}

/* Keeps what a checkpoint would hold after three iterations. */
static int keep_third(void *user, const minimise_state *s, const spd_fit_step *last)
{
    (void)last;
    return s->iteration == 3 && minimise_copy(user, s) != SPD_OK;
}

/* To the last bit, and as patient as the undisturbed run. */
static void resumes(void)
{
    const size_t n = 8, m = 2, p = 20;
    rng r;
    rng_seed(&r, 6);
    for (int limited = 0; limited < 2; limited++) {
        size_t count;
        double *X = random_set(&r, n, p, 50.0);
        spd_pair *pairs = random_pairs(&r, p, &count);
        const engine_input in = {n,         m,     p,     X,   NULL, SPD_LOG_EUCLIDEAN,
                                 SPD_RATIO, count, pairs, NULL};
        minimise_options o = {.max_iter = limited ? 9 : 200};
        trail t;
        minimise_state half = {0};
        open_trail(&t, n, m);
        CHECK(log_euclidean_minimise(NULL, &in, &o, 0, &t.s, keep_third, &half) == SPD_OK, "whole");
        CHECK(half.iteration == 3 && t.s.iteration > 3, "kept at %d", half.iteration);
        CHECK(log_euclidean_minimise(NULL, &in, &o, 1, &half, NULL, NULL) == SPD_OK, "half");
        CHECK(half.iteration == t.s.iteration && half.stop == t.s.stop && half.f == t.s.f &&
                  half.best_f == t.s.best_f && half.best_iteration == t.s.best_iteration &&
                  half.passes == t.s.passes && half.gradient_norm == t.s.gradient_norm,
              "%d and %d iterations", half.iteration, t.s.iteration);
        CHECK(memcmp(half.W, t.s.W, n * m * sizeof *half.W) == 0, "other bits");
        minimise_close(&half);
        minimise_close(&t.s);
        free(X);
        free(pairs);
    }
}

static void same_bits_for_any_threads(void)
{
    const size_t n = 12, m = 4, p = 101;
    rng r;
    rng_seed(&r, 7);
    size_t count;
    double *X = random_set(&r, n, p, 50.0), f[3], G[3][48];
    spd_pair *pairs = random_pairs(&r, p, &count);
    double *W = block(n * n);
    random_orthogonal(&r, n, W);
    for (int k = 0; k < 3; k++) {
        spd_context *ctx = spd_context_new();
        spd_context_set_threads(ctx, k + 1);
        CHECK(cost_of(ctx, SPD_RATIO, n, m, p, X, count, pairs, W, &f[k], G[k]) == SPD_OK,
              "status");
        CHECK(f[k] == f[0] && memcmp(G[k], G[0], sizeof G[0]) == 0, "%d threads", k + 1);
        spd_context_free(ctx);
    }
    free(X);
    free(W);
    free(pairs);
}

static void refusals(void)
{
    const double X[12] = {1, 0, 0, 1, 2, 0, 0, -1, 1, 0, 0, 1}, W[2] = {1, 0};
    const spd_pair pairs[2] = {{0, 1, 1, 0}, {0, 2, 0, 1}};
    double cost = 7.0, G[2] = {7.0, 7.0};
    spd_context *ctx = spd_context_new();
    spd_status status = cost_of(ctx, SPD_DIFFERENCE, 2, 1, 3, X, 2, pairs, W, &cost, G);
    CHECK(status == SPD_ENOTSPD && strstr(spd_context_error(ctx)->message, "X[1]"), "%s",
          spd_context_error(ctx)->message);
    const double good[12] = {1, 0, 0, 1, 2, 0, 0, 1, 1, 0, 0, 1}; /* 0 and 2 are equal: Sb = 0 */
    status = cost_of(ctx, SPD_RATIO, 2, 1, 3, good, 2, pairs, W, &cost, G);
    CHECK(status == SPD_ENUMERIC && strstr(spd_context_error(ctx)->message, "between"), "%s",
          spd_context_error(ctx)->message);
    CHECK(cost == 7.0 && G[0] == 7.0, "outputs touched");
    spd_context_free(ctx);
}

static void allocation_sweep(void)
{
    const size_t n = 5, m = 2, p = 12;
    rng r;
    rng_seed(&r, 8);
    size_t count;
    double *X = random_set(&r, n, p, 10.0), W[10] = {1, 0, 0, 1}, cost;
    spd_pair *pairs = random_pairs(&r, p, &count);
    for (int way = 0; way < 2; way++) {
        spd_status status = SPD_ENOMEM;
        long k = 0, live = mem_live();
        while (status == SPD_ENOMEM && ++k < 100) {
            trail t;
            open_trail(&t, n, m);
            mem_fail_at(k);
            status = way ? alternate(SPD_DIFFERENCE, n, m, p, X, count, pairs, &usual, &t)
                         : cost_of(NULL, SPD_DIFFERENCE, n, m, p, X, count, pairs, W, &cost, NULL);
            CHECK(mem_fail_at(0) > 0 || status == SPD_ENOMEM, "allocation %ld fails unnoticed", k);
            minimise_close(&t.s);
            CHECK(mem_live() == live, "way %d, allocation %ld: leak", way, k);
        }
        CHECK(status == SPD_OK && k > 5, "way %d ended with %d after %ld", way, status, k);
    }
    free(X);
    free(pairs);
}

int main(void)
{
    RUN(cost_by_definition);
    RUN(gradient_by_taylor);
    RUN(finds_a_planted_space);
    RUN(knows_the_best);
    RUN(converges_where_it_must);
    RUN(limits_and_cancelling);
    RUN(resumes);
    RUN(same_bits_for_any_threads);
    RUN(refusals);
    RUN(allocation_sweep);
    return test_summary();
}
