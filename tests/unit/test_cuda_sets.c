/* test_cuda_sets.c - distances, neighbours, eigenvalues, functions and means of sets
 * on the GPU against the processor's: every size at which a kernel or a layout changes, condition,
 * matrices that fail. Skipped, with a word, where there is no device. With arguments only these
 * sizes: n for functions, nd for distances (ndb: few of them), nk for neighbours by bounds (nkb:
 * few), nm for means (nmb: by inverses); short: what an emulation takes little
 * time for. */
#define TEST_OWN_MAIN
#include "test.h"

#include <float.h>

#include "fit/engine.h"
#include "run/cuda.h"
#include "search/search.h"
#include "random_spd.h"

static int emulated; /* all memory is the device's */

/* ---- distances ------------------------------------------------------------------------------ */

static spd_context *context_with(spd_engine engine)
{
    spd_context *ctx = context_on(1);
    spd_context_set_engine(ctx, engine);
    return ctx;
}

enum { METRICS = 4 };
static const spd_metric metrics[METRICS] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM,
                                            SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_EUCLIDEAN};

/* Distances, or the log-Euclidean kernel. */
static spd_status measure(spd_context *ctx, int distances, spd_metric metric, size_t n, size_t p,
                          const double *X, size_t q, const double *Y, double *out)
{
    return distances ? spd_pairwise2(ctx, metric, SPD_SET(n, p, X), SET_OR_NULL(n, q, Y), out)
                     : spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, SPD_SET(n, p, X),
                                  SET_OR_NULL(n, q, Y), out);
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
    rng r = seeded(n);
    double *X = random_set(&r, n, P, 100.0), *Y = random_set(&r, n, Q, 100.0);
    double *A = block(P * P), *B = block(P * P);
    spd_context *cpu = context_with(SPD_ENGINE_CPU), *gpu = context_with(SPD_ENGINE_CUDA);
    size_t before = cuda_jobs_done();
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
    CHECK(cuda_jobs_done() == before + (size_t)(kinds / step), "n %zu: not all on the GPU", n);
}

static void neighbours_of(size_t n)
{
    enum { MOST = 90, K = 7 };
    static int64_t a[MOST * K], b[MOST * K];
    static double da[MOST * K], db[MOST * K];
    const size_t P = n > 32 ? enough_pairs(n) : MOST, Q = P - P / 5;
    const double tolerance = 1e-12 * (double)(n > 10 ? n : 10);
    rng r = seeded(n + 1);
    double *X = random_set(&r, n, P, 100.0), *Y = random_set(&r, n, Q, 100.0);
    memcpy(X + P / 2 * n * n, X + 3 * n * n, n * n * sizeof *X); /* a tie */
    spd_context *cpu = context_with(SPD_ENGINE_CPU), *gpu = context_with(SPD_ENGINE_CUDA);
    for (int k = 0; k < 2 * METRICS; k++) {
        spd_metric metric = metrics[k / 2];
        spd_nearest_info two = SPD_STRUCT(spd_nearest_info);
        const double *other = k % 2 ? Y : NULL;
        size_t rows = other ? Q : P;
        spd_nearest(cpu, metric, SPD_SET(n, P, X), SET_OR_NULL(n, Q, other), K, NULL, a, da, NULL);
        CHECK_OK(gpu, spd_nearest(gpu, metric, SPD_SET(n, P, X), SET_OR_NULL(n, Q, other), K, NULL,
                                  b, db, &two));
        CHECK((two.exact == two.pairs || metric == SPD_METRIC_AIRM) && two.recall == 1.0,
              "all pairs");
        for (size_t e = 0; e < rows * K; e++) {
            double near = tolerance * fmax(da[e], 1.0);
            CHECK_CLOSE(db[e], da[e], near, "n %zu kind %d: %zu", n, k, e);
            CHECK(a[e] == b[e] || fabs(da[e] - db[e]) < near, "n %zu kind %d: %zu", n, k, e);
            CHECK(other || b[e] != (int64_t)(e / K), "its own neighbour");
        }
    }
}

/* p matrices in some heaps: what a few random ones become under congruences near the identity, and
 * one of them twice. spread: how far from it. */
static double *heaps(size_t n, size_t p, double condition, double spread)
{
    enum { HEAPS = 4 };
    rng r = seeded(n + 17);
    double *B = random_set(&r, n, HEAPS, condition), *X = block(p * n * n), *W = block(n * n);
    for (size_t i = 0; i < p; i++) {
        for (size_t e = 0; e < n * n; e++)
            W[e] = (e % (n + 1) == 0) + spread * rng_normal(&r) / sqrt((double)n);
        congruent(n, n, W, B + i % HEAPS * n * n, X + i * n * n);
    }
    memcpy(X + (p - 2) * n * n, X + 3 * n * n, n * n * sizeof *X);
    return X;
}

/* AIRM neighbours by bounds and by all distances: the same bits; *exact <- the share that was
 * computed. */
