/* steps.c - a line `spdml ...`: a command run within this one. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "cli/methods/recognition.h"
#include "cli/experiment/experiment.h"
#include "cli/frame/commands.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

/* ---- words ----------------------------------------------------------------------------------- */

/* The value of an option that the command may not even have. */
static const char *value_of(const arguments *args, const char *name)
{
    int has = command_option_named(args->command, name, strlen(name)) != NULL;
    return has ? arguments_text(args, name) : NULL;
}

/* A file of the experiment's folder, seen from there. */
static const char *word_within(const experiment *x, const char *word)
{
    size_t length = strlen(x->folder);
    int within = strncmp(word, x->folder, length) == 0 && word[length] == '/';
    return within ? word + length + 1 : word;
}

/* The command as it is typed. A folder that vanishes is left out: the line is
 * for the reader's own folder. */
static char *line_of(const experiment *x, const words *w)
{
    words typed = {0};
    words_add(&typed, "spdml");
    for (size_t i = 0; i < w->count; i++)
        words_take(&typed, shell_word(x->temporary ? word_within(x, w->word[i]) : w->word[i]));
    return words_join(&typed, 0, typed.count, " ");
}

/* Does a word name a file that is there: what the user has given, or a name with a dot or a slash?
 */
static int names_file(const experiment *x, const char *word)
{
    const char *labels = arguments_text(x->s->args, "labels");
    return ((x->data && strcmp(word, x->data) == 0) || (labels && strcmp(word, labels) == 0) ||
            strpbrk(word, "./")) &&
           access(word, F_OK) == 0;
}

/* A path that is found from anywhere. */
static char *full_path(const char *path)
{
    char *full = realpath(path, NULL), *kept = words_text("%s", full ? full : path);
    free(full);
    return kept;
}

/* The same as commands.sh, which lies in the folder and runs there, has it. Generated data are not
 * made again where they are. */
static char *script_line(const experiment *x, const arguments *args, const words *w)
{
    const char *output = value_of(args, "output");
    words typed = {0};
    if (strcmp(args->command->name, "synth") == 0 && output)
        words_take(&typed, words_text("test -e %s ||", shell_word(word_within(x, output))));
    words_add(&typed, "spdml");
    for (size_t i = 0; i < w->count; i++) {
        const char *word = w->word[i], *within = word_within(x, word);
        words_take(&typed,
                   shell_word(within == word && names_file(x, word) ? full_path(word) : within));
    }
    return words_join(&typed, 0, typed.count, " ");
}

/* Does one of the methods have the parameter that a grid "nu-b=1,3" is for? Names that are none
 * are evaluate's to refuse. */
static int any_uses(const experiment *x, const char *grid)
{
    const char *methods = recipe_value(&x->recipe, "methods");
    words names = {0};
    int uses = 0;
    words_split(&names, methods ? methods : "", ",");
    for (size_t i = 0; i < names.count; i++) {
        spd_method method = SPD_STRUCT(spd_method);
        int known = spd_method_parse(x->s->ctx, names.word[i], &method) == SPD_OK;
        for (spd_parameter p = 0; p < SPD_PARAMETERS && known; p++)
            uses |= spd_method_uses(&method, p) &&
                    strlen(spd_name(SPD_ENUM_PARAMETER, p)) == strcspn(grid, "=") &&
                    strncmp(grid, spd_name(SPD_ENUM_PARAMETER, p), strcspn(grid, "=")) == 0;
    }
    return uses;
}

/* typed <- the words after `spdml`, without grids of a parameter that none of $methods has; the
 * user's grids stand in place of the recipe's, where a step is about $methods, and his engine
 * behind it. */
