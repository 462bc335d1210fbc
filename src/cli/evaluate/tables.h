/* tables.h - the results of an evaluation as table, as JSON and as files. */
#ifndef SPD_CLI_EVALUATE_TABLES_H
#define SPD_CLI_EVALUATE_TABLES_H

#include "cli/evaluate/evaluation.h"

/* Prints table or JSON, and writes the files of --output. */
void evaluation_report(session *s, evaluation *e);

/* The folder of --output: made where it is not there, and removed again when nothing comes of it;
 * can it be written to? Asked before long work. Nothing without --output. */
void evaluation_make_folder(session *s);

/* Writes predictions.npz, confusion.npz, rounds.csv and results.json into the folder of --output,
 * each whole or not at all; nothing without --output. */
void evaluation_write(session *s, const evaluation *e);

/* text <- "m 23, nu-b 1..5", the values of a method's parameters; the range where rounds differ,
 * "-" where there are none. The size that the matrices have anyway is "m 30 (no map)". */
void evaluation_parameters_text(const evaluation *e, size_t method, char *text, size_t size);

#endif
