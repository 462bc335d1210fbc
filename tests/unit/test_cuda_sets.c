/* test_cuda_sets.c - distances, neighbours, eigenvalues, functions, congruences and means of sets
 * on the GPU against the processor's: every size at which a kernel or a layout changes, condition,
 * matrices that fail. Skipped, with a word, where there is no device. With arguments only these
 * sizes: n for functions, nd for distances (ndb: few of them), nm for means (nmb: by inverses), nw
 * for congruences; short: what an emulation takes little time for. */
#include "test.h"

#include <float.h>

#include "engine/cuda.h"
#include "engine/cuda_sets.h"
#include "random_spd.h"

static int emulated; /* all memory is the device's */

/* ---- distances ------------------------------------------------------------------------------ */

static spd_context *context_on(spd_engine engine)
{
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, 1);
    spd_context_set_engine(ctx, engine);
    return ctx;
}

enum { METRICS = 4 };
static const spd_metric metrics[METRICS] = {SPD_STEIN, SPD_AIRM, SPD_LOG_EUCLIDEAN, SPD_EUCLIDEAN};

/* Distances, or the log-Euclidean kernel. */
static spd_status measure(spd_context *ctx, int distances, spd_metric metric, size_t n, size_t p,
                          const double *X, size_t q, const double *Y, double *out)
{
    return distances ? spd_pairwise2(ctx, metric, n, p, X, q, Y, out)
                     : spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, n, p, X, q, Y, out);
}

/* As many matrices as make pairs enough for the device to be asked. */
static size_t enough_pairs(size_t n)
{
    return n <= 32 ? 70 : n <= 64 ? 36 : n <= 128 ? 19 : 11;
}

/* All of D2 within n x n matrices and between two sets, to rounding; symmetric to the bit. Brief:
 * only Stein and AIRM within. */
static void distances_of(size_t n, double tolerance, int brief)
{
    const size_t P = enough_pairs(n) - (brief ? 2 : 0), Q = P - P / 6;
    const int kinds = brief ? 4 : 2 * METRICS + 2, step = brief ? 2 : 1;
    rng r;
    rng_seed(&r, n);
    double *X = random_set(&r, n, P, 100.0), *Y = random_set(&r, n, Q, 100.0);
    double *A = block(P * P), *B = block(P * P);
    spd_context *cpu = context_on(SPD_ENGINE_CPU), *gpu = context_on(SPD_ENGINE_CUDA);
    size_t before = cuda_sets_answered();
    for (int k = 0; k < kinds; k += step) {
        spd_metric metric = metrics[k / 2 % METRICS];
        size_t q = k % 2 ? Q : P;
        const double *other = k % 2 ? Y : NULL;
        spd_status status = measure(cpu, k / 2 < METRICS, metric, n, P, X, Q, other, A);
        CHECK(status == SPD_OK, "%s", spd_context_error(cpu)->message);
        status = measure(gpu, k / 2 < METRICS, metric, n, P, X, Q, other, B);
        CHECK(status == SPD_OK, "%s", spd_context_error(gpu)->message);
        for (size_t e = 0; e < P * q; e++)
            if (!CHECK_CLOSE(B[e], A[e], tolerance * fmax(fabs(A[e]), (double)n),
                             "n %zu kind %d: %zu", n, k, e))
                break;
        for (size_t i = 0; i < P && !other; i++)
            for (size_t j = 0; j < i; j++)
                CHECK(B[i * P + j] == B[j * P + i], "n %zu: (%zu, %zu)", n, i, j);
    }
    CHECK(cuda_sets_answered() == before + (size_t)(kinds / step), "n %zu: not all on the GPU", n);
    spd_context_free(cpu);
    spd_context_free(gpu);
    free(X);
    free(Y);
    free(A);
    free(B);
}

static void neighbours_of(size_t n)
{
    enum { MOST = 90, K = 7 };
    static int64_t a[MOST * K], b[MOST * K];
    static double da[MOST * K], db[MOST * K];
    const size_t P = n > 32 ? enough_pairs(n) : MOST, Q = P - P / 5;
    const double tolerance = 1e-12 * (double)(n > 10 ? n : 10);
    rng r;
    rng_seed(&r, n + 1);
    double *X = random_set(&r, n, P, 100.0), *Y = random_set(&r, n, Q, 100.0);
    memcpy(X + P / 2 * n * n, X + 3 * n * n, n * n * sizeof *X); /* a tie */
    spd_context *cpu = context_on(SPD_ENGINE_CPU), *gpu = context_on(SPD_ENGINE_CUDA);
    for (int k = 0; k < 2 * METRICS; k++) {
        spd_metric metric = metrics[k / 2];
        spd_neighbours one = {.size = sizeof one, .k = K, .index = a, .d2 = da};
        spd_neighbours two = {.size = sizeof two, .k = K, .index = b, .d2 = db};
        const double *other = k % 2 ? Y : NULL;
        size_t rows = other ? Q : P;
        spd_nearest(cpu, metric, n, P, X, Q, other, &one);
        CHECK(spd_nearest(gpu, metric, n, P, X, Q, other, &two) == SPD_OK, "%s",
              spd_context_error(gpu)->message);
        CHECK(two.exact == two.pairs && two.recall == 1.0, "all pairs");
        for (size_t e = 0; e < rows * K; e++) {
            double near = tolerance * fmax(da[e], 1.0);
            CHECK_CLOSE(db[e], da[e], near, "n %zu kind %d: %zu", n, k, e);
            CHECK(a[e] == b[e] || fabs(da[e] - db[e]) < near, "n %zu kind %d: %zu", n, k, e);
            CHECK(other || b[e] != (int64_t)(e / K), "its own neighbour");
        }
    }
    spd_context_free(cpu);
    spd_context_free(gpu);
    free(X);
    free(Y);
}

