/* cmd_describe.c - `spdml describe`: from images, motion capture and signals to SPD matrices. */
#include "cli/commands/describe_options.h"

static void show(session *s, const describing *d, const spd_data *data, const spd_failures *skipped)
{
    sheet *r = session_sheet(s);
    sheet_text(r, "descriptor", "descriptor", spd_descriptor_name(d->kind));
    sheet_text(r, "output", "output", session_output(s));
    sheet_set(r, data->p, data->n);
    sheet_count(r, "classes", "classes", data->classes, "");
    sheet_count(r, "columns", "further columns", data->columns, "");
    sheet_count(r, "skipped", skipped->count ? "skipped inputs" : NULL, skipped->count, "");
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < skipped->count; i++)
        sheet_json_append(list, json_pack("{s:o,s:o}", "input", sheet_json_text(skipped->input[i]),
                                          "message",
                                          sheet_json_text(advice_message(skipped->error[i]).text)));
    sheet_json(r, "failures", list);
}

static int run(session *s)
{
    describing d = {0};
    spd_data *data = NULL;
    spd_failures *skipped = NULL;
    int code = session_check_output(s);
    if (!code)
        code = describing_take(s, &d);
    if (code)
        return code;
    spd_status status = spd_describe(s->ctx, d.kind, s->args->operand_count - 1,
                                     s->args->operands + 1, &d.options, &data, &skipped);
    if (status < 0)
        return session_fail(s, status);
    session_talk(s, "described %zu matrices", data->p);
    code = session_save(s, data);
    if (!code && !s->silent)
        show(s, &d, data, skipped);
    for (size_t i = 0; i < skipped->count && !code; i++)
        cli_error("skipped: %s", advice_message(skipped->error[i]).text);
    if (!code && skipped->count)
        code = CLI_FAILED;
    spd_data_free(data);
    spd_failures_free(skipped);
    return code;
}

static const option options[] = {
    {OPTION_OUTPUT(option_arrays_endings, "The file to write; .npz also keeps the parameters"),
     .required = 1},
    {"keep-going",
     .help = "Skip broken inputs, list them at the end and exit with status 1; otherwise the first "
             "one ends the run"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Computes SPD matrices, covariances of features, from files. KIND is one of",
    "covariance: tables of observations and multichannel signals (.csv, .npy, .npz, .mat).",
    "sift-color: images of materials; dense SIFT and the colours of 3 x 3 patches, 155 x 155.",
    "gabor: images of faces; intensity, position and Gabor magnitudes, 129 x 129.",
    "region: images; position, colour and derivatives in rectangles.",
    "joints: motion capture (.amc with .asf, .bvh, .c3d, or tables of positions); joint positions.",
    "IN is a file, a folder (searched with its subfolders), an archive (.tar.gz, .zip, ...), or "
    "an array file that holds several inputs: images p x height x width (x 3), tables p x r x "
    "n. Labels come from an index (--labels), from the array file, from the folder names or "
    "from a pattern. The output contains X, y, the inputs' names, further columns, and the "
    "parameters, which 'spdml info' shows.",
    "A covariance of r observations has rank at most r - 1: with fewer than n + 1 observations "
    "it needs --shrinkage, --regularize or --model.",
    NULL};

static const command_example examples[] = {
    {"spdml describe joints clips.tar.gz --labels index.csv -o covs.npz",
     "Motion capture, with actions and subjects from an index."},
    {"spdml describe sift-color textures/ --no-color -o covs.npz",
     "Images in folders named after their class."},
    {"spdml describe gabor faces.npz --keep-images -o covs.npz",
     "Images in an array, with their labels."},
    {"spdml describe covariance eeg.npz --rate 256 --bands 12-14,16-18 -o c.npz",
     "Filtered signals, extended covariance."},
    {NULL, NULL}};

const command command_describe = {
    .name = "describe",
    .summary = "make SPD matrices from images, motion capture and signals",
    .operands = "KIND IN...",
    .groups = {{"Options", options},
               {"Covariance (all kinds)", options_describe_covariance},
               {"Inputs and labels", options_describe_labels},
               {"Tables and signals (covariance)", options_describe_signals},
               {"Images (sift-color, gabor, region)", options_describe_images},
               {"Dense SIFT (sift-color)", options_describe_sift},
               {"Gabor wavelets (gabor)", options_describe_gabor},
               {"Rectangles (region)", options_describe_region},
               {"Motion capture (joints)", options_describe_motion},
               {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
