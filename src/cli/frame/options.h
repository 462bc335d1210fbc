/* options.h - what a command understands, as tables.
 *
 * One table per command feeds parsing, range checks, --help, man pages and completion. An
 * option's row says everything about it; nothing else in the command repeats its name, default
 * or range. */
#ifndef SPD_CLI_FRAME_OPTIONS_H
#define SPD_CLI_FRAME_OPTIONS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/frame/words.h"
#include "spdml.h"

typedef enum option_type {
    OPTION_FLAG = 0,
    OPTION_INT,
    OPTION_REAL,
    OPTION_TEXT,
    OPTION_CHOICE,
    OPTION_FILE
} option_type;

/* A row of a table gives the first members in this order, as far as it has any, then by name what
 * is rarer: {"tol", 0, OPTION_REAL, "E", "1e-12", 1e-16, 1, .help = "Stop when ..."}. */
typedef struct option {
    const char *name; /* long name without its dashes; NULL ends a table */
    int letter;       /* short form, or 0 */
    option_type type;
    const char *argument; /* what help calls the value; NULL for a flag */
    const char *standard; /* the default as it would be typed, or NULL */
    double min, max;      /* numbers: the closed range */
    const char *help;     /* one sentence; choices, range and default are added to it */
    const char *choice; /* a choice: the words, "a|b|c"; a file to write: the endings; else NULL */
    const char *bare;   /* a choice whose value may be left out: the value then; else NULL */
    const char *words;  /* a text: words that shells complete it with, "a|b|c", or NULL */
    spd_enum names;     /* a choice: the enumeration of its words, all of them without .choice */
    int list;           /* of which several may stand, with commas between */
    int repeatable;     /* may be given several times, each counts; else the last one counts */
    int required;
    int common;       /* among the few that most people use: shown by -h too */
    int to_stdout;    /* a file to write that may also be "-", standard output */
    int writes;       /* a file or folder that is written; other files are read */
    const char *into; /* by INTO: the library's options that its value goes into, and where */
    size_t at, width;
} option;

/* arguments_fill puts the value into this member of a struct of the library: a choice into an
 * enumeration, a whole number into a size_t or an int, a flag into an int. */
#define INTO(struct_type, member)                                                                  \
    .into = #struct_type, .at = offsetof(struct_type, member),                                     \
    .width = sizeof(((struct_type *)0)->member)

/* Options under one heading of the help. */
typedef struct option_group {
    const char
        *title; /* NULL: under the heading before; see arguments_kind for words in parentheses */
    const option *options;
} option_group;

#define COMMAND_GROUPS 14

typedef struct command_example {
    const char *line; /* NULL ends a table */
    const char *does;
} command_example;

struct session;

typedef struct command {
    const char *name;
    const char *alias;   /* another accepted spelling, or NULL */
    const char *summary; /* a few words, lower case, no full stop */
    const char
        *operands; /* "DATA [DATA2]": what is in brackets may be missing; "IN...": one or more */
    words (*first)(void); /* words that shells complete the first operand with; NULL: files */
    option_group groups[COMMAND_GROUPS];
    const char *const *paragraphs; /* the long description, NULL at the end */
    const command_example *examples;
    int (*run)(struct session *session); /* returns an exit status of message.h */
} command;

/* Defines command_ID: what help, manual and completion say of it, and how it runs, under the names
 * that every cmd_ID.c gives them. Groups, and what is rarer, follow by name. */
#define COMMAND(id, what, takes, ...)                                                              \
    const command command_##id = {.name = #id,                                                     \
                                  .summary = (what),                                               \
                                  .operands = (takes),                                             \
                                  .paragraphs = paragraphs,                                        \
                                  .examples = examples,                                            \
                                  .run = run,                                                      \
                                  __VA_ARGS__}

/* The i-th option over all groups; NULL past the end. */
const option *command_option(const command *c, size_t i);

/* The option of that long name (length characters), or of that letter; NULL if there is none. */
const option *command_option_named(const command *c, const char *name, size_t length);
const option *command_option_lettered(const command *c, char letter);

/* An option's help with what it accepts: its choices or range, and its default. */
const char *option_text(const option *o);

/* Is text a good value for o? 0, or an exit status after a message that says what would be.
 * *value <- the text to keep: the canonical spelling of a choice. */
int option_check(const option *o, const char *text, const char **value);

/* Does a path end so, whatever the case of the letters? */
int option_has_ending(const char *path, const char *ending);

