/* test_model.c - model files and checkpoints: what is written comes back with the same bits, what
 * is damaged is refused, and running out of memory leaks nothing. */
#include "unit/test_io_common.h"

#include <limits.h>

#include "io/file.h"
#include "learn/model.h"
#include "learn/record.h"
#include "optim/minimise.h"
#include "random_spd.h"

#define N 4
#define M 2

/* Orthonormal columns. */
static double map[N * M] = {0.6, 0, 0.8, 0, 0, 0.28, 0, 0.96};
static double tangent[N * M] = {0.1, 1.0 / 3, -2, 1e-300, 5, 6, 7, 8};
static spd_fit_step steps[3] = {
    {3.5, 10, 0, 0.001, 0}, {1.0 / 3, 2, 0.25, 0.002, 4}, {0.1, 1e-9, 1e-3, 0.5, 2}};
static spd_pair pairs[3] = {{0, 1, 1, 0}, {2, 1, 0, 1.0 / 7}, {0, 4, 0.5, 0.5}};

static spd_fit_options options;

/* What the optimiser carries: W, H, gradient, origin and L-BFGS's pairs; three moves. */
static double point[20 * N * M];
static double moves[3 * (N * M + 1)];
static double factor[N * N] = {2, 0, 0, 0, 1, 1.0 / 3, 0, 0, 0, 5, 6, 0, -1, 0, 1e-9, 0.5};

static spd_model sample_model(void)
{
    spd_fit_defaults(&options, sizeof options);
    options.m = M;
    options.metric = SPD_METRIC_AIRM;
    options.learning = SPD_LEARNING_UNSUPERVISED;
    options.objective = SPD_OBJECTIVE_SOFTMAX;
    options.nu_w = 5;
    options.nu_b = 2;
    options.init = SPD_INIT_MEAN;
    options.solver = SPD_SOLVER_LBFGS;
    options.max_time = 7.25;
    options.max_iter = 17;
    options.restarts = 3;
    options.seed = UINT64_MAX;
    options.coordinates = SPD_COORDINATES_WITHIN;
    return (spd_model){.n = N,
                       .m = M,
                       .W = map,
                       .options = &options,
                       .pairs_within = 2,
                       .pairs_between = 1,
                       .cost_start = 3.5,
                       .cost = -0.1,
                       .gradient_norm = 1e-9,
                       .iterations = 2,
                       .data_passes = 4,
                       .stop = SPD_STOP_LINE_SEARCH,
                       .seconds_graph = 0.125,
                       .seconds_fit = 0.5,
                       .steps = 3,
                       .history = steps,
                       .version = "0.0.9"};
}

static spd_model now, best;

static spd_fit_state sample_state(void)
{
    now = best = sample_model();
    now.cost = 0.1;
    now.stop = SPD_STOP_CANCELLED;
    now.data_passes = 11;
    best.cost = -7;
    options.learning = SPD_LEARNING_OWN_GRAPH;
    for (size_t row = 0; row < 20; row++)
        memcpy(point + row * N * M, row == 0 || row == 3 ? map : tangent, sizeof map);
    for (size_t k = 0; k < 3; k++)
        memcpy(moves + k * (N * M + 1), tangent, sizeof tangent);
    moves[N * M] = 0.25;
    return (spd_fit_state){.p = 5,
                           .fingerprint = UINT64_C(0xfedcba9876543210),
                           .pairs = 3,
                           .pair = pairs,
                           .start = 1,
                           .L = factor,
                           .now = &now,
                           .best = &best,
                           .at = {.n = N,
                                  .m = M,
                                  .f = 0.1,
                                  .gradient_norm = 1e-9,
                                  .first_f = 10,
                                  .last_step = 1e-3,
                                  .iteration = 2,
                                  .refreshes = 1,
                                  .small_steps = 1,
                                  .passes = 11,
                                  .rows = 20,
                                  .block = point,
                                  .memory = {.size = N * M, .count = 3, .first = 2},
                                  .moves = 3,
                                  .move = moves}};
}

