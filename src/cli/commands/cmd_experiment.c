/* cmd_experiment.c - `spdml experiment`: the paper's tables and figures. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/frame/cli_memory.h"
#include "cli/evaluate/tables.h"
#include "cli/experiment/experiment.h"
#include "cli/frame/suggest.h"

static const experiment_kind kinds[] = {
    {.name = "materials",
     .title = "Material categorisation",
     .methods = EXPERIMENT_METHODS,
     .generated = "images of materials, in place of UIUC",
     .run = experiment_materials},
    {.name = "motion",
     .title = "Action recognition from motion capture",
     .methods = EXPERIMENT_METHODS,
     .generated = "motion capture, in place of HDM05",
     .run = experiment_motion},
    {.name = "faces",
     .title = "Face recognition across poses",
     .methods = EXPERIMENT_METHODS ",src,gsrc",
     .generated = "images of faces, in place of FERET",
     .run = experiment_faces},
    {.name = "nu-b",
     .title = "Accuracy against nu_b",
     .methods = "nn-stein-ml,nn-airm-ml",
     .generated = "the images of materials",
     .run = experiment_nu_b,
     .x_label = "nu_b",
     .x_scale = SVG_WHOLE},
    {.name = "observations",
     .title = "Accuracy against the number of observations",
     .methods = "nn-stein,nn-stein-ml,nn-airm,nn-airm-ml",
     .generated = "vectors whose classes differ in a planted subspace",
     .run = experiment_observations,
     .x_label = "observations",
     .x_scale = SVG_LOG10},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static int take_kind(experiment *x)
{
    const char *name = x->s->args->operands[0];
    suggestion near = suggest_for(name);
    for (size_t k = 0; k < KINDS; k++) {
        x->kind = &kinds[k];
        if (strcmp(name, kinds[k].name) == 0)
            return CLI_GOOD;
        suggest_offer(&near, kinds[k].name);
    }
    if (near.best)
        cli_error("unknown experiment '%s'; did you mean '%s'?", name, near.best);
    else
        cli_error("unknown experiment '%s'; there are materials, motion, faces, nu-b and "
                  "observations",
                  name);
    return CLI_MISUSED;
}

/* Options that only some experiments have a use for. */
static int check_belongs(const experiment *x)
{
    static const struct {
        const char *option, *kinds;
    } belongs[] = {{"no-color", " materials nu-b "},
                   {"labels", " materials motion faces nu-b "},
                   {"repeats", " materials nu-b observations "},
                   {"grid", " materials motion faces "},
                   {"paper", " materials motion faces "},
                   {"regularize", " observations "},
                   {"m", " nu-b observations "}};
    char word[40];
    snprintf(word, sizeof word, " %s ", x->kind->name);
    for (size_t i = 0; i < sizeof belongs / sizeof *belongs; i++)
        if (arguments_count(x->s->args, belongs[i].option) && !strstr(belongs[i].kinds, word)) {
            cli_error("%s%s does not belong to %s; see 'spdml experiment --help'",
                      belongs[i].option[1] ? "--" : "-", belongs[i].option, x->kind->name);
            return CLI_MISUSED;
        }
    return CLI_GOOD;
}

/* Is the data there? Asked before the folder is made. */
static int check_data(const experiment *x)
{
    if (!x->data || access(x->data, R_OK) == 0)
        return CLI_GOOD;
    cli_error("%s: cannot be read: %s", x->data, strerror(errno));
    return CLI_FAILED;
}

/* Are the methods such, and of use? Asked before anything is made. */
static int check_methods(const experiment *x)
{
    words names = {0};
    int code = CLI_GOOD, figure = x->kind->run == experiment_nu_b;
    words_split(&names, x->methods, ",");
    if (names.count == 0) {
        cli_error("--methods names none; see 'spdml evaluate --help'");
        code = CLI_MISUSED;
    }
    for (size_t i = 0; i < names.count && !code; i++) {
        spd_method method;
        code = recognition_parse(x->s, names.word[i], &method);
        if (!code && figure && !spd_method_uses(&method, SPD_PARAM_NU_B)) {
            cli_error("--methods: %s has no nu_b; take methods with -ml", names.word[i]);
            code = CLI_MISUSED;
        }
    }
    words_free(&names);
    return code;
}

static int take(session *s, experiment *x)
{
    const arguments *a = s->args;
    *x = (experiment){.s = s, .quick = arguments_flag(a, "quick")};
    int code = take_kind(x);
    if (!code)
        code = check_belongs(x);
    if (code)
        return code;
    x->data = arguments_text(a, "data");
    x->methods = arguments_text(a, "methods");
    if (!x->methods)
        x->methods = x->kind->methods;
    x->repeats = x->quick ? 2 : 10;
    if (arguments_count(a, "repeats"))
        x->repeats = (size_t)arguments_int(a, "repeats");
    if (x->kind->x_label)
        x->m = x->quick ? 5 : 20;
    if (x->kind->run == experiment_observations)
        x->m = x->quick ? 4 : 10;
    if (arguments_count(a, "m"))
        x->m = (size_t)arguments_int(a, "m");
    code = check_methods(x);
    if (!code)
        code = experiment_load_paper(x);
    return code ? code : check_data(x);
}