static void distances_agree(void)
{
    static const size_t sizes[] = {1,   2,   7,   8,   9,   16,  20,  21, 24,  30,
                                   32,  33,  43,  48,  64,  65,  93,  96, 100, 128,
                                   129, 155, 191, 192, 193, 225, 300, 512};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        distances_of(sizes[k], 1e-12 * (double)sizes[k], 0);
        neighbours_of(sizes[k]);
    }
}

/* What the device cannot do is done, and said, by the processor. */
static void bad_sets_are_named(void)
{
    rng r;
    rng_seed(&r, 5);
    double *X = random_set(&r, 5, 80, 10.0), *D2 = block(80 * 80);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    CHECK(spd_pairwise2(gpu, SPD_JEFFREY, 5, 80, X, 0, NULL, D2) == SPD_OK, "another metric");
    X[17 * 25] = -1.0;
    for (int airm = 0; airm < 2; airm++) {
        spd_status status = spd_pairwise2(gpu, airm ? SPD_AIRM : SPD_STEIN, 5, 80, X, 0, NULL, D2);
        CHECK(status == SPD_ENOTSPD && spd_context_error(gpu)->index == 17, "%s",
              spd_context_error(gpu)->message);
    }
    spd_context_free(gpu);
    free(X);
    free(D2);
}

/* Singular up to rounding: refused here as by the processor, and named by it, wherever the matrices
 * have to be positive definite. */
static void singular_sets_are_named(void)
{
    static const spd_function functions[] = {SPD_LOG, SPD_SQRT, SPD_INVSQRT};
    enum { MOST = 36, P = 80, BAD = 17 };
    double *D2 = block((size_t)P * P);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    const spd_error *error = spd_context_error(gpu);
    rng r;
    rng_seed(&r, 15);
    for (int k = 0; k < 9; k++) {
        size_t n = (size_t[]){3, 16, MOST}[k / 3], each = n * n;
        double *X = random_set(&r, n, P, 10.0), *F = block(P * each);
        random_singular(&r, n, k % 3, X + BAD * each);
        for (int m = 0; m < METRICS - 1; m++) {
            spd_status status = spd_pairwise2(gpu, metrics[m], n, P, X, 0, NULL, D2);
            CHECK(status == SPD_ENOTSPD && error->index == BAD, "n %zu metric %d: %d %s", n, m,
                  status, error->message);
            status = spd_mean(gpu, metrics[m], n, P, X, NULL, F, NULL);
            CHECK(status == SPD_ENOTSPD && error->index == BAD, "n %zu mean %d: %d %s", n, m,
                  status, error->message);
            status = spd_apply(gpu, functions[m], 0.0, n, P, X, F);
            CHECK(status == SPD_ENOTSPD && error->index == BAD, "n %zu function %d: %d %s", n, m,
                  status, error->message);
        }
        size_t before = cuda_sets_answered();
        CHECK(spd_pairwise2(gpu, SPD_EUCLIDEAN, n, P, X, 0, NULL, D2) == SPD_OK &&
                  spd_apply(gpu, SPD_EXP, 0.0, n, 10, X, F) == SPD_OK,
              "%s", error->message);
        CHECK(cuda_sets_answered() > before, "not on the GPU");
        free(X);
        free(F);
    }
    spd_context_free(gpu);
    free(D2);
}

/* ---- functions ------------------------------------------------------------------------------ */

static double largest(size_t count, const double *x)
{
    double most = 0.0;
    for (size_t e = 0; e < count; e++)
        most = fmax(most, fabs(x[e]));
    return most;
}

/* Matrices enough for the device to be asked. */
static size_t enough(size_t n)
{
    return 16384 / (n * n) + 8;
}

/* All of F is near that of the processor, symmetric to the bit, the same on another run and in
 * place. */
static void function_of(spd_function f, double power, size_t n, size_t p, const double *X,
                        double tolerance)
{
    size_t count = p * n * n;
    double *A = block(count), *B = block(count), *C = copy_of(count, X);
    spd_context *cpu = context_on(SPD_ENGINE_CPU), *gpu = context_on(SPD_ENGINE_CUDA);
    spd_context_set_threads(gpu, 3);
    size_t before = cuda_sets_answered();
    CHECK(spd_apply(cpu, f, power, n, p, X, A) == SPD_OK, "%s", spd_context_error(cpu)->message);
    CHECK(spd_apply(gpu, f, power, n, p, X, B) == SPD_OK, "%s", spd_context_error(gpu)->message);
    CHECK(spd_apply(gpu, f, power, n, p, C, C) == SPD_OK, "%s", spd_context_error(gpu)->message);
    CHECK(cuda_sets_answered() == before + 2, "f %d n %zu: not on the GPU", f, n);
    CHECK(memcmp(B, C, count * sizeof *B) == 0, "f %d n %zu: other bits in place", f, n);
    for (size_t i = 0; i < p; i++) {
        const double *a = A + i * n * n, *b = B + i * n * n;
        double gap = gap_between(n * n, a, b), size = norm(n * n, a);
        double least = f == SPD_LOG ? 1.0 : DBL_MIN; /* an error of x, relative, is one of log x */
        if (!CHECK(gap <= tolerance * fmax(size, least), "f %d n %zu: matrix %zu is off by %g", f,
                   n, i, gap / size))
            break;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < r; c++)
                CHECK(b[r * n + c] == b[c * n + r], "f %d n %zu (%zu, %zu)", f, n, r, c);
    }
    spd_context_free(cpu);
    spd_context_free(gpu);
    free(A);
    free(B);
    free(C);
}

