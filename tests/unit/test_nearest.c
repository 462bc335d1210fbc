/* test_nearest.c - neighbours: pruned search against brute force against a sorted row of the
 * distance matrix; ties, duplicates, bad conditioning, any number of threads. */
#include "repeat.h"

#include "random_spd.h"

/* X_i = B (D_c + noise) B': c = i modulo classes; a signal that compression can see. */
static double *structured_set(rng *r, size_t n, size_t p, size_t classes, double condition)
{
    double *X = block(p * n * n), *B = block(n * n), *D = block(n * n),
           *spectra = block(classes * n);
    random_gl(r, n, condition, B);
    for (size_t e = 0; e < classes * n; e++)
        spectra[e] = exp((e % n < n / 4 ? 2.0 : 0.1) * rng_normal(r));
    for (size_t i = 0; i < p; i++) {
        double *lambda = block(n);
        for (size_t d = 0; d < n; d++)
            lambda[d] = spectra[i % classes * n + d] * exp(0.1 * rng_normal(r));
        memset(D, 0, n * n * sizeof *D);
        for (size_t d = 0; d < n; d++)
            D[d * n + d] = lambda[d];
        for (size_t d = 1; d < n; d++) {
            double off = 0.2 * rng_uniform(r) * sqrt(lambda[d] * lambda[d - 1]);
            D[d * n + d - 1] = D[(d - 1) * n + d] = off;
        }
        congruent(n, n, B, D, X + i * n * n);
    }
    return X;
}

/* Neighbours by sorting a row of the distance matrix, ties by index. */
static void twin_nearest(size_t p, const double *row, size_t self, size_t k, int64_t *index)
{
    char *taken = take_zeros(p, 1);
    if (self < p)
        taken[self] = 1;
    for (size_t i = 0; i < k; i++) {
        size_t best = p;
        for (size_t j = 0; j < p; j++)
            if (!taken[j] && (best == p || row[j] < row[best]))
                best = j;
        taken[best] = 1;
        index[i] = (int64_t)best;
    }
}

typedef struct answer {
    int64_t *index;
    double *d2;
    spd_nearest_info info;
    spd_status status;
} answer;

static answer ask(spd_metric metric, size_t n, size_t p, const double *X, size_t q, const double *Q,
                  size_t k, int brute, int threads)
{
    size_t rows = Q ? q : p;
    answer a = {.index = take_zeros(rows * k, sizeof *a.index), .d2 = block(rows * k)};
    spd_context *ctx = context_on(threads);
    a.info.size = sizeof a.info;
    a.status =
        spd_nearest(ctx, metric, SPD_SET(n, p, X), SET_OR_NULL(n, q, Q), k,
                    &(spd_nearest_options){.size = sizeof(spd_nearest_options), .brute = brute},
                    a.index, a.d2, &a.info);
    CHECK(a.status == SPD_OK, "%s", said(ctx));
    return a;
}

static int same(const answer *a, const answer *b, size_t count)
{
    return memcmp(a->index, b->index, count * sizeof *a->index) == 0 &&
           memcmp(a->d2, b->d2, count * sizeof *a->d2) == 0;
}

TEST(against_distance_matrix)
{
    rng r = seeded(1);
    const size_t n = 6, p = 37, q = 11, k = 4;
    double *X = random_set(&r, n, p, 50.0), *Q = random_set(&r, n, q, 50.0);
    double *D2 = block(p * p);
    int64_t expected[4];
    for (int metric = 0; metric < SPD_METRICS; metric++) {
        answer within = ask((spd_metric)metric, n, p, X, 0, NULL, k, 0, 2);
        spd_pairwise2(NULL, (spd_metric)metric, SPD_SET(n, p, X), NULL, D2);
        for (size_t i = 0; i < p; i++) {
            twin_nearest(p, D2 + i * p, i, k, expected);
            CHECK(memcmp(expected, within.index + i * k, sizeof expected) == 0, "%s sample %zu",
                  METRIC_NAME(metric), i);
        }
        answer other = ask((spd_metric)metric, n, p, X, q, Q, k, 0, 2);
        spd_pairwise2(NULL, (spd_metric)metric, SPD_SET(n, q, Q), SPD_SET(n, p, X), D2);
        for (size_t i = 0; i < q; i++) {
            twin_nearest(p, D2 + i * p, p, k, expected);
            CHECK(memcmp(expected, other.index + i * k, sizeof expected) == 0, "%s query %zu",
                  METRIC_NAME(metric), i);
            for (size_t c = 0; c < k; c++)
                CHECK(other.d2[i * k + c] == D2[i * p + (size_t)expected[c]], "d2");
        }
    }
}

