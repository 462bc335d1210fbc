/* test_batch.c - batched linear algebra and kernel matrices through the public functions. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

/* 193 and above go through LAPACK where eigenvectors are wanted. */
static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20, 33, 64, 93, 193};
#define SIZES (sizeof sizes / sizeof *sizes)

static size_t samples_of(size_t n)
{
    return n > 40 ? 3 : 83; /* two chunks and a rest */
}

TEST(cholesky_times_transpose)
{
    rng r = seeded(1);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = samples_of(n), each = n * n;
        double *X = random_set(&r, n, p, 1e6), *L = block(p * each), *T = block(each);
        double *product = block(each);
        CHECK(spd_cholesky(NULL, SPD_SET(n, p, X), L) == SPD_OK, " ");
        for (size_t i = 0; i < p; i++) {
            flip(n, n, L + i * each, T);
            times(n, n, n, L + i * each, T, product);
            CHECK_CLOSE(relative_gap(each, product, X + i * each), 0.0,
                        4.0 * (double)n * DBL_EPSILON, "n %zu sample %zu", n, i);
            for (size_t k = 0; k < n; k++)
                for (size_t c = k + 1; c < n; c++)
                    CHECK(L[i * each + k * n + c] == 0.0, "upper triangle, n %zu", n);
        }
    }
}

TEST(logdet_is_sum_of_logarithms)
{
    rng r = seeded(2);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = samples_of(n);
        double *X = random_set(&r, n, p, 1e6), *value = block(p);
        CHECK(spd_logdet(NULL, SPD_SET(n, p, X), value) == SPD_OK, " ");
        for (size_t i = 0; i < p; i++) {
            double expected = twin_sum(n, log, X + i * n * n, NULL);
            CHECK_CLOSE(value[i], expected, 10.0 * (double)n * DBL_EPSILON * 1e6,
                        "n %zu sample %zu", n, i);
        }
    }
}

TEST(inverse_times_matrix)
{
    rng r = seeded(3);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = samples_of(n), each = n * n;
        double *X = random_set(&r, n, p, 1e4), *V = copy_of(p * each, X), *product = block(each);
        CHECK(spd_inverse(NULL, SPD_SET(n, p, V), V) == SPD_OK, "in place");
        for (size_t i = 0; i < p; i++) {
            times(n, n, n, V + i * each, X + i * each, product);
            for (size_t k = 0; k < n; k++)
                product[k * n + k] -= 1.0;
            CHECK_CLOSE(norm(each, product), 0.0, 20.0 * (double)n * DBL_EPSILON * 1e4,
                        "n %zu sample %zu", n, i);
            CHECK(skewness(n, V + i * each) == 0.0, "n %zu", n);
        }
    }
}

/* lambda ascending and equal to the twin's; V'BV = I and AV = BV diag(lambda), B = I when NULL. */
static void check_pairs(size_t n, const double *A, const double *B, const double *lambda,
                        const double *V, const double *expected, double tolerance)
{
    double scale = fmax(fabs(expected[0]), fabs(expected[n - 1]));
    for (size_t i = 0; i < n; i++) {
        CHECK(i == 0 || lambda[i] >= lambda[i - 1], "not ascending");
        CHECK_CLOSE(lambda[i], expected[i], tolerance * scale, "eigenvalue %zu of %zu", i, n);
    }
    double *T = block(n * n), *AV = block(n * n), *BV = block(n * n), *G = block(n * n);
    flip(n, n, V, T);
    times(n, n, n, A, V, AV);
    if (B)
        times(n, n, n, B, V, BV);
    else
        memcpy(BV, V, n * n * sizeof *BV);
    times(n, n, n, T, BV, G);
    for (size_t i = 0; i < n; i++) {
        G[i * n + i] -= 1.0;
        for (size_t k = 0; k < n; k++)
            BV[k * n + i] *= lambda[i];
    }
    CHECK_CLOSE(norm(n * n, G), 0.0, tolerance * (double)n, "orthogonality, n %zu", n);
    CHECK_CLOSE(gap_between(n * n, AV, BV), 0.0, tolerance * (double)n * scale * norm(n * n, V),
                "residual, n %zu", n);
}

