/* stand_in_module.c - a CUDA module that computes nothing, for tests of what is said without a GPU.
 * KIND: 1 another version, 2 no device, 3 too little memory, 4 a device that is lost. */
#include <stdio.h>

#include "cuda/module.h"

static int count(int *devices, char *why)
{
    FILE *note = fopen("asked", "w"); /* in the test's folder: the module was asked */
    if (note)
        fclose(note);
    *devices = KIND == 2 ? 0 : 1;
    why[0] = '\0';
    if (KIND != 2)
        return CUDA_FAULT_NONE;
    snprintf(why, CUDA_WHY, "the driver is too old");
    return CUDA_FAULT_NO_DEVICE;
}

static int describe(int device, cuda_device *about, char *why)
{
    (void)why;
    snprintf(about->name, sizeof about->name, "Stand-in %d", device);
    about->memory = about->free = 8000000000u;
    about->major = 9;
    about->minor = 0;
    about->driver = about->runtime = 13000;
    return CUDA_FAULT_NONE;
}

static int open_engine(const cuda_input *in, cuda_engine **engine, char *why)
{
    static char nothing;
    snprintf(why, CUDA_WHY, "%zu matrices", in->p);
    *engine = (cuda_engine *)&nothing;
    return KIND == 3 ? CUDA_FAULT_MEMORY : CUDA_FAULT_NONE;
}

static int start(cuda_engine *e, const double *W, double *f, char *why)
{
    (void)e, (void)W, (void)f;
    snprintf(why, CUDA_WHY, "fell off the bus");
    return CUDA_FAULT_DEVICE;
}

static int pairwise(const cuda_sets *in, double *D2, char *why)
{
    (void)D2;
    snprintf(why, CUDA_WHY, "%zu matrices are too much", in->p);
    return KIND == 3 ? CUDA_FAULT_MEMORY : CUDA_FAULT_DEVICE;
}

static int neighbours(const cuda_sets *in, const size_t *k, int64_t *index, double *d2,
                      double *exact, char *why)
{
    (void)k, (void)index, (void)exact;
    return pairwise(in, d2, why);
}

static void close_engine(cuda_engine *e)
{
    (void)e;
}

static void usage(const cuda_engine *e, cuda_usage *used)
{
    (void)e, (void)used;
}

const cuda_module *spdml_cuda_module(void)
{
    static const cuda_module table = {.size = sizeof table,
                                      .version = CUDA_MODULE_VERSION + (KIND == 1),
                                      .count = count,
                                      .describe = describe,
                                      .open = open_engine,
                                      .start = start,
                                      .usage = usage,
                                      .close = close_engine,
                                      .pairwise = pairwise,
                                      .neighbours = neighbours};
    return &table;
}
