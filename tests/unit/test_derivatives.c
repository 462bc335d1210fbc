/* test_derivatives.c - derivatives of functions of matrices, of distances and of W'XW: against the
 * slope of their Taylor remainders and slow twins; divided differences to the last digits; any
 * number of threads; refusals. */
#include "random_spd.h"
#include "test.h"

#include <float.h>

#include "linalg/kernels.h"

static double *normal_block(rng *r, size_t count)
{
    double *x = block(count);
    for (size_t e = 0; e < count; e++)
        x[e] = rng_normal(r);
    return x;
}

/* (f(a) - f(b))/(a - b) for a = b (1 + x), by functions of x that lose nothing. */
static double divided_twin(divided_rule rule, double s, double b, double x)
{
    long double u = (long double)x, at = (long double)b, grown = log1pl(u);
    switch (rule) {
    case DIVIDED_LOG:
        return (double)(x == 0.0 ? 1.0L / at : grown / (at * u));
    case DIVIDED_EXP:
        return (double)(x == 0.0 ? expl(at) : expl(at) * expm1l(at * u) / (at * u));
    default:
        return (double)(powl(at, (long double)s - 1.0L) *
                        (x == 0.0 ? (long double)s : expm1l((long double)s * grown) / u));
    }
}

static double value_twin(divided_rule rule, double s, double x)
{
    return rule == DIVIDED_LOG ? log(x) : rule == DIVIDED_EXP ? exp(x) : pow(x, s);
}

static void differences_of(const kernels *k, divided_rule rule, double s, double b)
{
    double *lambda = take_aligned(2 * LANES, sizeof *lambda);
    double *f = take_aligned(2 * LANES, sizeof *f), *A = take_aligned(3 * LANES, sizeof *A);
    for (int first = -52; first < 4; first += LANES) {
        for (int l = 0; l < LANES; l++) {
            double x = first + l == -52 ? 0.0 : ldexp(1.0, first + l);
            lambda[l] = b;
            lambda[LANES + l] = b * (1.0 + x);
            for (int i = 0; i < 2; i++)
                f[i * LANES + l] = value_twin(rule, s, lambda[i * LANES + l]);
            for (int i = 0; i < 3; i++)
                A[i * LANES + l] = -2.0;
        }
        k->divided(2, rule, s, lambda, f, A);
        for (int l = 0; l < LANES; l++) {
            double x = (lambda[LANES + l] - b) / b, known = divided_twin(rule, s, b, x);
            CHECK_CLOSE(A[LANES + l] / -2.0 / known, 1.0, 300.0 * DBL_EPSILON,
                        "%s rule %d, power %g: %g and (1 + %g) times that", k->name, (int)rule, s,
                        b, x);
            CHECK_CLOSE(A[l] / -2.0 / divided_twin(rule, s, b, 0.0), 1.0, 8.0 * DBL_EPSILON,
                        "%s rule %d: twice %g", k->name, (int)rule, b);
        }
    }
}

TEST(divided_differences_have_their_digits)
{
    static const char *const names[] = {"avx512", "avx2", "baseline"};
    static const double powers[] = {0.5, -0.5, 1.0, 2.0, 1.7, -3.0};
    for (size_t i = 0; i < 3; i++) {
        const kernels *k = kernels_named(names[i]);
        for (double b = 0.01; k && b < 1000.0; b *= 9.7) {
            differences_of(k, DIVIDED_LOG, 0.0, b);
            if (b < 30.0)
                differences_of(k, DIVIDED_EXP, 0.0, b);
            for (size_t e = 0; e < sizeof powers / sizeof *powers; e++)
                differences_of(k, DIVIDED_POWER, powers[e], b);
        }
    }
}

static double inverse_root(double x)
{
    return 1.0 / sqrt(x);
}

static double power_of(double x)
{
    return pow(x, 1.7);
}

static double floor_of(double x)
{
    return fmax(x, 1.0);
}

