/* table.c - the descriptor `covariance`: tables of observations, and multichannel signals.
 *
 * A table is r x n, observations (points in time) in rows. With pass bands every channel is
 * filtered by each of them, and the filtered channels are stacked, band by band: the covariance of
 * the n * bands columns is the extended one. With a window, every window of the (filtered) table is
 * a matrix of its own; with events, every event is one, with its label. A recording brings its own
 * rate, so that filters and windows are planned for it alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "describe/butterworth.h"
#include "describe/descriptor.h"
#include "io/text.h"

typedef struct table_plan {
    size_t window, stride; /* rows; window 0: the whole table */
    biquad *section;       /* bands x BUTTERWORTH_MOST: the first `order` of each count */
    int failed;            /* it could not be made for a rate that is not known */
} table_plan;

static const char *const window_columns[] = {"window_start"}, *const event_columns[] = {"onset"};

/* What the options say where nothing is known of the rate. */
#define RATE_UNKNOWN 1.0

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

/* *made <- a plan for the options' rate, new. */
static spd_status plan_new(spd_context *ctx, const spd_describe_options *options, table_plan **made)
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
        *made = plan;
    return status;
}

static spd_status check_events(spd_context *ctx, const spd_describe_options *o)
{
    const int given = o->epoch_from != 0.0 || o->epoch_to != 0.0;
    if (!o->events && (given || o->event_names))
        return ctx_fail(ctx, SPD_EINVAL, "epochs and names of events need events");
    if (o->events && o->window > 0.0)
        return ctx_fail(ctx, SPD_EINVAL, "windows and events cannot be used together");
    if (given && !(o->epoch_from < o->epoch_to && isfinite(o->epoch_from) && isfinite(o->epoch_to)))
        return ctx_fail(ctx, SPD_EINVAL, "an epoch from %g s to %g s has no length", o->epoch_from,
                        o->epoch_to);
    return SPD_OK;
}

/* Where the rate is not known, a recording may still bring one for which the plan can be made. */
static spd_status prepare(spd_context *ctx, const spd_describe_options *options, void **shared)
{
    table_plan *plan = NULL;
    spd_status status = check_events(ctx, options);
    if (status < 0)
        return status;
    status = plan_new(ctx, options, &plan);
    if (status == SPD_EINVAL && options->rate == RATE_UNKNOWN) {
        plan = mem_zero(1, sizeof *plan);
        status = plan ? SPD_OK : ctx_nomem(ctx, "a plan");
        if (plan)
            plan->failed = 1;
    }
    if (status == SPD_OK)
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
    spd_status status =
        description_room(ctx, covariance, count, size, 1, plan->window ? 1 : 0, &fresh);
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        const observations part = {rows, table->n, table->O + k * plan->stride * table->n};
        status = description_fill(ctx, covariance, k, 1, &part, &fresh);
        if (plan->window)
            fresh.column[k] = (double)(k * plan->stride) / o->rate;
    }
    fresh.column_name = window_columns;
    return description_hand_over(status, &fresh, out);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Is the label one of the names, with commas between? */
static int is_wanted(const char *names, const char *label)
{
    const size_t length = strlen(label);
    for (const char *at = names; names && *at;) {
        const size_t word = strcspn(at, ",");
        if (word == length && memcmp(at, label, length) == 0)
            return 1;
        at += word + (at[word] == ',');
    }
    return !names;
}

/* *first, *rows <- where an event lies in a table of r rows; *inside <- whether it does. */
static spd_status place_event(spd_context *ctx, const spd_describe_options *o, double rate,
                              size_t r, const recording_event *event, size_t *first, size_t *rows,
                              int *inside)
{
    const int given = o->epoch_from != 0.0 || o->epoch_to != 0.0;
    const double length = given ? o->epoch_to - o->epoch_from : event->duration;
    const double begin = round((event->onset + (given ? o->epoch_from : 0.0)) * rate);
    const double count = round(length * rate);
    char plain[60];
    if (count < 2.0)
        return ctx_fail(ctx, SPD_EINVAL,
                        "event '%s' at %g s lasts %g s, too short for a covariance; give an epoch "
                        "around the onset",
                        text_plain(event->label, plain, sizeof plain), event->onset, length);
    *inside = begin >= 0.0 && begin + count <= (double)r;
    *first = *inside ? (size_t)begin : 0;
    *rows = *inside ? (size_t)count : 0;
    return SPD_OK;
}

/* Lists the labels there are, for a message. */
static spd_status no_event(spd_context *ctx, const spd_describe_options *o,
                           const recording_events *events)
{
    char list[240] = "", plain[40];
    size_t used = 0;
    for (size_t i = 0; i < events->count && used + 50 < sizeof list; i++) {
        size_t before = 0;
        while (before < i && strcmp(events->event[before].label, events->event[i].label) != 0)
            before++;
        if (before == i)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     text_plain(events->event[i].label, plain, sizeof plain));
    }
    return ctx_fail(ctx, SPD_EINVAL, "none of the events is %.100s%s; there are %s",
                    o->event_names ? o->event_names : "of any name",
                    o->event_names ? ", or none lies within the recording" : "", list);
}

/* One matrix of an event that lies inside, behind those that are made. */
static spd_status add_event(spd_context *ctx, const spd_describe_options *o,
                            const observations *part, const recording_event *event,
                            description *made)
{
    const size_t k = made->count;
    made->label[k] = mem_text(event->label);
    if (!made->label[k])
        return ctx_nomem(ctx, "labels");
    made->column[k] = event->onset;
    made->count++;
    spd_status status = description_fill(ctx, &o->covariance, k, 1, part, made);
    if (status < 0)
        ctx_prefix(ctx, event->label);
    return status;
}

