/* bench_stream.c - data passes over float32 in memory, and fits of a file larger than the memory
 * limit.
 *
 *   STREAM_GB=10          size of the file; it is made in STREAM_FOLDER (TMPDIR, /tmp) and removed
 *   STREAM_MEMORY_GB=4    the limit
 *   STREAM_WHAT=all       float32, file or all
 *
 * The file is read cold: its pages are dropped from the system's cache all the time, by a thread
 * beside the fit. Its sequential speed is measured in the same run, before and after. The same fit
 * in memory, with as much kept of each sample, must give the same bits; it is left out where there
 * is not memory enough. The graph is given. */
#define _GNU_SOURCE /* posix_fadvise, sync_file_range */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "sets/set.h"
#include "bench.h"
#include "fit/engine.h"
#include "random_spd.h"

#define N       93
#define CLASSES 20
#define MODELS  64 /* matrices that all others are made of */

static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

/* ---- samples --------------------------------------------------------------------------------- */

static double *models;

static void make_models(void)
{
    rng r;
    rng_seed(&r, 5);
    models = block((size_t)MODELS * N * N);
    for (size_t k = 0; k < MODELS; k++)
        random_spd(&r, N, 100.0, models + k * N * N);
}

/* Sample i: one of the models, its rows and columns scaled by its class and at random. */
static void make_sample(size_t i, double *X)
{
    rng r;
    double d[N];
    const double *A = models + i % MODELS * N * N;
    rng_seed(&r, 1000 + i);
    for (size_t e = 0; e < N; e++)
        d[e] = exp(0.3 * rng_normal(&r) + (e % CLASSES == i % CLASSES ? 0.7 : 0.0));
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++)
            X[a * N + b] = d[a] * d[b] * A[a * N + b];
}

/* Two within and two between pairs per sample. */
static spd_pair *make_pairs(size_t p)
{
    spd_pair *graph = malloc(4 * p * sizeof *graph);
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < 4; k++) {
            size_t step = k < 2 ? (k + 1) * CLASSES : k - 1;
            graph[4 * i + k] = (spd_pair){(uint32_t)i, (uint32_t)((i + step) % p),
                                          k < 2 ? 1.0 : 0.0, k < 2 ? 0.0 : 1.0};
        }
    return graph;
}

/* ---- float32 --------------------------------------------------------------------------------- */

static const spd_pair one_pair = {0, 1, 1.0, 1.0};

static problem *engine_for_bench(spd_context *ctx, const spd_set *set, size_t m)
{
    engine_input in = {
        N, m,         set->p, set->X, NULL, SPD_METRIC_STEIN, SPD_OBJECTIVE_DIFFERENCE,
        1, &one_pair, set,    NULL,   0};
    problem *e = NULL;
    if (engine_cpu_new(ctx, &in, &e) < 0)
        exit(1);
    return e;
}

/* Seconds of one pass over each of two sets, in turn: the best of many. */
static void time_passes(spd_context *ctx, const spd_set *const *set, size_t m, const double *W,
                        double *seconds)
{
    for (int round = 0; round < 12; round++)
        for (int k = 0; k < 2; k++) {
            problem *e = engine_for_bench(ctx, set[k], m);
            e->start(e, W); /* its pages are there now */
            for (int again = 0; again < 3; again++) {
                double start = bench_now();
                e->start(e, W);
                double took = bench_now() - start;
                seconds[k] = round + again == 0 || took < seconds[k] ? took : seconds[k];
            }
            engine_free(e);
        }
}

static void compare_types(void)
{
    const size_t p = 15000, ms[] = {1, 2, 4, 8, 20};
    double *X = block(p * N * N), *W = block(N * N);
    spd_context *ctx = spd_context_new();
    const spd_set *wide = SPD_SET(N, p, X);
    spd_set *narrow = NULL;
    rng r;
    rng_seed(&r, 1);
    for (size_t i = 0; i < p; i++)
        make_sample(i, X + i * N * N);
    for (size_t e = 0; e < N * N; e++)
        W[e] = rng_normal(&r);
    if (spd_set_load(ctx, wide, SPD_TYPE_FLOAT32, &narrow) < 0)
        exit(1);
    printf("a data pass, n = %d, p = %zu (%.2f GB as float64)\n", N, p, 8e-9 * (double)(p * N * N));
    printf("%8s %4s %12s %12s %9s\n", "threads", "m", "float64, s", "float32, s", "faster");
    for (int threads = 1; threads <= 2; threads++)
        for (size_t k = 0; k < sizeof ms / sizeof *ms; k++) {
            spd_context_set_threads(ctx, threads);
            const spd_set *both[] = {wide, narrow};
            double s[2] = {0.0, 0.0};
            time_passes(ctx, both, ms[k], W, s);
            printf("%8d %4zu %12.4f %12.4f %8.2fx\n", threads, ms[k], s[0], s[1], s[0] / s[1]);
        }
    spd_set_free(narrow);
    spd_context_free(ctx);
    free(X);
    free(W);
}

