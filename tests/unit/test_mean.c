/* test_mean.c - means: stationarity, closed forms, invariances, weights, convergence. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

#include "geometry/mean.h"
#include "ops/flat_mean.h"

static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20, 33, 64};
#define SIZES (sizeof sizes / sizeof *sizes)

#define TAKING(member, value)                                                                      \
    (&(spd_mean_options){.size = sizeof(spd_mean_options), .member = (value)})

static double *random_weights(rng *r, size_t p)
{
    double *w = block(p);
    for (size_t i = 0; i < p; i++)
        w[i] = 0.1 + rng_uniform(r);
    return w;
}

/* sum w_i f(M^-1/2 X_i M^-1/2) / sum w_i: its norm, relative to one sample's. */
static double whitened_sum(size_t n, size_t p, const double *X, const double *w, const double *M,
                           double (*f)(double))
{
    double *root = block(n * n), *C = block(n * n), *F = block(n * n), *S = block(n * n);
    double total = 0.0, size = 0.0;
    memset(S, 0, n * n * sizeof *S);
    CHECK(spd_apply(NULL, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(n, 1, M), root) == SPD_OK, " ");
    for (size_t i = 0; i < p; i++) {
        congruent(n, n, root, X + i * n * n, C);
        twin_function(n, f, C, F);
        for (size_t e = 0; e < n * n; e++)
            S[e] += w[i] * F[e];
        total += w[i];
        size = fmax(size, norm(n * n, F));
    }
    return norm(n * n, S) / (total * size);
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

TEST(gradient_vanishes)
{
    const struct {
        spd_metric metric;
        double (*slope)(double);
    } rules[] = {{SPD_METRIC_AIRM, log},
                 {SPD_METRIC_STEIN, stein_slope},
                 {SPD_METRIC_JEFFREY, jeffrey_slope}};
    const double conditions[] = {2.0, 1e2, 1e4};
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++)
        for (size_t c = 0; c < 3; c++)
            for (size_t k = 0; k < 3; k++) {
                size_t n = sizes[s], p = n > 30 ? 10 : 35;
                double *X = random_set(&r, n, p, conditions[c]), *w = random_weights(&r, p);
                double *M = block(n * n);
                spd_mean_info info = SPD_STRUCT(spd_mean_info);
                spd_status status =
                    spd_mean(NULL, rules[k].metric, SPD_SET(n, p, X), TAKING(weights, w), M, &info);
                CHECK(status == SPD_OK && info.converged, "%s n %zu cond %g: %d, residual %g",
                      METRIC_NAME(rules[k].metric), n, conditions[c], (int)status, info.residual);
                double gradient = whitened_sum(n, p, X, w, M, rules[k].slope);
                /* the stopping rule, and rounding */
                double tolerance = 5e-12 + 100.0 * (double)n * DBL_EPSILON * conditions[c];
                CHECK(gradient <= tolerance, "%s n %zu cond %g: gradient %g > %g in %d steps",
                      METRIC_NAME(rules[k].metric), n, conditions[c], gradient, tolerance,
                      info.iterations);
                CHECK(skewness(n, M) == 0.0, " ");
            }
}

/* sum w (M^1/2 X M^1/2)^1/2 = M at the Bures-Wasserstein mean. */
TEST(bures_fixed_point)
{
    rng r = seeded(2);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = 11, each = n * n;
        double *X = random_set(&r, n, p, 100.0), *w = random_weights(&r, p), *M = block(each);
        double *root = block(each), *C = block(each), *S = block(each), total = 0.0;
        CHECK_OK(NULL, spd_mean(NULL, SPD_METRIC_BURES_WASSERSTEIN, SPD_SET(n, p, X),
                                TAKING(weights, w), M, NULL));
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
    }
}

