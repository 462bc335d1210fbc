/* test_definite.c - which matrices count as positive definite: singular ones are refused, named, by
 * every function that needs them definite, whatever the sign of their rounding errors; those whose
 * condition is bad, but not as bad, are taken, in any units. */
#include "test.h"

#include <float.h>

#include "random_spd.h"

enum { BAD = 3, P = 11 };

static const spd_metric metrics[] = {SPD_METRIC_AIRM,
                                     SPD_METRIC_STEIN,
                                     SPD_METRIC_LOG_EUCLIDEAN,
                                     SPD_METRIC_JEFFREY,
                                     SPD_METRIC_BURES_WASSERSTEIN,
                                     SPD_METRIC_LOG_CHOLESKY};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* What calls of functions on a set are to say: SPD_ENOTSPD, of that sample, or SPD_OK. */
typedef struct verdicts {
    spd_context *ctx;
    size_t n;
    spd_status wanted;
    const char *what;
} verdicts;

static void expect(const verdicts *v, spd_status status, const char *call, int number)
{
    const spd_error *error = spd_context_error(v->ctx);
    CHECK(status == v->wanted || (v->wanted == SPD_OK && status == SPD_NOT_CONVERGED),
          "%s, n %zu: %s %d says %d %s", v->what, v->n, call, number, status, error->message);
    if (v->wanted == SPD_ENOTSPD && status == v->wanted)
        CHECK(error->index == 0 || error->index == BAD, "%s, n %zu: %s %d names %zu", v->what, v->n,
              call, number, error->index);
}

/* Number BAD of X alone, and with others. */
static void measure(const verdicts *v, const double *X, const double *one)
{
    size_t n = v->n, each = n * n;
    double *M = block(each), d2, *D2 = block(P * P);
    int64_t index[P * 2];
    double near2[P * 2];
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    o.max_iter = 2;
    for (int m = 0; m < METRICS; m++) {
        const double *bad = X + BAD * each;
        expect(v, spd_distance2(v->ctx, metrics[m], n, bad, one, &d2), "distance", m);
        expect(v, spd_distance2(v->ctx, metrics[m], n, one, bad, &d2), "distance to it", m);
        expect(v, spd_pairwise2(v->ctx, metrics[m], SPD_SET(n, P, X), NULL, D2), "pairwise", m);
        expect(v, spd_pairwise2(v->ctx, metrics[m], SPD_SET(n, 1, one), SPD_SET(n, 1, bad), D2),
               "pairwise to it", m);
        expect(v, spd_mean(v->ctx, metrics[m], SPD_SET(n, 1, bad), &o, M, NULL), "mean of it", m);
        if (v->wanted < 0 ||
            metrics[m] != SPD_METRIC_LOG_CHOLESKY) /* whose mean may lose the digits */
            expect(v, spd_mean(v->ctx, metrics[m], SPD_SET(n, P, X), &o, M, NULL), "mean", m);
        if (v->wanted < 0 || metrics[m] != SPD_METRIC_LOG_CHOLESKY) /* likewise */
            expect(v, spd_geodesic(v->ctx, metrics[m], n, one, bad, 0.5, M), "geodesic", m);
        if (m < 2)
            expect(v,
                   spd_nearest(v->ctx, metrics[m], SPD_SET(n, P, X), NULL, 2, NULL, index, near2,
                               NULL),
                   "nearest", m);
    }
    expect(v, spd_kernel(v->ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, SPD_SET(n, P, X), NULL, D2),
           "kernel", 0);
}

static void transform(const verdicts *v, const double *X)
{
    static const spd_function functions[] = {SPD_FUNCTION_LOG, SPD_FUNCTION_SQRT,
                                             SPD_FUNCTION_INVSQRT, SPD_FUNCTION_POWER};
    size_t n = v->n, each = n * n;
    double *F = block(P * each), *lambda = block(P * n);
    const double *bad = X + BAD * each;
    for (int f = 0; f < 4; f++) {
        expect(v, spd_apply(v->ctx, functions[f], 0.3, SPD_SET(n, P, X), F), "function", f);
        expect(v, spd_apply(v->ctx, functions[f], 0.3, SPD_SET(n, 1, bad), F), "function of it", f);
    }
    expect(v, spd_check(v->ctx, SPD_SET(n, P, X), 0.0), "check", 0);
    expect(v, spd_check(v->ctx, SPD_SET(n, 1, bad), 0.0), "check of it", 0);
    expect(v, spd_cholesky(v->ctx, SPD_SET(n, P, X), F), "cholesky", 0);
    expect(v, spd_logdet(v->ctx, SPD_SET(n, P, X), F), "logdet", 0);
    expect(v, spd_inverse(v->ctx, SPD_SET(n, P, X), F), "inverse", 0);
    expect(v, spd_eigh_general(v->ctx, SPD_SET(n, P, X), SPD_SET(n, P, X), lambda, F), "general",
           0);
}

