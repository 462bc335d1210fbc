/* layout.h - what the rows of the matrices are: their names, and ways to sum them, by joint, by
 * channel, by block of an image's features. From the record of `describe`, or from names that the
 * user gives. */
#ifndef SPD_CLI_EXPLAIN_LAYOUT_H
#define SPD_CLI_EXPLAIN_LAYOUT_H

#include <jansson.h>
#include <stddef.h>

#include "cli/frame/words.h"

#define LAYOUT_PANELS 5
#define LAYOUT_NONE   ((size_t)-1)

/* Rows summed by cells, which lie in a grid. */
typedef struct panel {
    const char *key; /* in JSON: "joints", "channels" */
    const char *title;
    size_t rows, columns; /* of the grid */
    const char **name;    /* rows x columns */
    size_t *of;           /* n: the cell of each row, or LAYOUT_NONE */
} panel;

typedef struct layout {
    size_t n;
    const char **name;
    int mixed;     /* rows have different units: shares of variances do not compare */
    size_t panels; /* at least one: the first is what the table shows, and holds every row */
    panel panel[LAYOUT_PANELS];
    /* the cells of the first panel as joints, or 0 */
    size_t joints;
    size_t *parent;   /* joints: itself for a root */
    double *position; /* joints x 3 */
} layout;

/* The rows of n x n matrices that were made as meta says (JSON text, or NULL); names (from the file
 * at path, count 0: none) replace those of rows, joints or channels. A number of names that does
 * not fit ends the command. */
layout layout_of(size_t n, const char *meta, const words *names, const char *path);

#endif
