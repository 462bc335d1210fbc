/* test_affinity.c - the pairs of the affinity against a twin that sorts rows of the distance
 * matrix; joining, ties, classes of one, unlabelled samples, graphs without labels, own graphs. */
#include "repeat.h"

#include "golden_affinity.h"
#include "golden_values.h"
#include "learn/affinity.h"
#include "learn/affinity_search.h"
#include "linalg/dense.h"
#include "random_spd.h"

typedef struct graph {
    spd_pair *pairs;
    size_t count;
    spd_status status;
    char message[512];
    spd_fit_options used;
} graph;

static spd_fit_options plain(spd_metric metric, size_t nu_w, size_t nu_b)
{
    spd_fit_options o = {.size = sizeof o,
                         .m = 1,
                         .metric = metric,
                         .nu_w = nu_w,
                         .nu_b = nu_b,
                         .objective = SPD_OBJECTIVE_DIFFERENCE};
    return o;
}

static void pairs_gone(void *pairs)
{
    spd_pairs_free(pairs);
}

static graph ask(spd_fit_options o, size_t n, size_t p, const double *X, const int *label)
{
    graph g = {.used = o};
    spd_context *ctx = context_on(0);
    g.status = spd_affinity(ctx, SPD_SET(n, p, X), label, &g.used, &g.pairs, &g.count);
    memcpy(g.message, said(ctx), sizeof g.message);
    own(g.pairs, pairs_gone);
    return g;
}

/* Pairs in order, each once; and as matrices. W, B: p x p. */
static void spread(size_t p, const graph *g, double *W, double *B)
{
    memset(W, 0, p * p * sizeof *W);
    memset(B, 0, p * p * sizeof *B);
    for (size_t e = 0; e < g->count; e++) {
        spd_pair a = g->pairs[e];
        CHECK(a.i < a.j && a.j < p, "pair %zu is (%u, %u)", e, a.i, a.j);
        if (e > 0) {
            spd_pair b = g->pairs[e - 1];
            CHECK(b.i < a.i || (b.i == a.i && b.j < a.j), "pair %zu is out of order", e);
        }
        W[a.i * p + a.j] = W[a.j * p + a.i] = a.within;
        B[a.i * p + a.j] = B[a.j * p + a.i] = a.between;
    }
}

/* 0: same class, 1: other class, 2: anyone. */
static int fits(const int *label, int rule, size_t i, size_t j)
{
    if (i == j)
        return 0;
    if (rule == 2)
        return 1;
    return label[j] >= 0 && (rule == 0) == (label[i] == label[j]);
}

/* N (p x p): 1 where j is one of the k nearest of i that fit the rule. */
static void twin_row(size_t p, const int *label, const double *D, int rule, size_t i, size_t k,
                     double *N)
{
    for (size_t e = 0; e < k; e++) {
        size_t best = p;
        for (size_t j = 0; j < p; j++)
            if (fits(label, rule, i, j) && N[i * p + j] == 0.0 &&
                (best == p || D[i * p + j] < D[i * p + best]))
                best = j;
        if (best < p)
            N[i * p + best] = 1.0;
    }
}

static void twin_join(size_t p, double *N)
{
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++)
            N[i * p + j] = N[j * p + i] = fmax(N[i * p + j], N[j * p + i]);
}

static void twin(spd_fit_options o, size_t n, size_t p, const double *X, const int *label,
                 double *W, double *B)
{
    double *D = block(p * p);
    CHECK_OK(NULL, spd_pairwise2(NULL, o.metric, SPD_SET(n, p, X), SPD_SET(n, p, X), D));
    memset(W, 0, p * p * sizeof *W);
    memset(B, 0, p * p * sizeof *B);
    for (size_t i = 0; i < p; i++) {
        twin_row(p, label, D, label[i] < 0 ? 2 : 0, i, o.nu_w, W);
        if (label[i] >= 0)
            twin_row(p, label, D, 1, i, o.nu_b, B);
    }
    twin_join(p, W);
    twin_join(p, B);
}

