/* learning.h - what commands around the learner share: the graph options, labels with unknown
 * ones among them, and a graph of the user's own. */
#ifndef SPD_CLI_COMMANDS_LEARNING_H
#define SPD_CLI_COMMANDS_LEARNING_H

#include "cli/frame/session.h"

typedef struct learning {
    spd_data *data;
    int *label; /* p class numbers, -1 where unknown; NULL without labels */
    spd_fit_options options;
    spd_pair *pairs; /* the user's own, or NULL */
    int auto_nu_b;   /* --nu-b auto */
} learning;

/* l->options <- what the options of options_graph say: all of them, or with given_only those that
 * stand on the command line. An exit status after a message. */
int learning_options(session *s, learning *l, int given_only);

/* Was the option given, or shall defaults count too? */
int learning_wants(const session *s, const char *name, int given_only);

/* Loads the data set with its labels, and the user's own graph; checks that what the learner needs
 * is there. An exit status after a message. */
int learning_load(session *s, const char *path, learning *l);

/* l->options.nu_b <- chosen by cross-validation when --nu-b auto was given; options.m is set. */
int learning_choose_nu_b(session *s, learning *l);

void learning_free(learning *l);

#endif
