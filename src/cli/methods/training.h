/* training.h - a method of the command line with its parameters chosen and trained: what `train`
 * and `classify` share, and `evaluate` in part. */
#ifndef SPD_CLI_METHODS_TRAINING_H
#define SPD_CLI_METHODS_TRAINING_H

#include "cli/methods/groups.h"
#include "cli/methods/recognition.h"

extern const option options_method[];   /* --method --metric --model --engine */
extern const option options_choosing[]; /* --no-tune --cv-groups --grid --seed */
extern const option options_start[];    /* --init */

#define OPTION_GRID(more)                                                                          \
    {                                                                                              \
        "grid", 0, OPTION_TEXT, "NAME=VALUE,...",                                                  \
            .repeatable = 1,                                                                       \
            .help = "The value of a parameter, such as lambda=0.1, or several to choose from, "    \
                    "instead "                                                                     \
                    "of the default ones" more                                                     \
    }

/* The groups of options about learned maps. */
/* clang-format off */
#define COMMAND_MAP_GROUPS \
    {"The learned map", options_paper}, {NULL, options_start}
/* clang-format on */

typedef struct training {
    spd_method method;
    spd_fit_options fit; /* of a learned map */
    spd_grid grid;
    size_t grids; /* parameters with several values in it */
    recognition_set set;
    const char *target;  /* the column of numbers to be predicted, or NULL: classes */
    groups groups;       /* of --cv-groups */
    spd_model *model;    /* of --model, or NULL */
    spd_tune_info tuned; /* settings is 0 if nothing was chosen */
    spd_league *league;  /* of auto, or NULL */
    spd_classifier *classifier;
    int folds;      /* of the cross-validation */
    double seconds; /* of --time, or 0 */
    double tune_seconds, fit_seconds;
} training;

/* o <- the options of learned maps. */
void training_fit_options(session *s, spd_fit_options *o);

/* The values of the methods and *grid <- the options of parameters and --grid: one value of a parameter is
 * fixed, several are chosen from. Returns of how many parameters there are several; ends the
 * command if none of the methods uses one that is given. */
size_t training_values(session *s, size_t methods, spd_method *method, spd_grid *grid);

/* The seconds of --time, or 0; ends the command if it is no time, or auto is not among the methods.
 */
double training_time(session *s, size_t methods, const spd_method *method);

/* t->method, fit and grid <- what the command line says. */
void training_take(session *s, training *t);

/* Loads labelled samples and the model. */
void training_load(session *s, const char *path, training *t);

/* Chooses parameters that are not given, unless --no-tune or --model is given, and trains. */
void training_run(session *s, training *t);

#endif
