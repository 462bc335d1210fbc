/* test_log_euclidean_fit.c - the approximate log-Euclidean cost: cost and gradient against the
 * definition, and fits: stationary points, planted spaces, any number of threads. */
#include "test.h"

#include "random_spd.h"

static double twin_cost(size_t n, size_t m, const double *X, size_t count, const spd_pair *pairs,
                        const double *W)
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
    return Sw - Sb;
}

static spd_pair *random_pairs(rng *r, size_t p, size_t *count)
{
    spd_pair *pairs = take_zeros(p * p, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < i; j++)
            if (rng_uniform(r) < 0.3)
                pairs[(*count)++] = (spd_pair){i, j, rng_uniform(r), (double)rng_below(r, 2)};
    return pairs;
}

static spd_fit_options options_of(spd_objective objective, size_t m, size_t count,
                                  const spd_pair *pairs)
{
    spd_fit_options o = fit_defaults();
    o.metric = SPD_METRIC_LOG_EUCLIDEAN;
    o.objective = objective;
    o.m = m;
    o.learning = SPD_LEARNING_OWN_GRAPH;
    o.pairs = count;
    o.own_pairs = pairs;
    return o;
}

static spd_status cost_of(spd_context *ctx, spd_objective objective, size_t n, size_t m, size_t p,
                          const double *X, size_t count, const spd_pair *pairs, const double *W,
                          double *cost, double *G)
{
    spd_fit_options o = options_of(objective, m, count, pairs);
    o.W = W;
    return spd_cost(ctx, SPD_SET(n, p, X), &o, cost, G);
}

static double cost_at(spd_objective objective, size_t n, size_t m, size_t p, const double *X,
                      size_t count, const spd_pair *pairs, const double *W, double *G)
{
    double cost = NAN;
    CHECK(cost_of(NULL, objective, n, m, p, X, count, pairs, W, &cost, G) == SPD_OK, "");
    return cost;
}

TEST(cost_by_definition)
{
    const size_t n = 7, m = 3, p = 70;
    rng r = seeded(1);
    size_t count;
    double *X = random_set(&r, n, p, 100.0), *W = block(n * m);
    spd_pair *pairs = random_pairs(&r, p, &count);
    for (size_t e = 0; e < p * n * n; e++)
        X[e] *= 1e6; /* a common part of the logarithms, which no difference sees */
    for (size_t e = 0; e < n * m; e++)
        W[e] = rng_normal(&r);
    double expected = twin_cost(n, m, X, count, pairs, W);
    double cost = cost_at(SPD_OBJECTIVE_DIFFERENCE, n, m, p, X, count, pairs, W, NULL);
    CHECK_CLOSE(cost / expected, 1.0, 1e-11, "cost");
}

/* f(W + h H) - f(W) - h <G,H> shrinks with h^2, for any W of full rank. */
TEST(gradient_by_taylor)
{
    const size_t n = 6, m = 2, p = 25;
    rng r = seeded(2);
    size_t count;
    double *X = random_set(&r, n, p, 30.0), W[12], H[12], G[12], V[12];
    spd_pair *pairs = random_pairs(&r, p, &count);
    for (size_t e = 0; e < n * m; e++) {
        W[e] = rng_normal(&r);
        H[e] = rng_normal(&r);
    }
    double f = cost_at(SPD_OBJECTIVE_DIFFERENCE, n, m, p, X, count, pairs, W, G), slope = 0.0,
           rest[2];
    for (size_t e = 0; e < n * m; e++)
        slope += G[e] * H[e];
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-4 : 1e-3;
        for (size_t e = 0; e < n * m; e++)
            V[e] = W[e] + h * H[e];
        rest[k] =
            cost_at(SPD_OBJECTIVE_DIFFERENCE, n, m, p, X, count, pairs, V, NULL) - f - h * slope;
    }
    CHECK_CLOSE(log10(fabs(rest[0] / rest[1])), 2.0, 0.05, "rest");
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
        spd_apply(NULL, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 1, L), X + i * n * n);
    }
    return X;
}

