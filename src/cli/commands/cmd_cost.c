/* cmd_cost.c - `spdml cost`: the learner's cost and gradient at a given W, for checking us with
 * another program. */
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/commands/learning.h"
#include "cli/frame/sheet.h"

typedef struct costing {
    learning l;
    spd_model *model; /* W comes from a model, */
    spd_array *array; /* or from an array */
    const double *W;  /* n x m */
    size_t m;
    spd_pair *pairs;
    size_t count;
    double cost, *gradient; /* n x m, or NULL */
} costing;

static int refuse_w(const costing *c, const char *path)
{
    cli_error("%s: must hold a matrix of numbers, %zu x m with m <= %zu, as %s holds %zu x %zu "
              "matrices",
              path, c->l.data->n, c->l.data->n, c->l.data->source, c->l.data->n, c->l.data->n);
    return CLI_FAILED;
}

static int take_model(session *s, costing *c, const char *path)
{
    spd_status status = spd_model_load(s->ctx, path, &c->model);
    if (status < 0)
        return session_fail(s, status);
    c->W = c->model->W;
    c->m = c->model->m;
    return c->model->n == c->l.data->n ? CLI_GOOD : refuse_w(c, path);
}

static int take_array(session *s, costing *c, const char *path)
{
    spd_status status = spd_array_read(s->ctx, path, NULL, &c->array);
    if (status < 0)
        return session_fail(s, status);
    const spd_array *a = c->array;
    if (a->type != SPD_FLOAT64 || a->ndim != 2 || a->shape[0] != c->l.data->n || !a->shape[1] ||
        a->shape[1] > a->shape[0])
        return refuse_w(c, path);
    c->W = a->f64;
    c->m = a->shape[1];
    return CLI_GOOD;
}

static int load(session *s, costing *c)
{
    const char *path = arguments_text(s->args, "w");
    int code = learning_load(s, s->args->operands[0], &c->l);
    if (!code)
        code =
            spd_file_kind(path) == SPD_KIND_MODEL ? take_model(s, c, path) : take_array(s, c, path);
    if (code)
        return code;
    c->l.options.m = c->m;
    return learning_choose_nu_b(s, &c->l);
}

static int compute(session *s, costing *c)
{
    const spd_data *data = c->l.data;
    const spd_fit_options *o = &c->l.options;
    if (arguments_text(s->args, "gradient"))
        c->gradient = cli_alloc_table(data->n, c->m, sizeof *c->gradient, "entries");
    spd_status status = spd_affinity(s->ctx, data->n, data->p, data->X, c->l.label, &c->l.options,
                                     &c->pairs, &c->count);
    if (status == SPD_OK)
        status = spd_cost(s->ctx, o->metric, o->objective, data->n, c->m, data->p, data->X,
                          c->count, c->pairs, c->W, &c->cost, c->gradient);
    if (status < 0)
        return session_fail_in(s, data->source, status);
    session_talk(s, "cost over %zu pairs", c->count);
    bar_clear(&s->bar);
    return CLI_GOOD;
}

static int write_gradient(session *s, costing *c)
{
    const char *path = arguments_text(s->args, "gradient");
    if (!path)
        return CLI_GOOD;
    spd_array array = session_array_f64("G", c->l.data->n, c->m, c->gradient);
    const spd_array *const list[] = {&array};
    spd_status status = spd_arrays_write(s->ctx, path, 1, list);
    return status < 0 ? session_fail(s, status) : CLI_GOOD;
}

static void show_cost(session *s, const costing *c)
{
    const spd_fit_options *o = &c->l.options;
    size_t within = 0, between = 0;
    for (size_t k = 0; k < c->count; k++) {
        within += c->pairs[k].within > 0;
        between += c->pairs[k].between > 0;
    }
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "metric", "metric", spd_metric_name(o->metric));
    sheet_text(&r, "objective", "objective", spd_objective_name(o->objective));
    sheet_count(&r, "p", "matrices", c->l.data->p, "");
    sheet_count(&r, "n", NULL, c->l.data->n, "");
    sheet_count(&r, "m", NULL, c->m, "");
    sheet_line(&r, "W", "%zu x %zu", c->l.data->n, c->m);
    sheet_count(&r, "nu_w", "neighbours within", o->nu_w, "");
    sheet_count(&r, "nu_b", "and between", o->nu_b, "");
    sheet_count(&r, "pairs_within", "pairs within", within, "");
    sheet_count(&r, "pairs_between", "pairs between", between, "");
    sheet_real(&r, "cost", NULL, c->cost);
    sheet_line(&r, "cost", "%.15g", c->cost);
    if (c->gradient)
        sheet_text(&r, "gradient", "gradient", arguments_text(s->args, "gradient"));
    sheet_close(&r);
}

static int run(session *s)
{
    costing c = {0};
    spd_fit_defaults(&c.l.options);
    int code = learning_options(s, &c.l, 0);
    if (!code)
        code = session_check_path(arguments_text(s->args, "gradient"));
    if (!code)
        code = load(s, &c);
    if (!code)
        code = compute(s, &c);
    if (!code)
        code = write_gradient(s, &c);
    if (!code)
        show_cost(s, &c);
    cli_free(c.gradient);
    spd_pairs_free(c.pairs);
    spd_array_free(c.array);
    spd_model_free(c.model);
    learning_free(&c.l);
    return code;
}

static const option options[] = {
    {"w", 0, OPTION_FILE, "FILE", .required = 1,
     .help = "W (n x m, full rank): an array file, or a model of 'spdml fit'"},
    {"gradient", 0, OPTION_FILE, "FILE", .choice = option_array_endings,
     .help = "Write the gradient D_W L (n x m), not projected, to FILE; the array is called G"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Computes the cost that 'spdml fit' minimises, and its gradient, at a W of your own: the graph "
    "is made as fit makes it. The cost sums ordered pairs, so every pair counts twice.",
    NULL};

static const command_example examples[] = {
    {"spdml cost train.npz --w W.npy --nu-w 3 --nu-b 2 --json", "The cost at W."},
    {"spdml cost train.npz --w model.spdml --metric airm --gradient G.npy",
     "The gradient at the map of a model."},
    {NULL, NULL}};

const command command_cost = {
    .name = "cost",
    .summary = "cost and gradient of the learner at a given map",
    .operands = "DATA",
    .min_operands = 1,
    .max_operands = 1,
    .groups = {{"Options", options},
               {"What is learned", options_graph},
               {"Reading data", options_data},
               {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