/* Both have errors of the size of rounding times the condition, which the exponential of a
 * logarithm has not. */
static void functions_of(size_t n, double condition)
{
    size_t p = enough(n), count = p * n * n;
    rng r;
    rng_seed(&r, n + 7);
    double *X = random_set(&r, n, p, condition);
    double unit = 20.0 * DBL_EPSILON * (double)(n + 4);
    double size = largest(count, X) * (double)n;
    function_of(SPD_LOG, 0.0, n, p, X, unit * condition);
    function_of(SPD_SQRT, 0.0, n, p, X, unit * sqrt(condition));
    function_of(SPD_INVSQRT, 0.0, n, p, X, unit * condition);
    function_of(SPD_POWER, -0.3, n, p, X, unit * condition);
    for (size_t e = 0; e < count; e++)
        X[e] /= size;
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < n; k++) /* indefinite */
            X[(i * n + k) * n + k] -= 0.7;
    function_of(SPD_EXP, 0.0, n, p, X, unit);
    free(X);
}

/* X V = V diag(lambda), V'V = I, ascending, and what the processor finds. */
static void eigenvalues_of(size_t n, double condition)
{
    size_t p = enough(n);
    rng r;
    rng_seed(&r, n + 9);
    double *X = random_set(&r, n, p, condition), *V = block(p * n * n), *T = block(n * n);
    double *a = block(p * n), *b = block(p * n), *c = block(p * n), *P = block(n * n);
    spd_context *cpu = context_on(SPD_ENGINE_CPU), *gpu = context_on(SPD_ENGINE_CUDA);
    double unit = 20.0 * DBL_EPSILON * (double)(n + 4);
    for (size_t i = 0; i < p; i += 2) /* others are indefinite */
        for (size_t k = 0; k < n; k++)
            X[(i * n + k) * n + k] -= 0.5 * (double)k;
    CHECK(spd_eigh(cpu, n, p, X, a, NULL) == SPD_OK, "%s", spd_context_error(cpu)->message);
    CHECK(spd_eigh(gpu, n, p, X, b, NULL) == SPD_OK, "%s", spd_context_error(gpu)->message);
    CHECK(spd_eigh(gpu, n, p, X, c, V) == SPD_OK, "%s", spd_context_error(gpu)->message);
    CHECK(memcmp(b, c, p * n * sizeof *b) == 0, "n %zu: other values with vectors", n);
    for (size_t i = 0; i < p; i++) {
        double *U = V + i * n * n, size = norm(n * n, X + i * n * n), worst = 0.0;
        for (size_t k = 0; k < n; k++) {
            CHECK_CLOSE(b[i * n + k], a[i * n + k], unit * size, "n %zu: %zu of %zu", n, k, i);
            CHECK(k == 0 || b[i * n + k - 1] <= b[i * n + k], "n %zu: order", n);
        }
        times(n, n, n, X + i * n * n, U, P);
        for (size_t e = 0; e < n * n; e++)
            worst = fmax(worst, fabs(P[e] - U[e] * b[i * n + e % n]));
        CHECK(worst <= unit * size, "n %zu: residual %g", n, worst);
        flip(n, n, U, T);
        times(n, n, n, T, U, P);
        for (size_t e = 0; e < n * n; e++)
            CHECK_CLOSE(P[e], e / n == e % n, unit, "n %zu: not orthogonal", n);
    }
    spd_context_free(cpu);
    spd_context_free(gpu);
    free(X), free(V), free(T), free(a), free(b), free(c), free(P);
}

static void functions_agree(void)
{
    static const size_t sizes[] = {1,  2,  7,  8,  9,  15, 16, 17, 20, 21,  24,  25,
                                   30, 31, 32, 33, 40, 48, 64, 65, 93, 128, 155, 160};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        functions_of(sizes[k], sizes[k] > 64 ? 1e6 : 100.0);
        eigenvalues_of(sizes[k], 1e3);
    }
}

static void functions_of_bad_condition(void)
{
    static const size_t sizes[] = {5, 20, 32, 48, 72};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (double condition = 1e8; condition < 1e13; condition *= 1e4)
            functions_of(sizes[k], condition);
}

/* ---- congruences ---------------------------------------------------------------------------- */

/* All of S, symmetric to the bit, with the same bits from any number of threads, in the place of X,
 * and, where one is emulated, of a set on the device. */
