/* test_sets.c - sets that need not lie in memory: everything that is computed from files, in any
 * number of pieces and shards, or from float32, equals what is computed in memory, bit for bit; and
 * files that are not what they should be are named. */
#include "test_io_common.h"

#include "sets/walk.h"
#include "learn/model.h"
#include "random_spd.h"

enum { N = 7, M = 3, P = 150, CLASSES = 3, SHARDS = 3 };

/* Small enough that a walk has many pieces, and a search many tiles. */
#define LITTLE 220e3

static double *X, *narrowed; /* P x N x N; the same rounded to float32 */
static float *X32;
static int label[P], some[P];

SETUP(make_samples)
{
    rng r = seeded(7);
    X = block(P * N * N);
    narrowed = block(P * N * N);
    X32 = take(P * N * N * sizeof *X32);
    for (size_t i = 0; i < P; i++) {
        random_spd(&r, N, 30.0, X + i * N * N);
        label[i] = (int)(i * 5 % CLASSES);
        some[i] = i % 4 ? label[i] : -1;
        for (size_t e = 0; e < N; e++)
            X[i * N * N + e * (N + 1)] += label[i] == (int)(e % CLASSES) ? 3.0 : 0.0;
    }
    for (size_t e = 0; e < P * N * N; e++)
        narrowed[e] = X32[e] = (float)X[e];
}

/* An .npy file with `count` matrices n x n of elements that are `width` bytes wide, of which so many
 * bytes are there. */
static const char *write_npy(const char *name, size_t count, size_t n, size_t width,
                             const void *bytes, size_t size)
{
    const char *path = scratch(name);
    char dictionary[119];
    unsigned char *file = take(size + 128);
    int used = snprintf(dictionary, sizeof dictionary,
                        "{'descr': '<f%zu', 'fortran_order': False, 'shape': (%zu, %zu, %zu), }",
                        width, count, n, n);
    snprintf(dictionary + used, sizeof dictionary - (size_t)used, "%*s", 118 - used, "\n");
    put_file(path, file, make_npy(file, 1, dictionary, bytes, size));
    return path;
}

/* The samples of `from` in files of unequal length. */
static spd_set *sharded(size_t width, const void *from)
{
    static const size_t first[SHARDS + 1] = {0, 1, 67, P};
    char name[20];
    const char *paths[SHARDS];
    spd_set *store = NULL;
    for (size_t k = 0; k < SHARDS; k++) {
        snprintf(name, sizeof name, "part-%zu%s.npy", k, width == 4 ? "f" : "");
        size_t count = first[k + 1] - first[k], each = N * N * width;
        paths[k] =
            write_npy(name, count, N, width, (const char *)from + first[k] * each, count * each);
    }
    CHECK_OK(ctx, spd_set_open(ctx, SHARDS, paths, NULL, &store));
    return store;
}

TEST(samples_are_read_in_any_pieces)
{
    OWN(spd_set) store = sharded(8, X);
    double *got = block(P * N * N);
    CHECK((store)->n == N && (store)->p == P, "sizes");
    CHECK(spd_set_bytes(store) == 8.0 * P * N * N, "bytes");
    for (size_t first = 0; first < P; first += 11)
        for (size_t count = 1; first + count <= P; count += 29) {
            CHECK(spd_set_read(ctx, store, first, count, got) == SPD_OK, "read");
            CHECK(memcmp(got, X + first * N * N, count * N * N * 8) == 0, "%zu + %zu", first,
                  count);
        }
    CHECK(spd_set_read(ctx, store, P, 1, got) == SPD_EINVAL, "beyond the end");
}

