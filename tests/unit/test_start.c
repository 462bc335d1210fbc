/* test_start.c - where a fit begins: orthonormal, and the space that was asked for. */
#include "repeat.h"

#include "learn/start.h"
#include "random_spd.h"

/* Largest entry of |W'W - I|. */
static double drift(size_t n, size_t m, const double *W)
{
    double worst = 0.0;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double sum = a == b ? -1.0 : 0.0;
            for (size_t r = 0; r < n; r++)
                sum += W[r * m + a] * W[r * m + b];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

/* |W W'V - V|: zero when the columns of V (n x m) are in the space of W. */
static double outside(size_t n, size_t m, const double *W, const double *V)
{
    double *T = block(m * n), *C = block(m * m), *P = block(n * m);
    flip(n, m, W, T);
    times(m, n, m, T, V, C);
    times(n, m, m, W, C, P);
    double gap = gap_between(n * m, P, V);
    return gap;
}

static const size_t sizes[][2] = {{2, 1}, {5, 2}, {8, 7}, {40, 20}, {93, 20}, {160, 60}};
#define SIZES (sizeof sizes / sizeof *sizes)

TEST(all_are_orthonormal)
{
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s][0], m = sizes[s][1];
        double *X = random_set(&r, n, 3, 1e4), *given = block(n * m), *W = block(n * m);
        for (size_t e = 0; e < n * m; e++)
            given[e] = 1e3 * rng_normal(&r) + 2e3; /* far from orthogonal */
        for (int init = SPD_INIT_IDENTITY; init <= SPD_INIT_GIVEN; init++) {
            spd_status status =
                start_point(NULL, (spd_init)init, SPD_SET(n, 3, X), m, given, &r, W);
            CHECK(status == SPD_OK, "init %d", init);
            CHECK_CLOSE(drift(n, m, W), 0.0, 1e-14, "init %d, n %zu, m %zu", init, n, m);
        }
    }
}

TEST(identity)
{
    double W[12];
    const double expected[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    CHECK_OK(NULL, start_point(NULL, SPD_INIT_IDENTITY, SPD_SET(4, 1, expected), 3, NULL, NULL, W));
    CHECK(memcmp(W, expected, sizeof W) == 0, "first columns of the identity");
}

/* The arithmetic mean of M + E and M - E is M; its leading eigenvectors, largest first. */
TEST(mean)
{
    const size_t n = 9, m = 3;
    rng r = seeded(2);
    double lambda[9], *X = block(2 * n * n), *V = block(n * n), *M = block(n * n), W[27];
    for (size_t i = 0; i < n; i++)
        lambda[i] = 1.0 + (double)i;
    random_with_spectrum(&r, n, lambda, M);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            double e = 0.1 * rng_uniform(&r), x = M[a * n + b];
            X[a * n + b] = X[b * n + a] = x + e;
            X[n * n + a * n + b] = X[n * n + b * n + a] = x - e;
        }
    twin_eigh(n, M, lambda, V);
    CHECK(start_point(NULL, SPD_INIT_MEAN, SPD_SET(n, 2, X), m, NULL, NULL, W) == SPD_OK, "status");
    for (size_t c = 0; c < m; c++) {
        double along = 0.0, largest = 0.0;
        for (size_t i = 0; i < n; i++) {
            along += W[i * m + c] * V[i * n + n - 1 - c];
            largest = fabs(W[i * m + c]) > fabs(largest) ? W[i * m + c] : largest;
        }
        CHECK_CLOSE(fabs(along), 1.0, 1e-13, "column %zu", c);
        CHECK(largest > 0.0, "sign of column %zu", c);
    }
}

TEST(random_by_seed)
{
    rng a, b, c;
    rng_seed(&a, 3);
    rng_seed(&b, 3);
    rng_seed(&c, 4);
    double W[20], V[20], U[20], none = 1.0;
    start_point(NULL, SPD_INIT_RANDOM, SPD_SET(10, 1, &none), 2, NULL, &a, W);
    start_point(NULL, SPD_INIT_RANDOM, SPD_SET(10, 1, &none), 2, NULL, &b, V);
    start_point(NULL, SPD_INIT_RANDOM, SPD_SET(10, 1, &none), 2, NULL, &c, U);
    CHECK(memcmp(W, V, sizeof W) == 0, "equal seeds");
    CHECK(outside(10, 2, W, U) > 1e-3, "other seeds");
    start_point(NULL, SPD_INIT_RANDOM, SPD_SET(10, 1, &none), 2, NULL, &a, V);
    CHECK(outside(10, 2, W, V) > 1e-3, "the next start is another one");
}

TEST(given_keeps_its_space)
{
    const size_t n = 12, m = 4;
    rng r = seeded(5);
    double given[48], W[48], again[48];
    for (size_t e = 0; e < n * m; e++) /* columns of very different length */
        given[e] = rng_normal(&r) * pow(10.0, 80.0 * (double)(e % m) - 120.0);
    CHECK_OK(NULL, start_point(NULL, SPD_INIT_GIVEN, SPD_SET(n, 1, given), m, given, NULL, W));
    for (size_t e = 0; e < n * m; e++)
        given[e] *= pow(10.0, 120.0 - 80.0 * (double)(e % m));
    CHECK_CLOSE(outside(n, m, W, given) / norm(n * m, given), 0.0, 1e-13, "space");
    CHECK_OK(NULL, start_point(NULL, SPD_INIT_GIVEN, SPD_SET(n, 1, W), m, W, NULL, again));
    CHECK_CLOSE(gap_between(n * m, W, again), 0.0, 1e-14, "orthonormal stays");
}

static void refuse(size_t n, size_t m, const double *given, spd_status expected)
{
    double W[64] = {42.0};
    spd_context *ctx = context_on(0);
    spd_status status = start_point(ctx, SPD_INIT_GIVEN, SPD_SET(n, 1, W), m, given, NULL, W);
    CHECK(status == expected && said(ctx)[0], "status %d", status);
    CHECK(W[0] == 42.0, "W untouched");
}

TEST(refusals)
{
    const double same[6] = {1, 2, 2, 4, 3, 6}, zero[6] = {1, 0, 2, 0, 3, 0},
                 nan[6] = {1, 0, 2, NAN, 3, 1};
    refuse(3, 2, same, SPD_EINVAL);
    refuse(3, 2, zero, SPD_EINVAL);
    refuse(3, 2, nan, SPD_ENOTFINITE);
    refuse(3, 2, NULL, SPD_EINVAL);
}

TEST(allocation_sweep)
{
    rng r = seeded(6);
    double *X = random_set(&r, 6, 4, 10.0), W[12], given[12];
    for (size_t e = 0; e < 12; e++)
        given[e] = rng_normal(&r);
    for (int init = SPD_INIT_MEAN; init <= SPD_INIT_GIVEN; init++)
        for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);)
            s.status = start_point(NULL, (spd_init)init, SPD_SET(6, 4, X), 2, given, &r, W);
}
