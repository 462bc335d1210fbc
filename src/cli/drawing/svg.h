/* svg.h - a small writer of charts: axes with round ticks, lines, bands, markers, ellipses, bars
 * and heat maps, as svg within a page of html.h, whose style gives the colours.
 *
 * Colour number c of classes and series is one of SVG_COLOURS; together with it goes a shape of
 * markers or a dash of lines, so that nothing depends on colour alone. */
#ifndef SPD_CLI_DRAWING_SVG_H
#define SPD_CLI_DRAWING_SVG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SVG_COLOURS 8
#define SVG_GREY    (-1) /* a colour for what stays in the background */

typedef enum svg_scale {
    SVG_LINEAR = 0,
    SVG_WHOLE, /* ticks at whole numbers */
    SVG_LOG10, /* values are logarithms to the base of ten, ticks are powers */
    SVG_BARE   /* no ticks */
} svg_scale;

/* A chart: where it lies in its drawing, and what its axes span. */
typedef struct svg_frame {
    FILE *f;
    double left, right, top, bottom; /* of the plotting area, in pixels of the drawing */
    double x0, x1, y0, y1;           /* values at its edges */
} svg_frame;

/* A drawing; id is unique in the page, title and desc are read out where it cannot be seen. */
void svg_open(FILE *f, const char *id, double width, double height, const char *title,
              const char *desc);
void svg_close(FILE *f);

/* A drawing that is a file of its own: with its style, and a background. */
void svg_open_alone(FILE *f, const char *id, double width, double height, const char *title,
                    const char *desc);

/* low and high <- a range that holds a value too, if that is finite; of nothing, it is from
 * INFINITY to -INFINITY. */
void svg_extend(double *low, double *high, double value);

/* low and high <- a range with a little room; of one value alone, a range around it. */
void svg_room(double *low, double *high);

/* Grid, ticks and labels; x_label may be NULL. */
void svg_axes(const svg_frame *a, svg_scale x, const char *x_label, svg_scale y,
              const char *y_label);

/* Pixels of a value. */
double svg_x(const svg_frame *a, double x);
double svg_y(const svg_frame *a, double y);

/* A line through count points, the area between two lines; points that are not finite are left
 * out. */
void svg_line(const svg_frame *a, int colour, size_t count, const double *x, const double *y);
void svg_band(const svg_frame *a, int colour, size_t count, const double *x, const double *low,
              const double *high);

/* A marker at pixels, filled or hollow. */
void svg_mark(FILE *f, double x, double y, double radius, int colour, int shape, int full);

/* The ellipse { v: v' S^-1 v = 1 } of a symmetric positive definite 2 x 2 S (xx, xy, yy) around a
 * pixel, at `scale` pixels per unit. */
void svg_ellipse(FILE *f, double x, double y, double scale, double xx, double xy, double yy,
                 int colour, int thin);

/* A line of a legend at pixels: a stroke of a line and its name. */
void svg_legend_line(FILE *f, double x, double y, int colour, const char *name);

/* A bar from 0 to 1 with a whisker of +- deviation, as a small drawing of its own. */
void svg_bar(FILE *f, double share, double deviation);

/* A table of counts (classes x classes, rows the truth) as a heat map in a drawing of its own:
 * what is right in one colour, what is wrong in another, strong where it is a large share of its
 * row. Counts are written in up to SVG_HEAT_COUNTS classes. */
#define SVG_HEAT_COUNTS 24
void svg_heat(FILE *f, const char *id, const char *title, const char *desc, size_t classes,
              const char *const *name, const int64_t *count);

#endif
