/* test_search_index.c - indexes of sets: what a search by one finds against the exact search, a
 * wish for recall, files of indexes, good and bad. */
#include <unistd.h>

#include "test.h"

#include "base/memory.h"
#include "learn/index_file.h"
#include "random_spd.h"
#include "repeat.h"

enum { N = 6, P = 900, Q = 60, K = 5, LINKS = 48 };

typedef struct sets {
    double *X, *Q;
} sets;

static sets make_sets(uint64_t seed)
{
    rng r = seeded(seed);
    double *all = random_set(&r, N, P + Q, 10.0);
    return (sets){all, all + P * N * N};
}

typedef struct answer {
    int64_t *index;
    double *d2;
    spd_nearest_info info;
    spd_status status;
    char message[512];
} answer;

static answer ask(const sets *s, spd_metric metric, spd_search search, const spd_index *index,
                  double recall, int threads)
{
    answer a = {.index = take_zeros(Q * K, sizeof *a.index), .d2 = block(Q * K)};
    spd_context *ctx = context_on(threads);
    const spd_nearest_options how = {
        .size = sizeof how, .search = search, .seed = 1, .recall = recall, .index = index};
    a.info.size = sizeof a.info;
    a.status = spd_nearest(ctx, metric, SPD_SET(N, P, s->X), SPD_SET(N, Q, s->Q), K, &how, a.index,
                           a.d2, &a.info);
    snprintf(a.message, sizeof a.message, "%s", spd_context_error(ctx)->message);
    return a;
}

static double share(const answer *found, const answer *exact)
{
    size_t good = 0;
    for (size_t e = 0; e < Q * K; e++)
        good += found->d2[e] <= exact->d2[e / K * K + K - 1];
    return (double)good / (Q * K);
}

static spd_index *made(const sets *s, spd_metric metric, int threads)
{
    spd_index *index = NULL;
    CHECK(spd_index_make(context_on(threads), metric, SPD_SET(N, P, s->X), 1, &index) == SPD_OK,
          "no index under %s", spd_name(SPD_ENUM_METRIC, metric));
    return index;
}

TEST(most_are_found_under_every_metric)
{
    sets s = make_sets(1);
    for (int m = 0; m < SPD_METRICS; m++) {
        spd_metric metric = (spd_metric)m;
        spd_index *one = made(&s, metric, 1), *three = made(&s, metric, 3);
        answer exact = ask(&s, metric, SPD_SEARCH_EXACT, NULL, 0.0, 1);
        answer found = ask(&s, metric, SPD_SEARCH_APPROXIMATE, one, 0.0, 1);
        answer again = ask(&s, metric, SPD_SEARCH_APPROXIMATE, three, 0.0, 2);
        CHECK(found.status == SPD_OK && found.info.search == SPD_SEARCH_APPROXIMATE, "%s",
              found.message);
        CHECK(share(&found, &exact) > 0.9, "%s: %g", spd_name(SPD_ENUM_METRIC, metric),
              share(&found, &exact));
        CHECK(memcmp(found.index, again.index, Q * K * sizeof *found.index) == 0 &&
                  memcmp(found.d2, again.d2, Q * K * sizeof *found.d2) == 0,
              "%s: threads change it", spd_name(SPD_ENUM_METRIC, metric));
        spd_index_free(one);
        spd_index_free(three);
    }
}

/* Matrices without structure, of which a first search misses many. */
TEST(a_wish_for_recall)
{
    enum { LARGE = 24, MANY = 3000 };
    rng r = seeded(5);
    double *X = random_set(&r, LARGE, MANY + Q, 1e3), d2[Q * K], wanted[Q * K];
    int64_t index[Q * K];
    const spd_set samples = *SPD_SET(LARGE, MANY, X),
                  queries = *SPD_SET(LARGE, Q, X + (size_t)MANY * LARGE * LARGE);
    spd_index *by = NULL;
    spd_context *ctx = context_on(2);
    CHECK(spd_index_make(ctx, SPD_METRIC_STEIN, &samples, 1, &by) == SPD_OK, "no index");
    CHECK(spd_nearest(ctx, SPD_METRIC_STEIN, &samples, &queries, K, NULL, index, wanted, NULL) ==
              SPD_OK,
          "exact");
    double before = 0.0;
    const double wishes[] = {0.0, 0.9, 1.0};
    for (int w = 0; w < 3; w++) {
        spd_nearest_info info = SPD_STRUCT(spd_nearest_info);
        spd_nearest_options how = {
            .size = sizeof how, .search = SPD_SEARCH_APPROXIMATE, .recall = wishes[w], .index = by};
        CHECK(spd_nearest(ctx, SPD_METRIC_STEIN, &samples, &queries, K, &how, index, d2, &info) ==
                  SPD_OK,
              "%s", spd_context_error(ctx)->message);
        size_t good = 0;
        for (size_t e = 0; e < Q * K; e++)
            good += d2[e] <= wanted[e / K * K + K - 1];
        CHECK(info.recall >= wishes[w] && info.recall >= before, "recall %g of %g", info.recall,
              wishes[w]);
        CHECK(fabs((double)good / (Q * K) - info.recall) < 0.2, "estimated %g, found %g",
              info.recall, (double)good / (Q * K));
        CHECK(info.search == SPD_SEARCH_APPROXIMATE || good == Q * K, "exact, and not all");
        before = info.recall;
    }
    spd_index_free(by);
}

