/* picture_body.c - a skeleton whose joints are as large as they count, and grids of features. */
#include <math.h>

#include "cli/explain/explained.h"
#include "cli/frame/cli_memory.h"

#define HEIGHT     420.0 /* of the skeleton */
#define LARGEST    13.0  /* radius of a joint */
#define NAMED      6     /* joints whose names are written */
#define TILE_MOST  44.0
#define TILE_NAMES 30.0 /* tiles from this width on have their number written in them */
#define TITLE      20.0

/* ---- skeleton -------------------------------------------------------------------------------- */

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
    double room = 2.0 * LARGEST + 8.0, wide = width - 2.0 * room - 70.0;
    v.scale =
        fmin(wide / fmax(span[v.across], 1e-300), (HEIGHT - 2.0 * room) / fmax(span[v.up], 1e-300));
    v.x = left + width / 2.0 - v.scale * (low[v.across] + high[v.across]) / 2.0;
    v.y = top + HEIGHT / 2.0 + v.scale * (low[v.up] + high[v.up]) / 2.0;
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

static void put_bones(drawing *d, const layout *l, const view *v)
{
    for (size_t k = 0; k < l->joints; k++)
        if (l->parent[k] != k)
            draw_line(d, (draw_ink){.look = LOOK_BONE}, joint_x(l, v, l->parent[k]),
                      joint_y(l, v, l->parent[k]), joint_x(l, v, k), joint_y(l, v, k));
}

double picture_dot(drawing *d, const char *name, double value, double largest, double most,
                   double x, double y)
{
    double size = largest > 0.0 && value > 0.0 ? most * sqrt(value / largest) : 0.0;
    d->title = isnan(value) ? name : words_text("%s: %.1f %%", name, 100.0 * value);
    draw_circle(d, (draw_ink){.look = LOOK_FULL}, x, y, fmax(size, 2.0));
    return fmax(size, 2.0);
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
        draw_text(d, 0, x + LARGEST + 3.0, y + 4.5, 16, l->panel[0].name[order[i]]);
        written[names++] = order[i];
    }
}

double picture_skeleton(drawing *d, const explained *x, double left, double top, double width)
{
    const layout *l = &x->rows;
    const panel *p = &l->panel[0];
    size_t *order = cli_alloc(l->joints, sizeof *order, "joints");
    size_t count = explained_order(x, p, order);
    double largest = count ? explained_cell(x, p, order[0], x->by) : 0.0;
    view v = view_of(l, left, top, width);
    put_bones(d, l, &v);
    for (size_t k = 0; k < l->joints; k++)
        picture_dot(d, p->name[k], explained_cell(x, p, k, x->by), largest, LARGEST,
                    joint_x(l, &v, k), joint_y(l, &v, k));
    put_names(d, l, &v, order, count);
    cli_free(order);
    return HEIGHT;
}

/* ---- grids ----------------------------------------------------------------------------------- */

double picture_largest(const explained *x, const panel *p)
{
    double largest = 0.0;
    for (size_t c = 0; c < p->rows * p->columns; c++)
        largest = fmax(largest, explained_cell(x, p, c, x->by));
    return largest;
}

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

double picture_panels(drawing *d, const explained *x, double left, double top, double width)
{
    double y = top;
    for (size_t i = 1; i < x->rows.panels; i++) {
        const panel *p = &x->rows.panel[i];
        double side = fmin(TILE_MOST, width / (double)p->columns), largest = picture_largest(x, p);
        draw_text(d, TEXT_BOLD, left, y, 0, p->title);
        for (size_t c = 0; c < p->rows * p->columns; c++)
            put_tile(d, x, p, c, largest, left + side * (double)(c % p->columns),
                     y + 8.0 + side * floor((double)c / (double)p->columns), side);
        y += 8.0 + side * (double)p->rows + (p->rows == 1 ? 16.0 : 0.0) + TITLE;
    }
    return y - top;
}
