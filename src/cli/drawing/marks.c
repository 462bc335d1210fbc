/* marks.c - markers of eight shapes, ellipses, lines of legends. */
#include "cli/drawing/draw.h"

#include <math.h>

#include "cli/frame/words.h"

#define SHAPES 8
#define PI     3.14159265358979323846

/* Corners on a circle, alternating between two radii where inner is not 1: triangles, squares,
 * stars. Sizes are set so that all shapes have about the area of the circle. */
typedef struct shape {
    int corners; /* 0: a circle */
    double turn; /* degrees of the first corner; 90 points down */
    double inner, size;
} shape;

static const shape shapes[SHAPES] = {
    {0, 0, 1, 1},    {4, 45, 1, 1.25},    {3, -90, 1, 1.5}, {4, 0, 1, 1.3},
    {3, 90, 1, 1.5}, {10, -90, 0.4, 1.6}, {5, 90, 1, 1.2},  {8, 0, 0.45, 1.6},
};

/* The outline of a shape, as draw_path takes it. */
static const char *outline(double x, double y, double radius, const shape *s)
{
    words corners = {0};
    for (int i = 0; i < s->corners; i++) {
        double angle = (s->turn + 360.0 * i / s->corners) * PI / 180.0;
        double r = radius * s->size * (i % 2 ? s->inner : 1.0);
        words_take(&corners, words_text("%.1f %.1f", x + r * cos(angle), y + r * sin(angle)));
    }
    return words_text("M%sZ", words_join(&corners, corners.count, "L"));
}

void draw_mark(drawing *d, double x, double y, double radius, int colour, int shape_number,
               int full)
{
    const shape *s = &shapes[shape_number % SHAPES];
    draw_ink ink = {full ? LOOK_FULL : LOOK_MARK, colour, 0};
    if (s->corners == 0)
        draw_circle(d, ink, x, y, radius);
    else
        draw_path(d, ink, outline(x, y, radius, s));
}

/* Half axes are the roots of the eigenvalues; the y axis of a drawing points down. */
void draw_ellipse(drawing *d, double x, double y, double scale, double xx, double xy, double yy,
                  int colour, int thin)
{
    double middle = (xx + yy) / 2, gap = hypot((xx - yy) / 2, xy);
    double angle = 0.5 * atan2(2 * xy, xx - yy) * 180.0 / PI;
    double a = scale * sqrt(fmax(middle + gap, 0)), b = scale * sqrt(fmax(middle - gap, 0));
    if (isfinite(a) && isfinite(b))
        draw_oval(d, (draw_ink){thin ? LOOK_THIN : LOOK_SOLID, colour, 0}, x, y, a, b, -angle);
}

void draw_legend_line(drawing *d, double x, double y, int colour, const char *name)
{
    draw_line(d, (draw_ink){LOOK_LINE, colour, 0}, x, y - 4.5, x + 26, y - 4.5);
    draw_text(d, 0, x + 32, y, 0, name);
}