/* Two groups far apart, the second where no walk begins, and more neighbours wanted than the first
 * has. */
TEST(more_are_wanted_than_can_be_reached)
{
    enum { MANY = 1000, FEW = 60, ENTRIES = 126, WANTED = MANY - FEW / 2 };
    rng r = seeded(7);
    double *X = random_set(&r, 2, MANY, 10.0), *asked = random_set(&r, 2, 20, 10.0);
    double *d2 = block(20 * WANTED);
    int64_t *found = take_zeros(20 * WANTED, sizeof *found);
    char *entry = take_zeros(MANY, 1), *seen = take_zeros(MANY, 1);
    spd_index *index = NULL;
    for (size_t e = 0; e < ENTRIES; e++)
        entry[e * MANY / ENTRIES] = 1;
    for (size_t i = 0, far = 0; i < MANY && far < FEW; i++)
        if (!entry[i]) {
            for (size_t e = 0; e < 4; e++)
                X[i * 4 + e] *= 1e6;
            far++;
        }
    spd_context *ctx = context_on(1);
    const spd_set samples = *SPD_SET(2, MANY, X);
    CHECK(spd_index_make(ctx, SPD_METRIC_AIRM, &samples, 1, &index) == SPD_OK, "no index");
    const spd_nearest_options how = {
        .size = sizeof how, .search = SPD_SEARCH_APPROXIMATE, .index = index};
    CHECK(spd_nearest(ctx, SPD_METRIC_AIRM, &samples, SPD_SET(2, 20, asked), WANTED, &how, found,
                      d2, NULL) == SPD_OK,
          "%s", spd_context_error(ctx)->message);
    for (size_t q = 0; q < 20; q++) {
        size_t different = 0;
        memset(seen, 0, MANY);
        for (size_t k = 0; k < WANTED; k++) {
            size_t i = (size_t)found[q * WANTED + k];
            different += i < MANY && !seen[i];
            if (i < MANY)
                seen[i] = 1;
        }
        CHECK(different == WANTED, "query %zu has %zu neighbours of %d", q, different, WANTED);
    }
    spd_index_free(index);
}