static void neighbours_both_ways(size_t n, size_t p, const double *X, size_t q, const double *Y,
                                 size_t k, double *exact)
{
    size_t count = (Y ? q : p) * k;
    int64_t *a = take_zeros(count, sizeof *a), *b = take_zeros(count, sizeof *b);
    double *da = block(count), *db = block(count);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    spd_nearest_options o = SPD_STRUCT(spd_nearest_options);
    spd_nearest_info one = SPD_STRUCT(spd_nearest_info), two = one;
    size_t before = cuda_jobs_done();
    o.search = SPD_SEARCH_EXACT;
    CHECK_OK(gpu, spd_nearest(gpu, SPD_METRIC_AIRM, SPD_SET(n, p, X), SET_OR_NULL(n, q, Y), k, &o,
                              a, da, &one));
    o.brute = 1;
    CHECK_OK(gpu, spd_nearest(gpu, SPD_METRIC_AIRM, SPD_SET(n, p, X), SET_OR_NULL(n, q, Y), k, &o,
                              b, db, &two));
    CHECK(cuda_jobs_done() == before + 2, "n %zu: not on the GPU", n);
    CHECK(two.exact == two.pairs && two.pruned == 0.0, "n %zu: %g", n, two.pruned);
    CHECK(one.exact > 0.0 && one.pruned == 1.0 - one.exact / one.pairs, "n %zu", n);
    CHECK(memcmp(a, b, count * sizeof *a) == 0, "n %zu k %zu: other neighbours", n, k);
    CHECK(memcmp(da, db, count * sizeof *da) == 0, "n %zu k %zu: other distances", n, k);
    *exact = one.exact / one.pairs;
}

/* Lists by class, of which one sample has none. */
static void lists_both_ways(size_t n, size_t p, const double *X)
{
    int *label = take_zeros(p, sizeof *label);
    search_job job = {.metric = SPD_METRIC_AIRM,
                      .search = SPD_SEARCH_EXACT,
                      .label = label,
                      .k = {2, 3},
                      .k_unlabelled = 2};
    search_result one, two;
    arena room = {0};
    spd_set S = *SPD_SET(n, p, X);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    for (size_t i = 0; i < p; i++)
        label[i] = i == 5 ? -1 : (int)(i % 4 == 1);
    job.samples = job.queries = &S;
    CHECK_OK(gpu, search_run(gpu, &job, &room, &one));
    job.brute = 1;
    CHECK_OK(gpu, search_run(gpu, &job, &room, &two));
    CHECK(one.exact < two.exact && two.exact == two.pairs, "%g of %g", one.exact, two.exact);
    CHECK(!memcmp(one.count, two.count, 2 * p * sizeof *one.count), "n %zu", n);
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < 5; e++) {
            const neighbour *a = one.list + 5 * i + e, *b = two.list + 5 * i + e;
            if (e < 2 ? e < one.count[2 * i] : e - 2 < one.count[2 * i + 1])
                CHECK(a->index == b->index && a->d2 == b->d2, "n %zu: %zu of %zu", n, e, i);
        }
    arena_free(&room);
}

/* On a device sets so large that there are several tiles; brief: one. */
static void bounded_neighbours_of(size_t n, int brief)
{
    size_t p = emulated ? (n > 32 ? 36 : 90) : brief ? 400 : n > 32 ? 700 : 5000, q = p - p / 5;
    const double conditions[] = {50.0, n > 32 ? 1e4 : 1e9, n > 32 ? 1e6 : 1e13};
    const int most = emulated && n > 32 ? 1 : 3;
    double exact;
    for (int kind = 0; kind < most; kind++) {
        double *X = heaps(n, p + q, conditions[kind], 0.03), *Y = X + p * n * n;
        neighbours_both_ways(n, p, X, 0, NULL, most == 1 ? 1 : 3, &exact);
        CHECK(kind || exact < 0.7, "n %zu: %g of the distances", n, exact);
        if (most == 1)
            return;
        neighbours_both_ways(n, p, X, q, Y, kind ? 4 : 1, &exact);
        CHECK(kind || exact < 0.7, "n %zu: %g of those of queries", n, exact);
    }
    double *X = heaps(n, p, 50.0, n > 32 ? 0.5 : 3.0); /* no heaps any more */
    neighbours_both_ways(n, p, X, 0, NULL, 2, &exact);
    lists_both_ways(n, p, heaps(n, p, 50.0, 0.03));
}

static void bounded_neighbours(void)
{
    static const size_t sizes[] = {3, 8, 21, 32, 33, 70};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes - (emulated ? 2 : 0); k++) {
        if (!test_turn(k))
            continue;
        bounded_neighbours_of(sizes[k], 0);
    }
}

static void distances_agree(void)
{
    static const size_t sizes[] = {1,   2,   7,   8,   9,   16,  20,  21, 24,  30,
                                   32,  33,  43,  48,  64,  65,  93,  96, 100, 128,
                                   129, 155, 191, 192, 193, 225, 300, 512};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!test_turn(k))
            continue;
        distances_of(sizes[k], 1e-12 * (double)sizes[k], 0);
        neighbours_of(sizes[k]);
    }
}

