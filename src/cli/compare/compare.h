/* compare.h - results of evaluations side by side: what was read, and what was found. */
#ifndef SPD_CLI_COMPARE_COMPARE_H
#define SPD_CLI_COMPARE_COMPARE_H

#include <jansson.h>

#include "cli/frame/session.h"
#include "cli/frame/words.h"

/* The figures of an entry. */
typedef enum figure {
    FIGURE_ACCURACY = 0,
    FIGURE_BALANCED,
    FIGURE_KAPPA,
    FIGURE_F1,
    FIGURE_AUC,
    FIGURES /* how many there are */
} figure;

/* A method of a run. */
typedef struct entry {
    const char *run, *method;
    double mean[FIGURES], deviation[FIGURES]; /* NaN where there is none */
    double *accuracy;                         /* rounds */
    const char **right;                       /* rounds: "1101", a letter for each test */
} entry;

/* Two entries compared; p values are NaN where there is no such test. */
typedef struct duel {
    size_t first, second; /* entries */
    double difference;    /* of the mean accuracies, second less first */
    double mcnemar, mcnemar_holm;
    double wilcoxon, wilcoxon_holm;
} duel;

typedef struct comparison {
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
    int all_pairs; /* else all against the first entry */
} comparison;

/* runs.c: c->run .. entry <- from the files that the operands name, each results.json of an
 * evaluation or the folder that holds one. */
void comparison_read(session *s, comparison *c);

/* judge.c: have all runs tested the same samples in the same rounds? If not, the command ends. */
void comparison_check_same(session *s, const comparison *c);

/* judge.c: c->duel <- all tests, corrected for their number. */
void comparison_judge(session *s, comparison *c);

/* print.c: a text_file_fn for each format; what is a comparison. */
void comparison_text(FILE *f, const void *what);
void comparison_markdown(FILE *f, const void *what);
void comparison_latex(FILE *f, const void *what);
void comparison_csv(FILE *f, const void *what);

/* The name of a figure in JSON and csv: "accuracy", "balanced_accuracy", ... */
const char *figure_key(figure which);

/* Is there such a figure in any entry? */
int comparison_has(const comparison *c, figure which);

#endif
