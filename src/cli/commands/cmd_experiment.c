/* cmd_experiment.c - `spdml experiment`: runs a recipe, one of the paper's or the user's own. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/results/results.h"
#include "cli/experiment/experiment.h"
#include "cli/frame/screen.h"
#include "cli/frame/text_file.h"

#define LARGEST ((size_t)16 << 20) /* bytes of a commands.sh */

/* ---- variables ------------------------------------------------------------------------------- */

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

/* Reads an array of the user's data set, if it has one of that name. */
static int has_array(experiment *x, const char *name, spd_array **array)
{
    spd_status status = spd_array_read(x->s->ctx, x->data, name, array);
    if (status == SPD_ENOMEM)
        session_fail(x->s, status);
    return status >= 0;
}

/* The size of the user's matrices or observations, an eighth and a quarter of it, where the recipe
 * asks for them. Where it cannot be told, evaluate says why. */
static void set_sizes(experiment *x)
{
    spd_array *a = NULL;
    size_t n = 1;
    int asked = strstr(x->recipe.text, "$size-of-data") ||
                (strstr(x->recipe.text, "$eighth") && arguments_flag(x->s->args, "quick"));
    if (asked && x->data && is_data_set(x->data) && has_array(x, "X", &a) && a->ndim == 3)
        n = a->shape[2];
    static const struct {
        const char *name;
        size_t part;
    } sizes[] = {{"size-of-data", 1}, {"quarter", 4}, {"eighth", 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        recipe_set(&x->recipe, sizes[i].name,
                   words_text("%zu", n / sizes[i].part + (n < sizes[i].part)));
    spd_array_free(a);
}

/* Has the user's data set no images beside its matrices? */
static int lacks_images(experiment *x)
{
    spd_array *images = NULL;
    int lacks = strstr(x->recipe.text, "no-images") && x->data && is_data_set(x->data) &&
                !has_array(x, "images", &images);
    spd_array_free(images);
    return lacks;
}

/* --set NAME=VALUE, what the other options say, and what is not said. */
static void set_variables(experiment *x)
{
    static const char *const options[] = {"methods",    "repeats", "m",
                                          "regularize", "labels",  "seed"};
    const arguments *a = x->s->args;
    recipe *r = &x->recipe;
    recipe_forget(r);
    for (size_t i = 0; i < arguments_count(a, "set"); i++) {
        const char *given = arguments_nth(a, "set", i), *value = strchr(given, '=');
        if (!value)
            cli_misuse("--set %s: NAME=VALUE is expected", given);
        recipe_give(r, words_text("%.*s", (int)(value - given), given), value + 1);
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (arguments_count(a, options[i]))
            recipe_give(r, options[i], arguments_text(a, options[i]));
    int matrices = x->data && is_data_set(x->data);
    if (arguments_flag(a, "no-color"))
        recipe_give(r, "no-color", "--no-color");
    recipe_set(r, "no-color", "");
    recipe_set(r, "seed", arguments_text(a, "seed"));
    recipe_set(r, "quick", arguments_flag(a, "quick") ? "quick" : "");
    recipe_set(r, "no-report", x->temporary ? "--no-report" : "");
    recipe_set(r, "no-images", lacks_images(x) ? "no-images" : "");
    recipe_set(r, "own-matrices", matrices ? "own-matrices" : "");
    recipe_set(r, "own-methods", arguments_count(a, "methods") ? "own-methods" : "");
    recipe_set(r, "folder", x->folder);
    if (x->data)
        recipe_give(r, "data", x->data);
    if (matrices)
        recipe_give(r, "matrices", x->data);
    set_sizes(x);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* What was given and the recipe has no use for. */
static void check_belongs(const experiment *x)
{
    const recipe *r = &x->recipe;
    const char *wrong = NULL, *name;
    json_t *value;
    json_object_foreach(r->given, name, value)
    {
        int data = strcmp(name, "data") == 0 && json_object_get(r->used, "matrices");
        if (!json_object_get(r->used, name) && !data && strcmp(name, "matrices") != 0)
            wrong = name;
    }
    if (arguments_count(x->s->args, "grid") && !strstr(r->text, "--grid"))
        wrong = "grid";
    if (!wrong)
        return;
    int known = command_option_named(x->s->args->command, wrong, strlen(wrong)) != NULL;
    cli_misuse("%s%s does not belong to %s; 'spdml experiment %s --show' shows the recipe",
               !known     ? "--set "
               : wrong[1] ? "--"
                          : "-",
               wrong, r->name, r->name);
}

/* Everything that can be refused is refused before the folder is made. */
static void check(experiment *x)
{
    const char *output = arguments_text(x->s->args, "output");
    x->checking = 1;
    x->folder = output ? output : ".";
    if (x->data && access(x->data, R_OK) != 0)
        cli_fail("%s: cannot be read: %s", x->data, strerror(errno));
    if (arguments_flag(x->s->args, "resume") && !output)
        cli_misuse("--resume goes on in the folder of an earlier run; name it with -o DIR");
    set_variables(x);
    experiment_walk(x);
    x->checking = 0;
    check_belongs(x);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void list(session *s)
{
    for (const recipe_builtin *b = recipe_builtins; b->name; b++) {
        const char *text = (const char *)b->text, *title = strstr(text, "\ntitle ");
        char line[100] = "";
        if (title)
            sscanf(title, "\ntitle %99[^\n]", line);
        sheet_text(session_sheet(s), b->name, b->name, line);
    }
}

/* ---- folder ---------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_folder(void *folder)
{
    /* One folder open at a time: it may be for want of them that the run has failed. */
    if (nftw(folder, remove_one, 1, FTW_DEPTH | FTW_PHYS) != 0)
        cli_error("%s: cannot be removed: %s", (char *)folder, strerror(errno));
}

/* The folder of --output, or one of our own in the system's folder for such things. */
static void open_folder(experiment *x)
{
    const char *place = getenv("TMPDIR");
    x->folder = session_output(x->s);
    results_make_folder(x->s);
    if (x->folder)
        return;
    char *own = words_text("%.3000s/spdml-XXXXXX", place && place[0] ? place : "/tmp");
    x->folder = own;
    if (!mkdtemp(own))
        cli_fail("%s: cannot be made: %s; -o DIR names another folder", own, strerror(errno));
    x->temporary = 1;
    cli_keep(own, remove_folder);
}

/* x->finished <- the steps that an earlier run in this folder has noted. */
static void take_up(experiment *x)
{
    size_t length;
    char *text = arguments_flag(x->s->args, "resume")
                     ? text_file_read(words_text("%s/commands.sh", x->folder), LARGEST, &length)
                     : NULL;
    x->resuming = text != NULL;
    if (text)
        words_split(&x->finished, text, "\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

static void cook(experiment *x)
{
    open_folder(x);
    take_up(x);
    set_variables(x);
    experiment_walk(x);
    experiment_add_paper(x);
    experiment_report(x);
}

static int run(session *s)
{
    experiment x = {.s = s,
                    .data = arguments_text(s->args, "data"),
                    .title = "",
                    .generated = "",
                    .protocol = "",
                    .paper_data = "",
                    .matrices = ""};
    if (strcmp(s->args->operands[0], "list") == 0) {
        list(s);
        return CLI_GOOD;
    }
    recipe_load(&x.recipe, s->args->operands[0]);
    if (arguments_flag(s->args, "show")) {
        screen_lines(x.recipe.text);
        return CLI_GOOD;
    }
    check(&x);
    cook(&x);
    return CLI_GOOD;
}

/* "list", and what it lists. */
static words recipe_names(void)
{
    words w = {0};
    words_add(&w, "list");
    for (const recipe_builtin *b = recipe_builtins; b->name; b++)
        words_add(&w, b->name);
    return w;
}

static const option options[] = {
    {"data", 0, OPTION_FILE, "PATH", .common = 1,
     .help = "Your own data: a folder or archive laid out as docs/experiments.md describes, or a "
             "data set of matrices (.npz, .mat). By default data are generated"},
    {"labels", 0, OPTION_FILE, "FILE",
     .help = "Index (.csv) of the files in --data, if it is not its index.csv"},
    {"output", 'o', OPTION_FILE, "DIR", .writes = 1, .common = 1,
     .help = "Keep everything in the folder DIR: report.html, table.csv, figure.svg, .pdf, "
             "commands.sh, "
             "the data and the reports of the evaluations. Without it, only the table is printed"},
    {"format", 0, OPTION_CHOICE, "NAME", "text", .choice = "text|latex",
     .help = "How the table is printed: for people, or for papers with booktabs"},
    {"resume", .common = 1,
     .help = "Continue an interrupted run in the folder of -o: finished steps are not run again"},
    {"show", .common = 1, .help = "Print the recipe and do nothing"},
    {"set", 0, OPTION_TEXT, "NAME=VALUE", .repeatable = 1,
     .help = "Another value for a variable of the recipe"},
    {"quick", .common = 1, .help = "A small version that takes seconds, to see how it works"},
    {"methods", 0, OPTION_TEXT, "LIST", .words = option_methods, .list = 1, .common = 1,
     .help = "Methods, separated by commas, instead of the paper's; see 'spdml evaluate --help'"},
    {"grid", 0, OPTION_TEXT, "NAME=VALUE,...", .repeatable = 1,
     .help = "Values of a parameter to choose from, as in evaluate; default m=10,20,40 and "
             "nu-b=1,3 (of motion also 5), or those of evaluate if --data holds matrices"},
    {"repeats", 0, OPTION_INT, "N", NULL, 1, 100000,
     .help = "Random splits of materials, nu-b and observations; default 10, with --quick 2"},
    {"m", 'm', OPTION_INT, "M", NULL, 1, 4096,
     .help =
         "Size after the map in nu-b and observations; default 20 and 10, with --quick 5 and 4"},
    {"regularize", 0, OPTION_REAL, "E", NULL, 1e-12, 1e6,
     .help = "In observations, add E trace(C)/n to the diagonal of a test matrix that would be "
             "singular, and of no other; 1e-3 unless given"},
    OPTION_ENGINE,
    {"no-color",
     .help = "Describe images by SIFT without colour (materials, nu-b), for grey images"},
    OPTION_SEED,
    OPTION_END};

static const char *const paragraphs[] = {
    "Runs an experiment of the paper that introduced the learned map (Harandi, Salzmann, Hartley, "
    "ECCV 2014), on generated data or on the real sets if you have them, and prints a table "
    "with the paper's own figures next to ours. NAME is materials, motion, faces, nu-b or "
    "observations; 'spdml experiment list' says what they are.",
    "Each is a recipe, a text of plain commands that --show prints; a copy that you have changed "
    "is run as FILE.recipe. The environment variable SPDML_RECIPES may name a folder whose recipes "
    "come first.",
    "Without -o the data are made in a temporary folder, which is removed at the end.", NULL};

static const command_example examples[] = {
    {"spdml experiment materials --quick", "The smallest run, in seconds."},
    {"spdml experiment materials -o materials", "In full, on generated images."},
    {"spdml experiment motion --data HDM05 -o motion", "On the real clips."},
    {"spdml experiment motion --show > my.recipe", "A recipe to be changed ..."},
    {"spdml experiment my.recipe --set frames=300", "... and run."},
    {NULL, NULL}};

COMMAND(experiment, "run the paper's experiments, or a recipe of your own", "NAME|FILE.recipe",
        .first = recipe_names,
        .groups = {{"Options", options}, {"Common options", options_common}});