/* A query that is definite, but not up to rounding when it is seen from the mean of the samples. */
TEST(small_eigenvalues_elsewhere)
{
    enum { SIDE = 12, MANY = 200, ASKED = 30, ILL = 17 };
    rng r = seeded(8);
    double *X = random_set(&r, SIDE, MANY, 10.0), *asked = random_set(&r, SIDE, ASKED, 10.0);
    double exact[ASKED], d2[ASKED];
    int64_t found[ASKED];
    spd_context *ctx = context_on(1);
    for (size_t e = 0; e < MANY * SIDE * SIDE; e++)
        X[e] *= pow(10.0, 0.5 * (double)(e % SIDE + e / SIDE % SIDE) - 6.0);
    for (size_t e = 0; e < SIDE * SIDE; e++)
        asked[ILL * SIDE * SIDE + e] = e % (SIDE + 1) ? 0.0 : pow(10.0, -1.05 * (double)(e % SIDE));
    spd_index *index = NULL;
    const spd_set samples = *SPD_SET(SIDE, MANY, X), queries = *SPD_SET(SIDE, ASKED, asked);
    CHECK(spd_nearest(ctx, SPD_METRIC_STEIN, &samples, &queries, 1, NULL, found, exact, NULL) ==
              SPD_OK,
          "%s", spd_context_error(ctx)->message);
    CHECK(spd_index_make(ctx, SPD_METRIC_STEIN, &samples, 1, &index) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
    const spd_nearest_options how = {
        .size = sizeof how, .search = SPD_SEARCH_APPROXIMATE, .index = index};
    CHECK(spd_nearest(ctx, SPD_METRIC_STEIN, &samples, &queries, 1, &how, found, d2, NULL) ==
              SPD_OK,
          "%s", spd_context_error(ctx)->message);
    CHECK(d2[0] == exact[0] && d2[ILL] < 1.2 * exact[ILL], "%g, %g", d2[ILL], exact[ILL]);
    spd_index_free(index);
}

/* Of sketches that are principal components, none of which there is. */
TEST(equal_matrices)
{
    enum { LARGE = 33, MANY = 30, ASKED = 11 };
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_EUCLIDEAN};
    double *X = take_zeros(MANY * LARGE * LARGE, sizeof *X), d2[ASKED];
    int64_t found[ASKED];
    char path[] = "/tmp/test_search_index_XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0, "no file");
    close(file);
    for (size_t e = 0; e < MANY * LARGE; e++)
        X[e / LARGE * LARGE * LARGE + e % LARGE * (LARGE + 1)] = 1.0;
    for (size_t m = 0; m < 2; m++) {
        spd_context *ctx = context_on(1);
        spd_index *index = NULL, *back = NULL;
        CHECK(spd_index_make(ctx, metrics[m], SPD_SET(LARGE, MANY, X), 1, &index) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        CHECK(spd_index_save(ctx, index, path) == SPD_OK, "%s", spd_context_error(ctx)->message);
        CHECK(spd_index_load(ctx, path, &back) == SPD_OK, "%s", spd_context_error(ctx)->message);
        const spd_nearest_options how = {
            .size = sizeof how, .search = SPD_SEARCH_APPROXIMATE, .index = back};
        CHECK(spd_nearest(ctx, metrics[m], SPD_SET(LARGE, MANY, X), SPD_SET(LARGE, ASKED, X), 1,
                          &how, found, d2, NULL) == SPD_OK,
              "%s", spd_context_error(ctx)->message);
        CHECK(d2[0] < 1e-20 && d2[ASKED - 1] < 1e-20, "%g", d2[0]);
        spd_index_free(index);
        spd_index_free(back);
    }
    unlink(path);
}

/* The nearest of one matrix, for so many queries that the search is approximate. */
TEST(one_matrix)
{
    enum { LARGE = 33, ASKED = 201 };
    double *asked = take_zeros(ASKED * LARGE * LARGE, sizeof *asked), d2[ASKED];
    int64_t found[ASKED];
    spd_context *ctx = context_on(1);
    for (size_t e = 0; e < ASKED * LARGE; e++)
        asked[e / LARGE * LARGE * LARGE + e % LARGE * (LARGE + 1)] = 1.0 + (double)e / 1000.0;
    const spd_nearest_options how = {.size = sizeof how, .search = SPD_SEARCH_APPROXIMATE};
    CHECK_OK(ctx, spd_nearest(ctx, SPD_METRIC_AIRM, SPD_SET(LARGE, 1, asked),
                              SPD_SET(LARGE, ASKED, asked), 1, &how, found, d2, NULL));
    for (size_t q = 0; q < ASKED; q++)
        CHECK(found[q] == 0 && (q ? d2[q] > 0.0 : d2[q] < 1e-20), "query %zu: %g", q, d2[q]);
}

TEST(files)
{
    sets s = make_sets(2);
    char path[] = "/tmp/test_search_index_XXXXXX";
    int file = mkstemp(path);
    const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_LOG_EUCLIDEAN};
    CHECK(file >= 0, "no file");
    close(file);
    for (size_t m = 0; m < 2; m++) {
        spd_context *ctx = context_on(1);
        spd_index *index = made(&s, metrics[m], 2), *back = NULL;
        CHECK(spd_index_save(ctx, index, path) == SPD_OK, "%s", spd_context_error(ctx)->message);
        CHECK(spd_index_load(ctx, path, &back) == SPD_OK, "%s", spd_context_error(ctx)->message);
        answer one = ask(&s, metrics[m], SPD_SEARCH_APPROXIMATE, index, 0.0, 1);
        answer two = ask(&s, metrics[m], SPD_SEARCH_APPROXIMATE, back, 0.0, 1);
        CHECK(memcmp(one.d2, two.d2, Q * K * sizeof *one.d2) == 0, "another index came back");
        spd_index_free(index);
        spd_index_free(back);
    }
    unlink(path);
    spd_index *none = NULL;
    CHECK(spd_index_load(context_on(1), path, &none) == SPD_EIO && !none, "a file that is gone");
}

TEST(other_data_are_refused)
{
    sets s = make_sets(3), other = make_sets(4);
    spd_index *index = made(&s, SPD_METRIC_STEIN, 1);
    answer a = ask(&other, SPD_METRIC_STEIN, SPD_SEARCH_APPROXIMATE, index, 0.0, 1);
    CHECK(a.status == SPD_EINVAL && strstr(a.message, "other matrices"), "%s", a.message);
    a = ask(&s, SPD_METRIC_AIRM, SPD_SEARCH_APPROXIMATE, index, 0.0, 1);
    CHECK(a.status == SPD_EINVAL && strstr(a.message, "under stein"), "%s", a.message);
    a = ask(&s, SPD_METRIC_STEIN, SPD_SEARCH_APPROXIMATE, index, 1.5, 1);
    CHECK(a.status == SPD_EINVAL && strstr(a.message, "recall"), "%s", a.message);
    spd_index_free(index);
}

