/* cmd_synth.c - `spdml synth`: data from a seed, nothing to download. */
#include <stdio.h>
#include <string.h>

#include "cli/frame/session.h"
#include "cli/frame/words.h"

typedef struct synthesis {
    spd_synth_kind kind;
    spd_synth_options options;
    const char *output;
    size_t files; /* written; 1 for matrices */
} synthesis;

/* ---- options --------------------------------------------------------------------------------- */

static const option options[] = {
    {"output", 'o', OPTION_FILE, "PATH", .required = 1, .writes = 1,
     .help = "The output: a file (.npz or .mat) for spd, otherwise a folder, which must be new or "
             "empty"},
    OPTION_SEED,
    OPTION_END};

static const option options_counts[] = {{"classes", 0, OPTION_INT, "N", NULL, 1, 2147483647,
                                         INTO(spd_synth_options, classes),
                                         .help = "Classes of spd and textures, actions of motion, "
                                                 "people of faces; default 4, 18, 14 and 200"},
                                        OPTION_END};

static const option options_samples[] = {
    {"samples", 0, OPTION_INT, "N", NULL, 1, 2147483647, INTO(spd_synth_options, samples),
     .common = 1,
     .help = "Samples per class (spd, textures), repetitions of an action by each subject "
             "(motion); default 50, 12 and 4"},
    OPTION_END};

static const option options_spd[] = {
    {"n", 'n', OPTION_INT, "N", "30", 1, 4096, INTO(spd_synth_options, n), .common = 1,
     .help = "Size of the matrices"},
    {"planted", 0, OPTION_INT, "D", "10", 1, 4096, INTO(spd_synth_options, planted),
     .help = "Dimension of the subspace that separates the classes; at most n"},
    {"signal", 0, OPTION_REAL, "A", "1.2", 0, 100, INTO(spd_synth_options, signal),
     .help = "Distance between classes, as a multiple of the variation within one"},
    OPTION_END};

static const option options_images[] = {
    {"size", 0, OPTION_INT, "PIXELS", NULL, 8, 4096, INTO(spd_synth_options, side), .common = 1,
     .help = "Width and height of an image; default 400 for textures and 64 for faces"},
    OPTION_END};

static const option options_motion[] = {
    {"subjects", 0, OPTION_INT, "N", "5", 1, 26, INTO(spd_synth_options, subjects), .common = 1,
     .help = "Number of people, of different proportions and styles, named a, b, c, ..."},
    {"frames", 0, OPTION_INT, "N", "150", 20, 10000, INTO(spd_synth_options, frames),
     .help = "Frames per clip, approximately; 120 per second"},
    OPTION_END};

static words kinds(void)
{
    return option_names(SPD_ENUM_SYNTH);
}

