/* test_classify_ksvm.c - support vectors against the conditions of their optimum, against a slow
 * solver that moves two coefficients at a time, and against votes counted by hand. */
#include "unit/test_classify_common.h"

#include "classify/svm_pairs.h"

#define N 5
#define P 36
#define Q 24
#define C 4

/* A binary problem: K (size x size), y, and its solution a with rho. */
typedef struct binary {
    size_t size;
    double *K, *y, *a, rho;
} binary;

/* g_i = y_i (sum_j y_j a_j K_ij) - 1, the gradient of a'Qa/2 - 1'a. */
static double slope(const binary *b, size_t i)
{
    double sum = 0.0;
    for (size_t j = 0; j < b->size; j++)
        sum += b->y[j] * b->a[j] * b->K[i * b->size + j];
    return b->y[i] * sum - 1.0;
}

static double objective(const binary *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < b->size; i++)
        sum += 0.5 * b->a[i] * (slope(b, i) + 1.0) - b->a[i];
    return sum;
}

/* Every pair in turn to its own optimum, y'a kept: slow, but without cleverness. */
static void twin_solve(double cost, binary *b)
{
    for (size_t i = 0; i < b->size; i++)
        b->a[i] = 0.0;
    for (int round = 0; round < 3000; round++)
        for (size_t i = 0; i < b->size; i++)
            for (size_t j = 0; j < i; j++) {
                /* a_i += y_i t, a_j -= y_j t */
                double K =
                    b->K[i * b->size + i] + b->K[j * b->size + j] - 2.0 * b->K[i * b->size + j];
                double t = -(b->y[i] * slope(b, i) - b->y[j] * slope(b, j)) / fmax(K, 1e-12);
                double low_i = b->y[i] > 0 ? -b->a[i] : b->a[i] - cost;
                double high_i = b->y[i] > 0 ? cost - b->a[i] : b->a[i];
                double low_j = b->y[j] > 0 ? b->a[j] - cost : -b->a[j];
                double high_j = b->y[j] > 0 ? b->a[j] : cost - b->a[j];
                t = fmin(fmax(t, fmax(low_i, low_j)), fmin(high_i, high_j));
                b->a[i] += b->y[i] * t;
                b->a[j] -= b->y[j] * t;
            }
}

/* The samples of classes c and d out of K (p x p), and coefficients of the library's solution. */
static binary take_pair(const spd_samples *train, const double *K, const svm_pairs *s,
                        const svm_pair *pair)
{
    size_t size = 0;
    for (size_t i = 0; i < train->p; i++)
        size += (size_t)train->label[i] == pair->a || (size_t)train->label[i] == pair->b;
    binary b = {size, block(size * size), block(size), block(size), pair->rho};
    for (size_t i = 0; i < size; i++) {
        size_t row = svm_pairs_sample(s, pair, i);
        b.y[i] = (size_t)train->label[row] == pair->a ? 1.0 : -1.0;
        b.a[i] = b.y[i] * pair->coef[i];
        for (size_t j = 0; j < size; j++)
            b.K[i * size + j] = K[row * train->p + svm_pairs_sample(s, pair, j)];
    }
    return b;
}

/* Feasible, and y f(x) >= 1 where a = 0, <= 1 where a = cost, = 1 between. */
static void check_conditions(const binary *b, double cost)
{
    double balance = 0.0, tolerance = 2e-4 * fmax(1.0, 1e-2 * cost);
    for (size_t i = 0; i < b->size; i++) {
        double margin = slope(b, i) + 1.0 - b->y[i] * b->rho;
        balance += b->y[i] * b->a[i];
        CHECK(b->a[i] >= 0.0 && b->a[i] <= cost * (1.0 + 1e-12), "a = %g", b->a[i]);
        if (b->a[i] < cost * (1.0 - 1e-9))
            CHECK(margin >= 1.0 - tolerance, "margin %.9g with a = %g", margin, b->a[i]);
        if (b->a[i] > 0.0)
            CHECK(margin <= 1.0 + tolerance, "margin %.9g with a = %g", margin, b->a[i]);
    }
    CHECK_CLOSE(balance, 0.0, 1e-9 * cost * (double)b->size, "y'a");
}

