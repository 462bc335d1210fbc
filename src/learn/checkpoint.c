/* checkpoint.c - a fit in progress as a file: the same container as a model, with W, H, grad, the
 * pairs, the history, best_W and best_history where there are, and meta.json with options and
 * counters.
 *
 * The archive has a checksum for every member, and meta.json one over all arrays, so that parts of
 * two checkpoints cannot be taken for one. Writing is atomic: a process that is killed leaves the
 * old file or the new one. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "learn/affinity.h"
#include "learn/fields.h"
#include "learn/model.h"
#include "learn/record.h"
#include "learn/state.h"
#include "optim/lbfgs.h"
#include "optim/minimise.h"

static const field option_fields[] = {
    FIELD(spd_fit_options, m, SIZE),
    FIELD_ENUM(spd_fit_options, metric, METRIC),
    FIELD_ENUM(spd_fit_options, learning, LEARNING),
    FIELD_ENUM(spd_fit_options, objective, OBJECTIVE),
    FIELD(spd_fit_options, nu_w, SIZE),
    FIELD(spd_fit_options, nu_b, SIZE),
    FIELD_ENUM(spd_fit_options, graph, GRAPH),
    FIELD(spd_fit_options, affinity_weight, REAL),
    FIELD_ENUM(spd_fit_options, init, INIT),
    FIELD(spd_fit_options, restarts, INT),
    FIELD(spd_fit_options, seed, U64),
    FIELD_ENUM(spd_fit_options, solver, SOLVER),
    FIELD_ENUM(spd_fit_options, transport, TRANSPORT),
    FIELD(spd_fit_options, tol, REAL),
    FIELD(spd_fit_options, gtol, REAL),
    FIELD(spd_fit_options, max_iter, INT),
    FIELD(spd_fit_options, max_time, REAL),
};

static const field state_fields[] = {
    FIELD(spd_fit_state, n, SIZE),
    FIELD(spd_fit_state, m, SIZE),
    FIELD(spd_fit_state, p, SIZE),
    FIELD(spd_fit_state, fingerprint, U64),
    FIELD(spd_fit_state, pairs, SIZE),
    FIELD(spd_fit_state, f, REAL),
    FIELD(spd_fit_state, gradient_norm, REAL),
    FIELD(spd_fit_state, first_gradient_norm, REAL),
    FIELD(spd_fit_state, last_step, REAL),
    FIELD(spd_fit_state, cost_start, REAL),
    FIELD(spd_fit_state, iteration, INT),
    FIELD(spd_fit_state, refreshes, INT),
    FIELD(spd_fit_state, small_steps, INT),
    FIELD(spd_fit_state, memory, SIZE),
    FIELD(spd_fit_state, memory_count, INT),
    FIELD(spd_fit_state, memory_first, INT),
    FIELD(spd_fit_state, start, INT),
    FIELD(spd_fit_state, data_passes, SIZE),
    FIELD(spd_fit_state, seconds_graph, REAL),
    FIELD(spd_fit_state, seconds_fit, REAL),
    FIELD(spd_fit_state, steps, SIZE),
    FIELD(spd_fit_state, has_best, INT),
};

/* Have a meaning only with has_best. */
static const field best_fields[] = {
    FIELD(spd_fit_state, best_cost, REAL),       FIELD(spd_fit_state, best_gradient, REAL),
    FIELD(spd_fit_state, best_cost_start, REAL), FIELD(spd_fit_state, best_iterations, INT),
    FIELD_ENUM(spd_fit_state, best_stop, STOP),  FIELD(spd_fit_state, best_steps, SIZE),
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum {
    AT_W = 0,
    AT_H,
    AT_GRAD,
    AT_PAIR,
    AT_WEIGHT,
    AT_HISTORY,
    AT_MEMORY,
    AT_BEST,
    AT_BEST_HISTORY,
    ARRAYS
};

/* Arrays as they go into the file. */
typedef struct arrays {
    spd_array array[ARRAYS];
    const spd_array *list[ARRAYS];
    size_t count;
    int64_t *pair;            /* pairs x 2: i, j */
    double *weight, *history; /* pairs x 2: within, between; steps x 5 */
    double *best_history;     /* best_steps x 5 */
} arrays;

void spd_fit_state_free(spd_fit_state *state)
{
    if (!state)
        return;
    mem_free(state->pair);
    mem_free(state->W);
    mem_free(state->H);
    mem_free(state->grad);
    mem_free(state->history);
    mem_free(state->pair_memory);
    mem_free(state->best_W);
    mem_free(state->best_history);
    mem_free(state);
}

/* FNV-1a of 64 bits, continued from hash. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* text <- the checksum over names and elements of all arrays, in hexadecimal. */
static void checksum(size_t count, const spd_array *const *list, char text[17])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        const void *data =
            list[i]->type == SPD_INT64 ? (const void *)list[i]->i64 : (const void *)list[i]->f64;
        hash = hash_bytes(hash, list[i]->name, strlen(list[i]->name));
        hash = hash_bytes(hash, data, list[i]->count * 8);
    }
    snprintf(text, 17, "%016" PRIx64, hash);
}

