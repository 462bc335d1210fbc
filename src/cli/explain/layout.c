/* layout.c - what rows are: of joints, of channels, features of images, and those that nothing is
 * known of. */
#include "cli/explain/explained.h"

#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "cli/frame/sheet.h"

/* ---- panels ---------------------------------------------------------------------------------- */

/* A further panel, its cells nameless and without rows. */
static panel *add_panel(layout *l, const char *key, const char *title, size_t rows, size_t columns)
{
    panel *p = &l->panel[l->panels++];
    *p = (panel){.key = key, .title = title, .rows = rows, .columns = columns};
    p->name = cli_alloc_table(rows, columns, sizeof *p->name, "names");
    p->of = cli_alloc(l->n, sizeof *p->of, "rows");
    for (size_t c = 0; c < rows * columns; c++)
        p->name[c] = "";
    for (size_t i = 0; i < l->n; i++)
        p->of[i] = LAYOUT_NONE;
    return p;
}

/* One whose cells have these names. */
static panel *named_panel(layout *l, const char *key, const char *title, size_t cells,
                          const char *const *name)
{
    panel *p = add_panel(l, key, title, 1, cells);
    for (size_t c = 0; c < cells; c++)
        p->name[c] = name[c];
    return p;
}

/* One whose cells are named by row and column, from 1. */
static panel *grid_panel(layout *l, const char *key, const char *title, size_t rows, size_t columns,
                         const char *what)
{
    panel *p = add_panel(l, key, title, rows, columns);
    for (size_t c = 0; c < rows * columns; c++)
        p->name[c] = words_text("%s %zu,%zu", what, c / columns + 1, c % columns + 1);
    return p;
}

/* The rows from `from` to before `to` go through `cells` cells of a panel, of which `first` is the
 * first, `each` rows at a time, again and again. */
typedef struct span {
    size_t from, to, each, first, cells;
} span;

/* Gives rows their cells, and the names of these to the rows: behind what they are called so far
 * and the text `between`; NULL: no names. */
static void put_rows(layout *l, panel *p, span s, const char *between)
{
    for (size_t i = s.from; i < s.to && s.each > 0 && s.cells > 0; i++) {
        p->of[i] = s.first + (i - s.from) / s.each % s.cells;
        if (between)
            l->name[i] =
                words_text("%s%s%s", l->name[i] ? l->name[i] : "", between, p->name[p->of[i]]);
    }
}

/* A whole number of the record, at most n; else `otherwise`. */
static size_t count_of(const layout *l, const json_t *parameters, const char *key, size_t otherwise)
{
    double value = json_number_value(json_object_get(parameters, key));
    size_t count = value >= 1.0 && value <= (double)l->n ? (size_t)value : 0;
    return count > 0 ? count : otherwise;
}

/* The i-th text of a list of the record, or "". */
static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? cli_text(text, strlen(text)) : "";
}

/* ---- joints ---------------------------------------------------------------------------------- */

static const char *const axes[] = {"x", "y", "z"};

/* What the record says of the joints. */
typedef struct body {
    size_t joints, windows, left_out; /* left out: the root, of a centred clip */
    const json_t *rows;
} body;

/* Fits the record to the size of the matrices; 0: it does not. */
static int body_of(const layout *l, const json_t *record, const words *names, body *b)
{
    const json_t *parameters = json_object_get(record, "parameters");
    const char *center = json_string_value(json_object_get(parameters, "center"));
    size_t levels = count_of(l, parameters, "temporal_pyramid", 1);
    b->rows = json_object_get(record, "rows");
    b->windows = levels < 20 ? ((size_t)1 << levels) - 1 : 1;
    if (json_is_true(json_object_get(parameters, "overlap")) && levels < 20)
        b->windows = 2 * b->windows - levels;
    b->left_out = center && strcmp(center, "root") == 0 ? 1 : 0;
    if (l->n % (3 * b->windows) != 0)
        return 0;
    b->joints = l->n / (3 * b->windows) + b->left_out;
    if (b->rows && json_array_size(json_object_get(b->rows, "joints")) != b->joints)
        return 0; /* mapped since */
    return names->count == 0 || names->count == b->joints ||
           names->count == b->joints - b->left_out;
}

static void take_skeleton(layout *l, const body *b)
{
    const json_t *parents = json_object_get(b->rows, "parents");
    const json_t *position = json_object_get(b->rows, "position");
    if (json_array_size(position) != b->joints)
        return;
    l->parent = cli_alloc(b->joints, sizeof *l->parent, "joints");
    l->position = cli_alloc_table(b->joints, 3, sizeof *l->position, "positions");
    for (size_t k = 0; k < b->joints; k++) {
        double up = json_number_value(json_array_get(parents, k));
        l->parent[k] =
            json_array_get(parents, k) && up >= 0.0 && up < (double)b->joints ? (size_t)up : k;
        for (size_t a = 0; a < 3; a++) {
            double at = json_number_value(json_array_get(json_array_get(position, k), a));
            l->position[3 * k + a] = fabs(at) < 1e100 ? at : 0.0;
        }
    }
    l->joints = b->joints;
}

