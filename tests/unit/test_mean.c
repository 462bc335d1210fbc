/* test_mean.c - means: stationarity, closed forms, invariances, weights, convergence. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

#include "geometry/mean.h"

static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20, 33, 64};
#define SIZES (sizeof sizes / sizeof *sizes)

static const char *name_of(int metric)
{
    return spd_metric_name((spd_metric)metric);
}

static double *random_weights(rng *r, size_t p)
{
    double *w = block(p);
    for (size_t i = 0; i < p; i++)
        w[i] = 0.1 + rng_uniform(r);
    return w;
}

/* ---- stationarity -----------------------------------------------------------------------------
 */

/* sum w_i f(M^-1/2 X_i M^-1/2) / sum w_i: its norm, relative to one sample's. */
static double whitened_sum(size_t n, size_t p, const double *X, const double *w, const double *M,
                           double (*f)(double))
{
    double *root = block(n * n), *C = block(n * n), *F = block(n * n), *S = block(n * n);
    double total = 0.0, size = 0.0;
    memset(S, 0, n * n * sizeof *S);
    CHECK(spd_apply(NULL, SPD_INVSQRT, 0.0, n, 1, M, root) == SPD_OK, " ");
    for (size_t i = 0; i < p; i++) {
        congruent(n, n, root, X + i * n * n, C);
        twin_function(n, f, C, F);
        for (size_t e = 0; e < n * n; e++)
            S[e] += w[i] * F[e];
        total += w[i];
        size = fmax(size, norm(n * n, F));
    }
    double gradient = norm(n * n, S) / (total * size);
    free(root);
    free(C);
    free(F);
    free(S);
    return gradient;
}

/* 2 tanh(ln(x)/2): the gradient of four Stein divergences. */
static double stein_slope(double x)
{
    return 2.0 * (x - 1.0) / (x + 1.0);
}

/* The gradient of Jeffrey's divergence: sinh ln x. */
static double jeffrey_slope(double x)
{
    return 0.5 * (x - 1.0 / x);
}

static void gradient_vanishes(void)
{
    const struct {
        spd_metric metric;
        double (*slope)(double);
    } rules[] = {{SPD_AIRM, log}, {SPD_STEIN, stein_slope}, {SPD_JEFFREY, jeffrey_slope}};
    const double conditions[] = {2.0, 1e2, 1e4};
    rng r;
    rng_seed(&r, 1);
    for (size_t s = 0; s < SIZES; s++)
        for (size_t c = 0; c < 3; c++)
            for (size_t k = 0; k < 3; k++) {
                size_t n = sizes[s], p = n > 30 ? 10 : 35;
                double *X = random_set(&r, n, p, conditions[c]), *w = random_weights(&r, p);
                double *M = block(n * n);
                spd_mean_info info = SPD_INIT(spd_mean_info);
                spd_status status = spd_mean(
                    NULL, rules[k].metric, n, p, X,
                    &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M, &info);
                CHECK(status == SPD_OK && info.converged, "%s n %zu cond %g: %d, residual %g",
                      name_of((int)rules[k].metric), n, conditions[c], (int)status, info.residual);
                double gradient = whitened_sum(n, p, X, w, M, rules[k].slope);
                /* the stopping rule, and rounding */
                double tolerance = 5e-12 + 100.0 * (double)n * DBL_EPSILON * conditions[c];
                CHECK(gradient <= tolerance, "%s n %zu cond %g: gradient %g > %g in %d steps",
                      name_of((int)rules[k].metric), n, conditions[c], gradient, tolerance,
                      info.iterations);
                CHECK(skewness(n, M) == 0.0, " ");
                free(X);
                free(w);
                free(M);
            }
}

/* sum w (M^1/2 X M^1/2)^1/2 = M at the Bures-Wasserstein mean. */
static void bures_fixed_point(void)
{
    rng r;
    rng_seed(&r, 2);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = 11, each = n * n;
        double *X = random_set(&r, n, p, 100.0), *w = random_weights(&r, p), *M = block(each);
        double *root = block(each), *C = block(each), *S = block(each), total = 0.0;
        CHECK(spd_mean(NULL, SPD_BURES_WASSERSTEIN, n, p, X,
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M,
                       NULL) == SPD_OK,
              " ");
        twin_function(n, sqrt, M, root);
        memset(S, 0, each * sizeof *S);
        for (size_t i = 0; i < p; i++) {
            congruent(n, n, root, X + i * each, C);
            twin_function(n, root_of, C, C);
            for (size_t e = 0; e < each; e++)
                S[e] += w[i] * C[e];
            total += w[i];
        }
        for (size_t e = 0; e < each; e++)
            S[e] /= total;
        CHECK_CLOSE(relative_gap(each, S, M), 0.0, 1e-11, "n %zu", n);
        free(X);
        free(w);
        free(M);
        free(root);
        free(C);
        free(S);
    }
}

