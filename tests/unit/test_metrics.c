/* test_metrics.c - distances: definitions, invariances, inequalities, and the theorem that curves
 * are 2 sqrt 2 times longer under AIRM than under Stein. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20, 33, 64, 93};
#define SIZES (sizeof sizes / sizeof *sizes)

/* What n roundings may do to d2. AIRM, Stein and Jeffrey see the generalised eigenvalues, whose
 * condition is the product of both matrices' conditions; the others see one matrix at a time. */
static double tolerance_of(spd_metric metric, size_t n, double condition, const double *X,
                           const double *Y, double d2)
{
    double unit = 20.0 * (double)n * DBL_EPSILON;
    switch (metric) {
    case SPD_METRIC_AIRM:
    case SPD_METRIC_STEIN:
    case SPD_METRIC_JEFFREY:
        return unit * condition * condition * (d2 + 1.0);
    case SPD_METRIC_BURES_WASSERSTEIN:
        return unit * (trace_of(n, X) + trace_of(n, Y)) * sqrt(condition);
    case SPD_METRIC_EUCLIDEAN:
        return unit * d2;
    default:
        return unit * condition * (d2 + 1.0);
    }
}

TEST(agrees_with_definition)
{
    const double conditions[] = {1.0, 1e2, 1e4};
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++)
        for (size_t c = 0; c < 3; c++) {
            size_t n = sizes[s], p = 3, q = n > 40 ? 2 : 18;
            double *X = random_set(&r, n, p, conditions[c]);
            double *Y = random_set(&r, n, q, conditions[c]);
            double *D2 = block(p * q);
            for (int m = 0; m < SPD_METRICS; m++) {
                CHECK(spd_pairwise2(NULL, (spd_metric)m, SPD_SET(n, p, X), SPD_SET(n, q, Y), D2) ==
                          SPD_OK,
                      "%s", METRIC_NAME(m));
                for (size_t i = 0; i < p; i++)
                    for (size_t j = 0; j < q; j++) {
                        const double *A = X + i * n * n, *B = Y + j * n * n;
                        double expected = twin_dist2((spd_metric)m, n, A, B);
                        double tolerance =
                            tolerance_of((spd_metric)m, n, conditions[c], A, B, expected);
                        CHECK_CLOSE(D2[i * q + j], expected, tolerance, "%s n %zu cond %g",
                                    METRIC_NAME(m), n, conditions[c]);
                        double alone = dist2((spd_metric)m, n, A, B); /* another way */
                        CHECK_CLOSE(alone, expected, tolerance, "%s n %zu cond %g: alone",
                                    METRIC_NAME(m), n, conditions[c]);
                    }
            }
        }
}

TEST(within_one_set)
{
    rng r = seeded(2);
    size_t n = 7, p = 37;
    double *X = random_set(&r, n, p, 100.0), *D2 = block(p * p), *E2 = block(p * p);
    memcpy(X + 5 * n * n, X + 30 * n * n, n * n * sizeof *X); /* a duplicate */
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_pairwise2(NULL, (spd_metric)m, SPD_SET(n, p, X), NULL, D2) == SPD_OK, " ");
        CHECK_OK(NULL, spd_pairwise2(NULL, (spd_metric)m, SPD_SET(n, p, X), SPD_SET(n, p, X), E2));
        for (size_t i = 0; i < p; i++) {
            CHECK(D2[i * p + i] == 0.0, "%s diagonal %g", METRIC_NAME(m), D2[i * p + i]);
            for (size_t j = 0; j < p; j++) {
                CHECK(D2[i * p + j] == D2[j * p + i], "%s (%zu,%zu)", METRIC_NAME(m), i, j);
                CHECK(D2[i * p + j] >= 0.0, "%s", METRIC_NAME(m));
                CHECK_CLOSE(D2[i * p + j], E2[i * p + j], 1e-11 * (1.0 + E2[i * p + j]), "%s",
                            METRIC_NAME(m));
            }
        }
        if (m != SPD_METRIC_AIRM)
            CHECK(D2[5 * p + 30] == 0.0, "%s", METRIC_NAME(m));
        CHECK(D2[5 * p + 30] < 1e-12, "%s", METRIC_NAME(m));
    }
}

