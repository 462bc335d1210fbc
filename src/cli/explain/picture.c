/* picture.c - the drawing of `spdml explain`: bars of the cells that count most, beside a skeleton
 * whose joints are as large as they count, channels of an EEG on a head, or grids of features. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- bars ------------------------------------------------------------------------------------ */

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
    static const char *const texts[] = {
        [MEASURE_SHARE] = "share of the variance that the map carries",
        [MEASURE_KEPT] = "share of its own variance that the map keeps",
        [MEASURE_WEIGHT] = "share of the squared weights"};
    draw_text(d, TEXT_BOLD, left + NAME_ROOM, TOP, 0, texts[x->by]);
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

/* ---- dots ------------------------------------------------------------------------------------ */

/* The largest value of a panel. */
static double largest_of(const explained *x, const panel *p)
{
    double largest = 0.0;
    for (size_t c = 0; c < p->rows * p->columns; c++)
        largest = fmax(largest, explained_cell(x, p, c, x->by));
    return largest;
}

/* A dot with an area as large as its value, the largest of radius `most`; its radius. */
static double put_dot(drawing *d, const char *name, double value, double largest, double most,
                      double x, double y)
{
    double size = largest > 0.0 && value > 0.0 ? most * sqrt(value / largest) : 0.0;
    d->title = isnan(value) ? name : words_text("%s: %.1f %%", name, 100.0 * value);
    draw_circle(d, (draw_ink){.look = LOOK_FULL}, x, y, fmax(size, 2.0));
    return fmax(size, 2.0);
}

/* ---- skeleton -------------------------------------------------------------------------------- */

#define BODY_HEIGHT 420.0
#define JOINT       13.0 /* radius of the largest */
#define NAMED       6    /* joints whose names are written */

/* Where joints are in the picture: two of their coordinates. */
typedef struct view {
    size_t across, up; /* axes */
    double scale, x, y;
} view;

static void axis_range(const layout *l, size_t axis, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < l->joints; k++)
        draw_extend(low, high, l->position[3 * k + axis]);
}

/* y is up, unless the body is far longer along z; across is the wider of the others. */
static view view_of(const layout *l, double left, double top, double width)
{
    double low[3], high[3], span[3];
    for (size_t a = 0; a < 3; a++) {
        axis_range(l, a, &low[a], &high[a]);
        span[a] = high[a] - low[a];
    }
    view v = {.up = span[2] > 1.5 * span[1] ? 2 : 1};
    size_t other = v.up == 1 ? 2 : 1;
    v.across = span[0] >= span[other] ? 0 : other;
    double room = 2.0 * JOINT + 8.0, wide = width - 2.0 * room - 70.0;
    v.scale = fmin(wide / fmax(span[v.across], 1e-300),
                   (BODY_HEIGHT - 2.0 * room) / fmax(span[v.up], 1e-300));
    v.x = left + width / 2.0 - v.scale * (low[v.across] + high[v.across]) / 2.0;
    v.y = top + BODY_HEIGHT / 2.0 + v.scale * (low[v.up] + high[v.up]) / 2.0;
    return v;
}

static double joint_x(const layout *l, const view *v, size_t k)
{
    return v->x + v->scale * l->position[3 * k + v->across];
}

static double joint_y(const layout *l, const view *v, size_t k)
{
    return v->y - v->scale * l->position[3 * k + v->up];
}

/* Names of the first of the order, but none on another. */
static void put_names(drawing *d, const layout *l, const view *v, const size_t *order, size_t count)
{
    size_t written[NAMED], names = 0;
    for (size_t i = 0; i < count && names < NAMED; i++) {
        double x = joint_x(l, v, order[i]), y = joint_y(l, v, order[i]);
        int apart = 1;
        for (size_t k = 0; k < names; k++)
            apart &= fabs(joint_x(l, v, written[k]) - x) > 90.0 ||
                     fabs(joint_y(l, v, written[k]) - y) > 13.0;
        if (!apart)
            continue;
        draw_text(d, 0, x + JOINT + 3.0, y + 4.5, 16, l->panel[0].name[order[i]]);
        written[names++] = order[i];
    }
}

