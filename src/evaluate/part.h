/* part.h - some of the samples, copied together. */
#ifndef SPD_EVALUATE_PART_H
#define SPD_EVALUATE_PART_H

#include "classify/classifier.h"

/* s holds copies of its own, label not NULL; freed with part_free, always. */
typedef struct part {
    samples s;
    size_t *index; /* s.p: which of the whole set */
    double *X, *V;
    int *label;
} part;

/* result <- the samples whose fold is `fold` (inside), or all others (!inside). Of matrices and
 * vectors only what is needed: vectors says which. */
spd_status part_take(spd_context *ctx, const samples *whole, const size_t *fold, size_t which,
                     int inside, int vectors, part *result);
void part_free(part *a);

#endif