/* Walks over ranges and lists, pieces of every size, begun again before they end. */
static void walk_all(const spd_set *store, const double *expected, const size_t *which,
                     size_t granule, size_t bytes)
{
    set_walk *walks = NULL;
    size_t count;
    CHECK(set_walks_new(ctx, store, 2, granule, bytes, &walks) == SPD_OK, "walks");
    set_walk *w = set_walk_at(walks, 1);
    for (size_t first = 0; first < P; first += 37) {
        size_t last = P - (P - first) / 3, at = first;
        set_walk_begin(w, 0, P, which);
        set_walk_next(w, &count); /* and leave it there */
        set_walk_begin(w, first, last, which);
        const double *got;
        while ((got = set_walk_next(w, &count))) {
            int fits = count % granule == 0 || at + count == last;
            CHECK(fits, "granule");
            for (size_t k = 0; k < count; k++, at++)
                CHECK(memcmp(got + k * N * N, expected + (which ? which[at] : at) * N * N,
                             N * N * 8) == 0,
                      "sample %zu", at);
        }
        CHECK(at == last && count == 0, "%zu of %zu", at, last);
    }
    set_walks_end(walks);
}

/* X32 as a set. */
static spd_set floats(void)
{
    spd_set s = *SPD_SET(N, P, NULL);
    s.X = X32;
    s.type = SPD_TYPE_FLOAT32;
    return s;
}

TEST(walks_hand_out_all_samples_in_order)
{
    size_t list[P];
    spd_set *stores[4] = {sharded(8, X), NULL, NULL, NULL};
    for (size_t i = 0; i < P; i++) /* runs of two */
        list[i] = ((i / 3 * 3 + 40) % P + (i % 3 == 2 ? 0 : i % 3)) % P;
    spd_set wide = *SPD_SET(N, P, X), single = floats();
    stores[1] = &wide;
    stores[2] = &single;
    CHECK(spd_set_load(ctx, stores[0], SPD_TYPE_FLOAT32, &stores[3]) == SPD_OK, "load");
    for (size_t s = 0; s < 4; s++)
        for (size_t granule = 1; granule <= 16; granule *= 4)
            for (size_t bytes = 1; bytes <= 1u << 20; bytes *= 32) {
                walk_all(stores[s], s < 2 ? X : narrowed, NULL, granule, bytes);
                walk_all(stores[s], s < 2 ? X : narrowed, list, granule, bytes);
            }
    spd_set_free(stores[0]);
    spd_set_free(stores[3]);
}

/* Samples that are not symmetric, in a file; *repaired is what is to be read of them. */
static spd_set *crooked_set(const char *name, double **repaired)
{
    const spd_set_options o = {sizeof o, 1, 1e-3};
    double *crooked = copy_of(P * N * N, X);
    spd_set *store = NULL;
    for (size_t i = 0; i < P; i++)
        crooked[i * N * N + 1] += 0.25;
    const char *path = write_npy(name, P, N, 8, crooked, P * N * N * 8);
    CHECK_OK(ctx, spd_set_open(ctx, 1, &path, &o, &store));
    spd_symmetrize(N, P, crooked);
    spd_regularize(N, P, crooked, 1e-3, 0.0);
    *repaired = crooked;
    return store;
}

/* Alone a process holds all of it, repaired once. */
TEST(what_is_held_is_what_is_read)
{
    double *expected, *got = block(P * N * N);
    OWN(spd_set) store = crooked_set("held.npy", &expected);
    CHECK(spd_set_hold(ctx, store) == SPD_OK && spd_set_hold(ctx, store) == SPD_OK, "hold");
    CHECK(truncate(scratch("held.npy"), 3000) == 0, "the file is not needed any more");
    CHECK(spd_set_read(ctx, store, 0, P, got) == SPD_OK, "read");
    CHECK(memcmp(got, expected, P * N * N * 8) == 0, "repaired once");
    walk_all(store, expected, NULL, 1, 3000);
    store->files->held_last = 100; /* a share: the rest is read */
    CHECK(set_there(store, 0, 100) && !set_there(store, 0, 101) && !set_there(store, 100, 1),
          "there");
    CHECK(spd_set_hold(ctx, NULL) == SPD_EINVAL, "nothing");
}

