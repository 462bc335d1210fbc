/* test_classify_common.h - what the tests of several classifiers share: sets, runs, slow twins. */
#ifndef SPD_TEST_CLASSIFY_COMMON_H
#define SPD_TEST_CLASSIFY_COMMON_H

#include "classify_steps.h"
#include "linalg/dense.h"

HELPER spd_samples samples_of(size_t n, size_t p, const double *X, size_t classes, const int *label)
{
    return (spd_samples){
        .size = sizeof(spd_samples), .p = p, .n = n, .X = X, .classes = classes, .label = label};
}

/* 8 x 8 matrices by their lower triangles, of three classes in turn. */
HELPER spd_samples golden_samples(size_t p, const double *low)
{
    double *X = block(p * 64);
    int *label = take(p * sizeof *label);
    for (size_t i = 0; i < p; i++) {
        dense_unpack(8, low + i * 36, X + i * 64);
        label[i] = (int)(i % 3);
    }
    return samples_of(8, p, X, 3, label);
}

/* label (queries) <- what a method that must succeed says. */
HELPER void steps_good(const classifier *c, const spd_method *method, const labelled_set *train,
                       const labelled_set *queries, int *label)
{
    spd_context *ctx = context_on(0);
    CHECK_OK(ctx, steps_run(ctx, c, method, &train->samples, &queries->samples, label));
}

/* The classifier after it has been bytes. */
HELPER spd_classifier *read_back(const spd_classifier *c)
{
    spd_classifier *same = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(NULL, spd_classifier_pack(NULL, c, &bytes, &size));
    CHECK_OK(NULL, spd_classifier_unpack(NULL, bytes, size, &same));
    spd_bytes_free(bytes);
    return OWNED(spd_classifier, same);
}

/* K (rows x columns) <- exp(-beta d2) between two sets, Stein's kernel. */
HELPER void twin_stein(double beta, size_t n, size_t rows, const double *X, size_t columns,
                       const double *Y, double *K)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            K[i * columns + j] =
                exp(-beta * twin_dist2(SPD_METRIC_STEIN, n, X + i * n * n, Y + j * n * n));
}

/* The median of Stein's d2 between different samples, by counting. */
HELPER double twin_median(size_t n, size_t p, const double *X)
{
    size_t count = p * (p - 1) / 2, at = 0;
    double *d2 = block(count), low = NAN, high = NAN;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++)
            d2[at++] = twin_dist2(SPD_METRIC_STEIN, n, X + i * n * n, X + j * n * n);
    for (size_t i = 0; i < count; i++) {
        size_t below = 0;
        for (size_t j = 0; j < count; j++)
            below += d2[j] < d2[i];
        if (below == (count - 1) / 2)
            low = d2[i];
        if (below == count / 2)
            high = d2[i];
    }
    return 0.5 * (low + high);
}

HELPER double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

/* M (n x n) <- the AIRM mean by Karcher's fixed point, root <- M^-1/2. */
HELPER void twin_center(size_t n, size_t p, const double *X, const double *weight, double *M,
                        double *root)
{
    SCOPE;
    size_t n2 = n * n;
    double *up = block(n2), *step = block(n2), *Z = block(n2), *L = block(n2), sum = 0.0;
    memset(M, 0, n2 * sizeof *M);
    for (size_t i = 0; i < p; i++) {
        sum += weight[i];
        for (size_t e = 0; e < n2; e++)
            M[e] += weight[i] * X[i * n2 + e];
    }
    for (size_t e = 0; e < n2; e++)
        M[e] /= sum;
    for (int round = 0; round < 100; round++) {
        twin_function(n, inverse_root, M, root);
        twin_function(n, sqrt, M, up);
        memset(step, 0, n2 * sizeof *step);
        for (size_t i = 0; i < p; i++) {
            congruent(n, n, root, X + i * n2, Z);
            twin_function(n, log, Z, L);
            for (size_t e = 0; e < n2; e++)
                step[e] += 0.5 * weight[i] / sum * L[e]; /* whole steps may diverge */
        }
        twin_function(n, exp, step, Z);
        congruent(n, n, up, Z, M);
    }
    twin_function(n, inverse_root, M, root);
}

#endif
