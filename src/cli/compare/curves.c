/* curves.c - the figure of a comparison: accuracy against a number, a line for each method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/drawing/draw.h"

#define WIDTH  560.0
#define HEIGHT 380.0
#define WIDE   25.0 /* times the first number: from there on the axis is logarithmic */

/* ---- places ---------------------------------------------------------------------------------- */

static int is_wide(const accuracy_table *t)
{
    double low = strtod(t->row.word[0], NULL);
    return low > 0.0 && strtod(t->row.word[t->row.count - 1], NULL) / low >= WIDE;
}

/* Are all numbers whole? */
static int is_whole(const accuracy_table *t)
{
    for (size_t r = 0; r < t->row.count; r++)
        if (strspn(t->row.word[r], "0123456789") != strlen(t->row.word[r]))
            return 0;
    return 1;
}

static double position(const accuracy_table *t, const char *number)
{
    double at = strtod(number, NULL);
    return is_wide(t) ? log10(at) : at;
}

/* Points of one method: place, percent, percent -+ deviation within 0 .. 100, and the paper's
 * percent, NaN where it has none; rows each. */
typedef struct curve {
    double *x, *y, *low, *high, *paper;
} curve;

static curve curve_of(const accuracy_table *t, size_t column)
{
    size_t rows = t->row.count;
    double *values = cli_alloc_table(5, rows, sizeof *values, "points");
    curve c = {values, values + rows, values + 2 * rows, values + 3 * rows, values + 4 * rows};
    for (size_t r = 0; r < rows; r++) {
        double deviation, none;
        c.x[r] = position(t, t->row.word[r]);
        c.y[r] = 100.0 * accuracies_at(t, r, column, 0, &deviation);
        c.paper[r] = 100.0 * accuracies_at(t, r, column, 1, &none);
        c.low[r] = c.high[r] = c.y[r];
        if (isfinite(c.y[r]) && isfinite(deviation)) {
            c.low[r] = fmax(c.y[r] - 100.0 * deviation, 0.0);
            c.high[r] = fmin(c.y[r] + 100.0 * deviation, 100.0);
        }
    }
    return c;
}

/* Legends stand above the axes, two in a line. */
static double legend_line(size_t column)
{
    size_t line = column / 2;
    return 18.0 + 18.0 * (double)line;
}

static draw_frame frame_of(drawing *d, const accuracy_table *t)
{
    draw_frame a = {.d = d,
                    .left = 64,
                    .right = WIDTH - 14,
                    .top = legend_line(t->column.count + 1) + 2.0,
                    .bottom = HEIGHT - 46,
                    .x0 = INFINITY,
                    .x1 = -INFINITY,
                    .y0 = INFINITY,
                    .y1 = -INFINITY};
    for (size_t c = 0; c < t->column.count; c++) {
        curve points = curve_of(t, c);
        for (size_t r = 0; r < t->row.count; r++) {
            draw_extend(&a.x0, &a.x1, points.x[r]);
            draw_extend(&a.y0, &a.y1, points.low[r]);
            draw_extend(&a.y0, &a.y1, points.high[r]);
            draw_extend(&a.y0, &a.y1, points.paper[r]);
        }
    }
    for (size_t i = 0; i < t->mark.count; i++)
        draw_extend(&a.x0, &a.x1, position(t, strchr(t->mark.word[i], '=') + 1));
    draw_room(&a.x0, &a.x1);
    draw_room(&a.y0, &a.y1);
    a.y0 = fmax(a.y0, 0.0);
    a.y1 = fmin(a.y1, 100.0);
    return a;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* The paper's point: a hollow mark, with its number. */
static void put_paper(const draw_frame *a, double x, double percent, size_t column)
{
    double at = draw_x(a, x), level = draw_y(a, percent);
    draw_mark(a->d, at, level, 4.5, (int)column, (int)column, 0);
    draw_text(a->d, TEXT_SOFT, at + 8, level + 4, 0, words_text("paper %.1f", percent));
}

static void put_curve(const draw_frame *a, const accuracy_table *t, size_t column)
{
    size_t rows = t->row.count;
    curve c = curve_of(t, column);
    draw_band(a, (int)column, rows, c.x, c.low, c.high);
    draw_series(a, (int)column, rows, c.x, c.y);
    for (size_t r = 0; r < rows; r++) {
        if (isfinite(c.y[r]))
            draw_mark(a->d, draw_x(a, c.x[r]), draw_y(a, c.y[r]), 3.5, (int)column, (int)column, 1);
        if (isfinite(c.paper[r]))
            put_paper(a, c.x[r], c.paper[r], column);
    }
    draw_legend_line(a->d, a->left + (double)(column % 2) * 250.0, legend_line(column), (int)column,
                     t->column.word[column]);
}

/* An axis of logarithms: each point is named. */
static void put_points(const draw_frame *a, const accuracy_table *t)
{
    draw_axes(a, DRAW_BARE, NULL, DRAW_LINEAR, "accuracy %");
    for (size_t r = 0; r < t->row.count; r++)
        draw_text(a->d, TEXT_SOFT | TEXT_MIDDLE, draw_x(a, position(t, t->row.word[r])),
                  a->bottom + 17, 0, t->row.word[r]);
    draw_text(a->d, TEXT_MIDDLE, (a->left + a->right) / 2, a->bottom + 37, 0, t->against);
}

static void draw(drawing *d, const void *what)
{
    const accuracy_table *t = what;
    draw_frame a = frame_of(d, t);
    if (is_wide(t))
        put_points(&a, t);
    else
        draw_axes(&a, is_whole(t) ? DRAW_WHOLE : DRAW_LINEAR, t->against, DRAW_LINEAR,
                  "accuracy %");
    for (size_t i = 0; i < t->mark.count; i++) {
        /* A line across, its name on the side where there is more room. */
        const char *mark = t->mark.word[i], *number = strchr(mark, '=') + 1;
        double at = draw_x(&a, position(t, number));
        int left = at > (a.left + a.right) / 2;
        draw_line(a.d, (draw_ink){.look = LOOK_DASHED}, at, a.top, at, a.bottom);
        draw_text(a.d, TEXT_SOFT | (left ? TEXT_END : 0U), at + (left ? -4 : 4), a.bottom - 8, 0,
                  words_text("%.*s = %s", (int)(number - 1 - mark), mark, number));
    }
    for (size_t c = 0; c < t->column.count; c++)
        put_curve(&a, t, c);
}

void accuracies_draw(const accuracy_table *t, const char *path)
{
    figure g = {"figure",
                words_text("Accuracy against %s", t->against),
                "One line per method; bands are one standard deviation to either side; hollow "
                "marks are the paper's.",
                WIDTH,
                HEIGHT,
                draw,
                t};
    figure_write(&g, path);
}
