/* compare.h - results of evaluations side by side: what was read, and what was found. */
#ifndef SPD_CLI_COMPARE_COMPARE_H
#define SPD_CLI_COMPARE_COMPARE_H

#include <jansson.h>

#include "cli/frame/session.h"
#include "cli/frame/words.h"

/* A method of a run. */
typedef struct entry {
    const char *run, *method;
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
    int all_pairs;  /* else all against the first entry */
    across *across; /* NULL: the runs are on one data set */
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

/* print.c: a text_file_fn; what is a comparison. */
void comparison_print(FILE *f, const void *what);

/* Is there such a score in any entry? */
int comparison_has(const comparison *c, size_t score);

#endif