static void take_words(const experiment *x, const words *w, words *typed)
{
    const arguments *own = x->s->args;
    const char *methods = recipe_value(&x->recipe, "methods");
    size_t given = methods && !words_has(w, methods) ? 0 : arguments_count(own, "grid");
    for (size_t i = 1; i < w->count; i++)
        if (strcmp(w->word[i], "--grid") != 0 || i + 1 == w->count)
            words_add(typed, w->word[i]);
        else if (given || !any_uses(x, w->word[i + 1]))
            i++;
        else
            words_add(typed, "--grid");
    const command *c = commands_find(w->word[1]);
    if (arguments_count(own, "engine") && c && command_option_named(c, "engine", 6)) {
        words_add(typed, "--engine");
        words_add(typed, arguments_text(own, "engine"));
    }
    for (size_t i = 0; i < given && strcmp(w->word[1], "evaluate") == 0; i++) {
        words_add(typed, "--grid");
        words_add(typed, arguments_nth(own, "grid", i));
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Are the methods such, and of use? */
static void check_methods(experiment *x, const arguments *args)
{
    const char *methods = value_of(args, "methods");
    words names = {0};
    words_split(&names, methods ? methods : "", ",");
    if (methods && names.count == 0)
        cli_misuse("--methods names none; see 'spdml evaluate --help'");
    for (size_t i = 0; i < names.count; i++) {
        spd_method method = SPD_STRUCT(spd_method);
        recognition_parse(x->s, names.word[i], &method);
        if (value_of(args, "nu-b") && !spd_method_uses(&method, SPD_PARAMETER_NU_B))
            cli_misuse("--methods: %s has no nu_b; use methods with -ml", names.word[i]);
    }
}

/* Is one of the path's names ..? */
static int climbs(const char *path)
{
    words names = {0};
    words_split(&names, path, "/");
    return words_has(&names, "..");
}

/* Whatever a step writes lies in the experiment's folder. */
static void check_place(const experiment *x, const arguments *args)
{
    size_t length = strlen(x->folder);
    const option *o;
    for (size_t i = 0; (o = command_option(args->command, i)); i++) {
        const char *path = o->writes ? arguments_text(args, o->name) : NULL;
        if (path &&
            (strncmp(path, x->folder, length) != 0 || path[length] != '/' || climbs(path + length)))
            recipe_fail(
                &x->recipe,
                "--%s %.200s: a step writes into the experiment's folder only: $folder/NAME",
                o->name, path);
        if (path && !x->checking)
            text_file_drop_link(path);
    }
}

/* args <- the words; what is wrong with them is said with the line of the recipe. */
static void parse(const experiment *x, const words *w, arguments *args)
{
    const command *c = w->count ? commands_find(w->word[0]) : NULL;
    if (!c)
        recipe_fail(&x->recipe, "unknown command '%.60s'; 'spdml help' lists the commands",
                    w->count ? w->word[0] : "");
    if (strcmp(c->name, "experiment") == 0)
        recipe_fail(&x->recipe, "a recipe cannot run 'spdml experiment'");
    if (arguments_parse(args, c, (int)w->count - 1, w->word + 1) || arguments_flag(args, "help"))
        recipe_fail(&x->recipe, "this step cannot be run");
}

/* ---- running --------------------------------------------------------------------------------- */

/* What a step prints goes nowhere when the recipe has a table of its own. */
static void run_hushed(experiment *x, const arguments *args)
{
    session *s = x->s;
    const arguments *own = s->args;
    fflush(stdout);
    int old = x->gathers ? dup(STDOUT_FILENO) : -1;
    int nowhere = old >= 0 ? open("/dev/null", O_WRONLY) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
    s->args = args;
    s->silent = x->gathers;
    int code = session_run(s, args->command);
    s->silent = 0;
    s->args = own;
    fflush(stdout);
    if (old >= 0) {
        dup2(old, STDOUT_FILENO);
        close(old);
    }
    if (code)
        cli_leave(code);
}

/* Is there a folder, and is it more than what a run that was killed in the middle leaves? */
static int is_in_use(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int left = 0, other = 0;
    while (folder && (entry = readdir(folder)))
        if (strncmp(entry->d_name, ".making-", 8) == 0)
            left = 1;
        else
            other |= strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (folder)
        closedir(folder);
    return folder && (other || !left);
}

static void run(experiment *x, const arguments *args, const char *output, const char *line)
{
    session *s = x->s;
    if (strcmp(args->command->name, "synth") == 0 && is_in_use(output))
        cli_fail("%s: is there already; --data %s uses what it holds, --resume goes on with an "
                 "interrupted experiment, or name another folder with -o",
                 output, output);
    const char *said = strncmp(line, "spdml ", 6) == 0 ? line + 6 : line; /* as messages begin */
    if (s->bar.allowed)
        session_remark(s, "%s", said);
    else
        session_talk(s, "%s", said);
    if (signals_interrupted())
        session_fail(s, SPD_ECANCELLED);
    run_hushed(x, args);
}

void experiment_print_script(FILE *f, const void *what)
{
    const experiment *x = what;
    char name[200];
    plain_text(x->recipe.name, "", name, sizeof name); /* a line break would end the comment */
    fprintf(f, "#!/bin/sh\n# What `spdml experiment %s` ran.\nset -e\n", name);
    fputs("cd -- \"$(dirname -- \"$0\")\"\n", f);
    char *program = full_path("/proc/self/exe"), *slash = strrchr(program, '/');
    *slash = '\0';
    if (strcmp(program, "/proc/self") != 0)
        fprintf(f, "command -v spdml > /dev/null || PATH=$PATH:%s\n", shell_word(program));
    for (size_t i = 0; i < x->script.count; i++)
        fprintf(f, "%s\n", x->script.word[i]);
}

/* Runs the step, unless an earlier run has, and keeps its line in commands.sh. Once a step is run,
 * all that follow are. */
static void run_or_skip(experiment *x, const arguments *args, const words *w)
{
    const char *output = value_of(args, "output");
    char *line = line_of(x, w), *noted = script_line(x, args, w);
    x->resuming =
        x->resuming && words_has(&x->finished, noted) && output && access(output, F_OK) == 0;
    if (!x->resuming)
        run(x, args, output, line);
    words_take(&x->commands, line);
    words_take(&x->script, noted);
    if (x->temporary)
        return;
    x->s->kept = x->folder;
    text_file_write(text_file_in(x->folder, "commands.sh"), experiment_print_script, x);
}

/* Is what the step makes there already, since the user has brought it? */
static int is_brought(const experiment *x, const arguments *args)
{
    const char *output = value_of(args, "output");
    return output && x->data && strcmp(output, x->data) == 0;
}

void experiment_step(experiment *x, const words *w)
{
    arguments args = {0};
    words typed = {0};
    if (w->count > 1)
        take_words(x, w, &typed);
    parse(x, &typed, &args);
    if (is_brought(x, &args))
        return;
    check_place(x, &args);
    if (x->checking)
        check_methods(x, &args);
    else
        run_or_skip(x, &args, &typed);
}
