/* gateway.c - the MEX function: spdml_mex(COMMAND, arguments..., options...). The table of commands, how a
 * call begins and ends, errors, interruption and progress. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gateway.h"

static const struct {
    const char *name;
    void (*run)(call *c);
} commands[] = {
    {"distance", command_distance}, {"mean", command_mean},
    {"geodesic", command_geodesic}, {"logm", command_logm},
    {"expm", command_expm},         {"sqrtm", command_sqrtm},
    {"powm", command_powm},         {"kernel", command_kernel},
    {"nearest", command_nearest},   {"embed", command_embed},
    {"fit", command_fit},           {"transform", command_transform},
    {"cost", command_cost},         {"explain", command_explain},
    {"train", command_train},       {"predict", command_predict},
    {"evaluate", command_evaluate}, {"load", command_load},
    {"save", command_save},         {"describe", command_describe},
    {"synth", command_synth},       {"version", command_version},
};

/* ---- what lives in the process --------------------------------------------------------------- */

typedef struct kept {
    void *object;
    void (*release)(void *);
} kept;

/* One context for all calls, and what the running call must free. */
static struct {
    spd_context *ctx;
    size_t count, room;
    kept *kept;
    volatile sig_atomic_t interrupted;
    int handling;
    struct sigaction before;
    sigset_t mask;
    const mxArray *callback; /* of progress: a function handle, true, or NULL */
    int callback_failed, in_callback;
} state;

static void on_interrupt(int number)
{
    (void)number;
    state.interrupted = 1;
}

/* Ctrl-C: in Octave and in MATLAB without a desktop a signal, which is noted while the library works.
 * Octave may have blocked it in this thread, for another one that waits for it. */
static void handle_interrupts(int on)
{
    struct sigaction mine;
    sigset_t interrupt;
    if (on == state.handling)
        return;
    if (on) {
        memset(&mine, 0, sizeof mine);
        mine.sa_handler = on_interrupt;
        sigemptyset(&mine.sa_mask);
        state.interrupted = 0;
        sigaction(SIGINT, &mine, &state.before);
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        pthread_sigmask(SIG_UNBLOCK, &interrupt, &state.mask);
    } else {
        pthread_sigmask(SIG_SETMASK, &state.mask, NULL);
        sigaction(SIGINT, &state.before, NULL);
    }
    state.handling = on;
}

static void release_all(void)
{
    handle_interrupts(0);
    while (state.count > 0) {
        state.count--;
        state.kept[state.count].release(state.kept[state.count].object);
    }
    state.callback = NULL;
}

/* When MATLAB clears the MEX function. */
static void at_exit(void)
{
    release_all();
    if (state.kept)
        mxFree(state.kept);
    state.kept = NULL;
    state.room = 0;
    spd_context_free(state.ctx);
    state.ctx = NULL;
}

void call_keep(void *object, void (*release)(void *))
{
    if (state.count == state.room) {
        size_t room = 2 * state.room + 16;
        kept *more = mxRealloc(state.kept, room * sizeof *more);
        mexMakeMemoryPersistent(more);
        state.kept = more;
        state.room = room;
    }
    state.kept[state.count].object = object;
    state.kept[state.count++].release = release;
}

/* ---- errors ---------------------------------------------------------------------------------- */

void call_fail(const char *id, const char *format, ...)
{
    static char message[1200], name[80]; /* mexErrMsgIdAndTxt does not return */
    va_list rest;
    va_start(rest, format);
    vsnprintf(message, sizeof message, format, rest);
    va_end(rest);
    snprintf(name, sizeof name, "spdml:%s", id);
    release_all();
    mexErrMsgIdAndTxt(name, "%s", message);
    for (;;)
        ; /* not reached; the compiler cannot know */
}

static const char *identifier(spd_status status)
{
    switch (status) {
    case SPD_NOT_CONVERGED:
        return "notConverged";
    case SPD_NOT_DEFINITE:
        return "kernelNotDefinite";
    case SPD_ENOMEM:
        return "outOfMemory";
    case SPD_EINVAL:
        return "invalidArgument";
    case SPD_ENOTSPD:
        return "notPositiveDefinite";
    case SPD_ENOTSYM:
        return "notSymmetric";
    case SPD_ENOTFINITE:
        return "notFinite";
    case SPD_EIO:
        return "fileError";
    case SPD_EFORMAT:
        return "badFormat";
    case SPD_ECANCELLED:
        return "interrupted";
    case SPD_ENUMERIC:
        return "numericalFailure";
    case SPD_EDEVICE:
        return "noDevice";
    default:
        return "failure";
    }
}

