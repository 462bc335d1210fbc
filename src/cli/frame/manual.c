/* manual.c - help on the terminal and man pages in roff, from the option tables. */
#include "cli/frame/manual.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/commands.h"
#include "spdml.h"

#define OPTION_COLUMN 24
#define TOPIC_ROWS    64 /* more than any enumeration has */

/* Paragraphs about the program. */
static const char *const about[] = {
    "spdml works with sets of symmetric positive definite (SPD) matrices: covariances of images, "
    "video, motion capture or EEG, diffusion tensors.",
    "A data set is an .npz file with X (p x n x n) and, if there are labels, y (p numbers or "
    "strings); a .npy file with the labels in a second file; a .mat file (MATLAB v5 to v7.3) with "
    "X (n x n x p) and y; or a .csv file with one flattened matrix per line.",
    "Results go to standard output as a table, or with --json as one JSON object; warnings and the "
    "progress bar go to standard error.",
    NULL};

/* Every variable of the environment that is read, by the command or for it. */
static const struct {
    const char *name, *does;
} environment[] = {
    {"SPDML_ISA", "Instruction set of the kernels: baseline, avx2 or avx512. Anything else, or one "
                  "that the machine lacks, is refused. Default: the best one available."},
    {"TMPDIR", "Folder for what 'convert' and 'join' write to standard output, until it is whole; "
               "default /tmp."},
    {"OPENBLAS_NUM_THREADS", "Read by OpenBLAS: the number of threads it starts. Results do not "
                             "depend on it; if memory is limited, the command sets it to 1."},
    {"OPENBLAS_CORETYPE", "Read by OpenBLAS: the processor whose kernels it uses, such as Haswell. "
                          "Results may then differ in their last digits."},
    {"SPDML_LIBRARY", "Read by the Python package: the libspdml.so to load in place of its own; "
                      "other libraries of the package are looked for next to it."},
    {"SPDML_QUICK", "Read by the Python package: 0 leaves out its module for quick calls."},
    {"OMP_NUM_THREADS", "Read by the Python package: the number of threads if n_jobs is None."},
};

static const char about_methods[] =
    "The name of a method is [pca-]CLASSIFIER[-METRIC][-MAP]: nn-stein, rsr-ml, mdm-airm-csp. "
    "Without a METRIC a classifier uses its usual one; without a MAP it works on the matrices as "
    "they are. evaluate and train choose the parameters by cross-validation; auto is the best of a "
    "portfolio of methods.";

/* What every method is, in a line. */
static const char *const classifiers[TOPIC_ROWS] = {
    [SPD_CLASSIFIER_NN] = "nearest neighbour: the class of the nearest training matrix",
    [SPD_CLASSIFIER_KNN] = "k nearest neighbours: the majority among them",
    [SPD_CLASSIFIER_MDM] = "minimum distance to mean: the class with the nearest mean",
    [SPD_CLASSIFIER_RSR] = "Riemannian sparse representation: sparse coding with a Stein kernel",
    [SPD_CLASSIFIER_CDL] = "covariance discriminative learning: kernel partial least squares",
    [SPD_CLASSIFIER_KRR] = "kernel ridge regression on one-hot labels, Stein kernel",
    [SPD_CLASSIFIER_KRR_TANGENT] = "the same with the kernel of the tangent space",
    [SPD_CLASSIFIER_KRR_BOTH] = "the same with the sum of both kernels",
    [SPD_CLASSIFIER_TS_LR] = "multinomial logistic regression in the tangent space",
    [SPD_CLASSIFIER_CDL_LDA] = "the same with kernel discriminant analysis",
    [SPD_CLASSIFIER_PGA] = "principal geodesic analysis, then the nearest neighbour",
    [SPD_CLASSIFIER_LLE] = "locally linear embedding, then the nearest neighbour",
    [SPD_CLASSIFIER_HESSIAN_LLE] = "Hessian locally linear embedding, then the same",
    [SPD_CLASSIFIER_LAPLACIAN] = "Laplacian eigenmaps, then the same",
    [SPD_CLASSIFIER_KSVM] = "support vector machines with a Stein or log-Euclidean kernel",
    [SPD_CLASSIFIER_TS_LDA] = "tangent space at the mean, then linear discriminant analysis",
    [SPD_CLASSIFIER_SRC] = "sparse representation of vectors or images; reads no matrices",
    [SPD_CLASSIFIER_GSRC] = "the same with Gabor features and an occlusion dictionary; images",
    [SPD_CLASSIFIER_COV3DJ] = "a linear support vector machine on matrices of joints",
};
static const char *const maps[TOPIC_ROWS] = {
    [SPD_MAP_ML] = "the learned map of 'spdml fit', the subject of this program",
    [SPD_MAP_MULTI] = "several learned maps next to each other",
    [SPD_MAP_BAG] = "the same, each the mean of maps learned on parts of the samples",
    [SPD_MAP_RANDOM] = "a random map, for comparison",
    [SPD_MAP_MEAN] = "the largest eigenvectors of the mean matrix, for comparison",
    [SPD_MAP_CSP] = "common spatial patterns, for comparison",
    [SPD_MAP_PCA] = "as a prefix (pca-): principal components of the observations",
};

