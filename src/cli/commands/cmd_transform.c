/* cmd_transform.c - `spdml transform`: the small matrices W'XW of a learned map. */
#include <string.h>

#include "cli/frame/words.h"
#include "cli/methods/show_trained.h"
#include "cli/frame/sets.h"

/* A map: a model's, or a trained method's. */
typedef struct mapping {
    size_t n, m;
    int hermitian;
    spd_model *model;      /* or NULL: */
    trained_method method; /* this */
    double *S;             /* p x m x m */
} mapping;

/* A group is recentred as a whole: not block by block, and not without knowing where it ends. */
static void check_groups(const mapping *a, const large_set *set)
{
    const spd_classifier *c = a->method.classifier;
    if (a->model || spd_classifier_method(c)->recenter != SPD_RECENTERING_GROUPS)
        return;
    const char *column = spd_classifier_metadata(c)->group_column;
    if (column || set->apart)
        cli_fail("%s: recentres %s, which transform does not; train it without --recenter, with "
                 "matrices that are recentred already",
                 a->method.classes.source, column ? words_text("by %s", column) : "whole sets");
}

static void load(session *s, mapping *a, large_set *set)
{
    const char *path = s->args->operands[0];
    session_check_output(s);
    if (spd_file_kind(path) == SPD_KIND_METHOD) {
        trained_load(s, path, &a->method);
        a->n = a->method.facts.n;
        a->m = a->method.facts.m;
        a->hermitian = a->method.facts.hermitian;
        if (a->n == 0)
            cli_fail("%s: is a method on vectors, which has no map", path);
    } else {
        a->model = session_model(s, path);
        a->n = a->model->n;
        a->m = a->model->m;
        a->hermitian = a->model->options->hermitian;
    }
    sets_load(s, s->args->operands[1], arguments_text(s->args, "labels"), set);
    shown_check(path, "maps", a->n, a->hermitian, set->data);
    sets_check(s, set);
    check_groups(a, set);
}

/* A block of matrices, by a trained method. */
static spd_status map_block(session *s, void *user, size_t first, size_t count, const double *X)
{
    const mapping *a = user;
    return spd_classifier_map(s->ctx, a->method.classifier, a->n, count, X,
                              a->S + first * a->m * a->m);
}

/* The mapped matrices with labels and columns, but for the means of features before the map. */
static spd_data mapped(const spd_data *data, const mapping *a)
{
    spd_data small = *data;
    small.n = a->m;
    small.X = a->S;
    small.columns = 0;
    small.column = cli_alloc(data->columns, sizeof *small.column, "columns");
    for (size_t i = 0; i < data->columns; i++) {
        const char *name = data->column[i]->name;
        if (!name || (strcmp(name, "feature_mean") != 0 && strcmp(name, "feature_count") != 0))
            small.column[small.columns++] = data->column[i];
    }
    return small;
}

static int run(session *s)
{
    mapping a = {0};
    large_set set;
    load(s, &a, &set);
    size_t n = shown_rows(a.n, a.hermitian), m = shown_rows(a.m, a.hermitian);
    const spd_data *data = set.data;
    a.S = cli_alloc_table(data->p, a.m * a.m, sizeof *a.S, "entries of small matrices");
    if (a.model)
        session_check_in(s, data->source, spd_congruence(s->ctx, &set.X, a.m, a.model->W, a.S));
    else
        sets_each(s, &set, map_block, &a);
    session_talk(s, "mapped %zu matrices", data->p);
    spd_data small = mapped(data, &a);
    session_save(s, &small);
    sheet *r = session_sheet(s);
    sheet_text(r, "model", "model", s->args->operands[0]);
    sheet_text(r, "input", "input", data->source);
    sheet_text(r, "output", "output", session_output(s));
    sheet_count(r, "p", "matrices", data->p, "");
    sheet_size(r, n, a.hermitian);
    sheet_count(r, "m", NULL, m, "");
    sheet_line(r, "map", "%zu x %zu to %zu x %zu%s", n, n, m, m, a.hermitian ? ", complex" : "");
    sheet_count(r, "classes", "classes", data->classes, "");
    sheet_count(r, "columns", "further columns", small.columns, "");
    if (set.streams)
        sets_show_memory(s, r);
    return CLI_GOOD;
}

static const option options[] = {OPTION_DATA_OUTPUT, OPTION_END};

static const char *const paragraphs[] = {
    "Maps every matrix X of DATA to W'XW with the W of a model that 'spdml fit' wrote, or by the "
    "map of a method that 'spdml train' wrote. Labels and further columns are kept, so the result "
    "is a data set like the input; the means of features (feature_mean, feature_count) are not, "
    "since they are of the features before the map.",
    NULL};

static const command_example examples[] = {
    {"spdml transform model.spdml test.npz -o low.npz", "Map a test set."}, {NULL, NULL}};

COMMAND(transform, "map a data set to small matrices with a model", "MODEL DATA",
        .groups = {{"Options", options},
                   {NULL, options_ranks},
                   {"Reading data", options_data},
                   {NULL, options_memory},
                   {"Common options", options_common}});