/* What the device cannot do is done, and said, by the processor. */
static void bad_sets_are_named(void)
{
    rng r = seeded(5);
    double *X = random_set(&r, 5, 80, 10.0), *D2 = block(80 * 80);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    CHECK(spd_pairwise2(gpu, SPD_METRIC_JEFFREY, SPD_SET(5, 80, X), NULL, D2) == SPD_OK,
          "another metric");
    X[17 * 25] = -1.0;
    for (int airm = 0; airm < 2; airm++) {
        spd_status status = spd_pairwise2(gpu, airm ? SPD_METRIC_AIRM : SPD_METRIC_STEIN,
                                          SPD_SET(5, 80, X), NULL, D2);
        CHECK(status == SPD_ENOTSPD && spd_context_error(gpu)->index == 17, "%s",
              spd_context_error(gpu)->message);
    }
}

/* Singular up to rounding: refused here as by the processor, and named by it, wherever the matrices
 * have to be positive definite. */
static void singular_sets_are_named(void)
{
    static const spd_function functions[] = {SPD_FUNCTION_LOG, SPD_FUNCTION_SQRT,
                                             SPD_FUNCTION_INVSQRT};
    enum { MOST = 36, P = 80, BAD = 17 };
    double *D2 = block((size_t)P * P);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    const spd_error *error = spd_context_error(gpu);
    rng r = seeded(15);
    for (int k = 0; k < 9; k++) {
        size_t n = (size_t[]){3, 16, MOST}[k / 3], each = n * n;
        double *X = random_set(&r, n, P, 10.0), *F = block(P * each);
        random_singular(&r, n, k % 3, X + BAD * each);
        for (int m = 0; m < METRICS - 1; m++) {
            spd_status status = spd_pairwise2(gpu, metrics[m], SPD_SET(n, P, X), NULL, D2);
            CHECK(status == SPD_ENOTSPD && error->index == BAD, "n %zu metric %d: %d %s", n, m,
                  status, error->message);
            status = spd_mean(gpu, metrics[m], SPD_SET(n, P, X), NULL, F, NULL);
            CHECK(status == SPD_ENOTSPD && error->index == BAD, "n %zu mean %d: %d %s", n, m,
                  status, error->message);
            status = spd_apply(gpu, functions[m], 0.0, SPD_SET(n, P, X), F);
            CHECK(status == SPD_ENOTSPD && error->index == BAD, "n %zu function %d: %d %s", n, m,
                  status, error->message);
        }
        size_t before = cuda_jobs_done();
        CHECK(spd_pairwise2(gpu, SPD_METRIC_EUCLIDEAN, SPD_SET(n, P, X), NULL, D2) == SPD_OK &&
                  spd_apply(gpu, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 10, X), F) == SPD_OK,
              "%s", error->message);
        CHECK(cuda_jobs_done() > before, "not on the GPU");
    }
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
    spd_context *cpu = context_with(SPD_ENGINE_CPU), *gpu = context_with(SPD_ENGINE_CUDA);
    spd_context_set_threads(gpu, 3);
    size_t before = cuda_jobs_done();
    CHECK_OK(cpu, spd_apply(cpu, f, power, SPD_SET(n, p, X), A));
    CHECK_OK(gpu, spd_apply(gpu, f, power, SPD_SET(n, p, X), B));
    CHECK_OK(gpu, spd_apply(gpu, f, power, SPD_SET(n, p, C), C));
    CHECK(cuda_jobs_done() == before + 2, "f %d n %zu: not on the GPU", f, n);
    CHECK(memcmp(B, C, count * sizeof *B) == 0, "f %d n %zu: other bits in place", f, n);
    for (size_t i = 0; i < p; i++) {
        const double *a = A + i * n * n, *b = B + i * n * n;
        double gap = gap_between(n * n, a, b), size = norm(n * n, a);
        double least =
            f == SPD_FUNCTION_LOG ? 1.0 : DBL_MIN; /* an error of x, relative, is one of log x */
        if (!CHECK(gap <= tolerance * fmax(size, least), "f %d n %zu: matrix %zu is off by %g", f,
                   n, i, gap / size))
            break;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < r; c++)
                CHECK(b[r * n + c] == b[c * n + r], "f %d n %zu (%zu, %zu)", f, n, r, c);
    }
}

/* Both have errors of the size of rounding times the condition, which the exponential of a
 * logarithm has not. */
static void functions_of(size_t n, double condition)
{
    size_t p = enough(n), count = p * n * n;
    rng r = seeded(n + 7);
    double *X = random_set(&r, n, p, condition);
    double unit = 20.0 * DBL_EPSILON * (double)(n + 4);
    double size = largest(count, X) * (double)n;
    function_of(SPD_FUNCTION_LOG, 0.0, n, p, X, unit * condition);
    function_of(SPD_FUNCTION_SQRT, 0.0, n, p, X, unit * sqrt(condition));
    function_of(SPD_FUNCTION_INVSQRT, 0.0, n, p, X, unit * condition);
    function_of(SPD_FUNCTION_POWER, -0.3, n, p, X, unit * condition);
    for (size_t e = 0; e < count; e++)
        X[e] /= size;
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < n; k++) /* indefinite */
            X[(i * n + k) * n + k] -= 0.7;
    function_of(SPD_FUNCTION_EXP, 0.0, n, p, X, unit);
}

