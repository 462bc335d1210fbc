/* fuzz_checkpoint.c - edits of checkpoints that the library has made, with the right checksum: what
 * is still a checkpoint is resumed for a few iterations. The first byte chooses among fits. */
#include <inttypes.h>

#include "fuzz_edits.h"
#include "base/hash.h"

enum { FITS = 6 };

static edit_data data;
static io_bundle *base[FITS];
static json_t *base_meta[FITS];

/* The fits differ in metric, solver, graph and number of starts. */
static void options_of(size_t fit, spd_fit_options *options)
{
    static const spd_metric metrics[FITS] = {SPD_METRIC_STEIN,         SPD_METRIC_AIRM,
                                             SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_STEIN,
                                             SPD_METRIC_JEFFREY,       SPD_METRIC_STEIN};
    static const spd_solver solvers[FITS] = {SPD_SOLVER_LBFGS, SPD_SOLVER_POLAK_RIBIERE,
                                             SPD_SOLVER_LBFGS, SPD_SOLVER_POLAK_RIBIERE,
                                             SPD_SOLVER_LBFGS, SPD_SOLVER_LBFGS};
    spd_fit_defaults(options, sizeof *options);
    options->m = 2;
    options->max_iter = 6;
    options->tol = 0.0;
    options->metric = metrics[fit];
    options->solver = solvers[fit];
    options->restarts = fit == 3 ? 2 : 1;
    options->learning = fit == 5 ? SPD_LEARNING_VARIANCE : SPD_LEARNING_SUPERVISED;
    options->objective = fit == 4 ? SPD_OBJECTIVE_SOFTMAX : SPD_OBJECTIVE_DIFFERENCE;
}

static spd_status save(const char *path, void *state)
{
    return spd_fit_state_save(NULL, state, path);
}

/* Keeps what a fit is after a few iterations; with several starts, of the last one. */
static int keep(void *user, const spd_fit_state *state, const spd_fit_step *last, int iteration)
{
    size_t fit = *(size_t *)user;
    (void)last;
    if (iteration != 3)
        return 0;
    if (base[fit])
        bundle_free(base[fit]);
    edit_read_back(save, (void *)(uintptr_t)state, &base[fit]);
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    edit_data_make(&data);
    for (size_t fit = 0; fit < FITS; fit++) {
        spd_fit_options options;
        spd_fit_hooks watch = {.size = sizeof watch, .after = keep, .user = &fit};
        spd_model *model = NULL;
        options_of(fit, &options);
        if (spd_fit(fuzz_context(), SPD_SET(EDIT_N, EDIT_P, data.X), data.label, &options, &watch,
                    &model) < 0 ||
            !base[fit])
            abort();
        spd_model_free(model);
        base_meta[fit] = json_loads(base[fit]->meta, 0, NULL);
    }
    return 0;
}

/* The checksum over the arrays, as checkpoint.c computes it. */
static void set_checksum(const io_bundle *b, json_t *meta)
{
    char text[17];
    uint64_t hash = 0;
    for (size_t i = 0; i < b->count; i++) {
        const spd_array *a = b->array[i];
        const void *values =
            a->type == SPD_TYPE_INT64 ? (const void *)a->i64 : (const void *)a->f64;
        hash = hash_bytes(hash, a->name, strlen(a->name));
        hash = hash_bytes(hash, values, a->count * 8);
    }
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_object_set_new(meta, "checksum", json_string(text));
}

static int stop_soon(void *calls, const spd_fit_state *state, const spd_fit_step *last,
                     int iteration)
{
    (void)state;
    (void)last;
    (void)iteration;
    return ++*(int *)calls > 6;
}

static void resume(spd_context *ctx, const spd_fit_state *state)
{
    spd_fit_options options;
    spd_model *model = NULL;
    int calls = 0;
    const spd_fit_hooks watch = {
        .size = sizeof watch, .resume = state, .after = stop_soon, .user = &calls};
    fuzz_check(ctx, spd_fit_state_model(ctx, state, &model), model);
    spd_model_free(model);
    model = NULL;
    spd_fit_defaults(&options, sizeof options);
    spd_fit_state_options(state, &options);
    spd_status status =
        spd_fit(ctx, SPD_SET(EDIT_N, EDIT_P, data.X), data.label, &options, &watch, &model);
    if (status != SPD_ECANCELLED)
        fuzz_check(ctx, status, model);
    spd_model_free(model);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    fuzz_input in = {bytes, size};
    const long live = mem_live();
    io_bundle edited;
    spd_fit_state *state = NULL;
    size_t fit = fuzz_below(&in, FITS);
    json_t *meta = edit_bundle(&in, base[fit], base_meta[fit], &edited);
    if (fuzz_byte(&in) < 250)
        set_checksum(&edited, meta);
    edit_finish(meta, &edited);
    fuzz_check(ctx, record_take(ctx, &checkpoint_record, &edited, &state), state);
    if (state)
        resume(ctx, state);
    spd_fit_state_free(state);
    edit_free(&edited);
    if (mem_live() != live)
        abort();
    return 0;
}
