/* test_geodesic.c - geodesics: ends, constant speed, invariance, swelling, leaving the cone. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

static const size_t sizes[] = {1, 2, 3, 8, 20, 33, 64};
#define SIZES (sizeof sizes / sizeof *sizes)

TEST(ends)
{
    const double t[] = {0.0, 1.0};
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++)
        for (int m = 0; m < SPD_METRICS; m++) {
            size_t n = sizes[s], each = n * n;
            double *X = random_set(&r, n, 2, 1e3), *G = block(each);
            double tolerance = 100.0 * (double)n * DBL_EPSILON * 1e3;
            for (size_t k = 0; k < 2; k++) {
                CHECK(spd_geodesic(NULL, (spd_metric)m, n, X, X + each, t[k], G) == SPD_OK, " ");
                CHECK_CLOSE(relative_gap(each, G, X + k * each), 0.0, tolerance, "metric %d n %zu",
                            m, n);
                CHECK(skewness(n, G) == 0.0, "metric %d n %zu", m, n);
            }
        }
}

/* d(X, G(t)) = t d(X,Y) and d(G(t), Y) = (1-t) d(X,Y) where the metric is the geodesic's own. */
TEST(constant_speed)
{
    rng r = seeded(2);
    for (size_t s = 0; s < SIZES; s++)
        for (int m = 0; m < SPD_METRICS; m++) {
            size_t n = sizes[s], each = n * n;
            if (m == SPD_METRIC_STEIN || m == SPD_METRIC_JEFFREY)
                continue;
            double *X = random_set(&r, n, 2, 50.0), *G = block(each);
            double whole = sqrt(dist2((spd_metric)m, n, X, X + each));
            for (double t = 0.25; t < 1.0; t += 0.25) {
                CHECK(spd_geodesic(NULL, (spd_metric)m, n, X, X + each, t, G) == SPD_OK, " ");
                double before = sqrt(dist2((spd_metric)m, n, X, G));
                double after = sqrt(dist2((spd_metric)m, n, G, X + each));
                CHECK_CLOSE(before, t * whole, 1e-9 * whole, "metric %d n %zu t %g", m, n, t);
                CHECK_CLOSE(after, (1.0 - t) * whole, 1e-9 * whole, "metric %d n %zu", m, n);
            }
        }
}

/* Stein and Jeffrey share AIRM's curve, whose middle is as far from both ends for them too. */
TEST(shared_curve)
{
    rng r = seeded(3);
    size_t n = 6, each = n * n;
    double *X = random_set(&r, n, 2, 50.0), *G = block(each), *H = block(each);
    CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, X, X + each, 0.5, G) == SPD_OK, " ");
    const spd_metric sharing[] = {SPD_METRIC_STEIN, SPD_METRIC_JEFFREY};
    for (size_t k = 0; k < 2; k++) {
        CHECK(spd_geodesic(NULL, sharing[k], n, X, X + each, 0.5, H) == SPD_OK, " ");
        CHECK(memcmp(G, H, each * sizeof *G) == 0, "another curve");
        double before = dist2(sharing[k], n, X, G), after = dist2(sharing[k], n, G, X + each);
        CHECK_CLOSE(before, after, 1e-11 * before, "middle");
    }
}

TEST(affine_equivariance)
{
    rng r = seeded(4);
    size_t n = 7, each = n * n;
    double *X = random_set(&r, n, 2, 50.0), *M = block(each), *A = block(2 * each);
    double *G = block(each), *H = block(each), *expected = block(each);
    random_gl(&r, n, 100.0, M);
    congruent(n, n, M, X, A);
    congruent(n, n, M, X + each, A + each);
    for (double t = -0.5; t <= 1.5; t += 0.25) {
        CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, X, X + each, t, G) == SPD_OK, " ");
        CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, A, A + each, t, H) == SPD_OK, " ");
        congruent(n, n, M, G, expected);
        CHECK_CLOSE(relative_gap(each, H, expected), 0.0, 1e-9, "t %g", t);
    }
}

