/* trained.h - a trained method from the inside. */
#ifndef SPD_EVALUATE_TRAINED_H
#define SPD_EVALUATE_TRAINED_H

#include "evaluate/map.h"
#include "io/file.h"

struct spd_classifier {
    course course;  /* its training samples are mapped, and its own */
    map map;        /* the identity where the method has none */
    size_t learned; /* samples that it was trained with */
    spd_notes notes;
    arena told; /* the texts of the notes */
};

/* Notes of a method that was told nothing. */
spd_notes trained_no_notes(void);

/* Notes the names of the classes that the training samples bring, and lets go of them. */
spd_status trained_take_names(spd_context *ctx, spd_classifier *c);

/* The steps of training on samples that are mapped and the course's own; values that are not fixed
 * take their defaults. A remark of any step comes back. */
spd_status trained_run_steps(spd_context *ctx, course *c);

/* *trained <- what a bundle holds, everything checked. */
spd_status trained_from_bundle(spd_context *ctx, const io_bundle *bundle, spd_classifier **trained);

/* The learned map, now the caller's, or NULL; the classifier may only be freed then. */
spd_model *trained_take_model(spd_classifier *trained);

#endif