static int same_options(const spd_fit_options *a, const spd_fit_options *b)
{
    return a->metric == b->metric && a->learning == b->learning && a->objective == b->objective &&
           a->nu_w == b->nu_w && a->nu_b == b->nu_b && a->init == b->init &&
           a->solver == b->solver && a->tol == b->tol && a->max_time == b->max_time &&
           a->max_iter == b->max_iter && a->restarts == b->restarts && a->seed == b->seed &&
           a->m == b->m && a->coordinates == b->coordinates;
}

/* Equal members, whatever the padding; versions are those of the files. */
static int same_model(const spd_model *a, const spd_model *b)
{
    return a->n == b->n && a->m == b->m && memcmp(a->W, b->W, sizeof map) == 0 &&
           same_options(a->options, b->options) && a->pairs_within == b->pairs_within &&
           a->pairs_between == b->pairs_between && a->cost_start == b->cost_start &&
           a->cost == b->cost && a->gradient_norm == b->gradient_norm &&
           a->iterations == b->iterations && a->data_passes == b->data_passes &&
           a->stop == b->stop && a->seconds_graph == b->seconds_graph &&
           a->seconds_fit == b->seconds_fit && a->steps == b->steps;
}

static int same_history(size_t count, const spd_fit_step *a, const spd_fit_step *b)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].cost != b[i].cost || a[i].gradient_norm != b[i].gradient_norm ||
            a[i].step != b[i].step || a[i].seconds != b[i].seconds || a[i].probes != b[i].probes)
            return 0;
    return 1;
}

TEST(models_come_back)
{
    spd_model model = sample_model(), *back = NULL;
    CHECK_OK(ctx, spd_model_save(ctx, &model, scratch("m.spdml")));
    CHECK_OK(ctx, spd_model_load(ctx, scratch("m.spdml"), &back));
    CHECK(back && same_model(&model, back), "members");
    CHECK(back && strcmp(back->version, "0.0.9") == 0, "version");
    CHECK(back && same_history(3, steps, back->history), "history");
    CHECK(spd_file_kind(scratch("m.spdml")) == SPD_KIND_MODEL, "kind");
    spd_model_free(back);
}

/* The bytes are those of the file, and half of them are no model. */
TEST(models_in_memory)
{
    spd_model model = sample_model(), *back = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(ctx, spd_model_pack(ctx, &model, &bytes, &size));
    CHECK(spd_model_unpack(ctx, bytes, size / 2, &back) < 0 && !back, " ");
    CHECK_OK(ctx, spd_model_unpack(ctx, bytes, size, &back));
    CHECK(back && same_model(&model, back), "members");
    CHECK(back && same_history(3, steps, back->history), "history");
    spd_model_free(back);
    spd_bytes_free(bytes);
}

TEST(states_come_back)
{
    spd_fit_state state = sample_state(), *back = NULL;
    CHECK_OK(ctx, spd_fit_state_save(ctx, &state, scratch("c.any")));
    CHECK_OK(ctx, spd_fit_state_load(ctx, scratch("c.any"), &back));
    CHECK(spd_file_kind(scratch("c.any")) == SPD_KIND_CHECKPOINT, "kind");
    if (!back)
        return;
    const minimise_state *a = &back->at, *b = &state.at;
    CHECK(memcmp(a->block, point, sizeof point) == 0 && memcmp(a->move, moves, sizeof moves) == 0,
          "point and moves");
    CHECK(a->f == b->f && a->gradient_norm == b->gradient_norm && a->first_f == b->first_f &&
              a->last_step == b->last_step && a->iteration == b->iteration &&
              a->refreshes == b->refreshes && a->small_steps == b->small_steps &&
              a->passes == b->passes && a->moves == b->moves,
          "what the optimiser carries");
    CHECK(a->W == a->block && a->memory.count == 3 && a->memory.first == 2 &&
              a->memory.s == a->block + 4 * N * M,
          "places");
    for (size_t k = 0; k < 3; k++)
        CHECK(back->pair[k].i == pairs[k].i && back->pair[k].j == pairs[k].j &&
                  back->pair[k].within == pairs[k].within &&
                  back->pair[k].between == pairs[k].between,
              "pair %zu", k);
    CHECK(memcmp(back->L, factor, sizeof factor) == 0, "coordinates");
    CHECK(back->fingerprint == state.fingerprint && back->p == 5 && back->start == 1, "counters");
    CHECK(same_model(back->now, &now) && same_history(3, steps, back->now->history), "now");
    CHECK(same_model(back->best, &best) && same_history(3, steps, back->best->history), "best");
    spd_fit_state_free(back);
}