static void congruences_of(size_t n, size_t m)
{
    size_t p = enough(n), mm = m * m, count = p * mm, before = cuda_sets_answered();
    rng r;
    rng_seed(&r, n + 13 * m);
    double *X = random_set(&r, n, p, 100.0), *W = block(n * m), *flipped = block(n * m);
    double *S = block(count), *T = block(count), *one = block(mm);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    for (size_t e = 0; e < n * m; e++)
        W[e] = rng_normal(&r);
    flip(n, m, W, flipped);
    CHECK(spd_congruence(gpu, n, m, p, X, W, S) == SPD_OK, "%s", spd_context_error(gpu)->message);
    for (size_t i = 0; i < p; i++) {
        const double *a = S + i * mm;
        congruent(m, n, flipped, X + i * n * n, one);
        double gap = gap_between(mm, a, one), size = norm(mm, one);
        if (!CHECK(gap <= 1e-13 * size, "n %zu m %zu: %zu is off by %g", n, m, i, gap / size))
            break;
        CHECK(skewness(m, a) == 0.0, "n %zu m %zu: not symmetric", n, m);
    }
    if (emulated)
        CHECK(spd_device_congruence(NULL, NULL, n, m, p, X, W, T) == SPD_OK &&
                  !memcmp(S, T, count * sizeof *S),
              "n %zu m %zu: other bits on the device", n, m);
    spd_context_set_threads(gpu, 3);
    CHECK(spd_congruence(gpu, n, m, p, X, W, X) == SPD_OK, "%s", spd_context_error(gpu)->message);
    CHECK(!memcmp(S, X, count * sizeof *S), "n %zu m %zu: other bits in place", n, m);
    CHECK(cuda_sets_answered() == before + 2 + (size_t)emulated, "n %zu: not on the GPU", n);
    spd_context_free(gpu);
    free(X), free(W), free(flipped), free(one), free(S), free(T);
}

/* n, with few columns, some, and as many as there may be. */
static void congruences_at(size_t n)
{
    size_t most = n < 128 ? n : 128, some = n / 3 + 1;
    congruences_of(n, 1);
    if (some < most)
        congruences_of(n, some);
    if (most > 1)
        congruences_of(n, most);
}

static void congruences_agree(void)
{
    static const size_t sizes[] = {1,  2,  7,   8,   9,   15,  16,  17,  20,  31,  32, 33,
                                   48, 93, 128, 129, 155, 191, 192, 193, 256, 300, 512};
    static const size_t columns[] = {1, 2, 7, 8, 9, 15, 16, 17, 20, 24, 30, 31, 32, 33, 48, 93};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        congruences_at(sizes[k]);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        congruences_of(94, columns[k]);
}

/* Sample `bad` is named as on the processor, and nothing is written; of a set on the device too. */
static void bad_congruence(size_t n, size_t m, size_t p, const double *X, const double *W,
                           size_t bad)
{
    double *S = block(p * m * m);
    spd_context *cpu = context_on(SPD_ENGINE_CPU), *gpu = context_on(SPD_ENGINE_CUDA);
    spd_status wanted = spd_congruence(cpu, n, m, p, X, W, S);
    S[4] = 7.0;
    for (int there = 0; there <= emulated; there++) {
        spd_status status = there ? spd_device_congruence(gpu, NULL, n, m, p, X, W, S)
                                  : spd_congruence(gpu, n, m, p, X, W, S);
        const spd_error *e = spd_context_error(gpu);
        CHECK(status < 0 && status == wanted && e->index == bad && S[4] == 7.0, "%s", e->message);
        CHECK(!strcmp(e->message, spd_context_error(cpu)->message), "%s", e->message);
    }
    spd_context_free(cpu);
    spd_context_free(gpu);
    free(S);
}

static void bad_congruences(void)
{
    enum { N = 9, M = 3, P = 300 };
    rng r;
    rng_seed(&r, 21);
    double *X = random_set(&r, N, P, 10.0), *Z = copy_of(P * N * N, X), W[N * M], S[P * M * M];
    for (size_t e = 0; e < N * M; e++)
        W[e] = rng_normal(&r) * 0x1p500;
    Z[41 * N * N + 2] = Z[41 * N * N + 2 * N] = NAN;
    bad_congruence(N, M, P, Z, W, 41);
    for (size_t e = 0; e < N * N; e++)
        X[23 * N * N + e] *= 0x1p30;
    bad_congruence(N, M, P, X, W, 23);
    W[5] = NAN;
    bad_congruence(N, M, P, X, W, 0);
    CHECK(spd_device_congruence(NULL, NULL, N, N + 1, P, X, W, S) == SPD_EINVAL, "many columns");
    CHECK(spd_device_congruence(NULL, NULL, N, M, P, X, NULL, S) == SPD_EINVAL, "no map");
    CHECK(spd_device_congruence(NULL, NULL, N, M, 0, X, W, S) == SPD_EINVAL, "no matrices");
    free(X), free(Z);
}

/* Larger maps are the processor's, wherever the set lies. */
static void large_congruences(void)
{
    enum { N = 130, M = 129, P = 8 };
    rng r;
    rng_seed(&r, 22);
    double *X = random_set(&r, N, P, 10.0), *S = block(P * M * M), *T = block(P * M * M);
    double *W = block(N * M);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    size_t before = cuda_sets_answered();
    for (size_t e = 0; e < N * M; e++)
        W[e] = rng_normal(&r);
    CHECK(spd_congruence(gpu, N, M, P, X, W, S) == SPD_OK, "%s", spd_context_error(gpu)->message);
    if (emulated)
        CHECK(spd_device_congruence(gpu, NULL, N, M, P, X, W, T) == SPD_OK &&
                  !memcmp(S, T, P * sizeof *S * M * M),
              "%s", spd_context_error(gpu)->message);
    CHECK(cuda_sets_answered() == before, "on the GPU");
    spd_context_free(gpu);
    free(X), free(S), free(T), free(W);
}

/* ---- means ---------------------------------------------------------------------------------- */

