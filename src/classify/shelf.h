/* shelf.h - what a trained classifier puts aside for a file, and takes up again: named arrays.
 *
 * One function of a classifier does both ways (classifier.h, keep), so that what is written is what
 * is read. The first fault is kept, and what follows does nothing. Everything that is taken is
 * checked: arrays have the sizes that are asked for and finite entries, counts are in range. */
#ifndef SPD_CLASSIFY_SHELF_H
#define SPD_CLASSIFY_SHELF_H

#include "base/arena.h"

#define SHELF_ROOM 12 /* arrays, at most */

/* *array <- the array of that name: of that type, rows x columns, and finite. */
typedef spd_status (*shelf_find)(void *user, const char *name, spd_type type, size_t rows,
                                 size_t columns, const spd_array **array);

typedef struct shelf_item {
    const char *name;
    spd_type type; /* SPD_FLOAT64 or SPD_INT64 */
    size_t rows, columns;
    void *values;
} shelf_item;

typedef struct shelf {
    spd_context *ctx;
    spd_status status;
    arena *room;     /* where all that is new goes */
    shelf_find find; /* NULL: things are put there; else they are taken, from here */
    void *user;      /* handed to find */
    size_t count;    /* of what was put */
    shelf_item item[SHELF_ROOM];
} shelf;

/* Are things taken? Then pointers below are set to what is new, else they are read. */
int shelf_taking(const shelf *s);

/* *at, or, when taking, a new block of zeros there. NULL after a fault. */
void *shelf_block(shelf *s, void **at, size_t size);

/* rows x columns numbers; nothing where that is none. */
void shelf_reals(shelf *s, const char *name, size_t rows, size_t columns, double **values);

/* The same of numbers that may be missing, as older files lack them: *values is then NULL. */
void shelf_reals_if_any(shelf *s, const char *name, size_t rows, size_t columns, double **values);

/* A symmetric matrix, size x size: its lower triangle. */
void shelf_symmetric(shelf *s, const char *name, size_t size, double **values);

/* One number. */
void shelf_real(shelf *s, const char *name, double *value);

/* A count between least and most. */
void shelf_size(shelf *s, const char *name, size_t least, size_t most, size_t *value);

/* Class numbers, each below classes. */
void shelf_labels(shelf *s, const char *name, size_t count, size_t classes, const int **label);

/* A fault of what was taken: "name: what is wrong". */
void shelf_refuse(shelf *s, const char *name, const char *what);

#endif
