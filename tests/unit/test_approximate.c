/* test_approximate.c - most neighbours in almost linear time: what is returned against the exact
 * search, the share of true neighbours against counting, any number of threads. */
#include "repeat.h"

#include "random_spd.h"

/* X_i = B (a few random directions, scaled) B': a set of few dimensions, as real ones are. */
static double *smooth_set(rng *r, size_t n, size_t p, double condition)
{
    enum { DIMENSIONS = 4 };
    double *X = block(p * n * n), *B = block(n * n), *D = block(n * n), *T = block(n * n);
    double *direction = block(DIMENSIONS * n * n);
    random_gl(r, n, condition, B);
    for (size_t k = 0; k < DIMENSIONS; k++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++)
                direction[(k * n + a) * n + b] = direction[(k * n + b) * n + a] = rng_normal(r);
    for (size_t i = 0; i < p; i++) {
        memset(T, 0, n * n * sizeof *T);
        for (size_t k = 0; k < DIMENSIONS; k++) {
            double by = rng_normal(r);
            for (size_t e = 0; e < n * n; e++)
                T[e] += by * direction[k * n * n + e] / sqrt((double)n);
        }
        CHECK(spd_apply(NULL, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 1, T), D) == SPD_OK, "exp");
        congruent(n, n, B, D, X + i * n * n);
    }
    return X;
}

typedef struct answer {
    int64_t *index;
    double *d2;
    spd_nearest_info info;
    spd_status status;
    char message[512];
} answer;

static answer ask(spd_metric metric, size_t n, size_t p, const double *X, size_t k,
                  spd_search search, uint64_t seed, int threads)
{
    answer a = {.index = take_zeros(p * k, sizeof *a.index), .d2 = block(p * k)};
    spd_context *ctx = context_on(threads);
    const spd_nearest_options how = {.size = sizeof how, .search = search, .seed = seed};
    a.info.size = sizeof a.info;
    a.status = spd_nearest(ctx, metric, SPD_SET(n, p, X), NULL, k, &how, a.index, a.d2, &a.info);
    snprintf(a.message, sizeof a.message, "%s", said(ctx));
    return a;
}

/* Entries of `found` that are no farther than the k-th of `exact`, over all: ties count. */
static double share(const answer *found, const answer *exact, size_t p, size_t k)
{
    size_t good = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < k; e++)
            good += found->d2[i * k + e] <= exact->d2[i * k + k - 1];
    return (double)good / (double)(p * k);
}

/* Ascending, each sample once and not its own neighbour, and every distance to the last bit what
 * the matrix of all distances (p x p) has. */
static void is_sound(const answer *a, size_t p, size_t k, const double *D2)
{
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < k; e++) {
            int64_t j = a->index[i * k + e];
            double d2 = a->d2[i * k + e];
            CHECK(j >= 0 && (size_t)j < p && (size_t)j != i, "row %zu has %ld", i, (long)j);
            CHECK(d2 == D2[i * p + (size_t)j], "row %zu: %.17g", i, d2);
            if (e > 0)
                CHECK(a->d2[i * k + e - 1] < d2 ||
                          (a->d2[i * k + e - 1] == d2 && a->index[i * k + e - 1] < j),
                      "row %zu is out of order", i);
        }
}

TEST(every_metric)
{
    rng r = seeded(1);
    const size_t n = 5, p = 700, k = 6;
    double *X = smooth_set(&r, n, p, 20.0), *D2 = block(p * p);
    for (int m = 0; m < SPD_METRICS; m++) {
        spd_metric metric = (spd_metric)m;
        answer exact = ask(metric, n, p, X, k, SPD_SEARCH_EXACT, 1, 2);
        answer found = ask(metric, n, p, X, k, SPD_SEARCH_APPROXIMATE, 1, 2);
        CHECK(found.status == SPD_OK, "%s", found.message);
        spd_pairwise2(NULL, metric, SPD_SET(n, p, X), SPD_SET(n, p, X), D2);
        is_sound(&found, p, k, D2);
        CHECK(share(&found, &exact, p, k) > 0.95, "%s", METRIC_NAME(metric));
        CHECK(found.info.search == SPD_SEARCH_APPROXIMATE && exact.info.search == SPD_SEARCH_EXACT,
              "search");
        CHECK(exact.info.recall == 1.0 && found.info.recall > 0.94 && found.info.recall <= 1.0,
              "recall %g", found.info.recall);
    }
}

