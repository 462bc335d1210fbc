/* learning.h - what commands around the learner share: the graph options, labels with unknown
 * ones among them, and a graph of the user's own. */
#ifndef SPD_CLI_COMMANDS_LEARNING_H
#define SPD_CLI_COMMANDS_LEARNING_H

#include "cli/frame/sets.h"

typedef struct learning {
    spd_data *data;
    large_set set;    /* where its matrices are; the same data */
    int may_be_large; /* they need not be in memory */
    int *label;       /* p class numbers, -1 where unknown; NULL without labels */
    size_t classes;   /* how many there are; what means unknown is none */
    spd_fit_options
        options;           /* of complex matrices m is that of the real form, once they are read */
    int auto_m, auto_nu_b; /* -m auto, --nu-b auto */
    int nu_b_by_paper;     /* auto_nu_b, since --paper says so: a default where it cannot be */
    json_t *chosen;        /* what was chosen by cross-validation, and how; NULL: nothing was */
} learning;

/* l->options.m or auto_m <- what -m says, if it is there; before learning_options. */
void learning_take_m(session *s, learning *l);

/* l->options <- what the options of options_graph and options_objective say that stand on the
 * command line; their defaults are those of spd_fit_defaults. options.paper is set before. */
void learning_options(session *s, learning *l);

/* Loads the data set with its labels, and the user's own graph; checks that what the learner needs
 * is there. */
void learning_load(session *s, const char *path, learning *l);

/* choosing.c: l->options.m and nu_b <- chosen by cross-validation where -m auto and --nu-b auto
 * were given, or --paper says so, together; otherwise options.m is set. Sets l->chosen. */
void learning_choose(session *s, learning *l);

/* choosing.c: the command line with what was chosen in place of auto. */
const char *learning_again(const session *s, const learning *l);

#endif
