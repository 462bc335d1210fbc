/* clouds.c - points in two dimensions, colours and shapes their classes, with a legend. */
#include <math.h>

#include "cli/drawing/draw.h"
#include "cli/drawing/html.h"
#include "cli/frame/words.h"

#define WIDTH   440.0
#define MARGIN  22.0
#define HEADING 26.0
#define GAP     16.0
#define LINE    20.0
#define COLUMNS 3 /* of the legend, below each cloud */
#define MANY    300

#define COLOURED 16 /* classes; of more, HEAD are in colour and the others grey */
#define HEAD     12

/* Each round of colours has its shapes moved on by one, so that no pair repeats for long. */
int cloud_shape(int colour)
{
    return colour == DRAW_GREY ? 0 : colour + colour / DRAW_COLOURS;
}

size_t cloud_colours(size_t classes, int *colour)
{
    size_t coloured = 0, step = classes <= COLOURED ? 1 : (classes + HEAD - 1) / HEAD;
    for (size_t c = 0; c < classes; c++)
        colour[c] = c % step ? DRAW_GREY : (int)coloured++;
    return coloured;
}

/* middle and half (2 each) <- of the box around a cloud, with a little room. */
static void box_of(const clouds *c, const double *Y, double *middle, double *half)
{
    for (size_t axis = 0; axis < 2; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < c->count; i++)
            draw_extend(&low, &high, Y[2 * i + axis]);
        middle[axis] = (low + high) / 2;
        half[axis] = 1.06 * (high - low) / 2;
    }
}

/* Height over width that fits all clouds, within reason. */
static double aspect_of(const clouds *c)
{
    double aspect = 0.6, middle[2], half[2];
    for (int part = 0; part < 2; part++)
        if (c->at[part]) {
            box_of(c, c->at[part], middle, half);
            aspect = fmax(aspect, half[0] > 0 ? half[1] / half[0] : 1);
        }
    return fmin(aspect, 1);
}

/* One scale for both axes: distances on paper are distances. */
static draw_frame frame_of(drawing *d, const clouds *c, const double *Y)
{
    double aspect = aspect_of(c), middle[2], half[2];
    draw_frame a = {.d = d, .left = MARGIN, .right = WIDTH - 4, .top = 6};
    box_of(c, Y, middle, half);
    double wide = fmax(half[0], half[1] / aspect);
    wide = wide > 0 ? wide : 1;
    a.bottom = a.top + aspect * (a.right - a.left);
    a.x0 = middle[0] - wide;
    a.x1 = middle[0] + wide;
    a.y0 = middle[1] - aspect * wide;
    a.y1 = middle[1] + aspect * wide;
    return a;
}

/* Grey points first, so that they lie below. */
void cloud_marks(const draw_frame *a, const clouds *c, const double *at)
{
    for (int grey = 1; grey >= 0; grey--)
        for (size_t i = 0; i < c->count; i++) {
            int colour = c->label ? c->colour[c->label[i]] : 0;
            if ((colour == DRAW_GREY) != grey || isnan(at[2 * i]))
                continue;
            a->d->title = c->tip ? c->tip[i] : NULL;
            draw_mark(a->d, draw_x(a, at[2 * i]), draw_y(a, at[2 * i + 1]),
                      grey              ? 2.2
                      : c->count > MANY ? 3.6
                                        : 4.4,
                      colour, cloud_shape(colour), !(c->hollow && c->hollow[i]));
        }
}

static void put_cloud(const draw_frame *a, const clouds *c, const double *at)
{
    draw_axes(a, DRAW_BARE, c->x_label, DRAW_BARE, c->y_label);
    cloud_marks(a, c, at);
}

static void put_first(drawing *d, const void *what)
{
    const clouds *c = what;
    draw_frame a = frame_of(d, c, c->at[0]);
    put_cloud(&a, c, c->at[0]);
}

figure cloud_figure(const clouds *c, const char *id, const char *title)
{
    return (figure){
        id,        title, CLOUDS_WORDS, WIDTH, frame_of(NULL, c, c->at[0]).bottom + MARGIN + 2,
        put_first, c};
}

/* ---- with a legend --------------------------------------------------------------------------- */

/* Where the legend's next entry goes. */
typedef struct shelf {
    drawing *d;
    double top, width;
    int columns, next;
} shelf;

static void put_name(shelf *at, int colour, int shape, int full, const char *name)
{
    int column = at->next % at->columns, line = at->next / at->columns;
    double x = column * at->width / at->columns + MARGIN, y = at->top + line * LINE;
    at->next++;
    draw_mark(at->d, x, y, 4.6, colour, shape, full);
    draw_text(at->d, 0, x + 10, y + 4.5, 17, name);
}

/* The height of the legend. */
static double put_names(shelf at, const clouds *c)
{
    size_t coloured = 0;
    for (size_t k = 0; c->label && k < c->classes; k++)
        if (c->colour[k] != DRAW_GREY) {
            put_name(&at, c->colour[k], cloud_shape(c->colour[k]), 1, c->name[k]);
            coloured++;
        }
    if (c->label && coloured < c->classes)
        put_name(&at, DRAW_GREY, 0, 1, "other classes");
    if (c->hollow) {
        put_name(&at, 6, 0, 0, "hollow: training");
        put_name(&at, 6, 0, 1, "filled: test");
    }
    int lines = (at.next + at.columns - 1) / at.columns;
    return lines * LINE;
}

static void put_clouds(drawing *d, const void *what)
{
    const clouds *c = what;
    int parts = c->at[1] ? 2 : 1;
    double above = c->heading[0] ? HEADING : 0, below = 0;
    for (int part = 0; part < parts; part++) {
        draw_frame a = frame_of(d, c, c->at[part]);
        a.left += part * (WIDTH + GAP);
        a.right += part * (WIDTH + GAP);
        a.top += above;
        a.bottom += above;
        below = a.bottom + MARGIN + 2 + GAP;
        if (c->heading[part])
            draw_text(d, TEXT_BOLD, a.left, a.top - 9, 0, c->heading[part]);
        put_cloud(&a, c, c->at[part]);
    }
    d->height =
        below +
        put_names((shelf){d, below, parts * WIDTH + (parts - 1) * GAP, COLUMNS * parts, 0}, c);
}

figure clouds_figure(const clouds *c, const char *id, const char *title)
{
    return (figure){id, title, CLOUDS_WORDS, c->at[1] ? 2 * WIDTH + GAP : WIDTH, 0, put_clouds, c};
}
