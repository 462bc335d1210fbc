/* trained.h - a trained method from the inside. */
#ifndef SPD_EVALUATE_TRAINED_H
#define SPD_EVALUATE_TRAINED_H

#include "evaluate/alignment.h"
#include "evaluate/map.h"
#include "io/file.h"
#include "learn/record.h"

struct spd_classifier {
    training_state state;         /* its training samples are mapped, and its own */
    map map;                      /* the identity where the method has none */
    alignment align;              /* before the map */
    size_t learned;               /* samples that it was trained with */
    int regression;               /* non-zero: its score is a number, and there are no classes */
    double r2, error;             /* regression: of training samples left out */
    double missed;                /* training_state */
    double scale_low, scale_high; /* of the facts */
    spd_metadata notes;
    arena told; /* the texts of the notes */
};

/* Notes of a method that was told nothing. */
spd_metadata trained_no_notes(void);

/* regression.c: numbers in place of classes. Labels of the training samples <- one class, in room, if
 * they have numbers and the method can do it. */
spd_status regression_take(spd_context *ctx, const spd_method *method, arena *room, samples *train);

/* What training has found of the samples left out. y (c->learned): their numbers, or NULL; where
 * landmarks alone are held, the classifier has only theirs. */
void regression_note(spd_classifier *c, const double *y);

/* *out <- the one with the least error, for auto. */
spd_status regression_choose(spd_context *ctx, const spd_method *method, const spd_samples *train,
                             spd_classifier **out);

/* Of spd_classifier. */
extern const record_kind trained_record;

/* alignment_file.c: the part of a trained method's file about normalising and recentring. Names of
 * groups, and what notes->group_name points to, belong to the bundle and to meta. */
void alignment_write(record_writer *w, const spd_classifier *c);
spd_status alignment_read(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                          spd_classifier *c);
spd_status alignment_read_names(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                                spd_metadata *notes);

#endif
