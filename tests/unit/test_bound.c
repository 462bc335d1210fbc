/* test_bound.c - the basis of the lower bounds by its definition. */
#include "random_spd.h"
#include "test.h"

#include "geometry/bound.h"

/* W (n x m) <- L^-T times the leading eigenvectors of the sum of log^2(L^-1 X L^-T) over every
 * step-th matrix, L the Cholesky factor of their mean. */
static void twin_basis(size_t n, size_t m, size_t count, size_t step, const double *X, double *W)
{
    double *mean = block(n * n), *L = block(n * n), *inverse = block(n * n), *B = block(n * n);
    double *S = block(n * n), *F = block(n * n), *value = block(n), *V = block(n * n);
    memset(mean, 0, n * n * sizeof *mean);
    memset(B, 0, n * n * sizeof *B);
    for (size_t s = 0; s < count; s++)
        for (size_t e = 0; e < n * n; e++)
            mean[e] += X[s * step * n * n + e] / (double)count;
    CHECK(spd_cholesky(NULL, SPD_SET(n, 1, mean), L) == SPD_OK, "the mean");
    memset(inverse, 0, n * n * sizeof *inverse); /* of L, column by column */
    for (size_t c = 0; c < n; c++)
        for (size_t r = c; r < n; r++) {
            double sum = r == c ? 1.0 : 0.0;
            for (size_t k = c; k < r; k++)
                sum -= L[r * n + k] * inverse[k * n + c];
            inverse[r * n + c] = sum / L[r * n + r];
        }
    for (size_t s = 0; s < count; s++) {
        congruent(n, n, inverse, X + s * step * n * n, S);
        twin_function(n, log_squared, S, F);
        for (size_t e = 0; e < n * n; e++)
            B[e] += F[e];
    }
    twin_eigh(n, B, value, V);
    for (size_t c = 0; c < m; c++)
        for (size_t r = 0; r < n; r++) {
            W[r * m + c] = 0.0;
            for (size_t k = 0; k < n; k++)
                W[r * m + c] += inverse[k * n + r] * V[k * n + n - 1 - c];
        }
}

/* Columns agree up to their signs; what pads the rows is zero. */
static void basis(size_t n, size_t m, size_t p, size_t subset)
{
    rng r = seeded(n);
    size_t ld = PASS_LD(m), step = p > subset ? p / subset : 1, count = p > subset ? subset : p;
    double *X = random_set(&r, n, p, 30.0), *W = block(n * ld), *expected = block(n * m);
    CHECK(bound_basis(n, m, p, X, subset, W) == SPD_OK, "%zu", n);
    twin_basis(n, m, count, step, X, expected);
    for (size_t c = 0; c < ld; c++) {
        double same = 0.0, turned = 0.0, size = 0.0;
        for (size_t row = 0; row < n; row++) {
            double w = W[row * ld + c], e = c < m ? expected[row * m + c] : 0.0;
            same = fmax(same, fabs(w - e));
            turned = fmax(turned, fabs(w + e));
            size = fmax(size, fabs(e));
        }
        CHECK(fmin(same, turned) <= 1e-9 * size, "n = %zu, column %zu: %g of %g", n, c,
              fmin(same, turned), size);
    }
}

TEST(basis_by_definition)
{
    basis(2, 1, 5, 64);
    basis(5, 3, 20, 64);
    basis(9, 4, 30, 7);
    basis(12, 11, 17, 17);
}

TEST(indefinite_sample)
{
    rng r = seeded(9);
    double *X = random_set(&r, 4, 6, 10.0), *W = block(4 * PASS_LD(2));
    X[3 * 16] = -50.0;
    CHECK(bound_basis(4, 2, 6, X, 64, W) == SPD_ENOTSPD, "the mean is indefinite");
    X[3 * 16] = -0.5;
    CHECK(bound_basis(4, 2, 6, X, 64, W) == SPD_ENOTSPD, "a sample is indefinite");
}