/* The words of a choice, the endings of a file to write. */
words option_choices(const option *o);

/* The words of an enumeration. */
words option_names(spd_enum of);

/* "a, b or c" */
const char *option_list(const words *w);

/* Is text one of the words of a choice? */
int option_is_choice(const option *o, const char *text);

/* The number of a word of a choice: of its enumeration, else its place in the list. */
unsigned option_value(const option *o, const char *text);

/* The whole of text as a number; non-zero if it is none (or does not fit). */
int option_parse_int(const char *text, int64_t *value);
int option_parse_real(const char *text, double *value);

/* Groups and rows that several commands share. */
extern const option options_common[];   /* --json -q -v --threads -h */
extern const option options_ranks[];    /* --mpi */
extern const option options_data[];     /* --x --y --labels --symmetrize --regularize --anywhere */
extern const option options_sets[];     /* the same without --labels */
extern const option options_matrices[]; /* nor --y */

extern const option options_memory[]; /* --memory */

/* Of the learner; options_learn.c. */
extern const option options_graph[];        /* --metric --nu-w --nu-b ... */
extern const option options_unsupervised[]; /* --unsupervised */
extern const option options_objective[];    /* --objective */
extern const option options_paper[];        /* --paper */
extern const option options_cost[];         /* --log-cost */
extern const option options_stop[];         /* --tol --max-iter */

extern const char option_methods[]; /* methods that are often used, not all: "nn-airm|..." */

/* Endings of files that hold one array, several, a data set, a model. */
#define OPTION_ARRAY_ENDINGS  ".npy|.npz|.mat|.csv"
#define OPTION_ARRAYS_ENDINGS ".npz|.mat"
#define OPTION_DATA_ENDINGS   ".npz|.mat|.npy"
#define OPTION_MODEL_ENDINGS  ".spdml"
#define OPTION_INITS          "identity|mean|random|csp|auto|stein" /* that need no matrix */

#define OPTION_CLASSIFIERS                                                                         \
    "nn, knn, mdm, rsr, cdl, cdl-lda, pga, riemannian-lle, riemannian-hessian-lle, "               \
    "riemannian-laplacian, ksvm, krr, krr-tangent, krr-both, ts-lda, ts-lr and cov3dj; "           \
    "src and gsrc on vectors"

/* clang-format off */

/* The groups of a command whose matrices need no labels and may be larger than memory, and whose
 * work processes can share. */
#define COMMAND_LARGE_GROUPS(own) \
    {{"Options", (own)}, {NULL, options_ranks}, {"Reading data", options_matrices}, \
     {NULL, options_memory}, {"Common options", options_common}}

/* Rows that several commands have. */
#define OPTION_END     {.name = NULL}
#define OPTION_HELP    {"help", 'h', .common = 1, .help = "Show all options; -h: the common ones"}
#define OPTION_JSON    {"json", .common = 1, .help = "Print the results as one JSON object"}
#define OPTION_SEED \
    {"seed", 0, OPTION_INT, "N", "1", 0, INFINITY, .help = "Seed of the random numbers"}
#define OPTION_OUTPUT(endings, text) \
    .name = "output", .letter = 'o', .argument = "FILE", .type = OPTION_FILE, \
    .choice = (endings), .writes = 1, .common = 1, .help = (text)
#define OPTION_DATA_OUTPUT \
    {OPTION_OUTPUT(OPTION_DATA_ENDINGS, "The file to write; its extension decides the format"), \
     .required = 1}
#define OPTION_METRIC \
    {"metric", 0, OPTION_CHOICE, "NAME", "airm", .names = SPD_ENUM_METRIC, \
     .common = 1, .help = "Metric of the SPD matrices"}
#define OPTION_ENGINE \
    {"engine", 0, OPTION_CHOICE, "NAME", "cpu", .names = SPD_ENUM_ENGINE, \
     .help = "Hardware: cpu; cuda: an NVIDIA GPU (matrices up to 512 x 512 and metrics with GPU " \
             "kernels; everything else runs on the CPU); auto: the GPU if there is one and the " \
             "problem is large enough"}
#define OPTION_TIME \
    {"time", 0, OPTION_TEXT, "TIME", .common = 1, \
     .help = "auto: judge candidates for at most so long: 60s, 5m, 1h. The choice then depends on " \
             "how fast the machine is"}

/* clang-format on */

#endif
