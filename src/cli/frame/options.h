/* options.h - what a command understands, as tables.
 *
 * One table per command feeds parsing, range checks, --help, man pages and completion. An
 * option's row says everything about it; nothing else in the command repeats its name, default
 * or range. */
#ifndef SPD_CLI_FRAME_OPTIONS_H
#define SPD_CLI_FRAME_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

typedef enum option_type {
    OPTION_FLAG = 0,
    OPTION_INT,
    OPTION_REAL,
    OPTION_TEXT,
    OPTION_CHOICE,
    OPTION_FILE
} option_type;

/* The i-th word of a list, NULL past its end. */
typedef const char *(*option_choice_fn)(size_t i);

/* A row of a table gives the first members in this order, as far as it has any, then by name what
 * is rarer: {"tol", 0, OPTION_REAL, "E", "1e-12", 1e-16, 1, .help = "Stop when ..."}. */
typedef struct option {
    const char *name; /* long name without its dashes; NULL ends a table */
    int letter;       /* short form, or 0 */
    option_type type;
    const char *argument;    /* what help calls the value; NULL for a flag */
    const char *standard;    /* the default as it would be typed, or NULL */
    double min, max;         /* numbers: the closed range */
    const char *help;        /* one sentence; choices, range and default are added to it */
    option_choice_fn choice; /* a choice: the words; a file to write: the endings; else NULL */
    const char *bare;        /* a choice whose value may be left out: the value then; else NULL */
    const char *(*alias)(const char *text); /* other spellings of a choice, or NULL */
    option_choice_fn words; /* a text: words that shells complete it with, or NULL */
    int list;               /* of which several may stand, with commas between */
    int repeatable;         /* may be given several times, each counts; else the last one counts */
    int required;
    int writes; /* a file or folder that is written; other files are read */
} option;

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
    option_choice_fn first; /* words that shells complete the first operand with; NULL: files. Both
                               where the operand's name has a bar: "NAME|FILE" */
    option_group groups[COMMAND_GROUPS];
    const char *const *paragraphs; /* the long description, NULL at the end */
    const command_example *examples;
    int (*run)(struct session *session); /* returns an exit status of message.h */
} command;

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

/* "a, b or c" */
const char *option_list(option_choice_fn choice);

/* Is text one of the words of a choice? */
int option_is_choice(const option *o, const char *text);

/* The whole of text as a number; non-zero if it is none (or does not fit). */
int option_parse_int(const char *text, int64_t *value);
int option_parse_real(const char *text, double *value);

/* Groups and rows that several commands share. */
extern const option options_common[];      /* --json -q -v --threads --seed -h */
const char *option_engines(size_t i);      /* the names of --engine */
extern const option options_ranks[];       /* --mpi */
extern const option options_data_output[]; /* -o, a data set in the format of its extension */
extern const option
    options_data[]; /* --x --y --labels --symmetrize --regularize --ridge --anywhere */

extern const option options_memory[]; /* --memory */
extern const option options_store[];  /* --store */

/* Of the learner; options_learn.c. */
extern const option options_graph[];        /* --metric --nu-w --nu-b --graph ... */
extern const option options_unsupervised[]; /* --unsupervised */
extern const option options_objective[];    /* --objective */
extern const option options_paper[];        /* --paper */
extern const option options_cost[];         /* --affinity-weight --log-cost */
extern const option options_stop[];         /* --tol --max-iter */

const char *option_objectives(size_t i);
const char *option_auto(size_t i);    /* "auto" alone */
const char *option_methods(size_t i); /* methods that are often used, not all */
const char *option_metrics(size_t i);
const char *option_metric_alias(const char *text);
const char *option_array_endings(size_t i);  /* files that hold one array */
const char *option_searches(size_t i);       /* of neighbours */
const char *option_arrays_endings(size_t i); /* files that hold several */
const char *option_data_endings(size_t i);   /* files that hold a data set */
const char *option_model_endings(size_t i);

/* The groups of a command that reads data sets and has options of its own. */
#define COMMAND_DATA_GROUPS(own)                                                                   \
    {                                                                                              \
        {"Options", (own)}, {"Reading data", options_data}, {"Common options", options_common},    \
    }

/* The same where processes can share the work. */
#define COMMAND_SHARED_GROUPS(own)                                                                 \
    {                                                                                              \
        {"Options", (own)}, {NULL, options_ranks}, {"Reading data", options_data},                 \
            {"Common options", options_common},                                                    \
    }

/* And where data may also be larger than memory. */
#define COMMAND_LARGE_GROUPS(own)                                                                  \
    {                                                                                              \
        {"Options", (own)}, {NULL, options_ranks}, {"Reading data", options_data},                 \
            {NULL, options_memory}, {"Common options", options_common},                            \
    }

/* Rows that several commands have. */
#define OPTION_END                                                                                 \
    {                                                                                              \
        .name = NULL                                                                               \
    }
#define OPTION_HELP                                                                                \
    {                                                                                              \
        "help", 'h', .help = "Show this help"                                                      \
    }
#define OPTION_JSON                                                                                \
    {                                                                                              \
        "json", .help = "Print the results as one JSON object"                                     \
    }
#define OPTION_OUTPUT(endings, text)                                                               \
    .name = "output", .letter = 'o', .argument = "FILE", .type = OPTION_FILE, .choice = (endings), \
    .writes = 1, .help = (text)
#define OPTION_DATA_OUTPUT                                                                         \
    {                                                                                              \
        OPTION_OUTPUT(option_data_endings, "The file to write; its extension decides the format"), \
            .required = 1                                                                          \
    }
#define OPTION_METRIC                                                                              \
    {                                                                                              \
        "metric", 0, OPTION_CHOICE, "NAME", "airm", .choice = option_metrics,                      \
                                                    .alias = option_metric_alias,                  \
                                                    .help = "Metric of the SPD matrices"           \
    }
#define OPTION_ENGINE                                                                              \
    {                                                                                              \
        "engine", 0, OPTION_CHOICE, "NAME", "cpu",                                                 \
            .choice = option_engines,                                                              \
            .help = "Where it runs: cpu; cuda, an NVIDIA GPU (matrices up to 512 x 512, the "      \
                    "metrics that have kernels; the rest runs on the processor); auto, the "       \
                    "GPU where there is one and much to do"                                        \
    }
#define OPTION_SQUARED                                                                             \
    {                                                                                              \
        "squared", .help = "Compute squared distances"                                             \
    }

#endif
