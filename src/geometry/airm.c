/* airm.c - the affine-invariant Riemannian metric.
 *
 *   d2(X,Y) = sum_k ln^2 lambda_k,  Y v = lambda X v                  (math.md, eq. 1)
 *
 * Prepared as factored.h says. A distance costs the reduction L^-1 Y L^-T and its
 * eigenvalues.
 *
 * Rounding moves each of these by eps times the largest, so that the smallest are lost where they
 * spread over many orders of magnitude, as they do between two matrices of condition 1e8. They are
 * the reciprocals of the largest mu in X v = mu Y v, which the same computation with X and Y
 * exchanged gives with all digits: the upper half comes from the one and the lower half from the
 * other, and the worst error, in the middle, is eps times the root of the spread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/factored.h"

/* sum (8) <- of squared logarithms of lambda (n x 8), which are overwritten. An eigenvalue that
 * rounding made zero or negative gives NaN. */
static void sum_log2(const kernels *k, size_t n, double *lambda, double *sum)
{
    memset(sum, 0, LANES * sizeof *sum);
    for (size_t e = 0; e < n * LANES; e++)
        if (!(lambda[e] > 0x1p-1022))
            sum[e % LANES] = NAN;
    k->log(n, lambda, lambda);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < LANES; l++)
            sum[l] += lambda[i * LANES + l] * lambda[i * LANES + l];
}

/* Smallest over largest eigenvalue below which small ones are taken from the exchanged problem:
 * their logarithms are good to 1e-7 there. */
#define WIDE_SPREAD 0x1p-30

/* Mask of the lanes whose eigenvalues lambda (n x 8) spread wide, or are not all positive. Those
 * that did not converge are not among them. */
static unsigned wide_lanes(size_t n, const double *lambda)
{
    unsigned mask = 0;
    for (size_t l = 0; l < LANES; l++) {
        double low = lambda[l], high = low;
        for (size_t i = 1; i < n; i++) {
            double x = lambda[i * LANES + l];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        mask |= (unsigned)(low < WIDE_SPREAD * high) << l;
    }
    return mask;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* sorted (n) <- a lane of lambda (n x 8), largest first. */
static void sort_lane(size_t n, const double *lambda, double *sorted)
{
    for (size_t i = 0; i < n; i++)
        sorted[i] = lambda[i * LANES];
    qsort(sorted, n, sizeof *sorted, descending);
}

/* d2 of one lane from lambda and the mu of the exchanged problem; NaN where rounding has left no
 * upper half. sorted: 2 n doubles. */
static double join_halves(size_t n, const double *lambda, const double *mu, double *sorted)
{
    double *x = sorted, *y = x + n, sum = 0.0;
    sort_lane(n, lambda, x);
    sort_lane(n, mu, y);
    double middle = sqrt(x[0]) / sqrt(y[0]);
    size_t upper = 0;
    while (upper < n && x[upper] > middle)
        upper++;
    for (size_t i = 0; i < n; i++) {
        double value = i < upper ? x[i] : y[i - upper];
        double log_value = value > 0x1p-1022 ? log(value) : NAN;
        sum += log_value * log_value;
    }
    return sum;
}

/* The lanes in mask of one octet once more, with the problem exchanged: C is overwritten with X in
 * all lanes, K holds the factors of the octet's matrices. mu: n x 8. */
static void exchange(const kernels *k, size_t n, const double *f, const double *K,
                     const double *lambda, unsigned mask, double *mu, double *C, double *full,
                     double *scratch, double *d2)
{
    unsigned bad;
    k->spread(TRI(n), f, C);
    k->reduce(n, K, C, C, full);
    k->eigvals(n, 1, C, mu, &bad, scratch);
    for (size_t l = 0; l < LANES; l++)
        if (mask >> l & 1u)
            d2[l] = bad >> l & 1u ? NAN : join_halves(n, lambda + l, mu + l, full);
}

static void airm_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                       double *d2, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *mu = work, *C = work + entries, *full = C + METRIC_OCTETS * entries;
    double *lambda = factored_spectrum(k, k->reduce, n, octets, f, G, work);
    double *scratch = lambda + METRIC_OCTETS * n * LANES;
    for (size_t g = 0; g < octets; g++, lambda += n * LANES, d2 += LANES) {
        const double *K = G + g * factored_size(n) * LANES + entries + LANES;
        unsigned mask = wide_lanes(n, lambda);
        if (mask)
            exchange(k, n, f, K, lambda, mask, mu, C, full, scratch, d2);
        double sum[LANES];
        sum_log2(k, n, lambda, sum);
        for (size_t l = 0; l < LANES; l++)
            if (!(mask >> l & 1u))
                d2[l] = sum[l];
    }
}

const metric metric_airm = {
    .size = factored_size,
    .work = factored_work,
    .prepare = factored_prepare,
    .dist2 = airm_dist2,
};
