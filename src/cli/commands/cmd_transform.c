/* cmd_transform.c - `spdml transform`: the small matrices W'XW of a learned map. */
#include "cli/frame/cli_memory.h"
#include "cli/frame/sheet.h"
#include "cli/frame/session.h"

typedef struct mapping {
    const char *path; /* of the model */
    spd_model *model;
    spd_data *data;
    double *S; /* p x m x m */
} mapping;

static int load(session *s, mapping *t)
{
    t->path = s->args->operands[0];
    spd_status status = spd_model_load(s->ctx, t->path, &t->model);
    if (status < 0)
        return session_fail(s, status);
    int code = session_load(s, s->args->operands[1], 0, &t->data);
    if (code)
        return code;
    if (t->model->n == t->data->n)
        return CLI_GOOD;
    cli_error("%s maps %zu x %zu matrices, but %s holds %zu x %zu", t->path, t->model->n,
              t->model->n, t->data->source, t->data->n, t->data->n);
    return CLI_FAILED;
}

static int compute(session *s, mapping *t)
{
    size_t m = t->model->m;
    t->S = cli_alloc_table(t->data->p, m * m, sizeof *t->S, "entries of small matrices");
    spd_status status =
        spd_congruence(s->ctx, t->data->n, m, t->data->p, t->data->X, t->model->W, t->S);
    if (status < 0)
        return session_fail_in(s, t->data->source, status);
    session_talk(s, "mapped %zu matrices", t->data->p);
    bar_clear(&s->bar);
    return CLI_GOOD;
}

/* The data set with its matrices replaced; labels and columns stay. */
static int save(session *s, const mapping *t)
{
    spd_data small = *t->data;
    small.n = t->model->m;
    small.X = t->S;
    return session_save(s, &small);
}

static void show_mapping(session *s, const mapping *t)
{
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "model", "model", t->path);
    sheet_text(&r, "input", "input", t->data->source);
    sheet_text(&r, "output", "output", arguments_text(s->args, "output"));
    sheet_count(&r, "p", "matrices", t->data->p, "");
    sheet_count(&r, "n", NULL, t->model->n, "");
    sheet_count(&r, "m", NULL, t->model->m, "");
    sheet_line(&r, "map", "%zu x %zu to %zu x %zu", t->model->n, t->model->n, t->model->m,
               t->model->m);
    sheet_count(&r, "classes", "classes", t->data->classes, "");
    sheet_count(&r, "columns", "further columns", t->data->columns, "");
    sheet_close(&r);
}

static int run(session *s)
{
    mapping t = {0};
    int code = session_check_output(s);
    if (!code)
        code = load(s, &t);
    if (!code)
        code = compute(s, &t);
    if (!code)
        code = save(s, &t);
    if (!code)
        show_mapping(s, &t);
    cli_free(t.S);
    spd_data_free(t.data);
    spd_model_free(t.model);
    return code;
}

static const option options[] = {
    {OPTION_OUTPUT(option_data_endings, "The file to write; its extension decides the format"),
     .required = 1},
    OPTION_END};

static const char *const paragraphs[] = {
    "Maps every matrix X of DATA to W'XW with the W of a model that 'spdml fit' wrote. Labels "
    "and further columns are kept, so the result is a data set like the input.",
    NULL};

static const command_example examples[] = {
    {"spdml transform model.spdml test.npz -o low.npz", "Map a test set."}, {NULL, NULL}};

const command command_transform = {
    .name = "transform",
    .summary = "map a data set to small matrices with a model",
    .operands = "MODEL DATA",
    .min_operands = 2,
    .max_operands = 2,
    .groups = COMMAND_DATA_GROUPS(options),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