static void compare(spd_fit_options o, size_t n, size_t p, const double *X, const int *label,
                    const char *what)
{
    double *W = block(p * p), *B = block(p * p), *W2 = block(p * p), *B2 = block(p * p);
    graph g = ask(o, n, p, X, label);
    CHECK(g.status == SPD_OK, "%s: %s", what, g.message);
    spread(p, &g, W, B);
    twin(o, n, p, X, label, W2, B2);
    CHECK(memcmp(W, W2, p * p * sizeof *W) == 0, "%s: within", what);
    for (size_t e = 0; e < p * p; e++) /* those of unlabelled samples are drawn: see below */
        if (!label || (label[e / p] >= 0 && label[e % p] >= 0))
            CHECK(B[e] == B2[e], "%s: between %zu and %zu", what, e / p, e % p);
    size_t unknown = 0, far = 0;
    for (size_t e = 0; e < p * p; e++) {
        unknown += label && label[e / p] < 0;
        far += label && label[e / p] < 0 && B[e] > 0.0;
        CHECK(W[e] == 0.0 || B[e] == 0.0, "%s: near and far", what);
    }
    CHECK(unknown == 0 || far > 0, "%s: no far pairs for unlabelled samples", what);
    CHECK(norm(p * p, W) > 0.0 && norm(p * p, B) > 0.0, "%s: both graphs have pairs", what);
}

TEST(against_the_twin)
{
    const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_LOG_EUCLIDEAN};
    const size_t n = 5, p = 43;
    rng r = seeded(11);
    double *X = random_set(&r, n, p, 30.0);
    int label[43];
    for (size_t i = 0; i < p; i++)
        label[i] = i == 7 ? 900 : (int)(rng_below(&r, 4) * 3); /* gaps; a class of one */
    for (size_t k = 0; k < 4; k++) {
        spd_fit_options o = plain(metrics[k], 3, 4);
        compare(o, n, p, X, label, METRIC_NAME(metrics[k]));
        o.nu_w = o.nu_b = 1000;
        compare(o, n, p, X, label, "all there are");
    }
}

TEST(unlabelled_take_part)
{
    const size_t n = 4, p = 30;
    rng r = seeded(12);
    double *X = random_set(&r, n, p, 30.0);
    int label[30];
    for (size_t i = 0; i < p; i++)
        label[i] = i % 3 == 0 ? -1 : (int)(i % 2);
    compare(plain(SPD_METRIC_STEIN, 3, 2), n, p, X, label, "some without a label");
}

/* Every matrix several times, so that nearly all comparisons tie. */
static double *duplicates(rng *r, size_t n, size_t p, size_t distinct)
{
    double *X = random_set(r, n, p, 30.0);
    for (size_t i = distinct; i < p; i++)
        memcpy(X + i * n * n, X + (i * 7 % distinct) * n * n, n * n * sizeof *X);
    return X;
}

TEST(ties_and_duplicates)
{
    const size_t n = 4, p = 36;
    rng r = seeded(13);
    double *X = duplicates(&r, n, p, 6);
    int label[36];
    for (size_t i = 0; i < p; i++)
        label[i] = (int)(i / 2 % 3);
    compare(plain(SPD_METRIC_STEIN, 2, 2), n, p, X, label, "stein");
    compare(plain(SPD_METRIC_AIRM, 3, 5), n, p, X, label, "airm");
    compare(plain(SPD_METRIC_LOG_EUCLIDEAN, 4, 1), n, p, X, label, "log-euclidean");
}

static int same_links(links *a, links *b, size_t p)
{
    spd_pair *x = NULL, *y = NULL;
    size_t count_x = 0, count_y = 0;
    CHECK(links_join(NULL, p, a, &x, &count_x) == SPD_OK, "join");
    CHECK(links_join(NULL, p, b, &y, &count_y) == SPD_OK, "join");
    int same = a->count == b->count && count_x == count_y && count_x > 0;
    for (size_t e = 0; same && e < count_x; e++)
        same = x[e].i == y[e].i && x[e].j == y[e].j && x[e].within == y[e].within &&
               x[e].between == y[e].between;
    spd_pairs_free(x);
    spd_pairs_free(y);
    return same;
}