/* Functions that need nothing of the kind. */
static void take_anything(const verdicts *v, const double *X)
{
    size_t n = v->n;
    double *F = block(P * n * n), *D2 = block(P * P), *small = block(P * n * n);
    for (size_t e = 0; e < P * n * n; e++) /* no exponential is too large */
        small[e] = X[e] / 1e7;
    CHECK(spd_pairwise2(v->ctx, SPD_METRIC_EUCLIDEAN, SPD_SET(n, P, X), NULL, D2) == SPD_OK &&
              spd_mean(v->ctx, SPD_METRIC_EUCLIDEAN, SPD_SET(n, P, X), NULL, F, NULL) == SPD_OK &&
              spd_apply(v->ctx, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, P, small), F) == SPD_OK &&
              spd_eigh(v->ctx, SPD_SET(n, P, X), F, NULL) == SPD_OK &&
              spd_congruence(v->ctx, SPD_SET(n, P, X), 1, X, F) == SPD_OK,
          "%s, n %zu: %s", v->what, n, said(v->ctx));
}

/* Of every size at which a way of computing begins or ends. */
static const size_t sizes[] = {2, 3, 5, 8, 11, 12, 17, 33, 66};
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST(singular_ones_are_refused)
{
    static const char *const what[] = {"average reference", "copied channel", "rank 1"};
    rng r = seeded(1);
    for (size_t k = 0; k < SIZES; k++)
        for (int seed = 0; seed < (sizes[k] < 30 ? 12 : 3); seed++) {
            size_t n = sizes[k];
            double *X = random_set(&r, n, P, 10.0), *one = random_set(&r, n, 1, 10.0);
            verdicts v = {spd_context_new(), n, SPD_ENOTSPD, what[seed % 3]};
            spd_context_set_threads(v.ctx, 1 + seed % 3);
            random_singular(&r, n, seed % 3, X + BAD * n * n);
            measure(&v, X, one);
            transform(&v, X);
            take_anything(&v, X);
            spd_context_free(v.ctx);
        }
}

/* Rows in units between 1e-3 and 1e3. */
static void change_units(rng *r, size_t n, double *X, int binary)
{
    for (size_t i = 0; i < n; i++) {
        double unit = binary ? ldexp(1.0, (int)(80.0 * rng_uniform(r)) - 40)
                             : pow(10.0, 6.0 * rng_uniform(r) - 3.0);
        for (size_t j = 0; j < n; j++) {
            X[i * n + j] *= unit;
            X[j * n + i] *= unit;
        }
    }
}

/* The largest condition at which a function must still work; units on top of a bad one are for
 * those that go by Cholesky factors. */
TEST(ill_conditioned_ones_are_taken)
{
    rng r = seeded(2);
    for (size_t k = 1; k < SIZES; k++)
        for (int seed = 0; seed < 4; seed++) {
            size_t n = sizes[k], each = n * n;
            double *X = random_set(&r, n, P, 10.0), *one = random_set(&r, n, 1, 10.0);
            double d2, *L = block(P * each);
            verdicts v = {spd_context_new(), n, SPD_OK, "condition 1e12"};
            random_spd(&r, n, 1e12, X + BAD * each);
            measure(&v, X, one);
            transform(&v, X);
            random_spd(&r, n, 1e13, X + BAD * each);
            change_units(&r, n, X + BAD * each, 0);
            spd_symmetrize(n, P, X);
            v.what = "condition 1e13, units";
            expect(&v, spd_check(v.ctx, SPD_SET(n, P, X), 0.0), "check", 0);
            expect(&v, spd_cholesky(v.ctx, SPD_SET(n, P, X), L), "cholesky", 0);
            expect(&v, spd_distance2(v.ctx, SPD_METRIC_STEIN, n, X + BAD * each, one, &d2), "Stein",
                   0);
            expect(&v,
                   spd_pairwise2(v.ctx, SPD_METRIC_STEIN, SPD_SET(n, 1, one), SPD_SET(n, P, X), L),
                   "Stein", 1);
            spd_context_free(v.ctx);
        }
}

