/* cmd_explain.c - `spdml explain`: which rows of the matrices a map looks at: joints, channels,
 * features. */
#include <math.h>
#include <string.h>

#include "cli/commands/meta_compare.h"
#include "cli/methods/show_trained.h"
#include "cli/explain/explained.h"
#include "cli/frame/screen.h"
#include "cli/frame/text_file.h"

#define NAMES_BYTES ((size_t)1 << 20)
#define CELLS_SHOWN 20

typedef struct explaining {
    const char *path; /* of the map */
    const double *W;
    const char *meta; /* how the matrices were made, or NULL */
    spd_data *data;   /* or NULL */
    explained found;
} explaining;

/* ---- inputs ---------------------------------------------------------------------------------- */

static void take_method(session *s, explaining *e)
{
    trained_method t;
    trained_load(s, e->path, &t);
    e->W = spd_classifier_weights(t.classifier);
    e->found.n = t.facts.n;
    e->found.m = t.facts.m;
    e->found.hermitian = t.facts.hermitian;
    e->meta = t.classes.meta;
    if (e->W)
        return;
    if (t.facts.n == 0)
        cli_fail("%s: is a method on vectors, which has no map", e->path);
    if (spd_classifier_method(t.classifier)->map == SPD_MAP_NONE)
        cli_fail(
            "%s: %s works on the whole matrices and has no map; a method with one (-ml) can be "
            "explained",
            e->path,
            spd_name(SPD_ENUM_CLASSIFIER, spd_classifier_method(t.classifier)->classifier));
    const spd_map map = spd_classifier_method(t.classifier)->map;
    if (map == SPD_MAP_MULTI || map == SPD_MAP_BAG)
        cli_fail("%s: has several maps side by side and the matrix itself (%s); a method with "
                 "one map (-ml) can be explained",
                 e->path, spd_name(SPD_ENUM_MAP, map));
    cli_fail("%s: has no map (m = n): every row is kept as it is", e->path);
}

static void take_map(session *s, explaining *e)
{
    e->path = s->args->operands[0];
    if (spd_file_kind(e->path) == SPD_KIND_METHOD) {
        take_method(s, e);
        return;
    }
    spd_model *model = session_model(s, e->path);
    e->W = model->W;
    e->found.n = model->n;
    e->found.m = model->m;
    e->found.hermitian = model->options->hermitian;
}

/* The data, whose record says what rows are where the map's file does not. */
static void take_data(session *s, explaining *e)
{
    const char *path = arguments_text(s->args, "data");
    if (!path)
        return;
    e->data = session_load_labels(s, path, NULL, 0);
    shown_check(e->path, "maps", e->found.n, e->found.hermitian, e->data);
    const char *differs = meta_compare(e->data->meta, e->meta);
    if (differs)
        cli_fail("%s: was described differently from the data that %s was trained with (%s)", path,
                 e->path, differs);
    if (!e->meta)
        e->meta = e->data->meta;
}

/* One name a line. */
static void take_names(session *s, words *names)
{
    const char *path = arguments_text(s->args, "names");
    size_t length = 0;
    if (!path)
        return;
    char *text = text_file_read(path, NAMES_BYTES + 1, &length);
    if (!text || length > NAMES_BYTES || strlen(text) != length)
        cli_fail("%s: cannot be read as a text file with one name per line", path);
    for (char *at = text; *at;) {
        size_t line = strcspn(at, "\n"), own = line;
        while (own > 0 && (at[own - 1] == '\r' || at[own - 1] == ' '))
            own--;
        words_take(names, cli_text(at, own));
        at += line + (at[line] == '\n' ? 1 : 0);
    }
    if (names->count == 0)
        cli_fail("%s: holds no names", path);
}

/* ---- the work -------------------------------------------------------------------------------- */

/* M (n x n) <- the arithmetic mean, or NULL without data. */
static double *mean_of(session *s, const spd_data *data)
{
    if (!data)
        return NULL;
    double *M = cli_alloc_table(data->n, data->n, sizeof *M, "entries of the mean");
    spd_status status =
        spd_mean(s->ctx, SPD_METRIC_EUCLIDEAN, SPD_SET(data->n, data->p, data->X), NULL, M, NULL);
    session_check_in(s, data->source, status);
    return M;
}

/* What to sort by: without patterns there are only weights. */
static void choose_measure(session *s, explaining *e)
{
    explained *x = &e->found;
    const char *asked = arguments_text(s->args, "by");
    if (!asked) {
        x->by = explained_usual(x);
        return;
    }
    x->by = (measure)session_choice(s, "by");
    if (x->by != MEASURE_WEIGHT && !x->patterns)
        cli_misuse("--by %s needs the data that the map was learned from: --data FILE", asked);
}

/* ---- results --------------------------------------------------------------------------------- */

static json_t *numbers_json(const char *name, const double value[MEASURES], int patterns)
{
    json_t *object = sheet_json_object();
    sheet_json_set(object, "name", sheet_json_text(name));
    for (size_t i = 0; i < MEASURES; i++)
        if (patterns || i == MEASURE_WEIGHT)
            sheet_json_set(object, measure_name(i), sheet_json_real(value[i]));
    return object;
}

static json_t *panel_json(const explained *x, const panel *p)
{
    json_t *list = sheet_json_list();
    for (size_t c = 0; c < p->rows * p->columns; c++) {
        double value[MEASURES];
        for (size_t k = 0; k < MEASURES; k++)
            value[k] = explained_cell(x, p, c, (measure)k);
        if (!isnan(value[MEASURE_WEIGHT]))
            sheet_json_append(list, numbers_json(p->name[c], value, x->patterns));
    }
    return list;
}