TEST(repairs_are_those_of_the_functions)
{
    double *expected, *got = block(P * N * N);
    OWN(spd_set) store = crooked_set("crooked.npy", &expected);
    CHECK(spd_set_read(ctx, store, 0, P, got) == SPD_OK, "read");
    CHECK(memcmp(got, expected, P * N * N * 8) == 0, "repaired");
    spd_context_set_memory(ctx, LITTLE);
    walk_all(store, expected, NULL, 1, 3000);
    CHECK(spd_check(ctx, store, 0.0) == SPD_OK, "checked");
    spd_context_set_memory(ctx, 0.0);
}

TEST(means_equal_those_in_memory)
{
    OWN(spd_set) store = sharded(8, X), *single = sharded(4, X32);
    for (int metric = 0; metric < SPD_METRICS; metric++) {
        double A[N * N], B[N * N];
        spd_mean_info a = SPD_STRUCT(spd_mean_info), b = SPD_STRUCT(spd_mean_info);
        spd_mean(ctx, (spd_metric)metric, SPD_SET(N, P, X), NULL, A, &a);
        spd_context_set_memory(ctx, LITTLE);
        CHECK(spd_mean(ctx, (spd_metric)metric, store, NULL, B, &b) >= 0, "%s", said(ctx));
        CHECK(memcmp(A, B, sizeof A) == 0 && a.iterations == b.iterations, "metric %d", metric);
        spd_context_set_memory(ctx, 0.0);
        spd_mean(ctx, (spd_metric)metric, SPD_SET(N, P, narrowed), NULL, A, &a);
        CHECK(spd_mean(ctx, (spd_metric)metric, single, NULL, B, &b) >= 0, "float32");
        CHECK(memcmp(A, B, sizeof A) == 0, "metric %d, float32", metric);
    }
}

TEST(maps_equal_those_in_memory)
{
    OWN(spd_set) store = sharded(8, X);
    double W[N * M], turn[N * N], *A = block(P * M * M), *B = block(P * M * M);
    rng r = seeded(3);
    random_orthogonal(&r, N, turn);
    memcpy(W, turn, sizeof W); /* any n x m will do */
    spd_congruence(ctx, SPD_SET(N, P, X), M, W, A);
    spd_context_set_memory(ctx, LITTLE);
    CHECK_OK(ctx, spd_congruence(ctx, store, M, W, B));
    CHECK(memcmp(A, B, P * M * M * 8) == 0, "W'XW");
    spd_context_set_memory(ctx, 0.0);
}

TEST(neighbours_equal_those_in_memory)
{
    enum { K = 5, Q = 70 };
    static int64_t a[P * K], b[P * K];
    static double da[P * K], db[P * K];
    OWN(spd_set) store = sharded(8, X);
    const spd_set *queries = SPD_SET(N, Q, X);
    for (int metric = 0; metric < SPD_METRICS; metric++)
        for (int within = 0; within < 2; within++) {
            size_t rows = within ? P : Q;
            spd_context_set_memory(ctx, 0.0);
            spd_nearest(ctx, (spd_metric)metric, SPD_SET(N, P, X), within ? NULL : SPD_SET(N, Q, X),
                        K, NULL, a, da, NULL);
            spd_context_set_memory(ctx, 40e3); /* tiles of 64 */
            spd_nearest_info info = SPD_STRUCT(spd_nearest_info);
            CHECK_OK(ctx, spd_nearest(ctx, (spd_metric)metric, store, within ? NULL : queries, K,
                                      NULL, b, db, &info));
            CHECK(info.pairs == (double)(rows * (within ? P - 1 : P)) && info.exact == info.pairs &&
                      info.pruned == 0.0,
                  "metric %d: %g of %g pairs", metric, info.exact, info.pairs);
            CHECK(memcmp(a, b, rows * K * sizeof *a) == 0, "metric %d", metric);
            CHECK(memcmp(da, db, rows * K * sizeof *da) == 0, "metric %d", metric);
        }
    spd_context_set_memory(ctx, 0.0);
}

static spd_fit_options options_of(spd_metric metric, spd_objective objective)
{
    spd_fit_options o = fit_defaults();
    o.m = M;
    o.metric = metric;
    o.objective = objective;
    o.nu_w = 4;
    o.nu_b = 6;
    o.max_iter = 12;
    return o;
}

