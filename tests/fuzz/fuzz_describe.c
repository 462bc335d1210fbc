/* fuzz_describe.c - a recipe for a description: descriptor, options, and any bytes as its input:
 * matrices, or a message. Images are small, in plain formats; the other ones have fuzz_image. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz.h"

static const char *const endings[] = {"csv", "npy", "npz", "pgm", "bvh", "c3d", "amc", "txt"};

enum { NAMES = sizeof endings / sizeof *endings, LARGEST = 24, ROOM = 4096 };

/* Inputs are looked at before they are read: a file of each name is there, in a folder of ours. */
static char folder[ROOM], name[NAMES][ROOM + 16];

static const char index_csv[] = "file,label,age\nin.csv,a,1\nin.pgm,b,2\nin.npy,a,3\nin.npz,c,4\n";
static const char bones_asf[] = ":root\n order TX TY TZ\n:bonedata\n"
                                "begin\n name a\n direction 0 1 0\n length 2\n dof rx\nend\n"
                                ":hierarchy\nbegin\nroot a\nend\n";

/* A size: mostly one that makes sense. */
static size_t draw_size(fuzz_input *in, size_t usual)
{
    unsigned b = fuzz_byte(in);
    return b < 128 ? usual : b < 250 ? b % LARGEST : 0;
}

static double draw_real(fuzz_input *in, double usual)
{
    return fuzz_byte(in) < 160 ? usual : fuzz_real(in);
}

/* Windows must not be tiny parts of what there is: a table has few rows. */
static void draw_signal(fuzz_input *in, spd_describe_options *o, double *band)
{
    o->rate = draw_real(in, 1.0);
    o->window = fuzz_byte(in) < 128 ? 0.0 : 1.0 + (double)fuzz_below(in, 9);
    o->stride = fuzz_byte(in) < 128 ? 0.0 : draw_real(in, 2.0);
    o->bands = fuzz_byte(in) < 200 ? 0 : 1;
    o->band = o->bands ? band : NULL;
    band[0] = draw_real(in, 0.1);
    band[1] = draw_real(in, 0.3);
    o->order = fuzz_below(in, 8);
    o->channels_first = fuzz_byte(in) > 200;
    o->group = fuzz_byte(in) > 200 ? "g" : NULL;
}

static void draw_picture(fuzz_input *in, spd_describe_options *o, spd_rect *rect)
{
    o->width = draw_size(in, 8);
    o->height = draw_size(in, 8);
    o->grey = fuzz_byte(in) & 1;
    o->keep_images = fuzz_byte(in) > 200;
    o->step = draw_size(in, 4);
    o->scales = fuzz_below(in, 4);
    o->orientations = fuzz_below(in, 4);
    o->regions = (spd_regions)fuzz_below(in, SPD_REGIONS_GRID + 2);
    o->grid_rows = fuzz_below(in, 5);
    o->grid_columns = fuzz_below(in, 5);
    o->rects = fuzz_byte(in) > 200 ? 1 : 0;
    o->rect = o->rects ? rect : NULL;
    *rect = (spd_rect){fuzz_byte(in), fuzz_byte(in), fuzz_byte(in), fuzz_byte(in)};
}

static void draw_options(fuzz_input *in, spd_describe_options *o, double *band, spd_rect *rect)
{
    static const char *const ways[] = {NULL,    "folder",     "none",  "{y}",
                                       "{y}{}", "i{y}.{end}", "{y}/{}"};
    o->covariance.shrinkage = (spd_shrinkage)fuzz_below(in, SPD_SHRINKAGES + 1);
    o->covariance.shrink = draw_real(in, 0.5);
    o->covariance.regularize = draw_real(in, -1.0);
    o->label_by = ways[fuzz_below(in, sizeof ways / sizeof *ways)];
    o->index = fuzz_byte(in) > 200 ? "index.csv" : NULL;
    o->keep_going = fuzz_byte(in) > 200;
    o->asf = fuzz_byte(in) & 1 ? "bones.asf" : NULL;
    const unsigned body = fuzz_byte(in);
    o->center_root = body & 1;
    o->overlap = body >> 1 & 1;
    o->unit_range = body >> 2 & 1;
    o->first_frame = fuzz_below(in, 4);
    o->last_frame = fuzz_below(in, 6);
    o->pyramid = fuzz_below(in, 4);
    draw_picture(in, o, rect);
    draw_signal(in, o, band);
}

static void check_data(const spd_data *data)
{
    for (size_t i = 0; i < data->p * data->n * data->n; i++)
        if (!isfinite(data->X[i]))
            abort();
    for (size_t i = 0; data->label && i < data->p; i++)
        if (data->label[i] < 0 || (size_t)data->label[i] >= data->classes)
            abort();
}

static void remove_folder(void)
{
    for (size_t i = 0; i < NAMES; i++)
        unlink(name[i]);
    rmdir(folder);
}

static void make_folder(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/spdml-fuzz-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        abort();
    atexit(remove_folder);
    for (size_t i = 0; i < NAMES; i++) {
        snprintf(name[i], sizeof name[i], "%s/in.%s", folder, endings[i]);
        FILE *f = fopen(name[i], "w");
        if (!f || fclose(f) != 0)
            abort();
    }
}

/* A table that must be described: else the inputs would not reach their readers. */
static void try_table(void)
{
    static const char table[] = "1,2\n2,1\n3,5\n4,4\n";
    const char *path = name[0];
    spd_data *data = NULL;
    fuzz_lend(path, (const unsigned char *)table, sizeof table - 1);
    if (spd_describe(fuzz_context(), SPD_DESCRIPTOR_COVARIANCE, 1, &path, NULL, &data, NULL) < 0)
        abort();
    spd_data_free(data);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    make_folder();
    fuzz_lend("index.csv", (const unsigned char *)index_csv, sizeof index_csv - 1);
    fuzz_lend("bones.asf", (const unsigned char *)bones_asf, sizeof bones_asf - 1);
    try_table();
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    fuzz_input in = {bytes, size};
    const long live = mem_live();
    const char *path = name[fuzz_below(&in, NAMES)];
    spd_descriptor kind = (spd_descriptor)fuzz_below(&in, SPD_DESCRIPTORS + 1);
    spd_describe_options options;
    spd_data *data = NULL;
    spd_describe_info *failures = NULL;
    double band[2];
    spd_rect rect;
    spd_describe_defaults(kind, &options, sizeof options);
    /* The options stand at the end of the input, so that the file may grow. */
    fuzz_input tail = {in.at + in.left - (in.left < 64 ? in.left : 64),
                       in.left < 64 ? in.left : 64};
    draw_options(&tail, &options, band, &rect);
    for (size_t i = 0; i < NAMES; i++)
        fuzz_lend(name[i], NULL, 0);
    fuzz_lend(path, in.at, in.left - (in.left < 64 ? in.left : 64));
    spd_status status = spd_describe(ctx, kind, 1, &path, &options, &data, &failures);
    fuzz_check(ctx, status, data);
    if (data)
        check_data(data);
    spd_data_free(data);
    spd_describe_info_free(failures);
    if (mem_live() != live)
        abort();
    return 0;
}
