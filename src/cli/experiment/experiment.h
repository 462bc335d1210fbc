/* experiment.h - a recipe that is run: its steps are plain commands, in one folder, and what they
 * leave there is gathered into one table with the paper's figures next to ours. */
#ifndef SPD_CLI_EXPERIMENT_EXPERIMENT_H
#define SPD_CLI_EXPERIMENT_EXPERIMENT_H

#include <stdio.h>

#include "cli/experiment/recipe.h"
#include "cli/experiment/accuracies.h"
#include "cli/frame/session.h"
#include "cli/drawing/draw.h"

#define EXPERIMENT_MARKS    4
#define EXPERIMENT_CITATION "Harandi, Salzmann, Hartley: From Manifold to Manifold, ECCV 2014"
#define EXPERIMENT_SECONDS  "seconds to recognise the test matrices of one split"

typedef struct experiment {
    session *s;
    recipe recipe;
    const char *data;   /* of the user; NULL: generated */
    const char *folder; /* where everything is put */
    int temporary;      /* the folder vanishes at the end */
    int checking;       /* the lines are read, and nothing is done */
    int resuming;       /* steps in `finished` are not run again */
    int gathers;        /* the recipe has a table */
    size_t walked;      /* lines so far */
    int depth;          /* loops that the current line is in */
    words finished;     /* steps of an earlier run */
    /* what comes of it */
    words commands; /* what has been run, as one would type it */
    words script;   /* the same as it runs in the folder */
    words notes;    /* what the reader should know */
    words reports;  /* pages of evaluations, relative to the folder */
    const char *title, *generated, *protocol, *paper_data; /* "" where there is none, as below */
    const char *matrices; /* "216 matrices 155 x 155, 18 classes" */
    const char *source;   /* where the data come from, in words */
    const char *axis;     /* a figure: what its rows are */
    draw_scale scale;     /* DRAW_LOG10: rows are shown by their logarithms */
    words mark;           /* lines across the figure: their names */
    double mark_at[EXPERIMENT_MARKS];
    table table, times;
    words paper_columns;
    table paper; /* as the recipe has it */
} experiment;

/* Reads all lines: with x->checking nothing is run or gathered, and what can be refused is refused.
 * interpret.c */
void experiment_walk(experiment *x);

/* The words of lines; the first says what the line is. steps.c, gather.c */
void experiment_step(experiment *x, const words *w);
void experiment_gather(experiment *x, const words *w);
void experiment_seconds(experiment *x, const words *w);
void experiment_published(experiment *x, const words *w);

/* Puts the paper's figures into the table: where a cell is there, and those of methods that were
 * not run here as rows of their own, unless the user has chosen the methods. gather.c */
void experiment_add_paper(experiment *x);

/* Prints the table or JSON; with --output also table.csv, report.html, and figure.svg and .pdf of a figure.
 * findings.c */
void experiment_report(experiment *x);

/* text_file_fn's of an experiment: steps.c, findings.c. */
void experiment_print_script(FILE *f, const void *experiment);
void experiment_print_page(FILE *f, const void *experiment);

#endif
