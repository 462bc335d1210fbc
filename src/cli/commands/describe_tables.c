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
    {.name = "shrinkage",
     .argument = "KIND",
     .type = OPTION_TEXT,
     .standard = "none",
     .help = "Draw the covariance towards a multiple of the identity: none, oas, ledoit-wolf, or "
             "a number between 0 and 1"},
    {.name = "regularize",
     .argument = "E",
     .type = OPTION_REAL,
     .min = 0,
     .max = INFINITY,
     .help =
         "Add E trace(C)/n to the diagonal; unless given 0, for sift-color 1e-5, for region 1e-6, "
         "for joints 1e-3"},
    {.name = "model",
     .argument = "MODEL",
     .type = OPTION_FILE,
     .help = "Project the observations by the W of this model first: the matrices come out as "
             "'spdml transform' would map them"},
    OPTION_END};

const option options_describe_labels[] = {
    {.name = "labels",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "Index (.csv): first column the file, second its label, further columns are kept; "
             "files match by the end of their path, or by their name"},
    {.name = "label-by",
     .argument = "WAY",
     .type = OPTION_CHOICE,
     .choice = label_sources,
     .standard = "auto",
     .help = "Without an index: auto takes the labels of array files, else the folders' names "
             "when there are several"},
    {.name = "label-pattern",
     .argument = "REGEX",
     .type = OPTION_TEXT,
     .help = "The label is what the (group) of this extended regular expression matches in an "
             "input's path"},
    {.name = "x",
     .argument = "NAME",
     .type = OPTION_TEXT,
     .help = "Array that holds the inputs; otherwise images or X, or the only one that fits"},
    {.name = "y",
     .argument = "NAME",
     .type = OPTION_TEXT,
     .help = "Array that holds the labels; otherwise y where there is one"},
    OPTION_END};

const option options_describe_signals[] = {
    {.name = "group",
     .argument = "COLUMN",
     .type = OPTION_TEXT,
     .help = "The file is one long table; rows with the same value in this column belong together"},
    {.name = "channels-first", .help = "Tables are channels x time: observations are columns"},
    {.name = "rate",
     .argument = "HZ",
     .type = OPTION_REAL,
     .min = 1e-300,
     .max = 1e300,
     .standard = "1",
     .help = "Samples per second of a signal"},
    {.name = "window",
     .argument = "SECONDS",
     .type = OPTION_REAL,
     .min = 0,
     .max = 1e300,
     .help = "A matrix for every window of this length"},
    {.name = "step",
     .argument = "SECONDS",
     .type = OPTION_REAL,
     .min = 0,
     .max = 1e300,
     .help = "From one window to the next; the window's length unless given"},
    {.name = "bands",
     .argument = "LOW-HIGH,...",
     .type = OPTION_TEXT,
     .help = "Pass bands in Hz, such as 12-14,16-18: filtered without a shift in time and stacked, "
             "so that the matrix has channels * bands rows"},
    {.name = "order",
     .argument = "N",
     .type = OPTION_INT,
     .min = 1,
     .max = 16,
     .standard = "4",
     .help = "Order of the Butterworth filters"},
    OPTION_END};

const option options_describe_images[] = {
    {.name = "size",
     .argument = "WxH",
     .type = OPTION_TEXT,
     .help = "Resize images to this, one number for both sides, 0 for no resizing; 400 for "
             "sift-color, 64 for gabor, 0 for region unless given"},
    {.name = "no-color", .help = "Take the grey image alone (sift-color, region)"},
    {.name = "keep-images",
     .help = "Keep the grey, resized images as the column images, for methods on vectors"},
    OPTION_END};

const option options_describe_sift[] = {
    {.name = "sift-step",
     .argument = "PIXELS",
     .type = OPTION_INT,
     .min = 1,
     .max = 1000,
     .standard = "4",
     .help = "Distance between the centres of descriptors"},
    {.name = "sift-bin",
     .argument = "PIXELS",
     .type = OPTION_INT,
     .min = 1,
     .max = 1000,
     .standard = "3",
     .help = "Width of a spatial bin; a descriptor has 4 x 4 of them"},
    {.name = "smooth",
     .argument = "SIGMA",
     .type = OPTION_REAL,
     .min = 0,
     .max = 1000,
     .standard = "0",
     .help = "Deviation of a Gaussian before, in pixels"},
    OPTION_END};

const option options_describe_gabor[] = {
    {.name = "regions",
     .argument = "HOW",
     .type = OPTION_TEXT,
     .standard = "halves",
     .help = "Blocks of the matrix: whole, halves (whole, left, right), or ROWSxCOLUMNS cells"},
    {.name = "scales",
     .argument = "N",
     .type = OPTION_INT,
     .min = 1,
     .max = 64,
     .standard = "5",
     .help = "Scales of the wavelets"},
    {.name = "orientations",
     .argument = "N",
     .type = OPTION_INT,
     .min = 1,
     .max = 64,
     .standard = "8",
     .help = "Orientations of the wavelets"},
    {.name = "kmax",
     .argument = "K",
     .type = OPTION_REAL,
     .min = 1e-6,
     .max = 3.1415926536,
     .help = "Largest frequency, radians per pixel; the square root of 2 unless given"},
    {.name = "spacing",
     .argument = "F",
     .type = OPTION_REAL,
     .min = 1,
     .max = 1000,
     .help = "From one scale's frequency to the next; the square root of 2 unless given"},
    {.name = "sigma",
     .argument = "S",
     .type = OPTION_REAL,
     .min = 1e-3,
     .max = 1000,
     .help = "Width of the envelope, in wavelengths times 2 pi; 2 pi unless given"},
    OPTION_END};

const option options_describe_region[] = {
    {.name = "grid",
     .argument = "ROWSxCOLUMNS",
     .type = OPTION_TEXT,
     .help = "A matrix for every cell of this grid; the whole image unless given"},
    {.name = "rects",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "A matrix for every rectangle of this table (.csv or .npy): x, y, width, height"},
    OPTION_END};

const option options_describe_motion[] = {
    {.name = "asf",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "Skeleton of all .amc clips; otherwise the .asf in the same folder whose name the "
             "clip's begins with"},
    {.name = "center",
     .argument = "WHERE",
     .type = OPTION_CHOICE,
     .choice = centres,
     .help = "Positions relative to the root joint; world coordinates unless given"},
    {.name = "frames",
     .argument = "FIRST:LAST",
     .type = OPTION_TEXT,
     .help = "Take these frames alone, from 0, the last one excluded; either may be left out"},
    {.name = "temporal-pyramid",
     .argument = "LEVELS",
     .type = OPTION_INT,
     .min = 1,
     .max = 10,
     .standard = "1",
     .help = "Blocks for the clip, its halves, its quarters, ..."},
    OPTION_END};
