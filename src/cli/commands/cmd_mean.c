/* cmd_mean.c - `spdml mean`: the mean of a set under a metric. */
#include "cli/frame/sets.h"

/* One number per matrix from the file of --weights, or NULL without. */
static double *take_weights(session *s, const spd_data *data)
{
    const char *path = arguments_text(s->args, "weights");
    if (!path)
        return NULL;
    spd_array *array = session_read(s, path, NULL);
    if (array->type == SPD_TYPE_TEXT)
        cli_fail("%s: contains strings; weights must be numbers", path);
    if (array->count != data->p)
        cli_fail("%s: has %zu weights for the %zu matrices of %s; give one per matrix", path,
                 array->count, data->p, data->source);
    double *weights = cli_alloc_table(data->p, 1, sizeof *weights, "weights");
    for (size_t i = 0; i < data->p; i++)
        weights[i] = array->type == SPD_TYPE_INT64 ? (double)array->i64[i] : array->f64[i];
    return weights;
}

static void compute(session *s, const large_set *set, const double *weights, double *M,
                    spd_mean_info *info)
{
    const spd_data *data = set->data;
    const spd_mean_options options = {.size = sizeof options,
                                      .weights = weights,
                                      .tol = arguments_real(s->args, "tol"),
                                      .max_iter = (int)arguments_int(s->args, "max-iter")};
    spd_status status = spd_mean(s->ctx, session_metric(s), &set->X, &options, M, info);
    if (status < 0) /* weights are the only thing that the library still finds wrong as such */
        session_fail_in(s, status == SPD_EINVAL ? arguments_text(s->args, "weights") : data->source,
                        status);
    if (status == SPD_NOT_CONVERGED)
        session_remark(s,
                       "%s: the mean did not converge in %d iterations (residual %.3g); try a "
                       "larger --max-iter or --tol",
                       data->source, info->iterations, info->residual);
    session_talk(s, "mean after %d iterations", info->iterations);
    session_write_matrix(s, "M", data->n, data->n, M, data->hermitian);
}

static int run(session *s)
{
    large_set set;
    spd_mean_info info = SPD_STRUCT(spd_mean_info);
    session_check_output(s);
    sets_load(s, s->args->operands[0], NULL, &set);
    sets_check(s, &set);
    const spd_data *data = set.data;
    double *weights = take_weights(s, data);
    double *M = cli_alloc_table(data->n, data->n, sizeof *M, "entries of the mean");
    compute(s, &set, weights, M, &info);
    sheet *r = session_sheet(s);
    sheet_text(r, "metric", "metric", arguments_text(s->args, "metric"));
    sheet_set(r, data->p, shown_n(data), data->hermitian);
    sheet_count(r, "iterations", "iterations", (size_t)info.iterations, "");
    sheet_real(r, "residual", "residual", info.residual);
    sheet_flag(r, "converged", "converged", info.converged);
    if (set.streams)
        sets_show_memory(s, r);
    sheet_text(r, "output", "output", session_output(s));
    if (!session_output(s)) {
        spd_array mean = shown_matrix("mean", data->n, data->n, M, data->hermitian);
        (data->hermitian ? sheet_complex_matrix : sheet_matrix)(r, "mean", mean.shape[0],
                                                                mean.shape[1], mean.f64);
    }
    return CLI_GOOD;
}

static const option options[] = {
    OPTION_METRIC,
    OPTION_ENGINE,
    {"weights", 0, OPTION_FILE, "FILE",
     .help = "File with one weight per matrix, none negative (.npy, .npz, .mat or .csv)"},
    {"tol", 0, OPTION_REAL, "E", "1e-12", 1e-16, 1,
     .help = "Stop when a step is smaller than E relative to the mean"},
    {"max-iter", 0, OPTION_INT, "N", "200", 1, 1000000,
     .help = "Stop after N iterations with a warning; the result is then the last iterate"},
    {OPTION_OUTPUT(OPTION_ARRAY_ENDINGS,
                   "Write the mean (n x n, complex if DATA is) to FILE; the array is called M")},
    OPTION_END};

static const char *const paragraphs[] = {
    "The matrix that minimises the (weighted) sum of squared distances to the matrices of DATA, by "
    "iteration or by the closed form of the metric.",
    "Without -o, a mean of up to 12 x 12 is printed.", NULL};

static const command_example examples[] = {
    {"spdml mean a.npz --metric stein -o M.npy --json", "Stein mean, with the iterations as JSON."},
    {"spdml mean a.npz --weights w.npy -o M.npy", "Weighted Karcher mean."},
    {NULL, NULL}};

COMMAND(mean, "mean of a set of matrices", "DATA", .groups = COMMAND_LARGE_GROUPS(options));
