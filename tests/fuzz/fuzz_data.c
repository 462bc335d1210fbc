/* fuzz_data.c - any bytes as a data set, and as the labels of one; the first byte chooses the
 * format and the options. */
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"

static const char *const names[] = {"fuzz.csv", "fuzz.npy", "fuzz.npz",
                                    "fuzz",     "fuzz.txt", "fuzz.mat"};

enum { NAMES = sizeof names / sizeof *names };

/* Everything that belongs to a data set is there, for every sample. */
static void check_data(const spd_data *data)
{
    if (!data->p || !data->n || data->x->count != data->p * data->n * data->n)
        abort();
    for (size_t i = 0; data->label && i < data->p; i++)
        if (data->label[i] < 0 || (size_t)data->label[i] >= data->classes)
            abort();
    for (size_t c = 0; c < data->classes; c++)
        if (strlen(data->class_name[c]) == SIZE_MAX)
            abort();
    for (size_t j = 0; j < data->columns; j++)
        if (data->column[j]->shape[0] != data->p)
            abort();
}

static void load(spd_context *ctx, const char *path, const spd_load_options *options)
{
    spd_data *data = NULL;
    spd_survey survey = SPD_STRUCT(spd_survey);
    fuzz_check(ctx, spd_data_load(ctx, path, options, &data), data);
    if (data) {
        check_data(data);
        if (data->n <= 16 && data->p <= 64)
            fuzz_check_message(ctx, spd_data_survey(ctx, data, &survey));
    }
    spd_data_free(data);
}

static const char pair[] = "2,0,0,1\n3,1,1,2\n1,0,0,1\n";

/* A set that must be read: else the inputs would not reach their reader. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    spd_data *data = NULL;
    (void)argc;
    (void)argv;
    fuzz_lend("pair.csv", (const unsigned char *)pair, sizeof pair - 1);
    if (spd_data_load(fuzz_context(), "pair.csv", NULL, &data) < 0)
        abort();
    spd_data_free(data);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    const long live = mem_live();
    if (size < 2)
        return 0;
    const char *path = names[bytes[0] % NAMES];
    const unsigned choice = bytes[0] / NAMES;
    spd_load_options options = {.size = sizeof options,
                                .x_name = choice & 1 ? "A" : NULL,
                                .y_name = choice & 2 ? "labels" : NULL,
                                .symmetrize = (choice & 4) != 0,
                                .regularize = choice & 8 ? 0.5 : 0.0,
                                .unchecked = (choice & 16) != 0};
    for (size_t i = 0; i < NAMES; i++)
        fuzz_lend(names[i], NULL, 0);
    fuzz_lend(path, bytes + 1, size - 1);
    load(ctx, path, &options);
    options.labels = path;
    load(ctx, "pair.csv", &options);
    if (mem_live() != live)
        abort();
    return 0;
}