/* A file to write is known by its ending; a folder has none. */
static int take_output(session *s, synthesis *y)
{
    static const option file = {OPTION_OUTPUT(OPTION_ARRAYS_ENDINGS, "")};
    y->output = session_output(s);
    if (y->kind != SPD_SYNTH_SPD)
        return CLI_GOOD;
    int code = option_check(&file, y->output, &y->output);
    if (!code)
        session_check_output(s);
    return code;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* What to do with it. Images of a size that was asked for stay of that size. */
static const char *next_step(const session *s, const synthesis *y)
{
    static const char *const descriptor[] = {[SPD_SYNTH_TEXTURES] = "sift-color",
                                             [SPD_SYNTH_MOTION] = "joints",
                                             [SPD_SYNTH_FACES] = "gabor"};
    /* A slash at the end of a folder's name would be doubled. */
    const char *path = y->output;
    const char *sized = "";
    int length = (int)strlen(path), indexed = y->kind != SPD_SYNTH_TEXTURES;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (arguments_count(s->args, "size"))
        sized = words_text(" --size %zu", y->options.side);
    if (y->kind == SPD_SYNTH_SPD)
        return words_text("spdml evaluate %.*s --methods nn-stein,nn-stein-ml -m %zu --split 0.5",
                          length, path, y->options.planted);
    return words_text("spdml describe %s %.*s%s%s%.*s%s -o covs.npz", descriptor[y->kind], length,
                      path, sized, indexed ? " --labels " : "", indexed ? length : 0, path,
                      indexed ? "/index.csv" : "");
}

static void show(session *s, const synthesis *y)
{
    const spd_synth_options *o = &y->options;
    const double seconds = bar_clock() - s->start;
    sheet *r = session_sheet(s);
    sheet_text(r, "kind", "kind", spd_name(SPD_ENUM_SYNTH, y->kind));
    sheet_text(r, "output", "output", y->output);
    sheet_count(r, "files", "files", y->files, "");
    if (y->kind == SPD_SYNTH_SPD) {
        sheet_set(r, o->classes * o->samples, o->n, 0);
        sheet_count(r, "planted", "planted", o->planted, "dimensions");
    }
    sheet_count(r, "classes", "classes", o->classes, "");
    if (y->kind == SPD_SYNTH_MOTION)
        sheet_count(r, "subjects", "subjects", o->subjects, "");
    sheet_json(r, "seed", json_integer((json_int_t)o->seed));
    sheet_line(r, "seed", "%llu", (unsigned long long)o->seed);
    sheet_json(r, "seconds", sheet_json_real(seconds));
    sheet_line(r, "seconds", "%.2f", seconds);
    sheet_text(r, "next", "next", next_step(s, y));
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The planted subspace goes into the file beside the matrices. */
static void make_matrices(session *s, synthesis *y)
{
    const spd_synth_options *o = &y->options;
    spd_data *data = NULL;
    double *planted = cli_alloc_table(o->n, o->planted, sizeof *planted, "a subspace");
    session_check(s, spd_synth_data(s->ctx, o, planted, &data));
    keep_data(data);
    spd_array U = session_array_f64("planted", o->n, o->planted, planted), *column[] = {&U};
    spd_data with = *data;
    with.columns = 1;
    with.column = column;
    y->files = 1;
    session_save(s, &with);
}

static void make_files(session *s, synthesis *y)
{
    session_check(s, spd_synth_files(s->ctx, y->kind, &y->options, y->output, &y->files));
    session_talk(s, "wrote %zu files", y->files);
}

static int run(session *s)
{
    synthesis y = {0};
    unsigned kind = 0;
    int code = arguments_kind(s->args, "kind", SPD_ENUM_SYNTH, &kind);
    y.kind = (spd_synth_kind)kind;
    if (!code)
        code = take_output(s, &y);
    if (code)
        return code;
    spd_synth_defaults(y.kind, &y.options, sizeof y.options);
    ARGUMENTS_FILL(s->args, spd_synth_options, &y.options);
    y.options.seed = (uint64_t)arguments_int(s->args, "seed");
    (y.kind == SPD_SYNTH_SPD ? make_matrices : make_files)(s, &y);
    show(s, &y);
    return CLI_GOOD;
}

static const char *const paragraphs[] = {
    "Generates data for first trials. The same seed gives the same data, whatever the number of "
    "threads. KIND is one of",
    "spd: SPD matrices whose classes differ in a planted subspace only; the rest is nuisance. The "
    "file contains X, y, and the subspace as planted (n x D).",
    "textures: colour images of materials, one folder per class, with random scale, rotation, "
    "lighting and noise.",
    "motion: skeletons of 31 joints performing actions, in Acclaim's format: SUBJECT.asf, "
    "SUBJECT_ACTION_NN.amc, and index.csv with file, action and subject. The place and heading of "
    "each clip are random.",
    "faces: grey images of faces in poses, and index.csv.",
    NULL};

static const command_example examples[] = {
    {"spdml synth spd -o data.npz", "Matrices; the map finds what nearest neighbours miss."},
    {"spdml synth spd -o hard.npz --signal 0.8 --seed 2", "The same with classes closer together."},
    {"spdml synth motion -o clips --subjects 3", "Motion capture of three people."},
    {"spdml synth textures -o materials --classes 12 --samples 8", "Images in 12 folders."},
    {NULL, NULL}};

COMMAND(synth, "generate matrices, textures, motion capture or faces", "KIND", .first = kinds,
        .groups = {{"Options", options},
                   {"How many (all kinds)", options_counts},
                   {"How many (spd, textures, motion)", options_samples},
                   {"Matrices (spd)", options_spd},
                   {"Images (textures, faces)", options_images},
                   {"Motion capture (motion)", options_motion},
                   {"Common options", options_common}});