TEST(graphs_equal_those_in_memory)
{
    OWN(spd_set) store = sharded(8, X);
    for (int kind = 0; kind < 6; kind++) {
        spd_fit_options a = options_of(kind % 2 ? SPD_METRIC_AIRM : SPD_METRIC_STEIN,
                                       SPD_OBJECTIVE_DIFFERENCE),
                        b;
        spd_pair *pa = NULL, *pb = NULL;
        size_t ca = 0, cb = 0;
        const int *y = kind < 2 ? label : kind < 4 ? some : NULL;
        a.learning = y ? SPD_LEARNING_SUPERVISED : SPD_LEARNING_UNSUPERVISED;
        b = a;
        spd_context_set_memory(ctx, 0.0);
        CHECK(spd_affinity(ctx, SPD_SET(N, P, X), y, &a, &pa, &ca) == SPD_OK, "in memory");
        spd_context_set_memory(ctx, 40e3);
        CHECK_OK(ctx, spd_affinity(ctx, store, y, &b, &pb, &cb));
        CHECK(ca == cb && memcmp(pa, pb, ca * sizeof *pa) == 0, "kind %d: %zu, %zu", kind, ca, cb);
        CHECK(a.recall == 1.0 && b.recall == 1.0, "kind %d: %g, %g", kind, a.recall, b.recall);
        spd_pairs_free(pa);
        spd_pairs_free(pb);
    }
    spd_context_set_memory(ctx, 0.0);
}

/* The model of a store, or of X where that is NULL, with so many threads and so much memory. */
static spd_model *learned(const spd_set *store, const double *from, const int *y,
                          const spd_fit_options *o, int threads, double memory)
{
    spd_model *model = NULL;
    spd_context_set_threads(ctx, threads);
    spd_context_set_memory(ctx, memory);
    spd_status status = store ? spd_fit(ctx, store, y, o, NULL, &model)
                              : spd_fit(ctx, SPD_SET(N, P, from), y, o, NULL, &model);
    CHECK(status == SPD_OK, "%s", said(ctx));
    spd_context_set_threads(ctx, 0);
    spd_context_set_memory(ctx, 0.0);
    return model;
}

static void check_same(const spd_model *a, const spd_model *b, const char *what, int kind)
{
    if (!CHECK(a && b, "%s, kind %d: no model", what, kind))
        return;
    CHECK(memcmp(a->W, b->W, N * M * sizeof *a->W) == 0, "%s, kind %d: W", what, kind);
    CHECK(a->cost == b->cost && a->iterations == b->iterations, "%s, kind %d: %.17g, %.17g", what,
          kind, a->cost, b->cost);
    CHECK(a->data_passes == b->data_passes, "%s, kind %d: %zu and %zu passes", what, kind,
          a->data_passes, b->data_passes);
}

TEST(fits_equal_those_in_memory)
{
    OWN(spd_set) store = sharded(8, X);
    const spd_set single = floats();
    for (int kind = 0; kind < 8; kind++) {
        spd_fit_options o = options_of(kind % 2 ? SPD_METRIC_AIRM : SPD_METRIC_STEIN,
                                       kind < 4 ? SPD_OBJECTIVE_SOFTMAX : SPD_OBJECTIVE_DIFFERENCE);
        const int *y = kind == 5 ? some : label;
        if (kind == 6)
            o.learning = SPD_LEARNING_VARIANCE;
        if (kind == 7)
            o.metric = SPD_METRIC_JEFFREY;
        o.restarts = kind == 2 ? 2 : 1;
        spd_model *whole = learned(NULL, X, y, &o, 1, 0.0);
        for (int threads = 1; threads <= 3; threads++) {
            OWN(spd_model) piece = learned(store, NULL, y, &o, threads, 1e6);
            check_same(whole, piece, "files", kind);
        }
        spd_model_free(whole);
        whole = learned(NULL, narrowed, y, &o, 2, 0.0);
        OWN(spd_model) half = learned(&single, NULL, y, &o, 2, 0.0);
        check_same(whole, half, "float32", kind);
        spd_model_free(whole);
    }
}

