/* test_wide.c - matrices of condition 1e8 to 1e14: distances and geodesics to as many digits as the
 * condition leaves, without a refusal.
 *
 * X = P D P' and Y = P E P' for a matrix P of -1, 0 and 1 with |det P| = 1, and for D and E of
 * powers of two up to 2^40: all entries are whole numbers below 2^53, so X and Y are exact, and so
 * are the eigenvalues E/D between them and the points P D^(1-t) E^t P' of AIRM's geodesic. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

#define WIDEST 40 /* exponent of two */

static const size_t sizes[] = {2, 3, 5, 8, 13, 20, 33};
#define SIZES (sizeof sizes / sizeof *sizes)

/* P (n x n) <- the rows of a unit triangular matrix in any order. */
static void whole_basis(rng *r, size_t n, double *P)
{
    memset(P, 0, n * n * sizeof *P);
    for (size_t i = 0; i < n; i++) {
        P[i * n + i] = 1.0;
        for (size_t k = 0; k < 2 && i > 0; k++) /* few entries: the condition stays small */
            P[i * n + rng_below(r, i)] = rng_below(r, 2) ? 1.0 : -1.0;
    }
    for (size_t i = n - 1; i > 0; i--)
        for (size_t c = 0, j = rng_below(r, i + 1); c < n; c++) {
            double x = P[i * n + c];
            P[i * n + c] = P[j * n + c];
            P[j * n + c] = x;
        }
}

/* X <- P diag(d) P' */
static void from_basis(size_t n, const double *P, const double *d, double *X)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (size_t k = 0; k < n; k++)
                sum += (long double)P[i * n + k] * d[k] * P[j * n + k];
            X[i * n + j] = (double)sum;
        }
}

/* d (n) <- powers of two, the first and the last of which are 2^WIDEST apart; in any order. */
static void powers(rng *r, size_t n, double *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] = ldexp(1.0, (int)rng_below(r, WIDEST + 1));
    size_t first = rng_below(r, n), last = (first + 1 + rng_below(r, n - 1)) % n;
    d[first] = 1.0;
    d[last] = ldexp(1.0, WIDEST);
}

typedef struct wide_pair {
    size_t n;
    double *P, *D, *E, *X, *Y;
} wide_pair;

static wide_pair wide_new(rng *r, size_t n)
{
    wide_pair w = {n, block(n * n), block(n), block(n), block(n * n), block(n * n)};
    whole_basis(r, n, w.P);
    powers(r, n, w.D);
    powers(r, n, w.E);
    from_basis(n, w.P, w.D, w.X);
    from_basis(n, w.P, w.E, w.Y);
    return w;
}

/* What rounding of X and Y alone moves a logarithm of an eigenvalue by. */
static double tolerance(size_t n)
{
    return 4.0 * (double)n * DBL_EPSILON * ldexp(1.0, WIDEST);
}

TEST(airm_distances)
{
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++)
        for (int trial = 0; trial < 5; trial++) {
            size_t n = sizes[s];
            wide_pair w = wide_new(&r, n);
            double exact = 0.0, there = NAN, back = NAN, scaled = NAN;
            for (size_t i = 0; i < n; i++)
                exact += pow(log(w.E[i] / w.D[i]), 2.0);
            CHECK(spd_distance2(NULL, SPD_METRIC_AIRM, n, w.X, w.Y, &there) == SPD_OK, "n %zu", n);
            CHECK(spd_distance2(NULL, SPD_METRIC_AIRM, n, w.Y, w.X, &back) == SPD_OK, "n %zu", n);
            CHECK_CLOSE(sqrt(there), sqrt(exact), tolerance(n), "n %zu", n);
            CHECK_CLOSE(sqrt(back), sqrt(exact), tolerance(n), "n %zu", n);
            for (size_t e = 0; e < n * n; e++)
                w.X[e] *= 0x1p-300, w.Y[e] *= 0x1p-300;
            CHECK(spd_distance2(NULL, SPD_METRIC_AIRM, n, w.X, w.Y, &scaled) == SPD_OK, "n %zu", n);
            CHECK_CLOSE(scaled, there, 1e-9 * there, "n %zu: the scale matters", n);
        }
}

/* Lanes do not disturb each other: the distance of a wide pair is the same bits in any company. */
TEST(any_company)
{
    rng r = seeded(2);
    size_t n = 9, q = 21, each = n * n;
    wide_pair w = wide_new(&r, n);
    double *Y = random_set(&r, n, q, 10.0), *D2 = block(q), alone;
    memcpy(Y + 13 * each, w.Y, each * sizeof *Y);
    CHECK_OK(NULL, spd_pairwise2(NULL, SPD_METRIC_AIRM, SPD_SET(n, 1, w.X), SPD_SET(n, q, Y), D2));
    for (size_t j = 0; j < q; j++) {
        CHECK_OK(NULL, spd_pairwise2(NULL, SPD_METRIC_AIRM, SPD_SET(n, 1, w.X),
                                     SPD_SET(n, 1, Y + j * each), &alone));
        CHECK(alone == D2[j], "%zu: %.17g alone, %.17g in company", j, alone, D2[j]);
    }
}