/* X V = V diag(lambda), V'V = I, ascending, and what the processor finds. */
static void eigenvalues_of(size_t n, double condition)
{
    size_t p = enough(n);
    rng r = seeded(n + 9);
    double *X = random_set(&r, n, p, condition), *V = block(p * n * n), *T = block(n * n);
    double *a = block(p * n), *b = block(p * n), *c = block(p * n), *P = block(n * n);
    spd_context *cpu = context_with(SPD_ENGINE_CPU), *gpu = context_with(SPD_ENGINE_CUDA);
    double unit = 20.0 * DBL_EPSILON * (double)(n + 4);
    for (size_t i = 0; i < p; i += 2) /* others are indefinite */
        for (size_t k = 0; k < n; k++)
            X[(i * n + k) * n + k] -= 0.5 * (double)k;
    CHECK_OK(cpu, spd_eigh(cpu, SPD_SET(n, p, X), a, NULL));
    CHECK_OK(gpu, spd_eigh(gpu, SPD_SET(n, p, X), b, NULL));
    CHECK_OK(gpu, spd_eigh(gpu, SPD_SET(n, p, X), c, V));
    for (size_t e = 0; e < p * n; e++) /* which cuSOLVER finds in another way */
        if (!CHECK(n <= 32 ? b[e] == c[e]
                           : fabs(b[e] - c[e]) <= unit * norm(n * n, X + e / n * n * n),
                   "n %zu: other values with vectors", n))
            break;
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
}

static void functions_agree(void)
{
    static const size_t sizes[] = {1,  2,  7,  8,  9,  15, 16, 17, 20, 21,  24,  25,
                                   30, 31, 32, 33, 40, 48, 64, 65, 93, 128, 155, 160};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!test_turn(k))
            continue;
        functions_of(sizes[k], sizes[k] > 64 ? 1e6 : 100.0);
        eigenvalues_of(sizes[k], 1e3);
    }
}

/* What a matrix becomes does not depend on the others: poles reach some, others need eigenvectors. */
static void functions_of_mixed_condition(void)
{
    static const size_t sizes[] = {16, 40, 96};
    static const spd_function functions[] = {SPD_FUNCTION_LOG, SPD_FUNCTION_SQRT,
                                             SPD_FUNCTION_INVSQRT};
    for (size_t k = 0; k < 9; k++) {
        if (emulated && k % 3 == 2)
            continue; /* takes long */
        size_t n = sizes[k % 3], p = 2 * enough(n), half = p / 2, nn = n * n;
        rng r = seeded(n + 8);
        double *X = random_set(&r, n, half, 20.0), *Y = random_set(&r, n, half, 1e10);
        double *mixed = block(p * nn), *F = block(p * nn), *A = block(half * nn),
               *B = block(half * nn);
        spd_context *gpu = context_with(SPD_ENGINE_CUDA);
        for (size_t i = 0; i < half; i++) {
            memcpy(mixed + 2 * i * nn, X + i * nn, nn * sizeof *X);
            memcpy(mixed + (2 * i + 1) * nn, Y + i * nn, nn * sizeof *Y);
        }
        function_of(functions[k / 3], 0.0, n, p, mixed,
                    20.0 * DBL_EPSILON * (double)(n + 4) * 1e10);
        CHECK_OK(gpu, spd_apply(gpu, functions[k / 3], 0.0, SPD_SET(n, p, mixed), F));
        CHECK_OK(gpu, spd_apply(gpu, functions[k / 3], 0.0, SPD_SET(n, half, X), A));
        CHECK_OK(gpu, spd_apply(gpu, functions[k / 3], 0.0, SPD_SET(n, half, Y), B));
        for (size_t i = 0; i < half; i++)
            CHECK(!memcmp(F + 2 * i * nn, A + i * nn, nn * sizeof *F) &&
                      !memcmp(F + (2 * i + 1) * nn, B + i * nn, nn * sizeof *F),
                  "f %d n %zu: other bits of matrix %zu", functions[k / 3], n, i);
    }
}

static void functions_of_bad_condition(void)
{
    static const size_t sizes[] = {5, 20, 32, 48, 72};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!test_turn(k))
            continue;
        for (double condition = 1e8; condition < 1e13; condition *= 1e4)
            functions_of(sizes[k], condition);
    }
}

/* ---- means ---------------------------------------------------------------------------------- */

enum { MEANS = 5 };
static const spd_metric mean_metrics[MEANS] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN,
                                               SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_JEFFREY,
                                               SPD_METRIC_EUCLIDEAN};

/* The mean of the GPU, all of whose passes it has done, but of a mere sum none, is near the processor's, and has the same
 * bits on another run. Both stop by the same rule, at a residual of 1e-12 or where rounding allows
 * no less: when that is differs where the condition is bad. */