TEST(eigenpairs)
{
    rng r = seeded(4);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = samples_of(n), each = n * n;
        double *X = random_set(&r, n, p, 1e4), *lambda = block(p * n), *V = block(p * each);
        double *alone = block(p * n), *expected = block(n);
        for (size_t i = 0; i < p; i += 2) /* any signs */
            for (size_t k = 0; k < n; k++)
                X[i * each + k * n + k] -= 1.0;
        CHECK(spd_eigh(NULL, SPD_SET(n, p, X), lambda, V) == SPD_OK, " ");
        CHECK(spd_eigh(NULL, SPD_SET(n, p, X), alone, NULL) == SPD_OK, " ");
        for (size_t i = 0; i < p; i++) {
            twin_eigh(n, X + i * each, expected, NULL);
            check_pairs(n, X + i * each, NULL, lambda + i * n, V + i * each, expected, 1e-13);
            double scale = fmax(fabs(expected[0]), fabs(expected[n - 1]));
            CHECK_CLOSE(gap_between(n, alone + i * n, expected), 0.0, 1e-13 * scale * (double)n,
                        "values alone, n %zu", n);
        }
    }
}

TEST(generalised_eigenpairs)
{
    rng r = seeded(5);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s], p = n > 40 ? 3 : 21, each = n * n;
        double *X = random_set(&r, n, p, 100.0), *Y = random_set(&r, n, p, 100.0);
        double *lambda = block(p * n), *V = block(p * each), *expected = block(n);
        double *alone = block(p * n);
        CHECK(spd_eigh_general(NULL, SPD_SET(n, p, X), SPD_SET(n, p, Y), lambda, V) == SPD_OK, " ");
        CHECK_OK(NULL, spd_eigh_general(NULL, SPD_SET(n, p, X), SPD_SET(n, p, Y), alone, NULL));
        for (size_t i = 0; i < p; i++) {
            twin_general(n, X + i * each, Y + i * each, expected);
            check_pairs(n, X + i * each, Y + i * each, lambda + i * n, V + i * each, expected,
                        20.0 * DBL_EPSILON * 100.0);
            CHECK_CLOSE(gap_between(n, alone + i * n, expected), 0.0, 1e-11 * expected[n - 1],
                        "values alone, n %zu", n);
        }
    }
}

TEST(congruence)
{
    rng r = seeded(6);
    for (size_t s = 0; s < SIZES; s++)
        for (size_t m = 1; m <= sizes[s]; m += 1 + sizes[s] / 5) {
            size_t n = sizes[s], p = 5;
            double *X = random_set(&r, n, p, 100.0), *W = block(n * m), *T = block(m * n);
            double *S = block(p * m * m), *expected = block(m * m);
            for (size_t e = 0; e < n * m; e++)
                W[e] = rng_normal(&r);
            flip(n, m, W, T);
            CHECK(spd_congruence(NULL, SPD_SET(n, p, X), m, W, S) == SPD_OK, " ");
            for (size_t i = 0; i < p; i++) {
                congruent(m, n, T, X + i * n * n, expected);
                CHECK_CLOSE(relative_gap(m * m, S + i * m * m, expected), 0.0,
                            4.0 * (double)n * DBL_EPSILON, "n %zu m %zu", n, m);
                CHECK(skewness(m, S + i * m * m) == 0.0, "n %zu m %zu", n, m);
            }
        }
}

/* ---- checks and repairs ---------------------------------------------------------------------- */

