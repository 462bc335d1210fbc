/* picture.c - the drawing of `spdml explain`: bars of the cells that count most, beside a skeleton
 * or grids of features. */
#include <math.h>
#include <stdlib.h>

#include "cli/explain/explained.h"
#include "cli/frame/cli_memory.h"
#include "cli/drawing/html.h"
#include "cli/drawing/svg.h"

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

static void put_bar(FILE *f, double left, double y, double width, const char *name, double value,
                    double largest)
{
    double room = width - NAME_ROOM - 56.0, length = largest > 0.0 ? room * value / largest : 0.0;
    html_print(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.20s<title>%s</title></text>\n",
               left + NAME_ROOM - 8.0, y + 12.5, name, name);
    fprintf(f,
            "<rect class=\"right\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/><text "
            "class=\"soft\" x=\"%.1f\" y=\"%.1f\">%.1f %%</text>\n",
            left + NAME_ROOM, y + 1.0, length, BAR_STEP - 4.0, left + NAME_ROOM + length + 5.0,
            y + 12.5, 100.0 * value);
}

static double bars(FILE *f, const explained *x, double left, double width)
{
    const panel *p = &x->rows.panel[0];
    size_t *order = cli_alloc(p->rows * p->columns, sizeof *order, "cells");
    size_t count = explained_order(x, p, order), shown = count < BARS_MOST ? count : BARS_MOST;
    double largest = count ? explained_cell(x, p, order[0], x->by) : 0.0, y = TOP + LINE;
    html_print(f, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", left + NAME_ROOM, TOP,
               measure_words(x->by));
    for (size_t k = 0; k < shown; k++, y += BAR_STEP)
        put_bar(f, left, y, width, p->name[order[k]], explained_cell(x, p, order[k], x->by),
                largest);
    if (shown < count) {
        fprintf(f, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">and %zu more</text>\n",
                left + NAME_ROOM, y + 12.5, count - shown);
        y += BAR_STEP;
    }
    cli_free(order);
    return y - TOP;
}

/* The caption in lines; its height. */
static double put_caption(FILE *f, const char *text, double y)
{
    words lines = explained_lines(text, CAPTION);
    for (size_t i = 0; i < lines.count; i++)
        html_print(f, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", MARGIN,
                   y + LINE * (double)i, lines.word[i]);
    return LINE * (double)lines.count;
}

/* Parts are drawn into memory first, since the height of the whole comes before them. */
typedef struct drawing {
    char *text;
    size_t size;
    double height;
} drawing;

static void release_text(void *text)
{
    free(text);
}

static drawing draw_parts(const explained *x)
{
    drawing d = {0};
    int body = x->rows.joints > 0 || x->rows.panels > 1 || picture_has_head(x);
    FILE *f = open_memstream(&d.text, &d.size);
    if (!f)
        cli_out_of_memory("the picture");
    double left = body ? MARGIN + BODY + MARGIN : MARGIN, y = TOP, drawn = 0.0;
    drawn = bars(f, x, left, WIDTH - left - MARGIN);
    if (x->rows.joints > 0)
        y += picture_skeleton(f, x, MARGIN, y, BODY);
    else
        y += picture_head(f, x, MARGIN, y, BODY);
    if (x->rows.panels > 1)
        y += picture_panels(f, x, MARGIN, y, BODY);
    d.height = TOP + fmax(drawn, y - TOP) + MARGIN;
    d.height += put_caption(f, explained_caption(x), d.height);
    int failed = ferror(f);
    if (fclose(f) != 0 || failed || !d.text)
        cli_out_of_memory("the picture");
    cli_keep(d.text, release_text);
    return d;
}

void explained_picture(FILE *f, const void *what)
{
    const explained *x = what;
    drawing d = draw_parts(x);
    svg_open_alone(f, "explain", WIDTH, d.height + MARGIN / 2, x->title, explained_caption(x));
    html_print(f, "<text class=\"name\" x=\"%.1f\" y=\"30\">%.110s</text>\n", MARGIN, x->title);
    fwrite(d.text, 1, d.size, f);
    svg_close(f);
}
