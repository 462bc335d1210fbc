/* layout_images.c - rows that are features of images. */
#include "cli/explain/layout.h"

#include <string.h>

#define CELLS        4 /* of SIFT, a side */
#define ORIENTATIONS 8
#define SIFT         (CELLS * CELLS * ORIENTATIONS)
#define PATCH        3 /* pixels, a side */
#define COLOURS      (3 * PATCH * PATCH)

static const char *const colours[] = {"R", "G", "B"};

/* The names of a panel's cells: row and column, from 1. */
static void name_grid(panel *p, const char *what)
{
    for (size_t c = 0; c < p->rows * p->columns; c++)
        p->name[c] = words_text("%s %zu,%zu", what, c / p->columns + 1, c % p->columns + 1);
}

/* ---- sift-color ------------------------------------------------------------------------------ */

static void sift_part(layout *l, panel *blocks, panel *cells, panel *turns)
{
    name_grid(cells, "SIFT cell");
    for (size_t o = 0; o < ORIENTATIONS; o++)
        turns->name[o] = words_text("%zu\xc2\xb0", o * 360 / ORIENTATIONS);
    for (size_t i = 0; i < SIFT; i++) {
        size_t cell = i / ORIENTATIONS, o = i % ORIENTATIONS;
        cells->of[i] = cell;
        blocks->of[i] = cell;
        blocks->name[cell] = cells->name[cell];
        turns->of[i] = o;
        l->name[i] = words_text("%s, %s", cells->name[cell], turns->name[o]);
    }
}

static void colour_part(layout *l, panel *blocks, panel *pixels, panel *channels)
{
    name_grid(pixels, "pixel");
    for (size_t i = SIFT; i < l->n; i++) {
        size_t pixel = (i - SIFT) / 3, c = (i - SIFT) % 3;
        pixels->of[i] = pixel;
        blocks->of[i] = CELLS * CELLS + pixel;
        blocks->name[CELLS * CELLS + pixel] = pixels->name[pixel];
        channels->of[i] = c;
        channels->name[c] = colours[c];
        l->name[i] = words_text("%s, %s", pixels->name[pixel], colours[c]);
    }
}

int layout_sift_color(layout *l)
{
    int coloured = l->n == SIFT + COLOURS;
    if (l->n != SIFT && !coloured)
        return 0;
    panel *blocks = layout_panel(l, "blocks", "blocks of features", 1,
                                 CELLS * CELLS + (coloured ? PATCH * PATCH : 0));
    panel *cells = layout_panel(l, "cells", "SIFT, 4 x 4 cells", CELLS, CELLS);
    panel *turns = layout_panel(l, "orientations", "SIFT, orientations", 1, ORIENTATIONS);
    sift_part(l, blocks, cells, turns);
    if (coloured) {
        panel *pixels = layout_panel(l, "pixels", "colours of 3 x 3 pixels", PATCH, PATCH);
        colour_part(l, blocks, pixels, layout_panel(l, "colours", "colours", 1, 3));
    }
    return 1;
}

/* ---- gabor ----------------------------------------------------------------------------------- */

#define PLAIN 3 /* I, x, y */

/* Blocks of the matrix, and the grid in which they are shown. */
static void regions_of(const layout *l, const json_t *parameters, size_t *rows, size_t *columns)
{
    const char *word = json_string_value(json_object_get(parameters, "regions"));
    *rows = *columns = 1;
    if (word && strcmp(word, "halves") == 0) {
        *columns = 3;
    } else if (word && strcmp(word, "grid") == 0) {
        *rows = layout_count(l, parameters, "grid_rows", 1);
        *columns = layout_count(l, parameters, "grid_columns", 1);
    }
}

static void name_regions(panel *p)
{
    static const char *const halves[] = {"whole", "left half", "right half"};
    name_grid(p, "cell");
    for (size_t c = 0; p->rows == 1 && p->columns == 3 && c < 3; c++)
        p->name[c] = halves[c];
}

static void name_filters(panel *features, panel *filters)
{
    static const char *const plain[] = {"intensity", "x", "y"};
    for (size_t f = 0; f < filters->rows * filters->columns; f++)
        filters->name[f] =
            words_text("scale %zu, %.4g\xc2\xb0", f / filters->columns + 1,
                       180.0 * (double)(f % filters->columns) / (double)filters->columns);
    for (size_t c = 0; c < features->columns; c++)
        features->name[c] = c < PLAIN ? plain[c] : filters->name[c - PLAIN];
}

int layout_gabor(layout *l, const json_t *parameters)
{
    size_t scales = layout_count(l, parameters, "scales", 1);
    size_t turns = layout_count(l, parameters, "orientations", 1), rows, columns;
    size_t each = PLAIN + scales * turns;
    regions_of(l, parameters, &rows, &columns);
    if (scales > l->n / turns || rows > l->n / columns || rows * columns * each != l->n)
        return 0;
    panel *features = layout_panel(l, "features", "features", 1, each);
    panel *filters =
        layout_panel(l, "filters", "Gabor filters, scales by orientations", scales, turns);
    panel *regions =
        rows * columns > 1 ? layout_panel(l, "regions", "regions", rows, columns) : NULL;
    name_filters(features, filters);
    if (regions)
        name_regions(regions);
    for (size_t i = 0; i < l->n; i++) {
        size_t f = i % each;
        features->of[i] = f;
        filters->of[i] = f < PLAIN ? LAYOUT_NONE : f - PLAIN;
        l->name[i] = features->name[f];
        if (regions) {
            regions->of[i] = i / each;
            l->name[i] = words_text("%s, %s", regions->name[i / each], l->name[i]);
        }
    }
    return 1;
}

/* ---- region ---------------------------------------------------------------------------------- */

int layout_region(layout *l)
{
    static const char *const grey[] = {"x",     "y",     "I",        "|Ix|",     "|Iy|",
                                       "|Ixx|", "|Iyy|", "gradient", "direction"};
    static const char *const coloured[] = {"x",    "y",     "R",     "G",        "B",        "|Ix|",
                                           "|Iy|", "|Ixx|", "|Iyy|", "gradient", "direction"};
    size_t greys = sizeof grey / sizeof *grey, all = sizeof coloured / sizeof *coloured;
    if (l->n != greys && l->n != all)
        return 0;
    panel *features = layout_panel(l, "features", "features", 1, l->n);
    for (size_t i = 0; i < l->n; i++) {
        l->name[i] = features->name[i] = l->n == all ? coloured[i] : grey[i];
        features->of[i] = i;
    }
    return 1;
}
