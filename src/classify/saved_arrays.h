/* saved_arrays.h - what a trained classifier saves to a file and loads again: named arrays.
 *
 * One function of a classifier does both ways (classifier.h, keep), so that what is written is what
 * is read. The first fault is kept, and what follows does nothing. Everything that is taken is
 * checked: arrays have the sizes that are asked for and finite entries, counts are in range. */
#ifndef SPD_CLASSIFY_SHELF_H
#define SPD_CLASSIFY_SHELF_H

#include "base/arena.h"

#define SAVED_ROOM 12 /* arrays, at most */

/* *array <- the array of that name: of that type, rows x columns, and finite. */
typedef spd_status (*saved_find)(void *user, const char *name, spd_type type, size_t rows,
                                 size_t columns, const spd_array **array);

typedef struct saved_item {
    const char *name;
    spd_type type; /* SPD_TYPE_FLOAT64 or SPD_TYPE_INT64 */
    size_t rows, columns;
    void *values;
} saved_item;

typedef struct saved_arrays {
    spd_context *ctx;
    spd_status status;
    arena *room;     /* where all that is new goes */
    saved_find find; /* NULL: things are put there; else they are taken, from here */
    void *user;      /* handed to find */
    size_t count;    /* of what was put */
    saved_item item[SAVED_ROOM];
} saved_arrays;

/* Are things taken? Then pointers below are set to what is new, else they are read. */
int saved_taking(const saved_arrays *s);

/* *at, or, when taking, a new block of zeros there. NULL after a fault. */
void *saved_block(saved_arrays *s, void **at, size_t size);

/* rows x columns numbers; nothing where that is none. */
void saved_reals(saved_arrays *s, const char *name, size_t rows, size_t columns, double **values);

/* The same of numbers that may be missing, as older files lack them: *values is then NULL. */
void saved_reals_if_any(saved_arrays *s, const char *name, size_t rows, size_t columns,
                        double **values);

/* A symmetric matrix, size x size: its lower triangle. */
void saved_symmetric(saved_arrays *s, const char *name, size_t size, double **values);

/* One number. */
void saved_real(saved_arrays *s, const char *name, double *value);

/* A count between least and most. */
void saved_size(saved_arrays *s, const char *name, size_t least, size_t most, size_t *value);

/* Class numbers, each below classes. */
void saved_labels(saved_arrays *s, const char *name, size_t count, size_t classes,
                  const int **label);

/* A fault of what was taken: "name: what is wrong". */
void saved_refuse(saved_arrays *s, const char *name, const char *what);

#endif