/* All pairs: within a class drawn together, others apart. */
static spd_pair *class_pairs(size_t p, size_t *count)
{
    spd_pair *pairs = take_zeros(p * p, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < i; j++)
            pairs[(*count)++] = (spd_pair){j, i, (i + j) % 2 ? 0.0 : 1.0, (i + j) % 2 ? 1.0 : 0.0};
    return pairs;
}

static spd_model *learn(size_t n, size_t p, const double *X, const spd_fit_options *o)
{
    spd_context *ctx = context_on(1);
    spd_model *model = NULL;
    CHECK_OK(ctx, spd_fit(ctx, SPD_SET(n, p, X), NULL, o, NULL, &model));
    return model;
}

TEST(finds_a_planted_space)
{
    const size_t n = 9, m = 2, p = 30;
    rng r = seeded(3);
    size_t count;
    double *X = planted(&r, n, p, m);
    spd_pair *pairs = class_pairs(p, &count);
    for (int objective = SPD_OBJECTIVE_DIFFERENCE; objective <= SPD_OBJECTIVE_SOFTMAX;
         objective++) {
        spd_fit_options o = options_of((spd_objective)objective, m, count, pairs);
        o.init = SPD_INIT_RANDOM;
        o.restarts = 5;
        OWN(spd_model) model = learn(n, p, X, &o);
        double share = 0.0;
        for (size_t i = n - m; model && i < n; i++)
            share += pow(norm(m, model->W + i * m), 2.0);
        /* The difference trades some of the space for chance imbalances of the noise. */
        CHECK_CLOSE(share, (double)m, objective == SPD_OBJECTIVE_SOFTMAX ? 0.05 : 0.2,
                    "share of the planted space, %d", objective);
    }
}

/* The largest change of the twin's cost per radian, by central differences, along columns of W
 * turned one by one towards what is orthogonal to W. */
static double steepest(size_t n, size_t m, const double *X, size_t count, const spd_pair *pairs,
                       const double *W)
{
    const double h = 1e-4;
    double worst = 0.0, *V = block(n * m), *u = block(n);
    for (size_t c = 0; c < m; c++)
        for (size_t a = 0; a < n; a++) {
            double f[2], length;
            for (size_t i = 0; i < n; i++) {
                u[i] = i == a;
                for (size_t k = 0; k < m; k++)
                    u[i] -= W[i * m + k] * W[a * m + k];
            }
            length = norm(n, u);
            for (int side = 0; side < 2; side++) {
                double t = side ? h : -h;
                memcpy(V, W, n * m * sizeof *V);
                for (size_t i = 0; i < n; i++)
                    V[i * m + c] = W[i * m + c] * cos(t) + u[i] / length * sin(t);
                f[side] = twin_cost(n, m, X, count, pairs, V);
            }
            worst = fmax(worst, fabs(f[1] - f[0]) / (2.0 * h));
        }
    return worst;
}

/* If a fit ends as converged, or as near as rounding allows, the cost has no slope, it says the cost that the twin finds there,
 * and no iteration before it was better. */