TEST(same_bits_for_any_threads)
{
    rng r = seeded(3);
    size_t n = 9, p = 70, q = 41;
    double *X = random_set(&r, n, p, 1e3), *Y = random_set(&r, n, q, 1e3);
    double *one = block(p * q), *more = block(p * q);
    for (int m = 0; m < SPD_METRICS; m++)
        for (int threads = 1; threads <= 3; threads++) {
            spd_context *ctx = context_on(threads);
            double *D2 = threads == 1 ? one : more;
            CHECK_OK(ctx,
                     spd_pairwise2(ctx, (spd_metric)m, SPD_SET(n, p, X), SPD_SET(n, q, Y), D2));
            CHECK(memcmp(one, D2, p * q * sizeof *D2) == 0, "%s, %d threads", METRIC_NAME(m),
                  threads);
        }
}

TEST(names)
{
    const char *ours[] = {
        "airm",         "stein",    "log-euclidean", "jeffrey", "bures-wasserstein",
        "log-cholesky", "euclidean"};
    const char *theirs[] = {"riemann",     "logdet",  "logeuclid", "kullback_sym",
                            "wasserstein", "logchol", "euclid"};
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(strcmp(METRIC_NAME(m), ours[m]) == 0, "%s", METRIC_NAME(m));
        CHECK(spd_parse(NULL, SPD_ENUM_METRIC, ours[m]) == m, "%s", ours[m]);
        CHECK(spd_parse(NULL, SPD_ENUM_METRIC, theirs[m]) == m, "%s", theirs[m]);
    }
}

/* |d2(M X M', M Y M') - d2(X,Y)| is small for M from make. */
static void unchanged_under(const spd_metric *metrics, size_t count,
                            void (*make)(rng *, size_t, double, double *), double condition)
{
    rng r = seeded(4);
    for (size_t s = 0; s < SIZES - 1; s++) {
        size_t n = sizes[s];
        double *X = random_set(&r, n, 2, 10.0), *Y = X + n * n;
        double *M = block(n * n), *A = block(n * n), *B = block(n * n);
        make(&r, n, condition, M);
        congruent(n, n, M, X, A);
        congruent(n, n, M, Y, B);
        for (size_t k = 0; k < count; k++) {
            double before = dist2(metrics[k], n, X, Y);
            double tolerance = 100.0 * (double)n * DBL_EPSILON * condition * condition;
            CHECK_CLOSE(dist2(metrics[k], n, A, B), before, tolerance * (1.0 + before),
                        "%s n %zu cond %g", METRIC_NAME(metrics[k]), n, condition);
        }
    }
}

TEST(affine_invariance)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_JEFFREY};
    unchanged_under(metrics, 3, random_gl, 1.0);
    unchanged_under(metrics, 3, random_gl, 1e2);
    unchanged_under(metrics, 3, random_gl, 1e4);
}

static void make_rotation(rng *r, size_t n, double condition, double *M)
{
    (void)condition;
    random_orthogonal(r, n, M);
}

TEST(rotation_invariance)
{
    const spd_metric metrics[] = {SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_BURES_WASSERSTEIN,
                                  SPD_METRIC_EUCLIDEAN};
    unchanged_under(metrics, 3, make_rotation, 10.0);
}

TEST(inversion_invariance)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_LOG_EUCLIDEAN};
    rng r = seeded(5);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        double *X = random_set(&r, n, 2, 1e3), *K = block(2 * n * n);
        CHECK(spd_inverse(NULL, SPD_SET(n, 2, X), K) == SPD_OK, " ");
        for (size_t k = 0; k < 4; k++) {
            double before = dist2(metrics[k], n, X, X + n * n);
            double tolerance = 100.0 * (double)n * DBL_EPSILON * 1e3 * (1.0 + before);
            CHECK_CLOSE(dist2(metrics[k], n, K, K + n * n), before, tolerance, "%s n %zu",
                        METRIC_NAME(metrics[k]), n);
        }
    }
}

/* Jeffrey's root is not a metric; all the others are. */
TEST(triangle_inequality)
{
    rng r = seeded(6);
    size_t n = 5, p = 12;
    for (int trial = 0; trial < 10; trial++) {
        double *X = random_set(&r, n, p, trial % 2 ? 10.0 : 1e4), *D2 = block(p * p);
        for (int m = 0; m < SPD_METRICS; m++) {
            if (m == SPD_METRIC_JEFFREY)
                continue;
            CHECK(spd_pairwise2(NULL, (spd_metric)m, SPD_SET(n, p, X), NULL, D2) == SPD_OK, " ");
            for (size_t i = 0; i < p * p * p; i++) {
                size_t a = i % p, b = i / p % p, c = i / p / p;
                double direct = sqrt(D2[a * p + c]);
                double around = sqrt(D2[a * p + b]) + sqrt(D2[b * p + c]);
                CHECK(direct <= around * (1.0 + 1e-12) + 1e-12, "%s: %g > %g", METRIC_NAME(m),
                      direct, around);
            }
        }
    }
}