static int take_fingerprint(void *user, const spd_fit_state *state, const spd_fit_step *last,
                            int iteration)
{
    (void)last;
    (void)iteration;
    *(uint64_t *)user = state->fingerprint;
    return 0;
}

static uint64_t fingerprint_of(const spd_set *store)
{
    spd_fit_options o = options_of(SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX);
    spd_fit_hooks watch = SPD_STRUCT(spd_fit_hooks);
    OWN(spd_model) model = NULL;
    uint64_t fingerprint = 0;
    o.max_iter = 1;
    watch.after = take_fingerprint;
    watch.user = &fingerprint;
    CHECK_OK(ctx, spd_fit(ctx, store, label, &o, &watch, &model));
    return fingerprint;
}

/* So that a fit may go on from a file where it was begun in memory. Whatever the data are read in,
 * every sample counts. */
TEST(fingerprints_are_of_the_samples_alone)
{
    spd_set *store = sharded(8, X);
    const spd_set *lent = SPD_SET(N, P, X);
    uint64_t expected = fingerprint_of(lent);
    for (double memory = LITTLE; memory < 2e6; memory *= 2.5) {
        spd_context_set_memory(ctx, memory);
        CHECK(fingerprint_of(store) == expected && expected, "with %g bytes", memory);
    }
    for (size_t i = 0; i < P; i += 13) {
        double before = X[i * N * N];
        X[i * N * N] *= 1.0 + 1e-14;
        spd_set_free(store);
        store = sharded(8, X);
        uint64_t other = fingerprint_of(store);
        CHECK(other != expected && other == fingerprint_of(lent), "sample %zu", i);
        X[i * N * N] = before;
    }
    spd_context_set_memory(ctx, 0.0);
    spd_set_free(store);
}

/* With O(m^2) numbers kept, the gradient is a pass of its own: the same way up to rounding. */
TEST(little_memory_takes_two_passes)
{
    OWN(spd_set) store = sharded(8, X);
    for (int airm = 0; airm < 2; airm++) {
        spd_fit_options o =
            options_of(airm ? SPD_METRIC_AIRM : SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX);
        o.init = SPD_INIT_MEAN;
        o.max_iter = 8;
        OWN(spd_model) whole = learned(NULL, X, label, &o, 2, 0.0);
        OWN(spd_model) two = learned(store, NULL, label, &o, 2, LITTLE);
        OWN(spd_model) other = learned(store, NULL, label, &o, 1, LITTLE);
        check_same(two, other, "threads", airm);
        if (!two || !whole)
            continue;
        CHECK(two->passes_each == 2 && whole->passes_each == 1, "passes");
        CHECK(two->data_passes > whole->data_passes + 6, "%zu and %zu passes", two->data_passes,
              whole->data_passes);
        CHECK_CLOSE(two->cost, whole->cost, 1e-9 * fabs(whole->cost), "cost");
    }
}

TEST(a_limit_that_is_too_small_says_what_is_needed)
{
    OWN(spd_set) store = sharded(8, X);
    spd_fit_options o = options_of(SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX);
    spd_model *model = NULL;
    spd_context_set_memory(ctx, 20e3);
    CHECK_FAILED(ctx, spd_fit(ctx, store, label, &o, NULL, &model), SPD_ENOMEM, "is too small");
    CHECK(!model, "no model");
    spd_context_set_memory(ctx, 0.0);
}