/* Of up to 200 samples the share is counted over all of them, so it must be the one counted here.
 * The matrices are random, where a neighbour's neighbour need not be near: not all are found. */
TEST(recall_is_what_counting_gives)
{
    rng r = seeded(2);
    const size_t n = 20, p = 200, k = 3;
    double *X = random_set(&r, n, p, 1e3);
    answer exact = ask(SPD_METRIC_STEIN, n, p, X, k, SPD_SEARCH_EXACT, 1, 1);
    answer found = ask(SPD_METRIC_STEIN, n, p, X, k, SPD_SEARCH_APPROXIMATE, 1, 1);
    CHECK(found.status == SPD_OK && fabs(found.info.recall - share(&found, &exact, p, k)) < 1e-15,
          "%g, not %g", found.info.recall, share(&found, &exact, p, k));
    CHECK(found.info.exact > found.info.pairs && found.info.pruned == 0.0,
          "the estimate alone measures all %g", found.info.pairs);
}

/* As in search/search.h, whose type `metric` would hide behind variables here. */
#define ESTIMATED 200
void search_draw(uint64_t seed, size_t p, size_t count, size_t *drawn);

/* Of more samples it is counted over 200 of them, which are drawn as here. */
TEST(recall_is_that_of_some)
{
    rng r = seeded(11);
    const size_t n = 20, p = 1000, k = 3, drawn = ESTIMATED;
    double *X = random_set(&r, n, p, 1e3);
    answer exact = ask(SPD_METRIC_STEIN, n, p, X, k, SPD_SEARCH_EXACT, 1, 1);
    answer found = ask(SPD_METRIC_STEIN, n, p, X, k, SPD_SEARCH_APPROXIMATE, 1, 1);
    size_t *row = take(p * sizeof *row), good = 0;
    search_draw(1, p, drawn, row);
    for (size_t a = 0; a < drawn; a++)
        for (size_t e = 0; e < k; e++)
            good += found.d2[row[a] * k + e] <= exact.d2[row[a] * k + k - 1];
    double counted = (double)good / (double)(drawn * k);
    CHECK(found.status == SPD_OK && fabs(found.info.recall - counted) < 1e-15, "%g, not %g",
          found.info.recall, counted);
    CHECK(counted > 0.3 && counted < 1.0, "%g of the neighbours cannot tell", counted);
    CHECK(found.info.pairs == (double)(p * (p - 1)) && found.info.exact > (double)(drawn * p),
          "pairs");
}

/* Larger matrices, of so many dimensions that only components stand in. */
TEST(components_stand_in)
{
    rng r = seeded(3);
    const size_t n = 40, p = 600, k = 5;
    double *X = smooth_set(&r, n, p, 1e4);
    answer exact = ask(SPD_METRIC_STEIN, n, p, X, k, SPD_SEARCH_EXACT, 1, 2);
    answer found = ask(SPD_METRIC_STEIN, n, p, X, k, SPD_SEARCH_APPROXIMATE, 1, 2);
    CHECK(found.status == SPD_OK && share(&found, &exact, p, k) > 0.98, "%g",
          share(&found, &exact, p, k));
    CHECK(found.info.exact < 0.7 * found.info.pairs, "%g of %g distances", found.info.exact,
          found.info.pairs);
}

TEST(same_bits_for_any_threads)
{
    rng r = seeded(4);
    const size_t n = 6, p = 900, k = 4;
    double *X = smooth_set(&r, n, p, 10.0);
    answer one = ask(SPD_METRIC_AIRM, n, p, X, k, SPD_SEARCH_APPROXIMATE, 7, 1);
    for (int threads = 2; threads <= 4; threads++) {
        answer more = ask(SPD_METRIC_AIRM, n, p, X, k, SPD_SEARCH_APPROXIMATE, 7, threads);
        CHECK(memcmp(one.index, more.index, p * k * sizeof *one.index) == 0 &&
                  memcmp(one.d2, more.d2, p * k * sizeof *one.d2) == 0 &&
                  one.info.recall == more.info.recall && one.info.exact == more.info.exact,
              "%d threads", threads);
    }
}