/* The library's remedies as options of this toolbox. */
static const struct {
    spd_remedy remedy;
    const char *words;
} remedies[] = {
    {SPD_REMEDY_REMOVE, "without it: it is not a covariance matrix"},
    {SPD_REMEDY_SYMMETRIZE, "'Symmetrize', true"},
    {SPD_REMEDY_NO_COLOR, "'NoColor', true"},
    {SPD_REMEDY_SHRINK, "'Shrinkage', 'oas'"},
    {SPD_REMEDY_PROJECT, "'Model', a model"},
    {SPD_REMEDY_REGIONS, "other 'Regions'"},
    {SPD_REMEDY_SIFT_STEP, "a larger 'SiftStep'"},
    {SPD_REMEDY_SIZE, "'Size', [width height]"},
    {SPD_REMEDY_WINDOW, "'Window', seconds"},
    {SPD_REMEDY_CHANNELS_FIRST, "'ChannelsFirst', true, if rows are channels"},
    {SPD_REMEDY_NAME_X, "'X', the name of the array"},
    {SPD_REMEDY_NAME_Y, "'Y', the name of the labels"},
    {SPD_REMEDY_LABELS, "'Labels', the file"},
    {SPD_REMEDY_SKELETON, "'Asf', the file of the skeleton"},
    {SPD_REMEDY_AUTO_ENGINE, "'Engine', 'auto'"},
    {SPD_REMEDY_LEAVE_OUT, "the matrices without NaN and Inf alone"},
};

static void add(char *text, size_t room, const char *format, ...)
{
    size_t length = strlen(text);
    va_list rest;
    va_start(rest, format);
    vsnprintf(text + length, room - length, format, rest);
    va_end(rest);
}

static void advise(unsigned remedy, double value, char *text, size_t room)
{
    const char *between = "; try ";
    if (remedy & SPD_REMEDY_REGULARIZE) {
        int exponent = (int)lround(log10(value));
        int power = value < 0.05 && fabs(value / pow(10.0, exponent) - 1.0) < 1e-9;
        if (power)
            add(text, room, "; try 'Regularize', 1e%d", exponent);
        else
            add(text, room, "; try 'Regularize', %g", value);
        if (value > 0.5)
            add(text, room, " (so far from definite, it may not be a covariance)");
        between = " or ";
    }
    for (size_t i = 0; i < COUNT(remedies); i++) {
        if (!(remedy & (unsigned)remedies[i].remedy))
            continue;
        add(text, room, "%s%s", between, remedies[i].words);
        between = " or ";
    }
}

/* text <- the message; "X[3]", counted from 0, becomes "X(:,:,4)", and rows are counted from 1 too. */
static void from_one(const char *message, const char *alias, char *text, size_t room)
{
    text[0] = '\0';
    while (*message) {
        size_t index, column, k, l;
        int length = 0;
        int named = text[0] && strchr("XYQSO", text[strlen(text) - 1]);
        if (named && alias && sscanf(message, "[%zu]", &index) == 1)
            text[strlen(text) - 1] = '\0', add(text, room, "%s", alias);
        if (named && sscanf(message, "[%zu]%n", &index, &length) == 1 && length)
            add(text, room, "(:,:,%zu)", index + 1);
        else if (sscanf(message, "at row %zu, column %zu%n", &index, &column, &length) == 2 &&
                 length)
            add(text, room, "at row %zu, column %zu", index + 1, column + 1);
        else if (sscanf(message, "(%zu,%zu) and (%zu,%zu)%n", &index, &column, &k, &l, &length) ==
                     4 &&
                 length)
            add(text, room, "(%zu,%zu) and (%zu,%zu)", index + 1, column + 1, k + 1, l + 1);
        else
            add(text, room, "%.*s", length = 1, message);
        message += length;
    }
}

static void describe_error(const call *c, char *text, size_t room)
{
    const spd_error *e = spd_context_error(c->ctx);
    from_one(e->message, c->alias, text, room);
    int told = e->remedy != 0 || !c->remedy;
    advise(told ? e->remedy : c->remedy, told ? e->remedy_value : c->remedy_value, text, room);
}