static const char *joint_name(const body *b, const words *names, size_t k)
{
    size_t skip = names->count == b->joints ? 0 : b->left_out;
    if (names->count > 0)
        return k >= skip ? names->word[k - skip] : "root";
    const char *known = text_at(json_object_get(b->rows, "joints"), k);
    return known[0] ? known : words_text("joint %zu", k + 1);
}

static int joint_rows(layout *l, const json_t *record, const words *names)
{
    body b = {0};
    if (!body_of(l, record, names, &b))
        return 0;
    panel *by_joint = add_panel(l, "joints", "joints", 1, b.joints);
    size_t moving = b.joints - b.left_out;
    for (size_t k = 0; k < b.joints; k++)
        by_joint->name[k] = joint_name(&b, names, k);
    put_rows(l, by_joint, (span){0, l->n, 3, b.left_out, moving}, "");
    put_rows(l, named_panel(l, "axes", "axes", 3, axes), (span){0, l->n, 1, 0, 3}, " ");
    if (b.windows > 1) {
        panel *by_window = add_panel(l, "windows", "windows of time", 1, b.windows);
        for (size_t w = 0; w < b.windows; w++)
            by_window->name[w] = words_text("%zu", w + 1);
        put_rows(l, by_window, (span){0, l->n, 3 * moving, 0, b.windows}, ", window ");
    }
    take_skeleton(l, &b);
    return 1;
}

/* ---- channels -------------------------------------------------------------------------------- */

static const char *band_name(const json_t *bands, size_t b)
{
    const json_t *band = json_array_get(bands, b);
    return words_text("%.4g-%.4g Hz", json_number_value(json_array_get(band, 0)),
                      json_number_value(json_array_get(band, 1)));
}

static int channel_rows(layout *l, const json_t *record, const words *names)
{
    const json_t *bands = json_object_get(json_object_get(record, "parameters"), "bands");
    const json_t *known = json_object_get(json_object_get(record, "rows"), "channels");
    size_t count = json_array_size(bands) ? json_array_size(bands) : 1, channels = l->n / count;
    if (channels == 0 || l->n % count || (names->count > 0 && names->count != channels) ||
        (known && json_array_size(known) != channels))
        return 0;
    panel *by_channel = add_panel(l, "channels", "channels", 1, channels);
    for (size_t c = 0; c < channels; c++) {
        const char *name = names->count ? names->word[c] : text_at(known, c);
        by_channel->name[c] = name[0] ? name : words_text("channel %zu", c + 1);
    }
    put_rows(l, by_channel, (span){0, l->n, 1, 0, channels}, "");
    if (count > 1) {
        panel *by_band = add_panel(l, "bands", "bands", 1, count);
        for (size_t b = 0; b < count; b++)
            by_band->name[b] = band_name(bands, b);
        put_rows(l, by_band, (span){0, l->n, channels, 0, count}, ", ");
    }
    return 1;
}

/* ---- features of images ---------------------------------------------------------------------- */

#define CELLS        4 /* of SIFT, a side */
#define ORIENTATIONS 8
#define SIFT         (CELLS * CELLS * ORIENTATIONS)
#define PATCH        3 /* pixels, a side */
#define COLOURS      (3 * PATCH * PATCH)

/* These return 0 where the matrices do not have the size that the record says. */
static int sift_color_rows(layout *l)
{
    static const char *const turns[] = {"0\xc2\xb0",   "45\xc2\xb0",  "90\xc2\xb0",  "135\xc2\xb0",
                                        "180\xc2\xb0", "225\xc2\xb0", "270\xc2\xb0", "315\xc2\xb0"};
    static const char *const colours[] = {"R", "G", "B"};
    const size_t squares = CELLS * CELLS, pixels = l->n > SIFT ? PATCH * PATCH : 0;
    if (l->n != SIFT && l->n != SIFT + COLOURS)
        return 0;
    panel *blocks = add_panel(l, "blocks", "blocks of features", 1, squares + pixels);
    panel *cells = grid_panel(l, "cells", "SIFT, 4 x 4 cells", CELLS, CELLS, "SIFT cell");
    const span of_cells = {0, SIFT, ORIENTATIONS, 0, squares};
    put_rows(l, blocks, of_cells, NULL);
    put_rows(l, cells, of_cells, "");
    put_rows(l, named_panel(l, "orientations", "SIFT, orientations", ORIENTATIONS, turns),
             (span){0, SIFT, 1, 0, ORIENTATIONS}, ", ");
    memcpy(blocks->name, cells->name, squares * sizeof *blocks->name);
    if (!pixels)
        return 1;
    panel *patch = grid_panel(l, "pixels", "colours of 3 x 3 pixels", PATCH, PATCH, "pixel");
    put_rows(l, blocks, (span){SIFT, l->n, 3, squares, pixels}, NULL);
    put_rows(l, patch, (span){SIFT, l->n, 3, 0, pixels}, "");
    put_rows(l, named_panel(l, "colours", "colours", 3, colours), (span){SIFT, l->n, 1, 0, 3},
             ", ");
    memcpy(blocks->name + squares, patch->name, pixels * sizeof *blocks->name);
    return 1;
}

