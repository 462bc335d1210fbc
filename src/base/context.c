/* context.c - life of a context, and the making of messages. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/context.h"

#include <float.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/plain.h"

#define USUAL_SHARE             0.75 /* of the memory that there is */
#define SECONDS_BETWEEN_REPORTS 0.1
#define TOLD_FROM               1e7 /* bytes: less is a matter of the moment, not of the problem */

static const spd_error no_error = {.status = SPD_OK, .index = SPD_NO_INDEX};

spd_context *spd_context_new(void)
{
    spd_context *ctx = mem_zero(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->engine = SPD_ENGINE_CPU;
    ctx->error = no_error;
    return ctx;
}

void spd_context_free(spd_context *ctx)
{
    if (ctx)
        pool_end(&ctx->workers);
    if (ctx && ctx->ranks)
        ctx->ranks->end(ctx->ranks);
    mem_free(ctx);
}

void spd_context_set_threads(spd_context *ctx, int threads)
{
    if (ctx)
        ctx->threads = threads > 0 ? threads : 0;
}

/* Cores that this process may use. */
static int cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

int ctx_threads(const spd_context *ctx)
{
    int threads = ctx && ctx->threads > 0 ? ctx->threads : cores();
    return threads <= POOL_WORKERS ? threads : POOL_WORKERS + 1;
}

void spd_context_set_engine(spd_context *ctx, spd_engine engine)
{
    if (ctx)
        ctx->engine = engine;
}

spd_engine ctx_engine(const spd_context *ctx)
{
    int several = ctx && ctx->ranks && ctx->ranks->count > 1;
    if (!ctx || (several && ctx->engine == SPD_ENGINE_AUTO))
        return SPD_ENGINE_CPU;
    return ctx->engine;
}

int ctx_device(const spd_context *ctx)
{
    if (!ctx)
        return 0;
    return ctx->ranks ? ctx->ranks->local : ctx->device;
}

int ctx_sharers(const spd_context *ctx)
{
    return ctx && ctx->beside > 1 ? ctx->beside : 1;
}

spd_context *ctx_beside(const spd_context *ctx, int lanes)
{
    spd_context *lane = spd_context_new();
    if (!lane)
        return NULL;
    lane->threads = 1;
    lane->engine = ctx_engine(ctx);
    lane->device = ctx_device(ctx);
    lane->beside = lanes;
    return lane;
}

void ctx_rejoin(spd_context *ctx, spd_context *lane)
{
    if (ctx && lane)
        ctx->device_calls += lane->device_calls;
    spd_context_free(lane);
}

size_t spd_context_device_calls(const spd_context *ctx)
{
    return ctx ? ctx->device_calls : 0;
}

void spd_context_set_memory(spd_context *ctx, double bytes)
{
    if (ctx)
        ctx->memory = bytes > 0.0 ? bytes : 0.0;
}

double spd_context_memory(const spd_context *ctx)
{
    if (ctx && ctx->memory > 0.0)
        return ctx->memory;
    return ctx && ctx->usual > 0.0 ? ctx->usual : USUAL_SHARE * limits_total();
}

void spd_context_set_progress(spd_context *ctx, spd_progress_fn fn, void *user)
{
    if (!ctx)
        return;
    ctx->progress = fn;
    ctx->user = user;
}

const spd_error *spd_context_error(const spd_context *ctx)
{
    return ctx ? &ctx->error : &no_error;
}

void ctx_clear(spd_context *ctx)
{
    if (!ctx)
        return;
    ctx->error = no_error;
    ctx->reported = (spd_progress){0};
    ctx->reported_at = ctx->progress ? clock_seconds() : 0.0;
}

/* Writes the message from a place on. Names and labels in it come from files: made harmless. */
__attribute__((format(printf, 3, 0))) static void say(spd_context *ctx, size_t from,
                                                      const char *format, va_list args)
{
    char raw[sizeof ctx->error.message];
    vsnprintf(raw, sizeof raw, format, args);
    plain_text(raw, "", ctx->error.message + from, sizeof ctx->error.message - from);
}

static void record(spd_context *ctx, spd_status status, size_t index, double value,
                   const char *format, va_list args)
{
    if (!ctx)
        return;
    ctx->error.status = status;
    ctx->error.index = index;
    ctx->error.value = value;
    ctx->error.remedy = SPD_REMEDY_NONE;
    ctx->error.remedy_value = 0.0;
    say(ctx, 0, format, args);
}

spd_status ctx_fail(spd_context *ctx, spd_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(ctx, status, SPD_NO_INDEX, 0.0, format, args);
    va_end(args);
    return status;
}

spd_status ctx_fail_at(spd_context *ctx, spd_status status, size_t index, double value,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(ctx, status, index, value, format, args);
    va_end(args);
    return status;
}

spd_status ctx_advise(spd_context *ctx, spd_status status, unsigned remedy, double value)
{
    if (ctx && status < 0) {
        ctx->error.remedy |= remedy;
        ctx->error.remedy_value = value;
    }
    return status;
}

spd_status ctx_pass_on(spd_context *ctx, const spd_error *error)
{
    if (ctx)
        ctx->error = *error;
    return error->status;
}

spd_status ctx_nomem(spd_context *ctx, const char *what)
{
    return ctx_short(ctx, what, (double)mem_refused());
}

spd_status ctx_short(spd_context *ctx, const char *what, double bytes)
{
    spd_status status = ctx_fail(ctx, SPD_ENOMEM, "out of memory for %s", what);
    double left = limits_left();
    if (bytes > TOLD_FROM && left < DBL_MAX)
        ctx_append(ctx,
                   ": %.3g GB are needed, %.3g GB are available; use fewer or smaller matrices",
                   1e-9 * bytes, 1e-9 * left);
    return status;
}

spd_status ctx_ask(spd_context *ctx, const char *what, double bytes)
{
    return bytes < TOLD_FROM || mem_could(bytes) ? SPD_OK : ctx_short(ctx, what, bytes);
}

void ctx_prefix(spd_context *ctx, const char *prefix)
{
    if (!ctx || ctx->error.status == SPD_OK)
        return;
    char message[sizeof ctx->error.message];
    memcpy(message, ctx->error.message, sizeof message);
    char plain[256];
    plain_text(prefix, "", plain, sizeof plain);
    int length = snprintf(ctx->error.message, sizeof message, "%s: ", plain);
    int room = (int)sizeof message - length;
    snprintf(ctx->error.message + length, (size_t)room, "%.*s", room - 1, message);
}

void ctx_append(spd_context *ctx, const char *format, ...)
{
    if (!ctx || ctx->error.status == SPD_OK)
        return;
    va_list args;
    va_start(args, format);
    say(ctx, strlen(ctx->error.message), format, args);
    va_end(args);
}

int ctx_progress(spd_context *ctx, const char *task, const char *unit, double done, double total)
{
    if (!ctx || !ctx->progress)
        return 0;
    ctx->reported = (spd_progress){task, unit, done, total};
    ctx->reported_at = clock_seconds();
    const spd_progress progress = ctx->reported;
    return ctx->progress(ctx->user, &progress);
}

int ctx_report(spd_context *ctx, const char *task, const char *unit, double done, double total)
{
    if (!ctx || !ctx->progress || clock_seconds() - ctx->reported_at < SECONDS_BETWEEN_REPORTS)
        return 0;
    return ctx_progress(ctx, task, unit, done, total);
}

int ctx_report_again(spd_context *ctx)
{
    if (!ctx || !ctx->reported.task)
        return 0;
    return ctx_report(ctx, ctx->reported.task, ctx->reported.unit, ctx->reported.done,
                      ctx->reported.total);
}

int ctx_finish(spd_context *ctx, const char *task, double done)
{
    if (!ctx || !ctx->reported.task || strcmp(ctx->reported.task, task) != 0)
        return 0;
    return ctx_progress(ctx, ctx->reported.task, ctx->reported.unit, done, done);
}
