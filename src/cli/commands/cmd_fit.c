/* cmd_fit.c - `spdml fit`: learns the map from a data set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/commands/fit_watch.h"
#include "cli/commands/learning.h"
#include "cli/commands/show_model.h"
#include "cli/frame/signals.h"

typedef struct fitting {
    learning l;
    spd_fit_state *resume; /* what to go on from, or NULL */
    spd_model *start;      /* --init FILE, or NULL */
    spd_model *model;
    double every; /* seconds between checkpoints */
} fitting;

/* ---- options ----------------------------------------------------------------------------------
 */

/* *seconds <- "30", "30s", "1.5m" or "1h"; non-zero when text is none of these. */
static int parse_duration(const char *text, double *seconds)
{
    char *unit;
    double number = strtod(text, &unit);
    double factor = strcmp(unit, "m") == 0                    ? 60
                    : strcmp(unit, "h") == 0                  ? 3600
                    : *unit == '\0' || strcmp(unit, "s") == 0 ? 1
                                                              : 0;
    if (unit == text || factor == 0 || !isfinite(number) || number < 0)
        return 1;
    *seconds = number * factor;
    return 0;
}

static int take_duration(session *s, fitting *f)
{
    const char *text = arguments_text(s->args, "checkpoint-every");
    if (!parse_duration(text, &f->every))
        return CLI_GOOD;
    cli_error("--checkpoint-every %s: must be a time such as 30s, 0.5s, 2m or 1h", text);
    return CLI_MISUSED;
}

/* What --init says: a kind of start, or SPD_INIT_GIVEN for a file. */
static spd_init init_of(const char *text)
{
    for (unsigned i = 0; i < SPD_INIT_GIVEN; i++)
        if (strcmp(text, spd_init_name((spd_init)i)) == 0)
            return (spd_init)i;
    return SPD_INIT_GIVEN;
}

static int take_init(session *s, fitting *f)
{
    const char *text = arguments_text(s->args, "init");
    const char *ending = strrchr(text, '.');
    f->l.options.init = init_of(text);
    if (f->l.options.init != SPD_INIT_GIVEN || (ending && strcmp(ending, ".spdml") == 0))
        return CLI_GOOD;
    cli_error("--init %s: must be identity, mean, random or a model file (.spdml)", text);
    return CLI_MISUSED;
}

/* Options that say how the cost is minimised. */
static void take_solver(session *s, spd_fit_options *o, int given_only)
{
    if (learning_wants(s, "restarts", given_only))
        o->restarts = (int)arguments_int(s->args, "restarts");
    if (learning_wants(s, "seed", given_only))
        o->seed = (uint64_t)arguments_int(s->args, "seed");
    if (learning_wants(s, "solver", given_only))
        spd_solver_parse(NULL, arguments_text(s->args, "solver"), &o->solver);
    if (learning_wants(s, "transport", given_only))
        o->transport = (spd_transport)session_choice(s, "transport");
    if (learning_wants(s, "tol", given_only))
        o->tol = arguments_real(s->args, "tol");
    if (learning_wants(s, "gtol", given_only))
        o->gtol = arguments_real(s->args, "gtol");
    if (learning_wants(s, "max-iter", given_only))
        o->max_iter = (int)arguments_int(s->args, "max-iter");
    if (learning_wants(s, "max-time", given_only))
        o->max_time = arguments_real(s->args, "max-time");
}

/* l.options <- those of the command line, over the defaults or over a checkpoint's. */
static int take_options(session *s, fitting *f, int given_only)
{
    spd_fit_options *o = &f->l.options;
    int code = learning_options(s, &f->l, given_only);
    if (!code)
        code = take_duration(s, f);
    if (!code && learning_wants(s, "init", given_only))
        code = take_init(s, f);
    if (code)
        return code;
    if (arguments_count(s->args, "m"))
        o->m = (size_t)arguments_int(s->args, "m");
    take_solver(s, o, given_only);
    if (o->m)
        return CLI_GOOD;
    cli_error("fit needs -m N, the size of the small matrices; see 'spdml fit --help'");
    return CLI_MISUSED;
}