/* ---- the file -------------------------------------------------------------------------------- */

static char path[400];
static atomic_int dropping;

static void write_file(size_t p)
{
    char header[128];
    double *X = block((size_t)64 * N * N);
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int used =
        snprintf(header + 10, 110,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %d, %d), }", p, N, N);
    header[10 + used] = ' ';
    header[127] = '\n';
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(header, 1, sizeof header, f) != sizeof header)
        exit(printf("%s cannot be written\n", path));
    for (size_t i = 0; i < p; i++) {
        make_sample(i, X + i % 64 * N * N);
        size_t count = (i + 1) % 64 == 0 || i + 1 == p ? i % 64 + 1 : 0;
        if (count && fwrite(X, N * N * sizeof *X, count, f) != count)
            exit(printf("%s cannot be written: no space?\n", path));
    }
    if (fflush(f) != 0 || fsync(fileno(f)) != 0)
        exit(1);
    fclose(f);
    free(X);
}

static void *drop_pages(void *user)
{
    int fd = open(path, O_RDONLY);
    (void)user;
    while (atomic_load(&dropping)) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        usleep(200000);
    }
    close(fd);
    return NULL;
}

/* A part of the file, read in pieces of 4 MB. */
typedef struct part {
    size_t from, to;
    pthread_t id;
} part;

