/* arrays.h - array files as inputs: several images, clips or tables in one array, or one long
 * table whose rows a column divides. */
#ifndef SPD_DESCRIBE_ARRAYS_H
#define SPD_DESCRIBE_ARRAYS_H

#include "base/arena.h"
#include "describe/descriptor.h"
#include "describe/text_table.h"
#include "spdml-data.h"

typedef struct array_source {
    spd_array *X;                   /* float64 */
    size_t slices;                  /* inputs in it */
    size_t rows, columns, channels; /* of a slice: height, width, channels of an image */
    size_t *start;                  /* slices + 1: rows of the slices; NULL: all are equal */
    arena room;                     /* of start */
    double scale;                   /* images: brings values into [0, 1] */
    spd_data *extras;               /* y and columns with a row per slice */
    char **name;                    /* columns, where a header names them; else NULL */
    char time[TIME_NAME_MAX];       /* as in text_table.h */
} array_source;

/* Does the ending of a path belong to a file of arrays, of a table of text? */
int arrays_is_array(const char *path);
int arrays_is_text(const char *path);

/* *source <- the array of several inputs in a file, new; NULL when the file holds one table, which
 * arrays_read_table reads. */
spd_status arrays_open(spd_context *ctx, const char *path, input_kind takes,
                       const spd_describe_options *options, array_source **source);
void arrays_free(array_source *source);

/* *table <- the only table in a file (bytes NULL) or in memory, two dimensions, float64; new.
 * Messages may begin with the path. */
spd_status arrays_read_table(spd_context *ctx, const char *path, const char *x_name,
                             const unsigned char *bytes, size_t size, spd_array **table);

/* The same of a table of text: its channels, or those that wanted names. */
spd_status arrays_read_text(spd_context *ctx, const char *path, const char *wanted,
                            const unsigned char *bytes, size_t size, text_table *made);

/* ---- long_table.c: one slice for each value of the column options->group, its rows in the order
 * of the table, slices in the order in which they first appear -------------------------------- */

/* The array X (one slice, r x n) with the column options->group among its extras, which have r
 * rows: becomes one slice per value, and the extras one row per slice. Extras that differ within a
 * slice are dropped; labels that do are an error. */
spd_status long_table_of_array(spd_context *ctx, const char *path,
                               const spd_describe_options *options, array_source *source);

/* The same from a .csv file with a header; the column y_name, where given, holds labels. */
spd_status long_table_of_text(spd_context *ctx, const char *path,
                              const spd_describe_options *options, array_source *source);

#endif
