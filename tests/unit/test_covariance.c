/* test_covariance.c - covariances against their definition, in long double; shrinkage against the
 * formulas term by term; projection, blocks, hostile numbers, threads. */
#include "random_spd.h"
#include "repeat.h"

#include "describe/descriptor.h"

/* O (r x n) <- normal numbers, mixed by a random matrix, about a mean. */
static double *observe(rng *g, size_t r, size_t n, double mean)
{
    double *O = block(r * n), *A = block(n * n), *z = block(n);
    for (size_t e = 0; e < n * n; e++)
        A[e] = rng_normal(g) / sqrt((double)n);
    for (size_t k = 0; k < r; k++) {
        for (size_t c = 0; c < n; c++)
            z[c] = rng_normal(g);
        for (size_t c = 0; c < n; c++) {
            double sum = z[c];
            for (size_t j = 0; j < n; j++)
                sum += A[c * n + j] * z[j];
            O[k * n + c] = mean * (double)(c + 1) + sum;
        }
    }
    return O;
}

/* C (n x n) <- by two passes in long double; divisor r - less. */
static void twin_covariance(size_t r, size_t n, const double *O, size_t less, double *C)
{
    long double *mean = take_zeros(n, sizeof *mean);
    for (size_t k = 0; k < r; k++)
        for (size_t c = 0; c < n; c++)
            mean[c] += O[k * n + c];
    for (size_t c = 0; c < n; c++)
        mean[c] /= (long double)r;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            long double sum = 0;
            for (size_t k = 0; k < r; k++)
                sum += (O[k * n + i] - mean[i]) * (O[k * n + j] - mean[j]);
            C[i * n + j] = (double)(sum / (long double)(r - less));
        }
}

TEST(equals_the_definition)
{
    static const struct {
        size_t r, n;
    } sizes[] = {{2, 1}, {5, 4}, {100, 7}, {256, 5}, {257, 5}, {1000, 33}, {5000, 3}};
    rng g;
    rng_seed(&g, 1);
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        size_t r = sizes[t].r, n = sizes[t].n;
        double *O = observe(&g, r, n, 3.0), *C = block(n * n), *D = block(n * n);
        twin_covariance(r, n, O, 1, D);
        CHECK(spd_covariance(NULL, r, n, O, NULL, C) == SPD_OK, "r = %zu, n = %zu", r, n);
        CHECK(relative_gap(n * n, C, D) < 1e-14 * (double)n, "r = %zu, n = %zu", r, n);
        CHECK(skewness(n, C) == 0.0, "both triangles are equal");
    }
}

/* A mean of 1e8 leaves deviations of 1 eight digits; none of them may be lost. A drift makes the
 * means of the blocks differ. */
TEST(survives_a_large_mean)
{
    enum { R = 3000, N = 6 };
    rng g = seeded(2);
    double *O = observe(&g, R, N, 1e8), *C = block(N * N), *D = block(N * N);
    twin_covariance(R, N, O, 1, D);
    spd_covariance(NULL, R, N, O, NULL, C);
    CHECK(relative_gap(N * N, C, D) < 1e-13, "gap %g", relative_gap(N * N, C, D));
    for (size_t e = 0; e < R * N; e++)
        O[e] += 1e6 * (double)(e / N);
    twin_covariance(R, N, O, 1, D);
    spd_covariance(NULL, R, N, O, NULL, C);
    CHECK(relative_gap(N * N, C, D) < 1e-13, "drift: gap %g", relative_gap(N * N, C, D));
}

