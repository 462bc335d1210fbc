/* svg_marks.c - markers of eight shapes, ellipses, bars, lines of legends. */
#include "cli/drawing/svg.h"

#include <math.h>

#include "cli/drawing/html.h"

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

static void put_class(FILE *f, int colour, int full)
{
    if (colour == SVG_GREY)
        fprintf(f, "class=\"mark kx%s\"", full ? " full" : "");
    else
        fprintf(f, "class=\"mark k%d%s\"", colour % SVG_COLOURS, full ? " full" : "");
}

static void put_corners(FILE *f, double x, double y, double radius, const shape *s)
{
    for (int i = 0; i < s->corners; i++) {
        double angle = (s->turn + 360.0 * i / s->corners) * PI / 180.0;
        double r = radius * s->size * (i % 2 ? s->inner : 1.0);
        fprintf(f, "%s%.1f %.1f", i ? "L" : "M", x + r * cos(angle), y + r * sin(angle));
    }
}

void svg_mark(FILE *f, double x, double y, double radius, int colour, int shape_number, int full)
{
    const shape *s = &shapes[shape_number % SHAPES];
    if (s->corners == 0) {
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" ", x, y, radius);
        put_class(f, colour, full);
        fputs("/>", f);
        return;
    }
    fputs("<path ", f);
    put_class(f, colour, full);
    fputs(" d=\"", f);
    put_corners(f, x, y, radius, s);
    fputs("Z\"/>", f);
}

/* Half axes are the roots of the eigenvalues; the y axis of a drawing points down. */
void svg_ellipse(FILE *f, double x, double y, double scale, double xx, double xy, double yy,
                 int colour, int thin)
{
    double middle = (xx + yy) / 2, gap = hypot((xx - yy) / 2, xy);
    double angle = 0.5 * atan2(2 * xy, xx - yy) * 180.0 / PI;
    double a = scale * sqrt(fmax(middle + gap, 0)), b = scale * sqrt(fmax(middle - gap, 0));
    if (!isfinite(a) || !isfinite(b))
        return;
    fprintf(f,
            "<ellipse class=\"line k%d%s\" rx=\"%.1f\" ry=\"%.1f\" transform=\"translate(%.1f "
            "%.1f) rotate(%.1f)\"/>\n",
            colour % SVG_COLOURS, thin ? " thin" : "", a, b, x, y, -angle);
}

void svg_legend_line(FILE *f, double x, double y, int colour, const char *name)
{
    html_print(
        f,
        "<path class=\"line k%d d%d\" d=\"M%.1f %.1fh26\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
        colour % SVG_COLOURS, colour % 4, x, y - 4.5, x + 32, y, name);
}

void svg_bar(FILE *f, double share, double deviation)
{
    double width = 160, end = width * fmin(fmax(share, 0), 1);
    fprintf(f,
            "<svg class=\"bar\" viewBox=\"0 0 160 18\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"room\" y=\"3\" width=\"160\" height=\"12\" "
            "rx=\"2\"/><rect class=\"fill\" y=\"3\" width=\"%.1f\" height=\"12\" rx=\"2\"/>",
            end);
    if (deviation > 0) {
        double low = fmax(end - width * deviation, 0.8);
        double high = fmin(end + width * deviation, width - 0.8);
        fprintf(f, "<path class=\"whisker\" d=\"M%.1f 9H%.1fM%.1f 5v8M%.1f 5v8\"/>", low, high, low,
                high);
    }
    fputs("</svg>", f);
}