#define PLAIN 3 /* I, x, y */

/* The grid in which the blocks of the matrix are shown. */
static void regions_of(const layout *l, const json_t *parameters, size_t *rows, size_t *columns)
{
    const char *word = json_string_value(json_object_get(parameters, "regions"));
    *rows = *columns = 1;
    if (word && strcmp(word, "halves") == 0) {
        *columns = 3;
    } else if (word && strcmp(word, "grid") == 0) {
        *rows = count_of(l, parameters, "grid_rows", 1);
        *columns = count_of(l, parameters, "grid_columns", 1);
    }
}

static int gabor_rows(layout *l, const json_t *parameters)
{
    static const char *const plain[PLAIN] = {"intensity", "x", "y"};
    size_t scales = count_of(l, parameters, "scales", 1);
    size_t turns = count_of(l, parameters, "orientations", 1), rows, columns;
    size_t each = PLAIN + scales * turns;
    regions_of(l, parameters, &rows, &columns);
    if (scales > l->n / turns || rows > l->n / columns || each <= PLAIN ||
        rows * columns * each != l->n)
        return 0;
    panel *features = add_panel(l, "features", "features", 1, each);
    panel *filters =
        add_panel(l, "filters", "Gabor filters, scales by orientations", scales, turns);
    for (size_t c = 0; c < each; c++)
        features->name[c] = c < PLAIN
                                ? plain[c]
                                : words_text("scale %zu, %.4g\xc2\xb0", (c - PLAIN) / turns + 1,
                                             180.0 * (double)((c - PLAIN) % turns) / (double)turns);
    memcpy(filters->name, features->name + PLAIN, scales * turns * sizeof *filters->name);
    for (size_t i = 0; i < l->n; i++)
        filters->of[i] = i % each < PLAIN ? LAYOUT_NONE : i % each - PLAIN;
    if (rows * columns > 1) {
        static const char *const halves[] = {"whole", "left half", "right half"};
        panel *p = rows == 1 && columns == 3
                       ? named_panel(l, "regions", "regions", 3, halves)
                       : grid_panel(l, "regions", "regions", rows, columns, "cell");
        put_rows(l, p, (span){0, l->n, each, 0, rows * columns}, "");
    }
    put_rows(l, features, (span){0, l->n, 1, 0, each}, rows * columns > 1 ? ", " : "");
    return 1;
}

static int region_rows(layout *l)
{
    static const char *const grey[] = {"x",     "y",     "I",        "|Ix|",     "|Iy|",
                                       "|Ixx|", "|Iyy|", "gradient", "direction"};
    static const char *const coloured[] = {"x",    "y",     "R",     "G",        "B",        "|Ix|",
                                           "|Iy|", "|Ixx|", "|Iyy|", "gradient", "direction"};
    size_t greys = sizeof grey / sizeof *grey, all = sizeof coloured / sizeof *coloured;
    if (l->n != greys && l->n != all)
        return 0;
    put_rows(l, named_panel(l, "features", "features", l->n, l->n == all ? coloured : grey),
             (span){0, l->n, 1, 0, l->n}, "");
    return 1;
}

/* ---- any ------------------------------------------------------------------------------------- */

/* Rows that were projected, by a model or by transform, are mixtures that have no names. */
static int from_record(layout *l, const json_t *record, const words *names)
{
    const char *kind = json_string_value(json_object_get(record, "descriptor"));
    const json_t *parameters = json_object_get(record, "parameters");
    if (!kind || json_object_get(json_object_get(record, "covariance"), "projected_to"))
        return 0;
    if (strcmp(kind, "joints") == 0)
        return joint_rows(l, record, names);
    if (strcmp(kind, "covariance") == 0)
        return channel_rows(l, record, names);
    if (names->count > 0)
        return 0;
    l->mixed = 1;
    if (strcmp(kind, "sift-color") == 0)
        return sift_color_rows(l);
    if (strcmp(kind, "gabor") == 0)
        return gabor_rows(l, parameters);
    return strcmp(kind, "region") == 0 && region_rows(l);
}

layout layout_of(size_t n, const char *meta, const words *names, const char *path)
{
    layout l = {.n = n, .name = cli_alloc(n, sizeof *l.name, "names")};
    json_t *record = meta ? sheet_json_parse(meta) : NULL;
    int known = names->count != n && from_record(&l, record, names);
    if (!known && names->count > 0 && names->count != n)
        cli_fail("%s: has %zu names for matrices with %zu rows; give one per row%s", path,
                 names->count, n, record ? ", joint or channel" : "");
    if (!known) {
        l.mixed = 0;
        panel *p = add_panel(&l, "rows", "rows", 1, l.n);
        for (size_t i = 0; i < l.n; i++)
            p->name[i] = names->count == l.n ? names->word[i] : words_text("%zu", i + 1);
        put_rows(&l, p, (span){0, l.n, 1, 0, l.n}, "");
    }
    json_decref(record);
    return l;
}