/* Entry by entry, with the bits of spd_mean; what is not symmetric stays so. */
TEST(means_of_arrays)
{
    rng r = seeded(5);
    const size_t counts[] = {1, 4, 16, 17, 100, 4100}, n = 47, each = n * n;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t p = counts[i];
        double *X = random_set(&r, n, p, 100.0), *w = random_weights(&r, p);
        double *M = block(each), *F = block(each);
        spd_mean_options o = SPD_STRUCT(spd_mean_options);
        for (int weighted = 0; weighted < 2; weighted++) {
            o.weights = weighted ? w : NULL;
            CHECK_OK(NULL, spd_mean(NULL, SPD_METRIC_EUCLIDEAN, SPD_SET(n, p, X), &o, M, NULL));
            spd_private_flat_mean(p, n, n, o.weights, X, F);
            CHECK(memcmp(M, F, each * sizeof *M) == 0, "p %zu", p);
        }
        X[1] += 1.0;
        spd_private_flat_mean(p, n, n, NULL, X, F);
        CHECK(F[1] - F[n] > 0.5 / (double)p, "p %zu", p);
    }
}

TEST(flat_means)
{
    rng r = seeded(3);
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
        spd_mean_info info = SPD_STRUCT(spd_mean_info);
        CHECK_OK(NULL, spd_mean(NULL, SPD_METRIC_EUCLIDEAN, SPD_SET(n, p, X), TAKING(weights, w), M,
                                &info));
        CHECK_CLOSE(relative_gap(each, M, plain), 0.0, 1e-14 * (double)n, "Euclidean n %zu", n);
        CHECK(info.converged && info.iterations == 1 && info.residual == 0.0, " ");
        CHECK_OK(NULL, spd_mean(NULL, SPD_METRIC_LOG_EUCLIDEAN, SPD_SET(n, p, X),
                                TAKING(weights, w), M, NULL));
        CHECK_CLOSE(relative_gap(each, M, logs), 0.0, 1e-13 * (double)n, "logarithms n %zu", n);
    }
}

/* The mean's cost is below the cost of points near it, for every metric. */
TEST(no_better_neighbour)
{
    rng r = seeded(4);
    size_t n = 4, p = 9, each = n * n;
    double *X = random_set(&r, n, p, 30.0), *w = random_weights(&r, p);
    double *M = block(each), *N = block(each), *direction = block(each);
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK_OK(NULL,
                 spd_mean(NULL, (spd_metric)m, SPD_SET(n, p, X), TAKING(weights, w), M, NULL));
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
            CHECK(cost > best, "%s: %.17g beats %.17g", METRIC_NAME(m), cost, best);
        }
    }
}

/* One matrix is its own mean, bit for bit; what is none is refused as among others. */
TEST(one_sample_is_its_own_mean)
{
    spd_context *ctx = context_on(0);
    rng r = seeded(7);
    for (size_t n = 1; n < 40; n = 2 * n + 1) {
        double *X = random_set(&r, n, 1, 1e8), *M = block(n * n), weight = 3.0, none = 0.0;
        const double last = X[n * n - 1];
        for (int m = 0; m < SPD_METRICS; m++) {
            spd_mean_info info = SPD_STRUCT(spd_mean_info);
            spd_mean_options o = SPD_STRUCT(spd_mean_options);
            o.weights = &weight;
            CHECK(spd_mean(ctx, (spd_metric)m, SPD_SET(n, 1, X), &o, M, &info) == SPD_OK, "%s",
                  METRIC_NAME(m));
            CHECK(info.converged && memcmp(X, M, n * n * sizeof *X) == 0, "%s, n %zu",
                  METRIC_NAME(m), n);
            o.weights = &none;
            CHECK(spd_mean(ctx, (spd_metric)m, SPD_SET(n, 1, X), &o, M, NULL) == SPD_EINVAL, " ");
            X[n * n - 1] = -last;
            CHECK(m == SPD_METRIC_EUCLIDEAN || (spd_mean(ctx, (spd_metric)m, SPD_SET(n, 1, X), NULL,
                                                         M, NULL) == SPD_ENOTSPD &&
                                                spd_context_error(ctx)->index == 0),
                  "%s: not positive definite", METRIC_NAME(m));
            X[n * n - 1] = NAN;
            CHECK(spd_mean(ctx, (spd_metric)m, SPD_SET(n, 1, X), NULL, M, NULL) == SPD_ENOTFINITE,
                  "%s: NaN", METRIC_NAME(m));
            X[n * n - 1] = last;
        }
    }
}

