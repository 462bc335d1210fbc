/* cmd_describe.c - `spdml describe`: from images, motion capture and signals to SPD matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/describe_notes.h"

/* The words of KIND. */
static words describe_kinds(void)
{
    return option_names(SPD_ENUM_DESCRIPTOR);
}

/* ---- values of several parts ----------------------------------------------------------------- */

/* *value <- the whole number at *text, up to a million; *text moves behind it. Non-zero: none. */
static int parse_count(const char **text, size_t *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return 1;
    unsigned long number = strtoul(*text, &end, 10);
    if (number > 1000000)
        return 1;
    *value = number;
    *text = end;
    return 0;
}

/* *first, *second <- "3x4". Non-zero when text is not that. */
static int parse_pair(const char *text, size_t *first, size_t *second)
{
    if (parse_count(&text, first) || *text++ != 'x' || parse_count(&text, second))
        return 1;
    return *text != '\0';
}

/* What follows reads the text of an option; non-zero when it is none of what is expected. */

static int take_size(const char *text, spd_describe_options *o)
{
    if (!parse_pair(text, &o->width, &o->height))
        return 0;
    int bad = parse_count(&text, &o->width) || *text;
    o->height = o->width;
    return bad;
}

/* Cells of a grid, at least one each way. */
static int take_grid(const char *text, spd_describe_options *o)
{
    return parse_pair(text, &o->grid_rows, &o->grid_columns) || !o->grid_rows || !o->grid_columns;
}

static int take_regions(const char *text, spd_describe_options *o)
{
    int known = spd_parse(NULL, SPD_ENUM_REGIONS, text);
    o->regions = known < 0 ? SPD_REGIONS_GRID : (spd_regions)known;
    return o->regions == SPD_REGIONS_GRID && take_grid(text, o);
}

static int take_frames(const char *text, spd_describe_options *o)
{
    int bad = (*text != ':' && parse_count(&text, &o->first_frame)) || *text++ != ':' ||
              (*text && parse_count(&text, &o->last_frame)) || *text;
    return bad || (o->last_frame && o->last_frame <= o->first_frame);
}

/* "12-14,16-18" */
static int take_bands(const char *text, spd_describe_options *o)
{
    o->bands = 1;
    for (const char *c = text; *c; c++)
        o->bands += *c == ',';
    double *edge = cli_alloc_table(o->bands, 2, sizeof *edge, "bands");
    for (size_t k = 0; k < 2 * o->bands; k++) {
        char *end;
        edge[k] = strtod(text, &end);
        char after = k % 2 == 0 ? '-' : k + 1 < 2 * o->bands ? ',' : '\0';
        if (end == text || *text == '-' || *end != after || !isfinite(edge[k]))
            return 1;
        text = end + 1;
    }
    o->band = edge;
    return 0;
}

/* "-0.5:2" */
static int take_epoch(const char *text, spd_describe_options *o)
{
    char *end;
    o->epoch_from = strtod(text, &end);
    if (end == text || *end != ':' || !isfinite(o->epoch_from))
        return 1;
    const char *second = end + 1;
    o->epoch_to = strtod(second, &end);
    return end == second || *end || !isfinite(o->epoch_to) || !(o->epoch_from < o->epoch_to);
}

static int take_shrinkage(const char *text, spd_describe_options *o)
{
    spd_covariance_options *c = &o->covariance;
    int known = spd_parse(NULL, SPD_ENUM_SHRINKAGE, text);
    c->shrinkage = known < 0 ? SPD_SHRINKAGE_VALUE : (spd_shrinkage)known;
    if (c->shrinkage != SPD_SHRINKAGE_VALUE)
        return 0;
    return option_parse_real(text, &c->shrink) || !(c->shrink >= 0.0 && c->shrink <= 1.0);
}

static const struct {
    const char *name;
    int (*take)(const char *text, spd_describe_options *o);
    const char *expected;
} texts[] = {
    {"shrinkage", take_shrinkage, "none, oas, ledoit-wolf or a number from 0 to 1"},
    {"size", take_size, "a number of pixels or WIDTHxHEIGHT, such as 64x48"},
    {"regions", take_regions, "whole, halves or ROWSxCOLUMNS, such as 2x2"},
    {"grid", take_grid, "ROWSxCOLUMNS, such as 3x4"},
    {"frames", take_frames, "FIRST:LAST with FIRST below LAST, such as 10:200 or 10:"},
    {"epoch", take_epoch, "FROM:TO in seconds with FROM below TO, such as 0.5:2.5"},
    {"bands", take_bands, "LOW-HIGH in Hz, separated by commas: 12-14,16-18"},
};

/* ---- files ----------------------------------------------------------------------------------- */

static void take_model(session *s, spd_covariance_options *o)
{
    const char *path = arguments_text(s->args, "model");
    if (!path)
        return;
    spd_model *model = session_model(s, path);
    if (model->options->hermitian)
        cli_fail("%s: is a map of complex matrices; observations are real numbers", path);
    o->W = model->W;
    o->m = model->m;
    o->n = model->n;
}

/* A table of rectangles: whole numbers, sizes above zero. */
static void take_rects(session *s, spd_describe_options *o)
{
    const char *path = arguments_text(s->args, "rects");
    spd_array *table;
    if (!path)
        return;
    table = session_read(s, path, NULL);
    size_t columns = table->ndim == 2 ? table->shape[1] : table->count;
    if (table->ndim > 2 || columns != 4 || table->count == 0)
        cli_fail("%s: rectangles need four columns: x, y, width, height", path);
    o->rects = table->count / 4;
    spd_rect *rect = cli_alloc_table(o->rects, 1, sizeof *rect, "rectangles");
    for (size_t i = 0; i < table->count; i++) {
        double value = table->type == SPD_TYPE_INT64     ? (double)table->i64[i]
                       : table->type == SPD_TYPE_FLOAT64 ? table->f64[i]
                                                         : -1.0;
        size_t *part[] = {&rect[i / 4].x, &rect[i / 4].y, &rect[i / 4].width, &rect[i / 4].height};
        if (!(value >= (i % 4 < 2 ? 0.0 : 1.0) && value <= 1e6 && value == floor(value)))
            cli_fail("%s: rectangle %zu is not given in whole numbers of pixels", path, i / 4);
        *part[i % 4] = (size_t)value;
    }
    o->rect = rect;
}

/* *kind <- that of the first operand; o <- what the options say; files of --model and --rects are
 * read. What o points to belongs to the session. An exit status. */
static int take_options(session *s, spd_descriptor *kind, spd_describe_options *o)
{
    unsigned number;
    int code = arguments_kind(s->args, "descriptor", SPD_ENUM_DESCRIPTOR, &number);
    if (code)
        return code;
    *kind = (spd_descriptor)number;
    spd_describe_defaults(*kind, o, sizeof *o);
    ARGUMENTS_FILL(s->args, spd_describe_options, o);
    o->center_root = arguments_count(s->args, "center") > 0;
    if (o->index && arguments_count(s->args, "label-by"))
        cli_misuse("--labels and --label-by cannot be used together");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!arguments_count(s->args, texts[i].name))
            continue;
        const char *text = arguments_text(s->args, texts[i].name);
        if (texts[i].take(text, o))
            cli_misuse("--%s %s: must be %s", texts[i].name, text, texts[i].expected);
    }
    take_rects(s, o);
    take_model(s, &o->covariance);
    return CLI_GOOD;
}

/* ---- the command ----------------------------------------------------------------------------- */

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
    int code = take_options(s, &kind, &how);
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