/* rho by the formulas as they are printed: x x' - S for every sample. */
static double twin_rho(spd_shrinkage kind, size_t r, size_t n, const double *O, const double *S)
{
    double mu = trace_of(n, S) / (double)n, d = 0.0, b = 0.0, a = 0.0;
    double *mean = block(n);
    for (size_t e = 0; e < n * n; e++) {
        double gap = S[e] - (e % (n + 1) == 0 ? mu : 0.0);
        d += gap * gap / (double)n;
        a += S[e] * S[e] / (double)(n * n);
    }
    if (kind == SPD_SHRINKAGE_OAS) {
        return fmin(1.0, (a + mu * mu) / ((double)(r + 1) * (a - mu * mu / (double)n)));
    }
    memset(mean, 0, n * sizeof *mean);
    for (size_t e = 0; e < r * n; e++)
        mean[e % n] += O[e] / (double)r;
    for (size_t k = 0; k < r; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double x = (O[k * n + i] - mean[i]) * (O[k * n + j] - mean[j]) - S[i * n + j];
                b += x * x / ((double)n * (double)r * (double)r);
            }
    return fmin(b, d) / d;
}

TEST(shrinks_as_the_formulas_say)
{
    static const spd_shrinkage kinds[] = {SPD_SHRINKAGE_OAS, SPD_SHRINKAGE_LEDOIT_WOLF,
                                          SPD_SHRINKAGE_VALUE};
    static const size_t rows[] = {4, 9, 40, 5000};
    enum { N = 9 };
    rng g = seeded(3);
    for (size_t t = 0; t < 12; t++) {
        size_t r = rows[t % 4];
        spd_covariance_options options = {.shrinkage = kinds[t / 4], .shrink = 0.3};
        double *O = observe(&g, r, N, 2.0), S[N * N], C[N * N];
        twin_covariance(r, N, O, 0, S);
        double rho = options.shrinkage == SPD_SHRINKAGE_VALUE
                         ? 0.3
                         : twin_rho(options.shrinkage, r, N, O, S);
        double mu = trace_of(N, S) / N;
        CHECK(spd_covariance(NULL, r, N, O, &options, C) == SPD_OK, "r = %zu", r);
        CHECK(rho > 0.0 && rho <= 1.0, "rho = %g", rho);
        for (size_t e = 0; e < N * N; e++)
            CHECK_CLOSE(C[e], (1.0 - rho) * S[e] + (e % (N + 1) == 0 ? rho * mu : 0.0), 1e-12,
                        "kind %d, r = %zu, entry %zu", (int)options.shrinkage, r, e);
    }
}

/* Scikit-learn's Ledoit-Wolf and OAS for four observations of three values. */
TEST(golden_shrinkage)
{
    static const double O[12] = {1, 2, 3, 2, 1, 0, 4, 3, 5, 0, 1, 2};
    double S[9], C[9], mu;
    spd_covariance_options options = {.shrinkage = SPD_SHRINKAGE_LEDOIT_WOLF};
    twin_covariance(4, 3, O, 0, S);
    mu = trace_of(3, S) / 3.0;
    spd_covariance(NULL, 4, 3, O, &options, C);
    CHECK_CLOSE(1.0 - C[1] / S[1], 0.6343775762572136, 1e-12, "ledoit-wolf");
    options.shrinkage = SPD_SHRINKAGE_OAS;
    spd_covariance(NULL, 4, 3, O, &options, C);
    CHECK_CLOSE(1.0 - C[1] / S[1], 0.9917559769167351, 1e-12, "oas");
    CHECK_CLOSE(trace_of(3, C) / 3.0, mu, 1e-14, "the trace stays");
}

TEST(regularizes_by_the_trace)
{
    enum { R = 3, N = 5 };
    rng g = seeded(4);
    double *O = observe(&g, R, N, 0.0), C[N * N], D[N * N];
    const spd_covariance_options options = {.regularize = 1e-2};
    twin_covariance(R, N, O, 1, D);
    double lift = 1e-2 * trace_of(N, D) / N;
    CHECK(spd_covariance(NULL, R, N, O, &options, C) == SPD_OK, "repaired");
    for (size_t e = 0; e < N * N; e++)
        CHECK_CLOSE(C[e], D[e] + (e % (N + 1) == 0 ? lift : 0.0), 1e-13, "entry %zu", e);
    CHECK(spd_check(NULL, SPD_SET(N, 1, C), 0.0) == SPD_OK, "positive definite");
}

