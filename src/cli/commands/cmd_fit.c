/* cmd_fit.c - `spdml fit`: learns the map from a data set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/fit_watch.h"
#include "cli/commands/gain.h"
#include "cli/commands/learning.h"
#include "cli/methods/show_model.h"
#include "cli/frame/number.h"
#include "cli/frame/text_file.h"

typedef struct fitting {
    learning l;
    spd_fit_state *resume; /* what to go on from, or NULL */
    spd_model *model;
    double every; /* seconds between checkpoints */
} fitting;

/* ---- options --------------------------------------------------------------------------------- */

/* --init: a kind of start, or a file. */
static void take_init(session *s, fitting *f)
{
    const char *text = arguments_text(s->args, "init");
    const char *ending = strrchr(text, '.');
    int known = spd_parse(NULL, SPD_ENUM_INIT, text);
    f->l.options.init = known < 0 ? SPD_INIT_GIVEN : (spd_init)known;
    if (f->l.options.init == SPD_INIT_GIVEN && !(ending && strcmp(ending, ".spdml") == 0))
        cli_misuse("--init %s: must be auto, identity, mean, random, csp, stein or a model file "
                   "(.spdml)",
                   text);
}

/* l.options <- those of the command line, over the defaults or over a checkpoint's. */
static void take_options(session *s, fitting *f)
{
    learning_take_m(s, &f->l);
    learning_options(s, &f->l);
    const char *text = arguments_text(s->args, "checkpoint-every");
    if (number_duration(text, &f->every))
        cli_misuse("--checkpoint-every %s: must be a time such as 30s, 0.5s, 2m or 1h", text);
    if (arguments_count(s->args, "init"))
        take_init(s, f);
    if (arguments_count(s->args, "seed"))
        f->l.options.seed = (uint64_t)arguments_int(s->args, "seed");
    if (!f->l.options.m && !f->l.auto_m)
        cli_misuse(
            "fit needs -m N, the size of the small matrices, or -m auto; see 'spdml fit --help'");
    if (f->l.auto_m && f->l.options.init == SPD_INIT_GIVEN)
        cli_misuse("-m auto and --init %s cannot be used together: the model has a size",
                   arguments_text(s->args, "init"));
}

/* ---- going on from a checkpoint -------------------------------------------------------------- */

