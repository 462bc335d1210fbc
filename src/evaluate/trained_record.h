/* trained_record.h - what writing and reading a trained method have in common: the names of things
 * in its file, which holds meta.json with method, sizes and notes; W or the models of the map; the
 * names of the classes; and what the classifier keeps (shelf.h). */
#ifndef SPD_EVALUATE_TRAINED_RECORD_H
#define SPD_EVALUATE_TRAINED_RECORD_H

#include "learn/model.h"

/* The numbers of a file. */
typedef struct trained_sizes {
    size_t n, m;
    size_t p;       /* samples that it holds something of */
    size_t learned; /* samples that it was trained with */
    size_t height, width, classes;
    size_t parts; /* of a multi map */
    size_t nu_w, nu_b;
    spd_objective objective;
    int hermitian; /* n and m are of real forms */
} trained_sizes;

#define TRAINED_SIZES 12
extern const field trained_size_fields[TRAINED_SIZES];

#define PART_ROOM 24

/* What the object and the arrays of a part of multi are called. */
typedef struct part_names {
    char object[PART_ROOM], W[PART_ROOM], history[PART_ROOM];
} part_names;
part_names trained_part(size_t i);

/* The same for a map that is one model. */
#define TRAINED_MODEL "model"
extern const model_names trained_model_names;

#endif