enum { MEANS = 5 };
static const spd_metric mean_metrics[MEANS] = {SPD_AIRM, SPD_STEIN, SPD_LOG_EUCLIDEAN, SPD_JEFFREY,
                                               SPD_EUCLIDEAN};

/* The mean of the GPU, all of whose passes it has done, is near the processor's, and has the same
 * bits on another run. Both stop by the same rule, at a residual of 1e-12 or where rounding allows
 * no less: when that is differs where the condition is bad. */
static void mean_of(spd_metric metric, size_t n, size_t p, const double *X, const double *weight,
                    double tolerance)
{
    size_t nn = n * n, before = cuda_sets_answered();
    int started = metric == SPD_AIRM || metric == SPD_STEIN;
    double *A = block(nn), *B = block(nn), *C = block(nn);
    spd_context *cpu = context_on(SPD_ENGINE_CPU), *gpu = context_on(SPD_ENGINE_CUDA);
    spd_mean_info one = {.size = sizeof one}, two = {.size = sizeof two};
    spd_mean_options o = SPD_INIT(spd_mean_options);
    spd_context_set_threads(gpu, 3);
    o.weights = weight;
    CHECK(spd_mean(cpu, metric, n, p, X, &o, A, &one) == SPD_OK, "%s",
          spd_context_error(cpu)->message);
    CHECK(spd_mean(gpu, metric, n, p, X, &o, B, &two) == SPD_OK, "%s",
          spd_context_error(gpu)->message);
    CHECK(cuda_sets_answered() == before + (size_t)(1 + started + two.iterations),
          "n %zu metric %d: not on the GPU", n, metric);
    spd_mean(gpu, metric, n, p, X, &o, C, NULL);
    double gap = gap_between(nn, A, B) / norm(nn, A);
    CHECK(gap <= tolerance, "n %zu metric %d: off by %g", n, metric, gap);
    CHECK(two.converged && two.iterations <= 2 + 2 * one.iterations,
          "n %zu metric %d: %d and %d iterations", n, metric, one.iterations, two.iterations);
    CHECK(memcmp(B, C, nn * sizeof *B) == 0, "n %zu metric %d: other bits", n, metric);
    spd_context_free(cpu);
    spd_context_free(gpu);
    free(A), free(B), free(C);
}

/* Brief: those by inverses alone. */
static void means_of(size_t n, double condition, int brief)
{
    size_t p = enough(n), nn = n * n;
    rng r;
    rng_seed(&r, n + 11);
    double *X = random_set(&r, n, p, condition), *weight = block(p), *M = block(nn);
    double tolerance = 20.0 * DBL_EPSILON * (double)(n + 4) * condition + 1e-11;
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    for (size_t i = 0; i < p; i++)
        weight[i] = rng_uniform(&r);
    for (int k = brief; k < 2 * MEANS; k += 1 + brief)
        if (!brief || k == 3 || k == 7)
            mean_of(mean_metrics[k / 2], n, p, X, k % 2 ? weight : NULL, tolerance);
    X[4 * nn] = -1.0;
    for (int k = 0; k < MEANS - 1; k++) {
        M[0] = 7.0;
        CHECK(spd_mean(gpu, mean_metrics[k], n, p, X, NULL, M, NULL) == SPD_ENOTSPD &&
                  spd_context_error(gpu)->index == 4 && M[0] == 7.0,
              "%s", spd_context_error(gpu)->message);
    }
    spd_context_free(gpu);
    free(X), free(weight), free(M);
}

static void means_agree(void)
{
    static const size_t sizes[] = {1,  2,  7,  8,   9,   16,  17,  24,  30,  31,  32,  33, 48,
                                   64, 65, 93, 128, 155, 160, 161, 177, 192, 225, 300, 512};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        means_of(sizes[k], sizes[k] % 2 ? 1e3 : 50.0, 0);
}

/* sum (TRI(n)) += weight times the lower triangle of A. */
static void add_lower(size_t n, double weight, const double *A, double *sum)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            *sum++ += weight * A[r * n + c];
}

/* What the passes of Stein, before any of Jeffrey, and of Jeffrey sum up, by its definition. */
static void sums_of(size_t n, double condition)
{
    size_t p = enough(n), nn = n * n, triangle = n * (n + 1) / 2;
    rng r;
    rng_seed(&r, n + 14);
    double *X = random_set(&r, n, p, condition), *M = random_set(&r, n, 1, condition);
    double *weight = block(p), *A = block(nn), *frame = calloc(triangle, sizeof *frame);
    double *stein = calloc(triangle + 1, sizeof *stein), *jeffrey = calloc(nn + n, sizeof *jeffrey);
    double *sum = block(nn + n), whole, own, tolerance = 1e-13 * (double)n * condition;
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    cuda_passes *passes = NULL;
    int done = 0;
    add_lower(n, 1.0, M, frame);
    for (size_t i = 0; i < p; i++) {
        const double *Xi = X + i * nn;
        weight[i] = rng_uniform(&r);
        for (size_t e = 0; e < nn; e++)
            A[e] = 0.5 * (M[e] + Xi[e]);
        spd_logdet(NULL, n, 1, A, &whole);
        spd_logdet(NULL, n, 1, Xi, &own);
        stein[triangle] += weight[i] * (whole - 0.5 * own);
        spd_inverse(NULL, n, 1, A, A);
        add_lower(n, weight[i], A, stein);
        add_lower(n, weight[i], Xi, jeffrey);
        spd_inverse(NULL, n, 1, Xi, A);
        add_lower(n, weight[i], A, jeffrey + triangle);
    }
    CHECK(cuda_passes_open(gpu, SPD_STEIN, n, p, X, weight, &passes) == SPD_OK && passes, "open");
    cuda_passes_sum(passes, SPD_STEIN, frame, triangle + 1, sum, &done);
    CHECK(done && gap_between(triangle, sum, stein) <= tolerance * norm(triangle, stein),
          "n %zu: %d", n, done);
    CHECK_CLOSE(sum[triangle], stein[triangle], tolerance * (double)p, "n %zu", n);
    cuda_passes_sum(passes, SPD_JEFFREY, NULL, 2 * triangle, sum, &done);
    CHECK(done && gap_between(triangle, sum, jeffrey) <= 1e-14 * norm(triangle, jeffrey), "X");
    CHECK(gap_between(triangle, sum + triangle, jeffrey + triangle) <=
              tolerance * norm(triangle, jeffrey + triangle),
          "n %zu: inverses", n);
    cuda_passes_close(passes);
    spd_context_free(gpu);
    free(X), free(M), free(weight), free(A), free(frame), free(stein), free(jeffrey), free(sum);
}

