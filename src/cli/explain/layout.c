/* layout.c - rows of joints, of channels, and those that nothing is known of. */
#include "cli/explain/layout.h"

#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "cli/frame/sheet.h"

panel *layout_panel(layout *l, const char *key, const char *title, size_t rows, size_t columns)
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

size_t layout_count(const layout *l, const json_t *parameters, const char *key, size_t otherwise)
{
    double value = json_number_value(json_object_get(parameters, key));
    return value >= 1.0 && value <= (double)l->n ? (size_t)value : otherwise;
}

/* The i-th text of a list of the record, or "". */
static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? cli_text(text, strlen(text)) : "";
}

/* ---- plain rows ------------------------------------------------------------------------------ */

static void plain_rows(layout *l, const words *names)
{
    panel *p = layout_panel(l, "rows", "rows", 1, l->n);
    for (size_t i = 0; i < l->n; i++) {
        l->name[i] = names->count == l->n ? names->word[i] : words_text("%zu", i + 1);
        p->name[i] = l->name[i];
        p->of[i] = i;
    }
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
    size_t levels = layout_count(l, parameters, "temporal_pyramid", 1);
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
    panel *by_joint = layout_panel(l, "joints", "joints", 1, b.joints);
    panel *by_axis = layout_panel(l, "axes", "axes", 1, 3);
    panel *by_window =
        b.windows > 1 ? layout_panel(l, "windows", "windows of time", 1, b.windows) : NULL;
    size_t each = l->n / b.windows;
    for (size_t k = 0; k < b.joints; k++)
        by_joint->name[k] = joint_name(&b, names, k);
    for (size_t a = 0; a < 3; a++)
        by_axis->name[a] = axes[a];
    for (size_t i = 0; i < l->n; i++) {
        size_t k = i % each / 3 + b.left_out, window = i / each;
        by_joint->of[i] = k;
        by_axis->of[i] = i % 3;
        l->name[i] = words_text("%s %s", by_joint->name[k], axes[i % 3]);
        if (!by_window)
            continue;
        by_window->of[i] = window;
        by_window->name[window] = words_text("%zu", window + 1);
        l->name[i] = words_text("%s, window %zu", l->name[i], window + 1);
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
    panel *by_channel = layout_panel(l, "channels", "channels", 1, channels);
    panel *by_band = count > 1 ? layout_panel(l, "bands", "bands", 1, count) : NULL;
    for (size_t c = 0; c < channels; c++) {
        const char *name = names->count ? names->word[c] : text_at(known, c);
        by_channel->name[c] = name[0] ? name : words_text("channel %zu", c + 1);
    }
    for (size_t i = 0; i < l->n; i++) {
        by_channel->of[i] = i % channels;
        l->name[i] = by_channel->name[i % channels];
        if (!by_band)
            continue;
        by_band->of[i] = i / channels;
        by_band->name[i / channels] = band_name(bands, i / channels);
        l->name[i] = words_text("%s, %s", l->name[i], by_band->name[i / channels]);
    }
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
        return layout_sift_color(l);
    if (strcmp(kind, "gabor") == 0)
        return layout_gabor(l, parameters);
    return strcmp(kind, "region") == 0 && layout_region(l);
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
        plain_rows(&l, names);
    }
    json_decref(record);
    return l;
}