TEST(check_names_the_first_fault)
{
    rng r = seeded(7);
    size_t n = 6, p = 200, each = n * n;
    double *X = random_set(&r, n, p, 10.0);
    spd_context *ctx = context_on(0);
    const spd_error *error = spd_context_error(ctx);
    CHECK(spd_check(ctx, SPD_SET(n, p, X), 0.0) == SPD_OK && error->index == SPD_NO_INDEX, " ");
    X[150 * each] = -1.0;
    CHECK(spd_check(ctx, SPD_SET(n, p, X), 0.0) == SPD_ENOTSPD && error->index == 150, "%s",
          error->message);
    CHECK(error->value <= -1.0, "smallest eigenvalue %g", error->value);
    X[130 * each + 4] += 0.25;
    CHECK(spd_check(ctx, SPD_SET(n, p, X), 0.0) == SPD_ENOTSYM && error->index == 130, "%s",
          error->message);
    CHECK(strcmp(error->message,
                 "X[130] is not symmetric: entries (0,4) and (4,0) differ by 0.25") == 0,
          "%s", error->message);
    CHECK(spd_check(ctx, SPD_SET(n, 131, X), 1.0) == SPD_OK, "a wide tolerance");
    X[3 * each + 17] = NAN; /* row 2, column 5: the upper triangle */
    CHECK(spd_check(ctx, SPD_SET(n, p, X), 0.0) == SPD_ENOTFINITE && error->index == 3, "%s",
          error->message);
    CHECK(strcmp(error->message, "X[3] holds NaN or Inf at row 2, column 5") == 0, "%s",
          error->message);
    CHECK(spd_check(ctx, SPD_SET(n, p, X), -1.0) == SPD_EINVAL, " ");
    CHECK(spd_check(ctx, SPD_SET(n, 0, X), 0.0) == SPD_EINVAL &&
              spd_check(ctx, SPD_SET(0, 1, X), 0.0) == SPD_EINVAL,
          " ");
    CHECK(spd_check(ctx, SPD_SET(n, 1, NULL), 0.0) == SPD_EINVAL && error->message[0], " ");
}

TEST(semidefinite_is_not_definite)
{
    double X[] = {1.0, 1.0, 1.0, 1.0};
    spd_context *ctx = context_on(0);
    CHECK(spd_check(ctx, SPD_SET(2, 1, X), 0.0) == SPD_ENOTSPD, " ");
    CHECK_CLOSE(spd_context_error(ctx)->value, 0.0, 1e-15, "smallest eigenvalue");
    spd_regularize(2, 1, X, 1e-3, 0.0);
    CHECK_CLOSE(X[0], 1.001, 1e-15, "relative to the mean of the diagonal");
    CHECK_OK(ctx, spd_check(ctx, SPD_SET(2, 1, X), 0.0));
    spd_regularize(2, 1, X, 0.0, 0.5);
    CHECK_CLOSE(X[3], 1.501, 1e-15, "ridge");
    CHECK(X[1] == 1.0 && X[2] == 1.0, "off the diagonal");
}