/* ---- going on from a checkpoint ---------------------------------------------------------------
 */

/* "nu_b" as the option that sets it, "nu-b". */
static void option_of(const char *name, char *word, size_t size)
{
    snprintf(word, size, "%s", strcmp(name, "learning") == 0 ? "unsupervised or --affinity" : name);
    for (char *at = word; *at; at++)
        *at = (char)(*at == '_' ? '-' : *at);
}

/* The checkpoint's options with limits and tolerances of the command line. */
static int take_resumed(session *s, fitting *f)
{
    const char *path = arguments_text(s->args, "resume");
    char word[40];
    spd_status status = spd_fit_state_load(s->ctx, path, &f->resume);
    if (status < 0)
        return session_fail(s, status);
    spd_fit_state_options(f->resume, &f->l.options);
    int code = take_options(s, f, 1);
    f->l.auto_nu_b = 0; /* it was chosen then */
    const char *differs = code ? NULL : spd_fit_state_differs(f->resume, &f->l.options);
    if (!differs)
        return code;
    option_of(differs, word, sizeof word);
    cli_error("%s: belongs to a fit with another --%s; leave it out or start afresh", path, word);
    return CLI_FAILED;
}

/* ---- the work ---------------------------------------------------------------------------------
 */

/* Nothing is begun that could not be written at the end. */
static int check_files(session *s)
{
    int code = session_check_output(s);
    if (!code)
        code = session_check_path(arguments_text(s->args, "checkpoint"));
    return code ? code : session_check_path(arguments_text(s->args, "history"));
}

static int check_size(const fitting *f)
{
    const spd_data *data = f->l.data;
    if (f->l.options.m < data->n)
        return CLI_GOOD;
    cli_error("%s: -m %zu must be smaller than the size of the matrices, %zu x %zu", data->source,
              f->l.options.m, data->n, data->n);
    return CLI_FAILED;
}

/* The model of --init FILE; a resumed fit is past its start. */
static int load_start(session *s, fitting *f)
{
    const char *path = arguments_text(s->args, "init");
    const spd_data *data = f->l.data;
    if (f->resume || f->l.options.init != SPD_INIT_GIVEN)
        return CLI_GOOD;
    spd_status status = spd_model_load(s->ctx, path, &f->start);
    if (status < 0)
        return session_fail(s, status);
    if (f->start->n != data->n || f->start->m != f->l.options.m) {
        cli_error("%s: maps %zu x %zu matrices to %zu x %zu; a start for %s must map %zu x %zu to "
                  "%zu x %zu",
                  path, f->start->n, f->start->n, f->start->m, f->start->m, data->source, data->n,
                  data->n, f->l.options.m, f->l.options.m);
        return CLI_FAILED;
    }
    f->l.options.W = f->start->W;
    return CLI_GOOD;
}

static int load(session *s, fitting *f)
{
    int code = learning_load(s, s->args->operands[0], &f->l);
    if (!code)
        code = check_size(f);
    if (!code)
        code = load_start(s, f);
    return code ? code : learning_choose_nu_b(s, &f->l);
}

/* CLI_INTERRUPTED with a model when Ctrl-C ended it: the best so far is worth keeping. */
static int learn(session *s, fitting *f)
{
    const learning *l = &f->l;
    fit_watch watch;
    fit_watch_open(&watch, s, &l->options, arguments_text(s->args, "checkpoint"), f->every);
    spd_fit_watch with = SPD_INIT(spd_fit_watch);
    with.resume = f->resume;
    with.after = fit_watch_after;
    with.user = &watch;
    spd_status status = spd_fit(s->ctx, l->data->n, l->data->p, l->data->X, l->label, &l->options,
                                &with, &f->model);
    fit_watch_close(&watch);
    if (status == SPD_ECANCELLED && f->model)
        return CLI_INTERRUPTED;
    if (status < 0)
        return session_fail_in(s, l->data->source, status);
    session_talk(s, "learned in %d iterations", f->model->iterations);
    return CLI_GOOD;
}