/* Pruning must happen, and must not change a bit, for any number of threads. */
TEST(pruned_equals_brute)
{
    rng r = seeded(2);
    const double conditions[] = {1.0, 1e2, 1e5};
    const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM};
    const size_t n = 24, p = 400, k = 3;
    for (size_t c = 0; c < 3; c++) {
        double *X = structured_set(&r, n, p, 20, conditions[c]);
        for (size_t m = 0; m < 2; m++) {
            answer brute = ask(metrics[m], n, p, X, 0, NULL, k, 1, 2);
            CHECK(brute.info.pruned == 0.0, "brute force prunes %g", brute.info.pruned);
            for (int threads = 1; threads <= 3; threads++) {
                answer pruned = ask(metrics[m], n, p, X, 0, NULL, k, 0, threads);
                CHECK(same(&brute, &pruned, p * k), "metric %zu condition %g", m, conditions[c]);
                if (conditions[c] < 1e3)
                    CHECK(pruned.info.pruned > 0.5, "only %g pruned", pruned.info.pruned);
            }
        }
    }
}

TEST(queries_and_unstructured_data)
{
    rng r = seeded(3);
    const size_t n = 16, p = 600, q = 300, k = 2;
    for (int structured = 0; structured < 2; structured++) {
        double *X =
            structured ? structured_set(&r, n, p + q, 15, 10.0) : random_set(&r, n, p + q, 100.0);
        const double *Q = X + p * n * n;
        for (int m = 0; m < 2; m++) {
            spd_metric metric = m ? SPD_METRIC_AIRM : SPD_METRIC_STEIN;
            answer brute = ask(metric, n, p, X, q, Q, k, 1, 2);
            answer pruned = ask(metric, n, p, X, q, Q, k, 0, 2);
            CHECK(same(&brute, &pruned, q * k), "structured %d metric %d", structured, m);
        }
    }
}

/* Every sample three times, and neighbours that tie everywhere. */
TEST(duplicates_tie_by_index)
{
    rng r = seeded(4);
    const size_t n = 12, p = 600, k = 5;
    double *X = structured_set(&r, n, p, 10, 10.0);
    for (size_t i = 0; i < p; i++)
        memcpy(X + i * n * n, X + i % 200 * n * n, n * n * sizeof *X);
    for (int m = 0; m < 2; m++) {
        spd_metric metric = m ? SPD_METRIC_AIRM : SPD_METRIC_STEIN;
        answer brute = ask(metric, n, p, X, 0, NULL, k, 1, 2);
        answer pruned = ask(metric, n, p, X, 0, NULL, k, 0, 2);
        CHECK(same(&brute, &pruned, p * k), "metric %d", m);
        for (size_t i = 0; i < p; i++) {
            size_t copies[2] = {(i + 200) % p, (i + 400) % p};
            size_t low = copies[0] < copies[1] ? copies[0] : copies[1];
            CHECK(pruned.index[i * k] == (int64_t)low, "metric %d sample %zu: %ld, not %zu", m, i,
                  (long)pruned.index[i * k], low);
        }
    }
}

TEST(all_others_are_neighbours)
{
    rng r = seeded(5);
    double *X = random_set(&r, 5, 40, 10.0);
    answer a = ask(SPD_METRIC_STEIN, 5, 40, X, 0, NULL, 39, 0, 2);
    for (size_t i = 0; i < 40; i++) {
        char seen[40] = {0};
        for (size_t c = 0; c < 39; c++) {
            seen[a.index[i * 39 + c]]++;
            CHECK(c == 0 || a.d2[i * 39 + c] >= a.d2[i * 39 + c - 1], "not ascending");
        }
        for (size_t j = 0; j < 40; j++)
            CHECK(seen[j] == (j != i), "sample %zu sees %zu %d times", i, j, seen[j]);
    }
}