static graph_job job_of(const spd_set *set, const int *label, const classes *c, spd_metric metric,
                        size_t nu_w, size_t nu_b)
{
    return (graph_job){.p = set->p,
                       .set = set,
                       .label = label,
                       .c = c,
                       .metric = metric,
                       .nu_w = nu_w,
                       .nu_b = nu_b,
                       .near_unknown = nu_w,
                       .far_unknown = nu_b};
}

/* The way for large sets finds what the one for small sets finds. */
TEST(large_way_equals_small_way)
{
    const size_t n = 4, p = 150;
    const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_LOG_EUCLIDEAN};
    rng r = seeded(14);
    double *sets[] = {random_set(&r, n, p, 30.0), duplicates(&r, n, p, 11)};
    int label[150];
    for (int big = 0; big < 2; big++) { /* small classes, and two that fill more than one search */
        for (size_t i = 0; i < p; i++)
            label[i] = i % 17 == 5 ? -1 : (int)(big ? i % 2 : i * i % 23);
        classes c;
        FREED_BY(arena_free) arena room = {0};
        CHECK(classes_sort(NULL, p, label, &room, &c) == SPD_OK, "classes");
        for (size_t e = 0; e < 8; e++) {
            const spd_set set = *SPD_SET(n, p, sets[e % 2]);
            graph_job g = job_of(&set, label, &c, metrics[e / 2], 4, 3);
            links small, large;
            links_new(NULL, graph_room(&g), &small);
            links_new(NULL, graph_room(&g), &large);
            CHECK(graph_by_class(NULL, &g, p, &small) == SPD_OK, "small");
            CHECK(graph_by_class(NULL, &g, p - 1, &large) == SPD_OK, "large");
            size_t drawn = (p - c.labelled) * g.nu_b; /* room for graph_far_unknown */
            CHECK(small.count + drawn == graph_room(&g), "%zu and %zu", small.count, drawn);
            CHECK(same_links(&small, &large, p), "case %zu, big %d", e, big);
            links_free(&small);
            links_free(&large);
        }
    }
}

static void golden_one(spd_metric metric, const signed char *A, size_t within, size_t between)
{
    double *X = block(GOLDEN_P * 64), *W = block(GOLDEN_P * GOLDEN_P),
           *B = block(GOLDEN_P * GOLDEN_P);
    int label[GOLDEN_P];
    for (size_t i = 0; i < GOLDEN_P; i++) {
        label[i] = (int)(i % 3);
        dense_unpack(8, golden_X + i * 36, X + i * 64);
    }
    graph g = ask(plain(metric, 3, 2), 8, GOLDEN_P, X, label);
    CHECK(g.status == SPD_OK, "%s", g.message);
    spread(GOLDEN_P, &g, W, B);
    for (size_t i = 0, e = 0; i < GOLDEN_P; i++)
        for (size_t j = 0; j < i; j++, e++)
            CHECK(W[i * GOLDEN_P + j] - B[i * GOLDEN_P + j] == A[e], "A(%zu, %zu)", i, j);
    size_t have_w, have_b;
    affinity_count(g.count, g.pairs, &have_w, &have_b);
    CHECK(have_w == within && have_b == between, "%zu and %zu pairs", have_w, have_b);
}

TEST(golden)
{
    golden_one(SPD_METRIC_STEIN, golden_affinity_stein, 48, 39);
    golden_one(SPD_METRIC_AIRM, golden_affinity_airm, 47, 39);
}