static spd_status fill_events(spd_context *ctx, const spd_describe_options *o, double rate,
                              const observations *table, const recording_events *events,
                              description *made)
{
    spd_status status = SPD_OK;
    made->count = 0;
    for (size_t i = 0; i < events->count && status == SPD_OK; i++) {
        const recording_event *event = &events->event[i];
        size_t first = 0, rows = 0;
        int inside = 0;
        if (!is_wanted(o->event_names, event->label))
            continue;
        status = place_event(ctx, o, rate, table->r, event, &first, &rows, &inside);
        made->events_cut += status == SPD_OK && !inside;
        if (status == SPD_OK && inside) {
            const observations part = {rows, table->n, table->O + first * table->n};
            status = add_event(ctx, o, &part, event, made);
        }
    }
    if (status == SPD_OK && made->count == 0)
        status = no_event(ctx, o, events);
    return status;
}

/* One matrix for each event. */
static spd_status describe_events(spd_context *ctx, const spd_describe_options *o, double rate,
                                  const observations *table, const recording_events *events,
                                  description *out)
{
    description fresh = {0};
    const size_t room = events->count, size = o->covariance.W ? o->covariance.m : table->n;
    spd_status status = description_room(ctx, &o->covariance, room, size, 1, 1, &fresh);
    if (status < 0)
        return status;
    fresh.column_name = event_columns;
    fresh.label = mem_zero(room, sizeof *fresh.label);
    status =
        fresh.label ? fill_events(ctx, o, rate, table, events, &fresh) : ctx_nomem(ctx, "labels");
    return description_hand_over(status, &fresh, out);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static spd_status describe_table(spd_context *ctx, const spd_describe_options *o,
                                 const table_plan *plan, const input *in, description *out)
{
    double *filtered = NULL;
    observations table = in->table, some;
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
    if (status == SPD_OK && o->observations && (in->events || plan->window))
        status = ctx_fail(ctx, SPD_EINVAL,
                          "%zu observations of whole tables can be taken, not of windows or events",
                          o->observations);
    if (status == SPD_OK)
        status = observations_thin(ctx, o, &table, &room, &some);
    if (status == SPD_OK && in->events)
        status = describe_events(ctx, o, o->rate, &some, in->events, out);
    else if (status == SPD_OK)
        status = describe_windows(ctx, o, plan, &some, count, out);
    arena_free(&room);
    return status;
}

/* With the rate of the recording, which must be the one that was given, if one was. */
static spd_status describe_planned(spd_context *ctx, const spd_describe_options *o,
                                   const table_plan *shared, const input *in, description *out)
{
    spd_describe_options own = *o;
    table_plan *plan = NULL;
    if (in->rate <= 0.0 && !shared->failed)
        return describe_table(ctx, o, shared, in, out);
    if (in->rate > 0.0 && o->rate != RATE_UNKNOWN && fabs(o->rate - in->rate) > 1e-6 * in->rate)
        return ctx_fail(ctx, SPD_EINVAL, "has %g samples per second, but a rate of %g was given",
                        in->rate, o->rate);
    if (in->rate > 0.0)
        own.rate = in->rate;
    spd_status status = plan_new(ctx, &own, &plan);
    if (status == SPD_OK)
        status = describe_table(ctx, &own, plan, in, out);
    release(plan);
    return status;
}

/* A table that is wider than long is often one that lies on its side. */
static spd_status describe(spd_context *ctx, const spd_describe_options *o, const void *shared,
                           const input *in, description *out)
{
    spd_status status = describe_planned(ctx, o, shared, in, out);
    if (status == SPD_OK && in->channel) {
        status = description_name(ctx, in->table.n, in->channel, out);
        if (status < 0)
            description_free(out);
    }
    if (status == SPD_OK && in->time)
        memcpy(out->time, in->time, sizeof out->time);
    if (status == SPD_EINVAL && in->table.n > in->table.r && !o->channels_first)
        ctx_advise(ctx, status, SPD_REMEDY_CHANNELS_FIRST, ctx ? ctx->error.remedy_value : 0.0);
    return status;
}

/* What belongs to recordings and events, where there are such. */
static int event_parameters(const spd_describe_options *o, json_t *object)
{
    json_t *more =
        json_pack("{s:s*, s:s*}", "channels", o->channels, "event_names", o->event_names);
    int failed = json_object_update_new(object, more);
    if (!o->events)
        return failed;
    return failed | json_object_update_new(object, json_pack("{s:s, s:f, s:f}", "events", "auto",
                                                             "epoch_from", o->epoch_from,
                                                             "epoch_to", o->epoch_to));
}

static int parameters(const spd_describe_options *options, json_t *object)
{
    json_t *bands = json_array();
    json_t *order = options->bands ? json_integer((json_int_t)options->order) : NULL;
    const int rate_unknown = options->events && options->rate == RATE_UNKNOWN;
    int failed = !bands || (options->bands && !order);
    for (size_t b = 0; b < options->bands; b++)
        failed |= json_array_append_new(
            bands, json_pack("[f,f]", options->band[2 * b], options->band[2 * b + 1]));
    return failed | event_parameters(options, object) | description_observations(options, object) |
           json_object_update_new(
               object,
               json_pack("{s:f, s:f, s:f, s:o, s:o*, s:b, s:s*}", "rate", options->rate, "window",
                         options->window, "step", options->stride, "bands", bands, "order", order,
                         "channels_first", options->channels_first, "group", options->group)) |
           (rate_unknown && json_object_del(object, "rate")); /* recordings bring their own */
}

const descriptor descriptor_covariance = {
    .kind = SPD_DESCRIPTOR_COVARIANCE,
    .takes = INPUT_TABLE,
    .prepare = prepare,
    .describe = describe,
    .release = release,
    .parameters = parameters,
};