static double put_skeleton(drawing *d, const explained *x, double left, double top, double width)
{
    const layout *l = &x->rows;
    const panel *p = &l->panel[0];
    size_t *order = cli_alloc(l->joints, sizeof *order, "joints");
    size_t count = explained_order(x, p, order);
    double largest = count ? explained_cell(x, p, order[0], x->by) : 0.0;
    view v = view_of(l, left, top, width);
    for (size_t k = 0; k < l->joints; k++)
        if (l->parent[k] != k)
            draw_line(d, (draw_ink){.look = LOOK_BONE}, joint_x(l, &v, l->parent[k]),
                      joint_y(l, &v, l->parent[k]), joint_x(l, &v, k), joint_y(l, &v, k));
    for (size_t k = 0; k < l->joints; k++)
        put_dot(d, p->name[k], explained_cell(x, p, k, x->by), largest, JOINT, joint_x(l, &v, k),
                joint_y(l, &v, k));
    put_names(d, l, &v, order, count);
    cli_free(order);
    return BODY_HEIGHT;
}

/* ---- grids ----------------------------------------------------------------------------------- */

#define TILE_MOST  44.0
#define TILE_NAMES 30.0 /* tiles from this width on have their number written in them */
#define TITLE      20.0

/* A tile as strong as its value, with the number where there is room. */
static void put_tile(drawing *d, const explained *x, const panel *p, size_t c, double largest,
                     double left, double top, double side)
{
    double value = explained_cell(x, p, c, x->by), strength = largest > 0.0 ? value / largest : 0.0;
    if (isnan(value))
        return;
    d->title = words_text("%s: %.1f %%", p->name[c], 100.0 * value);
    draw_rect(d, (draw_ink){LOOK_TILE, 0, fmax(strength, 1e-9)}, left, top, side, side);
    if (side >= TILE_NAMES)
        draw_text(d, TEXT_TINY | TEXT_MIDDLE | (strength > 0.55 ? TEXT_ON : 0), left + side / 2.0,
                  top + side / 2.0 + 4.0, 0, words_text("%.1f", 100.0 * value));
    if (p->rows == 1 && side >= TILE_NAMES)
        draw_text(d, TEXT_TINY | TEXT_SOFT | TEXT_MIDDLE, left + side / 2.0, top + side + 13.0, 7,
                  p->name[c]);
}

static double put_panels(drawing *d, const explained *x, double left, double top, double width)
{
    double y = top;
    for (size_t i = 1; i < x->rows.panels; i++) {
        const panel *p = &x->rows.panel[i];
        double side = fmin(TILE_MOST, width / (double)p->columns), largest = largest_of(x, p);
        draw_text(d, TEXT_BOLD, left, y, 0, p->title);
        for (size_t c = 0; c < p->rows * p->columns; c++)
            put_tile(d, x, p, c, largest, left + side * (double)(c % p->columns),
                     y + 8.0 + side * floor((double)c / (double)p->columns), side);
        y += 8.0 + side * (double)p->rows + (p->rows == 1 ? 16.0 : 0.0) + TITLE;
    }
    return y - top;
}

/* ---- a head ----------------------------------------------------------------------------------
 *
 * Names of the international 10-10 system: Fz, C3, PO8, ... A name is a row, from front to back, and
 * a place in it: z in the middle, odd numbers on the left, even ones on the right, larger ones
 * farther out. Places in a row lie evenly on the line from the middle to the ring through Fpz, T7,
 * Oz and T8; a sketch, not a projection of measured places. */

#define HEAD_HEIGHT 400.0
#define CHANNEL     16.0 /* radius of the largest */
#define FEWEST      4    /* names to know before a head is drawn */
#define RING        0.8  /* of the radius of the head */
#define DEGREE      (3.14159265358979323846 / 180.0)
#define MOST_ROW    2 /* letters */

typedef struct head_row {
    const char *letters;
    double middle; /* height of z, from -1 to 1 */
    double turn;   /* degrees from the front to where the row meets the ring */
    double places; /* from the middle to the ring */
} head_row;

static const head_row rows[] = {
    {"FP", 0.8, 18, 1},   {"AF", 0.6, 36, 4},  {"F", 0.4, 54, 4},    {"FC", 0.2, 72, 4},
    {"FT", 0.2, 72, 4},   {"C", 0, 90, 4},     {"T", 0, 90, 4},      {"CP", -0.2, 108, 4},
    {"TP", -0.2, 108, 4}, {"P", -0.4, 126, 4}, {"PO", -0.6, 144, 4}, {"O", -0.8, 162, 1},
    {"I", -1, 162, 1},
};