static const struct {
    spd_function f;
    double power;
    double (*twin)(double);
} cases[] = {{SPD_FUNCTION_LOG, 0.0, log},        {SPD_FUNCTION_EXP, 0.0, exp},
             {SPD_FUNCTION_SQRT, 0.0, sqrt},      {SPD_FUNCTION_INVSQRT, 0.0, inverse_root},
             {SPD_FUNCTION_POWER, 1.7, power_of}, {SPD_FUNCTION_FLOOR, 1.0, floor_of}};
#define CASES (sizeof cases / sizeof *cases)

/* |f(X + t H) - F - t D| */
static double remainder_at(size_t n, double (*f)(double), const double *X, const double *F,
                           const double *H, const double *D, double t)
{
    SCOPE;
    double *Y = block(n * n), *E = block(n * n);
    for (size_t e = 0; e < n * n; e++)
        Y[e] = X[e] + t * H[e];
    twin_function(n, f, Y, E);
    for (size_t e = 0; e < n * n; e++)
        E[e] -= F[e] + t * D[e];
    return norm(n * n, E);
}

/* A random set with eigenvalues that are equal, close, and far apart, on both sides of one. */
static double *clustered_set(rng *r, size_t n, size_t p)
{
    double *X = block(p * n * n), *lambda = block(n);
    for (size_t i = 0; i < p; i++) {
        for (size_t e = 0; e < n; e++)
            lambda[e] = e % 4 == 1   ? lambda[e - 1]
                        : e % 4 == 2 ? lambda[e - 1] * (1.0 + 1e-9)
                                     : exp(3.0 * rng_uniform(r) - 1.5);
        random_with_spectrum(r, n, lambda, X + i * n * n);
    }
    return X;
}

TEST(functions_by_their_remainders)
{
    static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 20, 33};
    rng r = seeded(1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < CASES; c++) {
            SCOPE;
            size_t n = sizes[s], p = 19, each = n * n;
            double *X = clustered_set(&r, n, p), *H = normal_block(&r, p * each);
            double *F = block(p * each), *D = block(p * each);
            double *spectrum = block(spd_spectrum_size(n, p));
            CHECK(spd_apply_spectrum(NULL, cases[c].f, cases[c].power, SPD_SET(n, p, X), F,
                                     spectrum) == SPD_OK,
                  "function %zu n %zu", c, n);
            CHECK(spd_apply_derivative(NULL, cases[c].f, cases[c].power, spectrum, SPD_SET(n, p, H),
                                       D) == SPD_OK,
                  "derivative %zu n %zu", c, n);
            spd_symmetrize(n, p, H); /* of directions the symmetric part counts */
            for (size_t i = 0; i < p; i += 6) {
                const double *x = X + i * each, *h = H + i * each, *d = D + i * each;
                double t = 1e-3 / norm(each, h), *f = block(each);
                twin_function(n, cases[c].twin, x, f);
                CHECK(relative_gap(each, F + i * each, f) < 1e-12 ||
                          gap_between(each, F + i * each, f) < 1e-12,
                      "function %zu n %zu", c, n);
                CHECK(skewness(n, d) == 0.0, "derivative %zu n %zu: not symmetric", c, n);
                double far = remainder_at(n, cases[c].twin, x, f, h, d, t);
                double near = remainder_at(n, cases[c].twin, x, f, h, d, t / 10.0);
                CHECK(near < far / 50.0 || near < 1e-12 * norm(each, f),
                      "function %zu n %zu: remainders %g, %g", c, n, far, near);
            }
        }
}