static const char *const exit_statuses =
    "0 on success, 1 on failure, 2 on a usage error, 130 when interrupted.";

/* ---- help ------------------------------------------------------------------------------------ */

/* Words of text from column `at` on, later lines indented; ends the line. */
static void wrap(FILE *out, size_t at, size_t indent, const char *text)
{
    fprintf(out, "%s\n", words_wrap(text, at, indent));
}

static void wrap_all(FILE *out, const char *const *paragraphs)
{
    for (; *paragraphs; paragraphs++) {
        wrap(out, 0, 0, *paragraphs);
        fputc('\n', out);
    }
}

/* An option with a text about it. */
static void help_option(FILE *out, const option *o, const char *text)
{
    char head[100];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    if (strlen(head) + 2 > OPTION_COLUMN)
        fprintf(out, "%s\n%*s", head, OPTION_COLUMN, "");
    else
        fprintf(out, "%-*s", OPTION_COLUMN, head);
    wrap(out, OPTION_COLUMN, OPTION_COLUMN, text);
}

static void help_usage(FILE *out, const command *c)
{
    fprintf(out, "usage: spdml %s%s%s [options]\n\n", c->name, c->operands[0] ? " " : "",
            c->operands);
}

/* The first examples, at most that many. */
static void help_examples(FILE *out, const command *c, size_t most)
{
    fprintf(out, "\nExamples:\n");
    for (const command_example *e = c->examples; e->line && most-- > 0; e++) {
        fprintf(out, "  %s\n      ", e->line);
        wrap(out, 6, 6, e->does);
    }
}

static void help_command(FILE *out, const command *c)
{
    help_usage(out, c);
    wrap_all(out, c->paragraphs);
    for (size_t g = 0; g < COMMAND_GROUPS && c->groups[g].options; g++) {
        if (c->groups[g].title)
            fprintf(out, "%s%s:\n", g ? "\n" : "", c->groups[g].title);
        for (const option *o = c->groups[g].options; o->name; o++)
            help_option(out, o, option_text(o));
    }
    help_examples(out, c, SIZE_MAX);
}

/* The beginning of an option's help, up to the first stop, with its default. */
static const char *beginning(const option *o)
{
    size_t length = 0;
    while (o->help[length] && !(strchr(".:;", o->help[length]) && o->help[length + 1] == ' '))
        length++;
    const char *text = words_text("%.*s", (int)length, o->help);
    return o->standard ? words_text("%s (default %s)", text, o->standard) : text;
}

void manual_brief(FILE *out, const command *c)
{
    const option *o;
    size_t count = 0;
    help_usage(out, c);
    wrap(out, 0, 0, words_text("%c%s.", toupper((unsigned char)c->summary[0]), c->summary + 1));
    fputs("\nCommon options:\n", out);
    for (; (o = command_option(c, count)); count++)
        if (o->common || o->required)
            help_option(out, o, beginning(o));
    help_examples(out, c, 2);
    fprintf(out, "\n'spdml %s --help' explains all %zu options.\n", c->name, count);
}

static void help_overview(FILE *out)
{
    fprintf(out, "usage: spdml COMMAND [operands and options]\n\n");
    wrap(out, 0, 0, about[0]);
    fputc('\n', out);
    for (size_t i = 0; commands[i]; i++) {
        int first = i == 0 || strcmp(command_sections[i], command_sections[i - 1]) != 0;
        fprintf(out, "%-10s %-12s %s\n", first ? command_sections[i] : "", commands[i]->name,
                commands[i]->summary);
    }
    fprintf(out,
            "\n'spdml COMMAND -h' shows the common options of a command, --help all of them.\n"
            "'spdml help methods', 'data' or 'environment' explains the methods of\n"
            "recognition, data files, or environment variables. This is version %s.\n",
            spd_version());
}

/* ---- topics ---------------------------------------------------------------------------------- */

static void topic_rows(FILE *out, const char *title, spd_enum of, const char *const *text)
{
    fprintf(out, "\n%s:\n", title);
    for (unsigned i = 0; spd_name(of, i); i++)
        if (text[i]) {
            fprintf(out, "  %-10s", spd_name(of, i));
            if (strlen(spd_name(of, i)) > 9)
                fprintf(out, "\n%*s", 12, "");
            wrap(out, 12, 12, text[i]);
        }
}

static void topic_methods(FILE *out)
{
    const words metrics = option_names(SPD_ENUM_METRIC);
    wrap(out, 0, 0, about_methods);
    topic_rows(out, "Classifiers", SPD_ENUM_CLASSIFIER, classifiers);
    topic_rows(out, "Maps to smaller matrices, before the classifier", SPD_ENUM_MAP, maps);
    fputs("\nMetrics: ", out);
    wrap(out, 9, 9, option_list(&metrics));
}

