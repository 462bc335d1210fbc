/* picture.c - the drawing of `spdml explain`: bars of the cells that count most, beside a skeleton
 * or grids of features. */
#include <math.h>

#include "cli/explain/explained.h"
#include "cli/frame/cli_memory.h"

#define WIDTH     960.0
#define MARGIN    24.0
#define TOP       64.0
#define BODY      420.0 /* width of the skeleton or of the grids */
#define BARS_MOST 24
#define BAR_STEP  19.0
#define NAME_ROOM 150.0
#define CAPTION   110 /* characters of a line */
#define LINE      18.0

/* What numbers are of. */
static const char *measure_words(measure by)
{
    static const char *const texts[] = {
        [MEASURE_SHARE] = "share of the variance that the map carries",
        [MEASURE_KEPT] = "share of its own variance that the map keeps",
        [MEASURE_WEIGHT] = "share of the squared weights"};
    return texts[by];
}

static void put_bar(drawing *d, double left, double y, double width, const char *name, double value,
                    double largest)
{
    double room = width - NAME_ROOM - 56.0, length = largest > 0.0 ? room * value / largest : 0.0;
    d->title = name;
    draw_text(d, TEXT_END, left + NAME_ROOM - 8.0, y + 12.5, 20, name);
    draw_rect(d, (draw_ink){.look = LOOK_RIGHT}, left + NAME_ROOM, y + 1.0, length, BAR_STEP - 4.0);
    draw_text(d, TEXT_SOFT, left + NAME_ROOM + length + 5.0, y + 12.5, 0,
              words_text("%.1f %%", 100.0 * value));
}

static double bars(drawing *d, const explained *x, double left, double width)
{
    const panel *p = &x->rows.panel[0];
    size_t *order = cli_alloc(p->rows * p->columns, sizeof *order, "cells");
    size_t count = explained_order(x, p, order), shown = count < BARS_MOST ? count : BARS_MOST;
    double largest = count ? explained_cell(x, p, order[0], x->by) : 0.0, y = TOP + LINE;
    draw_text(d, TEXT_BOLD, left + NAME_ROOM, TOP, 0, measure_words(x->by));
    for (size_t k = 0; k < shown; k++, y += BAR_STEP)
        put_bar(d, left, y, width, p->name[order[k]], explained_cell(x, p, order[k], x->by),
                largest);
    if (shown < count) {
        draw_text(d, TEXT_SOFT, left + NAME_ROOM, y + 12.5, 0,
                  words_text("and %zu more", count - shown));
        y += BAR_STEP;
    }
    cli_free(order);
    return y - TOP;
}

/* The caption in lines; its height. */
static double put_caption(drawing *d, const char *text, double y)
{
    words lines = explained_lines(text, CAPTION);
    for (size_t i = 0; i < lines.count; i++)
        draw_text(d, TEXT_SOFT, MARGIN, y + LINE * (double)i, 0, lines.word[i]);
    return LINE * (double)lines.count;
}

static void put_picture(drawing *d, const void *what)
{
    const explained *x = what;
    int body = x->rows.joints > 0 || x->rows.panels > 1 || picture_has_head(x);
    double left = body ? MARGIN + BODY + MARGIN : MARGIN, y = TOP;
    draw_text(d, TEXT_BOLD, MARGIN, 30, 110, x->title);
    double drawn = bars(d, x, left, WIDTH - left - MARGIN);
    if (x->rows.joints > 0)
        y += picture_skeleton(d, x, MARGIN, y, BODY);
    else
        y += picture_head(d, x, MARGIN, y, BODY);
    if (x->rows.panels > 1)
        y += picture_panels(d, x, MARGIN, y, BODY);
    d->height = TOP + fmax(drawn, y - TOP) + MARGIN;
    d->height += put_caption(d, explained_caption(x), d->height) + MARGIN / 2;
}

figure explained_figure(const explained *x)
{
    return (figure){"explain", x->title, explained_caption(x), WIDTH, 0, put_picture, x};
}