/* ---- results ----------------------------------------------------------------------------------
 */

#define HISTORY_COLUMNS 6
#define CELL            32

/* A header line, then a line per step: a table of texts, so that the csv writer takes both. */
static int write_history(session *s, const spd_model *model)
{
    static const char *const titles[HISTORY_COLUMNS] = {"iteration", "cost",    "gradient_norm",
                                                        "step",      "seconds", "probes"};
    const char *path = arguments_text(s->args, "history");
    size_t rows = model->steps + 1, cells = rows * HISTORY_COLUMNS;
    if (!path)
        return CLI_GOOD;
    char(*text)[CELL] = cli_alloc(cells, CELL, "the history");
    char **pointer = cli_alloc(cells, sizeof *pointer, "the history");
    for (size_t i = 0; i < model->steps; i++) {
        const spd_fit_step *h = &model->history[i];
        const double row[] = {(double)i, h->cost, h->gradient_norm, h->step, h->seconds, h->probes};
        for (size_t c = 0; c < HISTORY_COLUMNS; c++)
            snprintf(text[(i + 1) * HISTORY_COLUMNS + c], CELL, "%.17g", row[c]);
    }
    for (size_t c = 0; c < HISTORY_COLUMNS; c++)
        snprintf(text[c], CELL, "%s", titles[c]);
    for (size_t i = 0; i < cells; i++)
        pointer[i] = text[i];
    spd_array table = session_array_f64("history", rows, HISTORY_COLUMNS, NULL);
    table.type = SPD_TEXT;
    table.text = pointer;
    const spd_array *const list[] = {&table};
    spd_status status = spd_arrays_write(s->ctx, path, 1, list);
    cli_free(pointer);
    cli_free(text);
    return status < 0 ? session_fail(s, status) : CLI_GOOD;
}

static int write_model(session *s, const fitting *f)
{
    const char *path = arguments_text(s->args, "output");
    spd_status status = spd_model_save(s->ctx, f->model, path);
    if (status < 0) {
        cli_error("%s", advice_last(s->ctx).text);
        return CLI_FAILED;
    }
    session_talk(s, "wrote %s", path);
    return write_history(s, f->model);
}

static void show_fit(session *s, const fitting *f)
{
    const spd_data *data = f->l.data;
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "data", NULL, data->source);
    sheet_count(&r, "p", NULL, data->p, "");
    sheet_count(&r, "classes", NULL, data->classes, "");
    sheet_line(&r, "data", "%s: %zu matrices, %zu classes", data->source, data->p, data->classes);
    show_model(&r, f->model);
    sheet_text(&r, "output", "model", arguments_text(s->args, "output"));
    sheet_close(&r);
}

static int run(session *s)
{
    fitting f = {0};
    spd_fit_defaults(&f.l.options, sizeof f.l.options);
    int code = arguments_text(s->args, "resume") ? take_resumed(s, &f) : take_options(s, &f, 0);
    if (!code)
        code = check_files(s);
    if (!code)
        code = load(s, &f);
    if (!code)
        code = learn(s, &f);
    if (f.model) {
        int written = write_model(s, &f);
        if (!written)
            show_fit(s, &f);
        if (code == CLI_INTERRUPTED && !written)
            session_remark(s, "interrupted; %s holds the best map so far",
                           arguments_text(s->args, "output"));
        code = written ? written : code;
    }
    spd_model_free(f.model);
    spd_model_free(f.start);
    spd_fit_state_free(f.resume);
    learning_free(&f.l);
    return code;
}

/* ---- the table --------------------------------------------------------------------------------
 */

static const char *solvers(size_t i)
{
    return spd_solver_name((spd_solver)i);
}

static const char *solver_alias(const char *text)
{
    spd_solver solver;
    return spd_solver_parse(NULL, text, &solver) == SPD_OK ? spd_solver_name(solver) : NULL;
}

