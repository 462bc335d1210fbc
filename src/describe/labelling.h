/* labelling.h - the label of every input, and further columns: from an index file, from arrays,
 * or from the inputs' names. */
#ifndef SPD_DESCRIBE_LABELLING_H
#define SPD_DESCRIBE_LABELLING_H

#include "formats/columns.h"
#include "describe/inputs.h"
#include "spdml-data.h"

/* A row of an index by the base name of its file. */
typedef struct index_key {
    const char *base, *file; /* the name, and all that the row says of it */
    size_t row;
} index_key;

/* An index file: a row per input. */
typedef struct index_file {
    size_t rows, columns;
    spd_array **column; /* texts, integers or reals, each named; the first holds the files */
    index_key *order;   /* sorted */
} index_file;

spd_status index_read(spd_context *ctx, const char *path, index_file *index);
void index_free(index_file *index);

/* Does a table begin as an index with a header does: "file,label"? */
int index_is_likely(const char *bytes, size_t size);

/* *row <- the row whose file is the end of the path, or else has its base name; SPD_EINVAL when
 * there is none or more than one. */
spd_status index_find(spd_context *ctx, const index_file *index, const char *name, size_t *row);

/* Where the labels and columns of the inputs are. */
typedef struct labelling {
    cell *label;      /* of each input; without an array: no labels */
    index_file index; /* or what names give in its place: column 1 the labels; some may be NULL */
    size_t *row;      /* of each input in it */
} labelling;

/* Finds them for all inputs, before anything is described. Free in any case. */
spd_status labelling_find(spd_context *ctx, inputs *list, labelling *l);

/* Was input i left out, because its labels are not to be had? */
int labelling_lacks(const labelling *l, size_t i);
void labelling_free(labelling *l);

#endif
