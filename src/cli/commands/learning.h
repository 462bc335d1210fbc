/* learning.h - what commands around the learner share: the graph options, labels with unknown
 * ones among them, and a graph of the user's own. */
#ifndef SPD_CLI_COMMANDS_LEARNING_H
#define SPD_CLI_COMMANDS_LEARNING_H

#include "cli/frame/session.h"

typedef struct learning {
    spd_data *data;
    int *label;     /* p class numbers, -1 where unknown; NULL without labels */
    size_t classes; /* how many there are; what means unknown is none */
    spd_fit_options options;
    int auto_nu_b; /* --nu-b auto */
} learning;

/* l->options <- what the options of options_graph and options_objective say that stand on the
 * command line; their defaults are those of spd_fit_defaults. */
void learning_options(session *s, learning *l);

/* Loads the data set with its labels, and the user's own graph; checks that what the learner needs
 * is there. */
void learning_load(session *s, const char *path, learning *l);

/* l->options.nu_b <- chosen by cross-validation when --nu-b auto was given; options.m is set. */
void learning_choose_nu_b(session *s, learning *l);

#endif
