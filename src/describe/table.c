/* table.c - the descriptor `covariance`: tables of observations, and multichannel signals.
 *
 * A table is r x n, observations (points in time) in rows. With pass bands every channel is
 * filtered by each of them, and the filtered channels are stacked, band by band: the covariance of
 * the n * bands columns is the extended one. With a window, every window of the (filtered) table is
 * a matrix of its own. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "describe/butterworth.h"
#include "describe/descriptor.h"

typedef struct table_plan {
    size_t window, stride; /* rows; window 0: the whole table */
    biquad *section;       /* bands x BUTTERWORTH_MOST: the first `order` of each count */
} table_plan;

static const char *const window_columns[] = {"window_start"};

static void release(void *shared)
{
    table_plan *plan = shared;
    if (!plan)
        return;
    mem_free(plan->section);
    mem_free(plan);
}

/* *rows <- seconds as a number of rows, at least `least`. */
static spd_status to_rows(spd_context *ctx, const char *what, double seconds, double rate,
                          double least, size_t *rows)
{
    double count = round(seconds * rate);
    if (!(count >= least && count < 0x1p53))
        return ctx_fail(ctx, SPD_EINVAL,
                        "a %s of %g s is %g rows at %g per second; it must be at least %g", what,
                        seconds, count, rate, least);
    *rows = (size_t)count;
    return SPD_OK;
}

static spd_status plan_windows(spd_context *ctx, const spd_describe_options *options,
                               table_plan *plan)
{
    if (!(options->rate > 0.0 && options->rate < INFINITY))
        return ctx_fail(ctx, SPD_EINVAL, "the sampling rate %g must be above 0", options->rate);
    if (options->window == 0.0 && options->stride == 0.0)
        return SPD_OK;
    if (options->window == 0.0)
        return ctx_advise(ctx, ctx_fail(ctx, SPD_EINVAL, "a step between windows needs a window"),
                          SPD_REMEDY_WINDOW, 0.0);
    spd_status status = to_rows(ctx, "window", options->window, options->rate, 2.0, &plan->window);
    plan->stride = plan->window;
    if (status == SPD_OK && options->stride != 0.0)
        status = to_rows(ctx, "step", options->stride, options->rate, 1.0, &plan->stride);
    return status;
}

static spd_status plan_bands(spd_context *ctx, const spd_describe_options *options,
                             table_plan *plan)
{
    if (!options->bands)
        return SPD_OK;
    plan->section = mem_alloc(options->bands, BUTTERWORTH_MOST * sizeof *plan->section);
    if (!plan->section)
        return ctx_nomem(ctx, "filters");
    spd_status status = SPD_OK;
    for (size_t b = 0; b < options->bands && status == SPD_OK; b++)
        status =
            butterworth_design(ctx, options->order, options->band[2 * b], options->band[2 * b + 1],
                               options->rate, plan->section + b * BUTTERWORTH_MOST);
    return status;
}

static spd_status prepare(spd_context *ctx, const spd_describe_options *options, void **shared)
{
    table_plan *plan = mem_zero(1, sizeof *plan);
    if (!plan)
        return ctx_nomem(ctx, "a plan");
    spd_status status = plan_windows(ctx, options, plan);
    if (status == SPD_OK)
        status = plan_bands(ctx, options, plan);
    if (status < 0)
        release(plan);
    else
        *shared = plan;
    return status;
}

/* *filtered <- r x (bands n). */
static spd_status filter(spd_context *ctx, const spd_describe_options *o, const table_plan *plan,
                         const observations *in, arena *keep, double **filtered)
{
    size_t order = o->order, bands = o->bands, n = in->n, r = in->r;
    size_t edge = butterworth_edge(order), wide = 0;
    if (r <= edge)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu rows are too short for a filter of order %zu; it "
                        "needs more than %zu",
                        r, order, edge);
    double *work = arena_alloc(keep, r + 2 * edge, sizeof *work);
    double *out = mem_mul(bands, n * sizeof *out, &wide) ? NULL : arena_alloc(keep, r, wide);
    if (!out || keep->failed)
        return ctx_nomem(ctx, "filtered signals");
    for (size_t b = 0; b < bands; b++)
        for (size_t c = 0; c < n; c++)
            butterworth_apply(order, plan->section + b * BUTTERWORTH_MOST, r, in->O + c, n,
                              out + b * n + c, bands * n, work);
    *filtered = out;
    return SPD_OK;
}

