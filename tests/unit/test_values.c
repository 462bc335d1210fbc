/* test_values.c - ranks, the median, lengths, centred and orthonormal matrices, by definition. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

#include "base/order.h"
#include "classify/values.h"

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Every rank of every set, with many equal values and without. */
TEST(every_rank)
{
    rng r = seeded(1);
    for (size_t count = 1; count < 40; count++)
        for (size_t rank = 0; rank < count; rank++) {
            double x[40], sorted[40];
            for (size_t i = 0; i < count; i++)
                sorted[i] = x[i] = rank % 2 ? rng_normal(&r) : (double)rng_below(&r, 4);
            qsort(sorted, count, sizeof *sorted, descending);
            double found = order_largest(count, x, rank);
            CHECK(found == sorted[rank], "%zu of %zu: %g, %g", rank, count, found, sorted[rank]);
        }
}

/* The diagonal and what is below it do not matter. */
TEST(median_above_the_diagonal)
{
    double D[] = {100, 7, 1, 5, /**/ -9, 100, 2, 4, /**/ -9, -9, 100, 6, /**/ -9, -9, -9, 100};
    double three[] = {0, 8, 3, /**/ 0, 0, 1, /**/ 0, 0, 0}, median = 0.0;
    CHECK(values_median_above(NULL, 4, D, &median) == SPD_OK, " ");
    CHECK(median == 4.5, "of 1, 2, 4, 5, 6, 7: %g", median);
    CHECK(values_median_above(NULL, 3, three, &median) == SPD_OK, " ");
    CHECK(median == 3.0, "of 8, 3, 1: %g", median);
    CHECK(values_median_above(NULL, 1, D, &median) == SPD_OK && median == 1.0, "of none");
    memset(D, 0, sizeof D);
    CHECK(values_median_above(NULL, 4, D, &median) == SPD_OK && median == 1.0, "of zeros");
}

TEST(unit_length)
{
    double x[] = {3.0, -4.0, 9.0}, zero[] = {0.0, 0.0};
    values_to_unit(2, x);
    CHECK_CLOSE(x[0], 0.6, 4 * DBL_EPSILON, " ");
    CHECK_CLOSE(x[1], -0.8, 4 * DBL_EPSILON, " ");
    CHECK(x[2] == 9.0, "beyond the end: %g", x[2]);
    values_to_unit(2, zero);
    CHECK(zero[0] == 0.0 && zero[1] == 0.0, "%g, %g", zero[0], zero[1]);
}

/* Rows and columns have mean zero; what is centred already stays. */
TEST(centred)
{
    enum { N = 7 };
    double K[N * N], was[N * N], mean[N];
    rng r = seeded(2);
    random_spd(&r, N, 10.0, K);
    memcpy(was, K, sizeof K);
    values_centre(N, K, mean);
    CHECK(skewness(N, K) == 0.0, "%g", skewness(N, K));
    for (size_t i = 0; i < N; i++) {
        double sum = 0.0, before = 0.0;
        for (size_t j = 0; j < N; j++) {
            sum += K[i * N + j];
            before += was[i * N + j];
        }
        CHECK_CLOSE(sum, 0.0, 100 * N * DBL_EPSILON * norm(N * N, was), "row %zu", i);
        CHECK_CLOSE(mean[i], before / N, 10 * DBL_EPSILON * norm(N * N, was), "mean %zu", i);
    }
    CHECK_CLOSE(K[1] - K[0] + K[N] - K[N + 1], was[1] - was[0] + was[N] - was[N + 1],
                100 * DBL_EPSILON * norm(N * N, was), "differences of differences stay");
}

TEST(row_sums)
{
    const double A[] = {1.0, -2.0, 3.0, /**/ -4.0, 0.0, 0.5, /**/ 2.0, 2.0, -3.0};
    CHECK(values_row_sum(3, A) == 7.0, "%g", values_row_sum(3, A));
    CHECK(values_row_sum(2, A) == 7.0, "%g", values_row_sum(2, A));
    CHECK(values_row_sum(1, A) == 1.0, "%g", values_row_sum(1, A));
}

/* The rows span what they spanned, in the same order; one that depends on the others becomes zero.
 */
TEST(orthonormal_rows)
{
    enum { COUNT = 5, SIZE = 9, SAME = 3 };
    double Z[COUNT * SIZE], was[COUNT * SIZE];
    rng r = seeded(3);
    for (size_t e = 0; e < COUNT * SIZE; e++)
        Z[e] = rng_normal(&r);
    for (size_t i = 0; i < SIZE; i++) { /* nearly the first row, and a row of the first three */
        Z[SIZE + i] = Z[i] + 1e-6 * Z[SIZE + i];
        Z[SAME * SIZE + i] = Z[i] - 2.0 * Z[2 * SIZE + i];
    }
    memcpy(was, Z, sizeof Z);
    values_orthonormal(COUNT, SIZE, Z);
    for (size_t a = 0; a < COUNT; a++)
        for (size_t b = 0; b < COUNT; b++) {
            double product = 0.0;
            for (size_t i = 0; i < SIZE; i++)
                product += Z[a * SIZE + i] * Z[b * SIZE + i];
            CHECK_CLOSE(product, a == b && a != SAME ? 1.0 : 0.0, 100 * SIZE * DBL_EPSILON,
                        "rows %zu and %zu", a, b);
        }
    for (size_t a = 0; a < COUNT; a++) {
        double left[SIZE], size = norm(SIZE, was + a * SIZE);
        memcpy(left, was + a * SIZE, sizeof left);
        for (size_t b = 0; b <= a; b++) {
            double part = 0.0;
            for (size_t i = 0; i < SIZE; i++)
                part += was[a * SIZE + i] * Z[b * SIZE + i];
            for (size_t i = 0; i < SIZE; i++)
                left[i] -= part * Z[b * SIZE + i];
            CHECK(b < a || a == SAME || part > 0.0, "row %zu is turned round", a);
        }
        CHECK(norm(SIZE, left) < 1e-12 * size, "row %zu: %g is left", a, norm(SIZE, left));
    }
}
