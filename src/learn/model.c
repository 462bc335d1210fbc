/* model.c - model files: W.npy (n x m), history.npy (steps x 5) and meta.json with the rest. */
#include "learn/model.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "learn/fields.h"
#include "learn/record.h"

static const field fields[] = {
    FIELD(spd_model, n, SIZE),
    FIELD(spd_model, m, SIZE),
    FIELD_ENUM(spd_model, metric, METRIC),
    FIELD_ENUM(spd_model, learning, LEARNING),
    FIELD_ENUM(spd_model, objective, OBJECTIVE),
    FIELD_ENUM(spd_model, graph, GRAPH),
    FIELD(spd_model, nu_w, SIZE),
    FIELD(spd_model, nu_b, SIZE),
    FIELD(spd_model, affinity_weight, REAL),
    FIELD_ENUM(spd_model, init, INIT),
    FIELD_ENUM(spd_model, solver, SOLVER),
    FIELD_ENUM(spd_model, transport, TRANSPORT),
    FIELD(spd_model, tol, REAL),
    FIELD(spd_model, gtol, REAL),
    FIELD(spd_model, max_time, REAL),
    FIELD(spd_model, max_iter, INT),
    FIELD(spd_model, restarts, INT),
    FIELD(spd_model, seed, U64),
    FIELD(spd_model, pairs_within, SIZE),
    FIELD(spd_model, pairs_between, SIZE),
    FIELD(spd_model, cost_start, REAL),
    FIELD(spd_model, cost, REAL),
    FIELD(spd_model, gradient_norm, REAL),
    FIELD(spd_model, iterations, INT),
    FIELD(spd_model, data_passes, SIZE),
    FIELD_ENUM(spd_model, stop, STOP),
    FIELD(spd_model, seconds_graph, REAL),
    FIELD(spd_model, seconds_fit, REAL),
    FIELD(spd_model, steps, SIZE),
};

#define FIELDS (sizeof fields / sizeof *fields)

void spd_model_free(spd_model *model)
{
    if (!model)
        return;
    mem_free(model->W);
    mem_free(model->history);
    mem_free(model->version);
    mem_free(model);
}

static spd_status meta_of(spd_context *ctx, const spd_model *model, char **text)
{
    json_t *meta = record_meta_new(MODEL_KIND, model->version);
    if (!meta)
        return ctx_nomem(ctx, "meta.json");
    spd_status status = fields_write(ctx, FIELDS, fields, model, meta);
    if (status == SPD_OK)
        status = record_meta_text(ctx, meta, text);
    json_decref(meta);
    return status;
}

/* What the numbers of meta.json must be among themselves. */
static spd_status check_sizes(spd_context *ctx, const spd_model *model)
{
    if (model->m < 1 || model->m > model->n)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: m = %zu is not between 1 and the size of the matrices, n = %zu",
                        model->m, model->n);
    if (model->steps != (size_t)model->iterations + 1)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "meta.json: %zu steps of history do not fit %d iterations", model->steps,
                        model->iterations);
    return SPD_OK;
}

spd_status spd_model_save(spd_context *ctx, const spd_model *model, const char *path)
{
    char *meta = NULL;
    double *history = NULL;
    ctx_clear(ctx);
    /* What a reader would refuse is not written. */
    spd_status status = check_sizes(ctx, model);
    if (status == SPD_OK)
        status = record_check_orthonormal(ctx, "W", model->n, model->m, model->W);
    if (status == SPD_OK)
        status = meta_of(ctx, model, &meta);
    if (status == SPD_OK)
        status = record_from_history(ctx, model->steps, model->history, &history);
    if (status == SPD_OK) {
        spd_array W = record_matrix("W", model->n, model->m, model->W);
        spd_array table = record_matrix("history", model->steps, RECORD_HISTORY_COLUMNS, history);
        const spd_array *const arrays[] = {&W, &table};
        status = spd_bundle_write(ctx, path, 2, arrays, meta);
    } else {
        ctx_prefix(ctx, path);
    }
    mem_free(history);
    mem_free(meta);
    return status;
}

static spd_status fill_model(spd_context *ctx, const spd_bundle *bundle, const json_t *meta,
                             spd_model *model)
{
    spd_status status = fields_read(ctx, FIELDS, fields, meta, model);
    if (status == SPD_OK)
        status = check_sizes(ctx, model);
    if (status == SPD_OK)
        status = record_take(ctx, bundle, "W", model->n, model->m, &model->W);
    if (status == SPD_OK)
        status = record_check_orthonormal(ctx, "W", model->n, model->m, model->W);
    if (status == SPD_OK)
        status = record_to_history(ctx, bundle, "history", model->steps, &model->history);
    if (status < 0)
        return status;
    model->version = mem_text(json_string_value(json_object_get(meta, "version")));
    return model->version ? SPD_OK : ctx_nomem(ctx, "a model");
}

spd_status model_from_bundle(spd_context *ctx, const spd_bundle *bundle, spd_model **model)
{
    json_t *meta = NULL;
    spd_status status = record_meta_parse(ctx, bundle->meta, MODEL_KIND, &meta);
    if (status < 0)
        return status;
    spd_model *fresh = mem_zero(1, sizeof *fresh);
    status = fresh ? fill_model(ctx, bundle, meta, fresh) : ctx_nomem(ctx, "a model");
    json_decref(meta);
    if (status < 0)
        spd_model_free(fresh);
    else
        *model = fresh;
    return status;
}

spd_status spd_model_load(spd_context *ctx, const char *path, spd_model **model)
{
    spd_bundle *bundle = NULL;
    spd_status status = spd_bundle_read(ctx, path, 0, &bundle);
    if (status < 0)
        return status;
    status = model_from_bundle(ctx, bundle, model);
    if (status < 0)
        ctx_prefix(ctx, path);
    spd_bundle_free(bundle);
    return status;
}

spd_kind spd_file_kind(const char *path)
{
    static const struct {
        const char *name;
        spd_kind kind;
    } known[] = {{MODEL_KIND, SPD_KIND_MODEL}, {CHECKPOINT_KIND, SPD_KIND_CHECKPOINT}};
    spd_kind kind = SPD_KIND_DATA;
    spd_bundle *bundle = NULL;
    if (spd_bundle_read(NULL, path, 1, &bundle) < 0)
        return kind;
    json_t *meta = json_loads(bundle->meta, 0, NULL);
    const char *found = json_string_value(json_object_get(meta, "kind"));
    for (size_t i = 0; found && i < sizeof known / sizeof *known; i++)
        if (strcmp(found, known[i].name) == 0)
            kind = known[i].kind;
    json_decref(meta);
    spd_bundle_free(bundle);
    return kind;
}