void call_check(call *c, spd_status status)
{
    char text[1000];
    if (status == SPD_OK)
        return;
    describe_error(c, text, sizeof text);
    if (status > 0) {
        char id[60];
        snprintf(id, sizeof id, "spdml:%s", identifier(status));
        mexWarnMsgIdAndTxt(id, "%s", text);
        return;
    }
    if (status == SPD_ECANCELLED && state.callback_failed)
        call_fail("callback", "%s: the function given as 'Progress' failed", c->command);
    if (status == SPD_ECANCELLED)
        call_fail("interrupted", "%s: interrupted", c->command);
    call_fail(identifier(status), "%s", text);
}

/* ---- progress -------------------------------------------------------------------------------- */

/* MATLAB has it in libut, Octave lacks it. */
extern bool utIsInterruptPending(void) __attribute__((weak));

/* f(task, done, total, unit) */
static void call_back(const spd_progress *p)
{
    mxArray *in[] = {(mxArray *)state.callback, mxCreateString(p->task), number(p->done),
                     number(p->total), mxCreateString(p->unit)};
    state.in_callback = 1;
    mxArray *problem = mexCallMATLABWithTrap(0, NULL, 5, in, "feval");
    state.in_callback = 0;
    for (int i = 1; i < 5; i++)
        mxDestroyArray(in[i]);
    if (problem) {
        state.callback_failed = 1;
        mxDestroyArray(problem);
    }
}

static int on_progress(void *user, const spd_progress *p)
{
    (void)user;
    if (state.callback && mxGetClassID(state.callback) == mxFUNCTION_CLASS)
        call_back(p);
    else if (state.callback && p->total > 0)
        mexPrintf("%s: %.0f of %.0f %s\n", p->task, p->done, p->total, p->unit);
    else if (state.callback)
        mexPrintf("%s: %.0f %s\n", p->task, p->done, p->unit);
    return state.callback_failed || state.interrupted ||
           (utIsInterruptPending && utIsInterruptPending());
}

/* ---- a call ---------------------------------------------------------------------------------- */

void call_return(call *c, int index, mxArray *value)
{
    if (index == 0 || index < c->outputs)
        c->output[index] = value;
    else
        mxDestroyArray(value);
}

void command_version(call *c)
{
    call_arguments(c, 0, 0);
    options_done(c);
    call_return(c, 0, mxCreateString(spd_version()));
}

void call_context(call *c)
{
    const mxArray *progress = option_value(c, "progress");
    int shown =
        progress && (mxGetClassID(progress) == mxFUNCTION_CLASS || mxGetScalar(progress) != 0.0);
    c->ctx = state.ctx;
    state.callback = shown ? progress : NULL;
    state.callback_failed = 0;
    spd_context_set_threads(c->ctx, (int)option_real(c, "threads", 0));
    spd_context_set_memory(c->ctx, option_real(c, "memory", 0));
    spd_context_set_engine(c->ctx,
                           (spd_engine)option_word(c, "engine", SPD_ENUM_ENGINE, SPD_ENGINE_CPU));
    spd_context_set_progress(c->ctx, on_progress, NULL);
    handle_interrupts(1);
}

SPD_API void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    static call c; /* 5 kB; a call does not call itself */
    if (state.in_callback)
        mexErrMsgIdAndTxt(
            "spdml:invalidArgument",
            "functions of spdml cannot be called from a function given as 'Progress'");
    release_all(); /* of a call that left by an error of MATLAB's own */
    if (!state.ctx) {
        state.ctx = spd_context_new();
        mexAtExit(at_exit);
    }
    if (!state.ctx)
        call_fail("outOfMemory", "out of memory for a context");
    char *name = nrhs > 0 ? text_take(prhs[0]) : NULL;
    memset(&c, 0, sizeof c);
    c.ctx = state.ctx;
    c.outputs = nlhs;
    c.output = plhs;
    c.inputs = nrhs - 1;
    c.input = prhs + 1;
    for (size_t i = 0; name && i < COUNT(commands); i++) {
        if (strcmp(commands[i].name, name) != 0)
            continue;
        c.command = commands[i].name;
        commands[i].run(&c);
        release_all();
        return;
    }
    call_fail("invalidArgument", "spdml_mex: no command '%s'; call the functions spdml.NAME",
              name ? name : "");
}