static void show_json(sheet *r, const explained *x)
{
    json_t *groups = sheet_json_object();
    for (size_t i = 0; i < x->rows.panels; i++)
        sheet_json_set(groups, x->rows.panel[i].key, panel_json(x, &x->rows.panel[i]));
    sheet_json(r, "groups", groups);
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < x->n; i++) {
        double value[MEASURES];
        for (size_t k = 0; k < MEASURES; k++)
            value[k] = explained_row(x, i, (measure)k);
        sheet_json_append(list, numbers_json(x->rows.name[i], value, x->patterns));
    }
    sheet_json(r, "rows", list);
    sheet_json(r, "variance", sheet_json_reals(x->m, x->variance));
    sheet_json(r, "pattern", sheet_json_matrix(x->n, x->m, x->pattern));
}

static void print_cells(const explained *x)
{
    const panel *p = &x->rows.panel[0];
    size_t *order = cli_alloc(p->rows * p->columns, sizeof *order, "cells");
    size_t count = explained_order(x, p, order);
    screen_print("\n%-28s %10s %10s %10s\n", p->title, x->patterns ? "share %" : "",
                 x->patterns ? "kept %" : "", "weight %");
    for (size_t k = 0; k < count && k < CELLS_SHOWN; k++) {
        screen_print("%-28.28s", p->name[order[k]]);
        for (size_t i = 0; i < MEASURES; i++)
            if (x->patterns || i == MEASURE_WEIGHT)
                screen_print(" %10.2f", 100.0 * explained_cell(x, p, order[k], (measure)i));
            else
                screen_print(" %10s", "");
        screen_print("\n");
    }
    if (count > CELLS_SHOWN)
        screen_print("and %zu more: --json has all\n", count - CELLS_SHOWN);
}

static void show(session *s, const explaining *e)
{
    const explained *x = &e->found;
    sheet *r = session_sheet(s);
    sheet_text(r, "file", "file", e->path);
    sheet_size(r, x->n, x->hermitian);
    sheet_count(r, "m", NULL, x->m, "");
    sheet_line(r, "map", "%zu x %zu to %zu x %zu", x->n, x->n, x->m, x->m);
    if (e->data)
        sheet_text(r, "data", "mean of", e->data->source);
    sheet_flag(r, "patterns", NULL, x->patterns);
    sheet_text(r, "by", "sorted by", measure_name(x->by));
    sheet_text(r, "caption", NULL, explained_caption(x));
    sheet_text(r, "output", "output", session_output(s));
    if (r->object) {
        show_json(r, x);
    } else {
        words lines = explained_lines(explained_caption(x), 78);
        print_cells(x);
        screen_print("\n");
        for (size_t i = 0; i < lines.count; i++)
            screen_print("%s\n", lines.word[i]);
    }
}

static int run(session *s)
{
    explaining e = {0};
    words names = {0};
    session_check_output(s);
    take_map(s, &e);
    take_data(s, &e);
    take_names(s, &names);
    double *M = mean_of(s, e.data);
    spd_status status = explained_fill(s->ctx, e.W, M, &e.found);
    session_check_in(s, e.data ? e.data->source : e.path, status);
    e.found.rows = layout_of(e.found.n, e.meta, &names, arguments_text(s->args, "names"));
    choose_measure(s, &e);
    e.found.title = words_text("What the map of %s looks at", e.path);
    if (session_output(s)) {
        figure picture = explained_figure(&e.found);
        figure_write(&picture, session_output(s));
    }
    show(s, &e);
    return CLI_GOOD;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const option options[] = {
    {"data", 0, OPTION_FILE, "FILE",
     .help = "The data that the map was learned from, or similar data: their mean M gives the "
             "patterns"},
    {"names", 0, OPTION_FILE, "FILE",
     .help = "Text file with one name per line: for each row, or for each joint or channel if "
             "'spdml describe' made the matrices"},
    {"by", 0, OPTION_CHOICE, "NAME", .choice = "share|kept|weight",
     .help = "Measure in the table and the picture; by default share, kept for features of images, "
             "and weight without --data"},
    {OPTION_OUTPUT(FIGURE_ENDINGS, "Write a picture to FILE")},
    OPTION_END};

static const char *const paragraphs[] = {
    "Shows which rows of the matrices (joints, channels, features) the map of MODEL uses. MODEL is "
    "a model of 'spdml fit' or a method of 'spdml train'. Names come from --names, or from what "
    "'spdml describe' has stored in the method or in the data.",
    "With --data, the patterns M W (W'MW)^-1 are shown, M the arithmetic mean of the data, and not "
    "W alone: a large weight may only subtract noise that a row shares with others, while the "
    "pattern says where the components of the map appear (Haufe et al. 2014).",
    "share: the part of all variance that the map carries; kept: how much of the variance of the "
    "row itself (or of the joint, ...) the map carries, which is comparable between rows of "
    "different units; weight: the part of the squares of W. None depends on the basis of W.",
    NULL};

static const command_example examples[] = {
    {"spdml explain model.spdml --data train.npz -o map.svg", "Patterns, as a table and drawn."},
    {"spdml explain method.spdml --data eeg.npz --names channels.txt", "Channels by name."},
    {"spdml explain model.spdml --json", "The weights alone."},
    {NULL, NULL}};

COMMAND(explain, "show which joints, channels or features a map looks at", "MODEL",
        .groups = {{"Options", options},
                   {"Reading data", options_matrices},
                   {"Common options", options_common}});