static const char *transports(size_t i)
{
    return spd_transport_name((spd_transport)i);
}

static const char *history_endings(size_t i)
{
    return i == 0 ? ".csv" : NULL;
}

static const option options[] = {
    {.name = "m",
     .letter = 'm',
     .argument = "N",
     .type = OPTION_INT,
     .min = 1,
     .max = 1000000,
     .help = "Size of the small matrices, below that of the given ones"},
    {OPTION_OUTPUT(option_model_endings, "The model to write"), .required = 1},
    {.name = "history",
     .argument = "FILE",
     .type = OPTION_FILE,
     .choice = history_endings,
     .help = "Write cost, gradient norm, step, seconds and probes of every iteration to FILE"},
    {.name = "checkpoint",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "Keep the state of the fit in FILE while it runs"},
    {.name = "checkpoint-every",
     .argument = "TIME",
     .type = OPTION_TEXT,
     .standard = "30s",
     .help = "Time between checkpoints: 30s, 0.5s, 2m, 1h"},
    {.name = "resume",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "Go on from a checkpoint of the same data; its options hold, only tolerances and "
             "limits may be given anew, and limits count from the original start"},
    OPTION_END};

static const option solver_options[] = {
    {.name = "init",
     .argument = "START",
     .type = OPTION_TEXT,
     .standard = "identity",
     .help = "Where to start: identity (its first m columns), mean (leading eigenvectors of the "
             "mean), random, or a model file (.spdml) to continue from"},
    {.name = "restarts",
     .argument = "N",
     .type = OPTION_INT,
     .standard = "1",
     .min = 1,
     .max = 1000000,
     .help = "Fit from N starts, all but the first random, and keep the best"},
    {.name = "solver",
     .argument = "NAME",
     .type = OPTION_CHOICE,
     .standard = "lbfgs",
     .choice = solvers,
     .alias = solver_alias,
     .help = "Conjugate gradients in four forms (pr, hs, fr, hz for short) or L-BFGS"},
    {.name = "transport",
     .argument = "NAME",
     .type = OPTION_CHOICE,
     .standard = "parallel",
     .choice = transports,
     .help = "How directions are carried along"},
    {.name = "gtol",
     .argument = "E",
     .type = OPTION_REAL,
     .standard = "1e-9",
     .min = 0,
     .max = 1,
     .help = "Stop when the gradient is E times the first one"},
    {.name = "max-time",
     .argument = "SECONDS",
     .type = OPTION_REAL,
     .standard = "0",
     .min = 0,
     .max = INFINITY,
     .help = "Stop after so many seconds; 0 for no limit"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Learns a map W (n x m, orthonormal) that takes SPD matrices X to smaller ones W'XW so that "
    "near matrices of one class draw together and near matrices of different classes move apart. "
    "The cost is summed over a graph of neighbours and minimised on the Grassmann manifold.",
    "Ctrl-C ends the fit after the running iteration: the best map so far is written and the exit "
    "status is 130; a second Ctrl-C ends it at once. With --checkpoint a fit that was killed goes "
    "on by --resume.",
    NULL};

static const command_example examples[] = {
    {"spdml fit train.npz -m 20 --metric stein -o model.spdml", "Learn a map to 20 x 20."},
    {"spdml fit train.npz -m 20 --nu-w 5 --nu-b auto -o model.spdml --json",
     "Choose the neighbours between classes by cross-validation."},
    {"spdml fit big.npy --labels y.npy -m 30 -o model.spdml --checkpoint fit.npz",
     "A long fit that keeps its state in a file."},
    {"spdml fit big.npy --labels y.npy --resume fit.npz -o model.spdml",
     "Go on after it was killed."},
    {NULL, NULL}};

const command command_fit = {
    .name = "fit",
    .summary = "learn a map to smaller, more telling matrices",
    .operands = "DATA",
    .groups = {{"Options", options},
               {"What is learned", options_graph},
               {NULL, options_objective},
               {"How it is learned", solver_options},
               {NULL, options_stop},
               {"Reading data", options_data},
               {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