/* ---- folder -----------------------------------------------------------------------------------
 */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

/* The folder of --output, or one of our own in the system's folder for such things. */
static int open_folder(experiment *x, char *own, size_t size)
{
    const char *given = arguments_text(x->s->args, "output"), *place = getenv("TMPDIR");
    x->folder = given;
    if (given)
        return evaluation_check_folder(x->s, &x->made);
    snprintf(own, size, "%.3000s/spdml-XXXXXX", place && place[0] ? place : "/tmp");
    x->folder = own;
    if (!mkdtemp(own)) {
        cli_error("%s: cannot be made: %s; -o DIR names another folder", own, strerror(errno));
        return CLI_FAILED;
    }
    x->temporary = 1;
    return CLI_GOOD;
}

/* What is finished stays, whatever has happened later. */
static void close_folder(const experiment *x, int code)
{
    if (code && x->made)
        evaluation_drop_folder(x->s);
    if (x->temporary && nftw(x->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        cli_error("%s: cannot be removed: %s", x->folder, strerror(errno));
}

/* ---- the command ------------------------------------------------------------------------------
 */

static void release(experiment *x)
{
    words_free(&x->commands);
    words_free(&x->notes);
    words_free(&x->reports);
    cli_free(x->protocol);
    experiment_table_free(&x->table);
    json_decref(x->paper);
}

static int run(session *s)
{
    experiment x;
    char own[4096];
    int code = take(s, &x);
    if (!code)
        code = open_folder(&x, own, sizeof own);
    if (code) {
        release(&x);
        return code;
    }
    code = x.kind->run(&x);
    if (!code) {
        experiment_add_paper(&x);
        code = experiment_report(&x);
    }
    close_folder(&x, code);
    release(&x);
    return code;
}

static const option options[] = {
    {.name = "data",
     .argument = "PATH",
     .type = OPTION_FILE,
     .help = "Data of your own: a folder or archive laid out as docs/experiments.md says, or a "
             "data set of matrices (.npz, .mat). By default data are generated"},
    {.name = "labels",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "Index (.csv) of the files in --data, where it is not its index.csv"},
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .type = OPTION_FILE,
     .help = "Keep everything in the folder DIR: report.html, table.csv, figure.svg, commands.sh, "
             "the data and the reports of the evaluations. Otherwise the table alone is printed"},
    {.name = "quick", .help = "A small version that takes seconds, to see how it works"},
    {.name = "methods",
     .argument = "LIST",
     .type = OPTION_TEXT,
     .help = "Methods, with commas between, in place of the paper's; see 'spdml evaluate --help'"},
    {.name = "grid",
     .argument = "NAME=VALUE,...",
     .type = OPTION_TEXT,
     .repeatable = 1,
     .help = "Values of a parameter to choose from, as in evaluate, in place of ours: m=10,20,40 "
             "and nu-b=1,3, evaluate's own where --data holds matrices"},
    {.name = "paper",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "Published figures to print beside ours: {\"METHOD\": PERCENT, ...} or {\"METHOD\": "
             "{\"COLUMN\": PERCENT, ...}, ...} (.json)"},
    {.name = "repeats",
     .argument = "N",
     .type = OPTION_INT,
     .min = 1,
     .max = 100000,
     .help = "Random splits of materials, nu-b and observations; 10, with --quick 2, unless given"},
    {.name = "m",
     .letter = 'm',
     .argument = "M",
     .type = OPTION_INT,
     .min = 1,
     .max = 4096,
     .help = "Size after the map in nu-b and observations; 20 and 10, with --quick 5 and 4, unless "
             "given"},
    {.name = "regularize",
     .argument = "E",
     .type = OPTION_REAL,
     .standard = "1e-3",
     .min = 1e-12,
     .max = 1e6,
     .help = "In observations, add E trace(C)/n to the diagonal of a test matrix that would be "
             "singular, and of no other"},
    {.name = "no-color", .help = "Describe images by SIFT alone (materials, nu-b): for grey ones"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Runs an experiment of the paper that introduced the learned map (Harandi, Salzmann, Hartley, "
    "ECCV 2014), on generated data or on the real sets where you have them, and prints the table. "
    "It is made of plain commands, which are printed too. NAME is one of",
    "materials: images of materials, sift-color, half of each class trains.",
    "motion: motion capture, joint covariances; two subjects train, then three.",
    "faces: faces in poses, gabor; three images of each subject train, six poses are tested.",
    "nu-b: accuracy of the learned map against nu_b, on the data of materials.",
    "observations: accuracy against the number of observations in a test matrix. With no more of "
    "them than rows a covariance is singular and needs a regulariser; after the map its limit is "
    "m.",
    "Without -o the data are made in a folder of their own, which is removed at the end.",
    NULL};

static const command_example examples[] = {
    {"spdml experiment materials --quick", "The smallest run, in seconds."},
    {"spdml experiment materials -o materials", "In full, on generated images."},
    {"spdml experiment motion --data HDM05 -o motion", "On the real clips."},
    {"spdml experiment observations -o observations", "A figure."},
    {NULL, NULL}};

const command command_experiment = {
    .name = "experiment",
    .summary = "run the paper's tables and figures",
    .operands = "NAME",
    .groups = {{"Options", options}, {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