static void topic_data(FILE *out)
{
    wrap_all(out, about + 1);
    fputs("'spdml info FILE' shows what is in a file and what is wrong with it.\n", out);
}

static void topic_environment(FILE *out)
{
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        fprintf(out, "  %-21s ", environment[i].name);
        wrap(out, 24, 24, environment[i].does);
    }
}

const char *const manual_topics[MANUAL_TOPICS] = {"methods", "data", "environment"};

int manual_topic(FILE *out, const char *name)
{
    static void (*const topic[MANUAL_TOPICS])(FILE *) = {topic_methods, topic_data,
                                                         topic_environment};
    size_t i = 0;
    while (i < MANUAL_TOPICS && strcmp(manual_topics[i], name) != 0)
        i++;
    if (i < MANUAL_TOPICS)
        topic[i](out);
    return i == MANUAL_TOPICS;
}

/* ---- both ------------------------------------------------------------------------------------ */

void manual_help(FILE *out, const command *c)
{
    if (c)
        help_command(out, c);
    else
        help_overview(out);
    fputs("\nExit status: ", out);
    wrap(out, 13, 13, exit_statuses);
}

/* ---- man pages ------------------------------------------------------------------------------- */

/* Text with roff's own signs made harmless; dashes stay dashes that can be copied. */
static void escape(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\'')
            fputs("\\(aq", out);
        else
            fputc(*text, out);
    }
}

/* Requests with texts in them: a % in the format stands for the next text, escaped. */
static void put(FILE *out, const char *format, ...)
{
    va_list texts;
    va_start(texts, format);
    for (; *format; format++)
        if (*format == '%')
            escape(out, va_arg(texts, const char *));
        else
            fputc(*format, out);
    va_end(texts);
}

static void title(FILE *out, const command *c)
{
    fputs(c ? ".TH SPDML\\-" : ".TH SPDML", out);
    for (const char *at = c ? c->name : ""; *at; at++)
        fputc(toupper((unsigned char)*at), out);
    fprintf(out, " 1 \"\" \"spdml %s\" \"User Commands\"\n.SH NAME\nspdml", spd_version());
    if (c)
        put(out, "\\-% \\- %\n", c->name, c->summary);
    else
        put(out, " \\- %\n", "symmetric positive definite matrices: geometry and learning");
}

static void paragraphs(FILE *out, const char *const *text)
{
    fputs(".SH DESCRIPTION\n", out);
    for (; *text; text++)
        put(out, ".PP\n%\n", *text);
}

static void roff_command(FILE *out, const command *c)
{
    const option *o;
    put(out, ".SH SYNOPSIS\n.B spdml %\n", c->name);
    if (c->operands[0])
        fprintf(out, ".I %s\n", c->operands);
    fputs("[\\fIoptions\\fR]\n", out);
    paragraphs(out, c->paragraphs);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; (o = command_option(c, i)); i++) {
        fputs(".TP\n", out);
        if (o->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
        put(out, "\\fB\\-\\-%\\fR", o->name);
        if (o->argument)
            fprintf(out, " \\fI%s\\fR", o->argument);
        put(out, "\n%\n", option_text(o));
    }
    fputs(".SH EXAMPLES\n", out);
    for (const command_example *e = c->examples; e->line; e++)
        put(out, ".TP\n\\fB%\\fR\n%\n", e->line, e->does);
}

static void roff_rows(FILE *out, spd_enum of, const char *const *text)
{
    for (unsigned i = 0; spd_name(of, i); i++)
        if (text[i])
            put(out, ".TP\n\\fB%\\fR\n%\n", spd_name(of, i), text[i]);
}

static void roff_overview(FILE *out)
{
    fputs(".SH SYNOPSIS\n.B spdml\n.I COMMAND\n[\\fIoperands and options\\fR]\n", out);
    paragraphs(out, about);
    fputs(".SH COMMANDS\n", out);
    for (const command *const *c = commands; *c; c++)
        put(out, ".TP\n\\fBspdml\\-%\\fR(1)\n%\n", (*c)->name, (*c)->summary);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        put(out, ".TP\n\\fB%\\fR\n%\n", environment[i].name, environment[i].does);
    put(out, ".SH METHODS\n%\n", about_methods);
    roff_rows(out, SPD_ENUM_CLASSIFIER, classifiers);
    roff_rows(out, SPD_ENUM_MAP, maps);
}

void manual_roff(FILE *out, const command *c)
{
    title(out, c);
    if (c)
        roff_command(out, c);
    else
        roff_overview(out);
    put(out, ".SH EXIT STATUS\n%\n", exit_statuses);
    fputs(c ? ".SH SEE ALSO\n.BR spdml (1)" : ".SH SEE ALSO", out);
    for (const command *const *other = commands; *other; other++)
        if (*other != c)
            fprintf(out, "%s\n.BR spdml\\-%s (1)", c || other > commands ? "," : "",
                    (*other)->name);
    fputc('\n', out);
}
