/* model.h - models from the inside. A model is also the record that a fit keeps of its starts, and
 * that a checkpoint holds: it is copied whole. */
#ifndef SPD_LEARN_MODEL_H
#define SPD_LEARN_MODEL_H

#include "learn/record.h"
#include "optim/minimise.h"

#define MODEL_KIND      "spdml model"
#define CHECKPOINT_KIND "spdml checkpoint"
#define METHOD_KIND     "spdml trained method"

/* A model of this size and these options, W zero and without a history; NULL when out of memory. */
spd_model *model_new(size_t n, const spd_fit_options *options, const char *version);

/* A copy, with other options unless they are NULL; NULL when out of memory. */
spd_model *model_copy(const spd_model *from, const spd_fit_options *options);

/* SPD_EINVAL when an enumeration of the options has a value without a name. */
spd_status model_options_check(spd_context *ctx, const spd_fit_options *options);

/* The name of the first option that differs between two fits, tolerances and limits aside; 0 in
 * b's nu_w or nu_b, and auto in its coordinates or solver, is whatever a has. NULL when none does.
 */
const char *model_options_differ(const spd_fit_options *a, const spd_fit_options *b);

/* What the arrays of a model are called in a file. */
typedef struct model_names {
    const char *W, *history;
} model_names;

/* Adds the model: members and options to object, W and history as arrays of those names. What a
 * reader would refuse is a fault. */
void model_write(record_writer *w, const spd_model *model, const model_names *names,
                 json_t *object);

/* *model <- what meta and arrays of those names say, everything checked. */
spd_status model_read(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                      const model_names *names, const char *version, spd_model **model);

/* Of spd_model and spd_fit_state. */
extern const record_kind model_record, checkpoint_record;

/* A fit in progress, whole: what a checkpoint holds. Options are those of `now`. X itself is not
 * kept, only a fingerprint, so that a state is not resumed on other data. */
struct spd_fit_state {
    size_t p;
    uint64_t fingerprint; /* of X and label */
    size_t pairs;
    spd_pair *pair;    /* `pairs` of them: the graph */
    int start;         /* which restart is running, from 0 */
    double *L;         /* n x n: the factor of M (learn/coordinates.h); NULL for plain ones */
    minimise_state at; /* what the optimiser carries, in these coordinates */
    spd_model *now;    /* what the running start has found so far, and the whole fit has cost */
    spd_model *best;   /* the best of the starts that have ended; NULL before */
};

/* *model <- a copy of the better of now and best; SPD_ENOMEM without a message. */
spd_status state_model(const spd_fit_state *state, spd_model **model);

#endif