TEST(ends_at_a_stationary_point)
{
    const size_t n = 8, m = 3, p = 40;
    rng r = seeded(4);
    for (int trial = 0; trial < 6; trial++) {
        size_t count;
        double *X = random_set(&r, n, p, 100.0);
        spd_pair *pairs = random_pairs(&r, p, &count);
        spd_fit_options o = options_of(SPD_OBJECTIVE_DIFFERENCE, m, count, pairs);
        o.tol = 0.0;
        o.solver = trial < 4 ? SPD_SOLVER_LBFGS : SPD_SOLVER_POLAK_RIBIERE;
        OWN(spd_model) model = learn(n, p, X, &o);
        if (!model)
            return;
        double scale = fmax(fabs(model->cost), model->cost_start - model->cost);
        CHECK(model->stop == SPD_STOP_GRADIENT || model->stop == SPD_STOP_LINE_SEARCH,
              "trial %d: %s", trial, spd_name(SPD_ENUM_STOP, model->stop)); /* or by rounding */
        CHECK_CLOSE(model->cost, twin_cost(n, m, X, count, pairs, model->W), 1e-10 * scale,
                    "trial %d", trial);
        double start = steepest(n, m, X, count, pairs, (double[24]){1, 0, 0, 0, 1, 0, 0, 0, 1});
        double end = steepest(n, m, X, count, pairs, model->W);
        CHECK(end < 1e-5 * start, "trial %d: slope %g of %g is left", trial, end, start);
        for (size_t k = 1; k < model->steps; k++)
            CHECK(model->history[k].cost <= model->history[k - 1].cost + 1e-12 * scale,
                  "trial %d: rises", trial); /* by more than rounding */
    }
}

/* Softmax: slopes, and a fit. Its values have a twin in tests/cli. */
TEST(softmax)
{
    const size_t n = 7, m = 2, p = 24;
    rng r = seeded(9);
    size_t count;
    double *X = planted(&r, n, p, m), W[14] = {1, 0, 0, 1, 1, 0, 0.5};
    spd_pair *pairs = class_pairs(p, &count);
    double G[14], f[2], slope = 0.0, h = 1e-5, V[14];
    spd_fit_options o = options_of(SPD_OBJECTIVE_SOFTMAX, m, count, pairs);
    (void)cost_at(SPD_OBJECTIVE_SOFTMAX, n, m, p, X, count, pairs, W, G);
    for (size_t e = 0; e < n * m; e++)
        slope += G[e] * (double)(e % 5);
    for (int side = 0; side < 2; side++) {
        for (size_t e = 0; e < n * m; e++)
            V[e] = W[e] + (side ? h : -h) * (double)(e % 5);
        f[side] = cost_at(SPD_OBJECTIVE_SOFTMAX, n, m, p, X, count, pairs, V, NULL);
    }
    CHECK_CLOSE((f[1] - f[0]) / (2.0 * h), slope, 1e-6 * fabs(slope), "slope");
    OWN(spd_model) model = learn(n, p, X, &o);
    CHECK(model && model->cost < model->cost_start, "cost");
}

TEST(same_bits_for_any_threads)
{
    const size_t n = 12, m = 4, p = 101;
    rng r = seeded(7);
    size_t count;
    double *X = random_set(&r, n, p, 50.0), f[3], G[3][48];
    spd_pair *pairs = random_pairs(&r, p, &count);
    double *W = block(n * n);
    random_orthogonal(&r, n, W);
    for (int k = 0; k < 3; k++) {
        spd_context *ctx = context_on(k + 1);
        CHECK_OK(ctx,
                 cost_of(ctx, SPD_OBJECTIVE_DIFFERENCE, n, m, p, X, count, pairs, W, &f[k], G[k]));
        CHECK(f[k] == f[0] && memcmp(G[k], G[0], sizeof G[0]) == 0, "%d threads", k + 1);
    }
}

TEST(refusals)
{
    const double X[12] = {1, 0, 0, 1, 2, 0, 0, -1, 1, 0, 0, 1}, W[2] = {1, 0};
    const spd_pair pairs[2] = {{0, 1, 1, 0}, {0, 2, 0, 1}};
    double cost = 7.0, G[2] = {7.0, 7.0};
    spd_context *ctx = context_on(0);
    spd_status status = cost_of(ctx, SPD_OBJECTIVE_DIFFERENCE, 2, 1, 3, X, 2, pairs, W, &cost, G);
    CHECK_FAILED(ctx, status, SPD_ENOTSPD, "X[1]");
    CHECK(cost == 7.0 && G[0] == 7.0, "outputs touched");
}