/* Two samples: the geodesic's point at the second's share of weight; Stein and Jeffrey only for
 * equal weights. */
TEST(two_samples_meet_on_the_geodesic)
{
    rng r = seeded(6);
    for (size_t s = 0; s < SIZES; s++)
        for (int m = 0; m < SPD_METRICS; m++) {
            size_t n = sizes[s], each = n * n;
            int shared = m == SPD_METRIC_STEIN || m == SPD_METRIC_JEFFREY;
            double w[] = {3.0, shared ? 3.0 : 1.0};
            double *X = random_set(&r, n, 2, 50.0), *M = block(each), *G = block(each);
            CHECK(spd_mean(NULL, (spd_metric)m, SPD_SET(n, 2, X), TAKING(weights, w), M, NULL) ==
                      SPD_OK,
                  "%s", METRIC_NAME(m));
            CHECK_OK(NULL,
                     spd_geodesic(NULL, (spd_metric)m, n, X, X + each, w[1] / (w[0] + w[1]), G));
            CHECK_CLOSE(relative_gap(each, M, G), 0.0, 1e-10, "%s n %zu", METRIC_NAME(m), n);
        }
}

TEST(affine_equivariance)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_EUCLIDEAN};
    rng r = seeded(7);
    size_t n = 6, p = 15, each = n * n;
    double *X = random_set(&r, n, p, 20.0), *A = block(p * each), *T = block(each);
    double *M = block(each), *N = block(each), *expected = block(each);
    random_gl(&r, n, 100.0, T);
    for (size_t i = 0; i < p; i++)
        congruent(n, n, T, X + i * each, A + i * each);
    for (size_t k = 0; k < 4; k++) {
        CHECK(spd_mean(NULL, metrics[k], SPD_SET(n, p, X), NULL, M, NULL) == SPD_OK, " ");
        CHECK(spd_mean(NULL, metrics[k], SPD_SET(n, p, A), NULL, N, NULL) == SPD_OK, " ");
        congruent(n, n, T, M, expected);
        CHECK_CLOSE(relative_gap(each, N, expected), 0.0, 1e-9, "%s", METRIC_NAME(metrics[k]));
    }
}

/* The mean of the inverses is the inverse of the mean, for the metrics that do not see inversion.
 */
TEST(self_duality)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_LOG_EUCLIDEAN};
    rng r = seeded(8);
    size_t n = 5, p = 12, each = n * n;
    double *X = random_set(&r, n, p, 100.0), *V = block(p * each);
    double *M = block(each), *N = block(each);
    CHECK(spd_inverse(NULL, SPD_SET(n, p, X), V) == SPD_OK, " ");
    for (size_t k = 0; k < 4; k++) {
        CHECK(spd_mean(NULL, metrics[k], SPD_SET(n, p, X), NULL, M, NULL) == SPD_OK, " ");
        CHECK(spd_mean(NULL, metrics[k], SPD_SET(n, p, V), NULL, N, NULL) == SPD_OK, " ");
        CHECK(spd_inverse(NULL, SPD_SET(n, 1, N), N) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, N, M), 0.0, 1e-10, "%s", METRIC_NAME(metrics[k]));
    }
}

/* Whole weights are repetitions, zero weights are absences. */
TEST(weights_count_samples)
{
    rng r = seeded(9);
    size_t n = 5, p = 4, each = n * n;
    const double w[] = {2.0, 0.0, 1.0, 3.0};
    double *X = random_set(&r, n, p, 100.0), *R = block(6 * each);
    double *M = block(each), *N = block(each);
    size_t count = 0;
    for (size_t i = 0; i < p; i++)
        for (int k = 0; k < (int)w[i]; k++)
            memcpy(R + count++ * each, X + i * each, each * sizeof *R);
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK_OK(NULL,
                 spd_mean(NULL, (spd_metric)m, SPD_SET(n, p, X), TAKING(weights, w), M, NULL));
        CHECK(spd_mean(NULL, (spd_metric)m, SPD_SET(n, count, R), NULL, N, NULL) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, M, N), 0.0, 1e-10, "%s", METRIC_NAME(m));
    }
}