/* Those of the Jeffrey divergence have an error of the size of rounding times the condition, on the
 * processor too; Stein's are far better. */
static void ill_conditioned_means(size_t n, double condition)
{
    size_t p = enough(n);
    rng r;
    rng_seed(&r, n + 12);
    double *X = random_set(&r, n, p, condition);
    mean_of(SPD_STEIN, n, p, X, NULL, 1e-9);
    mean_of(SPD_JEFFREY, n, p, X, NULL, DBL_EPSILON * condition + 1e-11);
    free(X);
}

static void sums_and_bad_condition(void)
{
    static const size_t sizes[] = {5, 20, 33, 48, 93, 160, 300};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        sums_of(sizes[k], 100.0);
        for (double condition = 1e8; condition < 1e13; condition *= 1e4)
            ill_conditioned_means(sizes[k], condition);
    }
}

/* Of sets whose determinants are no numbers; of a sample alone among zero weights, itself. */
static void means_of_any_scale(void)
{
    enum { N = 11, P = 144, EACH = N * N };
    rng r;
    rng_seed(&r, 4);
    double *X = random_set(&r, N, P, 100.0), *Z = block(P * EACH), M[EACH], A[EACH];
    double *weight = calloc(P, sizeof *weight);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    spd_mean_options o = SPD_INIT(spd_mean_options);
    for (int k = 0; k < 6; k++) {
        spd_metric metric = k % 2 ? SPD_STEIN : SPD_JEFFREY;
        int power = (k / 2 - 1) * 400;
        for (size_t e = 0; e < P * EACH; e++)
            Z[e] = ldexp(X[e], power);
        CHECK(spd_mean(gpu, metric, N, P, X, NULL, A, NULL) == SPD_OK, "plain");
        mean_of(metric, N, P, Z, NULL, 1e-11);
        CHECK(spd_mean(gpu, metric, N, P, Z, NULL, M, NULL) == SPD_OK, "2^%d", power);
        for (size_t e = 0; e < EACH; e++)
            CHECK_CLOSE(ldexp(M[e], -power), A[e], 1e-12 * norm(EACH, A), "2^%d: %zu", power, e);
    }
    weight[P - 1] = 0.3;
    o.weights = weight;
    for (int k = 0; k < MEANS; k++) {
        CHECK(spd_mean(gpu, mean_metrics[k], N, P, X, &o, M, NULL) == SPD_OK, "one weight");
        CHECK(gap_between(EACH, M, X + (P - 1) * EACH) <= 1e-12 * norm(EACH, M), "metric %d", k);
    }
    X[3 * EACH] = INFINITY; /* nothing that is not finite passes for a mean */
    for (int k = 0; k < MEANS; k++)
        CHECK(spd_mean(gpu, mean_metrics[k], N, P, X, NULL, M, NULL) < 0 &&
                  spd_context_error(gpu)->index == 3,
              "metric %d: %s", k, spd_context_error(gpu)->message);
    spd_context_free(gpu);
    free(X), free(Z), free(weight);
}

/* Powers of two cancel; what leaves the range of numbers is said as on the processor. */
static void scales_and_faults(void)
{
    enum { N = 6, P = 500 };
    rng r;
    rng_seed(&r, 2);
    double *X = random_set(&r, N, P, 10.0), *F = block(P * N * N), *A = block(P * N * N);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    spd_apply(gpu, SPD_SQRT, 0.0, N, P, X, A);
    for (size_t e = 0; e < P * N * N; e++)
        X[e] = ldexp(X[e], e / (N * N) % 2 ? 900 : -900);
    CHECK(spd_apply(gpu, SPD_SQRT, 0.0, N, P, X, F) == SPD_OK, "scaled");
    for (size_t e = 0; e < P * N * N; e++) {
        double wanted = ldexp(A[e], e / (N * N) % 2 ? 450 : -450);
        CHECK(F[e] == wanted, "entry %zu", e);
    }
    CHECK(spd_apply(gpu, SPD_EXP, 0.0, N, P, X, F) == SPD_ENUMERIC &&
              spd_context_error(gpu)->index == 1,
          "%s", spd_context_error(gpu)->message);
    CHECK(F[3] == ldexp(A[3], -450), "written to");
    X[17 * N * N] = -1.0;
    CHECK(spd_apply(gpu, SPD_LOG, 0.0, N, P, X, X) == SPD_ENOTSPD &&
              spd_context_error(gpu)->index == 17,
          "%s", spd_context_error(gpu)->message);
    X[12 * N * N + N] = NAN;
    CHECK(spd_eigh(gpu, N, P, X, F, NULL) < 0 && spd_context_error(gpu)->index == 12, "%s",
          spd_context_error(gpu)->message);
    spd_context_free(gpu);
    free(X), free(F), free(A);
}

