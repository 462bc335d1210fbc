/* svg_heat.c - a table of counts as a heat map.
 *
 * Only cells that hold something are drawn, so the size is bounded by the number of tests. With
 * many classes the cells shrink, counts go away, and every so many classes one has its name. */
#include "cli/drawing/svg.h"

#include "cli/drawing/html.h"

#define SIDE       340.0 /* pixels of the table */
#define NAME_ROOM  134.0 /* at the left and below */
#define CHARACTERS 16    /* of a class's name that fit there, as in put_names */
#define NAMES      24    /* that fit along a side */
#define SMALLEST   3.0   /* pixels that can still be seen */
#define TITLED     4000  /* cells that tell their numbers under the pointer */

typedef struct heat {
    FILE *f;
    size_t classes;
    const char *const *name;
    const int64_t *count;
    double cell, left, top;
    int titled;
} heat;

static void put_cell(const heat *h, size_t row, size_t column, int64_t sum)
{
    int64_t count = h->count[row * h->classes + column];
    double share = (double)count / (double)sum, x = h->left + h->cell * (double)column,
           y = h->top + h->cell * (double)row;
    double spread = h->cell < SMALLEST ? SMALLEST - h->cell : 0, faintest = spread > 0 ? 0.5 : 0.12;
    fprintf(h->f,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill-opacity=\"%.2f\"",
            row == column ? "right" : "wrong", x - spread / 2, y - spread / 2, h->cell + spread,
            h->cell + spread, faintest + (1 - faintest) * share);
    if (h->titled)
        html_print(h->f, "><title>%.60s \xE2\x86\x92 %.60s: %zu of %zu</title></rect>\n",
                   h->name[row], h->name[column], (size_t)count, (size_t)sum);
    else
        fputs("/>\n", h->f);
    if (h->classes <= SVG_HEAT_COUNTS)
        fprintf(h->f,
                "<text class=\"%s%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                "pointer-events=\"none\">%lld</text>\n",
                h->cell < 24 ? "tiny" : "count", share > 0.5 ? " on" : "", x + h->cell / 2,
                y + h->cell / 2 + 4.5, (long long)count);
}

static void put_names(const heat *h)
{
    size_t step = (h->classes + NAMES - 1) / NAMES;
    const char *size = h->cell * (double)step < 15 ? "soft tiny" : "soft";
    for (size_t c = 0; c < h->classes; c += step) {
        double middle = h->cell * ((double)c + 0.5);
        html_print(h->f,
                   "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.16s</text><text "
                   "class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\" "
                   "text-anchor=\"end\">%.16s</text>\n",
                   size, h->left - 5, h->top + middle + 4, h->name[c], size, h->left + middle + 4,
                   h->top + SIDE + 5, h->name[c]);
    }
}

static size_t longest_name(const heat *h)
{
    size_t longest = 0;
    for (size_t c = 0; c < h->classes; c++) {
        size_t length = html_length(h->name[c]);
        longest = length > longest ? length : longest;
    }
    return longest < CHARACTERS ? longest : CHARACTERS;
}

static void put_row(const heat *h, size_t row)
{
    int64_t sum = 0;
    for (size_t c = 0; c < h->classes; c++)
        sum += h->count[row * h->classes + c];
    for (size_t c = 0; c < h->classes; c++)
        if (h->count[row * h->classes + c])
            put_cell(h, row, c, sum);
}

void svg_heat(FILE *f, const char *id, const char *title, const char *desc, size_t classes,
              const char *const *name, const int64_t *count)
{
    heat h = {.f = f,
              .classes = classes,
              .name = name,
              .count = count,
              .cell = SIDE / (double)classes,
              .top = 6};
    size_t filled = 0;
    for (size_t i = 0; i < classes * classes; i++)
        filled += count[i] != 0;
    h.titled = filled <= TITLED;
    double names = 14 + (NAME_ROOM - 14) * (double)longest_name(&h) / CHARACTERS;
    h.left = names + 22;
    svg_open(f, id, h.left + SIDE + 8, h.top + SIDE + names + 24, title, desc);
    fprintf(f, "<rect class=\"field\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\"/>\n",
            h.left, h.top, SIDE, SIDE);
    for (size_t r = 0; r < classes; r++)
        put_row(&h, r);
    put_names(&h);
    fprintf(
        f,
        "<text transform=\"translate(13 %.1f) rotate(-90)\" text-anchor=\"middle\">true "
        "class</text><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">predicted class</text>\n",
        h.top + SIDE / 2, h.left + SIDE / 2, h.top + SIDE + names + 16);
    svg_close(f);
}
