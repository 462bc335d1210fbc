/* cmd_convert.c - `spdml convert`: a data set in another file format. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <strings.h>

#include "cli/frame/sheet.h"
#include "cli/frame/session.h"

static void show_converted(session *s, const spd_data *data)
{
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "input", "input", data->source);
    sheet_text(&r, "output", "output", arguments_text(s->args, "output"));
    sheet_count(&r, "p", "matrices", data->p, "");
    sheet_count(&r, "n", NULL, data->n, "");
    sheet_line(&r, "size", "%zu x %zu", data->n, data->n);
    sheet_count(&r, "classes", "classes", data->classes, "");
    sheet_count(&r, "columns", "further columns", data->columns, "");
    sheet_close(&r);
}

/* A .npy file has room for one array. */
static void remark_losses(session *s, const spd_data *data)
{
    const char *output = arguments_text(s->args, "output");
    const char *ending = strrchr(output, '.');
    if (ending && strcasecmp(ending, ".npy") == 0 && (data->y || data->columns))
        session_remark(s, "%s: contains only the matrices; labels and columns need .npz or .mat",
                       output);
}

static int run(session *s)
{
    spd_data *data = NULL;
    int code = session_check_output(s);
    if (!code)
        code = session_load(s, s->args->operands[0], 0, &data);
    if (!code)
        code = session_save(s, data);
    if (!code) {
        remark_losses(s, data);
        show_converted(s, data);
    }
    spd_data_free(data);
    return code;
}

static const option options[] = {
    {OPTION_OUTPUT(option_data_endings, "The file to write; its extension decides the format"),
     .required = 1},
    OPTION_END};

static const char *const paragraphs[] = {
    "Reads a data set in any format, checks it, repairs it on request (--symmetrize, "
    "--regularize, --ridge), and writes it in the format given by the output's extension: "
    "matrices as X, labels as y, further columns under their names.",
    NULL};

static const command_example examples[] = {
    {"spdml convert a.mat -o a.npz --x covs --y labels", "From MATLAB to numpy."},
    {"spdml convert a.npy --labels y.csv -o a.npz", "Put matrices and labels into one file."},
    {NULL, NULL}};

const command command_convert = {
    .name = "convert",
    .summary = "write a data set in another file format",
    .operands = "DATA",
    .min_operands = 1,
    .max_operands = 1,
    .groups = COMMAND_DATA_GROUPS(options),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
