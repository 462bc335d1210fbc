/* checkpoint.c - a fit in progress as a file: the same container as a model, with the graph, what
 * the optimiser carries, and two models, that of the running start and the best of those before.
 *
 *   pair, weight             pairs x 2: i, j; within, between
 *   point                    W, H, gradient, origin and L-BFGS's pairs, a row each
 *   moves                    the moves since the origin (optim/minimise.h)
 *   coordinates              n x n: L, where the coordinates are not plain
 *   now_W, now_history       and best_W, best_history where a start has ended
 *
 * The archive has a checksum for every member, and meta.json one over all arrays, so that parts of
 * two checkpoints cannot be taken for one. Writing is atomic: a process that is killed leaves the
 * old file or the new one. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "io/array.h"
#include "learn/fit.h"
#include "base/hash.h"
#include "learn/model.h"

static const field state_fields[] = {
    FIELD(spd_fit_state, p, SIZE),
    FIELD(spd_fit_state, fingerprint, U64),
    FIELD(spd_fit_state, pairs, SIZE),
    FIELD(spd_fit_state, start, INT),
};

static const field optimiser_fields[] = {
    FIELD(minimise_state, f, REAL),
    FIELD(minimise_state, gradient_norm, REAL),
    FIELD_LATER(minimise_state, first_f, REAL),
    FIELD(minimise_state, last_step, REAL),
    FIELD(minimise_state, iteration, INT),
    FIELD(minimise_state, refreshes, INT),
    FIELD(minimise_state, small_steps, INT),
    FIELD(minimise_state, passes, SIZE),
    FIELD(minimise_state, memory.count, SIZE),
    FIELD(minimise_state, memory.first, SIZE),
    FIELD(minimise_state, moves, SIZE),
};

static const model_names NOW = {"now_W", "now_history"}, BEST = {"best_W", "best_history"};

void spd_fit_state_free(spd_fit_state *state)
{
    if (!state)
        return;
    mem_free(state->pair);
    mem_free(state->L);
    minimise_close(&state->at);
    spd_model_free(state->now);
    spd_model_free(state->best);
    mem_free(state);
}

/* ---- what a state says ---------------------------------------------------------------------- */

void spd_fit_state_options(const spd_fit_state *state, spd_fit_options *options)
{
    spd_fit_options own = *state->now->options;
    own.pairs = own.learning == SPD_LEARNING_OWN_GRAPH ? state->pairs : 0;
    own.own_pairs = own.pairs ? state->pair : NULL;
    sized_give(sizeof own, &own, options);
}

const char *spd_fit_state_differs(const spd_fit_state *state, const spd_fit_options *options)
{
    spd_fit_options other;
    spd_fit_defaults(&other, sizeof other);
    if (sized_take(NULL, "spd_fit_options", sizeof other, &other, options) < 0)
        return "size";
    return model_options_differ(state->now->options, &other);
}

spd_status state_model(const spd_fit_state *state, spd_model **model)
{
    const spd_model *now = state->now, *best = state->best;
    spd_model *fresh = model_copy(best && !(now->cost < best->cost) ? best : now, NULL);
    if (!fresh)
        return SPD_ENOMEM;
    fresh->data_passes = now->data_passes;
    fresh->seconds_fit = now->seconds_fit;
    fresh->starts = now->starts;
    *model = fresh;
    return SPD_OK;
}

spd_status spd_fit_state_model(spd_context *ctx, const spd_fit_state *state, spd_model **model)
{
    ctx_clear(ctx);
    return state_model(state, model) < 0 ? ctx_nomem(ctx, "a model") : SPD_OK;
}

/* ---- to a file ------------------------------------------------------------------------------ */

/* text <- the checksum over names and elements of all arrays, in hexadecimal. */
static void checksum(size_t count, const spd_array *const *list, char text[17])
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        const void *data = list[i]->type == SPD_TYPE_INT64 ? (const void *)list[i]->i64
                                                           : (const void *)list[i]->f64;
        hash = hash_bytes(hash, list[i]->name, strlen(list[i]->name));
        hash = hash_bytes(hash, data, list[i]->count * array_width(list[i]->type));
    }
    snprintf(text, 17, "%016" PRIx64, hash);
}