/* ---- closed forms -----------------------------------------------------------------------------
 */

static void flat_means(void)
{
    rng r;
    rng_seed(&r, 3);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = 21, each = n * n;
        double *X = random_set(&r, n, p, 100.0), *w = random_weights(&r, p), total = 0.0;
        double *M = block(each), *F = block(each), *plain = block(each), *logs = block(each);
        memset(plain, 0, each * sizeof *plain);
        memset(logs, 0, each * sizeof *logs);
        for (size_t i = 0; i < p; i++)
            total += w[i];
        for (size_t i = 0; i < p; i++) {
            twin_function(n, log, X + i * each, F);
            for (size_t e = 0; e < each; e++) {
                plain[e] += w[i] / total * X[i * each + e];
                logs[e] += w[i] / total * F[e];
            }
        }
        twin_function(n, exp, logs, logs);
        spd_mean_info info = SPD_INIT(spd_mean_info);
        CHECK(spd_mean(NULL, SPD_EUCLIDEAN, n, p, X,
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M,
                       &info) == SPD_OK,
              " ");
        CHECK_CLOSE(relative_gap(each, M, plain), 0.0, 1e-14 * (double)n, "Euclidean n %zu", n);
        CHECK(info.converged && info.iterations == 1 && info.residual == 0.0, " ");
        CHECK(spd_mean(NULL, SPD_LOG_EUCLIDEAN, n, p, X,
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M,
                       NULL) == SPD_OK,
              " ");
        CHECK_CLOSE(relative_gap(each, M, logs), 0.0, 1e-13 * (double)n, "logarithms n %zu", n);
        free(X);
        free(w);
        free(M);
        free(F);
        free(plain);
        free(logs);
    }
}

/* The mean's cost is below the cost of points near it, for every metric. */
static void no_better_neighbour(void)
{
    rng r;
    rng_seed(&r, 4);
    size_t n = 4, p = 9, each = n * n;
    double *X = random_set(&r, n, p, 30.0), *w = random_weights(&r, p);
    double *M = block(each), *N = block(each), *direction = block(each);
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_mean(NULL, (spd_metric)m, n, p, X,
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M,
                       NULL) == SPD_OK,
              " ");
        double best = 0.0;
        for (size_t i = 0; i < p; i++)
            best += w[i] * dist2((spd_metric)m, n, M, X + i * each);
        for (int trial = 0; trial < 30; trial++) {
            double cost = 0.0;
            random_spd(&r, n, 10.0, direction);
            for (size_t e = 0; e < each; e++)
                N[e] = M[e] + (trial % 2 ? 1e-3 : -1e-3) * direction[e];
            for (size_t i = 0; i < p; i++)
                cost += w[i] * dist2((spd_metric)m, n, N, X + i * each);
            CHECK(cost > best, "%s: %.17g beats %.17g", name_of(m), cost, best);
        }
    }
    free(X);
    free(w);
    free(M);
    free(N);
    free(direction);
}