static spd_status pack_pairs(spd_context *ctx, const spd_fit_state *state, arrays *a)
{
    a->pair = mem_alloc(state->pairs, 2 * sizeof *a->pair);
    a->weight = mem_alloc(state->pairs, 2 * sizeof *a->weight);
    if (!a->pair || !a->weight)
        return ctx_nomem(ctx, "a graph");
    for (size_t k = 0; k < state->pairs; k++) {
        const spd_pair *pair = &state->pair[k];
        a->pair[2 * k] = pair->i;
        a->pair[2 * k + 1] = pair->j;
        a->weight[2 * k] = pair->within;
        a->weight[2 * k + 1] = pair->between;
    }
    return SPD_OK;
}

static spd_status pack(spd_context *ctx, const spd_fit_state *s, arrays *a)
{
    spd_status status = pack_pairs(ctx, s, a);
    if (status == SPD_OK)
        status = record_from_history(ctx, s->steps, s->history, &a->history);
    if (status == SPD_OK && s->has_best)
        status = record_from_history(ctx, s->best_steps, s->best_history, &a->best_history);
    if (status < 0)
        return status;
    a->array[AT_W] = record_matrix("W", s->n, s->m, s->W);
    a->array[AT_H] = record_matrix("H", s->n, s->m, s->H);
    a->array[AT_GRAD] = record_matrix("grad", s->n, s->m, s->grad);
    a->array[AT_PAIR] = record_matrix("pair", s->pairs, 2, NULL);
    a->array[AT_PAIR].type = SPD_INT64;
    a->array[AT_PAIR].i64 = a->pair;
    a->array[AT_WEIGHT] = record_matrix("weight", s->pairs, 2, a->weight);
    a->array[AT_HISTORY] = record_matrix("history", s->steps, RECORD_HISTORY_COLUMNS, a->history);
    a->array[AT_MEMORY] = record_matrix("memory", 1, s->memory, s->pair_memory);
    a->array[AT_BEST] = record_matrix("best_W", s->n, s->m, s->best_W);
    a->array[AT_BEST_HISTORY] =
        record_matrix("best_history", s->best_steps, RECORD_HISTORY_COLUMNS, a->best_history);
    for (size_t i = 0; i < ARRAYS; i++)
        if ((i != AT_MEMORY || s->memory > 0) && (i < AT_BEST || s->has_best))
            a->list[a->count++] = &a->array[i];
    return SPD_OK;
}

static spd_status fill_meta(spd_context *ctx, const spd_fit_state *state, const char *sum,
                            json_t *meta)
{
    json_t *options = json_object();
    if (json_object_set_new(meta, "checksum", json_string(sum)) != 0 ||
        json_object_set_new(meta, "options", options) != 0)
        return ctx_nomem(ctx, "meta.json");
    spd_status status =
        fields_write(ctx, COUNT(option_fields), option_fields, &state->options, options);
    if (status == SPD_OK)
        status = fields_write(ctx, COUNT(state_fields), state_fields, state, meta);
    if (status == SPD_OK && state->has_best)
        status = fields_write(ctx, COUNT(best_fields), best_fields, state, meta);
    return status;
}

static spd_status meta_of(spd_context *ctx, const spd_fit_state *state, const arrays *a,
                          char **text)
{
    char sum[17];
    json_t *meta = record_meta_new(CHECKPOINT_KIND, NULL);
    if (!meta)
        return ctx_nomem(ctx, "meta.json");
    checksum(a->count, a->list, sum);
    spd_status status = fill_meta(ctx, state, sum, meta);
    if (status == SPD_OK)
        status = record_meta_text(ctx, meta, text);
    json_decref(meta);
    return status;
}

