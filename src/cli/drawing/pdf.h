/* pdf.h - a figure as a PDF of one page: the second form of draw.c. */
#ifndef SPD_CLI_DRAWING_PDF_H
#define SPD_CLI_DRAWING_PDF_H

#include "cli/drawing/draw.h"

/* How a shape is painted; a NULL colour is none. Colours are "#rrggbb". */
typedef struct paint {
    const char *fill, *stroke;
    double width, fill_opacity, stroke_opacity;
    const char *dash; /* "4 3", or "" */
} paint;

/* A text_file_fn: what is a figure. */
void pdf_figure(FILE *f, const void *figure);

void pdf_path(drawing *d, const paint *p, const char *path);
void pdf_oval(drawing *d, const paint *p, double x, double y, double a, double b, double degrees);

/* style as of draw_text. */
void pdf_text(drawing *d, unsigned style, const char *colour, double size, double x, double y,
              const char *text);

/* Of a text of that size. */
double pdf_width(double size, const char *text);

#endif
