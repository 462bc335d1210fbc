/* collection.h - what has come of the inputs so far, and the data set made of it. */
#ifndef SPD_DESCRIBE_COLLECTION_H
#define SPD_DESCRIBE_COLLECTION_H

#include "describe/labelling.h"
#include "spdml-data.h"

typedef struct collection {
    size_t p, n;
    double *X;    /* p x n x n */
    size_t *item; /* p: the input of each matrix */
    size_t columns;
    const char *const *column_name;
    double *column; /* p x columns */
    size_t images, height, width;
    double *image;    /* images x height x width, one for each input */
    size_t *image_of; /* p: the image of each matrix */
} collection;

/* Adds what came of an input; picture (one channel) or NULL. SPD_EINVAL when sizes do not agree
 * with those before; the message names the other input, not this one. */
spd_status collection_add(spd_context *ctx, const inputs *list, size_t i, const description *made,
                          const image *picture, collection *all);
void collection_free(collection *all);

/* *data <- the matrices with labels and columns, new; X moves over. */
spd_status collection_data(spd_context *ctx, const inputs *list, const labelling *labels,
                           collection *all, spd_data **data);

#endif
