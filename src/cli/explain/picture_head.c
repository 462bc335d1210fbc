/* picture_head.c - channels of an EEG on a head, where their names are those of the international
 * 10-10 system: Fz, C3, PO8, ...
 *
 * A name is a row, from front to back, and a place in it: z in the middle, odd numbers on the left,
 * even ones on the right, larger ones farther out. Places in a row lie evenly on the line from the
 * middle to the ring through Fpz, T7, Oz and T8; a sketch, not a projection of measured places. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explained.h"

#define HEIGHT   400.0
#define LARGEST  16.0 /* radius of a channel */
#define FEWEST   4    /* names to know before a head is drawn */
#define RING     0.8  /* of the radius of the head */
#define DEGREE   (3.14159265358979323846 / 180.0)
#define MOST_ROW 2 /* letters */

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

int picture_has_head(const explained *x)
{
    const panel *p = &x->rows.panel[0];
    size_t known = count_known(p);
    return known >= FEWEST && 2 * known >= p->rows * p->columns;
}

static void put_outline(drawing *d, double x, double y, double radius)
{
    draw_circle(d, (draw_ink){.look = LOOK_AXIS}, x, y, radius);
    draw_path(d, (draw_ink){.look = LOOK_AXIS},
              words_text("M%.1f %.1fL%.1f %.1fL%.1f %.1f", x - 12.0, y - radius + 1.0, x,
                         y - radius - 14.0, x + 12.0, y - radius + 1.0));
}

double picture_head(drawing *d, const explained *x, double left, double top, double width)
{
    const panel *p = &x->rows.panel[0];
    size_t cells = p->rows * p->columns;
    double radius = 0.5 * HEIGHT - 40.0, middle_x = left + width / 2.0,
           middle_y = top + HEIGHT / 2.0;
    double largest = picture_largest(x, p), at[2];
    if (!picture_has_head(x))
        return 0.0;
    put_outline(d, middle_x, middle_y, radius);
    for (size_t c = 0; c < cells; c++)
        if (place_of(p->name[c], at)) {
            double dot_x = middle_x + radius * at[0], dot_y = middle_y - radius * at[1];
            double size = picture_dot(d, p->name[c], explained_cell(x, p, c, x->by), largest,
                                      LARGEST, dot_x, dot_y);
            draw_text(d, TEXT_TINY | TEXT_MIDDLE, dot_x, dot_y + size + 10.0, 6, p->name[c]);
        }
    return HEIGHT;
}