static void mean_of(spd_metric metric, size_t n, size_t p, const double *X, const double *weight,
                    double tolerance)
{
    size_t nn = n * n, before = cuda_jobs_done();
    int started = metric == SPD_METRIC_AIRM || metric == SPD_METRIC_STEIN;
    double *A = block(nn), *B = block(nn), *C = block(nn);
    spd_context *cpu = context_with(SPD_ENGINE_CPU), *gpu = context_with(SPD_ENGINE_CUDA);
    spd_mean_info one = {.size = sizeof one}, two = {.size = sizeof two};
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    spd_context_set_threads(gpu, 3);
    o.weights = weight;
    CHECK_OK(cpu, spd_mean(cpu, metric, SPD_SET(n, p, X), &o, A, &one));
    CHECK_OK(gpu, spd_mean(gpu, metric, SPD_SET(n, p, X), &o, B, &two));
    int passes = metric == SPD_METRIC_EUCLIDEAN ? 0 : 1 + started + two.iterations;
    CHECK(cuda_jobs_done() == before + (size_t)passes, "n %zu metric %d: not on the GPU", n,
          metric);
    spd_mean(gpu, metric, SPD_SET(n, p, X), &o, C, NULL);
    double gap = gap_between(nn, A, B) / norm(nn, A);
    CHECK(gap <= tolerance, "n %zu metric %d: off by %g", n, metric, gap);
    CHECK(two.converged && two.iterations <= 2 + 2 * one.iterations,
          "n %zu metric %d: %d and %d iterations", n, metric, one.iterations, two.iterations);
    CHECK(memcmp(B, C, nn * sizeof *B) == 0, "n %zu metric %d: other bits", n, metric);
}

/* Brief: those by inverses alone. */
static void means_of(size_t n, double condition, int brief)
{
    size_t p = enough(n), nn = n * n;
    rng r = seeded(n + 11);
    double *X = random_set(&r, n, p, condition), *weight = block(p), *M = block(nn);
    double tolerance = 20.0 * DBL_EPSILON * (double)(n + 4) * condition + 1e-11;
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    for (size_t i = 0; i < p; i++)
        weight[i] = rng_uniform(&r);
    for (int k = brief; k < 2 * MEANS; k += 1 + brief)
        if (!brief || k == 3 || k == 7)
            mean_of(mean_metrics[k / 2], n, p, X, k % 2 ? weight : NULL, tolerance);
    X[4 * nn] = -1.0;
    for (int k = 0; k < MEANS - 1; k++) {
        M[0] = 7.0;
        CHECK(spd_mean(gpu, mean_metrics[k], SPD_SET(n, p, X), NULL, M, NULL) == SPD_ENOTSPD &&
                  spd_context_error(gpu)->index == 4 && M[0] == 7.0,
              "%s", spd_context_error(gpu)->message);
    }
}

static void means_agree(void)
{
    static const size_t sizes[] = {1,  2,  7,  8,   9,   16,  17,  24,  30,  31,  32,  33, 48,
                                   64, 65, 93, 128, 155, 160, 161, 177, 192, 225, 300, 512};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!test_turn(k))
            continue;
        means_of(sizes[k], sizes[k] % 2 ? 1e3 : 50.0, 0);
    }
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
    rng r = seeded(n + 14);
    double *X = random_set(&r, n, p, condition), *M = random_set(&r, n, 1, condition);
    double *weight = block(p), *A = block(nn), *frame = take_zeros(triangle, sizeof *frame);
    double *stein = take_zeros(triangle + 1, sizeof *stein),
           *jeffrey = take_zeros(nn + n, sizeof *jeffrey);
    double *sum = block(nn + n), whole, own, tolerance = 1e-13 * (double)n * condition;
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    engine_passes *passes = NULL;
    add_lower(n, 1.0, M, frame);
    for (size_t i = 0; i < p; i++) {
        const double *Xi = X + i * nn;
        weight[i] = rng_uniform(&r);
        for (size_t e = 0; e < nn; e++)
            A[e] = 0.5 * (M[e] + Xi[e]);
        spd_logdet(NULL, SPD_SET(n, 1, A), &whole);
        spd_logdet(NULL, SPD_SET(n, 1, Xi), &own);
        stein[triangle] += weight[i] * (whole - 0.5 * own);
        spd_inverse(NULL, SPD_SET(n, 1, A), A);
        add_lower(n, weight[i], A, stein);
        add_lower(n, weight[i], Xi, jeffrey);
        spd_inverse(NULL, SPD_SET(n, 1, Xi), A);
        add_lower(n, weight[i], A, jeffrey + triangle);
    }
    const set_job j = {.of = OPERATION_MEAN, .X = SPD_SET(n, p, X), .metric = SPD_METRIC_STEIN};
    const engine_table *e = &engine_cuda;
    CHECK(e->mean_open(gpu, &j, weight, &passes) == SPD_OK && passes, "open");
    CHECK(e->mean_sum(passes, SPD_METRIC_STEIN, frame, triangle + 1, sum) == SPD_OK &&
              gap_between(triangle, sum, stein) <= tolerance * norm(triangle, stein),
          "n %zu", n);
    CHECK_CLOSE(sum[triangle], stein[triangle], tolerance * (double)p, "n %zu", n);
    CHECK(e->mean_sum(passes, SPD_METRIC_JEFFREY, NULL, 2 * triangle, sum) == SPD_OK &&
              gap_between(triangle, sum, jeffrey) <= 1e-14 * norm(triangle, jeffrey),
          "X");
    CHECK(gap_between(triangle, sum + triangle, jeffrey + triangle) <=
              tolerance * norm(triangle, jeffrey + triangle),
          "n %zu: inverses", n);
    e->mean_close(passes);
}