/* One matrix is its own mean, bit for bit; what is none is refused as among others. */
static void one_sample_is_its_own_mean(void)
{
    rng r;
    spd_context *ctx = spd_context_new();
    rng_seed(&r, 7);
    for (size_t n = 1; n < 40; n = 2 * n + 1) {
        double *X = random_set(&r, n, 1, 1e8), *M = block(n * n), weight = 3.0, none = 0.0;
        const double last = X[n * n - 1];
        for (int m = 0; m < SPD_METRICS; m++) {
            spd_mean_info info = SPD_INIT(spd_mean_info);
            spd_mean_options o = SPD_INIT(spd_mean_options);
            o.weights = &weight;
            CHECK(spd_mean(ctx, (spd_metric)m, n, 1, X, &o, M, &info) == SPD_OK, "%s", name_of(m));
            CHECK(info.converged && memcmp(X, M, n * n * sizeof *X) == 0, "%s, n %zu", name_of(m),
                  n);
            o.weights = &none;
            CHECK(spd_mean(ctx, (spd_metric)m, n, 1, X, &o, M, NULL) == SPD_EINVAL, " ");
            X[n * n - 1] = -last;
            CHECK(m == SPD_EUCLIDEAN ||
                      (spd_mean(ctx, (spd_metric)m, n, 1, X, NULL, M, NULL) == SPD_ENOTSPD &&
                       spd_context_error(ctx)->index == 0),
                  "%s: not positive definite", name_of(m));
            X[n * n - 1] = NAN;
            CHECK(spd_mean(ctx, (spd_metric)m, n, 1, X, NULL, M, NULL) == SPD_ENOTFINITE, "%s: NaN",
                  name_of(m));
            X[n * n - 1] = last;
        }
        free(X);
        free(M);
    }
    spd_context_free(ctx);
}

/* Two samples: the geodesic's point at the second's share of weight; Stein and Jeffrey only for
 * equal weights. */
static void two_samples_meet_on_the_geodesic(void)
{
    rng r;
    rng_seed(&r, 6);
    for (size_t s = 0; s < SIZES; s++)
        for (int m = 0; m < SPD_METRICS; m++) {
            size_t n = sizes[s], each = n * n;
            int shared = m == SPD_STEIN || m == SPD_JEFFREY;
            double w[] = {3.0, shared ? 3.0 : 1.0};
            double *X = random_set(&r, n, 2, 50.0), *M = block(each), *G = block(each);
            CHECK(spd_mean(NULL, (spd_metric)m, n, 2, X,
                           &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M,
                           NULL) == SPD_OK,
                  "%s", name_of(m));
            CHECK(spd_geodesic(NULL, (spd_metric)m, n, X, X + each, w[1] / (w[0] + w[1]), G) ==
                      SPD_OK,
                  " ");
            CHECK_CLOSE(relative_gap(each, M, G), 0.0, 1e-10, "%s n %zu", name_of(m), n);
            free(X);
            free(M);
            free(G);
        }
}

/* ---- invariances ------------------------------------------------------------------------------
 */

static void affine_equivariance(void)
{
    const spd_metric metrics[] = {SPD_AIRM, SPD_STEIN, SPD_JEFFREY, SPD_EUCLIDEAN};
    rng r;
    rng_seed(&r, 7);
    size_t n = 6, p = 15, each = n * n;
    double *X = random_set(&r, n, p, 20.0), *A = block(p * each), *T = block(each);
    double *M = block(each), *N = block(each), *expected = block(each);
    random_gl(&r, n, 100.0, T);
    for (size_t i = 0; i < p; i++)
        congruent(n, n, T, X + i * each, A + i * each);
    for (size_t k = 0; k < 4; k++) {
        CHECK(spd_mean(NULL, metrics[k], n, p, X, NULL, M, NULL) == SPD_OK, " ");
        CHECK(spd_mean(NULL, metrics[k], n, p, A, NULL, N, NULL) == SPD_OK, " ");
        congruent(n, n, T, M, expected);
        CHECK_CLOSE(relative_gap(each, N, expected), 0.0, 1e-9, "%s", spd_metric_name(metrics[k]));
    }
    free(X);
    free(A);
    free(T);
    free(M);
    free(N);
    free(expected);
}

/* The mean of the inverses is the inverse of the mean, for the metrics that do not see inversion.
 */
static void self_duality(void)
{
    const spd_metric metrics[] = {SPD_AIRM, SPD_STEIN, SPD_JEFFREY, SPD_LOG_EUCLIDEAN};
    rng r;
    rng_seed(&r, 8);
    size_t n = 5, p = 12, each = n * n;
    double *X = random_set(&r, n, p, 100.0), *V = block(p * each);
    double *M = block(each), *N = block(each);
    CHECK(spd_inverse(NULL, n, p, X, V) == SPD_OK, " ");
    for (size_t k = 0; k < 4; k++) {
        CHECK(spd_mean(NULL, metrics[k], n, p, X, NULL, M, NULL) == SPD_OK, " ");
        CHECK(spd_mean(NULL, metrics[k], n, p, V, NULL, N, NULL) == SPD_OK, " ");
        CHECK(spd_inverse(NULL, n, 1, N, N) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, N, M), 0.0, 1e-10, "%s", spd_metric_name(metrics[k]));
    }
    free(X);
    free(V);
    free(M);
    free(N);
}