/* All matrices the same, a few the same, fewer samples than lists have room for. */
TEST(duplicates_and_small_sets)
{
    rng r = seeded(5);
    const size_t n = 3, p = 300;
    double *X = random_set(&r, n, p, 10.0), *D2 = block(p * p);
    for (size_t i = 0; i < p; i++)
        memcpy(X + i * n * n, X + i % 2 * n * n, n * n * sizeof *X);
    answer a = ask(SPD_METRIC_STEIN, n, p, X, 5, SPD_SEARCH_APPROXIMATE, 1, 2);
    spd_pairwise2(NULL, SPD_METRIC_STEIN, SPD_SET(n, p, X), SPD_SET(n, p, X), D2);
    CHECK(a.status == SPD_OK && a.info.recall == 1.0, "%s, %g", a.message, a.info.recall);
    is_sound(&a, p, 5, D2);
    for (size_t small = 2; small < 6; small++) {
        double *Y = random_set(&r, n, small, 10.0);
        answer exact = ask(SPD_METRIC_AIRM, n, small, Y, small - 1, SPD_SEARCH_EXACT, 1, 1);
        a = ask(SPD_METRIC_AIRM, n, small, Y, small - 1, SPD_SEARCH_APPROXIMATE, 1, 1);
        CHECK(a.status == SPD_OK, "%s", a.message);
        CHECK(memcmp(a.index, exact.index, small * (small - 1) * sizeof *a.index) == 0, "p %zu",
              small);
    }
}

/* Numbers that a float does not hold: the flat metrics that see the scale find the same as at 1. */
TEST(any_scale)
{
    const size_t p = 150, k = 5;
    for (size_t n = 4; n < 40; n += 29) { /* without and with components */
        rng r = seeded(9);
        double *X = smooth_set(&r, n, p, 10.0), *Y = block(p * n * n);
        answer one = ask(SPD_METRIC_EUCLIDEAN, n, p, X, k, SPD_SEARCH_APPROXIMATE, 1, 2);
        for (int e = -490; e <= 490; e += 490) {
            for (size_t i = 0; i < p * n * n; i++)
                Y[i] = ldexp(X[i], e);
            answer a = ask(SPD_METRIC_EUCLIDEAN, n, p, Y, k, SPD_SEARCH_APPROXIMATE, 1, 2);
            CHECK(a.status == SPD_OK, "n %zu, 2^%d: %s", n, e, a.message);
            CHECK(memcmp(a.index, one.index, p * k * sizeof *a.index) == 0, "n %zu, 2^%d", n, e);
            CHECK(a.info.exact == one.info.exact, "n %zu, 2^%d: %g", n, e, a.info.exact);
        }
    }
}

TEST(automatic_and_refused)
{
    rng r = seeded(6);
    const size_t n = 3, p = 60;
    double *X = random_set(&r, n, p, 10.0);
    answer a = ask(SPD_METRIC_STEIN, n, p, X, 2, SPD_SEARCH_AUTO, 1, 1);
    CHECK(a.status == SPD_OK && a.info.search == SPD_SEARCH_EXACT, "a small set is searched");
    a = ask(SPD_METRIC_STEIN, n, p, X, 2, (spd_search)17, 1, 1);
    CHECK(a.status == SPD_EINVAL && strstr(a.message, "search"), "%s", a.message);
    X[17 * n * n] = -1.0;
    a = ask(SPD_METRIC_STEIN, n, p, X, 2, SPD_SEARCH_APPROXIMATE, 1, 2);
    CHECK(a.status == SPD_ENOTSPD && strstr(a.message, "X[17]"), "%s", a.message);
    spd_context *ctx = context_on(1);
    const spd_nearest_options how = {.size = sizeof how, .search = SPD_SEARCH_APPROXIMATE};
    CHECK_FAILED(ctx,
                 spd_nearest(ctx, SPD_METRIC_STEIN, SPD_SET(n, 17, X), SPD_SET(n, 17, X), 2, &how,
                             a.index, a.d2, NULL),
                 SPD_EINVAL, "within one set");
}

static spd_pair *graph(size_t n, size_t p, const double *X, const int *label, spd_fit_options *o,
                       size_t *count)
{
    spd_pair *pairs = NULL;
    spd_context *ctx = context_on(0);
    spd_status status = spd_affinity(ctx, SPD_SET(n, p, X), label, o, &pairs, count);
    CHECK(status == SPD_OK, "%s", said(ctx));
    return pairs;
}

/* Pairs of a that b has too, with the same weights; both are sorted. */
static double common(const spd_pair *a, size_t count, const spd_pair *b, size_t others)
{
    size_t same = 0;
    for (size_t i = 0, j = 0; i < count; i++) {
        while (j < others && (b[j].i < a[i].i || (b[j].i == a[i].i && b[j].j < a[i].j)))
            j++;
        same += j < others && b[j].i == a[i].i && b[j].j == a[i].j && b[j].within == a[i].within &&
                b[j].between == a[i].between;
    }
    return (double)same / (double)count;
}