/* Those of the Jeffrey divergence have an error of the size of rounding times the condition, on the
 * processor too; Stein's are far better. */
static void ill_conditioned_means(size_t n, double condition)
{
    size_t p = enough(n);
    rng r = seeded(n + 12);
    double *X = random_set(&r, n, p, condition);
    mean_of(SPD_METRIC_STEIN, n, p, X, NULL, 1e-9);
    mean_of(SPD_METRIC_JEFFREY, n, p, X, NULL, DBL_EPSILON * condition + 1e-11);
}

static void sums_and_bad_condition(void)
{
    static const size_t sizes[] = {5, 20, 33, 48, 93, 160, 300};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!test_turn(k))
            continue;
        sums_of(sizes[k], 100.0);
        for (double condition = 1e8; condition < 1e13; condition *= 1e4)
            ill_conditioned_means(sizes[k], condition);
    }
}

/* Of sets whose determinants are no numbers; of a sample alone among zero weights, itself. */
static void means_of_any_scale(void)
{
    enum { N = 11, P = 144, EACH = N * N };
    rng r = seeded(4);
    double *X = random_set(&r, N, P, 100.0), *Z = block(P * EACH), M[EACH], A[EACH];
    double *weight = take_zeros(P, sizeof *weight);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    for (int k = 0; k < 6; k++) {
        spd_metric metric = k % 2 ? SPD_METRIC_STEIN : SPD_METRIC_JEFFREY;
        int power = (k / 2 - 1) * 400;
        for (size_t e = 0; e < P * EACH; e++)
            Z[e] = ldexp(X[e], power);
        CHECK(spd_mean(gpu, metric, SPD_SET(N, P, X), NULL, A, NULL) == SPD_OK, "plain");
        mean_of(metric, N, P, Z, NULL, 1e-11);
        CHECK(spd_mean(gpu, metric, SPD_SET(N, P, Z), NULL, M, NULL) == SPD_OK, "2^%d", power);
        for (size_t e = 0; e < EACH; e++)
            CHECK_CLOSE(ldexp(M[e], -power), A[e], 1e-12 * norm(EACH, A), "2^%d: %zu", power, e);
    }
    weight[P - 1] = 0.3;
    o.weights = weight;
    for (int k = 0; k < MEANS; k++) {
        CHECK(spd_mean(gpu, mean_metrics[k], SPD_SET(N, P, X), &o, M, NULL) == SPD_OK,
              "one weight");
        CHECK(gap_between(EACH, M, X + (P - 1) * EACH) <= 1e-12 * norm(EACH, M), "metric %d", k);
    }
    X[3 * EACH] = INFINITY; /* nothing that is not finite passes for a mean */
    for (int k = 0; k < MEANS; k++)
        CHECK(spd_mean(gpu, mean_metrics[k], SPD_SET(N, P, X), NULL, M, NULL) < 0 &&
                  spd_context_error(gpu)->index == 3,
              "metric %d: %s", k, spd_context_error(gpu)->message);
}

/* Powers of two cancel; what leaves the range of numbers is said as on the processor. */
static void scales_and_faults(void)
{
    enum { N = 6, P = 500 };
    rng r = seeded(2);
    double *X = random_set(&r, N, P, 10.0), *F = block(P * N * N), *A = block(P * N * N);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    spd_apply(gpu, SPD_FUNCTION_SQRT, 0.0, SPD_SET(N, P, X), A);
    for (size_t e = 0; e < P * N * N; e++)
        X[e] = ldexp(X[e], e / (N * N) % 2 ? 900 : -900);
    CHECK(spd_apply(gpu, SPD_FUNCTION_SQRT, 0.0, SPD_SET(N, P, X), F) == SPD_OK, "scaled");
    for (size_t e = 0; e < P * N * N; e++) {
        double wanted = ldexp(A[e], e / (N * N) % 2 ? 450 : -450);
        CHECK(F[e] == wanted, "entry %zu", e);
    }
    CHECK(spd_apply(gpu, SPD_FUNCTION_EXP, 0.0, SPD_SET(N, P, X), F) == SPD_ENUMERIC &&
              spd_context_error(gpu)->index == 1,
          "%s", spd_context_error(gpu)->message);
    CHECK(F[3] == ldexp(A[3], -450), "written to");
    X[17 * N * N] = -1.0;
    CHECK(spd_apply(gpu, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, P, X), X) == SPD_ENOTSPD &&
              spd_context_error(gpu)->index == 17,
          "%s", spd_context_error(gpu)->message);
    X[12 * N * N + N] = NAN;
    CHECK(spd_eigh(gpu, SPD_SET(N, P, X), F, NULL) < 0 && spd_context_error(gpu)->index == 12, "%s",
          spd_context_error(gpu)->message);
}