TEST(stein_below_airm)
{
    rng r = seeded(7);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        double *X = random_set(&r, n, 2, 1e4), *Y = X + n * n;
        double stein = dist2(SPD_METRIC_STEIN, n, X, Y), airm = dist2(SPD_METRIC_AIRM, n, X, Y);
        CHECK(8.0 * stein <= airm * (1.0 + 1e-12), "n %zu: 8 * %g > %g", n, stein, airm);
    }
}

TEST(compression_shrinks_distance)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN};
    rng r = seeded(8);
    for (size_t s = 2; s < SIZES - 1; s++)
        for (size_t m = 1; m < sizes[s]; m += 1 + sizes[s] / 6) {
            size_t n = sizes[s];
            double *X = random_set(&r, n, 2, 1e3), *S = block(2 * m * m), *W = block(n * m);
            for (size_t e = 0; e < n * m; e++)
                W[e] = rng_normal(&r);
            CHECK(spd_congruence(NULL, SPD_SET(n, 2, X), m, W, S) == SPD_OK, " ");
            for (size_t k = 0; k < 2; k++) {
                double low = dist2(metrics[k], m, S, S + m * m);
                double full = dist2(metrics[k], n, X, X + n * n);
                CHECK(low <= full * (1.0 + 1e-9), "%s n %zu m %zu: %g > %g",
                      METRIC_NAME(metrics[k]), n, m, low, full);
            }
        }
}

typedef void (*curve)(size_t n, const double *const *P, double t, double *G);

static void geodesic_curve(size_t n, const double *const *P, double t, double *G)
{
    CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, P[0], P[1], t, G) == SPD_OK, " ");
}

static void straight_curve(size_t n, const double *const *P, double t, double *G)
{
    for (size_t e = 0; e < n * n; e++)
        G[e] = (1.0 - t) * P[0][e] + t * P[1][e];
}

/* exp of a random trigonometric polynomial with symmetric coefficients, taken from P. */
static void smooth_curve(size_t n, const double *const *P, double t, double *G)
{
    for (size_t e = 0; e < n * n; e++)
        G[e] = sin(5.0 * t) * log(1.0 + P[0][e] * P[0][e]) + cos(3.0 * t) * P[1][e] / 10.0 +
               t * t * P[2][e] / 10.0;
    CHECK(spd_apply(NULL, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 1, G), G) == SPD_OK, " ");
}

static double length(spd_metric metric, size_t n, curve c, const double *const *P, size_t pieces)
{
    double *A = block(n * n), *B = block(n * n), sum = 0.0;
    c(n, P, 0.0, A);
    for (size_t i = 1; i <= pieces; i++) {
        c(n, P, (double)i / (double)pieces, B);
        sum += sqrt(dist2(metric, n, A, B));
        memcpy(A, B, n * n * sizeof *A);
    }
    return sum;
}

/* The ratio tends to 2 sqrt 2 like the square of the pieces' length: halving the pieces quarters
 * the gap. */
TEST(curves_are_longer_by_two_roots_of_two)
{
    const curve curves[] = {geodesic_curve, straight_curve, smooth_curve};
    const double expected = 2.0 * sqrt(2.0);
    rng r = seeded(9);
    for (size_t n = 2; n <= 6; n += 2)
        for (size_t c = 0; c < 3; c++) {
            double *X = random_set(&r, n, 3, 20.0);
            const double *const P[] = {X, X + n * n, X + 2 * n * n};
            double gap[3];
            for (size_t k = 0; k < 3; k++) {
                size_t pieces = (size_t)100 << k;
                double airm = length(SPD_METRIC_AIRM, n, curves[c], P, pieces);
                double stein = length(SPD_METRIC_STEIN, n, curves[c], P, pieces);
                gap[k] = airm / stein - expected;
                CHECK(gap[k] > -1e-6, "AIRM is at least 2 sqrt 2 times Stein: %g", gap[k]);
            }
            CHECK_CLOSE(gap[2], 0.0, 2e-4, "curve %zu n %zu", c, n);
            CHECK_CLOSE(gap[1] / gap[0], 0.25, 0.02, "curve %zu n %zu", c, n);
            CHECK_CLOSE(gap[2] / gap[1], 0.25, 0.02, "curve %zu n %zu", c, n);
        }
}

