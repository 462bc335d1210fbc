/* cmd_describe.c - `spdml describe`: from images, motion capture and signals to SPD matrices. */
#include "cli/commands/describe_options.h"
#include "cli/frame/sheet.h"

static void show_skipped(sheet *r, const spd_failures *skipped)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < skipped->count; i++)
        sheet_json_append(
            list, json_pack("{s:o,s:o}", "input", sheet_json_text(skipped->input[i]), "message",
                            sheet_json_text(advice_message(&skipped->error[i]).text)));
    sheet_json(r, "failures", list);
}

static void show_made(session *s, const describing *d, const spd_data *data,
                      const spd_failures *skipped)
{
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "descriptor", "descriptor", spd_descriptor_name(d->kind));
    sheet_text(&r, "output", "output", arguments_text(s->args, "output"));
    sheet_count(&r, "p", "matrices", data->p, "");
    sheet_count(&r, "n", NULL, data->n, "");
    sheet_line(&r, "size", "%zu x %zu", data->n, data->n);
    sheet_count(&r, "classes", "classes", data->classes, "");
    sheet_count(&r, "columns", "further columns", data->columns, "");
    sheet_count(&r, "skipped", skipped->count ? "skipped inputs" : NULL, skipped->count, "");
    show_skipped(&r, skipped);
    sheet_close(&r);
}

/* What was left out, at the end, one line each. */
static int list_skipped(const spd_failures *skipped)
{
    for (size_t i = 0; i < skipped->count; i++)
        cli_error("skipped: %s", advice_message(&skipped->error[i]).text);
    return skipped->count ? CLI_FAILED : CLI_GOOD;
}

static int describe(session *s, describing *d)
{
    spd_data *data = NULL;
    spd_failures *skipped = NULL;
    spd_status status = spd_describe(s->ctx, d->kind, s->args->operand_count - 1,
                                     s->args->operands + 1, &d->options, &data, &skipped);
    if (status < 0)
        return session_fail(s, status);
    session_talk(s, "described %zu matrices", data->p);
    bar_clear(&s->bar);
    int code = session_save(s, data);
    if (!code && !s->silent)
        show_made(s, d, data, skipped);
    if (!code)
        code = list_skipped(skipped);
    spd_data_free(data);
    spd_failures_free(skipped);
    return code;
}

static int run(session *s)
{
    describing d = {0};
    int code = session_check_output(s);
    if (!code)
        code = describing_take(s, &d);
    if (!code)
        code = describe(s, &d);
    describing_free(&d);
    return code;
}

static const option options[] = {
    {OPTION_OUTPUT(option_arrays_endings,
                   "The file for the matrices; .npz keeps the parameters too"),
     .required = 1},
    {.name = "keep-going",
     .help = "Skip broken inputs, list them at the end and exit with status 1; otherwise the first "
             "one ends the run"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Makes SPD matrices, covariances of features, from files. KIND is one of",
    "covariance: tables of observations and multichannel signals (.csv, .npy, .npz, .mat).",
    "sift-color: images of materials; dense SIFT and the colours of 3 x 3 patches, 155 x 155.",
    "gabor: images of faces; intensity, position and Gabor magnitudes, 129 x 129.",
    "region: images; position, colour and derivatives in rectangles.",
    "joints: motion capture (.amc with .asf, .bvh, .c3d, or tables of positions); joint positions.",
    "IN is a file, a folder (searched with all folders in it), an archive (.tar.gz, .zip, ...), or "
    "an array file that holds several inputs: images p x height x width (x 3), tables p x r x n. "
    "Labels come from an index (--labels), from the array file, from the folders' names or from a "
    "pattern; the output holds X, y, the inputs' names, further columns, and the parameters, which "
    "'spdml info' shows.",
    "A covariance of r observations has rank r - 1 at most: with fewer than n + 1 of them it needs "
    "--shrinkage, --regularize or --model.",
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
    .min_operands = 2,
    .max_operands = (size_t)-1,
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
