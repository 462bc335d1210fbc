/* test_log_derivative.c - the derivative of the logarithm against an integral, and what the exact
 * log-Euclidean cost must be: invariant under rotations and scaling, equal to the approximate one
 * where nothing is lost, right for ill-conditioned matrices. */
#include "test.h"

#include "random_spd.h"

/* D (n x n) <- the library's D log(A)[H] */
static void derivative(size_t n, const double *A, const double *H, double *D)
{
    double *F = block(n * n), *spectrum = block(spd_spectrum_size(n, 1));
    CHECK_OK(NULL, spd_apply_spectrum(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, 1, A), F, spectrum));
    CHECK_OK(NULL,
             spd_apply_derivative(NULL, SPD_FUNCTION_LOG, 0.0, spectrum, SPD_SET(n, 1, H), D));
}

static double *random_symmetric(rng *r, size_t n)
{
    double *H = block(n * n);
    for (size_t e = 0; e < n * n; e++)
        H[e] = rng_normal(r);
    spd_symmetrize(n, 1, H);
    return H;
}

TEST(derivative_is_the_integral)
{
    rng r = seeded(1);
    for (size_t n = 1; n <= 9; n += 2)
        for (int power = 0; power <= 8; power += 2) {
            double condition = pow(10.0, power);
            double *A = random_set(&r, n, 1, condition), *H = random_symmetric(&r, n);
            double *D = block(n * n), *E = block(n * n);
            derivative(n, A, H, D);
            twin_log_derivative(n, A, H, E);
            CHECK(relative_gap(n * n, D, E) < 1e-12 + 1e-14 * condition, "n %zu, %g", n, condition);
        }
}

/* Equal eigenvalues: D log(cI)[H] = H/c, and half equal ones mix the two rules. */
TEST(derivative_where_eigenvalues_are_equal)
{
    rng r = seeded(2);
    enum { n = 4 };
    double *H = random_symmetric(&r, n), A[n * n] = {0}, D[n * n], E[n * n];
    for (size_t i = 0; i < n; i++)
        A[i * (n + 1)] = 3.0;
    derivative(n, A, H, D);
    for (size_t e = 0; e < n * n; e++)
        E[e] = H[e] / 3.0;
    CHECK(relative_gap(n * n, D, E) < 1e-15, "off by %g", relative_gap(n * n, D, E));
    A[0] = A[n + 1] = 5.0;
    derivative(n, A, H, D);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            E[i * n + j] = H[i * n + j] * (i < 2 && j < 2     ? 0.2
                                           : i >= 2 && j >= 2 ? 1.0 / 3.0
                                                              : log(5.0 / 3.0) / 2.0);
    CHECK(relative_gap(n * n, D, E) < 1e-15, "off by %g", relative_gap(n * n, D, E));
}

#define N 7
#define P 12

typedef struct rig {
    spd_fit_options o;
    double *X;
    spd_pair pair[2 * P];
} rig;

static void rig_open(rig *g, rng *r, size_t m, double condition)
{
    spd_fit_defaults(&g->o, sizeof g->o);
    g->X = random_set(r, N, P, condition);
    for (uint32_t k = 0; k < 2 * P; k++)
        g->pair[k] = (spd_pair){k % P, (k + 1 + k / P) % P, k % 2 ? 1.0 : 0.0, k % 2 ? 0.0 : 0.5};
    g->o.metric = SPD_METRIC_LOG_EUCLIDEAN;
    g->o.log_cost = SPD_LOG_COST_EXACT;
    g->o.m = m;
    g->o.pairs = 2 * P;
    g->o.own_pairs = g->pair;
}

static double cost_at(const rig *g, spd_log_cost which, const double *X, const double *W, double *G)
{
    spd_fit_options o = g->o;
    double cost = NAN;
    o.log_cost = which;
    o.W = W;
    CHECK(spd_cost(NULL, SPD_SET(N, P, X), &o, &cost, G) == SPD_OK, "cost");
    return cost;
}

TEST(rotations_and_scaling_change_nothing)
{
    enum { m = 3 };
    rng r = seeded(3);
    rig g;
    rig_open(&g, &r, m, 100.0);
    double *Q = block(N * N), R[m * m], W[N * m], WR[N * m], G[N * m], GR[N * m], H[N * m];
    double *Y = block(P * N * N);
    random_orthogonal(&r, N, Q);
    random_orthogonal(&r, m, R);
    for (size_t i = 0; i < N; i++)
        memcpy(W + i * m, Q + i * N, m * sizeof *W);
    double cost = cost_at(&g, SPD_LOG_COST_EXACT, g.X, W, G);
    times(N, m, m, W, R, WR); /* another basis of the same span */
    CHECK_CLOSE(cost_at(&g, SPD_LOG_COST_EXACT, g.X, WR, H), cost, 1e-12 * fabs(cost), "basis");
    times(N, m, m, G, R, GR);
    CHECK(relative_gap(N * m, H, GR) < 1e-11, "gradient of another basis");
    for (size_t e = 0; e < P * N * N; e++) /* other units */
        Y[e] = 1e-3 * g.X[e];
    CHECK_CLOSE(cost_at(&g, SPD_LOG_COST_EXACT, Y, W, H), cost, 1e-11 * fabs(cost), "scale");
    CHECK(relative_gap(N * m, H, G) < 1e-11, "gradient of another scale");
    random_orthogonal(&r, N, Q); /* everything turned */
    for (size_t i = 0; i < P; i++)
        congruent(N, N, Q, g.X + i * N * N, Y + i * N * N);
    times(N, N, m, Q, W, WR);
    CHECK_CLOSE(cost_at(&g, SPD_LOG_COST_EXACT, Y, WR, H), cost, 1e-11 * fabs(cost), "turned");
    times(N, N, m, Q, G, GR);
    CHECK(relative_gap(N * m, H, GR) < 1e-10, "gradient turned");
}