/* Whole weights are repetitions, zero weights are absences. */
static void weights_count_samples(void)
{
    rng r;
    rng_seed(&r, 9);
    size_t n = 5, p = 4, each = n * n;
    const double w[] = {2.0, 0.0, 1.0, 3.0};
    double *X = random_set(&r, n, p, 100.0), *R = block(6 * each);
    double *M = block(each), *N = block(each);
    size_t count = 0;
    for (size_t i = 0; i < p; i++)
        for (int k = 0; k < (int)w[i]; k++)
            memcpy(R + count++ * each, X + i * each, each * sizeof *R);
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_mean(NULL, (spd_metric)m, n, p, X,
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = w}, M,
                       NULL) == SPD_OK,
              " ");
        CHECK(spd_mean(NULL, (spd_metric)m, n, count, R, NULL, N, NULL) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, M, N), 0.0, 1e-10, "%s", name_of(m));
    }
    free(X);
    free(R);
    free(M);
    free(N);
}

/* More samples than chunks of sixteen: chunks grow. */
static void repeated_samples(void)
{
    rng r;
    rng_seed(&r, 15);
    size_t n = 3, few = 5, p = 9000, each = n * n;
    double *X = random_set(&r, n, few, 50.0), *R = block(p * each);
    double *M = block(each), *N = block(each);
    for (size_t i = 0; i < p; i++)
        memcpy(R + i * each, X + i % few * each, each * sizeof *R);
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_mean(NULL, (spd_metric)m, n, few, X, NULL, M, NULL) == SPD_OK, " ");
        CHECK(spd_mean(NULL, (spd_metric)m, n, p, R, NULL, N, NULL) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, N, M), 0.0, 1e-11, "%s", name_of(m));
    }
    free(X);
    free(R);
    free(M);
    free(N);
}

static void same_bits_for_any_threads(void)
{
    rng r;
    rng_seed(&r, 10);
    size_t n = 7, p = 500, each = n * n;
    double *X = random_set(&r, n, p, 100.0), *one = block(each), *more = block(each);
    for (int m = 0; m < SPD_METRICS; m++)
        for (int threads = 1; threads <= 3; threads++) {
            spd_context *ctx = spd_context_new();
            spd_context_set_threads(ctx, threads);
            double *M = threads == 1 ? one : more;
            CHECK(spd_mean(ctx, (spd_metric)m, n, p, X, NULL, M, NULL) == SPD_OK, "%s",
                  spd_context_error(ctx)->message);
            CHECK(memcmp(one, M, each * sizeof *M) == 0, "%s, %d threads", name_of(m), threads);
            spd_context_free(ctx);
        }
    free(X);
    free(one);
    free(more);
}

/* ---- convergence ------------------------------------------------------------------------------
 */

/* Sets far apart: spectra over six and eight decades, in random directions. */
static void far_apart(void)
{
    const spd_metric metrics[] = {SPD_AIRM, SPD_STEIN, SPD_BURES_WASSERSTEIN};
    rng r;
    rng_seed(&r, 11);
    for (double condition = 1e6; condition <= 1e8; condition *= 100.0)
        for (size_t n = 2; n <= 30; n += 7)
            for (size_t k = 0; k < 3; k++) {
                size_t p = 3 + n;
                double *X = random_set(&r, n, p, condition), *M = block(n * n);
                spd_mean_info info = SPD_INIT(spd_mean_info);
                spd_status status = spd_mean(
                    NULL, metrics[k], n, p, X,
                    &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = 1e-9}, M, &info);
                CHECK(status == SPD_OK, "%s n %zu cond %g: %d after %d, residual %g",
                      spd_metric_name(metrics[k]), n, condition, (int)status, info.iterations,
                      info.residual);
                free(X);
                free(M);
            }
}

/* Conditions that leave much more than 1e-8 to rounding: the mean says that it has converged, soon,
 * with a residual that the condition explains. */