/* <K, Df[H]> = <Df[K], H> */
TEST(derivatives_are_their_own_adjoints)
{
    enum { n = 9, p = 5, count = p * n * n };
    rng r = seeded(2);
    double *X = random_set(&r, n, p, 1e4), *F = block(count), *DH = block(count);
    double *DK = block(count), *spectrum = block(spd_spectrum_size(n, p));
    for (size_t c = 0; c + 1 < CASES; c++) {
        double *H = normal_block(&r, count), *K = normal_block(&r, count), left = 0.0, right = 0.0;
        spd_symmetrize(n, p, H);
        spd_symmetrize(n, p, K);
        spd_apply_spectrum(NULL, cases[c].f, cases[c].power, SPD_SET(n, p, X), F, spectrum);
        spd_apply_derivative(NULL, cases[c].f, cases[c].power, spectrum, SPD_SET(n, p, H), DH);
        spd_apply_derivative(NULL, cases[c].f, cases[c].power, spectrum, SPD_SET(n, p, K), DK);
        for (size_t e = 0; e < count; e++) {
            left += K[e] * DH[e];
            right += DK[e] * H[e];
        }
        CHECK(fabs(left - right) < 1e-12 * norm(count, K) * norm(count, DH), "function %zu", c);
    }
}

TEST(congruence_against_products)
{
    static const size_t shapes[][2] = {{1, 1}, {4, 2}, {9, 9}, {17, 5}, {31, 20}};
    rng r = seeded(3);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        SCOPE;
        size_t n = shapes[s][0], m = shapes[s][1], p = 70;
        double *X = random_set(&r, n, p, 10.0), *W = normal_block(&r, n * m);
        double *G = normal_block(&r, p * m * m), *dX = block(p * n * n), *dW = block(n * m);
        double *WG = block(n * m), *XWG = block(n * m), *known = block(n * m), *E = block(n * n);
        CHECK(spd_congruence_gradient(NULL, SPD_SET(n, p, X), m, W, G, dX, dW) == SPD_OK, " ");
        spd_symmetrize(m, p, G);
        memset(known, 0, n * m * sizeof *known);
        for (size_t i = 0; i < p; i++) {
            times(n, m, m, W, G + i * m * m, WG);
            times(n, n, m, X + i * n * n, WG, XWG);
            for (size_t e = 0; e < n * m; e++)
                known[e] += 2.0 * XWG[e];
            congruent(n, m, W, G + i * m * m, E);
            CHECK(relative_gap(n * n, dX + i * n * n, E) < 1e-13, "n %zu m %zu: dX[%zu]", n, m, i);
        }
        CHECK(relative_gap(n * m, dW, known) < 1e-12, "n %zu m %zu: dW", n, m);
        CHECK(spd_congruence_gradient(NULL, SPD_SET(n, p, X), m, W, G, NULL, known) == SPD_OK &&
                  memcmp(known, dW, n * m * sizeof *dW) == 0,
              "dW alone");
    }
}

enum { PAIRS = 40, SAMPLES = 11 };
static const spd_metric paired[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_JEFFREY,
                                    SPD_METRIC_EUCLIDEAN};

static void some_pairs(uint32_t *pairs, double *weight)
{
    for (uint32_t k = 0; k < PAIRS; k++) {
        pairs[2 * k] = k % SAMPLES;
        pairs[2 * k + 1] = (3 * k + 1 + k / SAMPLES) % SAMPLES;
        weight[k] = 0.3 * (double)k - 4.0;
    }
}

/* sum of weight d2 */
static double weighted(spd_metric metric, size_t n, const double *X, const uint32_t *pairs,
                       const double *weight)
{
    double sum = 0.0;
    for (size_t k = 0; k < PAIRS; k++)
        sum += weight[k] * (pairs[2 * k] == pairs[2 * k + 1]
                                ? 0.0
                                : twin_dist2(metric, n, X + pairs[2 * k] * n * n,
                                             X + pairs[2 * k + 1] * n * n));
    return sum;
}

static double pairs_remainder(spd_metric metric, size_t n, const double *X, const double *H,
                              const uint32_t *pairs, const double *weight, double f, double slope,
                              double t)
{
    double *Y = copy_of(SAMPLES * n * n, X);
    for (size_t e = 0; e < SAMPLES * n * n; e++)
        Y[e] += t * H[e];
    return fabs(weighted(metric, n, Y, pairs, weight) - f - t * slope);
}