TEST(graphs_by_class)
{
    rng r = seeded(7);
    const size_t n = 4, p = 800;
    double *X = smooth_set(&r, n, p, 10.0);
    int *label = take_zeros(p, sizeof *label);
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < p; i++) /* 5 classes; 2, one of them small; some without; none */
            label[i] = kind == 0 ? (int)(i % 5) : kind == 1 ? i >= 3 : i % 7 ? (int)(i % 2) : -1;
        spd_fit_options o[2];
        spd_pair *pairs[2];
        size_t count[2];
        for (int search = 0; search < 2; search++) {
            spd_fit_defaults(&o[search], sizeof o[search]);
            o[search].m = 2;
            o[search].nu_w = 4;
            o[search].nu_b = 3;
            o[search].objective = SPD_OBJECTIVE_DIFFERENCE;
            o[search].learning = kind == 3 ? SPD_LEARNING_UNSUPERVISED : SPD_LEARNING_SUPERVISED;
            o[search].search = search ? SPD_SEARCH_APPROXIMATE : SPD_SEARCH_EXACT;
            pairs[search] = graph(n, p, X, kind == 3 ? NULL : label, &o[search], &count[search]);
            CHECK(o[search].search == (search ? SPD_SEARCH_APPROXIMATE : SPD_SEARCH_EXACT),
                  "kind %d", kind);
        }
        CHECK(o[0].recall == 1.0 && o[1].recall > 0.95, "kind %d: %g", kind, o[1].recall);
        /* Far pairs of the unsupervised kind are drawn, so one neighbour missed changes them. */
        CHECK(common(pairs[1], count[1], pairs[0], count[0]) > (kind == 3 ? 0.5 : 0.95),
              "kind %d: %g", kind, common(pairs[1], count[1], pairs[0], count[0]));
        spd_pairs_free(pairs[0]);
        spd_pairs_free(pairs[1]);
    }
}

/* Sets too small, or neighbours too many, for it to be worth anything. */
TEST(graphs_that_stay_exact)
{
    rng r = seeded(8);
    const size_t n = 3, p = 520;
    double *X = smooth_set(&r, n, p, 10.0);
    int *label = take_zeros(p, sizeof *label);
    for (size_t i = 0; i < p; i++)
        label[i] = (int)(i % 2);
    for (int kind = 0; kind < 2; kind++) {
        spd_fit_options o = fit_defaults();
        size_t count;
        o.m = 2;
        o.nu_w = 3;
        o.nu_b = kind ? 3 : 256;
        o.search = SPD_SEARCH_APPROXIMATE;
        spd_pairs_free(graph(n, kind ? 512 : p, X, label, &o, &count));
        CHECK(o.search == SPD_SEARCH_EXACT && o.recall == 1.0, "kind %d", kind);
    }
}

/* The k-th allocation fails, for every k. */
TEST(allocation_failures)
{
    enum { n = 3, p = 600 };
    rng r = seeded(9);
    double *X = smooth_set(&r, n, p, 10.0), *d2 = block(p * 2);
    int64_t index[p * 2];
    int label[p];
    spd_context *ctx = context_on(1);
    const spd_set *set = SPD_SET(n, p, X);
    const spd_nearest_options how = {.size = sizeof how, .search = SPD_SEARCH_APPROXIMATE};
    for (size_t i = 0; i < p; i++)
        label[i] = (int)(i % 3);
    for (int way = 0; way < 2; way++)
        for (sweep_state s = SWEEP(ctx, 10, d2, p * 2 * sizeof *d2); sweep_on(&s);)
            s.status = spd_nearest(ctx, way ? SPD_METRIC_LOG_EUCLIDEAN : SPD_METRIC_STEIN, set,
                                   NULL, 2, &how, index, d2, NULL);
    for (sweep_state s = SWEEP(ctx, 10, NULL, 0); sweep_on(&s);) {
        spd_fit_options o = fit_defaults();
        spd_pair *pairs = NULL;
        size_t count = 0;
        o.m = o.nu_w = o.nu_b = 2;
        o.search = SPD_SEARCH_APPROXIMATE;
        s.status = spd_affinity(ctx, set, label, &o, &pairs, &count);
        spd_pairs_free(pairs);
    }
}