static void rounding_ends_the_search(void)
{
    const spd_metric metrics[] = {SPD_AIRM, SPD_BURES_WASSERSTEIN};
    rng r;
    rng_seed(&r, 16);
    for (double condition = 1e10; condition <= 1e12; condition *= 100.0)
        for (size_t n = 3; n <= 24; n += 7)
            for (size_t p = 2; p <= 20; p += 9)
                for (size_t k = 0; k < 2; k++) {
                    double *X = random_set(&r, n, p, condition), *M = block(n * n);
                    double allowed = metrics[k] == SPD_AIRM
                                         ? (double)n * DBL_EPSILON * condition
                                         : sqrt((double)n * DBL_EPSILON * condition);
                    spd_mean_info info = SPD_INIT(spd_mean_info);
                    spd_status status = spd_mean(NULL, metrics[k], n, p, X, NULL, M, &info);
                    CHECK(status == SPD_OK && info.converged && info.iterations < 300 &&
                              info.residual <= allowed,
                          "%s n %zu p %zu cond %g: %d after %d, residual %g, allowed %g",
                          spd_metric_name(metrics[k]), n, p, condition, (int)status,
                          info.iterations, info.residual, allowed);
                    free(X);
                    free(M);
                }
}

static void says_when_not_converged(void)
{
    rng r;
    rng_seed(&r, 12);
    size_t n = 6, p = 10;
    double *X = random_set(&r, n, p, 1e4), *M = block(n * n), *best = block(n * n);
    spd_context *ctx = spd_context_new();
    spd_mean_info info = SPD_INIT(spd_mean_info);
    const spd_metric metrics[] = {SPD_AIRM, SPD_STEIN, SPD_BURES_WASSERSTEIN};
    for (size_t k = 0; k < 3; k++) {
        CHECK(spd_mean(ctx, metrics[k], n, p, X, NULL, best, NULL) == SPD_OK, " ");
        spd_status status = spd_mean(
            ctx, metrics[k], n, p, X,
            &(spd_mean_options){.size = sizeof(spd_mean_options), .max_iter = 3}, M, &info);
        CHECK(status == SPD_NOT_CONVERGED, "%d", (int)status);
        CHECK(!info.converged && info.iterations == 3 && info.residual > 1e-12, " ");
        CHECK(strstr(spd_context_error(ctx)->message, "did not converge in 3 iterations"), "%s",
              spd_context_error(ctx)->message);
        CHECK(relative_gap(n * n, M, best) < 0.5, "the last iterate is a fair guess: %g",
              relative_gap(n * n, M, best));
        CHECK(spd_check(ctx, n, 1, M, 0.0) == SPD_OK, "%s", spd_context_error(ctx)->message);
    }
    spd_context_free(ctx);
    free(X);
    free(M);
    free(best);
}

static int stop_at_once(void *user, const spd_progress *progress)
{
    int *calls = user;
    (*calls)++;
    CHECK(strcmp(progress->task, "mean") == 0 && strcmp(progress->unit, "iterations") == 0, " ");
    return 1;
}

static void can_be_cancelled(void)
{
    rng r;
    rng_seed(&r, 13);
    size_t n = 60, p = 1500;
    double *one = random_set(&r, n, 50, 1e4), *X = block(p * n * n), *M = block(n * n);
    for (size_t i = 0; i < p; i++)
        memcpy(X + i * n * n, one + i % 50 * n * n, n * n * sizeof *X);
    int calls = 0;
    spd_context *ctx = spd_context_new();
    spd_context_set_progress(ctx, stop_at_once, &calls);
    M[0] = 33.0;
    CHECK(spd_mean(ctx, SPD_AIRM, n, p, X, NULL, M, NULL) == SPD_ECANCELLED, " ");
    CHECK(calls == 1 && M[0] == 33.0, "%d calls", calls);
    CHECK(strcmp(spd_context_error(ctx)->message, "mean cancelled") == 0, " ");
    spd_context_free(ctx);
    free(one);
    free(X);
    free(M);
}

/* ---- bad input --------------------------------------------------------------------------------
 */

