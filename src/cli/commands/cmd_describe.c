/* cmd_describe.c - `spdml describe`: from images, motion capture and signals to SPD matrices. */
#include <math.h>

#include "cli/commands/describe_notes.h"
#include "cli/commands/describe_options.h"

static void show(session *s, spd_descriptor kind, const spd_data *data,
                 const spd_describe_info *skipped)
{
    sheet *r = session_sheet(s);
    sheet_text(r, "descriptor", "descriptor", spd_name(SPD_ENUM_DESCRIPTOR, kind));
    sheet_text(r, "output", "output", session_output(s));
    sheet_set(r, data->p, data->n, 0);
    sheet_count(r, "classes", "classes", data->classes, "");
    sheet_count(r, "columns", "further columns", data->columns, "");
    sheet_count(r, "skipped", skipped->count ? "skipped inputs" : NULL, skipped->count, "");
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < skipped->count; i++)
        sheet_json_append(list, json_pack("{s:o,s:o}", "input", sheet_json_text(skipped->input[i]),
                                          "message",
                                          sheet_json_text(advice_message(skipped->error[i]).text)));
    sheet_json(r, "failures", list);
    describe_notes_show(r, skipped);
}

static int run(session *s)
{
    spd_descriptor kind;
    spd_describe_options how;
    session_check_output(s);
    int code = describe_options_take(s, &kind, &how);
    if (code)
        return code;
    const described *d = describe_operands(s, kind, &how);
    const spd_data *data = d->data;
    const spd_describe_info *skipped = d->notes;
    session_talk(s, "described %zu matrices", data->p);
    session_save(s, data);
    show(s, kind, data, skipped);
    describe_notes_remark(s, skipped);
    for (size_t i = 0; i < skipped->count; i++)
        cli_error("skipped: %s", advice_message(skipped->error[i]).text);
    return skipped->count ? CLI_FAILED : CLI_GOOD;
}

static const option options[] = {
    {OPTION_OUTPUT(OPTION_ARRAYS_ENDINGS, "The file to write; .npz also keeps the parameters"),
     .required = 1},
    {"keep-going", INTO(spd_describe_options, keep_going),
     .help = "Skip broken inputs, list them at the end and exit with status 1; "
             "otherwise the first one ends the run"},
    OPTION_END};

static const option options_covariance[] = {
    {"shrinkage", 0, OPTION_TEXT, "KIND", "none",
     .help = "Pull the covariance towards a multiple of the identity: none, oas, ledoit-wolf, or a "
             "number between 0 and 1"},
    {"regularize", 0, OPTION_REAL, "E", NULL, 0, INFINITY,
     INTO(spd_describe_options, covariance.regularize),
     .help = "Add E trace(C)/n to the diagonal; default 0, for sift-color 1e-5, for region 1e-6, "
             "for joints 1e-3"},
    {"observations", 0, OPTION_INT, "R", NULL, 2, 1000000000,
     INTO(spd_describe_options, observations),
     .help = "Take R of the observations of each input, evenly spaced: every k-th from the first "
             "on (sift-color, covariance); default all"},
    {"model", 0, OPTION_FILE, "MODEL",
     .help = "First project the observations by the W of this model: the result is what 'spdml "
             "transform' would give"},
    OPTION_END};

static const option options_labels[] = {
    {"labels", 0, OPTION_FILE, "FILE", INTO(spd_describe_options, index), .common = 1,
     .help =
         "Index (.csv): the first column is the file, the second its label, and further columns "
         "are kept; files are matched by the end of their path or by their name. Or an array "
         "(.npy, .npz, .mat) with a label for each input in the order of the inputs, which in a "
         "folder is that of their names"},
    {"label-by", 0, OPTION_TEXT, "WAY", "auto", INTO(spd_describe_options, label_by), .common = 1,
     .help = "Without an index: auto takes the labels of array files, otherwise the folder names "
             "if there are several; folder, none, or a pattern of names such as "
             "'HDM_{subject}_{y}_{}', in which {y} is the label and others are further columns"},
    {"x", 0, OPTION_TEXT, "NAME", INTO(spd_describe_options, x_name),
     .help = "Array that holds the inputs; by default images or X, or the only one that fits"},
    {"y", 0, OPTION_TEXT, "NAME", INTO(spd_describe_options, y_name),
     .help = "Array that holds the labels; by default y, if there is one"},
    OPTION_END};