static int stop_at_once(void *user, const spd_progress *p)
{
    (void)p;
    return ++*(int *)user > 0;
}

static void can_be_stopped(void)
{
    enum { N = 64, P = 3000 };
    rng r = seeded(3);
    double *X = random_set(&r, N, P, 10.0);
    int calls = 0;
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    spd_context_set_progress(gpu, stop_at_once, &calls);
    spd_status status = spd_apply(gpu, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, P, X), X);
    CHECK(status == SPD_ECANCELLED || calls == 0, "status %d", status); /* it may be too fast */
}

/* A pass asks after every batch, the first one too. */
static void means_can_be_stopped(void)
{
    enum { N = 6, P = 500 };
    rng r = seeded(6);
    double *X = random_set(&r, N, P, 10.0), M[N * N] = {7.0};
    spd_context *gpu = context_with(SPD_ENGINE_CUDA);
    for (int k = 0; k < MEANS - 1; k++) {
        int calls = 0;
        spd_context_set_progress(gpu, stop_at_once, &calls);
        spd_status status = spd_mean(gpu, mean_metrics[k], SPD_SET(N, P, X), NULL, M, NULL);
        CHECK(status == SPD_ECANCELLED && calls == 1 && M[0] == 7.0, "metric %d: status %d", k,
              status);
    }
}

/* Means of sets that lie on the device: the same bits as of those that are copied there. Sums of
 * those on the host are the processor's. */
static void means_on_the_device(void)
{
    enum { N = 11, P = 144, EACH = N * N };
    rng r = seeded(13);
    double *X = random_set(&r, N, P, 100.0), *weight = block(P), A[EACH], B[EACH];
    spd_context *gpu = context_with(SPD_ENGINE_CUDA), *ctx = context_with(SPD_ENGINE_CPU);
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    for (size_t i = 0; i < P; i++)
        weight[i] = rng_uniform(&r);
    o.weights = weight;
    for (int k = 0; k < MEANS; k++) {
        spd_mean_info one = {.size = sizeof one}, two = {.size = sizeof two};
        spd_metric metric = mean_metrics[k];
        size_t before = cuda_jobs_done();
        CHECK(spd_mean(gpu, metric, SPD_SET(N, P, X), &o, A, &one) == SPD_OK, "metric %d", k);
        size_t calls = cuda_jobs_done() - before;
        CHECK_OK(ctx, spd_mean(ctx, metric, THERE(N, P, X), &o, B, &two));
        int sum = metric == SPD_METRIC_EUCLIDEAN;
        CHECK(sum ? calls == 0 && cuda_jobs_done() > before
                  : cuda_jobs_done() == before + 2 * calls,
              "metric %d: not on the GPU", k);
        CHECK((sum ? gap_between(EACH, A, B) <= 1e-14 * norm(EACH, A)
                   : memcmp(A, B, sizeof A) == 0) &&
                  one.iterations == two.iterations && one.residual == two.residual && two.converged,
              "metric %d: another mean", k);
    }
    static const spd_metric others[] = {SPD_METRIC_BURES_WASSERSTEIN, SPD_METRIC_LOG_CHOLESKY};
    for (int k = 0; k < 2; k++) {
        CHECK(spd_mean(ctx, others[k], SPD_SET(N, P, X), &o, A, NULL) == SPD_OK, "other %d", k);
        CHECK_OK(ctx, spd_mean(ctx, others[k], THERE(N, P, X), &o, B, NULL));
        CHECK(gap_between(EACH, A, B) <= 1e-12 * norm(EACH, A), "other %d", k);
    }
    CHECK(spd_mean(NULL, SPD_METRIC_STEIN, THERE(N, 1, X), NULL, B, NULL) == SPD_OK &&
              gap_between(EACH, X, B) <= 1e-12 * norm(EACH, B),
          "one matrix");
    o.max_iter = 1;
    CHECK(spd_mean(ctx, SPD_METRIC_STEIN, THERE(N, P, X), &o, B, NULL) == SPD_NOT_CONVERGED, "one");
    X[EACH * 140] = -1.0;
    for (int k = 0; k < MEANS - 1; k++) {
        B[0] = 7.0;
        CHECK(spd_mean(ctx, mean_metrics[k], THERE(N, P, X), NULL, B, NULL) == SPD_ENOTSPD &&
                  spd_context_error(ctx)->index == 140 && B[0] == 7.0,
              "%s", spd_context_error(ctx)->message);
    }
    weight[3] = -1.0;
    CHECK(spd_mean(ctx, SPD_METRIC_STEIN, THERE(N, P, X), &o, B, NULL) == SPD_EINVAL, "a weight");
    CHECK(spd_mean(ctx, SPD_METRIC_STEIN, THERE(N, 0, X), NULL, B, NULL) == SPD_EINVAL, "empty");
}