static int stop_at_once(void *user, const spd_progress *p)
{
    (void)p;
    return ++*(int *)user > 0;
}

static void can_be_stopped(void)
{
    enum { N = 64, P = 3000 };
    rng r;
    rng_seed(&r, 3);
    double *X = random_set(&r, N, P, 10.0);
    int calls = 0;
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    spd_context_set_progress(gpu, stop_at_once, &calls);
    spd_status status = spd_apply(gpu, SPD_LOG, 0.0, N, P, X, X);
    CHECK(status == SPD_ECANCELLED || calls == 0, "status %d", status); /* it may be too fast */
    spd_context_free(gpu);
    free(X);
}

/* A pass asks after every batch, the first one too. */
static void means_can_be_stopped(void)
{
    enum { N = 6, P = 500 };
    rng r;
    rng_seed(&r, 6);
    double *X = random_set(&r, N, P, 10.0), M[N * N] = {7.0};
    spd_context *gpu = context_on(SPD_ENGINE_CUDA);
    for (int k = 0; k < MEANS; k++) {
        int calls = 0;
        spd_context_set_progress(gpu, stop_at_once, &calls);
        spd_status status = spd_mean(gpu, mean_metrics[k], N, P, X, NULL, M, NULL);
        CHECK(status == SPD_ECANCELLED && calls == 1 && M[0] == 7.0, "metric %d: status %d", k,
              status);
    }
    spd_context_free(gpu);
    free(X);
}