static void write_pairs(record_writer *w, const spd_fit_state *s)
{
    int64_t *pair = arena_alloc(&w->room, s->pairs, 2 * sizeof *pair);
    double *weight = arena_alloc(&w->room, s->pairs, 2 * sizeof *weight);
    for (size_t k = 0; !w->room.failed && k < s->pairs; k++) {
        pair[2 * k] = s->pair[k].i;
        pair[2 * k + 1] = s->pair[k].j;
        weight[2 * k] = s->pair[k].within;
        weight[2 * k + 1] = s->pair[k].between;
    }
    record_matrix(w, "pair", s->pairs, 2, NULL);
    w->array[w->count - 1].type = SPD_TYPE_INT64;
    w->array[w->count - 1].i64 = pair;
    record_matrix(w, "weight", s->pairs, 2, weight);
}

spd_status spd_fit_state_save(spd_context *ctx, const spd_fit_state *state, const char *path)
{
    const minimise_state *at = &state->at;
    record_writer w;
    char sum[17];
    ctx_clear(ctx);
    record_begin(&w, ctx, CHECKPOINT_KIND, RECORD_CHECKPOINT_FORMAT, spd_version());
    write_pairs(&w, state);
    record_fields(&w, FIELDS(optimiser_fields), optimiser_fields, at, record_part(&w, "optimiser"));
    model_write(&w, state->now, &NOW, record_part(&w, "now"));
    if (state->best)
        model_write(&w, state->best, &BEST, record_part(&w, "best"));
    record_matrix(&w, "point", at->rows, at->n * at->m, at->block);
    if (at->moves > 0)
        record_matrix(&w, "moves", at->moves, at->n * at->m + 1, at->move);
    if (state->L)
        record_matrix(&w, "coordinates", at->n, at->n, state->L);
    if (w.status == SPD_OK && !w.room.failed) {
        checksum(w.count, w.list, sum);
        if (json_object_set_new(w.meta, "checksum", json_string(sum)) != 0)
            w.status = ctx_nomem(ctx, "meta.json");
    }
    record_fields(&w, FIELDS(state_fields), state_fields, state, w.meta);
    return record_save(&w, path);
}

/* ---- from a file ---------------------------------------------------------------------------- */

/* Pairs that a fit may have: different samples, weights >= 0. Maximal variance pairs samples with
 * their mean, which counts as sample p. */
static spd_status unpack_pairs(spd_context *ctx, const io_bundle *bundle, spd_fit_state *s)
{
    const spd_array *index = NULL, *weight = NULL;
    spd_status status = record_find(ctx, bundle, "pair", SPD_TYPE_INT64, s->pairs, 2, &index);
    if (status == SPD_OK)
        status = record_find(ctx, bundle, "weight", SPD_TYPE_FLOAT64, s->pairs, 2, &weight);
    if (status != SPD_OK)
        return status;
    s->pair = mem_zero(s->pairs, sizeof *s->pair);
    if (!s->pair)
        return ctx_nomem(ctx, "a graph");
    uint64_t samples = s->p + (s->now->options->learning == SPD_LEARNING_VARIANCE);
    for (size_t k = 0; k < s->pairs; k++) {
        uint64_t i = (uint64_t)index->i64[2 * k], j = (uint64_t)index->i64[2 * k + 1];
        double within = weight->f64[2 * k], between = weight->f64[2 * k + 1];
        if (i >= samples || j >= samples || i > UINT32_MAX || j > UINT32_MAX || i == j ||
            within < 0 || between < 0)
            return ctx_fail(ctx, SPD_EFORMAT, "pair: entry %zu is not a pair of %zu samples", k,
                            s->p);
        s->pair[k] = (spd_pair){(uint32_t)i, (uint32_t)j, within, between};
    }
    return SPD_OK;
}

/* The optimiser's part, for a fit of the size and the solver of s->now. */
static spd_status unpack_optimiser(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                                   spd_fit_state *s)
{
    size_t n = s->now->n, m = s->now->m;
    minimise_state at = {
        .n = n, .m = m, .rows = minimise_rows(s->now->options->solver), .first_f = NAN};
    const spd_array *point = NULL, *moves = NULL;
    spd_status status = fields_read(ctx, FIELDS(optimiser_fields), optimiser_fields, meta, &at);
    if (status == SPD_OK)
        status = record_find(ctx, bundle, "point", SPD_TYPE_FLOAT64, at.rows, n * m, &point);
    if (status == SPD_OK && at.moves > 0)
        status = record_find(ctx, bundle, "moves", SPD_TYPE_FLOAT64, at.moves, n * m + 1, &moves);
    if (status != SPD_OK)
        return status;
    size_t most = at.rows > minimise_rows(SPD_SOLVER_POLAK_RIBIERE) ? LBFGS_MEMORY : 0;
    if (at.memory.count > most || at.memory.first > most || at.iteration != s->now->iterations ||
        at.refreshes > at.iteration)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: the optimiser's numbers contradict the rest");
    if (isnan(at.first_f)) /* of an older version */
        at.first_f = s->now->history[0].cost;
    at.block = point->f64;
    at.move = moves ? moves->f64 : NULL;
    if (minimise_copy(&s->at, &at) < 0)
        return ctx_nomem(ctx, "the optimiser");
    status = record_check_orthonormal(ctx, "point: W", n, m, s->at.W);
    if (status == SPD_OK)
        status = record_check_orthonormal(ctx, "point: the origin", n, m, s->at.origin);
    return status;
}

