/* model.c - models, and their files: W.npy (n x m), history.npy (steps x 5) and meta.json with the
 * rest. */
#include "learn/model.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/metric.h"
#include "learn/fit.h"

static const field size_fields[] = {FIELD(spd_model, n, SIZE)};

static const field option_fields[] = {
    FIELD(spd_fit_options, m, SIZE),
    FIELD_ENUM(spd_fit_options, metric, SPD_ENUM_METRIC),
    FIELD_ENUM(spd_fit_options, learning, SPD_ENUM_LEARNING),
    FIELD_ENUM(spd_fit_options, objective, SPD_ENUM_OBJECTIVE),
    FIELD(spd_fit_options, nu_w, SIZE),
    FIELD(spd_fit_options, nu_b, SIZE),
    FIELD_ENUM(spd_fit_options, init, SPD_ENUM_INIT),
    FIELD_ENUM(spd_fit_options, solver, SPD_ENUM_SOLVER),
    FIELD(spd_fit_options, tol, REAL),
    FIELD(spd_fit_options, max_time, REAL),
    FIELD(spd_fit_options, max_iter, INT),
    FIELD(spd_fit_options, restarts, INT),
    FIELD(spd_fit_options, seed, U64),
    FIELD_ENUM_LATER(spd_fit_options, log_cost, SPD_ENUM_LOG_COST),
    FIELD_ENUM_LATER(spd_fit_options, coordinates, SPD_ENUM_COORDINATES),
    FIELD_ENUM_LATER(spd_fit_options, search, SPD_ENUM_SEARCH),
    FIELD_LATER(spd_fit_options, recall, REAL),
    FIELD_LATER(spd_fit_options, hermitian, INT),
};

static const field outcome_fields[] = {
    FIELD(spd_model, pairs_within, SIZE),  FIELD(spd_model, pairs_between, SIZE),
    FIELD(spd_model, cost_start, REAL),    FIELD(spd_model, cost, REAL),
    FIELD(spd_model, gradient_norm, REAL), FIELD(spd_model, iterations, INT),
    FIELD(spd_model, data_passes, SIZE),   FIELD_ENUM(spd_model, stop, SPD_ENUM_STOP),
    FIELD(spd_model, seconds_graph, REAL), FIELD(spd_model, seconds_fit, REAL),
    FIELD(spd_model, steps, SIZE),         FIELD_LATER(spd_model, starts, INT),
};

/* ---- life ----------------------------------------------------------------------------------- */

/* A model and what it points to, W and history apart. */
typedef struct model_block {
    spd_model model;
    spd_fit_options options;
    char version[];
} model_block;

spd_model *model_new(size_t n, const spd_fit_options *options, const char *version)
{
    size_t length = strlen(version) + 1;
    model_block *b = mem_zero(1, sizeof *b + length);
    double *W = mem_zero(n, options->m * sizeof *W);
    if (!b || !W) {
        mem_free(b);
        mem_free(W);
        return NULL;
    }
    b->options = *options;
    b->options.pairs = 0;
    b->options.own_pairs = NULL;
    b->options.W = NULL;
    memcpy(b->version, version, length);
    b->model =
        (spd_model){.n = n, .m = options->m, .W = W, .options = &b->options, .version = b->version};
    return &b->model;
}

/* *to (model_new) <- the values of *from, but its own memory. */
static void take_values(spd_model *to, const spd_model *from)
{
    spd_model values = *from;
    values.W = to->W;
    values.history = to->history;
    values.options = to->options;
    values.version = to->version;
    *to = values;
}

spd_model *model_copy(const spd_model *from, const spd_fit_options *options)
{
    spd_model *to = model_new(from->n, options ? options : from->options, from->version);
    if (to)
        to->history = mem_alloc(from->steps, sizeof *to->history);
    if (!to || !to->history) {
        spd_model_free(to);
        return NULL;
    }
    take_values(to, from);
    memcpy(to->W, from->W, from->n * from->m * sizeof *to->W);
    memcpy(to->history, from->history, from->steps * sizeof *to->history);
    return to;
}

void spd_model_free(spd_model *model)
{
    if (!model)
        return;
    mem_free(model->W);
    mem_free(model->history);
    mem_free(model);
}

spd_status model_options_check(spd_context *ctx, const spd_fit_options *options)
{
    return fields_check(ctx, FIELDS(option_fields), option_fields, options);
}

const char *model_options_differ(const spd_fit_options *a, const spd_fit_options *b)
{
    spd_fit_options other = *b;
    other.tol = a->tol;
    other.max_iter = a->max_iter;
    other.max_time = a->max_time;
    other.nu_w = b->nu_w ? b->nu_w : a->nu_w;
    other.nu_b = b->nu_b ? b->nu_b : a->nu_b;
    if (b->init == SPD_INIT_AUTO)
        other.init = a->init;
    if (b->solver == SPD_SOLVER_AUTO)
        other.solver = a->solver;
    if (b->search == SPD_SEARCH_AUTO)
        other.search = a->search;
    other.recall = a->recall;
    if (b->coordinates == SPD_COORDINATES_AUTO)
        other.coordinates = a->coordinates;
    return fields_differ(FIELDS(option_fields), option_fields, a, &other);
}

/* ---- to a file ------------------------------------------------------------------------------ */

