/* context.h - what travels with a call: threads, progress, and the message of a failure.
 *
 * A message is made once, where the fault is seen, by ctx_fail; callers above pass the status on
 * and may put a file's name in front with ctx_prefix. All functions take a NULL context. */
#ifndef SPD_BASE_CONTEXT_H
#define SPD_BASE_CONTEXT_H

#include "base/pool.h"
#include "base/ranks.h"
#include "spdml.h"

struct spd_context {
    int threads;
    spd_engine engine;
    int device;          /* number of the GPU that is used first */
    int beside;          /* contexts that work at the same time, this one too; 0: alone */
    size_t device_calls; /* what GPUs have done for it */
    double memory;       /* bytes that a call may use; 0: the usual share of what there is */
    double usual;        /* that share, where the ranks have agreed on it; else 0 */
    spd_progress_fn progress;
    void *user;
    spd_progress reported; /* what the callback last heard within this call; task NULL: nothing */
    double reported_at;    /* when, or when the call began */
    spd_error error;
    worker_pool workers; /* asleep until a loop needs them */
    ranks *ranks;        /* the processes of the job; NULL: alone */
    int alone;           /* above 0: what is called now is for this process alone */
    char ran_on[256];    /* what the engine of the last fit said of itself, or nothing */
};

/* Threads that calls with this context use. */
int ctx_threads(const spd_context *ctx);

/* The engine that this process may use: among several, a GPU that some of them may lack gives other
 * bits, and auto is the processor. */
spd_engine ctx_engine(const spd_context *ctx);

/* The GPU to begin with, to be taken modulo those there are: processes of one machine have one
 * each.
 */
int ctx_device(const spd_context *ctx);

/* How many share the GPU with this context, itself included. */
int ctx_sharers(const spd_context *ctx);

/* A context of one thread, one of `lanes` that work side by side for ctx, with its engine; NULL if
 * out of memory. ctx_rejoin frees it and counts in ctx what GPUs have done for it. */
spd_context *ctx_beside(const spd_context *ctx, int lanes);
void ctx_rejoin(spd_context *ctx, spd_context *lane);

/* Forgets the last error and progress; first line of every public function that takes a context. */
void ctx_clear(spd_context *ctx);

/* Records status and a printf-like message; returns status, so that `return ctx_fail(...)` and
 * `status = ctx_fail(...)` read well. */
spd_status ctx_fail(spd_context *ctx, spd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about one sample: index and measured value are kept for bindings. */
spd_status ctx_fail_at(spd_context *ctx, spd_status status, size_t index, double value,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* "out of memory" with what it was for, and, of much, how much was asked for and is there. */
spd_status ctx_nomem(spd_context *ctx, const char *what);
spd_status ctx_short(spd_context *ctx, const char *what, double bytes);

/* Asks before long work whether it will have memory: fails as ctx_nomem does where so many bytes
 * cannot be had. */
spd_status ctx_ask(spd_context *ctx, const char *what, double bytes);

/* Puts "prefix: " before the recorded message; used by io to name the file. */
void ctx_prefix(spd_context *ctx, const char *prefix);

/* Appends text to the recorded message. */
void ctx_append(spd_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a remedy to the failure just recorded; returns status. Messages name no options: those
 * belong to whoever shows them. value is that of SPD_REMEDY_REGULARIZE, else 0. */
spd_status ctx_advise(spd_context *ctx, spd_status status, unsigned remedy, double value);

/* Records a failure that another context, or this one earlier, had; returns its status. */
spd_status ctx_pass_on(spd_context *ctx, const spd_error *error);

/* Calls the progress callback; non-zero when the call shall be cancelled. */
int ctx_progress(spd_context *ctx, const char *task, const char *unit, double done, double total);

/* Reports again what was reported last in this call, if anything, for work that has nothing new to
 * report and must hear whether it is still wanted; at most ten times a second, like ctx_report. */
int ctx_report_again(spd_context *ctx);
int ctx_report(spd_context *ctx, const char *task, const char *unit, double done, double total);

/* Tells that a task is over after `done` units, if it is what was reported last, so that nobody
 * shows it any longer. Like ctx_progress, non-zero when the call shall be cancelled. */
int ctx_finish(spd_context *ctx, const char *task, double done);

#endif
