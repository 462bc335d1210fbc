/* classes.h - samples sorted by class. */
#ifndef SPD_BASE_CLASSES_H
#define SPD_BASE_CLASSES_H

#include "base/arena.h"

/* Class numbers may have gaps: only classes with samples count here. */
typedef struct classes {
    size_t count;    /* of classes */
    size_t labelled; /* samples with a label */
    size_t smallest, largest;
    size_t *order;    /* p samples: class by class, ascending within each; then the unlabelled */
    size_t *first;    /* count + 1: where in order a class begins */
    const int *label; /* p: borrowed */
} classes;

/* c <- the classes of label (p; negative: unknown). */
spd_status classes_sort(spd_context *ctx, size_t p, const int *label, arena *keep, classes *c);

size_t class_size(const classes *c, size_t which);

/* The label that the samples of a class have. */
int class_label(const classes *c, size_t which);

#endif
