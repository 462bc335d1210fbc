/* heat.c - a table of counts as a heat map.
 *
 * Only cells that hold something are drawn, so the size is bounded by the number of tests. With
 * many classes the cells shrink, counts go away, and every so many classes one has its name. */
#include "cli/drawing/draw.h"

#include "cli/drawing/html.h"
#include "cli/frame/words.h"

#define TOP        6.0
#define SIDE       340.0 /* pixels of the table */
#define NAME_ROOM  134.0 /* at the left and below */
#define CHARACTERS 16    /* of a class's name that fit there */
#define NAMES      24    /* that fit along a side */
#define SMALLEST   3.0   /* pixels that can still be seen */
#define TITLED     4000  /* cells that tell their numbers under the pointer */

/* Where the table lies. */
typedef struct place {
    drawing *d;
    const heat *h;
    double cell, left, names; /* names: room below and at the left */
    int titled;
} place;

static void put_cell(const place *p, size_t row, size_t column, int64_t sum)
{
    const heat *h = p->h;
    int64_t count = h->count[row * h->classes + column];
    double share = (double)count / (double)sum, x = p->left + p->cell * (double)column,
           y = TOP + p->cell * (double)row;
    double spread = p->cell < SMALLEST ? SMALLEST - p->cell : 0, faintest = spread > 0 ? 0.5 : 0.12;
    if (p->titled)
        p->d->title = words_text("%s \xE2\x86\x92 %s: %zu of %zu", html_short(h->name[row], 60),
                                 html_short(h->name[column], 60), (size_t)count, (size_t)sum);
    draw_rect(
        p->d,
        (draw_ink){row == column ? LOOK_RIGHT : LOOK_WRONG, 0, faintest + (1 - faintest) * share},
        x - spread / 2, y - spread / 2, p->cell + spread, p->cell + spread);
    if (h->classes <= DRAW_HEAT_COUNTS)
        draw_text(p->d, TEXT_MIDDLE | (p->cell < 24 ? TEXT_TINY : 0) | (share > 0.5 ? TEXT_ON : 0),
                  x + p->cell / 2, y + p->cell / 2 + 4.5, 0, words_text("%lld", (long long)count));
}

static place place_of(drawing *d, const heat *h)
{
    size_t filled = 0;
    for (size_t i = 0; i < h->classes * h->classes; i++)
        filled += h->count[i] != 0;
    size_t longest = 0;
    for (size_t c = 0; c < h->classes; c++) {
        size_t length = html_length(h->name[c]);
        longest = length > longest ? length : longest;
    }
    double names =
        14 + (NAME_ROOM - 14) * (double)(longest < CHARACTERS ? longest : CHARACTERS) / CHARACTERS;
    return (place){d, h, SIDE / (double)h->classes, names + 22, names, filled <= TITLED};
}

static void put_heat(drawing *d, const void *what)
{
    const heat *h = what;
    place p = place_of(d, h);
    draw_rect(d, (draw_ink){.look = LOOK_FIELD}, p.left, TOP, SIDE, SIDE);
    for (size_t r = 0; r < h->classes; r++) {
        const int64_t *count = h->count + r * h->classes;
        int64_t sum = 0;
        for (size_t c = 0; c < h->classes; c++)
            sum += count[c];
        for (size_t c = 0; c < h->classes; c++)
            if (count[c])
                put_cell(&p, r, c, sum);
    }
    size_t step = (h->classes + NAMES - 1) / NAMES;
    unsigned style = TEXT_SOFT | TEXT_END | (p.cell * (double)step < 15 ? TEXT_TINY : 0);
    for (size_t c = 0; c < h->classes; c += step) {
        double middle = p.cell * ((double)c + 0.5);
        draw_text(d, style, p.left - 5, TOP + middle + 4, CHARACTERS, h->name[c]);
        draw_text(d, style | TEXT_UP, p.left + middle + 4, TOP + SIDE + 5, CHARACTERS, h->name[c]);
    }
    draw_text(d, TEXT_MIDDLE | TEXT_UP, 13, TOP + SIDE / 2, 0, "true class");
    draw_text(d, TEXT_MIDDLE, p.left + SIDE / 2, TOP + SIDE + p.names + 16, 0, "predicted class");
}

figure heat_figure(const heat *h, const char *id, const char *title)
{
    place p = place_of(NULL, h);
    return (figure){id,
                    title,
                    "Rows are true classes, columns predicted ones.",
                    p.left + SIDE + 8,
                    TOP + SIDE + p.names + 24,
                    put_heat,
                    h};
}
