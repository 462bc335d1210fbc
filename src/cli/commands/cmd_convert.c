/* cmd_convert.c - `spdml convert`: a data set in another file format. */
#include "cli/frame/session.h"

static int run(session *s)
{
    spd_data *data;
    int code = session_begin(s, &data);
    if (!code)
        code = session_save(s, data);
    if (code)
        return code;
    if (session_output_is(s, ".npy") && (data->y || data->columns))
        session_remark(s, "%s: contains only the matrices; labels and columns need .npz or .mat",
                       session_output(s));
    sheet *r = session_sheet(s);
    sheet_text(r, "input", "input", data->source);
    sheet_text(r, "output", "output", session_output(s));
    sheet_set(r, data->p, data->n);
    sheet_count(r, "classes", "classes", data->classes, "");
    sheet_count(r, "columns", "further columns", data->columns, "");
    return CLI_GOOD;
}

static const char *const paragraphs[] = {
    "Reads a data set in any format, checks it, repairs it on request (--symmetrize, --regularize, "
    "--ridge), and writes it in the format given by the output's extension: matrices as X, labels "
    "as y, further columns under their names.",
    NULL};

static const command_example examples[] = {
    {"spdml convert a.mat -o a.npz --x covs --y labels", "From MATLAB to numpy."},
    {"spdml convert a.npy --labels y.csv -o a.npz", "Put matrices and labels into one file."},
    {NULL, NULL}};

const command command_convert = {
    .name = "convert",
    .summary = "write a data set in another file format",
    .operands = "DATA",
    .groups = COMMAND_DATA_GROUPS(options_data_output),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