static void bad_sample_is_named(void)
{
    rng r;
    rng_seed(&r, 14);
    size_t n = 4, p = 60, each = n * n, bad = 41;
    double *X = random_set(&r, n, p, 10.0), M[16] = {3.0};
    spd_context *ctx = spd_context_new();
    X[bad * each + 5] = -2.0;
    X[50 * each + 5] = -2.0;
    for (int m = 0; m < SPD_METRICS; m++) {
        if (m == SPD_EUCLIDEAN)
            continue;
        CHECK(spd_mean(ctx, (spd_metric)m, n, p, X, NULL, M, NULL) == SPD_ENOTSPD, "%s",
              name_of(m));
        CHECK(spd_context_error(ctx)->index == bad && M[0] == 3.0, "%s",
              spd_context_error(ctx)->message);
    }
    X[bad * each + 5] = NAN;
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_mean(ctx, (spd_metric)m, n, p, X, NULL, M, NULL) == SPD_ENOTFINITE, "%s",
              name_of(m));
        CHECK(spd_context_error(ctx)->index == bad && M[0] == 3.0, "%s",
              spd_context_error(ctx)->message);
    }
    spd_context_free(ctx);
    free(X);
}

static void bad_arguments(void)
{
    double X[2] = {1.0, 2.0}, M[1] = {4.0};
    const double minus[] = {1.0, -1.0}, zero[] = {0.0, 0.0}, nan[] = {NAN, 1.0};
    const double *bad[] = {minus, zero, nan};
    CHECK(spd_mean(NULL, SPD_METRICS, 1, 2, X, NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_AIRM, 0, 2, X, NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_AIRM, 1, 0, X, NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_AIRM, 1, 2, NULL, NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_AIRM, 1, 2, X, NULL, NULL, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_AIRM, 1, 2, X,
                   &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = -1.0}, M,
                   NULL) == SPD_EINVAL,
          " ");
    CHECK(spd_mean(NULL, SPD_AIRM, 1, 2, X,
                   &(spd_mean_options){.size = sizeof(spd_mean_options), .max_iter = -1}, M,
                   NULL) == SPD_EINVAL,
          " ");
    for (size_t k = 0; k < 3; k++)
        CHECK(spd_mean(NULL, SPD_AIRM, 1, 2, X,
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .weights = bad[k]}, M,
                       NULL) == SPD_EINVAL,
              " ");
    CHECK(M[0] == 4.0, "output touched");
    CHECK(spd_mean(NULL, SPD_AIRM, 1, 2, X, NULL, M, NULL) == SPD_OK, " ");
    CHECK_CLOSE(M[0], sqrt(2.0), 1e-14, "the geometric mean of 1 and 2");
}

/* The residual of advance number `steps` when it is `residual` in all of them. */
static mean_state judged(double residual, double rounding, int steps)
{
    mean_state s = {.tol = 1e-12};
    for (; s.iterations < steps && !s.done; s.iterations++)
        mean_judge(&s, residual, rounding);
    return s;
}

/* What has stopped to shrink is a mean only where rounding explains it. */
static void stopping_rule(void)
{
    mean_state s = judged(1e-13, 0.0, 1);
    CHECK(s.done, "within the tolerance");
    s = judged(1e-9, 0.0, 100);
    CHECK(s.done && s.iterations > 5, "rounding at any condition, after %d", s.iterations);
    s = judged(1e-4, 1e-3, 100);
    CHECK(s.done && s.iterations > 15, "rounding at this condition, after %d", s.iterations);
    s = judged(1e-4, 1e-5, 100);
    CHECK(!s.done, "more than rounding");
    s = judged(1e-4, 1e-3, 1);
    mean_judge(&s, 9e-4, 1e-3);
    for (s.iterations = 2; !s.done && s.iterations < 100; s.iterations++)
        mean_judge(&s, 9e-4, 1e-3);
    CHECK(s.done && s.residual == 1e-4, "the best residual counts, not %g", s.residual);
}

int main(void)
{
    RUN(gradient_vanishes);
    RUN(bures_fixed_point);
    RUN(flat_means);
    RUN(no_better_neighbour);
    RUN(one_sample_is_its_own_mean);
    RUN(two_samples_meet_on_the_geodesic);
    RUN(affine_equivariance);
    RUN(self_duality);
    RUN(weights_count_samples);
    RUN(repeated_samples);
    RUN(same_bits_for_any_threads);
    RUN(far_apart);
    RUN(rounding_ends_the_search);
    RUN(stopping_rule);
    RUN(says_when_not_converged);
    RUN(can_be_cancelled);
    RUN(bad_sample_is_named);
    RUN(bad_arguments);
    return test_summary();
}