/* Non-finite rows would spread through a filter and hide where they came from. */
static spd_status check_finite(spd_context *ctx, const observations *in)
{
    for (size_t e = 0; e < in->r * in->n; e++)
        if (!isfinite(in->O[e]))
            return ctx_fail(ctx, SPD_ENOTFINITE,
                            "row %zu, channel %zu is %g; it cannot be filtered", e / in->n,
                            e % in->n, in->O[e]);
    return SPD_OK;
}

/* One matrix for each of count windows. */
static spd_status describe_windows(spd_context *ctx, const spd_describe_options *o,
                                   const table_plan *plan, const observations *table, size_t count,
                                   description *out)
{
    const spd_covariance_options *covariance = &o->covariance;
    size_t rows = plan->window ? plan->window : table->r;
    size_t size = covariance->W ? covariance->m : table->n;
    description fresh = {0};
    spd_status status = description_room(ctx, count, size, plan->window ? 1 : 0, &fresh);
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        const observations part = {rows, table->n, table->O + k * plan->stride * table->n};
        status = covariance_blocks(ctx, covariance, 1, &part, fresh.X + k * size * size);
        if (status == SPD_OK)
            description_count(covariance, 1, &part, &fresh);
        if (plan->window)
            fresh.column[k] = (double)(k * plan->stride) / o->rate;
    }
    fresh.column_name = window_columns;
    if (status < 0)
        description_free(&fresh);
    else
        *out = fresh;
    return status;
}

static spd_status describe_table(spd_context *ctx, const spd_describe_options *o,
                                 const table_plan *plan, observations table, description *out)
{
    double *filtered = NULL;
    arena room = {0};
    spd_status status = SPD_OK;
    if (table.r < plan->window)
        return ctx_fail(ctx, SPD_EINVAL, "%zu rows are fewer than a window of %zu", table.r,
                        plan->window);
    size_t count = plan->window ? (table.r - plan->window) / plan->stride + 1 : 1;
    if (o->bands) {
        status = check_finite(ctx, &table);
        if (status == SPD_OK)
            status = filter(ctx, o, plan, &table, &room, &filtered);
        table = (observations){table.r, o->bands * table.n, filtered};
    }
    if (status == SPD_OK)
        status = describe_windows(ctx, o, plan, &table, count, out);
    arena_free(&room);
    return status;
}

/* A table that is wider than long is often one that lies on its side. */
static spd_status describe(spd_context *ctx, const spd_describe_options *o, const void *shared,
                           const input *in, description *out)
{
    spd_status status = describe_table(ctx, o, shared, in->table, out);
    if (status == SPD_EINVAL && in->table.n > in->table.r && !o->channels_first)
        ctx_advise(ctx, status, SPD_REMEDY_CHANNELS_FIRST, ctx ? ctx->error.remedy_value : 0.0);
    return status;
}

static int parameters(const spd_describe_options *options, json_t *object)
{
    json_t *bands = json_array();
    json_t *order = options->bands ? json_integer((json_int_t)options->order) : NULL;
    int failed = !bands || (options->bands && !order);
    for (size_t b = 0; b < options->bands; b++)
        failed |= json_array_append_new(
            bands, json_pack("[f,f]", options->band[2 * b], options->band[2 * b + 1]));
    return failed |
           json_object_update_new(
               object,
               json_pack("{s:f, s:f, s:f, s:o, s:o*, s:b, s:s*}", "rate", options->rate, "window",
                         options->window, "step", options->stride, "bands", bands, "order", order,
                         "channels_first", options->channels_first, "group", options->group));
}

const descriptor descriptor_covariance = {
    .kind = SPD_DESCRIBE_COVARIANCE,
    .takes = INPUT_TABLE,
    .prepare = prepare,
    .describe = describe,
    .release = release,
    .parameters = parameters,
};