/* W'CW without C, also where C itself would be singular: m < r <= n. */
TEST(projects_first)
{
    enum { N = 40, M = 5 };
    static const size_t rows[] = {M + 1, 30, N, 900};
    rng g = seeded(5);
    double *W = block(N * M), *D = block(N * N), *P = block(M * N);
    for (size_t t = 0; t < 4; t++) {
        size_t r = rows[t];
        double *O = observe(&g, r, N, 50.0), C[M * M], expected[M * M];
        for (size_t e = 0; e < N * M; e++)
            W[e] = rng_normal(&g);
        const spd_covariance_options options = {.m = M, .W = W, .n = N};
        twin_covariance(r, N, O, 1, D);
        flip(N, M, W, P);
        congruent(M, N, P, D, expected);
        CHECK(spd_covariance(NULL, r, N, O, &options, C) == SPD_OK, "r = %zu", r);
        CHECK(relative_gap(M * M, C, expected) < 1e-12, "r = %zu", r);
        CHECK(spd_check(NULL, SPD_SET(M, 1, C), 0.0) == SPD_OK, "r = %zu > m is enough", r);
    }
}

/* Regularised first, mapped then: for the truncated identity the leading block. */
TEST(regularises_before_it_projects)
{
    enum { N = 6, M = 2, R = 50 };
    static const spd_shrinkage kinds[] = {SPD_SHRINKAGE_NONE, SPD_SHRINKAGE_VALUE};
    double W[N * M] = {0}, C[N * N], S[M * M];
    rng g = seeded(15);
    double *O = observe(&g, R, N, 1e3);
    for (size_t i = 0; i < M; i++)
        W[i * M + i] = 1.0;
    for (size_t t = 0; t < 2; t++) {
        spd_covariance_options options = {.shrinkage = kinds[t], .regularize = 0.05};
        CHECK(spd_covariance(NULL, R, N, O, &options, C) == SPD_OK, "whole");
        options.m = M;
        options.W = W;
        CHECK(spd_covariance(NULL, R, N, O, &options, S) == SPD_OK, "projected");
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < M; j++)
                CHECK_CLOSE(S[i * M + j], C[i * N + j], 1e-12, "entry %zu %zu", i, j);
    }
}

TEST(refuses_too_few_rows)
{
    enum { N = 4, M = 3 };
    double O[5 * N], W[N * M], C[N * N] = {7.0};
    rng g = seeded(6);
    for (size_t e = 0; e < 5 * N; e++)
        O[e] = rng_normal(&g);
    for (size_t e = 0; e < N * M; e++)
        W[e] = rng_normal(&g);
    spd_covariance_options options = {.m = M, .W = W};
    spd_context *ctx = context_on(0);
    CHECK(spd_covariance(ctx, N, N, O, NULL, C) == SPD_EINVAL, "r = n");
    CHECK(strstr(said(ctx), "rank 3") &&
              spd_context_error(ctx)->remedy ==
                  (SPD_REMEDY_SHRINK | SPD_REMEDY_REGULARIZE | SPD_REMEDY_PROJECT),
          "%s", said(ctx));
    CHECK(spd_covariance(ctx, N + 1, N, O, NULL, C) == SPD_OK, "r = n + 1");
    C[0] = 7.0;
    CHECK(spd_covariance(ctx, M, N, O, &options, C) == SPD_EINVAL, "r = m with W");
    CHECK_SAYS(ctx, "rank 2");
    options.n = N + 1;
    CHECK(spd_covariance(ctx, 5, N, O, &options, C) == SPD_EINVAL, "a model of another size");
    options = (spd_covariance_options){.regularize = 1.0};
    CHECK(spd_covariance(ctx, 1, N, O, &options, C) == SPD_EINVAL, "one row");
    CHECK(spd_covariance(ctx, 0, N, O, &options, C) == SPD_EINVAL, "no row");
    options = (spd_covariance_options){.shrinkage = SPD_SHRINKAGE_VALUE, .shrink = 1.5};
    CHECK(spd_covariance(ctx, 5, N, O, &options, C) == SPD_EINVAL, "shrinkage above 1");
    options = (spd_covariance_options){.reserved = {[7] = 1.0}};
    CHECK(spd_covariance(ctx, 5, N, O, &options, C) == SPD_EINVAL, "a member to come");
    options = (spd_covariance_options){.regularize = NAN};
    CHECK(spd_covariance(ctx, 5, N, O, &options, C) == SPD_EINVAL, "NaN");
    CHECK(C[0] == 7.0, "outputs are untouched");
}