spd_status spd_fit_state_save(spd_context *ctx, const spd_fit_state *state, const char *path)
{
    arrays a = {0};
    char *meta = NULL;
    ctx_clear(ctx);
    spd_status status = pack(ctx, state, &a);
    if (status == SPD_OK)
        status = meta_of(ctx, state, &a, &meta);
    if (status == SPD_OK)
        status = spd_bundle_write(ctx, path, a.count, a.list, meta);
    else
        ctx_prefix(ctx, path);
    mem_free(meta);
    mem_free(a.pair);
    mem_free(a.weight);
    mem_free(a.history);
    mem_free(a.best_history);
    return status;
}

static spd_status read_meta(spd_context *ctx, const json_t *meta, spd_fit_state *s)
{
    spd_status status = fields_read(ctx, COUNT(state_fields), state_fields, meta, s);
    if (status == SPD_OK)
        status = fields_read(ctx, COUNT(option_fields), option_fields,
                             json_object_get(meta, "options"), &s->options);
    if (status == SPD_OK && s->has_best)
        status = fields_read(ctx, COUNT(best_fields), best_fields, meta, s);
    if (status < 0)
        return status;
    if (s->m < 1 || s->m > s->n || s->options.m != s->m || s->steps < 1)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: n, m and steps contradict each other");
    if (s->memory != minimise_memory(s->options.solver, s->n, s->m) || s->memory_count < 0 ||
        s->memory_count > LBFGS_MEMORY || s->memory_first < 0 || s->memory_first >= LBFGS_MEMORY)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: the solver's memory has another size");
    return SPD_OK;
}

/* Pairs that a fit may have: different samples, weights >= 0. Maximal variance pairs samples with
 * their mean, which counts as sample p. */
static spd_status unpack_pairs(spd_context *ctx, const spd_bundle *bundle, spd_fit_state *s)
{
    const spd_array *index = NULL, *weight = NULL;
    spd_status status = record_find(ctx, bundle, "pair", SPD_INT64, s->pairs, 2, &index);
    if (status == SPD_OK)
        status = record_find(ctx, bundle, "weight", SPD_FLOAT64, s->pairs, 2, &weight);
    if (status != SPD_OK)
        return status;
    s->pair = mem_zero(s->pairs, sizeof *s->pair);
    if (!s->pair)
        return ctx_nomem(ctx, "a graph");
    uint64_t samples = s->p + (s->options.learning == SPD_MAXIMAL_VARIANCE);
    for (size_t k = 0; k < s->pairs; k++) {
        uint64_t i = (uint64_t)index->i64[2 * k], j = (uint64_t)index->i64[2 * k + 1];
        double within = weight->f64[2 * k], between = weight->f64[2 * k + 1];
        if (i >= samples || j >= samples || i > UINT32_MAX || j > UINT32_MAX || i == j ||
            within < 0 || between < 0)
            return ctx_fail(ctx, SPD_EFORMAT, "pair: entry %zu is no pair of %zu samples", k, s->p);
        s->pair[k] = (spd_pair){(uint32_t)i, (uint32_t)j, within, between};
    }
    return SPD_OK;
}

static spd_status fill_state(spd_context *ctx, const spd_bundle *bundle, const json_t *meta,
                             spd_fit_state *s)
{
    spd_status status = read_meta(ctx, meta, s);
    if (status == SPD_OK)
        status = record_take(ctx, bundle, "W", s->n, s->m, &s->W);
    if (status == SPD_OK)
        status = record_check_orthonormal(ctx, "W", s->n, s->m, s->W);
    if (status == SPD_OK)
        status = record_take(ctx, bundle, "H", s->n, s->m, &s->H);
    if (status == SPD_OK)
        status = record_take(ctx, bundle, "grad", s->n, s->m, &s->grad);
    if (status == SPD_OK)
        status = unpack_pairs(ctx, bundle, s);
    if (status == SPD_OK)
        status = record_to_history(ctx, bundle, "history", s->steps, &s->history);
    if (status == SPD_OK && s->memory > 0)
        status = record_take(ctx, bundle, "memory", 1, s->memory, &s->pair_memory);
    if (status == SPD_OK && s->has_best)
        status = record_take(ctx, bundle, "best_W", s->n, s->m, &s->best_W);
    if (status == SPD_OK && s->has_best)
        status = record_check_orthonormal(ctx, "best_W", s->n, s->m, s->best_W);
    if (status == SPD_OK && s->has_best)
        status = record_to_history(ctx, bundle, "best_history", s->best_steps, &s->best_history);
    return status;
}

