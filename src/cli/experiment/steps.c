/* steps.c - commands run within a command, and the words they are made of. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/commands.h"
#include "cli/evaluate/columns.h"
#include "cli/experiment/experiment.h"
#include "cli/frame/shell_word.h"
#include "cli/frame/signals.h"

/* ---- words ------------------------------------------------------------------------------------
 */

void words_add(words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (w->count == w->room) {
        char **more = cli_alloc(2 * w->room + 8, sizeof *more, "words");
        if (w->count)
            memcpy(more, w->word, w->count * sizeof *more);
        cli_free(w->word);
        w->word = more;
        w->room = 2 * w->room + 8;
    }
    char *text = cli_alloc((size_t)length + 1, 1, "a word");
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    w->word[w->count++] = text;
}

void words_free(words *w)
{
    for (size_t i = 0; i < w->count; i++)
        cli_free(w->word[i]);
    cli_free(w->word);
    *w = (words){0};
}

void words_split(words *w, const char *text, const char *separator)
{
    while (*text) {
        size_t length = strcspn(text, separator);
        if (length)
            words_add(w, "%.*s", (int)length, text);
        text += length + strspn(text + length, separator);
    }
}

static void add_all(words *w, const words *more)
{
    for (size_t i = 0; i < more->count; i++)
        words_add(w, "%s", more->word[i]);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

/* A folder that vanishes is left out: the line is for the reader's own folder. */
static const char *without_folder(const experiment *x, const char *word)
{
    size_t length = strlen(x->folder);
    int within = x->temporary && strncmp(word, x->folder, length) == 0 && word[length] == '/';
    return within ? word + length + 1 : word;
}

/* A command as it is typed. */
static char *line_of(const experiment *x, const words *w)
{
    size_t room = sizeof "spdml";
    for (size_t i = 0; i < w->count; i++)
        room += 4 * strlen(w->word[i]) + 3;
    char *line = cli_alloc(room, 1, "a command"), *at = stpcpy(line, "spdml");
    for (size_t i = 0; i < w->count; i++) {
        char *word = shell_word(without_folder(x, w->word[i]));
        *at++ = ' ';
        at = stpcpy(at, word);
        cli_free(word);
    }
    return line;
}

static void keep_line(experiment *x, const words *w)
{
    char *line = line_of(x, w);
    words_add(&x->commands, "%s", line);
    cli_free(line);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

int experiment_step(experiment *x, const words *w)
{
    session *s = x->s;
    const arguments *own = s->args;
    arguments args = {0};
    keep_line(x, w);
    session_talk(s, "%s", x->commands.word[x->commands.count - 1]);
    if (signals_interrupted())
        return session_fail(s, SPD_ECANCELLED);
    const command *c = commands_find(w->word[0]);
    int code = arguments_parse(&args, c, (int)w->count - 1, w->word + 1);
    if (!code) {
        s->args = &args;
        s->silent = 1;
        code = session_run(s, c);
        s->silent = 0;
        s->args = own;
    }
    if (!code && !x->temporary)
        s->kept = x->folder;
    arguments_free(&args);
    return code;
}

char *experiment_path(const experiment *x, const char *name)
{
    size_t room = strlen(x->folder) + strlen(name) + 2;
    char *path = cli_alloc(room, 1, "a path");
    snprintf(path, room, "%s/%s", x->folder, name);
    return path;
}

static void add_seed(const experiment *x, words *w)
{
    if (arguments_count(x->s->args, "seed")) {
        words_add(w, "--seed");
        words_add(w, "%s", arguments_text(x->s->args, "seed"));
    }
}

void experiment_show(experiment *x, const char *format, ...)
{
    char line[400];
    words w = {0}, placed = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    words_split(&w, line, " ");
    for (size_t i = 0; i < w.count; i++)
        words_add(&placed, "%s%s%s", w.word[i][0] == '@' ? x->folder : "",
                  w.word[i][0] == '@' ? "/" : "", w.word[i] + (w.word[i][0] == '@'));
    keep_line(x, &placed);
    words_free(&w);
    words_free(&placed);
}

/* ---- matrices ---------------------------------------------------------------------------------
 */

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A data set of matrices is used as it is. */
static int is_data_set(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           (ends_with(path, ".npz") || ends_with(path, ".mat"));
}

static int is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The index of --labels, or index.csv in the folder of the data. */
static void add_labels(const experiment *x, const char *data, words *w)
{
    const char *given = arguments_text(x->s->args, "labels");
    size_t room = strlen(data) + sizeof "/index.csv";
    char *beside = cli_alloc(room, 1, "a path");
    snprintf(beside, room, "%s/index.csv", data);
    if (given || is_file(beside)) {
        words_add(w, "--labels");
        words_add(w, "%s", given ? given : beside);
    }
    cli_free(beside);
}

static int generate(experiment *x, const words *synth, const char *folder)
{
    words w = {0};
    struct stat info;
    if (stat(folder, &info) == 0) {
        cli_error("%s: is there already; --data %s uses what it holds, or name another folder with "
                  "-o",
                  folder, folder);
        return CLI_FAILED;
    }
    words_add(&w, "synth");
    add_all(&w, synth);
    add_seed(x, &w);
    words_add(&w, "-o");
    words_add(&w, "%s", folder);
    int code = experiment_step(x, &w);
    words_free(&w);
    return code;
}

static int describe(experiment *x, const words *descriptor, const char *data, const char *output)
{
    words w = {0};
    words_add(&w, "describe");
    add_all(&w, descriptor);
    words_add(&w, "%s", data);
    add_labels(x, data, &w);
    words_add(&w, "-o");
    words_add(&w, "%s", output);
    int code = experiment_step(x, &w);
    words_free(&w);
    return code;
}

int experiment_matrices(experiment *x, const words *synth, const words *descriptor, char **path)
{
    char *generated = experiment_path(x, "data"), *covs = experiment_path(x, "covs.npz");
    int code = CLI_GOOD, ready = x->data && is_data_set(x->data);
    if (!x->data)
        code = generate(x, synth, generated);
    if (!code && !ready)
        code = describe(x, descriptor, x->data ? x->data : generated, covs);
    if (ready) {
        cli_free(covs);
        covs = cli_alloc(strlen(x->data) + 1, 1, "a path");
        memcpy(covs, x->data, strlen(x->data));
    }
    cli_free(generated);
    if (code)
        cli_free(covs);
    else
        *path = covs;
    return code;
}

int experiment_values(experiment *x, const char *path, const char *column, words *values)
{
    spd_array *a = NULL;
    groups g = {0};
    spd_status status = spd_array_read(x->s->ctx, path, column, &a);
    if (status < 0)
        return session_fail(x->s, status);
    spd_data data = {.p = a->count, .source = (char *)(uintptr_t)path, .columns = 1, .column = &a};
    int code = groups_take(&data, column, "data", &g);
    for (size_t i = 0; i < g.count && !code; i++)
        words_add(values, "%s", g.name[i]);
    groups_free(&g);
    spd_array_free(a);
    return code;
}

/* ---- evaluation -------------------------------------------------------------------------------
 */

/* Does one of the methods have this parameter? Names that are none are evaluate's to refuse. */
static int any_uses(const experiment *x, spd_parameter parameter)
{
    size_t length = strlen(x->methods);
    char *list = cli_alloc(length + 1, 1, "methods");
    int uses = 0;
    memcpy(list, x->methods, length);
    for (char *rest = list, *word; (word = strsep(&rest, ","));) {
        spd_method method = SPD_INIT(spd_method);
        if (spd_method_parse(x->s->ctx, word, &method) == SPD_OK)
            uses |= spd_method_uses(&method, parameter);
    }
    cli_free(list);
    return uses;
}

static void add_option(words *w, const char *name, const char *value)
{
    words_add(w, "%s", name);
    words_add(w, "%s", value);
}

/* An eighth and a quarter of the size of the user's matrices. Where it cannot be told, evaluate
 * says why. */
static void add_quick_sizes(const experiment *x, words *w)
{
    spd_array *a = NULL;
    if (spd_array_read(x->s->ctx, x->data, "X", &a) >= 0 && a->ndim == 3) {
        size_t n = a->shape[2];
        words_add(w, "--grid");
        words_add(w, "m=%zu,%zu", n / 8 + (n < 8), n / 4 + (n < 4));
    }
    spd_array_free(a);
}

/* Values to choose from: the user's; or ours, fewer than evaluate's own, where the size of the
 * matrices is that of a descriptor or it has to be quick. What is fixed (m and nu_b in figures) has
 * none. */
static void add_grids(const experiment *x, words *w)
{
    int own = x->data && is_data_set(x->data);
    size_t given = arguments_count(x->s->args, "grid");
    for (size_t i = 0; i < given; i++)
        add_option(w, "--grid", arguments_nth(x->s->args, "grid", i));
    if (given || x->m || (own && !x->quick))
        return;
    if (any_uses(x, SPD_PARAM_M) && own)
        add_quick_sizes(x, w);
    else if (any_uses(x, SPD_PARAM_M))
        add_option(w, "--grid", x->quick ? "m=5,10" : "m=10,20,40");
    if (any_uses(x, SPD_PARAM_NU_B))
        add_option(w, "--grid", x->quick ? "nu-b=1,2" : "nu-b=1,3");
}

void experiment_evaluate_words(experiment *x, const char *path, const char *folder, int page,
                               words *w)
{
    char *output = experiment_path(x, folder);
    words_add(w, "evaluate");
    words_add(w, "%s", path);
    add_option(w, "--methods", x->methods);
    if (x->quick)
        add_option(w, "--cv", "3");
    add_grids(x, w);
    add_seed(x, w);
    add_option(w, "-o", output);
    if (!page || x->temporary)
        words_add(w, "--no-report");
    else
        words_add(&x->reports, "%s/report.html", folder);
    cli_free(output);
}