TEST(names_rows_that_are_no_numbers)
{
    enum { R = 3000, N = 3 };
    rng g = seeded(7);
    double *O = observe(&g, R, N, 0.0), C[N * N] = {7.0};
    spd_context *ctx = context_on(0);
    O[2500 * N + 1] = NAN;
    CHECK(spd_covariance(ctx, R, N, O, NULL, C) == SPD_ENOTFINITE, "NaN");
    CHECK_SAYS(ctx, "row 2500, column 1");
    O[2500 * N + 1] = 1e200;
    CHECK(spd_covariance(ctx, R, N, O, NULL, C) == SPD_ENUMERIC, "overflow");
    CHECK(C[0] == 7.0, "outputs are untouched");
}

TEST(same_bits_for_any_threads)
{
    enum { R = 40000, N = 12 };
    rng g = seeded(8);
    double *O = observe(&g, R, N, 10.0), first[N * N], C[N * N];
    const spd_covariance_options options = {.shrinkage = SPD_SHRINKAGE_LEDOIT_WOLF};
    for (int threads = 1; threads <= 5; threads += 2) {
        spd_context *ctx = context_on(threads);
        CHECK(spd_covariance(ctx, R, N, O, &options, C) == SPD_OK, "%d threads", threads);
        if (threads == 1)
            memcpy(first, C, sizeof first);
        CHECK(memcmp(first, C, sizeof first) == 0, "%d threads", threads);
    }
}

/* Blocks on the diagonal; with W the sum of what the blocks give by their rows of W. */
TEST(blocks_stand_on_the_diagonal)
{
    enum { A = 3, B = 4, N = A + B, R = 60, M = 2 };
    rng g = seeded(9);
    double *P = observe(&g, R, A, 1.0), *Q = observe(&g, 2 * R, B, -1.0), X[N * N], W[N * M];
    double CA[A * A], CB[B * B], S[M * M], D[N * N] = {0}, T[M * N], expected[M * M];
    const observations both[] = {{R, A, P}, {2 * R, B, Q}};
    spd_covariance_options options = {0};
    twin_covariance(R, A, P, 1, CA);
    twin_covariance(2 * R, B, Q, 1, CB);
    for (size_t i = 0; i < A; i++)
        for (size_t j = 0; j < A; j++)
            D[i * N + j] = CA[i * A + j];
    for (size_t i = 0; i < B; i++)
        for (size_t j = 0; j < B; j++)
            D[(A + i) * N + A + j] = CB[i * B + j];
    CHECK(covariance_blocks(NULL, &options, 2, both, X) == SPD_OK, "two blocks");
    CHECK(relative_gap(N * N, X, D) < 1e-13, "gap %g", relative_gap(N * N, X, D));
    for (size_t e = 0; e < N * M; e++)
        W[e] = rng_normal(&g);
    options = (spd_covariance_options){.m = M, .W = W};
    flip(N, M, W, T);
    congruent(M, N, T, D, expected);
    CHECK(covariance_blocks(NULL, &options, 2, both, S) == SPD_OK, "two blocks, projected");
    CHECK(relative_gap(M * M, S, expected) < 1e-13, "gap %g", relative_gap(M * M, S, expected));
}

