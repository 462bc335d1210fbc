/* options_shared.c - rows of the option table that several commands share. */
#include "cli/frame/options.h"

#include <math.h>

#include "spdml.h"

const option options_common[] = {
    OPTION_JSON,
    {.name = "quiet", .letter = 'q', .help = "No remarks and no progress bar"},
    {.name = "verbose", .letter = 'v', .help = "Say what is done and how long it takes"},
    {.name = "threads",
     .argument = "N",
     .type = OPTION_INT,
     .standard = "0",
     .min = 0,
     .max = 1024,
     .help = "Number of threads, 0 for all cores; results do not depend on it"},
    {.name = "seed",
     .argument = "N",
     .type = OPTION_INT,
     .standard = "1",
     .min = 0,
     .max = INFINITY,
     .help = "Seed of the random numbers, where a command draws any"},
    OPTION_HELP,
    OPTION_END};

const option options_data[] = {
    {.name = "x",
     .argument = "NAME",
     .type = OPTION_TEXT,
     .help = "Variable that holds the matrices; otherwise X, or the only array of three "
             "dimensions"},
    {.name = "y",
     .argument = "NAME",
     .type = OPTION_TEXT,
     .help = "Variable that holds the labels; otherwise y where there is one"},
    {.name = "labels",
     .argument = "FILE",
     .type = OPTION_FILE,
     .help = "File with the labels, one per matrix (.npy, .npz or .csv)"},
    {.name = "symmetrize", .help = "Replace every X by (X + X')/2 instead of refusing asymmetry"},
    {.name = "regularize",
     .argument = "E",
     .type = OPTION_REAL,
     .standard = "0",
     .min = 0,
     .max = INFINITY,
     .help = "Add E trace(X)/n to the diagonal of every X"},
    {.name = "ridge",
     .argument = "E",
     .type = OPTION_REAL,
     .standard = "0",
     .min = 0,
     .max = INFINITY,
     .help = "Add E to the diagonal of every X"},
    OPTION_END};

const char *option_metrics(size_t i)
{
    return i < SPD_METRICS ? spd_metric_name((spd_metric)i) : NULL;
}

const char *option_metric_alias(const char *text)
{
    spd_metric metric = SPD_AIRM;
    return spd_metric_parse(NULL, text, &metric) == SPD_OK ? spd_metric_name(metric) : NULL;
}

const char *option_array_endings(size_t i)
{
    static const char *const endings[] = {".npy", ".npz", ".mat", ".csv"};
    return i < sizeof endings / sizeof *endings ? endings[i] : NULL;
}

const char *option_arrays_endings(size_t i)
{
    static const char *const endings[] = {".npz", ".mat"};
    return i < sizeof endings / sizeof *endings ? endings[i] : NULL;
}

const char *option_model_endings(size_t i)
{
    return i == 0 ? ".spdml" : NULL;
}

const char *option_data_endings(size_t i)
{
    static const char *const endings[] = {".npz", ".mat", ".npy"};
    return i < sizeof endings / sizeof *endings ? endings[i] : NULL;
}
