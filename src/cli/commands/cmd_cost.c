/* cmd_cost.c - `spdml cost`: the learner's cost and gradient at a given W, for checking us with
 * another program. */
#include "cli/commands/learning.h"
#include "cli/methods/show_model.h"

typedef struct costing {
    learning l;
    const double *W; /* n x m */
    size_t m;
    spd_pair *pairs;
    size_t count;
    double cost, *gradient; /* n x m, or NULL */
} costing;

/* W from an array; zero where it does not suit the data. */
static int take_array(session *s, const char *path, costing *c)
{
    const spd_data *data = c->l.data;
    spd_array *array = session_read_complex(s, path, NULL);
    size_t n = shown_n(data), m = array->ndim == 2 ? array->shape[1] : 0;
    spd_type wanted = data->hermitian ? SPD_TYPE_COMPLEX128 : SPD_TYPE_FLOAT64;
    if (array->type != wanted || m < 1 || m > n || array->shape[0] != n)
        return 0;
    c->W = array->f64;
    c->m = m;
    if (!data->hermitian)
        return 1;
    double *W = cli_alloc_table(2 * n, 2 * m, sizeof *W, "entries of W");
    spd_complex_embed(n, m, 1, array->f64, W);
    c->W = W;
    c->m = 2 * m;
    return 1;
}

/* W from a model or from an array. */
static void take_w(session *s, costing *c)
{
    const char *path = arguments_text(s->args, "w");
    const spd_data *data = c->l.data;
    size_t n = shown_n(data);
    int fits, is_model = spd_file_kind(path) == SPD_KIND_MODEL;
    if (is_model) {
        spd_model *model = session_model(s, path);
        c->W = model->W;
        c->m = model->m;
        fits = model->n == data->n && !model->options->hermitian == !data->hermitian;
    } else {
        fits = take_array(s, path, c);
    }
    if (!fits)
        cli_fail("%s: must contain a matrix of %snumbers, %zu x m with m <= %zu, because %s holds "
                 "%s%zu x %zu matrices",
                 path, shown_kind(data->hermitian), n, n, data->source, shown_kind(data->hermitian),
                 n, n);
}

static void load(session *s, costing *c)
{
    spd_fit_defaults(&c->l.options, sizeof c->l.options);
    learning_options(s, &c->l);
    spd_fit_resolve(&c->l.options);
    session_check_inputs(s);
    session_check_path(arguments_text(s->args, "gradient"));
    learning_load(s, s->args->operands[0], &c->l);
    take_w(s, c);
    c->l.options.m = c->m;
    learning_choose(s, &c->l);
}

static void release_pairs(void *pairs)
{
    spd_pairs_free(pairs);
}

static void compute(session *s, costing *c)
{
    const spd_data *data = c->l.data;
    const char *path = arguments_text(s->args, "gradient");
    if (path)
        c->gradient = cli_alloc_table(data->n, c->m, sizeof *c->gradient, "entries");
    spd_status status =
        spd_affinity(s->ctx, &c->l.set.X, c->l.label, &c->l.options, &c->pairs, &c->count);
    cli_keep(c->pairs, release_pairs); /* NULL where it has failed */
    spd_fit_options o = c->l.options;
    o.W = c->W;
    o.pairs = c->count;
    o.own_pairs = c->pairs;
    if (status == SPD_OK)
        status = spd_cost(s->ctx, &c->l.set.X, &o, &c->cost, c->gradient);
    session_check_in(s, data->source, status);
    session_talk(s, "cost over %zu pairs", c->count);
    for (size_t e = 0; path && data->hermitian && e < data->n * c->m; e++)
        c->gradient[e] *= 2.0; /* each entry of W is there twice */
    spd_array array = shown_matrix("G", data->n, c->m, c->gradient, data->hermitian);
    const spd_array *const list[] = {&array};
    if (path)
        session_check(s, spd_arrays_write(s->ctx, path, 1, list));
}

static void show(session *s, const costing *c)
{
    const spd_fit_options *o = &c->l.options;
    size_t within = 0, between = 0;
    for (size_t k = 0; k < c->count; k++) {
        within += c->pairs[k].within > 0;
        between += c->pairs[k].between > 0;
    }
    sheet *r = session_sheet(s);
    sheet_text(r, "metric", "metric", spd_name(SPD_ENUM_METRIC, o->metric));
    show_log_cost(r, o);
    sheet_text(r, "objective", "objective", spd_name(SPD_ENUM_OBJECTIVE, o->objective));
    sheet_count(r, "p", "matrices", c->l.data->p, "");
    size_t n = shown_n(c->l.data), m = shown_rows(c->m, c->l.data->hermitian);
    sheet_size(r, n, c->l.data->hermitian);
    sheet_count(r, "m", NULL, m, "");
    sheet_line(r, "W", "%zu x %zu", n, m);
    sheet_count(r, "nu_w", "neighbours within", o->nu_w, "");
    sheet_count(r, "nu_b", "and between", o->nu_b, "");
    sheet_count(r, "pairs_within", "pairs within", within, "");
    sheet_count(r, "pairs_between", "pairs between", between, "");
    sheet_real(r, "cost", NULL, c->cost);
    sheet_line(r, "cost", "%.15g", c->cost);
    if (c->gradient)
        sheet_text(r, "gradient", "gradient", arguments_text(s->args, "gradient"));
}

static int run(session *s)
{
    costing c = {0};
    load(s, &c);
    compute(s, &c);
    show(s, &c);
    return CLI_GOOD;
}

static const option options[] = {
    {"w", 0, OPTION_FILE, "FILE", .required = 1,
     .help = "W (n x m, full rank): an array file, or a model of 'spdml fit'"},
    OPTION_ENGINE,
    {"gradient", 0, OPTION_FILE, "FILE", .writes = 1, .choice = OPTION_ARRAY_ENDINGS,
     .help = "Write the gradient D_W L (n x m), not projected, to FILE; the array is called G"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Computes the cost that 'spdml fit' minimises, and its gradient, at any W that you give. The "
    "graph is the same as in fit. The cost sums over ordered pairs, so every pair counts twice.",
    NULL};

static const command_example examples[] = {
    {"spdml cost train.npz --w W.npy --nu-w 3 --nu-b 2 --json", "The cost at W."},
    {"spdml cost train.npz --w model.spdml --metric airm --gradient G.npy",
     "The gradient at the map of a model."},
    {NULL, NULL}};

COMMAND(cost, "cost and gradient of 'fit' at a given map", "DATA",
        .groups = {{"Options", options},
                   {"What is learned", options_graph},
                   {NULL, options_objective},
                   {NULL, options_cost},
                   {"Reading data", options_data},
                   {"Common options", options_common}});