static void compare_solutions(double cost)
{
    labelled_set train = labelled_random(1, N, P, C, 0.8);
    double *K = block(P * P);
    FREED_BY(arena_free) arena room = {0};
    svm_pairs s;
    twin_stein(2.0, N, P, train.X, P, train.X, K); /* beta = (n - 1)/2: definite */
    CHECK(svm_pairs_train(NULL, P, train.label, K, cost, &room, &s) == SPD_OK, "training");
    CHECK(s.pairs == C * (C - 1) / 2, "%zu pairs", s.pairs);
    for (size_t i = 0; i < s.pairs; i++) {
        CHECK(s.pair[i].a < s.pair[i].b, "order");
        binary ours = take_pair(&train.samples, K, &s, &s.pair[i]);
        binary slow = take_pair(&train.samples, K, &s, &s.pair[i]);
        check_conditions(&ours, cost);
        twin_solve(cost, &slow);
        double best = objective(&slow);
        CHECK_CLOSE(objective(&ours), best, 1e-5 * fabs(best), "cost %g, pair %zu", cost, i);
    }
}

TEST(solutions)
{
    compare_solutions(0.3);
    compare_solutions(10.0);
}

/* label (Q) <- votes of the pairs of s, for the kernel Kq (Q x P). */
static void twin_vote(const spd_samples *train, const svm_pairs *s, const double *Kq, int *label)
{
    for (size_t q = 0; q < Q; q++) {
        int votes[C] = {0}, best = 0;
        for (size_t i = 0; i < s->pairs; i++) {
            double f = -s->pair[i].rho;
            for (size_t j = 0; j < train->p; j++) {
                size_t c = (size_t)train->label[j];
                if (c != s->pair[i].a && c != s->pair[i].b)
                    continue;
                for (size_t k = 0; k < P; k++) /* where the pair keeps sample j */
                    if (svm_pairs_sample(s, &s->pair[i], k) == j) {
                        f += s->pair[i].coef[k] * Kq[q * P + j];
                        break;
                    }
            }
            votes[f > 0.0 ? s->pair[i].a : s->pair[i].b]++;
        }
        for (int c = 1; c < C; c++)
            best = votes[c] > votes[best] ? c : best;
        label[q] = best;
    }
}

/* K <- K + shift I where its least eigenvalue is negative; the shift. */
static double twin_repair(size_t p, double *K)
{
    double *lambda = block(p);
    twin_eigh(p, K, lambda, NULL);
    double shift = fmax(0.0, -lambda[0]);
    for (size_t i = 0; i < p; i++)
        K[i * p + i] += shift;
    return shift;
}

/* X <- V V' + I/10 with V of three columns: between such matrices small beta is not definite. */
static void make_thin(uint64_t seed, size_t p, double *X)
{
    double V[N * 3], T[3 * N];
    rng r = seeded(seed);
    for (size_t i = 0; i < p; i++) {
        for (size_t e = 0; e < N * 3; e++)
            V[e] = rng_normal(&r);
        flip(N, 3, V, T);
        times(N, 3, N, V, T, X + i * N * N);
        spd_symmetrize(N, 1, X + i * N * N);
        spd_regularize(N, 1, X + i * N * N, 0.0, 0.1);
    }
}

static double compare_stein(int thin, double beta, double scale, double cost)
{
    labelled_set train = labelled_random(2, N, P, C, 0.7);
    labelled_set test = labelled_random(3, N, Q, C, 0.7);
    if (thin) {
        make_thin(7, P, train.X);
        make_thin(8, Q, test.X);
    }
    double *K = block(P * P), *Kq = block(Q * P);
    double used = isnan(beta) ? scale / twin_median(N, P, train.X) : beta;
    int label[Q], expected[Q];
    FREED_BY(arena_free) arena room = {0};
    svm_pairs s;
    spd_method method = steps_method(&classifier_ksvm, SPD_METRIC_STEIN, &train.samples);
    method.value[SPD_PARAMETER_BETA] = beta;
    method.value[SPD_PARAMETER_BETA_SCALE] = scale;
    method.value[SPD_PARAMETER_COST] = cost;
    steps_good(&classifier_ksvm, &method, &train, &test, label);
    twin_stein(used, N, P, train.X, P, train.X, K);
    twin_stein(used, N, Q, test.X, P, train.X, Kq);
    double shift = twin_repair(P, K);
    CHECK(svm_pairs_train(NULL, P, train.label, K, cost, &room, &s) == SPD_OK, "training");
    twin_vote(&train.samples, &s, Kq, expected);
    CHECK(memcmp(label, expected, sizeof label) == 0, "beta %g, scale %g", beta, scale);
    return shift;
}