/* Names of the older 10-20 system. */
static const char *newer_name(const char *name)
{
    static const char *const pairs[][2] = {{"T3", "T7"}, {"T4", "T8"}, {"T5", "P7"}, {"T6", "P8"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name, pairs[i][0]) == 0)
            return pairs[i][1];
    return name;
}

static const head_row *row_of(const char *letters)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(letters, rows[i].letters) == 0)
            return &rows[i];
    return NULL;
}

/* at (2) <- where a channel is, the head being the circle of radius 1, the nose at (0, 1); 0 for an
 * unknown name. Dots behind a name are passed over. */
static int place_of(const char *given, double *at)
{
    char plain[8] = "", letters[MOST_ROW + 1] = "";
    size_t length = strcspn(given, ".");
    if (length == 0 || length >= sizeof plain)
        return 0;
    for (size_t i = 0; i < length; i++)
        plain[i] = (char)toupper((unsigned char)given[i]);
    const char *name = newer_name(plain);
    size_t row = strcspn(name, "0123456789Z");
    if (row == 0 || row > MOST_ROW)
        return 0;
    memcpy(letters, name, row);
    const head_row *r = row_of(letters);
    int middle = strcmp(name + row, "Z") == 0;
    long number = middle ? 0 : strtol(name + row, NULL, 10);
    if (!r || (!middle && (number < 1 || number > 10)))
        return 0;
    long place = (number + 1) / 2;
    double out = fmin((double)place / r->places, 1.25);
    double x = RING * sin(r->turn * DEGREE), y = RING * cos(r->turn * DEGREE);
    at[0] = (number % 2 ? -x : x) * out;
    at[1] = r->middle + (y - r->middle) * out;
    return 1;
}

static size_t count_known(const panel *p)
{
    size_t known = 0;
    double at[2];
    for (size_t c = 0; c < p->rows * p->columns; c++)
        known += (size_t)place_of(p->name[c], at);
    return known;
}

static int has_head(const explained *x)
{
    const panel *p = &x->rows.panel[0];
    size_t known = count_known(p);
    return known >= FEWEST && 2 * known >= p->rows * p->columns;
}

static double put_head(drawing *d, const explained *x, double left, double top, double width)
{
    const panel *p = &x->rows.panel[0];
    size_t cells = p->rows * p->columns;
    double radius = 0.5 * HEAD_HEIGHT - 40.0, middle_x = left + width / 2.0,
           middle_y = top + HEAD_HEIGHT / 2.0;
    double largest = largest_of(x, p), at[2];
    if (!has_head(x))
        return 0.0;
    draw_circle(d, (draw_ink){.look = LOOK_AXIS}, middle_x, middle_y, radius);
    draw_path(d, (draw_ink){.look = LOOK_AXIS},
              words_text("M%.1f %.1fL%.1f %.1fL%.1f %.1f", middle_x - 12.0, middle_y - radius + 1.0,
                         middle_x, middle_y - radius - 14.0, middle_x + 12.0,
                         middle_y - radius + 1.0));
    for (size_t c = 0; c < cells; c++)
        if (place_of(p->name[c], at)) {
            double dot_x = middle_x + radius * at[0], dot_y = middle_y - radius * at[1];
            double size = put_dot(d, p->name[c], explained_cell(x, p, c, x->by), largest, CHANNEL,
                                  dot_x, dot_y);
            draw_text(d, TEXT_TINY | TEXT_MIDDLE, dot_x, dot_y + size + 10.0, 6, p->name[c]);
        }
    return HEAD_HEIGHT;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void put_picture(drawing *d, const void *what)
{
    const explained *x = what;
    int body = x->rows.joints > 0 || x->rows.panels > 1 || has_head(x);
    double left = body ? MARGIN + BODY + MARGIN : MARGIN, y = TOP;
    draw_text(d, TEXT_BOLD, MARGIN, 30, 110, x->title);
    double drawn = bars(d, x, left, WIDTH - left - MARGIN);
    if (x->rows.joints > 0)
        y += put_skeleton(d, x, MARGIN, y, BODY);
    else
        y += put_head(d, x, MARGIN, y, BODY);
    if (x->rows.panels > 1)
        y += put_panels(d, x, MARGIN, y, BODY);
    d->height = TOP + fmax(drawn, y - TOP) + MARGIN;
    d->height += put_caption(d, explained_caption(x), d->height) + MARGIN / 2;
}

figure explained_figure(const explained *x)
{
    return (figure){"explain", x->title, explained_caption(x), WIDTH, 0, put_picture, x};
}