TEST(pairs_by_their_remainders)
{
    uint32_t pairs[2 * PAIRS];
    double weight[PAIRS], d2[PAIRS];
    rng r = seeded(4);
    some_pairs(pairs, weight);
    for (size_t n = 1; n <= 9; n += 4)
        for (size_t c = 0; c < sizeof paired / sizeof *paired; c++) {
            SCOPE;
            double *X = random_set(&r, n, SAMPLES, 10.0), *G = block(SAMPLES * n * n);
            double *H = normal_block(&r, SAMPLES * n * n), slope = 0.0;
            spd_symmetrize(n, SAMPLES, H);
            CHECK_OK(NULL, spd_pairs_gradient(NULL, paired[c], SPD_SET(n, SAMPLES, X), PAIRS, pairs,
                                              weight, d2, G));
            for (size_t k = 0; k < PAIRS; k++)
                if (pairs[2 * k] != pairs[2 * k + 1]) {
                    double known = twin_dist2(paired[c], n, X + pairs[2 * k] * n * n,
                                              X + pairs[2 * k + 1] * n * n);
                    CHECK_CLOSE(d2[k], known, 1e-12 * (1.0 + known), "metric %zu n %zu", c, n);
                }
            for (size_t e = 0; e < SAMPLES * n * n; e++)
                slope += G[e] * H[e];
            double f = weighted(paired[c], n, X, pairs, weight),
                   t = 1e-2 / norm(SAMPLES * n * n, H);
            double far = pairs_remainder(paired[c], n, X, H, pairs, weight, f, slope, t);
            double near = pairs_remainder(paired[c], n, X, H, pairs, weight, f, slope, t / 10.0);
            CHECK(near < far / 50.0, "metric %zu n %zu: remainders %g, %g", c, n, far, near);
        }
}

/* All results of this file's functions, one after the other. */
static void everything(spd_context *ctx, size_t n, size_t p, const double *X, double *out)
{
    size_t each = p * n * n;
    uint32_t *pairs = take(4 * p * sizeof *pairs);
    double *spectrum = block(spd_spectrum_size(n, p)), *weight = block(2 * p);
    for (uint32_t k = 0; k < 2 * p; k++) {
        pairs[2 * k] = k % (uint32_t)p;
        pairs[2 * k + 1] = (k + 1 + k / (uint32_t)p) % (uint32_t)p;
        weight[k] = 1.0 + k;
    }
    CHECK_OK(ctx, spd_apply_spectrum(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, p, X), out, spectrum));
    CHECK_OK(ctx, spd_apply_derivative(ctx, SPD_FUNCTION_LOG, 0.0, spectrum, SPD_SET(n, p, X),
                                       out + each));
    CHECK_OK(ctx, spd_pairs_gradient(ctx, SPD_METRIC_STEIN, SPD_SET(n, p, X), 2 * p, pairs, weight,
                                     out + 2 * each, out + 3 * each));
    CHECK_OK(ctx, spd_congruence_gradient(ctx, SPD_SET(n, p, X), n, X, X, out + 4 * each,
                                          out + 5 * each));
}

TEST(any_number_of_threads)
{
    enum { n = 6, p = 333 };
    rng r = seeded(5);
    size_t count = (5 * p + 1) * n * n;
    double *X = random_set(&r, n, p, 100.0), *one = block(count), *more = block(count);
    memset(one, 0, count * sizeof *one);
    memset(more, 0, count * sizeof *more);
    everything(context_on(1), n, p, X, one);
    everything(context_on(3), n, p, X, more);
    CHECK(memcmp(one, more, count * sizeof *one) == 0, "another number of threads, other bits");
}