/* What the numbers of meta.json must be among themselves. */
static spd_status check_sizes(spd_context *ctx, size_t m, const spd_model *model)
{
    if (m < 1 || m > model->n)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: m = %zu is not between 1 and the size of the matrices, n = %zu",
                        m, model->n);
    if (model->steps != (size_t)model->iterations + 1)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: %zu steps of history do not match %d iterations", model->steps,
                        model->iterations);
    return SPD_OK;
}

void model_write(record_writer *w, const spd_model *model, const model_names *names, json_t *object)
{
    if (w->status == SPD_OK)
        w->status = check_sizes(w->ctx, model->m, model);
    if (w->status == SPD_OK)
        w->status = record_check_orthonormal(w->ctx, names->W, model->n, model->m, model->W);
    if (w->status < 0)
        return;
    spd_fit_options said = *model->options;
    spd_model sizes = {.n = model->n};
    if (said.hermitian) { /* the file speaks of the complex map */
        said.m /= 2;
        sizes.n /= 2;
    }
    record_map(w, names->W, model->n, model->m, model->W, said.hermitian);
    record_history(w, names->history, model->steps, model->history);
    record_fields(w, FIELDS(size_fields), size_fields, &sizes, object);
    record_fields(w, FIELDS(option_fields), option_fields, &said, object);
    record_fields(w, FIELDS(outcome_fields), outcome_fields, model, object);
}

static const model_names NAMES = {"W", "history"};

spd_status spd_model_save(spd_context *ctx, const spd_model *model, const char *path)
{
    record_writer w;
    ctx_clear(ctx);
    record_begin(&w, ctx, MODEL_KIND, RECORD_MODEL_FORMAT, model->version);
    model_write(&w, model, &NAMES, w.meta);
    return record_save(&w, path);
}

spd_status spd_model_pack(spd_context *ctx, const spd_model *model, unsigned char **bytes,
                          size_t *size)
{
    record_writer w;
    ctx_clear(ctx);
    record_begin(&w, ctx, MODEL_KIND, RECORD_MODEL_FORMAT, model->version);
    model_write(&w, model, &NAMES, w.meta);
    return record_pack(&w, bytes, size);
}

/* ---- from a file ---------------------------------------------------------------------------- */

spd_status model_read(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                      const model_names *names, const char *version, spd_model **model)
{
    spd_model values = {0};
    spd_fit_options options;
    const spd_array *W = NULL;
    spd_fit_defaults(&options, sizeof options);
    options.coordinates = SPD_COORDINATES_PLAIN; /* what older files do not say */
    spd_status status = fields_read(ctx, FIELDS(size_fields), size_fields, meta, &values);
    if (status == SPD_OK)
        status = fields_read(ctx, FIELDS(option_fields), option_fields, meta, &options);
    if (status == SPD_OK)
        status = fields_read(ctx, FIELDS(outcome_fields), outcome_fields, meta, &values);
    if (status == SPD_OK)
        status = check_sizes(ctx, options.m, &values);
    if (status == SPD_OK)
        status = record_find_map(ctx, bundle, names->W, values.n, options.m, options.hermitian, &W);
    if (status != SPD_OK)
        return status;
    if (options.hermitian) { /* so large a W is there */
        options.hermitian = 1;
        values.n *= 2;
        options.m *= 2;
    }
    usual_choices(&options); /* a file names them; one that does not must do no harm */
    spd_model *fresh = model_new(values.n, &options, version);
    if (!fresh)
        return ctx_nomem(ctx, "a model");
    status = record_to_map(ctx, W, fresh->W);
    if (status == SPD_OK)
        status = record_to_history(ctx, bundle, names->history, values.steps, &fresh->history);
    if (status < 0) {
        spd_model_free(fresh);
        return status;
    }
    values.m = options.m;
    take_values(fresh, &values);
    *model = fresh;
    return SPD_OK;
}

static spd_status take_model(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                             const char *version, void *made)
{
    return model_read(ctx, bundle, meta, &NAMES, version, made);
}

const record_kind model_record = {MODEL_KIND, RECORD_MODEL_FORMAT, RECORD_MODEL_FORMAT, take_model};

spd_status spd_model_load(spd_context *ctx, const char *path, spd_model **model)
{
    return record_load(ctx, &model_record, path, model);
}

spd_status spd_model_unpack(spd_context *ctx, const unsigned char *bytes, size_t size,
                            spd_model **model)
{
    return record_unpack(ctx, &model_record, bytes, size, model);
}

spd_kind spd_file_kind(const char *path)
{
    static const struct {
        const char *name;
        spd_kind kind;
    } known[] = {{MODEL_KIND, SPD_KIND_MODEL},
                 {CHECKPOINT_KIND, SPD_KIND_CHECKPOINT},
                 {METHOD_KIND, SPD_KIND_METHOD},
                 {INDEX_KIND, SPD_KIND_MODEL}}; /* read as one, and refused by name */
    spd_kind kind = SPD_KIND_DATA;
    io_bundle *bundle = NULL;
    if (bundle_read(NULL, path, &bundle) < 0)
        return kind;
    json_t *meta = json_loads(bundle->meta, 0, NULL);
    const char *found = json_string_value(json_object_get(meta, "kind"));
    for (size_t i = 0; found && i < sizeof known / sizeof *known; i++)
        if (strcmp(found, known[i].name) == 0)
            kind = known[i].kind;
    json_decref(meta);
    bundle_free(bundle);
    return kind;
}