TEST(stein_kernel)
{
    compare_stein(0, 2.0, NAN, 10.0);
    compare_stein(0, 2.0, 5.0, 10.0); /* beta wins */
    compare_stein(0, NAN, 1.0, 1.0);
    compare_stein(0, NAN, 0.3, 100.0);
    double shift = compare_stein(1, 0.05, NAN, 10.0);
    CHECK(shift > 1e-6, "this kernel should need repair, its shift is %g", shift);
}

/* u (N (N + 1)/2) <- the upper triangle, scaled to length one. */
static void twin_upper(const double *X, double *u)
{
    size_t count = 0;
    double square = 0.0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++)
            u[count++] = X[i * N + j];
    for (size_t k = 0; k < count; k++)
        square += u[k] * u[k];
    for (size_t k = 0; k < count; k++)
        u[k] /= sqrt(square);
}

/* K (rows x columns) <- the products of upper triangles. */
static void twin_linear(size_t rows, const double *X, size_t columns, const double *Y, double *K)
{
    enum { D = N * (N + 1) / 2 };
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double u[D], v[D];
            twin_upper(X + i * N * N, u);
            twin_upper(Y + j * N * N, v);
            K[i * columns + j] = 0.0;
            for (size_t k = 0; k < D; k++)
                K[i * columns + j] += u[k] * v[k];
        }
}

/* cov3dj is the linear machine of these vectors, whatever the scale of the matrices. */
TEST(upper_triangles)
{
    labelled_set train = labelled_random(2, N, P, C, 0.7);
    labelled_set test = labelled_random(3, N, Q, C, 0.7);
    double *K = block(P * P), *Kq = block(Q * P);
    int label[Q], expected[Q], far[Q];
    const double costs[] = {1.0, 100.0};
    twin_linear(P, train.X, P, train.X, K);
    twin_linear(Q, test.X, P, train.X, Kq);
    for (size_t c = 0; c < 2; c++) {
        FREED_BY(arena_free) arena room = {0};
        svm_pairs s;
        spd_method method = steps_method(&classifier_cov3dj, SPD_METRIC_EUCLIDEAN, &train.samples);
        method.value[SPD_PARAMETER_COST] = costs[c];
        steps_good(&classifier_cov3dj, &method, &train, &test, label);
        CHECK(svm_pairs_train(NULL, P, train.label, K, costs[c], &room, &s) == SPD_OK, "training");
        twin_vote(&train.samples, &s, Kq, expected);
        CHECK(memcmp(label, expected, sizeof label) == 0, "cost %g", costs[c]);
    }
    spd_method method = steps_method(&classifier_cov3dj, SPD_METRIC_EUCLIDEAN, &train.samples);
    CHECK(method.value[SPD_PARAMETER_COST] == 10.0, "the usual cost");
    steps_good(&classifier_cov3dj, &method, &train, &test, label);
    for (size_t e = 0; e < P * N * N; e++)
        train.X[e] = ldexp(train.X[e], 900); /* whose squares are no numbers */
    steps_good(&classifier_cov3dj, &method, &train, &test, far);
    CHECK(memcmp(label, far, sizeof label) == 0, "the scale matters");
}

/* Blocks give the triangles of each, and what is zero everywhere nothing. */
TEST(upper_triangles_of_blocks)
{
    labelled_set train = labelled_random(2, N, P, C, 0.7);
    labelled_set test = labelled_random(3, N, Q, C, 0.7);
    double *X = block(P * 4 * N * N), *Y = block(Q * 4 * N * N);
    spd_samples wide = train.samples, queries = test.samples;
    int label[Q], twice[Q];
    memset(X, 0, P * 4 * N * N * sizeof *X);
    memset(Y, 0, Q * 4 * N * N * sizeof *Y);
    for (size_t e = 0; e < (P + Q) * N * N; e++) {
        size_t i = e / (N * N), row = e % (N * N) / N, column = e % N, at;
        double *to = i < P ? X + i * 4 * N * N : Y + (i - P) * 4 * N * N;
        double value = i < P ? train.X[e] : test.X[e - P * N * N];
        for (at = 0; at < 2 * N; at += N)
            to[(at + row) * 2 * N + at + column] = value;
    }
    wide.X = X;
    queries.X = Y;
    wide.n = queries.n = 2 * N;
    spd_method method = steps_method(&classifier_cov3dj, SPD_METRIC_EUCLIDEAN, &train.samples);
    steps_run(NULL, &classifier_cov3dj, &method, &train.samples, &test.samples, label);
    CHECK(steps_run(NULL, &classifier_cov3dj, &method, &wide, &queries, twice) == SPD_OK, " ");
    CHECK(memcmp(label, twice, sizeof label) == 0, "two equal blocks decide as one");
}