/* The checkpoint's options with limits and tolerances of the command line. */
static void take_resumed(session *s, fitting *f)
{
    const char *path = arguments_text(s->args, "resume");
    char word[40];
    session_check(s, spd_fit_state_load(s->ctx, path, &f->resume));
    keep_fit_state(f->resume);
    spd_fit_state_options(f->resume, &f->l.options);
    take_options(s, f);
    f->l.auto_m = f->l.auto_nu_b = f->l.nu_b_by_paper = 0; /* they were chosen then */
    if (f->l.options.hermitian && arguments_count(s->args, "m"))
        f->l.options.m *= 2; /* that of the state is of the real form */
    const char *differs = spd_fit_state_differs(f->resume, &f->l.options);
    if (!differs)
        return;
    /* "nu_b" as the option that sets it, "nu-b". */
    snprintf(word, sizeof word, "%s",
             strcmp(differs, "learning") == 0 ? "unsupervised or --affinity" : differs);
    for (char *at = word; *at; at++)
        *at = (char)(*at == '_' ? '-' : *at);
    cli_fail("%s: belongs to a fit with another --%s; leave the option out or start again", path,
             word);
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Nothing is begun that could not be written at the end. */
static void check_files(session *s, const fitting *f)
{
    if (session_follows(s))
        return;
    session_check_output(s);
    if (f->l.options.init == SPD_INIT_GIVEN)
        session_refuse_input(session_output(s), arguments_text(s->args, "init"));
    session_check_path(arguments_text(s->args, "checkpoint"));
    session_check_path(arguments_text(s->args, "history"));
}

/* The model of --init FILE; a resumed fit is past its start. */
static void load_start(session *s, fitting *f)
{
    const char *path = arguments_text(s->args, "init");
    const spd_data *data = f->l.data;
    size_t m = f->l.options.m;
    if (f->resume || f->l.options.init != SPD_INIT_GIVEN)
        return;
    spd_model *start = session_model(s, path);
    shown_check(path, "maps", start->n, start->options->hermitian, data);
    if (start->m != m) {
        size_t n = shown_n(data), own = shown_map_m(start), wanted = shown_rows(m, data->hermitian);
        cli_fail("%s: maps %zu x %zu matrices to %zu x %zu; a start for %s must map %zu x %zu to "
                 "%zu x %zu",
                 path, n, n, own, own, data->source, n, n, wanted, wanted);
    }
    f->l.options.W = start->W;
}

/* CLI_INTERRUPTED with a model when Ctrl-C ended it: the best so far is worth keeping. */
static int learn(session *s, fitting *f)
{
    const learning *l = &f->l;
    fit_watch watch;
    const char *checkpoint = session_follows(s) ? NULL : arguments_text(s->args, "checkpoint");
    fit_watch_open(&watch, s, &l->options, checkpoint, f->every);
    spd_fit_hooks with = SPD_STRUCT(spd_fit_hooks);
    with.resume = f->resume;
    with.after = fit_watch_after;
    with.user = &watch;
    spd_status status = spd_fit(s->ctx, &l->set.X, l->label, &l->options, &with, &f->model);
    fit_watch_close(&watch);
    keep_model(f->model); /* NULL where there is none */
    if (status == SPD_ECANCELLED && f->model)
        return CLI_INTERRUPTED;
    if (status < 0 || !f->model)
        session_fail_in(s, l->data->source, status);
    session_talk(s, "learned in %d iterations", f->model->iterations);
    if (spd_context_engine_info(s->ctx)[0])
        session_talk(s, "ran on %s", spd_context_engine_info(s->ctx));
    return CLI_GOOD;
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_history(FILE *f, const void *what)
{
    const spd_model *model = what;
    fputs("iteration,cost,gradient_norm,step,seconds,probes\n", f);
    for (size_t i = 0; i < model->steps; i++) {
        const spd_fit_step *h = &model->history[i];
        fprintf(f, "%zu,%.17g,%.17g,%.17g,%.17g,%d\n", i, h->cost, h->gradient_norm, h->step,
                h->seconds, h->probes);
    }
}

static void write_model(session *s, const fitting *f)
{
    const char *history = arguments_text(s->args, "history");
    if (session_follows(s))
        return;
    if (spd_model_save(s->ctx, f->model, session_output(s)) < 0)
        cli_fail("%s", advice_last(s->ctx).text);
    session_talk(s, "wrote %s", session_output(s));
    if (history)
        text_file_write(history, print_history, f->model);
}

static void show_fit(session *s, const fitting *f, const gain *gained)
{
    const spd_data *data = f->l.data;
    size_t unknown = 0;
    char also[60] = "";
    for (size_t i = 0; f->l.label && i < data->p; i++)
        unknown += f->l.label[i] < 0;
    if (unknown)
        snprintf(also, sizeof also, ", %zu without a label", unknown);
    sheet *r = session_sheet(s);
    sheet_text(r, "data", NULL, data->source);
    sheet_count(r, "p", NULL, data->p, "");
    sheet_count(r, "classes", NULL, f->l.classes, "");
    sheet_count(r, "unlabelled", NULL, unknown, "");
    sheet_line(r, "data", "%s: %zu matrices, %zu classes%s", data->source, data->p, f->l.classes,
               also);
    show_model(r, f->model);
    gain_show(r, gained);
    sets_show_passes(s, r, &f->l.set, f->model->passes_each);
    sheet_text(r, "output", "model", arguments_text(s->args, "output"));
    if (f->l.chosen) {
        sheet_json(r, "chosen", json_incref(f->l.chosen));
        sheet_text(r, "command", "the same again", learning_again(s, &f->l));
    }
}

static int run(session *s)
{
    fitting f = {.l = {.may_be_large = 1}};
    spd_fit_defaults(&f.l.options, sizeof f.l.options);
    if (arguments_text(s->args, "resume"))
        take_resumed(s, &f);
    else
        take_options(s, &f);
    check_files(s, &f);
    learning_load(s, s->args->operands[0], &f.l);
    const spd_data *data = f.l.data;
    size_t n = shown_n(data), m = shown_rows(f.l.options.m, data->hermitian);
    if (f.l.auto_m && n < 2)
        cli_fail("%s: 1 x 1 matrices cannot be made smaller", data->source);
    if (!f.l.auto_m && m >= n)
        cli_fail("%s: -m %zu must be smaller than the size of the matrices, %zu x %zu",
                 data->source, m, n, n);
    load_start(s, &f);
    learning_choose(s, &f.l);
    int code = learn(s, &f);
    write_model(s, &f);
    const gain gained = code == CLI_GOOD ? gain_measure(s, &f.l, f.model) : (gain){0};
    show_fit(s, &f, &gained);
    if (code == CLI_GOOD && f.model->starts < f.model->options->restarts)
        session_remark(s, "the limit on time (--max-time) ended the fit after %d of %d starts",
                       f.model->starts, f.model->options->restarts);
    session_unreached(s, "the map", f.model);
    if (code == CLI_INTERRUPTED)
        session_remark(s, "interrupted; %s contains the best map so far", session_output(s));
    return code;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const option options[] = {
    {"m", 'm', OPTION_TEXT, "N|auto", .words = "auto", .common = 1,
     .help =
         "Size of the small matrices, smaller than that of the input. auto chooses among n/8, n/4, "
         "3n/8, n/2 and 3n/4 by cross-validation, together with --nu-b auto if that is given"},
    {OPTION_OUTPUT(OPTION_MODEL_ENDINGS, "The model to write"), .required = 1},
    {"history", 0, OPTION_FILE, "FILE", .writes = 1, .choice = ".csv",
     .help = "Write cost, gradient norm, step, seconds and probes of every iteration to FILE"},
    {"checkpoint", 0, OPTION_FILE, "FILE", .writes = 1,
     .help = "Save the state of the fit to FILE while it runs"},
    {"checkpoint-every", 0, OPTION_TEXT, "TIME", "30s",
     .help = "Time between checkpoints: 30s, 0.5s, 2m, 1h"},
    {"resume", 0, OPTION_FILE, "FILE",
     .help = "Continue from a checkpoint of the same data, with its options; only tolerances and "
             "limits may be changed, and limits count from the original start"},
    OPTION_END};

static const option how_options[] = {
    {"engine", 0, OPTION_CHOICE, "NAME", "cpu", .names = SPD_ENUM_ENGINE,
     .help = "Where it runs: cpu; cuda, an NVIDIA GPU (matrices up to 512 x 512, maps up to 128); "
             "auto, the GPU if there is one and it is faster"},
    {"init", 0, OPTION_TEXT, "START", "auto", .words = OPTION_INITS,
     .help = "Where to start: identity (its first m columns), mean (leading eigenvectors of the "
             "mean), random, csp (generalised eigenvectors of the class means), stein (where a fit "
             "under Stein ends), or a model file (.spdml) to continue from; auto: mean or csp, "
             "whichever has the lower cost, stein under AIRM, and identity with --paper"},
    {"search", 0, OPTION_CHOICE, "NAME", "auto", INTO(spd_fit_options, search),
     .names = SPD_ENUM_SEARCH,
     .help = "How neighbours are found. exact; approximate: most of them, in almost linear time, "
             "with an estimate of their share; auto: approximate if exact would take more than "
             "about a minute"},
    {"restarts", 0, OPTION_INT, "N", "1", 1, 1000000, INTO(spd_fit_options, restarts),
     .help = "Fit from N starts, all but the first random, and keep the best"},
    OPTION_SEED,
    {"max-time", 0, OPTION_REAL, "SECONDS", "0", 0, INFINITY, INTO(spd_fit_options, max_time),
     .common = 1,
     .help = "Stop after this many seconds, for the graph and all starts together; 0 for no limit"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Learns a map W (n x m, orthonormal) that takes SPD matrices X to smaller ones W'XW so that "
    "near matrices of one class move together and near matrices of different classes move apart. "
    "The cost is summed over a graph of neighbours and minimised on the Grassmann manifold. Costs "
    "for different m are not comparable: -m auto and 'spdml evaluate' compare accuracies.",
    "Ctrl-C ends the fit after the current iteration: the best map so far is written and the exit "
    "status is 130; a second Ctrl-C ends it at once. A fit with --checkpoint that was killed "
    "continues with --resume.",
    NULL};

static const command_example examples[] = {
    {"spdml fit train.npz -m 20 --metric stein -o model.spdml", "Learn a map to 20 x 20."},
    {"spdml fit train.npz -m 20 --paper -o model.spdml --json",
     "As in the paper, with the neighbours between classes chosen by cross-validation."},
    {"spdml fit train.npz -m auto -o model.spdml", "Choose the size by cross-validation."},
    {"spdml fit big.npy --labels y.npy -m 30 -o model.spdml --checkpoint fit.npz",
     "A long fit that saves its state to a file."},
    {"spdml fit parts.list --labels y.npy -m 20 --memory 4G -o model.spdml",
     "Several .npy files as one set, larger than memory."},
    {"spdml fit big.npy --labels y.npy --resume fit.npz -o model.spdml",
     "Continue after it was killed."},
    {NULL, NULL}};

COMMAND(fit, "learn a map to smaller, more discriminative matrices", "DATA",
        .groups = {{"Options", options},
                   {"What is learned", options_graph},
                   {NULL, options_unsupervised},
                   {NULL, options_objective},
                   {NULL, options_cost},
                   {NULL, options_paper},
                   {"How it is learned", how_options},
                   {NULL, options_stop},
                   {NULL, options_ranks},
                   {"Reading data", options_data},
                   {NULL, options_memory},
                   {"Common options", options_common}});
