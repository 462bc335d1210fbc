/* evaluation.h - what `evaluate` was asked, and what the library found. */
#ifndef SPD_CLI_EVALUATE_EVALUATION_H
#define SPD_CLI_EVALUATE_EVALUATION_H

#include "cli/evaluate/protocol.h"
#include "cli/evaluate/recognition.h"
#include "cli/frame/words.h"

typedef struct evaluation {
    recognition_set set;
    protocol protocol;
    size_t methods;
    spd_method *method;           /* methods, with the values that the user fixed */
    const spd_method **method_at; /* methods: where each is */
    spd_fit_options fit;          /* of learned maps */
    spd_grid grid;
    spd_evaluate_options options; /* points to all of these */
    spd_evaluation *found;
    words remarks;  /* its remarks in words */
    json_t *object; /* what --json prints, and files hold */
} evaluation;

/* What the command line says of it: options of learned maps; e->grid, with a look whether the
 * methods use what is given. (cmd_evaluate.c) */
void evaluation_fit_options(session *s, spd_fit_options *o);
void evaluation_grids(session *s, evaluation *e);
extern const option options_start[]; /* --init */

/* Runs it all, with remarks on the way. */
void evaluation_run(session *s, evaluation *e);

/* Accuracy over all rounds for each value of --by (protocol.by.count; NaN where none is
 * tested). */
double *evaluation_by(const evaluation *e, size_t method);

/* Prints table or JSON, with what --final asks for, and writes the files of --output. CLI_GOOD, or
 * CLI_INTERRUPTED where everything but the last is there. */
int evaluation_report(session *s, evaluation *e);

/* final.c: chooses parameters of the methods that --final names on all data. *list <- a JSON list
 * of what was chosen, with the commands that train so; NULL: none was asked for, or an experiment
 * runs. CLI_INTERRUPTED where it was ended by Ctrl-C: the list holds what there is. */
int evaluation_final(session *s, const evaluation *e, json_t **list);

/* The folders of --output and --keep: made where they are not there, and removed again when nothing
 * comes of it; can they be written to? Asked before long work. */
void evaluation_make_folder(session *s);

/* Writes predictions.npz, confusion.npz, rounds.csv and results.json into the folder of --output,
 * each whole or not at all; nothing without --output. */
void evaluation_write(session *s, const evaluation *e);

/* final.json: the list of evaluation_final. */
void evaluation_write_final(session *s, const json_t *list);

/* Trains the methods with what was chosen, each round's on its training part, and writes them into
 * the folder of --keep: METHOD.spdml, or METHOD-ROUND.spdml where there are several rounds. Nothing
 * without --keep. How many there are. */
size_t evaluation_keep(session *s, const evaluation *e);

/* In how many rounds a method with a map has done without: m is the size of the matrices. */
size_t evaluation_without_map(const evaluation *e, size_t method);

/* text <- "m 23, nu-b 1..5, objective ratio", the values of a method's parameters; the range where
 * rounds differ, "-" where there are none. The size that the matrices have anyway is "m 30 (no
 * map)". */
void evaluation_parameters_text(const evaluation *e, size_t method, char *text, size_t size);

#endif