/* More samples than chunks of sixteen: chunks grow. */
TEST(repeated_samples)
{
    rng r = seeded(15);
    size_t n = 3, few = 5, p = 9000, each = n * n;
    double *X = random_set(&r, n, few, 50.0), *R = block(p * each);
    double *M = block(each), *N = block(each);
    for (size_t i = 0; i < p; i++)
        memcpy(R + i * each, X + i % few * each, each * sizeof *R);
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_mean(NULL, (spd_metric)m, SPD_SET(n, few, X), NULL, M, NULL) == SPD_OK, " ");
        CHECK(spd_mean(NULL, (spd_metric)m, SPD_SET(n, p, R), NULL, N, NULL) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, N, M), 0.0, 1e-11, "%s", METRIC_NAME(m));
    }
}

TEST(same_bits_for_any_threads)
{
    rng r = seeded(10);
    size_t n = 7, p = 500, each = n * n;
    double *X = random_set(&r, n, p, 100.0), *one = block(each), *more = block(each);
    for (int m = 0; m < SPD_METRICS; m++)
        for (int threads = 1; threads <= 3; threads++) {
            spd_context *ctx = context_on(threads);
            double *M = threads == 1 ? one : more;
            CHECK_OK(ctx, spd_mean(ctx, (spd_metric)m, SPD_SET(n, p, X), NULL, M, NULL));
            CHECK(memcmp(one, M, each * sizeof *M) == 0, "%s, %d threads", METRIC_NAME(m), threads);
        }
}

/* Sets far apart: spectra over six and eight decades, in random directions. */
TEST(far_apart)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_BURES_WASSERSTEIN};
    rng r = seeded(11);
    for (double condition = 1e6; condition <= 1e8; condition *= 100.0)
        for (size_t n = 2; n <= 30; n += 7)
            for (size_t k = 0; k < 3; k++) {
                size_t p = 3 + n;
                double *X = random_set(&r, n, p, condition), *M = block(n * n);
                spd_mean_info info = SPD_STRUCT(spd_mean_info);
                spd_status status =
                    spd_mean(NULL, metrics[k], SPD_SET(n, p, X), TAKING(tol, 1e-9), M, &info);
                CHECK(status == SPD_OK, "%s n %zu cond %g: %d after %d, residual %g",
                      METRIC_NAME(metrics[k]), n, condition, (int)status, info.iterations,
                      info.residual);
            }
}

/* Conditions that leave much more than 1e-8 to rounding: the mean says that it has converged, soon,
 * with a residual that the condition explains. */
TEST(rounding_ends_the_search)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_BURES_WASSERSTEIN};
    rng r = seeded(16);
    for (double condition = 1e10; condition <= 1e12; condition *= 100.0)
        for (size_t n = 3; n <= 24; n += 7)
            for (size_t p = 2; p <= 20; p += 9)
                for (size_t k = 0; k < 2; k++) {
                    double *X = random_set(&r, n, p, condition), *M = block(n * n);
                    double allowed = metrics[k] == SPD_METRIC_AIRM
                                         ? (double)n * DBL_EPSILON * condition
                                         : sqrt((double)n * DBL_EPSILON * condition);
                    spd_mean_info info = SPD_STRUCT(spd_mean_info);
                    spd_status status =
                        spd_mean(NULL, metrics[k], SPD_SET(n, p, X), NULL, M, &info);
                    CHECK(status == SPD_OK && info.converged && info.iterations < 300 &&
                              info.residual <= allowed,
                          "%s n %zu p %zu cond %g", METRIC_NAME(metrics[k]), n, p, condition);
                }
}