/* The smallest eigenvalue of D^-1/2 X D^-1/2. */
static double twin_smallest(size_t n, const double *X)
{
    double *C = copy_of(n * n, X), *lambda = block(n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            C[i * n + j] = X[i * n + j] / sqrt(X[i * n + i]) / sqrt(X[j * n + j]);
    twin_eigh(n, C, lambda, NULL);
    return lambda[0];
}

/* By the definition, wherever rounding leaves no doubt; the same in other units, and for each way
 * of computing. */
TEST(the_rule_is_that_of_the_twin)
{
    rng r = seeded(3);
    int taken = 0, refused = 0;
    for (int seed = 0; seed < 400; seed++) {
        size_t n = 2 + (size_t)(seed % 19);
        double *X = block(n * n), *Y = block(n * n), *F = block(n * n), d2;
        spd_context *ctx = context_on(0);
        random_spd(&r, n, pow(10.0, 12.0 + 5.0 * rng_uniform(&r)), X);
        double margin = DBL_EPSILON * (double)(n + 16), smallest = twin_smallest(n, X);
        int good = smallest > margin, clear = fabs(smallest - margin) > 0.5 * margin;
        memcpy(Y, X, n * n * sizeof *Y);
        change_units(&r, n, Y, 1);
        spd_status status = spd_check(ctx, SPD_SET(n, 1, X), 0.0);
        CHECK(spd_check(ctx, SPD_SET(n, 1, Y), 0.0) == status, "n %zu: in other units", n);
        if (clear) {
            CHECK((status == SPD_OK) == good, "n %zu: %d at %g of the margin", n, status,
                  smallest / margin);
            CHECK((spd_distance2(ctx, SPD_METRIC_STEIN, n, Y, Y, &d2) == SPD_OK) == good, "n %zu",
                  n);
            CHECK((spd_pairwise2(ctx, SPD_METRIC_LOG_CHOLESKY, SPD_SET(n, 1, Y), SPD_SET(n, 1, Y),
                                 &d2) == SPD_OK) == good,
                  "n %zu", n);
            CHECK((spd_inverse(ctx, SPD_SET(n, 1, Y), F) == SPD_OK) == good, "n %zu", n);
            taken += good;
            refused += !good;
        }
    }
    CHECK(taken > 50 && refused > 50, "%d taken, %d refused", taken, refused);
}

/* Z (n x n, complex) of signals whose sum is zero, as its real form. */
static void complex_singular(rng *r, size_t n, double *X)
{
    size_t times = 2 * n + 3;
    double *A = block(2 * n * times), *Z = block(2 * n * n);
    for (size_t e = 0; e < 2 * n * times; e++)
        A[e] = rng_normal(r);
    for (size_t t = 0; t < 2 * times; t++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += A[i * 2 * times + t] / (double)n;
        for (size_t i = 0; i < n; i++)
            A[i * 2 * times + t] -= sum;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double re = 0.0, im = 0.0;
            const double *a = A + i * 2 * times, *b = A + j * 2 * times;
            for (size_t t = 0; t < 2 * times; t += 2) {
                re += a[t] * b[t] + a[t + 1] * b[t + 1];
                im += a[t + 1] * b[t] - a[t] * b[t + 1];
            }
            Z[2 * (i * n + j)] = Z[2 * (j * n + i)] = re;
            Z[2 * (i * n + j) + 1] = i == j ? 0.0 : im;
            Z[2 * (j * n + i) + 1] = i == j ? 0.0 : -im;
        }
    spd_complex_embed(n, n, 1, Z, X);
}

TEST(complex_ones_too)
{
    rng r = seeded(4);
    for (int seed = 0; seed < 20; seed++) {
        size_t half = 2 + (size_t)(seed % 7), n = 2 * half;
        double *X = random_set(&r, n, P, 10.0), *one = random_set(&r, n, 1, 10.0);
        verdicts v = {spd_context_new(), n, SPD_ENOTSPD, "complex"};
        complex_singular(&r, half, X + BAD * n * n);
        measure(&v, X, one);
        transform(&v, X);
        spd_context_free(v.ctx);
    }
}

/* A fit looks at what it is given, not at what it makes of it. */
TEST(fits_refuse_singular_ones)
{
    enum { N = 6, SAMPLES = 16 };
    rng r = seeded(5);
    int label[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        label[i] = i % 2;
    for (int seed = 0; seed < 12; seed++) {
        double *X = random_set(&r, N, SAMPLES, 10.0);
        spd_context *ctx = context_on(0);
        spd_fit_options o = SPD_STRUCT(spd_fit_options);
        OWN(spd_model) model = NULL;
        o.m = 2;
        o.max_iter = 3;
        o.metric = metrics[seed % 3];
        random_singular(&r, N, seed % 3, X + BAD * N * N);
        CHECK(spd_fit(ctx, SPD_SET(N, SAMPLES, X), label, &o, NULL, &model) == SPD_ENOTSPD &&
                  spd_context_error(ctx)->index == BAD,
              "%s", said(ctx));
        CHECK_SAYS(ctx, "zero up to rounding");
    }
}