/* Means of sets that lie on the device: the same bits as of those that are copied there. */
static void means_on_the_device(void)
{
    enum { N = 11, P = 144, EACH = N * N };
    rng r;
    rng_seed(&r, 13);
    double *X = random_set(&r, N, P, 100.0), *weight = block(P), A[EACH], B[EACH];
    spd_context *gpu = context_on(SPD_ENGINE_CUDA), *ctx = context_on(SPD_ENGINE_CPU);
    spd_mean_options o = SPD_INIT(spd_mean_options);
    for (size_t i = 0; i < P; i++)
        weight[i] = rng_uniform(&r);
    o.weights = weight;
    for (int k = 0; k < MEANS; k++) {
        spd_mean_info one = {.size = sizeof one}, two = {.size = sizeof two};
        spd_metric metric = mean_metrics[k];
        size_t before = cuda_sets_answered();
        CHECK(spd_mean(gpu, metric, N, P, X, &o, A, &one) == SPD_OK, "metric %d", k);
        size_t calls = cuda_sets_answered() - before;
        CHECK(spd_device_mean(ctx, NULL, metric, N, P, X, &o, B, &two) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        CHECK(cuda_sets_answered() == before + 2 * calls, "metric %d: not on the GPU", k);
        CHECK(memcmp(A, B, sizeof A) == 0 && one.iterations == two.iterations &&
                  one.residual == two.residual && two.converged,
              "metric %d: another mean", k);
    }
    static const spd_metric others[] = {SPD_BURES_WASSERSTEIN, SPD_LOG_CHOLESKY};
    for (int k = 0; k < 2; k++) {
        CHECK(spd_mean(ctx, others[k], N, P, X, &o, A, NULL) == SPD_OK, "other %d", k);
        CHECK(spd_device_mean(ctx, NULL, others[k], N, P, X, &o, B, NULL) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        CHECK(gap_between(EACH, A, B) <= 1e-12 * norm(EACH, A), "other %d", k);
    }
    CHECK(spd_device_mean(NULL, NULL, SPD_STEIN, N, 1, X, NULL, B, NULL) == SPD_OK &&
              gap_between(EACH, X, B) <= 1e-12 * norm(EACH, B),
          "one matrix");
    o.max_iter = 1;
    CHECK(spd_device_mean(ctx, NULL, SPD_STEIN, N, P, X, &o, B, NULL) == SPD_NOT_CONVERGED, "one");
    X[EACH * 140] = -1.0;
    for (int k = 0; k < MEANS - 1; k++) {
        B[0] = 7.0;
        CHECK(spd_device_mean(ctx, NULL, mean_metrics[k], N, P, X, NULL, B, NULL) == SPD_ENOTSPD &&
                  spd_context_error(ctx)->index == 140 && B[0] == 7.0,
              "%s", spd_context_error(ctx)->message);
    }
    weight[3] = -1.0;
    CHECK(spd_device_mean(ctx, NULL, SPD_STEIN, N, P, X, &o, B, NULL) == SPD_EINVAL, "a weight");
    CHECK(spd_device_mean(ctx, NULL, SPD_STEIN, N, 0, X, NULL, B, NULL) == SPD_EINVAL, "empty");
    spd_context_free(gpu);
    spd_context_free(ctx);
    free(X), free(weight);
}

/* Sets that lie on the device: the same bits, and from the GPU, as of those that are copied there,
 * at a scale that the GPU has to notice. Without a context and in place too. */
static void sets_on_the_device(void)
{
    enum { N = 5, P = 70, Q = 60, K = 4 };
    static int64_t a[P * K], b[P * K];
    rng r;
    rng_seed(&r, 11);
    double *X = random_set(&r, N, P, 100.0), *Y = random_set(&r, N, Q, 100.0);
    double *A = block(P * P), *B = block(P * P);
    spd_context *gpu = context_on(SPD_ENGINE_CUDA), *ctx = context_on(SPD_ENGINE_CPU);
    spd_neighbours one = {.size = sizeof one, .k = K, .index = a, .d2 = A};
    spd_neighbours two = {.size = sizeof two, .k = K, .index = b, .d2 = B};
    size_t before = cuda_sets_answered();
    for (size_t e = 0; e < N * N * P; e++)
        X[e] = ldexp(X[e], 700);
    for (size_t e = 0; e < N * N * Q; e++)
        Y[e] = ldexp(Y[e], 700);
    for (int k = 0; k < 2 * METRICS - 2; k++) { /* Euclidean distances would overflow */
        spd_metric metric = metrics[k / 2];
        const double *other = k % 2 ? Y : NULL;
        size_t rows = k % 2 ? Q : P;
        CHECK(spd_pairwise2(gpu, metric, N, P, X, Q, other, A) == SPD_OK, "kind %d", k);
        CHECK(spd_device_pairwise2(ctx, NULL, metric, N, P, X, Q, other, B) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        CHECK(memcmp(A, B, P * rows * sizeof *A) == 0, "kind %d: other distances", k);
        CHECK(spd_nearest(gpu, metric, N, P, X, Q, other, &one) == SPD_OK, "kind %d", k);
        CHECK(spd_device_nearest(ctx, NULL, metric, N, P, X, Q, other, &two) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        CHECK(memcmp(a, b, rows * sizeof *a * K) == 0 && memcmp(A, B, rows * sizeof *A * K) == 0 &&
                  two.exact == one.exact,
              "kind %d: other neighbours", k);
    }
    CHECK(cuda_sets_answered() == before + 4 * (2 * METRICS - 2), "not all on the GPU");
    spd_apply(ctx, SPD_LOG, 0.0, N, P, X, A);
    CHECK(spd_device_apply(NULL, NULL, SPD_LOG, 0.0, N, P, X, X) == SPD_OK, "logarithms");
    CHECK(gap_between(P * N * N, A, X) <= 1e-12 * norm(P * N * N, A), "logarithms");
    spd_context_free(gpu);
    spd_context_free(ctx);
    free(X), free(Y), free(A), free(B);
}

/* For where kernels are emulated. */
static void short_form(void)
{
    functions_of(7, 1e12);
    functions_of(17, 1e6);
    functions_of(34, 1e3);
    eigenvalues_of(9, 1e3);
    distances_of(3, 1e-12, 0);
    neighbours_of(4);
    distances_of(33, 1e-12 * 33.0, 1);
    distances_of(65, 1e-12 * 65.0, 1);
    distances_of(129, 1e-12 * 129.0, 1);
    congruences_of(7, 3);
    congruences_of(33, 17);
    congruences_of(93, 20);
    means_of(20, 50.0, 0);
    means_of(9, 1e3, 1);
    sums_of(19, 100.0);
    ill_conditioned_means(34, 1e8);
}

int main(int count, char **word)
{
    spd_context *ctx = spd_context_new();
    char device[200];
    spd_status status = cuda_describe(ctx, device, sizeof device);
    printf("%s %s\n", status < 0 ? "skipped:" : "on",
           status < 0 ? spd_context_error(ctx)->message : device);
    spd_context_free(ctx);
    if (status < 0)
        return 77; /* ctest takes it for skipped */
    emulated = !strncmp(device, "emulated", 8);
    if (count == 2 && !strcmp(word[1], "short")) {
        if (emulated) { /* all memory is the device's */
            RUN(sets_on_the_device);
            RUN(means_on_the_device);
        }
        RUN(short_form);
        RUN(bad_congruences);
        RUN(large_congruences);
        RUN(bad_sets_are_named);
        RUN(singular_sets_are_named);
        RUN(scales_and_faults);
        RUN(means_of_any_scale);
        RUN(means_can_be_stopped);
        return test_summary();
    }
    for (int k = 1; k < count; k++) {
        size_t n = strtoul(word[k], NULL, 10);
        test_failed_checks = 0;
        if (strchr(word[k], 'd')) {
            distances_of(n, 1e-12 * (double)n, strchr(word[k], 'b') != NULL);
            if (!strchr(word[k], 'b'))
                neighbours_of(n);
        } else if (strchr(word[k], 'm')) {
            means_of(n, 50.0, strchr(word[k], 'b') != NULL);
        } else if (strchr(word[k], 'w')) {
            congruences_at(n);
        } else {
            functions_of(n, 1e6);
            eigenvalues_of(n, 1e3);
        }
        printf("%s n %zu\n", test_failed_checks ? "FAIL" : "ok  ", n);
        test_failed += test_failed_checks > 0;
    }
    if (count > 1)
        return test_failed > 0;
    RUN(distances_agree);
    RUN(bad_sets_are_named);
    RUN(singular_sets_are_named);
    RUN(functions_agree);
    RUN(functions_of_bad_condition);
    RUN(scales_and_faults);
    RUN(means_agree);
    RUN(congruences_agree);
    RUN(bad_congruences);
    RUN(large_congruences);
    RUN(sums_and_bad_condition);
    RUN(means_of_any_scale);
    RUN(means_can_be_stopped);
    RUN(can_be_stopped);
    return test_summary();
}