/* ---- what a file may hold ---------------------------------------------------------------------- */

#define META                                                                                       \
    "{\"format\":1,\"kind\":\"spdml index\",\"version\":\"0\",\"metric\":\"%s\",\"n\":%s,"         \
    "\"p\":%s,\"length\":%s,\"d\":%s,\"hash\":1,\"scale\":%s}"

typedef struct contents {
    const char *metric, *n, *p, *length, *d, *scale;
    size_t links;  /* rows */
    int64_t first; /* link */
    double sketch; /* an entry */
    const char *says;
} contents;

static void read_contents(const contents *c)
{
    char meta[400], names[3][12] = {"view", "sketches", "links"};
    double one = 1.0, vectors[16] = {c->sketch};
    int64_t to[2 * LINKS] = {c->first};
    snprintf(meta, sizeof meta, META, c->metric, c->n, c->p, c->length, c->d, c->scale);
    spd_array view = {.name = names[0], .ndim = 2, .shape = {1, 1}, .count = 1, .f64 = &one};
    spd_array sketch = {.name = names[1], .ndim = 2, .shape = {2, 8}, .count = 16, .f64 = vectors};
    spd_array links = {.name = names[2],
                       .type = SPD_TYPE_INT64,
                       .ndim = 2,
                       .shape = {c->links, LINKS},
                       .count = c->links * LINKS,
                       .i64 = to};
    spd_array *arrays[] = {&view, &sketch, &links};
    io_bundle bundle = {.count = 3, .array = arrays, .meta = meta};
    spd_context *ctx = context_on(1);
    spd_index *index = NULL;
    spd_status status = index_from_bundle(ctx, &bundle, &index);
    if (c->says)
        CHECK(status == SPD_EFORMAT && !index && strstr(spd_context_error(ctx)->message, c->says),
              "'%s' does not say '%s'", spd_context_error(ctx)->message, c->says);
    else
        CHECK(status == SPD_OK && index, "%s", spd_context_error(ctx)->message);
    spd_index_free(index);
}

TEST(sizes_and_numbers_of_a_file)
{
    const contents all[] = {
        {"stein", "1", "2", "1", "1", "1.0", 2, 1, 1.0, NULL},
        {"steen", "1", "2", "1", "1", "1.0", 2, 1, 1.0, "'metric'"},
        {"stein", "0", "2", "1", "1", "1.0", 2, 1, 1.0, "no index"},
        {"stein", "4294967296", "2", "1", "1", "1.0", 2, 1, 1.0, "no index"},
        {"stein", "1", "1", "1", "1", "1.0", 2, 1, 1.0, "no index"},
        {"stein", "1", "\"18446744073709551615\"", "1", "1", "1.0", 2, 1, 1.0, "no index"},
        {"stein", "1", "3", "1", "1", "1.0", 2, 1, 1.0, "sketches"},
        {"stein", "2", "2", "1", "1", "1.0", 2, 1, 1.0, "do not suit"},
        {"stein", "1", "2", "1", "2", "1.0", 2, 1, 1.0, "do not suit"},
        {"stein", "2", "2", "3", "3", "1.0", 2, 1, 1.0, "view"},
        {"stein", "100", "2", "5050", "600", "1.0", 2, 1, 1.0, "do not suit"},
        {"stein", "1", "2", "1", "1", "0.0", 2, 1, 1.0, "do not suit"},
        {"stein", "1", "2", "1", "1", "1.0", 1, 1, 1.0, "links"},
        {"stein", "1", "2", "1", "1", "1.0", 2, 2, 1.0, "links: 2"},
        {"stein", "1", "2", "1", "1", "1.0", 2, -1, 1.0, "links: -1"},
        {"stein", "1", "2", "1", "1", "1.0", 2, 1, 1e300, "too large"},
        {"stein", "1", "2", "1", "1", "1.0", 2, 1, NAN, "not finite"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        read_contents(&all[i]);
}

TEST(allocation_sweep)
{
    sets s = make_sets(6);
    int64_t found[Q * K];
    double d2[Q * K];
    spd_context *ctx = context_on(1);
    for (sweep_state w = SWEEP(NULL, 23, NULL, 0); sweep_on(&w);) {
        spd_index *index = NULL;
        w.status = spd_index_make(ctx, SPD_METRIC_STEIN, SPD_SET(N, 60, s.X), 1, &index);
        const spd_nearest_options how = {
            .size = sizeof how, .search = SPD_SEARCH_APPROXIMATE, .index = index};
        if (w.status == SPD_OK)
            w.status = spd_nearest(ctx, SPD_METRIC_STEIN, SPD_SET(N, 60, s.X), SPD_SET(N, Q, s.Q),
                                   K, &how, found, d2, NULL);
        spd_index_free(index);
    }
}
