/* show_trained.h - a trained method in words: what `train` and `info` show; and how it is loaded.
 */
#ifndef SPD_CLI_METHODS_SHOW_TRAINED_H
#define SPD_CLI_METHODS_SHOW_TRAINED_H

#include "cli/methods/recognition.h"

/* A trained method from a file, and the classes of its training as a data set that holds no more
 * than them. */
typedef struct trained_method {
    spd_classifier *classifier;
    spd_classifier_facts facts;
    spd_data classes; /* classes, class_name, y's type, source and meta */
    spd_array y;
} trained_method;

/* *t <- from a file; a model or a data set there ends the command with what it is. */
void trained_load(session *s, const char *path, trained_method *t);

/* The name of a method; the values of its parameters. */
void show_method(sheet *r, const spd_method *method);
void show_values(sheet *r, const spd_method *method);

/* Method, values, sizes, classes, cross-validation, and what the file holds of its samples. */
void show_trained(sheet *r, const spd_classifier *c);

/* The candidates of `auto`: a row for each, the chosen one marked, and what accuracy to expect on
 * new samples. */
void show_league(sheet *r, const spd_league *league);

#endif
