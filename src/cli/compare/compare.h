/* compare.h - results of evaluations side by side: what was read, and what was found. */
#ifndef SPD_CLI_COMPARE_COMPARE_H
#define SPD_CLI_COMPARE_COMPARE_H

#include <jansson.h>

#include "cli/frame/session.h"
#include "cli/frame/words.h"

/* A method of a run. */
typedef struct entry {
    const char *run, *method;
    size_t of, rounds; /* the number of its run */
    const json_t *result;
    double mean[SPD_RESULT_SCORES], deviation[SPD_RESULT_SCORES]; /* NaN: there is none */
    double *accuracy;                                             /* rounds */
    const char **right; /* rounds: "1101", a letter for each test */
} entry;

/* Two entries compared; p values are NaN where there is no such test. */
typedef struct duel {
    size_t first, second; /* entries */
    double difference;    /* of the mean accuracies, second less first */
    double mcnemar, mcnemar_holm;
    double wilcoxon, wilcoxon_holm;
} duel;

/* Methods over several data sets. */
typedef struct across {
    size_t sets, methods;
    const char **method;
    double *accuracy;            /* methods x sets */
    double *rank;                /* methods: mean over the sets, 1 is the best */
    double friedman, friedman_p; /* chi-squared with methods - 1 degrees of freedom */
    double *wilcoxon, *holm;     /* methods: against the first, whose own are NaN */
} across;

/* A number of a table: ours or the paper's, accuracies as shares. */
typedef struct accuracy_cell {
    const char *row, *column;
    double mean, deviation; /* NaN: there is none */
    int paper;
} accuracy_cell;

/* Accuracies of all runs in one table. */
typedef struct accuracy_table {
    const char *against; /* the number whose values are the rows, methods being the columns; NULL:
                            methods are the rows */
    words row, column;
    size_t cells;
    accuracy_cell *cell;
    words mark;  /* "NAME=NUMBER": lines across the figure */
    words notes; /* what was used, remarks, and what the paper's figures are of */
} accuracy_table;

typedef enum style { STYLE_TEXT, STYLE_MARKDOWN, STYLE_LATEX, STYLE_CSV } style;

typedef struct comparison {
    style style; /* of its tables */
    size_t runs;
    const char **run;       /* what they are called */
    const json_t **root;    /* their results.json */
    size_t rounds, tests;   /* of the first run; tests over all rounds */
    int repeats_samples;    /* its samples may be tested in several rounds */
    int several_deviations; /* there is more than one round in some run */
    const char *protocol;   /* its protocol in words */
    size_t entries;
    entry *entry;
    size_t duels; /* 0 without tests */
    duel *duel;
    int all_pairs;         /* else all against the first entry */
    across *across;        /* NULL: the runs are on one data set */
    int one_name;          /* all runs are called alike */
    accuracy_table *table; /* NULL: the entries are listed */
} comparison;

/* runs.c: c->run .. entry <- from the files that the operands name, each results.json of an
 * evaluation or the folder that holds one. */
void comparison_read(session *s, comparison *c);

/* judge.c: have all runs tested the same samples in the same rounds? If not, the command ends. */
void comparison_check_same(session *s, const comparison *c);

/* judge.c: c->duel <- all tests, corrected for their number. */
void comparison_judge(session *s, comparison *c);

/* across.c: c->across <- ranks and tests, each run being on another data set. */
void comparison_across(session *s, comparison *c);

/* accuracies.c: c->table <- the accuracies, with the published ones of a file beside them; either text may
 * be NULL. Entries of one row and column are repetitions: their mean and deviation are shown. */
void comparison_accuracies(comparison *c, const char *beside, const char *against);

/* The number in a cell, with its deviation; NaN where there is none. Has the paper figures in that
 * column? Are its numbers seconds, not shares? The rows as JSON. */
double accuracies_at(const accuracy_table *t, size_t row, size_t column, int paper,
                     double *deviation);
int accuracies_compared(const accuracy_table *t, size_t column);
int accuracies_are_seconds(const accuracy_table *t, size_t column);
json_t *accuracies_json(const accuracy_table *t);

/* curves.c: the figure, into a file whose ending says the form. */
void accuracies_draw(const accuracy_table *t, const char *path);

/* print.c: a text_file_fn; what is a comparison. */
void comparison_print(FILE *f, const void *what);

/* Is there such a score in any entry? */
int comparison_has(const comparison *c, size_t score);

#endif