static void expect(const graph *g, size_t count, const spd_pair *pairs)
{
    CHECK(g->status == SPD_OK, "%s", g->message);
    CHECK(g->count == count, "%zu pairs", g->count);
    for (size_t e = 0; e < count && e < g->count; e++)
        CHECK(g->pairs[e].i == pairs[e].i && g->pairs[e].j == pairs[e].j &&
                  g->pairs[e].within == pairs[e].within && g->pairs[e].between == pairs[e].between,
              "pair %zu: %u %u %g %g", e, g->pairs[e].i, g->pairs[e].j, g->pairs[e].within,
              g->pairs[e].between);
}

/* Class 0 at 0, 1, 3; class 1 at 4.5, 10; class 2 at 20 alone. */
TEST(planted_pairs)
{
    const double x[] = {0.0, 1.0, 3.0, 4.5, 10.0, 20.0};
    const int label[] = {0, 0, 0, 1, 1, 2};
    double X[6];
    for (size_t i = 0; i < 6; i++) /* scalars e^x: distances grow with |x - y| */
        X[i] = exp(x[i]);
    const spd_pair or_pairs[] = {{0, 1, 1, 0}, {0, 3, 0, 1}, {1, 2, 1, 0}, {1, 3, 0, 1},
                                 {2, 3, 0, 1}, {2, 4, 0, 1}, {3, 4, 1, 0}, {4, 5, 0, 1}};
    graph g = ask(plain(SPD_METRIC_AIRM, 1, 1), 1, 6, X, label);
    expect(&g, 8, or_pairs);
}

TEST(defaults)
{
    rng r = seeded(15);
    double *X = random_set(&r, 3, 20, 10.0);
    int label[20];
    for (size_t i = 0; i < 20; i++)
        label[i] = i < 2 ? 0 : i < 10 ? 1 : 2;
    graph g = ask(plain(SPD_METRIC_STEIN, 0, 0), 3, 20, X, label);
    CHECK(g.used.nu_w == 2 && g.used.nu_b == 2, "%zu %zu", g.used.nu_w, g.used.nu_b);
    for (size_t i = 0; i < 20; i++)
        label[i] = (int)(i % 4);
    g = ask(plain(SPD_METRIC_STEIN, 0, 0), 3, 20, X, label);
    CHECK(g.used.nu_w == 5 && g.used.nu_b == 3, "%zu %zu", g.used.nu_w, g.used.nu_b);
}

TEST(near_and_far)
{
    const size_t n = 3, p = 80;
    rng r = seeded(16);
    double *X = random_set(&r, n, p, 20.0);
    int64_t nearest[80 * 12];
    double d2[80 * 12];
    CHECK_OK(NULL, spd_nearest(NULL, SPD_METRIC_STEIN, SPD_SET(n, p, X), NULL, 12, NULL, nearest,
                               d2, NULL));
    spd_fit_options o = plain(SPD_METRIC_STEIN, 6, 4);
    o.learning = SPD_LEARNING_UNSUPERVISED;
    o.seed = 5;
    graph g = ask(o, n, p, X, NULL), same = ask(o, n, p, X, NULL);
    o.seed = 6;
    graph other = ask(o, n, p, X, NULL);
    CHECK(g.status == SPD_OK, "%s", g.message);
    double *W = block(p * p), *B = block(p * p);
    spread(p, &g, W, B);
    size_t far = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < 12; e++) {
            size_t j = (size_t)nearest[i * 12 + e];
            CHECK(e >= 6 || (W[i * p + j] == 1.0 && B[i * p + j] == 0.0), "near %zu %zu", i, j);
            int mutual = 0; /* j may have drawn i where i is not near j */
            for (size_t k = 0; k < 12; k++)
                mutual |= (size_t)nearest[j * 12 + k] == i;
            CHECK(!mutual || B[i * p + j] == 0.0, "%zu and %zu are not far", i, j);
        }
    for (size_t e = 0; e < g.count; e++) {
        far += g.pairs[e].between > 0.0;
        CHECK(g.pairs[e].between == 0.0 || g.pairs[e].between == 1.0, "weight");
    }
    CHECK(far > 4 * p / 2 && far <= 4 * p, "%zu far pairs", far);
    CHECK(g.count == same.count && !memcmp(g.pairs, same.pairs, g.count * sizeof *g.pairs), "seed");
    CHECK(g.count != other.count || memcmp(g.pairs, other.pairs, g.count * sizeof *g.pairs),
          "another seed draws the same");
    o.nu_w = o.nu_b = 0;
    other = ask(o, n, p, X, NULL);
    CHECK(other.used.nu_w == 5 && other.used.nu_b == 5, "defaults");
    other = ask(o, n, 4, X, NULL);
    CHECK(other.status == SPD_OK && other.used.nu_w == 1, "four samples: %s", other.message);
}

