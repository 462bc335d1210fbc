/* describe_tables.c - rows of the option table of `spdml describe`, a group for every kind of
 * input. */
#include <math.h>

#include "cli/commands/describe_options.h"

static const char *label_sources(size_t i)
{
    static const char *const words[] = {"auto", "folder", "none"};
    return i < sizeof words / sizeof *words ? words[i] : NULL;
}

static const char *centres(size_t i)
{
    return i == 0 ? "root" : NULL;
}

const option options_describe_covariance[] = {
    {"shrinkage", 0, OPTION_TEXT, "KIND", "none",
     .help = "Pull the covariance towards a multiple of the identity: none, oas, ledoit-wolf, "
             "or a number between 0 and 1"},
    {"regularize", 0, OPTION_REAL, "E", NULL, 0, INFINITY,
     .help = "Add E trace(C)/n to the diagonal; default 0, for sift-color 1e-5, for region 1e-6, "
             "for joints 1e-3"},
    {"model", 0, OPTION_FILE, "MODEL",
     .help = "First project the observations by the W of this model: the result is what 'spdml "
             "transform' would give"},
    OPTION_END};

const option options_describe_labels[] = {
    {"labels", 0, OPTION_FILE, "FILE",
     .help = "Index (.csv): the first column is the file, the second its label, and further "
             "columns are kept; files match by the end of their path, or by their name"},
    {"label-by", 0, OPTION_CHOICE, "WAY", "auto", .choice = label_sources,
     .help = "Without an index: auto takes the labels of array files, otherwise the folder "
             "names if there are several"},
    {"label-pattern", 0, OPTION_TEXT, "REGEX",
     .help = "The label is what the (group) of this extended regular expression matches in an "
             "input's path"},
    {"x", 0, OPTION_TEXT, "NAME",
     .help = "Array that holds the inputs; by default images or X, or the only one that fits"},
    {"y", 0, OPTION_TEXT, "NAME",
     .help = "Array that holds the labels; by default y, if there is one"},
    OPTION_END};

const option options_describe_signals[] = {
    {"group", 0, OPTION_TEXT, "COLUMN",
     .help = "The file is one long table; rows with the same value in this column belong together"},
    {"channels-first", .help = "Tables are channels x time: observations are columns"},
    {"rate", 0, OPTION_REAL, "HZ", "1", 1e-300, 1e300, .help = "Samples per second of a signal"},
    {"window", 0, OPTION_REAL, "SECONDS", NULL, 0, 1e300,
     .help = "One matrix per window of this length"},
    {"step", 0, OPTION_REAL, "SECONDS", NULL, 0, 1e300,
     .help = "From one window to the next; default the window's length"},
    {"bands", 0, OPTION_TEXT, "LOW-HIGH,...",
     .help = "Pass bands in Hz, such as 12-14,16-18: filtered without a shift in time and "
             "stacked, so the matrix has channels * bands rows"},
    {"order", 0, OPTION_INT, "N", "4", 1, 16, .help = "Order of the Butterworth filters"},
    OPTION_END};

const option options_describe_images[] = {
    {"size", 0, OPTION_TEXT, "WxH",
     .help = "Resize images to this size, one number for both sides, 0 for no resizing; default "
             "400 for sift-color, 64 for gabor, 0 for region"},
    {"no-color", .help = "Use only the grey image (sift-color, region)"},
    {"keep-images",
     .help = "Keep the grey, resized images as the column 'images', for methods on vectors"},
    OPTION_END};

const option options_describe_sift[] = {
    {"sift-step", 0, OPTION_INT, "PIXELS", "4", 1, 1000,
     .help = "Distance between the centres of descriptors"},
    {"sift-bin", 0, OPTION_INT, "PIXELS", "3", 1, 1000,
     .help = "Width of a spatial bin; a descriptor has 4 x 4 of them"},
    {"smooth", 0, OPTION_REAL, "SIGMA", "0", 0, 1000,
     .help = "Standard deviation of a Gaussian applied first, in pixels"},
    OPTION_END};

const option options_describe_gabor[] = {
    {"regions", 0, OPTION_TEXT, "HOW", "halves",
     .help = "Blocks of the matrix: whole, halves (whole, left, right), or ROWSxCOLUMNS cells"},
    {"scales", 0, OPTION_INT, "N", "5", 1, 64, .help = "Scales of the wavelets"},
    {"orientations", 0, OPTION_INT, "N", "8", 1, 64, .help = "Orientations of the wavelets"},
    {"kmax", 0, OPTION_REAL, "K", NULL, 1e-6, 3.1415926536,
     .help = "Largest frequency, radians per pixel; default the square root of 2"},
    {"spacing", 0, OPTION_REAL, "F", NULL, 1, 1000,
     .help = "Ratio of one scale's frequency to the next; default the square root of 2"},
    {"sigma", 0, OPTION_REAL, "S", NULL, 1e-3, 1000,
     .help = "Width of the envelope, in wavelengths times 2 pi; default 2 pi"},
    OPTION_END};

const option options_describe_region[] = {
    {"grid", 0, OPTION_TEXT, "ROWSxCOLUMNS",
     .help = "One matrix per cell of this grid; default the whole image"},
    {"rects", 0, OPTION_FILE, "FILE",
     .help = "One matrix per rectangle of this table (.csv or .npy): x, y, width, height"},
    OPTION_END};

const option options_describe_motion[] = {
    {"asf", 0, OPTION_FILE, "FILE",
     .help = "Skeleton of all .amc clips; by default the .asf in the same folder whose name "
             "begins the clip's name"},
    {"center", 0, OPTION_CHOICE, "WHERE", .choice = centres,
     .help = "Positions relative to the root joint; default world coordinates"},
    {"frames", 0, OPTION_TEXT, "FIRST:LAST",
     .help =
         "Use only these frames, counted from 0, the last one excluded; either may be left out"},
    {"temporal-pyramid", 0, OPTION_INT, "LEVELS", "1", 1, 10,
     .help = "Blocks for the clip, its halves, its quarters, ..."},
    OPTION_END};