TEST(ratio_as_points_meet)
{
    rng r = seeded(10);
    size_t n = 6;
    double *X = random_set(&r, n, 2, 50.0), *G = block(n * n), before = INFINITY;
    for (int k = 0; k < 8; k++) {
        CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, X, X + n * n, pow(0.5, k), G) == SPD_OK, " ");
        double ratio = sqrt(dist2(SPD_METRIC_AIRM, n, X, G) / dist2(SPD_METRIC_STEIN, n, X, G));
        double gap = ratio - 2.0 * sqrt(2.0);
        CHECK(gap > 0.0 && gap < before, "step %d: gap %g after %g", k, gap, before);
        before = gap;
    }
    CHECK_CLOSE(before, 0.0, 1e-3, "ratio as the points meet");
}

TEST(bad_sample_is_named)
{
    rng r = seeded(11);
    size_t n = 6, p = 21, bad = 13;
    double *X = random_set(&r, n, p, 10.0), *D2 = block(p * p);
    X[bad * n * n] = -1.0;
    spd_context *ctx = context_on(0);
    for (int m = 0; m < SPD_METRICS; m++) {
        D2[0] = 77.0;
        spd_status status = spd_pairwise2(ctx, (spd_metric)m, SPD_SET(n, p, X), NULL, D2);
        if (m == SPD_METRIC_EUCLIDEAN) {
            CHECK(status == SPD_OK, "Euclidean distances need no positive definite matrices");
            continue;
        }
        const spd_error *error = spd_context_error(ctx);
        CHECK(status == SPD_ENOTSPD && error->index == bad, "%s: %d %zu", METRIC_NAME(m),
              (int)status, error->index);
        CHECK(error->value < 0.0, "%g", error->value);
        CHECK(strstr(error->message, "X[13] is not positive definite (smallest eigenvalue -"), "%s",
              error->message);
        CHECK(D2[0] == 77.0, "output touched");
    }
    X[bad * n * n + 2 * n + 1] = X[bad * n * n + n + 2] = NAN;
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_pairwise2(ctx, (spd_metric)m, SPD_SET(n, p, X), NULL, D2) == SPD_ENOTFINITE, "%s",
              METRIC_NAME(m));
        CHECK(spd_context_error(ctx)->index == bad, "%s", said(ctx));
    }
}

/* Cholesky takes these, but no double holds the eigenvalues between them: a status, not a crash. */
TEST(beyond_double_precision)
{
    double X[] = {1e-250, 0.0, 0.0, 1e250, 1e250, 0.0, 0.0, 1e-250}, d2 = 8.0, M[4] = {8.0};
    spd_status status = spd_distance2(NULL, SPD_METRIC_AIRM, 2, X, X + 4, &d2);
    CHECK(status == SPD_ENUMERIC || (status == SPD_OK && isfinite(d2)), "%d %g", (int)status, d2);
    for (int m = 0; m < SPD_METRICS; m++) {
        M[0] = 8.0;
        status = spd_mean(NULL, (spd_metric)m, SPD_SET(2, 2, X), NULL, M, NULL);
        int refused = status == SPD_ENUMERIC || status == SPD_ENOTSPD;
        CHECK(status >= 0 ? isfinite(M[0]) : refused && M[0] == 8.0, "%s", METRIC_NAME(m));
    }
}

TEST(bad_arguments)
{
    double X[] = {1.0}, d2 = 8.0;
    const spd_set *good = SPD_SET(1, 1, X), *none = SPD_SET(1, 0, X), *small = SPD_SET(0, 1, X);
    const spd_set *bad[][2] = {
        {small, small}, {none, good}, {good, none}, {SPD_SET(1, 1, NULL), good}};
    for (size_t k = 0; k < 4; k++)
        CHECK_STATUS(spd_pairwise2(NULL, SPD_METRIC_AIRM, bad[k][0], bad[k][1], &d2), SPD_EINVAL);
    CHECK_STATUS(spd_pairwise2(NULL, SPD_METRICS, good, good, &d2), SPD_EINVAL);
    CHECK_STATUS(spd_pairwise2(NULL, SPD_METRIC_AIRM, good, good, NULL), SPD_EINVAL);
    CHECK(spd_distance2(NULL, SPD_METRIC_AIRM, 1, X, NULL, &d2) == SPD_EINVAL && d2 == 8.0, " ");
}
