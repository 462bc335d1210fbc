/* collection.h - what has come of the inputs so far, and the data set made of it. */
#ifndef SPD_DESCRIBE_COLLECTION_H
#define SPD_DESCRIBE_COLLECTION_H

#include "describe/labelling.h"
#include "spdml-data.h"

/* What came of one input. */
typedef struct part {
    size_t item;
    description made;
    image *picture; /* one channel, or NULL */
} part;

typedef struct collection {
    size_t parts;
    part *part;
} collection;

/* Moves what came of an input over. SPD_EINVAL when sizes do not agree with those before; the
 * message names the other input, not this one. */
spd_status collection_add(spd_context *ctx, const inputs *list, size_t i, description *made,
                          image **picture, collection *all);
void collection_free(collection *all);

/* *data <- the matrices with labels and columns, new. */
spd_status collection_data(spd_context *ctx, const inputs *list, const labelling *labels,
                           const collection *all, spd_data **data);

#endif
