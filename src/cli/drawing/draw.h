/* draw.h - figures: shapes and texts that come out as svg, within a page or as a file, and as PDF.
 *
 * A figure is drawn by a function of shapes (draw_path, draw_rect, ...) and of the charts made of
 * them: axes with round ticks, lines, bands, markers, heat maps. It is called once for each form
 * that is asked for. Colours are attributes of the shapes, which every program reads; only readers
 * that prefer dark pages find other ones in the style of a file.
 *
 * Colour number c of classes and series is one of DRAW_COLOURS; together with it goes a shape of
 * markers or a dash of lines, so that nothing depends on colour alone. */
#ifndef SPD_CLI_DRAWING_DRAW_H
#define SPD_CLI_DRAWING_DRAW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DRAW_COLOURS 8
#define DRAW_GREY    (-1) /* a colour for what stays in the background */

typedef struct drawing {
    FILE *f;           /* NULL: nothing is written, the height is asked for */
    int pdf;           /* else svg */
    size_t bytes;      /* written so far, of a PDF */
    double height;     /* of the figure; its function may set what is known only after drawing */
    const char *title; /* of the next shape, under the pointer */
} drawing;

typedef void draw_fn(drawing *d, const void *what);

typedef struct figure {
    const char *id;           /* unique in the page, and the name of its files */
    const char *title, *desc; /* read out where it cannot be seen */
    double width, height;     /* height 0: as the function sets it */
    draw_fn *draw;
    const void *what;
} figure;

/* Within a page; as a file whose ending says the form; as NAME.svg and NAME.pdf in a folder. */
void figure_inline(FILE *f, const figure *g);
void figure_write(const figure *g, const char *path);
void figure_files(const figure *g, const char *folder);
#define FIGURE_ENDINGS ".svg|.pdf"

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef enum draw_look {
    LOOK_BACK, /* the page itself */
    LOOK_GRID,
    LOOK_AXIS,
    LOOK_BONE,   /* a thick axis */
    LOOK_DASHED, /* a dashed axis */
    LOOK_LINE,   /* these in a colour */
    LOOK_SOLID,
    LOOK_THIN,
    LOOK_BAND,
    LOOK_MARK, /* hollow */
    LOOK_FULL,
    LOOK_RIGHT, /* these as strong as the opacity says */
    LOOK_WRONG,
    LOOK_TILE, /* LOOK_RIGHT with a rim */
    LOOK_FIELD /* an empty field of a table */
} draw_look;

typedef struct draw_ink {
    draw_look look;
    int colour;
    double opacity; /* 0: that of the look */
} draw_ink;

/* A path as svg has it, of M, L, H, V and Z with absolute coordinates. */
void draw_path(drawing *d, draw_ink ink, const char *path);
void draw_line(drawing *d, draw_ink ink, double x0, double y0, double x1, double y1);
void draw_rect(drawing *d, draw_ink ink, double x, double y, double width, double height);
void draw_circle(drawing *d, draw_ink ink, double x, double y, double radius);
/* Half axes a and b, turned by degrees. */
void draw_oval(drawing *d, draw_ink ink, double x, double y, double a, double b, double degrees);

/* How a text looks and where it stands to its point. */
#define TEXT_MIDDLE 1U
#define TEXT_END    2U
#define TEXT_UP     4U /* turned to the left */
#define TEXT_SOFT   8U
#define TEXT_TINY   16U
#define TEXT_BOLD   32U
#define TEXT_ON     64U /* on a strong colour */

/* At most so many characters, the last one an ellipsis where it is cut; 0: all. */
void draw_text(drawing *d, unsigned style, double x, double y, size_t most, const char *text);

/* Ten to a power. */
void draw_power(drawing *d, unsigned style, double x, double y, double power);

/* ---- charts ---------------------------------------------------------------------------------- */

typedef enum draw_scale {
    DRAW_LINEAR = 0,
    DRAW_WHOLE, /* ticks at whole numbers */
    DRAW_LOG10, /* values are logarithms to the base of ten, ticks are powers */
    DRAW_BARE   /* no ticks */
} draw_scale;

/* A chart: where it lies in its drawing, and what its axes span. */
typedef struct draw_frame {
    drawing *d;
    double left, right, top, bottom; /* of the plotting area, in pixels of the drawing */
    double x0, x1, y0, y1;           /* values at its edges */
} draw_frame;

/* low and high <- a range that holds a value too, if that is finite; of nothing, it is from
 * INFINITY to -INFINITY. */
void draw_extend(double *low, double *high, double value);

/* low and high <- a range with a little room; of one value alone, a range around it. */
void draw_room(double *low, double *high);

/* Grid, ticks and labels; x_label may be NULL. */
void draw_axes(const draw_frame *a, draw_scale x, const char *x_label, draw_scale y,
               const char *y_label);

/* Pixels of a value. */
double draw_x(const draw_frame *a, double x);
double draw_y(const draw_frame *a, double y);

/* A line through count points, the area between two lines; points that are not finite are left
 * out. */
void draw_series(const draw_frame *a, int colour, size_t count, const double *x, const double *y);
void draw_band(const draw_frame *a, int colour, size_t count, const double *x, const double *low,
               const double *high);

/* A marker at pixels, filled or hollow. */
void draw_mark(drawing *d, double x, double y, double radius, int colour, int shape, int full);

/* The ellipse { v: v' S^-1 v = 1 } of a symmetric positive definite 2 x 2 S (xx, xy, yy) around a
 * pixel, at `scale` pixels per unit. */
void draw_ellipse(drawing *d, double x, double y, double scale, double xx, double xy, double yy,
                  int colour, int thin);

/* A line of a legend at pixels: a stroke of a line and its name. */
void draw_legend_line(drawing *d, double x, double y, int colour, const char *name);

/* A table of counts (classes x classes, rows the truth) as a heat map: what is right in one colour,
 * what is wrong in another, strong where it is a large share of its row. Counts are written in up
 * to DRAW_HEAT_COUNTS classes. The figure points to the heat. */
#define DRAW_HEAT_COUNTS 24
typedef struct heat {
    size_t classes;
    const char *const *name;
    const int64_t *count;
} heat;
figure heat_figure(const heat *h, const char *id, const char *title);

/* Clouds of points in two dimensions side by side, with a legend of their classes. */
typedef struct clouds {
    size_t count;           /* of points */
    const int *label;       /* count; NULL: none has a class */
    const char *hollow;     /* count: the marker is hollow; or NULL */
    const char *const *tip; /* count: what the pointer tells; or NULL */
    const int *colour;      /* classes: as figures have them, or DRAW_GREY */
    size_t classes;
    const char *const *name;
    const double *at[2];    /* count x 2 each, the second or NULL */
    const char *heading[2]; /* or NULL */
    const char *x_label, *y_label;
} clouds;
#define CLOUDS_WORDS                                                                               \
    "One marker per sample; colour and shape show the class, filled is test, hollow is training."
figure clouds_figure(const clouds *c, const char *id, const char *title);

/* The first of them without legend and heading; its markers in a chart of another kind, at values
 * (count x 2) that are not NaN; the shape that goes with a colour. */
figure cloud_figure(const clouds *c, const char *id, const char *title);
void cloud_marks(const draw_frame *a, const clouds *c, const double *at);
int cloud_shape(int colour);

/* colour (classes) <- numbers of colours; with too many classes for them every so many has one, the
 * others DRAW_GREY. How many have one. */
size_t cloud_colours(size_t classes, int *colour);

#endif