TEST(shards_must_be_alike)
{
    const char *paths[2] = {scratch("a.npy"), scratch("b.npy")};
    spd_set *store = NULL;
    write_npy("a.npy", 4, N, 8, X, 4 * N * N * 8);
    write_npy("b.npy", 4, N - 1, 8, X, 4 * (N - 1) * (N - 1) * 8);
    CHECK_FAILED(ctx, spd_set_open(ctx, 2, paths, NULL, &store), SPD_EINVAL, "b.npy: holds 6 x 6");
    write_npy("b.npy", 4, N, 4, X32, 4 * N * N * 4);
    CHECK_FAILED(ctx, spd_set_open(ctx, 2, paths, NULL, &store), SPD_EINVAL,
                 "b.npy: holds float32");
    write_npy("b.npy", 4, N, 8, X, 3 * N * N * 8);
    CHECK_FAILED(ctx, spd_set_open(ctx, 2, paths, NULL, &store), SPD_EFORMAT,
                 "b.npy: is cut short");
    paths[1] = "nowhere.npy";
    CHECK_FAILED(ctx, spd_set_open(ctx, 2, paths, NULL, &store), SPD_EIO,
                 "nowhere.npy: cannot open");
    CHECK_FAILED(ctx, spd_set_open(ctx, 0, paths, NULL, &store), SPD_EINVAL, "no files");
    CHECK(!store, "nothing is made");
}

TEST(a_bad_sample_is_named_with_its_shard)
{
    spd_fit_options o = options_of(SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX);
    double *bad = copy_of(P * N * N, X), M1[N * N];
    spd_model *model = NULL;
    bad[100 * N * N + 3 * N] = NAN;
    OWN(spd_set) store = sharded(8, bad);
    spd_context_set_memory(ctx, LITTLE);
    CHECK_FAILED(ctx, spd_fit(ctx, store, label, &o, NULL, &model), SPD_ENOTFINITE,
                 "X[100] holds NaN or Inf at row 3, column 0 (sample 33 of ");
    CHECK(spd_context_error(ctx)->index == 100, "index");
    CHECK_FAILED(ctx, spd_mean(ctx, SPD_METRIC_AIRM, store, NULL, M1, NULL), SPD_ENOTFINITE,
                 "X[100] holds NaN or Inf at row 3, column 0 (sample 33 of ");
    CHECK_FAILED(ctx, spd_check(ctx, store, 0.0), SPD_ENOTFINITE, "part-2.npy");
    CHECK_FAILED(ctx, spd_affinity(ctx, store, label, &o, &(spd_pair *){NULL}, &(size_t){0}),
                 SPD_ENOTFINITE, "X[100]");
    spd_context_set_memory(ctx, 0.0);
}

/* Cuts the last file off in the middle of a fit. */
static int shrink(void *user, const spd_fit_state *state, const spd_fit_step *last, int iteration)
{
    (void)state;
    (void)last;
    return iteration == 2 ? truncate(user, 3000) : 0;
}

TEST(a_file_that_shrinks_ends_the_fit)
{
    OWN(spd_set) store = sharded(8, X);
    spd_fit_options o = options_of(SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX);
    spd_fit_hooks watch = SPD_STRUCT(spd_fit_hooks);
    spd_model *model = NULL;
    watch.after = shrink;
    watch.user = (char *)(uintptr_t)scratch("part-2.npy");
    CHECK_FAILED(ctx, spd_fit(ctx, store, label, &o, &watch, &model), SPD_EIO,
                 "part-2.npy: |while it was being read");
    CHECK(!model, "no model");
}

TEST(allocation_failures)
{
    OWN(spd_set) store = sharded(8, X);
    spd_fit_options o = options_of(SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX);
    o.max_iter = 2;
    spd_context_set_threads(ctx, 1);
    spd_context_set_memory(ctx, 300e3); /* little, but room for the copy */
    for (sweep_state w = SWEEP(ctx, 20, NULL, 0); sweep_on(&w);) {
        OWN(spd_model) model = NULL;
        OWN(spd_set) copy = NULL;
        w.status = spd_set_load(ctx, store, SPD_TYPE_FLOAT32, &copy);
        if (w.status == SPD_OK)
            w.status = spd_fit(ctx, w.k % 2 ? store : copy, label, &o, NULL, &model);
        CHECK_MADE(w, model);
    }
    spd_context_set_threads(ctx, 0);
    spd_context_set_memory(ctx, 0.0);
}