TEST(says_when_not_converged)
{
    rng r = seeded(12);
    size_t n = 6, p = 10;
    double *X = random_set(&r, n, p, 1e4), *M = block(n * n), *best = block(n * n);
    spd_context *ctx = context_on(0);
    spd_mean_info info = SPD_STRUCT(spd_mean_info);
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_BURES_WASSERSTEIN};
    for (size_t k = 0; k < 3; k++) {
        CHECK(spd_mean(ctx, metrics[k], SPD_SET(n, p, X), NULL, best, NULL) == SPD_OK, " ");
        spd_status status =
            spd_mean(ctx, metrics[k], SPD_SET(n, p, X), TAKING(max_iter, 3), M, &info);
        CHECK(status == SPD_NOT_CONVERGED, "%d", (int)status);
        CHECK(!info.converged && info.iterations == 3 && info.residual > 1e-12, " ");
        CHECK_SAYS(ctx, "did not converge in 3 iterations");
        CHECK(relative_gap(n * n, M, best) < 0.5, "the last iterate is a fair guess: %g",
              relative_gap(n * n, M, best));
        CHECK_OK(ctx, spd_check(ctx, SPD_SET(n, 1, M), 0.0));
    }
}

static int stop_at_once(void *user, const spd_progress *progress)
{
    int *calls = user;
    (*calls)++;
    CHECK(strcmp(progress->task, "mean") == 0 && strcmp(progress->unit, "iterations") == 0, " ");
    return 1;
}

TEST(can_be_cancelled)
{
    rng r = seeded(13);
    size_t n = 60, p = 1500;
    double *one = random_set(&r, n, 50, 1e4), *X = block(p * n * n), *M = block(n * n);
    for (size_t i = 0; i < p; i++)
        memcpy(X + i * n * n, one + i % 50 * n * n, n * n * sizeof *X);
    int calls = 0;
    spd_context *ctx = context_on(0);
    spd_context_set_progress(ctx, stop_at_once, &calls);
    M[0] = 33.0;
    CHECK(spd_mean(ctx, SPD_METRIC_AIRM, SPD_SET(n, p, X), NULL, M, NULL) == SPD_ECANCELLED, " ");
    CHECK(calls == 1 && M[0] == 33.0, "%d calls", calls);
    CHECK(strcmp(said(ctx), "mean cancelled") == 0, " ");
}

TEST(bad_sample_is_named)
{
    rng r = seeded(14);
    size_t n = 4, p = 60, each = n * n, bad = 41;
    double *X = random_set(&r, n, p, 10.0), M[16] = {3.0};
    spd_context *ctx = context_on(0);
    X[bad * each + 5] = -2.0;
    X[50 * each + 5] = -2.0;
    for (int m = 0; m < SPD_METRICS; m++) {
        if (m == SPD_METRIC_EUCLIDEAN)
            continue;
        CHECK(spd_mean(ctx, (spd_metric)m, SPD_SET(n, p, X), NULL, M, NULL) == SPD_ENOTSPD, "%s",
              METRIC_NAME(m));
        CHECK(spd_context_error(ctx)->index == bad && M[0] == 3.0, "%s", said(ctx));
    }
    X[bad * each + 5] = NAN;
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_mean(ctx, (spd_metric)m, SPD_SET(n, p, X), NULL, M, NULL) == SPD_ENOTFINITE, "%s",
              METRIC_NAME(m));
        CHECK(spd_context_error(ctx)->index == bad && M[0] == 3.0, "%s", said(ctx));
    }
}

TEST(bad_arguments)
{
    double X[2] = {1.0, 2.0}, M[1] = {4.0};
    const double minus[] = {1.0, -1.0}, zero[] = {0.0, 0.0}, nan[] = {NAN, 1.0};
    const spd_mean_options *bad[] = {TAKING(tol, -1.0), TAKING(max_iter, -1),
                                     TAKING(weights, minus), TAKING(weights, zero),
                                     TAKING(weights, nan)};
    CHECK(spd_mean(NULL, SPD_METRICS, SPD_SET(1, 2, X), NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(0, 2, X), NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(1, 0, X), NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(1, 2, NULL), NULL, M, NULL) == SPD_EINVAL, " ");
    CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(1, 2, X), NULL, NULL, NULL) == SPD_EINVAL, " ");
    for (size_t k = 0; k < 5; k++)
        CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(1, 2, X), bad[k], M, NULL) == SPD_EINVAL,
              "%zu", k);
    CHECK(M[0] == 4.0, "output touched");
    CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(1, 2, X), NULL, M, NULL) == SPD_OK, " ");
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
TEST(stopping_rule)
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
