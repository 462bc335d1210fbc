/* explained.h - what a map looks at: what the rows of the matrices are, numbers of rows and of cells,
 * and their picture. */
#ifndef SPD_CLI_EXPLAIN_EXPLAINED_H
#define SPD_CLI_EXPLAIN_EXPLAINED_H

#include "cli/drawing/draw.h"
#include "cli/frame/words.h"
#include "spdml.h"

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

/* What rows and cells are compared by. */
typedef enum measure {
    MEASURE_SHARE = 0, /* of all that the components carry */
    MEASURE_KEPT,      /* of the variance of the row or cell itself */
    MEASURE_WEIGHT     /* of the squares of W */
} measure;
#define MEASURES 3
const char *measure_name(size_t i); /* "share", "kept", "weight"; NULL past the end */

typedef struct explained {
    layout rows;
    size_t n, m;       /* after explained_fill those of the complex map, if it is one */
    int hermitian;     /* W is the real form of a complex map */
    int patterns;      /* there is an M: shares and kept are known */
    double *weight;    /* n; these as in spd_explanation */
    double *carried;   /* n */
    double *pattern;   /* n x m, of complex maps the absolute values */
    double *variance;  /* m */
    double *diagonal;  /* n: M_ii, or 1 */
    double total;      /* sum of carried */
    measure by;        /* what the table is sorted by, and the picture shows */
    const char *title; /* of the picture */
} explained;

/* x (with n and m) <- what W (n x m) looks at, M (n x n) the mean, or NULL; the status of
 * spd_explain.
 */
spd_status explained_fill(spd_context *ctx, const double *W, const double *M, explained *x);

/* What rows and cells are compared by unless the user says otherwise; needs the layout. */
measure explained_usual(const explained *x);

/* A row, and the sum over the rows of a cell; NaN where the cell has none. */
double explained_row(const explained *x, size_t i, measure which);
double explained_cell(const explained *x, const panel *p, size_t cell, measure which);

/* order (cells) <- the cells of a panel that have rows, largest first; how many those are. */
size_t explained_order(const explained *x, const panel *p, size_t *order);

/* One sentence: what is shown, and why not W alone. */
const char *explained_caption(const explained *x);

/* The text in lines of at most that many characters, broken at spaces. */
words explained_lines(const char *text, size_t most);

/* The picture. */
figure explained_figure(const explained *x);

#endif