static double logdet(size_t n, const double *X)
{
    double value = NAN;
    CHECK(spd_logdet(NULL, SPD_SET(n, 1, X), &value) == SPD_OK, " ");
    return value;
}

/* Along AIRM's geodesic ln det is linear; along the straight line it rises above both ends when
 * the ends are long in different directions. */
TEST(swelling)
{
    rng r = seeded(5);
    size_t n = 4, each = n * n, swollen = 0;
    double *G = block(each);
    for (int trial = 0; trial < 20; trial++) {
        double *X = random_set(&r, n, 2, 1e3);
        double first = logdet(n, X), last = logdet(n, X + each);
        for (double t = 0.1; t < 1.0; t += 0.2) {
            CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, X, X + each, t, G) == SPD_OK, " ");
            double here = logdet(n, G);
            CHECK_CLOSE(here, (1.0 - t) * first + t * last, 1e-10, "t %g", t);
            CHECK(here >= fmin(first, last) - 1e-10 && here <= fmax(first, last) + 1e-10, " ");
            CHECK(spd_geodesic(NULL, SPD_METRIC_EUCLIDEAN, n, X, X + each, t, G) == SPD_OK, " ");
            swollen += logdet(n, G) > fmax(first, last) + 0.1;
        }
    }
    CHECK(swollen > 50, "the straight line swells: %zu of 100", swollen);
}

TEST(leaving_the_cone)
{
    double X[] = {1.0, 0.0, 0.0, 4.0}, Y[] = {4.0, 0.0, 0.0, 1.0}, G[4] = {9.0};
    spd_context *ctx = context_on(0);
    CHECK(spd_geodesic(ctx, SPD_METRIC_EUCLIDEAN, 2, X, Y, 2.0, G) == SPD_ENOTSPD && G[0] == 9.0,
          " ");
    CHECK_SAYS(ctx, "t = 2");
    CHECK(spd_geodesic(ctx, SPD_METRIC_EUCLIDEAN, 2, X, Y, 1.2, G) == SPD_OK, " ");
    CHECK_CLOSE(G[3], 0.4, 1e-14, "straight on");
    /* roots 1, 2 to 2, 1: (1-t) 2 + t passes zero at t = 2 */
    G[0] = 9.0;
    CHECK(spd_geodesic(ctx, SPD_METRIC_BURES_WASSERSTEIN, 2, X, Y, 2.5, G) == SPD_ENOTSPD, " ");
    CHECK(G[0] == 9.0, "output touched");
    CHECK(spd_geodesic(ctx, SPD_METRIC_BURES_WASSERSTEIN, 2, X, Y, 1.5, G) == SPD_OK, " ");
    CHECK_CLOSE(G[0], 6.25, 1e-13, "roots on a line");
    CHECK_CLOSE(G[3], 0.25, 1e-13, "roots on a line");
    const spd_metric complete[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_LOG_EUCLIDEAN,
                                   SPD_METRIC_LOG_CHOLESKY};
    for (size_t k = 0; k < 4; k++)
        CHECK(spd_geodesic(ctx, complete[k], 2, X, Y, -3.0, G) == SPD_OK, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 2, X, Y, 1e6, G) == SPD_ENUMERIC, "overflow");
}