static const option options_signals[] = {
    {"group", 0, OPTION_TEXT, "COLUMN", INTO(spd_describe_options, group),
     .help = "The file is one long table; rows with the same value in this column belong together"},
    {"channels-first", INTO(spd_describe_options, channels_first),
     .help = "Tables are channels x time: observations are columns"},
    {"rate", 0, OPTION_REAL, "HZ", "1", 1e-300, 1e300, INTO(spd_describe_options, rate),
     .common = 1, .help = "Samples per second of a signal"},
    {"window", 0, OPTION_REAL, "SECONDS", NULL, 0, 1e300, INTO(spd_describe_options, window),
     .common = 1, .help = "One matrix per window of this length"},
    {"step", 0, OPTION_REAL, "SECONDS", NULL, 0, 1e300, INTO(spd_describe_options, stride),
     .help = "From one window to the next; default the window's length"},
    {"bands", 0, OPTION_TEXT, "LOW-HIGH,...", .common = 1,
     .help = "Pass bands in Hz, such as 12-14,16-18: filtered without a shift in time and stacked, "
             "so the matrix has channels * bands rows"},
    {"order", 0, OPTION_INT, "N", "4", 1, 16, INTO(spd_describe_options, order),
     .help = "Order of the Butterworth filters"},
    {"channels", 0, OPTION_TEXT, "NAME,...", INTO(spd_describe_options, channels),
     .help = "Channels of a recording (.edf, .bdf), or columns that the header of a table (.csv) "
             "names, in this order; default: all except annotations, triggers and a column of "
             "times, that is, one called time, t, sample, ... whose values rise"},
    {"events", 0, OPTION_FILE, "FILE", INTO(spd_describe_options, events), .common = 1,
     .help = "One matrix per event, labelled by it: a table (.csv, .tsv) with the columns onset, "
             "duration and label (or trial_type), in seconds; auto takes NAME_events.tsv next to "
             "each recording, or else its annotations and triggers"},
    {"epoch", 0, OPTION_TEXT, "FROM:TO", .common = 1,
     .help = "Seconds around the onset of an event, such as 0.5:2.5 or -1:1; default the event's "
             "duration"},
    {"event-names", 0, OPTION_TEXT, "NAME,...", INTO(spd_describe_options, event_names),
     .help = "Take only the events of these labels"},
    OPTION_END};

static const option options_images[] = {
    {"size", 0, OPTION_TEXT, "WxH", .common = 1,
     .help = "Resize images to this size, one number for both sides, 0 for no resizing; default "
             "400 for sift-color, 64 for gabor, 0 for region"},
    {"no-color", INTO(spd_describe_options, grey), .common = 1,
     .help = "Use only the grey image (sift-color, region)"},
    {"keep-images", INTO(spd_describe_options, keep_images),
     .help = "Keep the grey, resized images as the column 'images', for methods on vectors"},
    OPTION_END};

static const option options_sift[] = {{"sift-step", 0, OPTION_INT, "PIXELS", "4", 1, 1000,
                                       INTO(spd_describe_options, step),
                                       .help = "Distance between the centres of descriptors"},
                                      OPTION_END};