TEST(symmetrize)
{
    double X[] = {1.0, 2.0, 4.0, 5.0, 1.0, 0.0, 1.0, 2.0};
    spd_symmetrize(2, 2, X);
    CHECK(X[1] == 3.0 && X[2] == 3.0 && X[0] == 1.0 && X[5] == 0.5 && X[6] == 0.5, " ");
    spd_symmetrize(2, 2, NULL);
    spd_regularize(2, 2, NULL, 1.0, 1.0);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* One bad sample: named, outputs untouched; the good ones give the bits they give alone. */
TEST(bad_lane_disturbs_nobody)
{
    rng r = seeded(8);
    size_t n = 7, p = 100, each = n * n, bad = 77;
    double *X = random_set(&r, n, p, 10.0), *out = block(p * each), *other = block(p * each);
    double *good = copy_of(p * each, X);
    spd_context *ctx = context_on(0);
    const spd_error *error = spd_context_error(ctx);
    X[bad * each + n + 1] = -4.0;
    X[(bad + 3) * each + n + 1] = -4.0;
    out[0] = out[p * each - 1] = other[0] = 55.0;
    CHECK(spd_cholesky(ctx, SPD_SET(n, p, X), out) == SPD_ENOTSPD && error->index == bad, " ");
    CHECK(spd_logdet(ctx, SPD_SET(n, p, X), out) == SPD_ENOTSPD && error->index == bad, " ");
    CHECK(spd_inverse(ctx, SPD_SET(n, p, X), out) == SPD_ENOTSPD && error->index == bad, " ");
    CHECK(spd_eigh_general(ctx, SPD_SET(n, p, good), SPD_SET(n, p, X), out, other) == SPD_ENOTSPD &&
              error->index == bad,
          " ");
    CHECK(strncmp(error->message, "Y[77] is not positive definite", 30) == 0, "%s", error->message);
    CHECK(spd_eigh(ctx, SPD_SET(n, p, X), out + 1, NULL) == SPD_OK, "any signs");
    X[bad * each] = INFINITY;
    CHECK(spd_eigh(ctx, SPD_SET(n, p, X), out, other) == SPD_ENOTFINITE && error->index == bad,
          " ");
    CHECK_STATUS(spd_eigh_general(ctx, SPD_SET(n, p, X), SPD_SET(n, p, good), out, other),
                 SPD_ENOTFINITE);
    CHECK(out[0] == 55.0 && out[p * each - 1] == 55.0 && other[0] == 55.0, "outputs touched");
    CHECK(spd_inverse(ctx, SPD_SET(n, bad, X), out) == SPD_OK, " ");
    CHECK(spd_inverse(ctx, SPD_SET(n, 1, X + (bad - 1) * each), other) == SPD_OK, " ");
    CHECK(memcmp(out + (bad - 1) * each, other, each * sizeof *out) == 0, "bits");
}

/* The same through LAPACK. */
TEST(bad_large_sample)
{
    rng r = seeded(9);
    size_t n = 193, each = n * n;
    double *X = random_set(&r, n, 2, 10.0), *out = block(2 * each);
    spd_context *ctx = context_on(0);
    X[each] = -5.0;
    out[0] = 55.0;
    CHECK(spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, 2, X), out) == SPD_ENOTSPD &&
              out[0] == 55.0,
          " ");
    CHECK(spd_context_error(ctx)->index == 1, "%s", said(ctx));
    X[each] = NAN;
    CHECK(spd_apply(ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 2, X), out) == SPD_ENOTFINITE &&
              out[0] == 55.0,
          " ");
    CHECK(spd_eigh(ctx, SPD_SET(n, 2, X), out, NULL) == SPD_ENOTFINITE && out[0] == 55.0, " ");
}

TEST(bad_arguments)
{
    double X[4] = {1.0, 0.0, 0.0, 1.0}, out[4], more[4];
    CHECK(spd_cholesky(NULL, SPD_SET(0, 1, X), out) == SPD_EINVAL, " ");
    CHECK(spd_cholesky(NULL, SPD_SET(2, 1, X), NULL) == SPD_EINVAL, " ");
    CHECK(spd_logdet(NULL, SPD_SET(2, 0, X), out) == SPD_EINVAL, " ");
    CHECK(spd_inverse(NULL, SPD_SET(2, 1, NULL), out) == SPD_EINVAL, " ");
    CHECK(spd_eigh(NULL, SPD_SET(2, 1, X), NULL, more) == SPD_EINVAL, " ");
    CHECK(spd_eigh_general(NULL, SPD_SET(2, 1, X), NULL, out, more) == SPD_EINVAL, " ");
    CHECK(spd_congruence(NULL, SPD_SET(2, 1, X), 3, X, out) == SPD_EINVAL, "m > n");
    CHECK(spd_congruence(NULL, SPD_SET(2, 1, X), 0, X, out) == SPD_EINVAL, "m = 0");
    CHECK(spd_congruence(NULL, SPD_SET(2, 1, X), 1, NULL, out) == SPD_EINVAL, " ");
}

TEST(same_bits_for_any_threads)
{
    rng r = seeded(10);
    size_t n = 9, p = 300, each = n * n, total = p * (3 * each + n);
    double *X = random_set(&r, n, p, 100.0), *one = block(total), *more = block(total);
    for (int threads = 1; threads <= 3; threads++) {
        spd_context *ctx = context_on(threads);
        double *out = threads == 1 ? one : more;
        CHECK(spd_inverse(ctx, SPD_SET(n, p, X), out) == SPD_OK, " ");
        CHECK_OK(ctx, spd_apply(ctx, SPD_FUNCTION_SQRT, 0.0, SPD_SET(n, p, X), out + p * each));
        CHECK_OK(ctx, spd_eigh(ctx, SPD_SET(n, p, X), out + 3 * p * each, out + 2 * p * each));
        CHECK(memcmp(one, out, total * sizeof *out) == 0, "%d threads", threads);
    }
}

