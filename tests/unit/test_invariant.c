/* test_invariant.c - subspaces that no sample mixes: starts within them are left, and a
 * fit that cannot leave them says so. */
#include "test.h"

#include "learn/start.h"
#include "random_spd.h"

#define N 9
#define P 24

/* P random matrices N x N with blocks that end before the rows `end`; classes differ in the first
 * and in the last row. */
static double *blocks_new(rng *r, const size_t *end, int *label)
{
    double *X = block(P * N * N);
    memset(X, 0, P * N * N * sizeof *X);
    for (size_t i = 0; i < P; i++) {
        double *B = X + i * N * N;
        label[i] = (int)(i % 2);
        for (size_t b = 0, first = 0; first < N; first = end[b++]) {
            size_t k = end[b] - first;
            double *S = random_set(r, k, 1, 20.0);
            for (size_t e = 0; e < k * k; e++)
                B[(first + e / k) * N + first + e % k] = S[e];
        }
        for (size_t c = 0; c < N; c++) {
            double up = label[i] ? 1.6 : 1.0;
            B[c] *= up;
            B[c * N] *= up;
            B[(N - 1) * N + c] /= up;
            B[c * N + N - 1] /= up;
        }
    }
    return X;
}

/* Is W (n x m) turned, if the matrices keep it in subspaces? */
static int is_turned(const double *X, size_t n, size_t p, size_t m, const double *W)
{
    double *own = copy_of(n * m, W);
    CHECK(invariant_leave(NULL, SPD_SET(n, p, X), m, 1, own) == SPD_OK, "left");
    return memcmp(own, W, n * m * sizeof *W) != 0;
}

static const size_t whole[] = {9}, three[] = {4, 6, 9}, single[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const size_t *const kinds[] = {whole, three, single};

/* A map of rows 0 and N - 1, which differ most. */
static void straight_map(double *W)
{
    memset(W, 0, N * 2 * sizeof *W);
    W[0] = W[(N - 1) * 2 + 1] = 1.0;
}

/* X_i <- T X_i T', W <- T^-T W for T = I + u v'. */
static void change_basis(rng *r, double *X, double *W)
{
    double T[N * N], u[N], v[N], B[N * N], inner = 1.0, sum[2] = {0.0, 0.0};
    for (size_t k = 0; k < N; k++) {
        u[k] = rng_normal(r);
        v[k] = rng_normal(r);
        inner += u[k] * v[k];
        sum[0] += u[k] * W[k * 2];
        sum[1] += u[k] * W[k * 2 + 1];
    }
    for (size_t e = 0; e < N * N; e++)
        T[e] = (e / N == e % N) + u[e / N] * v[e % N];
    for (size_t e = 0; e < N * 2; e++)
        W[e] -= v[e / 2] * sum[e % 2] / inner;
    for (size_t i = 0; i < P; i++) {
        memcpy(B, X + i * N * N, sizeof B);
        congruent(N, N, T, B, X + i * N * N);
    }
}

/* In any basis, and whatever the scale of each sample. */
TEST(only_what_is_kept_is_turned)
{
    int label[P];
    double W[N * 2];
    rng r = seeded(3);
    for (size_t k = 0; k < 3; k++) {
        double *X = blocks_new(&r, kinds[k], label);
        straight_map(W);
        CHECK(is_turned(X, N, P, 2, W) == (k > 0), "kind %zu", k);
        change_basis(&r, X, W);
        CHECK(is_turned(X, N, P, 2, W) == (k > 0), "kind %zu, another basis", k);
        for (size_t i = 0; i < P; i++) {
            double scale = pow(10.0, 100.0 * (rng_uniform(&r) - 0.5));
            for (size_t e = 0; e < N * N; e++)
                X[i * N * N + e] *= scale;
        }
        CHECK(is_turned(X, N, P, 2, W) == (k > 0), "kind %zu, scaled", k);
        straight_map(W);
        CHECK(!is_turned(X, N, P, 2, W), "kind %zu, a map that mixes all", k);
    }
}

/* Real forms of complex matrices have all eigenvalues twice, and are one subspace all the same. */
TEST(complex_matrices_are_whole)
{
    enum { HALF = 4 };
    rng r = seeded(4);
    double *X = block(P * 4 * HALF * HALF), *Z = block(2 * HALF * HALF), W[4 * HALF] = {0.0};
    for (size_t i = 0; i < P; i++) {
        double A[HALF][12][2];
        for (size_t e = 0; e < sizeof A / sizeof(double); e++)
            (&A[0][0][0])[e] = rng_normal(&r);
        for (size_t a = 0; a < HALF; a++)
            for (size_t b = 0; b < HALF; b++) {
                double re = 0.0, im = 0.0;
                for (size_t t = 0; t < 12; t++) {
                    re += A[a][t][0] * A[b][t][0] + A[a][t][1] * A[b][t][1];
                    im += A[a][t][1] * A[b][t][0] - A[a][t][0] * A[b][t][1];
                }
                Z[2 * (a * HALF + b)] = re;
                Z[2 * (a * HALF + b) + 1] = im;
            }
        spd_complex_embed(HALF, HALF, 1, Z, X + i * 4 * HALF * HALF);
    }
    for (size_t e = 0; e < 2; e++)
        W[e * 2 + e] = 1.0;
    CHECK(!is_turned(X, 2 * HALF, P, 2, W), "turned");
}

static spd_model *learned(const double *X, const int *label, const spd_fit_options *o)
{
    spd_model *model = NULL;
    spd_status status = spd_fit(NULL, SPD_SET(N, P, X), label, o, NULL, &model);
    CHECK(status == SPD_OK && model, "status %d", (int)status);
    return model;
}

/* What a fit gains that goes on from W, turned by a little: much, if W is a saddle. */
static double gain_of_turn(const double *X, const int *label, const spd_model *from)
{
    spd_fit_options o = *from->options;
    double W[N * 2];
    rng r = seeded(8);
    for (size_t e = 0; e < N * 2; e++)
        W[e] = from->W[e] + 0.1 / sqrt((double)N) * rng_normal(&r);
    o.init = SPD_INIT_GIVEN;
    o.W = W;
    OWN(spd_model) model = learned(X, label, &o);
    return (from->cost - model->cost) / fmax(fabs(from->cost), from->cost_start - from->cost);
}

/* Whatever the start, metric, objective and solver: a fit ends at no saddle. */
TEST(starts_are_left)
{
    static const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                         SPD_METRIC_LOG_EUCLIDEAN};
    static const spd_init inits[] = {SPD_INIT_AUTO, SPD_INIT_IDENTITY, SPD_INIT_MEAN, SPD_INIT_CSP,
                                     SPD_INIT_GIVEN};
    int label[P];
    double W[N * 2];
    rng r = seeded(5);
    straight_map(W);
    for (size_t k = 1; k < 3; k++) {
        double *X = blocks_new(&r, kinds[k], label);
        CHECK(is_turned(X, N, P, 2, W), "the given start");
        for (size_t c = 0; c < 4 * 2 * 5 * 2; c++) {
            spd_fit_options o = fit_defaults();
            o.m = 2;
            o.metric = metrics[c % 4];
            o.log_cost = SPD_LOG_COST_EXACT;
            o.objective = (spd_objective)(SPD_OBJECTIVE_DIFFERENCE + c / 4 % 2);
            o.init = inits[c / 8 % 5];
            o.solver = (spd_solver)(SPD_SOLVER_POLAK_RIBIERE + c / 40);
            o.W = W;
            o.nu_w = o.nu_b = 5;
            o.tol = 1e-6;
            OWN(spd_model) model = learned(X, label, &o);
            CHECK(model->cost <= model->cost_start && model->stop != SPD_STOP_INVARIANT &&
                      gain_of_turn(X, label, model) < 0.1,
                  "kind %zu, metric %d, objective %d, init %d, solver %d", k, (int)o.metric,
                  (int)o.objective, (int)o.init, (int)o.solver);
        }
    }
}

