/* cmd_mean.c - `spdml mean`: the mean of a set under a metric. */
#include "cli/frame/cli_memory.h"
#include "cli/frame/sheet.h"
#include "cli/frame/session.h"

typedef struct averaging {
    spd_data *data;
    double *weights; /* p, or NULL */
    double *M;       /* n x n */
    spd_mean_info info;
} averaging;

/* weights (p) <- the numbers of an array, or a message. */
static int take_weights(const char *path, const spd_data *data, const spd_array *array,
                        double *weights)
{
    if (array->type == SPD_TEXT) {
        cli_error("%s: holds texts; weights must be numbers", path);
        return CLI_FAILED;
    }
    if (array->count != data->p) {
        cli_error("%s: holds %zu weights for the %zu matrices of %s; give one per matrix", path,
                  array->count, data->p, data->source);
        return CLI_FAILED;
    }
    for (size_t i = 0; i < data->p; i++)
        weights[i] = array->type == SPD_INT64 ? (double)array->i64[i] : array->f64[i];
    return CLI_GOOD;
}

static int load_weights(session *s, averaging *a)
{
    const char *path = arguments_text(s->args, "weights");
    spd_array *array = NULL;
    if (!path)
        return CLI_GOOD;
    spd_status status = spd_array_read(s->ctx, path, NULL, &array);
    if (status < 0)
        return session_fail(s, status);
    a->weights = cli_alloc(a->data->p, sizeof *a->weights, "weights");
    int code = take_weights(path, a->data, array, a->weights);
    spd_array_free(array);
    return code;
}

static int compute(session *s, averaging *a)
{
    size_t n = a->data->n;
    a->M = cli_alloc_table(n, n, sizeof *a->M, "entries of the mean");
    spd_status status = spd_mean(s->ctx, session_metric(s), n, a->data->p, a->data->X, a->weights,
                                 arguments_real(s->args, "tol"),
                                 (int)arguments_int(s->args, "max-iter"), a->M, &a->info);
    if (status < 0) /* weights are the only thing that the library still finds wrong as such */
        return session_fail_in(
            s, status == SPD_EINVAL ? arguments_text(s->args, "weights") : a->data->source, status);
    bar_clear(&s->bar);
    if (status == SPD_NOT_CONVERGED)
        session_remark(s,
                       "%s: the mean did not converge in %d iterations (residual %.3g); try a "
                       "larger --max-iter or --tol",
                       a->data->source, a->info.iterations, a->info.residual);
    session_talk(s, "mean after %d iterations", a->info.iterations);
    return CLI_GOOD;
}

static void show_mean(session *s, const averaging *a)
{
    const char *output = arguments_text(s->args, "output");
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "metric", "metric", arguments_text(s->args, "metric"));
    sheet_count(&r, "p", "matrices", a->data->p, "");
    sheet_count(&r, "n", NULL, a->data->n, "");
    sheet_line(&r, "size", "%zu x %zu", a->data->n, a->data->n);
    sheet_count(&r, "iterations", "iterations", (size_t)a->info.iterations, "");
    sheet_real(&r, "residual", "residual", a->info.residual);
    sheet_flag(&r, "converged", "converged", a->info.converged);
    if (output)
        sheet_text(&r, "output", "output", output);
    else
        sheet_matrix(&r, "mean", a->data->n, a->data->n, a->M);
    sheet_close(&r);
}

static int run(session *s)
{
    averaging a = {0};
    int code = session_check_output(s);
    if (!code)
        code = session_load(s, s->args->operands[0], 0, &a.data);
    if (!code)
        code = load_weights(s, &a);
    if (!code)
        code = compute(s, &a);
    if (!code)
        code = session_write_matrix(s, "M", a.data->n, a.data->n, a.M);
    if (!code)
        show_mean(s, &a);
    cli_free(a.M);
    cli_free(a.weights);
    spd_data_free(a.data);
    return code;
}

static const option options[] = {
    OPTION_METRIC,
    {"weights", 0, OPTION_FILE, "FILE",
     .help = "File with one weight per matrix, none negative (.npy, .npz, .mat or .csv)"},
    {"tol", 0, OPTION_REAL, "E", "1e-12", 1e-16, 1,
     .help = "Stop when a step is smaller than E relative to the mean"},
    {"max-iter", 0, OPTION_INT, "N", "200", 1, 1000000,
     .help = "Stop after N iterations with a remark; the result is then the last iterate"},
    {OPTION_OUTPUT(option_array_endings,
                   "Write the mean (float64, n x n) to FILE; the array is called M")},
    OPTION_END};

static const char *const paragraphs[] = {
    "The matrix that minimises the (weighted) sum of squared distances to the matrices of DATA, "
    "by iteration or by the closed form of the metric.",
    "Without -o, a mean of up to 12 x 12 is printed.", NULL};

static const command_example examples[] = {
    {"spdml mean a.npz --metric stein -o M.npy --json", "Stein mean, with the iterations as JSON."},
    {"spdml mean a.npz --weights w.npy -o M.npy", "Weighted Karcher mean."},
    {NULL, NULL}};

const command command_mean = {
    .name = "mean",
    .summary = "mean of a set of matrices",
    .operands = "DATA",
    .min_operands = 1,
    .max_operands = 1,
    .groups = COMMAND_DATA_GROUPS(options),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