TEST(allocation_sweep)
{
    labelled_set train = labelled_random(2, N, 12, C, 0.7), test = labelled_random(3, N, 5, C, 0.7);
    spd_method method = steps_method(&classifier_cov3dj, SPD_METRIC_EUCLIDEAN, &train.samples);
    steps_sweep(&classifier_cov3dj, &method, &train.samples, &test.samples);
}

/* Scaling the logarithms scales the kernel: with its normalisation nothing changes. */
TEST(log_kernel_is_normalised)
{
    labelled_set train = labelled_random(4, N, P, C, 0.8), test = labelled_random(5, N, Q, C, 0.8);
    double *X = copy_of(P * N * N, train.X), *Y = copy_of(Q * N * N, test.X);
    spd_samples flat_train = train.samples, flat_test = test.samples;
    int steep[Q], flat[Q];
    spd_apply(NULL, SPD_FUNCTION_POWER, 0.05, SPD_SET(N, P, train.X), X);
    spd_apply(NULL, SPD_FUNCTION_POWER, 0.05, SPD_SET(N, Q, test.X), Y);
    flat_train.X = X;
    flat_test.X = Y;
    spd_method method = steps_method(&classifier_ksvm, SPD_METRIC_LOG_EUCLIDEAN, &train.samples);
    steps_good(&classifier_ksvm, &method, &train, &test, steep);
    CHECK_OK(NULL, steps_run(NULL, &classifier_ksvm, &method, &flat_train, &flat_test, flat));
    CHECK(memcmp(steep, flat, sizeof steep) == 0, "the scale of the logarithms matters");
}

/* Three classes that beat each other in a circle: one vote each, the lowest class wins. */
TEST(votes_tie)
{
    double coef[6] = {0};
    size_t order[3] = {0, 1, 2}, first[4] = {0, 1, 2, 3}, votes[3];
    double k[3] = {1.0, 1.0, 1.0};
    svm_pair pair[3] = {{0, 1, -1.0, coef}, {0, 2, 1.0, coef + 2}, {1, 2, -1.0, coef + 4}};
    const int label[3] = {0, 1, 2};
    svm_pairs s = {.of = {.count = 3, .order = order, .first = first, .label = label},
                   .pairs = 3,
                   .pair = pair};
    CHECK(svm_pairs_choose(&s, k, votes) == 0, "a tie");
    CHECK(votes[0] == 1 && votes[1] == 1 && votes[2] == 1, "one vote each");
    pair[1].rho = -1.0;
    CHECK(svm_pairs_choose(&s, k, votes) == 0 && votes[0] == 2, "two votes");
    pair[0].rho = pair[1].rho = 1.0;
    CHECK(svm_pairs_choose(&s, k, votes) == 1, "another class");
}

TEST(bad_values)
{
    labelled_set train = labelled_random(6, N, P, C, 0.5);
    int label[P];
    const double bad[] = {0.0, -1.0, INFINITY};
    spd_context *ctx = context_on(0);
    for (size_t i = 0; i < 3; i++) {
        spd_method method = steps_method(&classifier_ksvm, SPD_METRIC_STEIN, &train.samples);
        method.value[SPD_PARAMETER_BETA] = bad[i];
        spd_status status =
            steps_run(ctx, &classifier_ksvm, &method, &train.samples, &train.samples, label);
        CHECK_FAILED(ctx, status, SPD_EINVAL, "beta is");
        method.value[SPD_PARAMETER_BETA] = 1.0;
        method.value[SPD_PARAMETER_COST] = bad[i];
        status = steps_run(ctx, &classifier_ksvm, &method, &train.samples, &train.samples, label);
        CHECK_FAILED(ctx, status, SPD_EINVAL, "cost is");
    }
}

TEST(parameters_of_ksvm)
{
    double values[8];
    const spd_samples none = {0};
    CHECK(steps_grid(&classifier_ksvm, &none, SPD_PARAMETER_COST, values) == 4 &&
              values[3] == 1000.0,
          "costs");
    CHECK(steps_grid(&classifier_ksvm, &none, SPD_PARAMETER_BETA_SCALE, values) == 4 &&
              values[0] == 0.1,
          "scales");
    CHECK(steps_grid(&classifier_ksvm, &none, SPD_PARAMETER_BETA, values) == 0,
          "beta is not tuned");
}