TEST(every_allocation_may_fail)
{
    enum { R = 9000, N = 4 };
    rng g = seeded(10);
    double *O = observe(&g, R, N, 0.0), C[N * N];
    const spd_covariance_options options = {.shrinkage = SPD_SHRINKAGE_LEDOIT_WOLF};
    spd_context *ctx = context_on(2);
    for (sweep_state s = SWEEP(ctx, 1, C, sizeof C); sweep_on(&s);) {
        s.status = spd_covariance(ctx, R, N, O, &options, C);
        CHECK(spd_context_error(ctx)->status == s.status, "allocation %ld", s.k);
    }
}

/* Many recordings, channels in rows, are what each is alone with its observations in rows. */
TEST(many_recordings)
{
    enum { N = 5, R = 40, P = 9 };
    const spd_covariance_options kinds[] = {{.shrinkage = SPD_SHRINKAGE_NONE},
                                            {.shrinkage = SPD_SHRINKAGE_OAS},
                                            {.shrinkage = SPD_SHRINKAGE_LEDOIT_WOLF},
                                            {.shrinkage = SPD_SHRINKAGE_VALUE, .shrink = 0.3},
                                            {.shrinkage = SPD_SHRINKAGE_NONE, .regularize = 0.1}};
    rng g = seeded(21);
    double *O = block(P * N * R), *rows[P], C[P * N * N], alone[N * N];
    for (size_t i = 0; i < P; i++) {
        rows[i] = observe(&g, R, N, 1e3);
        for (size_t c = 0; c < N; c++)
            for (size_t k = 0; k < R; k++)
                O[(i * N + c) * R + k] = rows[i][k * N + c];
    }
    for (size_t which = 0; which < 5; which++)
        for (int exponent = -480; exponent <= 480; exponent += 480) {
            double unit = ldexp(1.0, exponent);
            for (size_t e = 0; e < P * N * R; e++)
                O[e] *= unit;
            CHECK(spd_covariances(NULL, P, N, R, O, &kinds[which], C) == SPD_OK, "kind %zu", which);
            for (size_t e = 0; e < P * N * R; e++)
                O[e] /= unit;
            for (size_t i = 0; i < P; i++) {
                CHECK(spd_covariance(NULL, R, N, rows[i], &kinds[which], alone) == SPD_OK, " ");
                for (size_t e = 0; e < N * N; e++)
                    C[i * N * N + e] = C[i * N * N + e] / unit / unit;
                CHECK_CLOSE(relative_gap(N * N, C + i * N * N, alone), 0.0, 1e-10,
                            "kind %zu, recording %zu, exponent %d", which, i, exponent);
                CHECK(skewness(N, C + i * N * N) == 0.0, " ");
            }
        }
    spd_context *ctx = context_on(0);
    C[0] = 9.0;
    O[(6 * N + 2) * R + 11] = NAN;
    CHECK(spd_covariances(ctx, P, N, R, O, NULL, C) == SPD_ENOTFINITE && C[0] == 9.0, " ");
    CHECK(spd_context_error(ctx)->index == 6, "%s", said(ctx));
    CHECK(spd_covariances(ctx, P, N, 3, O, NULL, C) == SPD_EINVAL, "rank");
    CHECK(spd_covariances(ctx, 0, N, R, O, NULL, C) == SPD_EINVAL, " ");
    CHECK(spd_covariances(ctx, P, N, R, NULL, NULL, C) == SPD_EINVAL, " ");
    spd_covariance_options projected = {.m = 1, .W = alone};
    CHECK(spd_covariances(ctx, P, N, R, O, &projected, C) == SPD_EINVAL, " ");
}