/* Tuning knows the distances: the graph, supervised or not, is that of the matrices. */
TEST(of_known_distances)
{
    enum { N = 4, P = 30 };
    rng r = seeded(5);
    double *X = random_set(&r, N, P, 20.0), *D = block(P * P);
    int label[P];
    for (int i = 0; i < P; i++)
        label[i] = i % 3;
    spd_context *ctx = context_on(1);
    CHECK_OK(ctx, spd_pairwise2(ctx, SPD_METRIC_STEIN, SPD_SET(N, P, X), NULL, D));
    for (int learning = SPD_LEARNING_SUPERVISED; learning <= SPD_LEARNING_UNSUPERVISED;
         learning++) {
        spd_fit_options o = plain(SPD_METRIC_STEIN, 3, 2);
        o.learning = (spd_learning)learning;
        o.seed = 7;
        graph wanted = ask(o, N, P, X, label);
        spd_pair *pairs = NULL;
        size_t count = 0;
        CHECK_OK(ctx, affinity_of_distances(ctx, P, D, label, &o, &pairs, &count));
        own(pairs, pairs_gone);
        CHECK(count > 0 && count == wanted.count &&
                  memcmp(pairs, wanted.pairs, count * sizeof *pairs) == 0,
              "learning %d: %zu pairs, of the matrices %zu", learning, count, wanted.count);
    }
}

TEST(own_graph)
{
    double X[5] = {1, 2, 3, 4, 5};
    const spd_pair mine[] = {{3, 1, 0, 2}, {0, 4, 1, 0}, {0, 2, 0.5, 0.25}, {1, 2, 0, 0}};
    const spd_pair sorted[] = {{0, 2, 0.5, 0.25}, {0, 4, 1, 0}, {1, 3, 0, 2}};
    spd_fit_options o = plain(SPD_METRIC_STEIN, 0, 0);
    o.learning = SPD_LEARNING_OWN_GRAPH;
    o.pairs = 4;
    o.own_pairs = mine;
    graph g = ask(o, 1, 5, X, NULL);
    expect(&g, 3, sorted);
    const spd_pair bad[][2] = {{{0, 1, 1, 0}, {1, 0, 1, 0}},   {{0, 1, 1, 0}, {2, 2, 1, 0}},
                               {{0, 1, 1, 0}, {2, 5, 1, 0}},   {{0, 1, 1, 0}, {1, 2, -1, 0}},
                               {{0, 1, 1, 0}, {1, 2, 0, NAN}}, {{0, 1, INFINITY, 0}, {1, 2, 0, 1}}};
    for (size_t e = 0; e < 6; e++) {
        CHECK(affinity_check(NULL, 5, 2, bad[e]) == SPD_EINVAL, "bad graph %zu", e);
        o.pairs = 2;
        o.own_pairs = bad[e];
        g = ask(o, 1, 5, X, NULL);
        CHECK(g.status == SPD_EINVAL && g.message[0] && !g.pairs, "bad graph %zu", e);
    }
    CHECK(affinity_check(NULL, 5, 0, mine) == SPD_EINVAL, "no pairs");
}

static void refuse(spd_fit_options o, size_t p, const double *X, const int *label,
                   spd_status status, const char *words)
{
    graph g = ask(o, 1, p, X, label);
    CHECK(g.status == status && strstr(g.message, words), "%d, %s; expected: %s", g.status,
          g.message, words);
    CHECK(!g.pairs && g.used.nu_w == o.nu_w && g.used.nu_b == o.nu_b, "outputs touched");
}

