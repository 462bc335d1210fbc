/* test_spdfun.c - functions of matrices: identities, slow twin, bad samples. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

#include "geometry/spdfun.h"

/* 193 goes through LAPACK where eigenvectors are needed, and so do few large matrices; the others
 * through the interleaved kernels. */
static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20, 33, 64, 93, 193};
#define SIZES (sizeof sizes / sizeof *sizes)

static double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

static double cube(double x)
{
    return x * x * x;
}

typedef struct function_case {
    spd_function f;
    double power;
    double (*twin)(double);
    double rise; /* the result's condition is the matrix's to this power */
} function_case;

static const function_case cases[] = {
    {SPD_FUNCTION_LOG, 0.0, log, 1.0},    {SPD_FUNCTION_EXP, 0.0, exp, 0.0},
    {SPD_FUNCTION_SQRT, 0.0, sqrt, 0.5},  {SPD_FUNCTION_INVSQRT, 0.0, inverse_root, 1.0},
    {SPD_FUNCTION_POWER, 3.0, cube, 0.0},
};
#define CASES (sizeof cases / sizeof *cases)

TEST(agrees_with_definition)
{
    const double conditions[] = {1.0, 1e2, 1e6};
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++)
        for (size_t c = 0; c < 3; c++) {
            size_t n = sizes[s], p = n > 40 ? 3 : 19;
            double *X = random_set(&r, n, p, conditions[c]), *F = block(p * n * n);
            double *E = block(n * n);
            for (size_t k = 0; k < CASES; k++) {
                if (cases[k].f == SPD_FUNCTION_EXP && conditions[c] > 1e5)
                    continue; /* e^1000 */
                CHECK_OK(NULL, spd_apply(NULL, cases[k].f, cases[k].power, SPD_SET(n, p, X), F));
                double unit = 20.0 * (double)n * DBL_EPSILON;
                double tolerance = unit * pow(conditions[c], cases[k].rise) +
                                   (cases[k].f == SPD_FUNCTION_EXP ? unit * conditions[c] : 0.0);
                for (size_t i = 0; i < p; i++) {
                    twin_function(n, cases[k].twin, X + i * n * n, E);
                    double size = norm(n * n, E) + (cases[k].f == SPD_FUNCTION_LOG ? 1.0 : 0.0);
                    double gap = gap_between(n * n, F + i * n * n, E);
                    CHECK(gap <= tolerance * size, "function %zu n %zu cond %g: gap %g > %g", k, n,
                          conditions[c], gap, tolerance * size);
                }
            }
        }
}

TEST(symmetric_results)
{
    rng r = seeded(2);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        double *X = random_set(&r, n, 1, 50.0), *F = block(n * n);
        for (size_t k = 0; k < CASES; k++) {
            CHECK(spd_apply(NULL, cases[k].f, cases[k].power, SPD_SET(n, 1, X), F) == SPD_OK, " ");
            CHECK(skewness(n, F) == 0.0, "function %zu n %zu", k, n);
        }
    }
}

/* exp log X = X, sqrt X sqrt X = X, X^-1/2 X X^-1/2 = I, X^a X^b = X^(a+b); all in place. */
TEST(identities)
{
    rng r = seeded(3);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], each = n * n;
        double *X = random_set(&r, n, 1, 1e3), *A = copy_of(each, X), *B = block(each);
        double tolerance = 100.0 * (double)n * DBL_EPSILON * 1e3;
        CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, 1, A), A) == SPD_OK, " ");
        CHECK(spd_apply(NULL, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 1, A), A) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(each, A, X), 0.0, tolerance, "exp log, n %zu", n);
        memcpy(A, X, each * sizeof *A);
        CHECK(spd_apply(NULL, SPD_FUNCTION_SQRT, 0.0, SPD_SET(n, 1, A), A) == SPD_OK, " ");
        times(n, n, n, A, A, B);
        CHECK_CLOSE(relative_gap(each, B, X), 0.0, tolerance, "sqrt, n %zu", n);
        memcpy(A, X, each * sizeof *A);
        CHECK(spd_apply(NULL, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(n, 1, A), A) == SPD_OK, " ");
        congruent(n, n, A, X, B);
        for (size_t i = 0; i < n; i++)
            B[i * n + i] -= 1.0;
        CHECK_CLOSE(norm(each, B), 0.0, tolerance, "inverse root, n %zu", n);
        double *P = block(each), *Q = block(each);
        CHECK(spd_apply(NULL, SPD_FUNCTION_POWER, 0.3, SPD_SET(n, 1, X), P) == SPD_OK, " ");
        CHECK(spd_apply(NULL, SPD_FUNCTION_POWER, 0.7, SPD_SET(n, 1, X), Q) == SPD_OK, " ");
        times(n, n, n, P, Q, B);
        CHECK_CLOSE(relative_gap(each, B, X), 0.0, tolerance, "powers, n %zu", n);
    }
}

