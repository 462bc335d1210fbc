/* cmd_transform.c - `spdml transform`: the small matrices W'XW of a learned map. */
#include "cli/evaluate/show_trained.h"

/* A map: a model's, or a trained method's. */
typedef struct mapping {
    size_t n, m;
    spd_model *model;      /* or NULL: */
    trained_method method; /* this */
} mapping;

static void load(session *s, mapping *a, spd_data **data)
{
    const char *path = s->args->operands[0];
    session_check_output(s);
    if (spd_file_kind(path) == SPD_KIND_METHOD) {
        trained_load(s, path, &a->method);
        a->n = a->method.facts.n;
        a->m = a->method.facts.m;
        if (a->n == 0)
            cli_fail("%s: is a method on vectors, which has no map", path);
    } else {
        session_model(s, path, &a->model);
        a->n = a->model->n;
        a->m = a->model->m;
    }
    *data = session_load(s, s->args->operands[1], 0);
    if (a->n != (*data)->n)
        cli_fail("%s maps %zu x %zu matrices, but %s holds %zu x %zu", path, a->n, a->n,
                 (*data)->source, (*data)->n, (*data)->n);
}

static int run(session *s)
{
    mapping a = {0};
    spd_data *data;
    load(s, &a, &data);
    size_t n = a.n, m = a.m;
    double *S = cli_alloc_table(data->p, m * m, sizeof *S, "entries of small matrices");
    spd_status status =
        a.model ? spd_congruence(s->ctx, n, m, data->p, data->X, a.model->W, S)
                : spd_classifier_map(s->ctx, a.method.classifier, n, data->p, data->X, S);
    if (status < 0)
        return session_fail_in(s, data->source, status);
    session_talk(s, "mapped %zu matrices", data->p);
    spd_data small = *data; /* labels and columns stay */
    small.n = m;
    small.X = S;
    session_save(s, &small);
    sheet *r = session_sheet(s);
    sheet_text(r, "model", "model", s->args->operands[0]);
    sheet_text(r, "input", "input", data->source);
    sheet_text(r, "output", "output", session_output(s));
    sheet_count(r, "p", "matrices", data->p, "");
    sheet_count(r, "n", NULL, n, "");
    sheet_count(r, "m", NULL, m, "");
    sheet_line(r, "map", "%zu x %zu to %zu x %zu", n, n, m, m);
    sheet_count(r, "classes", "classes", data->classes, "");
    sheet_count(r, "columns", "further columns", data->columns, "");
    return CLI_GOOD;
}

static const char *const paragraphs[] = {
    "Maps every matrix X of DATA to W'XW with the W of a model that 'spdml fit' wrote, or by the "
    "map of a method that 'spdml train' wrote. Labels and further columns are kept, so the result "
    "is a data set like the input.",
    NULL};

static const command_example examples[] = {
    {"spdml transform model.spdml test.npz -o low.npz", "Map a test set."}, {NULL, NULL}};

const command command_transform = {
    .name = "transform",
    .summary = "map a data set to small matrices with a model",
    .operands = "MODEL DATA",
    .groups = COMMAND_DATA_GROUPS(options_data_output),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