/* The model in a state, and its options. */
TEST(states_describe_themselves)
{
    spd_fit_state state = sample_state();
    spd_fit_options own = fit_defaults();
    spd_model *model = NULL;
    spd_fit_state_options(&state, &own);
    CHECK(own.size == sizeof own && own.pairs == 3 && own.own_pairs == pairs, "options");
    CHECK(same_options(&own, &options) && !spd_fit_state_differs(&state, &own), "options");
    own.tol = 0.5;
    own.max_iter = 3;
    own.nu_b = 0;
    CHECK(!spd_fit_state_differs(&state, &own), "limits may differ");
    own.nu_b = 3;
    CHECK(strcmp(spd_fit_state_differs(&state, &own), "nu_b") == 0, "another nu_b");
    CHECK(spd_fit_state_model(ctx, &state, &model) == SPD_OK, " ");
    best.data_passes = 11; /* the fit's, not the start's */
    CHECK(model && same_model(model, &best), "the best so far");
    spd_model_free(model);
    best.cost = 2;
    CHECK(spd_fit_state_model(ctx, &state, &model) == SPD_OK && same_model(model, &now), "now");
    spd_model_free(model);
    state.best = NULL;
    CHECK(spd_fit_state_model(ctx, &state, &model) == SPD_OK && same_model(model, &now), "only");
    spd_model_free(model);
}

TEST(what_cannot_be_read_is_not_written)
{
    spd_model model = sample_model();
    double skew[N * M] = {1, 1};
    model.cost = (double)NAN;
    CHECK_FAILED(ctx, spd_model_save(ctx, &model, scratch("bad.spdml")), SPD_EINVAL,
                 "bad.spdml|'cost'");
    model = sample_model();
    model.stop = (spd_stop)77;
    CHECK_FAILED(ctx, spd_model_save(ctx, &model, scratch("bad.spdml")), SPD_EINVAL, "'stop'");
    model = sample_model();
    model.steps = 0;
    CHECK_FAILED(ctx, spd_model_save(ctx, &model, scratch("bad.spdml")), SPD_EFORMAT, "0 steps");
    model = sample_model();
    model.W = skew;
    CHECK_FAILED(ctx, spd_model_save(ctx, &model, scratch("bad.spdml")), SPD_EFORMAT,
                 "orthonormal");
    CHECK(access(scratch("bad.spdml"), F_OK) != 0, "no file is left");
    model = sample_model();
    CHECK_FAILED(ctx, spd_model_save(ctx, &model, scratch("no/m.spdml")), SPD_EIO,
                 "no/m.spdml|cannot");
}

/* The file is named, and what it is. */
TEST(one_taken_for_the_other)
{
    spd_model model = sample_model(), *back = NULL;
    spd_fit_state state = sample_state(), *other = NULL;
    CHECK(spd_model_save(ctx, &model, scratch("one.spdml")) == SPD_OK, " ");
    CHECK(spd_fit_state_save(ctx, &state, scratch("two.npz")) == SPD_OK, " ");
    CHECK_FAILED(ctx, spd_model_load(ctx, scratch("two.npz"), &back), SPD_EFORMAT,
                 "two.npz: |checkpoint, not a ");
    CHECK_FAILED(ctx, spd_fit_state_load(ctx, scratch("one.spdml"), &other), SPD_EFORMAT,
                 "one.spdml: |model, not a ");
    CHECK(!back && !other, "touched");
}

