/* cmd_transform.c - `spdml transform`: the small matrices W'XW of a learned map. */
#include "cli/frame/session.h"

static void load(session *s, spd_model **model, spd_data **data)
{
    const char *path = s->args->operands[0];
    session_check_output(s);
    session_model(s, path, model);
    *data = session_load(s, s->args->operands[1], 0);
    if ((*model)->n != (*data)->n)
        cli_fail("%s maps %zu x %zu matrices, but %s holds %zu x %zu", path, (*model)->n,
                 (*model)->n, (*data)->source, (*data)->n, (*data)->n);
}

static int run(session *s)
{
    spd_model *model;
    spd_data *data;
    load(s, &model, &data);
    size_t n = model->n, m = model->m;
    double *S = cli_alloc_table(data->p, m * m, sizeof *S, "entries of small matrices");
    spd_status status = spd_congruence(s->ctx, n, m, data->p, data->X, model->W, S);
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
    "Maps every matrix X of DATA to W'XW with the W of a model that 'spdml fit' wrote. Labels and "
    "further columns are kept, so the result is a data set like the input.",
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