TEST(stein_kernel)
{
    rng r = seeded(11);
    size_t n = 5, p = 70, q = 9;
    double *X = random_set(&r, n, p, 10.0), *K = block(p * p), *lambda = block(p);
    const double good[] = {0.5, 1.0, 1.5, 2.0, 2.1, 17.3}, bad[] = {0.1, 0.7, 1.9};
    spd_context *ctx = context_on(0);
    for (size_t k = 0; k < 6; k++) {
        CHECK(spd_kernel(ctx, SPD_KERNEL_STEIN, good[k], SPD_SET(n, p, X), NULL, K) == SPD_OK,
              "beta %g", good[k]);
        twin_eigh(p, K, lambda, NULL);
        CHECK(lambda[0] > -1e-12 && K[0] == 1.0, "beta %g: %g", good[k], lambda[0]);
    }
    for (size_t k = 0; k < 3; k++) {
        spd_status status =
            spd_kernel(ctx, SPD_KERNEL_STEIN, bad[k], SPD_SET(n, p, X), SPD_SET(n, q, X), K);
        CHECK(status == SPD_NOT_DEFINITE, "beta %g", bad[k]);
        CHECK_SAYS(ctx, "{1/2, 1, ..., 2}");
        double expected = exp(-bad[k] * dist2(SPD_METRIC_STEIN, n, X + 3 * n * n, X + 2 * n * n));
        CHECK_CLOSE(K[3 * q + 2], expected, 1e-14, "beta %g", bad[k]);
    }
    CHECK_STATUS(spd_kernel(ctx, SPD_KERNEL_STEIN, 0.0, SPD_SET(n, p, X), SPD_SET(n, q, X), K),
                 SPD_EINVAL);
    CHECK_STATUS(spd_kernel(ctx, SPD_KERNEL_STEIN, NAN, SPD_SET(n, p, X), SPD_SET(n, q, X), K),
                 SPD_EINVAL);
}

TEST(log_euclidean_kernel)
{
    rng r = seeded(12);
    size_t n = 6, p = 150, q = 20, each = n * n;
    double *X = random_set(&r, n, p, 100.0), *Y = random_set(&r, n, q, 100.0);
    double *K = block(p * q), *S = block(p * p), *A = block(p * each), *B = block(q * each);
    CHECK_OK(NULL, spd_kernel(NULL, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, SPD_SET(n, p, X),
                              SPD_SET(n, q, Y), K));
    CHECK_OK(NULL, spd_kernel(NULL, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, SPD_SET(n, p, X), NULL, S));
    for (size_t i = 0; i < p; i++)
        twin_function(n, log, X + i * each, A + i * each);
    for (size_t j = 0; j < q; j++)
        twin_function(n, log, Y + j * each, B + j * each);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < q; j++) {
            double expected = 0.0;
            for (size_t e = 0; e < each; e++)
                expected += A[i * each + e] * B[j * each + e];
            CHECK_CLOSE(K[i * q + j], expected, 1e-11 * (1.0 + fabs(expected)), "(%zu,%zu)", i, j);
        }
    CHECK(skewness(p, S) == 0.0, "exactly symmetric");
    CHECK_CLOSE(S[149 * p + 3], S[3 * p + 149], 0.0, "mirrored");
    double square = norm(each, A + 149 * each);
    CHECK_CLOSE(S[149 * p + 149], square * square, 1e-11 * square * square, "its own square");
    CHECK_STATUS(spd_kernel(NULL, (spd_kernel_kind)7, 1.0, SPD_SET(n, p, X), SPD_SET(n, q, Y), K),
                 SPD_EINVAL);
    CHECK_STATUS(spd_kernel(NULL, SPD_KERNEL_STEIN, 1.0, SPD_SET(n, 0, X), SPD_SET(n, q, Y), K),
                 SPD_EINVAL);
    CHECK_STATUS(spd_kernel(NULL, SPD_KERNEL_STEIN, 1.0, SPD_SET(n, p, X), SPD_SET(n, q, Y), NULL),
                 SPD_EINVAL);
}
