/* experiment.h - the evaluation of the method's paper, as plain commands with a fixed protocol.
 *
 * An experiment runs `spdml synth`, `describe` and `evaluate` with words that it makes up, in one
 * folder, and gathers what they leave there into one table. The words are kept and shown, so that
 * everyone can do the same by hand. */
#ifndef SPD_CLI_EXPERIMENT_EXPERIMENT_H
#define SPD_CLI_EXPERIMENT_EXPERIMENT_H

#include <jansson.h>
#include <stdio.h>

#include "cli/frame/session.h"
#include "cli/report/svg.h"

#define EXPERIMENT_NAME  64 /* characters of a row's or a column's name */
#define EXPERIMENT_MARKS 2

/* The paper's methods on matrices. */
#define EXPERIMENT_METHODS "nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,rsr,rsr-ml,cdl,pca-nn-airm"

/* ---- words ------------------------------------------------------------------------------------
 */

/* The words of a command line after `spdml`, or lines of text. */
typedef struct words {
    size_t count, room;
    char **word;
} words;

void words_add(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(words *w);

/* Adds the pieces of a text between separators. */
void words_split(words *w, const char *text, const char *separator);

/* ---- results ----------------------------------------------------------------------------------
 */

/* Accuracies as shares: of methods under protocols, or of points of a figure by method. */
typedef struct experiment_table {
    size_t rows, columns;
    char (*row)[EXPERIMENT_NAME];
    char (*column)[EXPERIMENT_NAME];
    double *value, *deviation; /* rows x columns; NaN: none */
    double *paper;             /* the same; NaN: not known */
    char *compared;            /* columns: 1 where figures of the paper stand beside */
} experiment_table;

/* A line across a figure. */
typedef struct experiment_mark {
    double at;
    char name[EXPERIMENT_NAME];
} experiment_mark;

struct experiment_kind;

typedef struct experiment {
    session *s;
    const struct experiment_kind *kind;
    const char *data;    /* of the user; NULL: generated */
    const char *methods; /* with commas */
    const char *folder;  /* where everything is put */
    int temporary;       /* the folder vanishes at the end */
    int made;            /* the folder was not there before */
    int quick;
    size_t repeats;    /* random splits */
    size_t m;          /* of the figures */
    words commands;    /* what has been run, as one would type it */
    words notes;       /* what the reader should know */
    words reports;     /* pages of evaluations, relative to the folder */
    char *protocol;    /* in words */
    char matrices[80]; /* "216 matrices 155 x 155, 18 classes" */
    experiment_table table;
    json_t *paper; /* of --paper, or NULL */
    size_t marks;
    experiment_mark mark[EXPERIMENT_MARKS];
} experiment;

/* What may follow `spdml experiment`. */
typedef struct experiment_kind {
    const char *name, *title;
    const char *methods;   /* by default */
    const char *generated; /* what is generated, in words */
    int (*run)(experiment *x);
    const char *x_label; /* a figure: what its rows are; NULL: a table */
    svg_scale x_scale;   /* SVG_LOG10: rows are shown by their logarithms */
} experiment_kind;

/* ---- steps: experiment_steps.c ----------------------------------------------------------------
 */

/* Runs the command that the words make, keeps the line, and leaves its results out of stdout. An
 * exit status. */
int experiment_step(experiment *x, const words *w);

/* Keeps a line for the reader without running it; a word that begins with @ is a file in the
 * folder. */
void experiment_show(experiment *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* path <- a name in the folder; freed with cli_free. */
char *experiment_path(const experiment *x, const char *name);

/* *path (freed with cli_free) <- the file with the matrices: the user's own, or covs.npz, described
 * from the user's files or from generated ones. descriptor holds the words of `describe` before its
 * inputs, synth those of `synth` before its output. */
int experiment_matrices(experiment *x, const words *synth, const words *descriptor, char **path);

/* values <- what a column of that file holds, each once, in order. An exit status. */
int experiment_values(experiment *x, const char *path, const char *column, words *values);

/* The words of `evaluate` up to the protocol: data, methods, where to, and what --quick saves. */
void experiment_evaluate_words(experiment *x, const char *path, const char *folder, int page,
                               words *w);

/* ---- tables: experiment_gather.c ---------------------------------------------------------------
 */

/* The column of that name <- results.json of a folder within the folder; rows are the methods, made
 * by the first call. An exit status. With by, a column for each of its values is put before. */
int experiment_gather(experiment *x, const char *folder, const char *column, int by);

/* A table of that size with nothing in it. */
void experiment_table_make(experiment_table *t, size_t rows, size_t columns);
void experiment_table_free(experiment_table *t);

/* The row of that name, made where there is none; the column of that name, or t->columns. */
size_t experiment_table_row(experiment_table *t, const char *name);
size_t experiment_table_column(const experiment_table *t, const char *name);

/* ---- published figures: experiment_paper.c ----------------------------------------------------
 */

/* Reads the file of --paper. An exit status. */
int experiment_load_paper(experiment *x);

/* Rows and figures that the paper has, as far as they are known, and those of the file. */
void experiment_add_paper(experiment *x);

/* Has the table a figure of the paper? */
int experiment_has_paper(const experiment *x);

/* ---- results: experiment_report.c, experiment_page.c ------------------------------------------
 */

/* Prints the table or JSON; with --output also table.csv, commands.sh, report.html, and figure.svg
 * of a figure. An exit status. */
int experiment_report(experiment *x);

/* text_file_fn's of an experiment. */
void experiment_print_page(FILE *f, const void *experiment);
void experiment_print_figure(FILE *f, const void *experiment);

/* ---- the experiments --------------------------------------------------------------------------
 */

int experiment_materials(experiment *x);    /* experiment_tables.c */
int experiment_motion(experiment *x);       /* experiment_tables.c */
int experiment_faces(experiment *x);        /* experiment_tables.c */
int experiment_nu_b(experiment *x);         /* experiment_nu_b.c */
int experiment_observations(experiment *x); /* experiment_observations.c */

/* *path <- as experiment_matrices, for textures. */
int experiment_textures(experiment *x, char **path);

#endif