TEST(refusals)
{
    enum { n = 3, p = 4 };
    rng r = seeded(6);
    spd_context *ctx = context_on(1);
    double *X = random_set(&r, n, p, 10.0), F[p * n * n], d2[1],
           *s = block(spd_spectrum_size(n, p));
    const spd_set *set = SPD_SET(n, p, X);
    const uint32_t pairs[2] = {0, 4};
    CHECK_FAILED(ctx, spd_apply_spectrum(ctx, (spd_function)9, 0.0, set, F, s), SPD_EINVAL,
                 "unknown matrix function");
    CHECK_FAILED(ctx, spd_apply_spectrum(ctx, SPD_FUNCTION_FLOOR, NAN, set, F, s), SPD_EINVAL,
                 "the floor is nan");
    CHECK_FAILED(ctx, spd_apply_spectrum(ctx, SPD_FUNCTION_LOG, 0.0, set, F, NULL), SPD_EINVAL,
                 "spectrum is missing");
    CHECK_FAILED(ctx, spd_apply_derivative(ctx, SPD_FUNCTION_LOG, 0.0, NULL, set, F), SPD_EINVAL,
                 "spectrum is missing");
    CHECK_FAILED(ctx, spd_pairs_gradient(ctx, SPD_METRIC_AIRM, set, 1, pairs, NULL, d2, NULL),
                 SPD_EINVAL, "matrix number 4; there are 4");
    CHECK_FAILED(ctx,
                 spd_pairs_gradient(ctx, SPD_METRIC_LOG_EUCLIDEAN, set, 1, pairs, NULL, d2, NULL),
                 SPD_EINVAL, "no derivative");
    CHECK_FAILED(ctx, spd_pairs_gradient(ctx, SPD_METRIC_AIRM, set, 1, pairs, NULL, NULL, F),
                 SPD_EINVAL, "weights are missing");
    CHECK_FAILED(ctx, spd_congruence_gradient(ctx, set, n + 1, X, X, F, NULL), SPD_EINVAL,
                 "between 1 and 3 columns, not 4");
    X[n * n] = -1.0;
    CHECK_FAILED(ctx, spd_apply_spectrum(ctx, SPD_FUNCTION_LOG, 0.0, set, F, s), SPD_ENOTSPD,
                 "X[1]");
    const uint32_t first[2] = {0, 1};
    CHECK_FAILED(ctx, spd_pairs_gradient(ctx, SPD_METRIC_STEIN, set, 1, first, NULL, d2, NULL),
                 SPD_ENOTSPD, "X[1]");
    X[0] = NAN;
    CHECK_FAILED(ctx, spd_apply_spectrum(ctx, SPD_FUNCTION_FLOOR, 0.5, set, F, s), SPD_ENOTFINITE,
                 "X[0]");
}

/* What is given for results stays as it was. */
TEST(failures_leave_results_alone)
{
    enum { n = 3, p = 4 };
    rng r = seeded(7);
    spd_context *ctx = context_on(1);
    size_t size = spd_spectrum_size(n, p), spoilt = 0;
    double *X = random_set(&r, n, p, 10.0), *s = block(size), F[p * n * n], d2[2] = {-1.0, -1.0};
    const uint32_t pairs[4] = {0, 1, 0, 2};
    const double weight[2] = {1.0, 1.0};
    for (size_t e = 0; e < size; e++)
        s[e] = -1.0;
    for (size_t e = 0; e < p * n * n; e++)
        F[e] = -1.0;
    for (size_t e = 0; e < n * n; e++)
        X[2 * n * n + e] *= 1e200;
    CHECK(spd_pairs_gradient(ctx, SPD_METRIC_EUCLIDEAN, SPD_SET(n, p, X), 2, pairs, weight, d2, F) <
              0,
          "a distance that is no number");
    X[3 * n * n] = -1.0;
    CHECK_FAILED(ctx, spd_apply_spectrum(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, p, X), F, s),
                 SPD_ENOTSPD, "X[3]");
    CHECK(d2[0] == -1.0 && d2[1] == -1.0, "distances %g, %g", d2[0], d2[1]);
    for (size_t e = 0; e < size; e++)
        spoilt += s[e] != -1.0;
    for (size_t e = 0; e < p * n * n; e++)
        spoilt += F[e] != -1.0;
    CHECK(spoilt == 0, "%zu numbers", spoilt);
    CHECK_FAILED(
        ctx,
        spd_pairs_gradient(ctx, SPD_METRIC_EUCLIDEAN, SPD_SET(n, p, X), 0, pairs, weight, d2, NULL),
        SPD_EINVAL, "pairs are missing");
}