/* Many at once are what each is alone, for one t and for one each; wide ones among them. */
TEST(many)
{
    rng r = seeded(6);
    for (size_t s = 0; s < SIZES; s++)
        for (int m = 0; m < SPD_METRICS; m++) {
            size_t n = sizes[s], p = 21, each = n * n;
            double *X = random_set(&r, n, p, 1e3), *Y = random_set(&r, n, p, 1e3), t[21];
            double *G = block(p * each), *alone = block(each);
            random_spd(&r, n, 1e10, X + 5 * each);
            random_spd(&r, n, 1e10, Y + 5 * each);
            for (size_t i = 0; i < p; i++)
                t[i] = 1.0 - (double)i / (double)p;
            for (size_t steps = 1; steps <= p; steps += p - 1) {
                CHECK(spd_geodesics(NULL, (spd_metric)m, SPD_SET(n, p, X), SPD_SET(n, p, Y), steps,
                                    t, G) == SPD_OK,
                      "metric %d n %zu", m, n);
                for (size_t i = 0; i < p; i++) {
                    const double *A = X + i * each, *B = Y + i * each;
                    double at = steps == 1 ? t[0] : t[i], condition = i == 5 ? 1e10 : 1e6;
                    CHECK(spd_geodesic(NULL, (spd_metric)m, n, A, B, at, alone) == SPD_OK, " ");
                    CHECK_CLOSE(relative_gap(each, G + i * each, alone), 0.0,
                                100.0 * (double)n * DBL_EPSILON * condition,
                                "metric %d n %zu i %zu", m, n, i);
                    CHECK(skewness(n, G + i * each) == 0.0, " ");
                }
            }
        }
}

TEST(many_refusals)
{
    rng r = seeded(7);
    size_t n = 3, p = 20, each = n * n;
    double *X = random_set(&r, n, p, 10.0), *Y = random_set(&r, n, p, 10.0), *G = block(p * each);
    double t[20] = {0};
    const spd_set *A = SPD_SET(n, p, X), *B = SPD_SET(n, p, Y);
    spd_context *ctx = context_on(0);
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_AIRM, A, B, 2, t, G), SPD_EINVAL);
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_AIRM, A, B, 1, NULL, G), SPD_EINVAL);
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_AIRM, SPD_SET(n, 0, X), SPD_SET(n, 0, Y), 1, t, G),
                 SPD_EINVAL);
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRICS, A, B, 1, t, G), SPD_EINVAL);
    t[4] = NAN;
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_AIRM, A, B, p, t, G), SPD_EINVAL);
    t[4] = 0.0;
    t[9] = t[17] = 1e6; /* out of the cone, out of range */
    G[0] = 9.0;
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_EUCLIDEAN, A, B, p, t, G), SPD_ENOTSPD);
    CHECK(spd_context_error(ctx)->index == 9 && G[0] == 9.0, "%s", said(ctx));
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_AIRM, A, B, p, t, G), SPD_ENUMERIC);
    CHECK(spd_context_error(ctx)->index == 9 && G[0] == 9.0, "%s", said(ctx));
    Y[12 * each] = -1.0;
    CHECK_STATUS(spd_geodesics(ctx, SPD_METRIC_AIRM, A, B, p, t, G), SPD_ENOTSPD);
    CHECK(spd_context_error(ctx)->index == 12, "%s", said(ctx));
}

TEST(bad_arguments)
{
    double X[] = {1.0, 0.0, 0.0, 1.0}, bad[] = {1.0, 0.0, 0.0, -1.0}, G[4];
    double skew[] = {1.0, 0.5, 0.0, 1.0};
    spd_context *ctx = context_on(0);
    CHECK(spd_geodesic(ctx, SPD_METRICS, 2, X, X, 0.5, G) == SPD_EINVAL, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 0, X, X, 0.5, G) == SPD_EINVAL, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 2, NULL, X, 0.5, G) == SPD_EINVAL, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 2, X, X, NAN, G) == SPD_EINVAL, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 2, bad, X, 0.5, G) == SPD_ENOTSPD, " ");
    CHECK(strncmp(said(ctx), "X[0] is not", 11) == 0, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 2, X, bad, 0.5, G) == SPD_ENOTSPD, " ");
    CHECK(strncmp(said(ctx), "Y[0] is not", 11) == 0, " ");
    CHECK(spd_geodesic(ctx, SPD_METRIC_AIRM, 2, X, skew, 0.5, G) == SPD_ENOTSYM, " ");
}