TEST(bad_arguments)
{
    rng r = seeded(6);
    double *X = random_set(&r, 4, 3, 10.0), d2[9] = {-1.0};
    int64_t index[9] = {-7};
    spd_context *ctx = context_on(0);
    const spd_set *set = SPD_SET(4, 3, X), *none = SPD_SET(4, 0, X);
    CHECK_FAILED(ctx, spd_nearest(ctx, SPD_METRIC_STEIN, set, NULL, 3, NULL, index, d2, NULL),
                 SPD_EINVAL, "there are only 2 other");
    CHECK_STATUS(spd_nearest(ctx, SPD_METRIC_STEIN, set, NULL, 0, NULL, index, d2, NULL),
                 SPD_EINVAL);
    CHECK_STATUS(spd_nearest(ctx, SPD_METRICS, set, NULL, 1, NULL, index, d2, NULL), SPD_EINVAL);
    CHECK_STATUS(spd_nearest(ctx, SPD_METRIC_STEIN, none, NULL, 1, NULL, index, d2, NULL),
                 SPD_EINVAL);
    X[16] = -5.0;
    CHECK_STATUS(spd_nearest(ctx, SPD_METRIC_AIRM, set, NULL, 1, NULL, index, d2, NULL),
                 SPD_ENOTSPD);
    CHECK(spd_context_error(ctx)->index == 1, "index %zu", spd_context_error(ctx)->index);
    CHECK(index[0] == -7 && d2[0] == -1.0, "outputs were touched");
}

TEST(cancelled_by_callback)
{
    rng r = seeded(7);
    const size_t n = 40, p = 1500;
    double *X = random_set(&r, n, 50, 10.0);
    double *Many = block(p * n * n), *D2 = block(p * p);
    for (size_t i = 0; i < p; i++)
        memcpy(Many + i * n * n, X + i % 50 * n * n, n * n * sizeof *X);
    spd_context *ctx = context_on(1);
    int calls = 0;
    spd_context_set_progress(ctx, stop_now, &calls);
    CHECK(spd_pairwise2(ctx, SPD_METRIC_AIRM, SPD_SET(n, p, Many), NULL, D2) == SPD_ECANCELLED,
          "not cancelled");
    CHECK(calls == 1, "%d calls", calls);
}

/* Two samples so far apart that their distance overflows: it is they who are named. */
TEST(pairs_without_a_distance)
{
    enum { A = 21, B = 33, SIZE = 40 };
    double X[SIZE * 4] = {0}, d2[SIZE * SIZE];
    int64_t index[SIZE * SIZE];
    for (size_t i = 0; i < SIZE; i++)
        X[i * 4] = X[i * 4 + 3] = (double)(i + 1);
    X[A * 4] = 1e200;
    X[B * 4] = 1e-200;
    const struct {
        size_t queries, first;
        int brute;
        const char *words;
    } calls[] = {{0, 0, 0, "X[21] and X[33]"},
                 {0, 0, 1, "X[21] and X[33]"},
                 {20, 20, 0, "Q[1] and X[33]"},
                 {20, 20, 1, "Q[1] and X[33]"}};
    for (int threads = 1; threads < 4; threads += 2) {
        spd_context *ctx = context_on(threads);
        const char *message = said(ctx);
        spd_status status = spd_pairwise2(ctx, SPD_METRIC_AIRM, SPD_SET(2, SIZE, X), NULL, d2);
        CHECK(status == SPD_ENUMERIC && strstr(message, "X[21] and X[33]"), "%d, %s", status,
              message);
        CHECK(spd_context_error(ctx)->index == A, "%zu", spd_context_error(ctx)->index);
        status = spd_pairwise2(ctx, SPD_METRIC_AIRM, SPD_SET(2, SIZE, X),
                               SPD_SET(2, 20, X + 20 * 4), d2);
        CHECK(status == SPD_ENUMERIC && strstr(message, "X[21] and Y[13]"), "%d, %s", status,
              message);
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            const spd_nearest_options how = {.size = sizeof how, .brute = calls[i].brute};
            status = spd_nearest(
                ctx, SPD_METRIC_AIRM, SPD_SET(2, SIZE, X),
                calls[i].queries ? SPD_SET(2, calls[i].queries, X + calls[i].first * 4) : NULL, 1,
                NULL, index, d2, NULL);
            CHECK(status == SPD_ENUMERIC && strstr(message, calls[i].words), "%d, '%s', not '%s'",
                  status, message, calls[i].words);
        }
    }
}

/* The k-th allocation fails, for every k. */
TEST(allocation_failures)
{
    enum { n = 9, p = 400 };
    rng r = seeded(8);
    double *X = structured_set(&r, n, p, 5, 10.0), *d2 = block(p * p);
    int64_t index[p];
    spd_context *ctx = context_on(1);
    const spd_set *set = SPD_SET(n, p, X);
    for (int way = 0; way < 3; way++)
        for (sweep_state s = SWEEP(ctx, 3, d2, p * sizeof *d2); sweep_on(&s);)
            s.status = way == 2 ? spd_pairwise2(ctx, SPD_METRIC_STEIN, set, set, d2)
                                : spd_nearest(ctx, way ? SPD_METRIC_STEIN : SPD_METRIC_AIRM, set,
                                              way ? NULL : set, 1, NULL, index, d2, NULL);
}