static const option options_gabor[] = {
    {"regions", 0, OPTION_TEXT, "HOW", "halves",
     .help = "Blocks of the matrix: whole, halves (whole, left, right), or ROWSxCOLUMNS cells"},
    {"scales", 0, OPTION_INT, "N", "5", 1, 64, INTO(spd_describe_options, scales),
     .help = "Scales of the wavelets"},
    {"orientations", 0, OPTION_INT, "N", "8", 1, 64, INTO(spd_describe_options, orientations),
     .help = "Orientations of the wavelets"},
    OPTION_END};

static const option options_region[] = {
    {"grid", 0, OPTION_TEXT, "ROWSxCOLUMNS",
     .help = "One matrix per cell of this grid; default the whole image"},
    {"rects", 0, OPTION_FILE, "FILE",
     .help = "One matrix per rectangle of this table (.csv or .npy): x, y, width, height"},
    OPTION_END};

static const option options_motion[] = {
    {"asf", 0, OPTION_FILE, "FILE", INTO(spd_describe_options, asf), .common = 1,
     .help =
         "Skeleton of all .amc clips; by default the .asf in the same folder, or in the nearest "
         "above it within IN, whose name begins the clip's name"},
    {"center", 0, OPTION_CHOICE, "WHERE", .choice = "root",
     .help = "Positions relative to the root joint; default world coordinates"},
    {"frames", 0, OPTION_TEXT, "FIRST:LAST",
     .help =
         "Use only these frames, counted from 0, the last one excluded; either may be left out"},
    {"temporal-pyramid", 0, OPTION_INT, "LEVELS", "1", 1, 10, INTO(spd_describe_options, pyramid),
     .help = "Blocks for the clip, its halves, its quarters, ..."},
    {"overlap", 0, OPTION_FLAG, INTO(spd_describe_options, overlap),
     .help = "Windows of the temporal pyramid overlap by half: there is one more between any two "
             "neighbours"},
    {"unit-range", 0, OPTION_FLAG, INTO(spd_describe_options, unit_range),
     .help = "Scale x, y and z each to 0 .. 1 over all joints and frames of a clip"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Computes SPD matrices, covariances of features, from files. KIND is one of",
    "covariance: tables of observations, multichannel signals (.csv, .npy, .npz, .mat) and "
    "recordings (.edf, .bdf), whole, in windows, or around events.",
    "sift-color: images of materials; dense SIFT and the colours of 3 x 3 patches, 155 x 155.",
    "gabor: images of faces; intensity, position and Gabor magnitudes, 129 x 129.",
    "region: images; position, colour and derivatives in rectangles.",
    "joints: motion capture (.amc with .asf, .bvh, .c3d, or tables of positions); joint positions.",
    "IN is a file, a folder (searched with its subfolders), an archive (.tar.gz, .zip, ...), or an "
    "array file that holds several inputs: images p x height x width (x 3), tables p x r x n. "
    "Labels come from an index (--labels), from the array file, or from the names of "
    "folders and files. The output contains X, y, the inputs' names, further columns, and the "
    "parameters, which 'spdml info' shows.",
    "A covariance of r observations has rank at most r - 1: with fewer than n + 1 observations it "
    "needs --shrinkage, --regularize or --model. A warning tells you if some have fewer, even if "
    "regularisation compensates, and which files of a folder or archive were ignored.",
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
    {"spdml describe covariance a.edf --events auto --epoch 0.5:2 -o a.npz",
     "Epochs of a recording, labelled by its annotations."},
    {NULL, NULL}};

COMMAND(describe, "make matrices from images, motion capture and signals", "KIND IN...",
        .first = describe_kinds,
        .groups = {{"Options", options},
                   {"Covariance (all kinds)", options_covariance},
                   {"Inputs and labels", options_labels},
                   {"Tables and signals (covariance)", options_signals},
                   {"Images (sift-color, gabor, region)", options_images},
                   {"Dense SIFT (sift-color)", options_sift},
                   {"Gabor wavelets (gabor)", options_gabor},
                   {"Rectangles (region)", options_region},
                   {"Motion capture (joints)", options_motion},
                   {"Common options", options_common}});