/* W' log(X) W is log(W'XW) where W is square, and where its span is one of eigenvectors of all X.
 * Elsewhere it is not. */
TEST(costs_agree_where_nothing_is_lost)
{
    rng r = seeded(4);
    rig g;
    rig_open(&g, &r, N, 100.0);
    double *Q = block(N * N), W[N * 3] = {0}, *E = block(P * N * N);
    random_orthogonal(&r, N, Q);
    double exact = cost_at(&g, SPD_LOG_COST_EXACT, g.X, Q, NULL);
    CHECK_CLOSE(exact, cost_at(&g, SPD_LOG_COST_APPROXIMATE, g.X, Q, NULL), 1e-11 * fabs(exact),
                "square W");
    g.o.m = 3;
    for (size_t i = 0; i < N; i++)
        memcpy(W + i * 3, Q + i * N, 3 * sizeof *W);
    exact = cost_at(&g, SPD_LOG_COST_EXACT, g.X, W, NULL);
    double other = cost_at(&g, SPD_LOG_COST_APPROXIMATE, g.X, W, NULL);
    CHECK(fabs(exact - other) > 1e-3 * fabs(exact), "%g is not an approximation of %g", other,
          exact);
    memset(E, 0, P * N * N * sizeof *E);
    memset(W, 0, sizeof W);
    for (size_t i = 0; i < P; i++)
        for (size_t d = 0; d < N; d++)
            E[(i * N + d) * N + d] = g.X[(i * N + d) * N + d];
    for (size_t c = 0; c < 3; c++)
        W[(2 * c) * 3 + c] = 1.0;
    exact = cost_at(&g, SPD_LOG_COST_EXACT, E, W, NULL);
    CHECK_CLOSE(exact, cost_at(&g, SPD_LOG_COST_APPROXIMATE, E, W, NULL), 1e-12 * fabs(exact),
                "eigenvectors");
}

/* Diagonal matrices with a condition of 1e15: logarithms of the entries decide. */
TEST(ill_conditioned_matrices)
{
    enum { m = 5 };
    rng r = seeded(5);
    rig g;
    rig_open(&g, &r, m, 10.0);
    double W[N * m] = {0}, G[N * m], known = 0.0, K[N * m] = {0};
    for (size_t i = 0; i < P; i++) {
        memset(g.X + i * N * N, 0, N * N * sizeof *g.X);
        for (size_t d = 0; d < N; d++)
            g.X[(i * N + d) * N + d] = pow(10.0, -2.5 * (double)d) * (1.0 + rng_uniform(&r));
    }
    for (size_t c = 0; c < m; c++)
        W[c * m + c] = 1.0;
    for (size_t k = 0; k < g.o.pairs; k++)
        for (size_t c = 0; c < m; c++) {
            const spd_pair *q = &g.pair[k];
            double a = 2.0 * (q->within - q->between),
                   gap = log(g.X[(q->i * N + c) * N + c]) - log(g.X[(q->j * N + c) * N + c]);
            known += a * gap * gap;
            /* both samples: 2 X W D log[...] has 2 gap/x times 2 x, with opposite signs */
            K[c * m + c] += a * (4.0 * gap - 4.0 * gap);
        }
    CHECK_CLOSE(cost_at(&g, SPD_LOG_COST_EXACT, g.X, W, G), known, 1e-12 * fabs(known), "cost");
    CHECK(gap_between(N * m, G, K) < 1e-11, "gradient %g", norm(N * m, G));
}

/* From the map of the approximate cost the exact one can only fall. */
TEST(exact_fit_improves_on_the_approximate_one)
{
    rng r = seeded(6);
    rig g;
    rig_open(&g, &r, 3, 100.0);
    OWN(spd_model) rough = NULL, *fine = NULL;
    g.o.learning = SPD_LEARNING_OWN_GRAPH;
    g.o.log_cost = SPD_LOG_COST_APPROXIMATE;
    CHECK(spd_fit(NULL, SPD_SET(N, P, g.X), NULL, &g.o, NULL, &rough) == SPD_OK, "approximate");
    double before = cost_at(&g, SPD_LOG_COST_EXACT, g.X, rough->W, NULL);
    g.o.log_cost = SPD_LOG_COST_EXACT;
    g.o.init = SPD_INIT_GIVEN;
    g.o.W = rough->W;
    CHECK(spd_fit(NULL, SPD_SET(N, P, g.X), NULL, &g.o, NULL, &fine) == SPD_OK, "exact");
    CHECK_CLOSE(fine->cost_start, before, 1e-11 * fabs(before), "start");
    CHECK(fine->cost < before - 1e-3 * fabs(before), "%g from %g", fine->cost, before);
    CHECK(fine->options->log_cost == SPD_LOG_COST_EXACT, "the model does not say so");
    CHECK(rough->options->log_cost == SPD_LOG_COST_APPROXIMATE, "the model does not say so");
}
