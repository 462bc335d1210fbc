/* tune.h - the search for the best values of methods that share a map, step by step. */
#ifndef SPD_EVALUATE_TUNE_H
#define SPD_EVALUATE_TUNE_H

#include "evaluate/trials.h"

typedef struct tuner {
    spd_context *ctx;
    arena room; /* all of it */
    trial_shared shared;
    spd_method *method; /* methods, to be filled after tuner_open */
    settings *settings; /* methods; the same maps for all */
    size_t *fold;       /* p */
    int64_t **right;    /* methods: folds x settings each */
    char **hit;         /* methods: settings x p each */
    size_t **out;       /* methods: map settings each */
    int mapped;         /* non-zero: no map does not compete */
} tuner;

/* *mine <- the caller's options, checked. */
spd_status tuner_options(spd_context *ctx, const spd_tune_options *given, spd_tune_options *mine);

/* Room for `count` methods; to be closed with tuner_close, always. */
spd_status tuner_open(tuner *t, spd_context *ctx, const samples *train, size_t count,
                      int exhaustive);
void tuner_close(tuner *t);

/* t->settings <- of the methods; grid may be NULL. */
spd_status tuner_plan(tuner *t, const spd_grid *grid);

/* The folds. SPD_EINVAL if one leaves fewer than two classes to train on. */
spd_status tuner_deal(tuner *t, const spd_tune_options *tuning);

/* Runs all trials: fills right, hit and out. */
spd_status tuner_search(tuner *t);

/* How many samples are tested in any fold. */
size_t tuner_tested(const tuner *t);

/* Does the first get more right than the second by over one standard error of the difference? Both
 * (p): how often each sample was right, as often judged. */
int tuner_beats(const tuner *t, const char *first, const char *second);

#endif