/* One indefinite sample among many is named, the output stays as it was, and without it the others
 * give the bits they give alone. */
TEST(bad_sample)
{
    rng r = seeded(4);
    size_t n = 5, p = 40, each = n * n;
    double *X = random_set(&r, n, p, 10.0), *F = block(p * each), *alone = block(each);
    spd_context *ctx = context_on(0);
    X[29 * each] = -3.0;
    X[33 * each] = -3.0;
    for (size_t e = 0; e < p * each; e++)
        F[e] = 7.0;
    CHECK(spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, p, X), F) == SPD_ENOTSPD, " ");
    CHECK(spd_context_error(ctx)->index == 29, "%s", said(ctx));
    for (size_t e = 0; e < p * each; e++)
        CHECK(F[e] == 7.0, "output touched at %zu", e);
    CHECK_OK(ctx, spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, p, X), F));
    for (size_t i = 24; i < 32; i++) {
        CHECK_OK(ctx, spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 1, X + i * each), alone));
        CHECK(memcmp(alone, F + i * each, each * sizeof *F) == 0, "sample %zu", i);
    }
    X[2 * each + n] = INFINITY;
    CHECK(spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, p, X), F) == SPD_ENOTFINITE, " ");
    CHECK(strcmp(said(ctx), "X[2] holds NaN or Inf at row 1, column 0") == 0, "%s", said(ctx));
}

TEST(overflow)
{
    double X[] = {1.0, 0.0, 0.0, 800.0}, tiny[] = {1.0, 0.0, 0.0, 1e-200}, F[4] = {5.0};
    spd_context *ctx = context_on(0);
    CHECK(spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(2, 1, X), F) == SPD_ENUMERIC && F[0] == 5.0,
          " ");
    CHECK_SAYS(ctx, "exponential of X[0]");
    CHECK(spd_apply(ctx, SPD_FUNCTION_POWER, -2.0, SPD_SET(2, 1, tiny), F) == SPD_ENUMERIC, " ");
    CHECK(spd_apply(ctx, SPD_FUNCTION_POWER, -1.0, SPD_SET(2, 1, tiny), F) == SPD_OK, " ");
    CHECK_CLOSE(F[3], 1e200, 1e188, "inverse");
    tiny[3] = -1.0;
    CHECK(spd_apply(ctx, SPD_FUNCTION_POWER, -1.0, SPD_SET(2, 1, tiny), F) == SPD_ENOTSPD, " ");
}

static void all_ones(const void *user, size_t count, double *lambda)
{
    (void)user;
    for (size_t i = 0; i < count; i++)
        lambda[i] = 1.0;
}

/* A lane without eigenvalues is bad even where the function would make a number of anything. */
TEST(lanes_without_eigenvalues)
{
    enum { N = 3, BAD = 5 };
    const kernels *k = kernels_get();
    double *A = mem_alloc(TRI(N) * LANES, sizeof *A), *work = mem_alloc(spdfun_work(N), sizeof *A);
    unsigned bad = 0;
    for (size_t e = 0; e < TRI(N) * LANES; e++)
        A[e] = e / LANES == 1 || e / LANES > 2 ? 0.1 : 1.0;
    A[2 * LANES + BAD] = NAN;
    spdfun_map(k, all_ones, NULL, N, 1, A, &bad, work);
    CHECK(bad == 1u << BAD, "mask %x", bad);
    mem_free(A);
    mem_free(work);
}

TEST(arguments)
{
    double X[1] = {1.0}, F[1];
    CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(0, 1, X), F) == SPD_EINVAL, " ");
    CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(1, 0, X), F) == SPD_EINVAL, " ");
    CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(1, 1, NULL), F) == SPD_EINVAL, " ");
    CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(1, 1, X), NULL) == SPD_EINVAL, " ");
    CHECK(spd_apply(NULL, (spd_function)9, 0.0, SPD_SET(1, 1, X), F) == SPD_EINVAL, " ");
    CHECK(spd_apply(NULL, SPD_FUNCTION_POWER, NAN, SPD_SET(1, 1, X), F) == SPD_EINVAL, " ");
}