TEST(refusals)
{
    const double X[4] = {1, 2, 3, 4}, bad[4] = {1, 2, -3, 4};
    const int one[4] = {1, 1, 1, 1}, each[4] = {0, 1, 2, 3}, none[4] = {-1, -1, -1, -1},
              good[4] = {0, 0, 1, 1};
    spd_fit_options o = plain(SPD_METRIC_STEIN, 0, 0);
    refuse(o, 4, X, NULL, SPD_EINVAL, "needs labels");
    refuse(o, 4, X, one, SPD_EINVAL, "the between graph is empty");
    refuse(o, 4, X, each, SPD_EINVAL, "the within graph is empty");
    refuse(o, 4, X, none, SPD_EINVAL, "no sample has a label");
    refuse(o, 1, X, good, SPD_EINVAL, "at least two");
    refuse(o, 4, bad, good, SPD_ENOTSPD, "X[2]");
    o.metric = (spd_metric)99;
    refuse(o, 4, X, good, SPD_EINVAL, "metric");
    o.metric = SPD_METRIC_STEIN;
    o.learning = SPD_LEARNING_VARIANCE;
    refuse(o, 4, X, NULL, SPD_EINVAL, "maximal variance");
    o.learning = SPD_LEARNING_UNSUPERVISED;
    o.nu_w = 3;
    refuse(o, 4, X, NULL, SPD_EINVAL, "the between graph is empty");
}

static spd_status by_search(spd_context *ctx, size_t n, size_t p, const double *X, const int *label)
{
    classes c;
    FREED_BY(arena_free) arena room = {0};
    links l = {0};
    const spd_set set = *SPD_SET(n, p, X);
    graph_job g = job_of(&set, label, &c, SPD_METRIC_STEIN, 2, 2);
    spd_status status = classes_sort(ctx, p, label, &room, &c);
    if (status == SPD_OK)
        status = links_new(ctx, graph_room(&g), &l);
    if (status == SPD_OK)
        status = graph_by_class(ctx, &g, 0, &l);
    links_free(&l);
    return status;
}

TEST(bad_sample_by_its_number)
{
    const double X[6] = {1, 2, 3, 4, -5, 6};
    const int label[6] = {0, 1, 0, 1, 0, 1};
    spd_context *ctx = context_on(0);
    CHECK_FAILED(ctx, by_search(ctx, 1, 6, X, label), SPD_ENOTSPD, "X[4]");
}

TEST(allocation_sweep)
{
    enum { n = 3, p = 24 };
    static const spd_learning ways[] = {SPD_LEARNING_SUPERVISED, SPD_LEARNING_UNSUPERVISED,
                                        SPD_LEARNING_OWN_GRAPH};
    const spd_pair own[] = {{0, 1, 1, 0}, {1, 2, 0, 1}};
    rng r = seeded(17);
    double *X = duplicates(&r, n, p, 5);
    int label[p];
    for (size_t i = 0; i < p; i++)
        label[i] = i % 7 == 3 ? -1 : (int)(i % 3);
    spd_context *ctx = context_on(0);
    for (int way = 0; way < 4; way++)
        for (sweep_state s = SWEEP(ctx, 1, NULL, 0); sweep_on(&s);) {
            spd_fit_options o = plain(SPD_METRIC_AIRM, 2, 2);
            spd_pair *pairs = NULL;
            size_t count = 0;
            o.learning = ways[way % 3];
            o.pairs = 2;
            o.own_pairs = own;
            s.status = way == 3 ? by_search(ctx, n, p, X, label)
                                : spd_affinity(ctx, SPD_SET(n, p, X), label, &o, &pairs, &count);
            CHECK(s.status == SPD_OK || !pairs, "way %d, %ld", way, s.k);
            spd_pairs_free(pairs);
        }
}
