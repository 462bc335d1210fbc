/* cmd_convert.c - `spdml convert`: a data set, some of its samples, or a model in another format.
 */
#include <math.h>

#include "cli/commands/data_output.h"
#include "cli/methods/show_trained.h"

#define SYMMETRY 1e-10 /* as when matrices are read */

/* ---- models ---------------------------------------------------------------------------------- */

/* W alone where the format holds one array; else with the course of the fit beside it. */
static void write_map(session *s, const data_output *out, const spd_model *model)
{
    double *cost = cli_alloc(model->steps, sizeof *cost, "costs");
    for (size_t i = 0; i < model->steps; i++)
        cost[i] = model->history[i].cost;
    spd_array W = shown_matrix("W", model->n, model->m, model->W, model->options->hermitian);
    spd_array costs = session_array_f64("cost", model->steps, 1, cost);
    const spd_array *const arrays[] = {&W, &costs};
    int one = data_output_is(out, ".csv") || data_output_is(out, ".npy") || model->steps == 0;
    session_check(s, spd_arrays_write(s->ctx, out->path, one ? 1 : 2, arrays));
    data_output_close(s, out);
}

static const spd_model *load_map(session *s, const char *path, spd_kind kind)
{
    if (kind == SPD_KIND_METHOD) {
        trained_method t;
        trained_load(s, path, &t);
        const spd_model *map = spd_classifier_model(t.classifier);
        if (!map)
            cli_fail("%s: is a trained method without a map, so there is no W to write", path);
        return map;
    }
    return session_fitted(s, path, kind);
}

static void convert_map(session *s, const char *path, spd_kind kind)
{
    if (arguments_count(s->args, "where") || arguments_flag(s->args, "drop-nan"))
        cli_misuse("--%s: %s is a model, which has no samples",
                   arguments_count(s->args, "where") ? "where" : "drop-nan", path);
    data_output out = data_output_open(s);
    const spd_model *model = load_map(s, path, kind);
    write_map(s, &out, model);
    if (out.standard)
        return;
    sheet *r = session_sheet(s);
    sheet_text(r, "input", "input", path);
    sheet_text(r, "output", "output", out.path);
    sheet_text(r, "kind", "kind", kind == SPD_KIND_METHOD ? "trained method" : "model");
    sheet_size(r, shown_map_n(model), model->options->hermitian);
    sheet_count(r, "m", NULL, shown_map_m(model), "");
    sheet_line(r, "W", "%zu x %zu%s", shown_map_n(model), shown_map_m(model),
               model->options->hermitian ? ", complex" : "");
}

/* ---- data sets ------------------------------------------------------------------------------- */

/* *data <- its matrices without NaN and Inf, checked as when they are read. */
static void drop_nan(session *s, spd_data **data)
{
    spd_data *all = *data;
    const size_t each = all->n * all->n;
    size_t *index = cli_alloc(all->p, sizeof *index, "samples"), count = 0;
    for (size_t i = 0; i < all->p; i++) {
        size_t e = 0;
        while (e < each && isfinite(all->X[i * each + e]))
            e++;
        index[count] = i;
        count += e == each;
    }
    if (count == 0)
        cli_fail("%s: all matrices contain NaN or Inf", all->source);
    session_check(s, spd_data_select(s->ctx, all, count, index, data));
    keep_data(*data);
    spd_status status = spd_check(s->ctx, SPD_SET((*data)->n, count, (*data)->X), SYMMETRY);
    session_check_in(s, all->source, status);
    if (count < all->p)
        session_remark(s, "%s: left out %zu of %zu matrices, which contain NaN or Inf", all->source,
                       all->p - count, all->p);
}

static void convert_data(session *s, const char *path)
{
    const int drop = arguments_flag(s->args, "drop-nan");
    data_output out = data_output_open(s);
    spd_data *data = session_load(s, path, drop);
    const char *source = data->source;
    if (drop)
        drop_nan(s, &data);
    data_output_select(s, &data);
    data_output_save(s, &out, data);
    if (out.standard)
        return;
    sheet *r = session_sheet(s);
    sheet_text(r, "input", "input", source);
    sheet_text(r, "output", "output", out.path);
    sheet_set(r, data->p, shown_n(data), data->hermitian);
    sheet_count(r, "classes", "classes", data->classes, "");
    sheet_count(r, "columns", "further columns", data->columns, "");
}

static int run(session *s)
{
    const char *path = s->args->operands[0];
    spd_kind kind = spd_file_kind(path);
    if (kind == SPD_KIND_METHOD || kind == SPD_KIND_CHECKPOINT || kind == SPD_KIND_MODEL ||
        option_has_ending(path, ".spdml"))
        convert_map(s, path, kind);
    else
        convert_data(s, path);
    return CLI_GOOD;
}

static const option options_drop[] = {
    {"drop-nan",
     .help = "Leave out matrices that contain NaN or Inf, with their labels and columns"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Reads a data set in any format, checks it, repairs it on request (--symmetrize, --regularize, "
    "--drop-nan), and writes it in the format given by the output's extension: matrices "
    "as X, labels as y, further columns under their names. In .csv every matrix is a row, with its "
    "label in front.",
    "For a model or a trained method (.spdml), writes the map W (n x m), and in .npz and .mat also "
    "the cost of each iteration.",
    "FILE may be -, standard input: .npz, .npy and .mat are known by their content, anything else "
    "is read as .csv.",
    NULL};

static const command_example examples[] = {
    {"spdml convert a.mat -o a.npz --x covs --y labels", "From MATLAB to numpy."},
    {"spdml convert a.npy --labels y.csv -o a.npz", "Put matrices and labels into one file."},
    {"spdml convert a.npz --where subject=s1,s3 -o b.npz", "Two subjects alone."},
    {"spdml convert model.spdml -o W.csv", "The learned map as a table."},
    {"cat a.npz | spdml convert - --to csv -o - | head -3",
     "From standard input to standard output."},
    {NULL, NULL}};

COMMAND(convert, "write a data set or a map in another file format", "FILE",
        .groups = {{"Options", options_data_to},
                   {NULL, options_drop},
                   {"Reading data", options_data},
                   {"Common options", options_common}});