/* Every byte changed, every length cut: no crash, no leak, and either a message or a model. */
TEST(damage_anywhere)
{
    static unsigned char bytes[16384];
    spd_model model = sample_model(), *back = NULL;
    spd_fit_state state = sample_state();
    CHECK(spd_model_save(ctx, &model, scratch("m.spdml")) == SPD_OK, " ");
    CHECK(spd_fit_state_save(ctx, &state, scratch("c.npz")) == SPD_OK, " ");
    const char *names[] = {"m.spdml", "c.npz"};
    for (int which = 0; which < 2; which++) {
        size_t size = get_file(scratch(names[which]), bytes, sizeof bytes), refused = 0;
        CHECK(size > 500 && size < sizeof bytes, "%zu bytes", size);
        long live = mem_live();
        for (size_t at = 0; at < 2 * size; at++) {
            io_bundle *bundle = NULL;
            spd_fit_state *other = NULL;
            if (at < size)
                bytes[at] ^= 0x10;
            spd_status status =
                bundle_read_memory(ctx, bytes, at < size ? size : at - size, &bundle);
            if (status == SPD_OK)
                status = which ? record_take(ctx, &checkpoint_record, bundle, &other)
                               : record_take(ctx, &model_record, bundle, &back);
            if (at < size)
                bytes[at] ^= 0x10;
            refused += status < 0;
            CHECK(status == SPD_OK || said(ctx)[0], "at %zu", at);
            bundle_free(bundle);
            spd_fit_state_free(other);
            spd_model_free(back);
            back = NULL;
        }
        /* Time stamps and the like do not matter; everything else does. */
        CHECK(refused > size + size / 2, "%zu of %zu", refused, 2 * size);
        CHECK(mem_live() == live, "%ld blocks leaked", mem_live() - live);
    }
}

static void check_contradiction(const spd_fit_state *state, const char *words)
{
    spd_fit_state *back = NULL;
    CHECK(spd_fit_state_save(ctx, state, scratch("c.npz")) == SPD_OK, " ");
    CHECK_FAILED(ctx, spd_fit_state_load(ctx, scratch("c.npz"), &back), SPD_EFORMAT, words);
    CHECK(back == NULL, "the output was touched");
}