TEST(airm_geodesics)
{
    rng r = seeded(3);
    const double t[] = {0.0, 0.25, 0.5, 0.875, 1.0};
    for (size_t s = 0; s < SIZES; s++)
        for (size_t k = 0; k < 5; k++) {
            size_t n = sizes[s];
            wide_pair w = wide_new(&r, n);
            double *d = block(n), *exact = block(n * n), *G = block(n * n);
            for (size_t i = 0; i < n; i++)
                d[i] = pow(w.D[i], 1.0 - t[k]) * pow(w.E[i], t[k]);
            from_basis(n, w.P, d, exact);
            CHECK(spd_geodesic(NULL, SPD_METRIC_AIRM, n, w.X, w.Y, t[k], G) == SPD_OK, "n %zu", n);
            CHECK_CLOSE(relative_gap(n * n, G, exact), 0.0, tolerance(n), "n %zu t %g", n, t[k]);
            CHECK(skewness(n, G) == 0.0, "n %zu", n);
        }
}

/* Matrices with the same eigenvectors: the roots of the eigenvalues lie on a line. */
TEST(bures_geodesics)
{
    rng r = seeded(4);
    const double t[] = {0.0, 0.25, 0.5, 0.875, 1.0};
    for (size_t s = 0; s < SIZES; s++)
        for (double condition = 1e8; condition < 2e14; condition *= 100.0) {
            size_t n = sizes[s], each = n * n;
            double *Q = block(each), *D = block(each), *X = block(3 * each), *G = block(each);
            random_orthogonal(&r, n, Q);
            for (size_t k = 0; k < 5; k++) {
                for (size_t which = 0; which < 3; which++) {
                    memset(D, 0, each * sizeof *D);
                    for (size_t i = 0; i < n; i++) {
                        double x = sqrt(spaced(i, n, condition));
                        double y = sqrt(spaced(n - 1 - i, n, condition));
                        double at = which == 0 ? x : which == 1 ? y : (1.0 - t[k]) * x + t[k] * y;
                        D[i * (n + 1)] = at * at;
                    }
                    congruent(n, n, Q, D, X + which * each);
                }
                CHECK(spd_geodesic(NULL, SPD_METRIC_BURES_WASSERSTEIN, n, X, X + each, t[k], G) ==
                          SPD_OK,
                      "n %zu condition %g", n, condition);
                CHECK_CLOSE(relative_gap(each, G, X + 2 * each), 0.0,
                            10.0 * (double)n * DBL_EPSILON * sqrt(condition),
                            "n %zu condition %g t %g", n, condition, t[k]);
            }
        }
}

/* Matrices of any directions: no refusal, and the ends are where they should be. */
TEST(bures_anywhere)
{
    rng r = seeded(5);
    for (size_t s = 0; s < SIZES; s++)
        for (int trial = 0; trial < 5; trial++) {
            size_t n = sizes[s], each = n * n;
            double *X = random_set(&r, n, 2, 1e12), *G = block(each);
            for (double t = 0.0; t <= 1.0; t += 0.5)
                CHECK(spd_geodesic(NULL, SPD_METRIC_BURES_WASSERSTEIN, n, X, X + each, t, G) ==
                          SPD_OK,
                      "n %zu t %g", n, t);
            CHECK_CLOSE(relative_gap(each, G, X + each), 0.0, 100.0 * (double)n * DBL_EPSILON,
                        "n %zu", n);
        }
}

/* What has no factor is refused as before, by its number. */
TEST(indefinite)
{
    rng r = seeded(6);
    size_t n = 6, each = n * n;
    spd_context *ctx = context_on(0);
    double *X = random_set(&r, n, 5, 1e12), D2[25], G[36];
    X[3 * each + 7] = -X[3 * each + 7];
    CHECK(spd_pairwise2(ctx, SPD_METRIC_AIRM, SPD_SET(n, 5, X), NULL, D2) == SPD_ENOTSPD, " ");
    CHECK(spd_context_error(ctx)->index == 3, "%zu", spd_context_error(ctx)->index);
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_BURES_WASSERSTEIN};
    for (size_t k = 0; k < 2; k++)
        CHECK(spd_geodesic(ctx, metrics[k], n, X, X + 3 * each, 0.5, G) == SPD_ENOTSPD, " ");
}