/* Sets that lie on the device: the same bits, and from the GPU, as of those that are copied there,
 * at a scale that the GPU has to notice. Without a context and in place too. */
static void sets_on_the_device(void)
{
    enum { N = 5, P = 70, Q = 60, K = 4 };
    static int64_t a[P * K], b[P * K];
    rng r = seeded(11);
    double *X = random_set(&r, N, P, 100.0), *Y = random_set(&r, N, Q, 100.0);
    double *A = block(P * P), *B = block(P * P);
    spd_context *gpu = context_with(SPD_ENGINE_CUDA), *ctx = context_with(SPD_ENGINE_CPU);
    spd_nearest_info one = SPD_STRUCT(spd_nearest_info), two = one;
    size_t before = cuda_jobs_done();
    for (size_t e = 0; e < N * N * P; e++)
        X[e] = ldexp(X[e], 700);
    for (size_t e = 0; e < N * N * Q; e++)
        Y[e] = ldexp(Y[e], 700);
    for (int k = 0; k < 2 * METRICS - 2; k++) { /* Euclidean distances would overflow */
        spd_metric metric = metrics[k / 2];
        const double *other = k % 2 ? Y : NULL;
        size_t rows = k % 2 ? Q : P;
        CHECK(spd_pairwise2(gpu, metric, SPD_SET(N, P, X), SET_OR_NULL(N, Q, other), A) == SPD_OK,
              "kind %d", k);
        CHECK_OK(ctx, spd_pairwise2(ctx, metric, THERE(N, P, X),
                                    (other) ? THERE(N, Q, other) : NULL, B));
        CHECK(memcmp(A, B, P * rows * sizeof *A) == 0, "kind %d: other distances", k);
        CHECK(spd_nearest(gpu, metric, SPD_SET(N, P, X), SET_OR_NULL(N, Q, other), K, NULL, a, A,
                          &one) == SPD_OK,
              "kind %d", k);
        CHECK_OK(ctx, spd_nearest(ctx, metric, THERE(N, P, X), (other) ? THERE(N, Q, other) : NULL,
                                  K, NULL, b, B, &two));
        CHECK(memcmp(a, b, rows * sizeof *a * K) == 0 && memcmp(A, B, rows * sizeof *A * K) == 0 &&
                  two.exact == one.exact,
              "kind %d: other neighbours", k);
    }
    CHECK(cuda_jobs_done() == before + 4 * (2 * METRICS - 2), "not all on the GPU");
    spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, P, X), A);
    CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, THERE(N, P, X), X) == SPD_OK, "logarithms");
    CHECK(gap_between(P * N * N, A, X) <= 1e-12 * norm(P * N * N, A), "logarithms");
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
    bounded_neighbours_of(9, 0);
    bounded_neighbours_of(34, 0);
    distances_of(33, 1e-12 * 33.0, 1);
    distances_of(65, 1e-12 * 65.0, 1);
    distances_of(129, 1e-12 * 129.0, 1);
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
        RUN(functions_of_mixed_condition);
        RUN(bad_sets_are_named);
        RUN(singular_sets_are_named);
        RUN(scales_and_faults);
        RUN(means_of_any_scale);
        RUN(means_can_be_stopped);
        return test_summary();
    }
    const int all = count == 2 && test_take_part(word[1]);
    for (int k = 1; k < count && !all; k++) {
        size_t n = strtoul(word[k], NULL, 10);
        test_failed_checks = 0;
        if (strchr(word[k], 'd')) {
            distances_of(n, 1e-12 * (double)n, strchr(word[k], 'b') != NULL);
            if (!strchr(word[k], 'b'))
                neighbours_of(n);
        } else if (strchr(word[k], 'k')) {
            bounded_neighbours_of(n, strchr(word[k], 'b') != NULL);
        } else if (strchr(word[k], 'm')) {
            means_of(n, 50.0, strchr(word[k], 'b') != NULL);
        } else {
            functions_of(n, 1e6);
            eigenvalues_of(n, 1e3);
        }
        printf("%s n %zu\n", test_failed_checks ? "FAIL" : "ok  ", n);
        test_failed += test_failed_checks > 0;
    }
    if (count > 1 && !all)
        return test_failed > 0;
    RUN(distances_agree);
    RUN(bounded_neighbours);
    RUN_IN_TURN(bad_sets_are_named);
    RUN_IN_TURN(singular_sets_are_named);
    RUN(functions_agree);
    RUN(functions_of_bad_condition);
    RUN_IN_TURN(functions_of_mixed_condition);
    RUN_IN_TURN(scales_and_faults);
    RUN(means_agree);
    RUN(sums_and_bad_condition);
    RUN_IN_TURN(means_of_any_scale);
    RUN_IN_TURN(means_can_be_stopped);
    RUN_IN_TURN(can_be_stopped);
    return test_summary();
}