/* A checkpoint whose numbers contradict each other, each change with a right checksum. */
TEST(states_that_contradict_themselves)
{
    spd_pair wrong[3] = {{0, 1, 1, 0}, {2, 5, 0, 1}, {0, 4, 0.5, 0.5}};
    spd_fit_state state = sample_state(), *back = NULL;
    state.pair = wrong;
    check_contradiction(&state, "c.npz|entry 1|5 samples");
    options.learning = SPD_LEARNING_VARIANCE; /* sample 5 is then the mean */
    CHECK(spd_fit_state_save(ctx, &state, scratch("c.npz")) == SPD_OK, " ");
    CHECK_OK(ctx, spd_fit_state_load(ctx, scratch("c.npz"), &back));
    spd_fit_state_free(back);
    double upper[N * N];
    memcpy(upper, factor, sizeof upper);
    upper[1] = 1e-300;
    state = sample_state();
    state.L = upper;
    check_contradiction(&state, "c.npz|coordinates: ");
    state.L = NULL;
    check_contradiction(&state, "c.npz|no array coordinates");
    struct {
        size_t rows, moves, count;
        int iteration;
        const char *words;
    } cases[] = {
        {19, 3, 3, 2, "point|20 x 8"}, {20, 2, 9, 2, "optimiser"}, {20, 3, 3, 1, "optimiser"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        state = sample_state();
        state.at.rows = cases[i].rows;
        state.at.moves = cases[i].moves;
        state.at.memory.count = cases[i].count;
        state.at.iteration = cases[i].iteration;
        check_contradiction(&state, cases[i].words);
    }
    state = sample_state();
    state.start = INT_MAX;
    check_contradiction(&state, "start 2147483647|restarts");
    state = sample_state();
    state.at.refreshes = INT_MAX;
    check_contradiction(&state, "optimiser");
    for (size_t row = 0; row <= 3; row += 3) {
        state = sample_state();
        point[row * N * M] += 1;
        check_contradiction(&state, row ? "the origin|orthonormal" : "point: W|orthonormal");
    }
    state = sample_state();
    best.W = tangent;
    CHECK_FAILED(ctx, spd_fit_state_save(ctx, &state, scratch("c.npz")), SPD_EFORMAT,
                 "best_W|orthonormal");
}

static spd_status round_trip(int which)
{
    spd_model model = sample_model(), *back = NULL;
    spd_fit_state state = sample_state(), *other = NULL;
    spd_status status = which ? spd_fit_state_save(ctx, &state, scratch("sweep"))
                              : spd_model_save(ctx, &model, scratch("sweep"));
    if (status == SPD_OK)
        status = which ? spd_fit_state_load(ctx, scratch("sweep"), &other)
                       : spd_model_load(ctx, scratch("sweep"), &back);
    if (status == SPD_OK && which)
        status = spd_fit_state_model(ctx, other, &back);
    spd_model_free(back);
    spd_fit_state_free(other);
    return status;
}

TEST(out_of_memory_at_every_place)
{
    for (int which = 0; which < 2; which++)
        for (sweep_state s = SWEEP(ctx, 9, NULL, 0); sweep_on(&s);) {
            s.status = round_trip(which);
            CHECK(spd_context_error(ctx)->status == s.status, "%s", said(ctx));
        }
}

/* The check looks at random combinations of the columns: against W'W itself. */
TEST(maps_are_orthonormal)
{
    static const size_t sizes[][2] = {{1, 1}, {5, 1}, {5, 5}, {40, 7}, {64, 64}, {300, 30}};
    static const double changes[] = {0, 1e-13, 1e-6, -1e-7, 0.5, 1e200, NAN};
    rng r = seeded(28);
    for (size_t s = 0; s < 7 * 6; s++) {
        size_t n = sizes[s % 6][0], m = sizes[s % 6][1];
        double *W = block(n * m), *T = block(n * m), *G = block(m * m), *Q = block(n * n),
               worst = 0;
        random_orthogonal(&r, n, Q);
        for (size_t k = 0; k < n * m; k++)
            W[k] = Q[k / m * n + k % m];
        /* The largest entry of a column: then the column's length changes as much. */
        size_t j = rng_below(&r, m), at = j;
        for (size_t i = 0; i < n; i++)
            at = fabs(W[i * m + j]) > fabs(W[at]) ? i * m + j : at;
        W[at] += changes[s / 6];
        flip(n, m, W, T);
        times(m, n, m, T, W, G);
        for (size_t k = 0; k < m * m; k++)
            worst = fmax(worst, isnan(G[k]) ? INFINITY : fabs(G[k] - (k / m == k % m)));
        spd_status status = record_check_orthonormal(ctx, "W", n, m, W);
        if (worst < 1e-10)
            CHECK(status == SPD_OK, "%zu x %zu, %g: %s", n, m, worst, said(ctx));
        else
            CHECK_FAILED(ctx, status, SPD_EFORMAT, "W: columns are not orthonormal");
        CHECK(worst < 1e-10 || worst > 1e-8, "%zu: %g decides nothing", s, worst);
    }
}

/* What a kind of file does not have is not unpacked; in a checkpoint it is refused. */
TEST(strange_arrays)
{
    double one = 1;
    const spd_array extra = {.name = "extra",
                             .type = SPD_TYPE_FLOAT64,
                             .ndim = 1,
                             .shape = {1},
                             .count = 1,
                             .f64 = &one};
    spd_model model = sample_model(), *back = NULL;
    spd_fit_state state = sample_state(), *other = NULL;
    CHECK(spd_model_save(ctx, &model, scratch("m.spdml")) == SPD_OK, " ");
    CHECK(spd_fit_state_save(ctx, &state, scratch("c.npz")) == SPD_OK, " ");
    for (int which = 0; which < 2; which++) {
        io_bundle *bundle = NULL;
        const spd_array *array[16] = {&extra};
        const char *path = which ? scratch("c.npz") : scratch("m.spdml");
        CHECK(bundle_read(ctx, path, &bundle) == SPD_OK, " ");
        for (size_t i = 0; i < bundle->count; i++) {
            const io_entry *entry = &bundle->file->entry[i];
            CHECK(!bundle->array[i], "%s was read before anybody asked", entry->name);
            CHECK(bundle_array(ctx, bundle, entry->name, entry->shape[0], entry->shape[1],
                               &array[i + 1]) == SPD_OK &&
                      array[i + 1],
                  "%s", entry->name);
        }
        CHECK_OK(ctx, bundle_write(ctx, scratch("x.npz"), bundle->count + 1, array, bundle->meta));
        bundle_free(bundle);
        if (which)
            CHECK_FAILED(ctx, spd_fit_state_load(ctx, scratch("x.npz"), &other), SPD_EFORMAT,
                         "no part of a checkpoint");
        else
            CHECK(spd_model_load(ctx, scratch("x.npz"), &back) == SPD_OK, " ");
        spd_model_free(back);
        back = NULL;
    }
}