/* Do the arrays belong to this meta.json? Texts have no place here. */
static spd_status check_sum(spd_context *ctx, const spd_bundle *bundle, const json_t *meta)
{
    char sum[17];
    const char *wanted = json_string_value(json_object_get(meta, "checksum"));
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->array[i]->type == SPD_TEXT)
            return ctx_fail(ctx, SPD_EFORMAT, "%.60s: holds texts", bundle->array[i]->name);
    checksum(bundle->count, (const spd_array *const *)bundle->array, sum);
    if (!wanted || strcmp(wanted, sum) != 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a damaged checkpoint: its checksum does not fit; start the fit afresh");
    return SPD_OK;
}

spd_status state_from_bundle(spd_context *ctx, const spd_bundle *bundle, spd_fit_state **state)
{
    json_t *meta = NULL;
    spd_status status = record_meta_parse(ctx, bundle->meta, CHECKPOINT_KIND, &meta);
    if (status < 0)
        return status;
    spd_fit_state *fresh = mem_zero(1, sizeof *fresh);
    status = fresh ? check_sum(ctx, bundle, meta) : ctx_nomem(ctx, "a checkpoint");
    if (status == SPD_OK)
        status = fill_state(ctx, bundle, meta, fresh);
    json_decref(meta);
    if (status < 0)
        spd_fit_state_free(fresh);
    else
        *state = fresh;
    return status;
}

spd_status spd_fit_state_load(spd_context *ctx, const char *path, spd_fit_state **state)
{
    spd_bundle *bundle = NULL;
    spd_status status = spd_bundle_read(ctx, path, 0, &bundle);
    if (status < 0)
        return status;
    status = state_from_bundle(ctx, bundle, state);
    if (status < 0)
        ctx_prefix(ctx, path);
    spd_bundle_free(bundle);
    return status;
}

void spd_fit_state_options(const spd_fit_state *state, spd_fit_options *options)
{
    *options = state->options;
    options->W = NULL;
    options->pairs = state->options.learning == SPD_OWN_GRAPH ? state->pairs : 0;
    options->own_pairs = options->pairs ? state->pair : NULL;
}

/* The numbers of a model; memory is the caller's business. */
static spd_model describe(const spd_fit_state *s, int use_best)
{
    const spd_fit_options *o = &s->options;
    spd_model model = {
        .n = s->n,
        .m = s->m,
        .metric = o->metric,
        .learning = o->learning,
        .objective = o->objective,
        .graph = o->graph,
        .nu_w = o->nu_w,
        .nu_b = o->nu_b,
        .affinity_weight = o->affinity_weight,
        .init = o->init,
        .solver = o->solver,
        .transport = o->transport,
        .tol = o->tol,
        .gtol = o->gtol,
        .max_time = o->max_time,
        .max_iter = o->max_iter,
        .restarts = o->restarts,
        .seed = o->seed,
        .cost_start = s->cost_start,
        .cost = use_best ? s->best_cost : s->f,
        .gradient_norm = s->gradient_norm,
        .iterations = (int)s->steps - 1,
        .data_passes = s->data_passes,
        .stop = SPD_STOP_CANCELLED,
        .seconds_graph = s->seconds_graph,
        .seconds_fit = s->seconds_fit,
        .steps = s->steps,
    };
    affinity_count(s->pairs, s->pair, &model.pairs_within, &model.pairs_between);
    return model;
}

spd_status spd_fit_state_model(spd_context *ctx, const spd_fit_state *state, spd_model **model)
{
    int use_best = state->has_best && state->best_cost < state->f;
    ctx_clear(ctx);
    spd_model *fresh = mem_alloc(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a model");
    *fresh = describe(state, use_best);
    fresh->W = mem_alloc(state->n * state->m, sizeof *fresh->W);
    fresh->history = mem_alloc(state->steps, sizeof *fresh->history);
    fresh->version = mem_text(spd_version());
    if (!fresh->W || !fresh->history || !fresh->version) {
        spd_model_free(fresh);
        return ctx_nomem(ctx, "a model");
    }
    memcpy(fresh->W, use_best ? state->best_W : state->W, state->n * state->m * sizeof *fresh->W);
    memcpy(fresh->history, state->history, state->steps * sizeof *fresh->history);
    *model = fresh;
    return SPD_OK;
}