/* The cost of W by a fit that makes no step. */
static double cost_at(const double *X, const int *label, double *W)
{
    spd_fit_options o = fit_defaults();
    o.m = 2;
    o.init = SPD_INIT_GIVEN;
    o.W = W;
    o.max_iter = 0;
    OWN(spd_model) model = learned(X, label, &o);
    double cost = model->cost;
    CHECK(gap_between(N * 2, model->W, W) < 1e-15, "a fit without iterations stays at its start");
    return cost;
}

/* Diagonal matrices: the map is better than every choice of two rows. */
TEST(better_than_any_rows)
{
    int label[P];
    double W[N * 2], best = INFINITY;
    rng r = seeded(6);
    double *X = blocks_new(&r, single, label);
    for (size_t a = 1; a < N; a++)
        for (size_t b = 0; b < a; b++) {
            memset(W, 0, sizeof W);
            W[a * 2] = W[b * 2 + 1] = 1.0;
            best = fmin(best, cost_at(X, label, W));
        }
    spd_fit_options o = fit_defaults();
    o.m = 2;
    OWN(spd_model) model = learned(X, label, &o);
    CHECK(model->cost < 0.95 * best, "%g of %g", model->cost, best);
}

/* The paper's start stays where it is, and its fit does not say that it has converged. */
TEST(the_papers_start_is_confined)
{
    int label[P];
    rng r = seeded(7);
    for (size_t k = 0; k < 3; k++) {
        double *X = blocks_new(&r, kinds[k], label), beyond = 0.0;
        spd_fit_options o = fit_defaults();
        o.m = 2;
        o.paper = 1;
        spd_model *model = learned(X, label, &o);
        for (size_t row = 4; row < N; row++)
            beyond = fmax(beyond, fabs(model->W[row * 2]) + fabs(model->W[row * 2 + 1]));
        CHECK((model->stop == SPD_STOP_INVARIANT) == (k > 0), "kind %zu, %s", k,
              spd_name(SPD_ENUM_STOP, model->stop));
        CHECK((beyond == 0.0) == (k > 0), "kind %zu: %g in other blocks", k, beyond);
        CHECK(k == 0 || isnan(spd_model_gain(model)), "%g", spd_model_gain(model));
        double confined = model->cost;
        spd_model_free(model);
        o.init = SPD_INIT_MEAN;
        model = learned(X, label, &o);
        CHECK(k == 0 || model->cost < confined, "kind %zu: %g", k, model->cost);
        spd_model_free(model);
    }
}