static void *read_part(void *user)
{
    part *r = user;
    size_t piece = (size_t)4 << 20;
    char *bytes = malloc(piece);
    int fd = open(path, O_RDONLY);
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    for (size_t at = r->from; at < r->to;) {
        ssize_t got = pread(fd, bytes, r->to - at < piece ? r->to - at : piece, (off_t)at);
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    close(fd);
    free(bytes);
    return NULL;
}

/* Bytes per second of reading all of it with so many threads, cold. */
static double sequential_speed(size_t bytes, size_t streams)
{
    part all[16];
    int fd = open(path, O_RDONLY);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    double start = bench_now();
    for (size_t k = 0; k < streams; k++) {
        all[k] = (part){.from = k * (bytes / streams), .to = (k + 1) * (bytes / streams)};
        pthread_create(&all[k].id, NULL, read_part, &all[k]);
    }
    for (size_t k = 0; k < streams; k++)
        pthread_join(all[k].id, NULL);
    return (double)bytes / (bench_now() - start);
}

static double peak(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1024.0 * (double)used.ru_maxrss;
}

/* ---- the fit --------------------------------------------------------------------------------- */

static spd_model *learn(const spd_set *set, size_t m, double memory, const int *label,
                        const spd_pair *graph)
{
    spd_context *ctx = spd_context_new();
    spd_fit_options o;
    spd_model *model = NULL;
    spd_fit_defaults(&o, sizeof o);
    o.m = m;
    o.objective = SPD_OBJECTIVE_SOFTMAX;
    o.learning = SPD_LEARNING_OWN_GRAPH;
    o.pairs = 4 * (set)->p;
    o.own_pairs = graph;
    o.init = SPD_INIT_MEAN;
    o.coordinates = SPD_COORDINATES_PLAIN;
    o.max_iter = 4;
    spd_context_set_memory(ctx, memory);
    double start = bench_now();
    if (spd_fit(ctx, set, label, &o, NULL, &model) < 0)
        printf("%s\n", spd_context_error(ctx)->message);
    else
        printf("    %.1f s in all\n", bench_now() - start);
    spd_context_free(ctx);
    return model;
}

/* Seconds of an iteration: all but the start, which also reads what is needed before. */
static double iteration(const spd_model *m)
{
    return (m->history[m->steps - 1].seconds - m->history[0].seconds) / (double)(m->steps - 1);
}

static void fit_file(const spd_set *file, size_t m, double memory, const int *label,
                     const spd_pair *graph, spd_model **model)
{
    pthread_t dropper;
    double bytes = spd_set_bytes(file), one = sequential_speed((size_t)bytes, 1);
    double two = sequential_speed((size_t)bytes, 2), speed = one > two ? one : two;
    atomic_store(&dropping, 1);
    pthread_create(&dropper, NULL, drop_pages, NULL);
    *model = learn(file, m, memory, label, graph);
    atomic_store(&dropping, 0);
    pthread_join(dropper, NULL);
    if (!*model)
        return;
    double read = bytes * (*model)->passes_each / iteration(*model);
    printf(
        "m = %zu: %d pass%s per iteration of %.2f s, %.2f GB/s; reading alone has %.2f GB/s with "
        "one thread, %.2f with two: %.0f %% of the faster\n",
        m, (*model)->passes_each, (*model)->passes_each > 1 ? "es" : "", iteration(*model),
        1e-9 * read, 1e-9 * one, 1e-9 * two, 100.0 * read / speed);
    printf("    peak of memory %.2f GB, limit %.2f GB; file %.2f GB\n", 1e-9 * peak(),
           1e-9 * memory, 1e-9 * bytes);
    fflush(stdout);
}

static void compare_memory(const spd_set *file, size_t count, const size_t *ms, double memory,
                           const int *label, const spd_pair *graph, spd_model *const *model)
{
    spd_set *whole = NULL;
    if (limits_left() < 1.1 * (spd_set_bytes(file) + memory) ||
        spd_set_load(NULL, file, SPD_TYPE_FLOAT64, &whole) < 0) {
        printf("no memory for the same fit there\n");
        return;
    }
    for (size_t k = 0; k < count; k++) {
        spd_model *twin = learn(whole, ms[k], memory + spd_set_bytes(whole), label, graph);
        if (twin && model[k])
            printf("m = %zu in memory: %d pass%s per iteration of %.2f s; the model is %s\n", ms[k],
                   twin->passes_each, twin->passes_each > 1 ? "es" : "", iteration(twin),
                   memcmp(twin->W, model[k]->W, N * ms[k] * sizeof *twin->W) == 0
                       ? "the same, bit for bit"
                       : "DIFFERENT");
        spd_model_free(twin);
    }
    spd_set_free(whole);
}

static void stream_file(void)
{
    const char *folder = getenv("STREAM_FOLDER"), *paths[] = {path};
    const size_t ms[] = {8, 20};
    double bytes = 1e9 * number_of("STREAM_GB", 10.0);
    double memory = 1e9 * number_of("STREAM_MEMORY_GB", 4.0);
    size_t p = (size_t)(bytes / (8.0 * N * N));
    spd_set *file = NULL;
    spd_model *model[2] = {NULL, NULL};
    folder = folder ? folder : getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(path, sizeof path, "%s/spdml-bench-stream-%d.npy", folder, (int)getpid());
    write_file(p);
    spd_pair *graph = make_pairs(p);
    int *label = malloc(p * sizeof *label);
    for (size_t i = 0; i < p; i++)
        label[i] = (int)(i % CLASSES);
    printf("\na file of %zu matrices %d x %d, %.2f GB, cold\n", p, N, N,
           8e-9 * (double)(p * N * N));
    if (spd_set_open(NULL, 1, paths, NULL, &file) == SPD_OK) {
        for (size_t k = 0; k < 2; k++)
            fit_file(file, ms[k], memory, label, graph, &model[k]);
        compare_memory(file, 2, ms, memory, label, graph, model);
    }
    spd_model_free(model[0]);
    spd_model_free(model[1]);
    spd_set_free(file);
    remove(path);
    free(graph);
    free(label);
}

int main(void)
{
    const char *what = getenv("STREAM_WHAT");
    int all = !what || strcmp(what, "all") == 0;
    make_models();
    if (all || strcmp(what, "float32") == 0)
        compare_types();
    if (all || strcmp(what, "file") == 0)
        stream_file();
    free(models);
    return 0;
}