/* The factor that the coordinates are made by, if any: lower triangular, so that W comes back. */
static spd_status unpack_coordinates(spd_context *ctx, const io_bundle *bundle, spd_fit_state *s)
{
    const spd_array *L = NULL;
    size_t n = s->now->n;
    if (s->now->options->coordinates == SPD_COORDINATES_PLAIN)
        return SPD_OK;
    spd_status status = record_find(ctx, bundle, "coordinates", SPD_TYPE_FLOAT64, n, n, &L);
    if (status != SPD_OK)
        return status;
    for (size_t r = 0; r < n; r++)
        for (size_t c = r; c < n; c++)
            if (c == r ? !(L->f64[r * n + c] > 0.0) : L->f64[r * n + c] != 0.0)
                return ctx_fail(ctx, SPD_EFORMAT, "coordinates: is not a Cholesky factor");
    s->L = mem_alloc(n, n * sizeof *s->L);
    if (!s->L)
        return ctx_nomem(ctx, "the coordinates");
    memcpy(s->L, L->f64, n * n * sizeof *s->L);
    return SPD_OK;
}

static spd_status fill_state(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                             const char *version, spd_fit_state *s)
{
    const json_t *best = json_object_get(meta, "best");
    spd_status status = fields_read(ctx, FIELDS(state_fields), state_fields, meta, s);
    if (status == SPD_OK)
        status = model_read(ctx, bundle, json_object_get(meta, "now"), &NOW, version, &s->now);
    if (status == SPD_OK && best)
        status = model_read(ctx, bundle, best, &BEST, version, &s->best);
    if (status < 0)
        return status;
    if (s->start > 0 && s->start >= s->now->options->restarts)
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: start %d is beyond the %d restarts", s->start,
                        s->now->options->restarts);
    if (s->best && (s->best->n != s->now->n || s->best->m != s->now->m))
        return ctx_fail(ctx, SPD_EFORMAT, "meta.json: 'now' and 'best' contradict each other");
    status = unpack_optimiser(ctx, bundle, json_object_get(meta, "optimiser"), s);
    if (status == SPD_OK)
        status = unpack_coordinates(ctx, bundle, s);
    return status < 0 ? status : unpack_pairs(ctx, bundle, s);
}

/* Do the arrays belong to this meta.json? All of them have been asked for by now. */
static spd_status check_sum(spd_context *ctx, const io_bundle *bundle, const json_t *meta)
{
    char sum[17];
    const char *wanted = json_string_value(json_object_get(meta, "checksum"));
    for (size_t i = 0; i < bundle->count; i++)
        if (!bundle->array[i] || bundle->array[i]->type == SPD_TYPE_TEXT)
            return ctx_fail(ctx, SPD_EFORMAT, "array %zu is no part of a checkpoint", i);
    checksum(bundle->count, (const spd_array *const *)bundle->array, sum);
    if (!wanted || strcmp(wanted, sum) != 0)
        return ctx_fail(
            ctx, SPD_EFORMAT,
            "is a damaged checkpoint: its checksum does not match; start the fit again");
    return SPD_OK;
}

static spd_status take_state(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                             const char *version, void *made)
{
    spd_fit_state *fresh = mem_zero(1, sizeof *fresh), **state = made;
    if (!fresh)
        return ctx_nomem(ctx, "a checkpoint");
    spd_status status = fill_state(ctx, bundle, meta, version, fresh);
    if (status == SPD_OK)
        status = check_sum(ctx, bundle, meta);
    if (status < 0)
        spd_fit_state_free(fresh);
    else
        *state = fresh;
    return status;
}

const record_kind checkpoint_record = {CHECKPOINT_KIND, RECORD_CHECKPOINT_FORMAT,
                                       RECORD_CHECKPOINT_FORMAT, take_state};

spd_status spd_fit_state_load(spd_context *ctx, const char *path, spd_fit_state **state)
{
    return record_load(ctx, &checkpoint_record, path, state);
}
