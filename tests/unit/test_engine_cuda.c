/* test_engine_cuda.c - the CUDA engine against the CPU's: every size at which a kernel or a layout
 * changes, condition, skewed graphs, pairs in chunks, matrices that fail. Skipped, with a word,
 * where there is no device. With arguments n m n m ... only these sizes; with "short" what an
 * emulation takes little time for; with "rest" what comes after sizes, condition and graphs.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#define TEST_OWN_MAIN
#include "test.h"

#include <stdatomic.h>
#include <time.h>

#include "base/context.h"
#include "fit/engine.h"
#include "run/cuda.h"
#include "engine_rig.h"

/* What one engine says over a start, two directions and a step. */
typedef struct answers {
    double f[5], df[3], *G, *H;
} answers;

static answers ask_in(const rig *g, int cuda, const engine_room *room)
{
    size_t count = g->in.n * g->in.m;
    answers a = {.G = block(count), .H = block(count)};
    problem *e = NULL;
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, 1); /* the problems are small */
    spd_status status =
        cuda ? engine_cuda_new(ctx, &g->in, room, &e) : engine_cpu_new(ctx, &g->in, &e);
    CHECK(status == SPD_OK, "n %zu m %zu: %s", g->in.n, g->in.m, spd_context_error(ctx)->message);
    if (status == SPD_OK) {
        status = e->start(e, g->W);
        status = status ? status : e->cost_grad(e, &a.f[0], a.G);
        status = status ? status : e->aim(e, g->U, g->sigma, g->V);
        status = status ? status : e->probe(e, 0.9, &a.f[1], &a.df[0]);
        status = status ? status : e->aim(e, g->U, g->sigma, g->V); /* given up, and once more */
        status = status ? status : e->probe(e, -0.4, &a.f[2], &a.df[1]);
        status = status ? status : e->probe(e, 0.3, &a.f[3], &a.df[2]);
        status = status ? status : e->step(e, 0.3);
        status = status ? status : e->cost_grad(e, &a.f[4], a.H);
        CHECK(status == SPD_OK, "n %zu m %zu: %d %s", g->in.n, g->in.m, status,
              spd_context_error(ctx)->message);
    }
    engine_free(e);
    spd_context_free(ctx);
    return a;
}

static answers ask(const rig *g, int cuda, size_t buffer)
{
    engine_room room = {.buffer_bytes = buffer};
    return ask_in(g, cuda, &room);
}

static void answers_free(answers *a)
{
    free(a->G);
    free(a->H);
}

/* Largest difference of two gradients, relative to the gradient or, where it is all cancellation
 * (m = n), to the weights. */
static double gap_of(const rig *g, const double *A, const double *B)
{
    double size = 0.0, gap = 0.0, weights = 0.0;
    for (size_t k = 0; k < g->in.pairs; k++)
        weights += g->pair[k].within + g->pair[k].between;
    for (size_t k = 0; k < g->in.n * g->in.m; k++) {
        size = fmax(size, fabs(B[k]));
        gap = fabs(A[k] - B[k]) <= gap ? gap : fabs(A[k] - B[k]);
    }
    return gap / fmax(size, g->in.objective == SPD_OBJECTIVE_DIFFERENCE ? weights : 1.0);
}

/* Sum of |c| d2 is what rounding is relative to: the difference objective cancels. */
static void compare(const rig *g, size_t buffer, double tolerance, const char *what)
{
    answers cpu = ask(g, 0, 0), cuda = ask(g, 1, buffer);
    size_t n = g->in.n, m = g->in.m;
    double size = 0.0, slope = 0.0;
    for (int k = 0; k < 5; k++)
        size = fmax(size, fabs(cpu.f[k]));
    for (int k = 0; k < 3; k++)
        slope = fmax(slope, fabs(cpu.df[k]));
    for (int k = 0; k < 5; k++)
        CHECK_CLOSE(cuda.f[k], cpu.f[k], tolerance * fmax(size, 1.0),
                    "%s n %zu m %zu metric %d f %d", what, n, m, g->in.metric, k);
    for (int k = 0; k < 3; k++)
        CHECK_CLOSE(cuda.df[k], cpu.df[k], 10.0 * tolerance * fmax(slope, 1.0),
                    "%s n %zu m %zu metric %d df %d", what, n, m, g->in.metric, k);
    double gap = fmax(gap_of(g, cuda.G, cpu.G), gap_of(g, cuda.H, cpu.H));
    CHECK(gap < 10.0 * tolerance, "%s n %zu m %zu metric %d: gradient off by %g", what, n, m,
          g->in.metric, gap);
    answers_free(&cpu);
    answers_free(&cuda);
}

static const spd_metric METRICS[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                     SPD_METRIC_LOG_EUCLIDEAN};

static void every_metric(rig *g, size_t buffer, double tolerance, const char *what)
{
    for (int k = 0; k < 8; k++) {
        g->in.metric = METRICS[k % 4];
        g->in.objective = k < 4 ? SPD_OBJECTIVE_DIFFERENCE : SPD_OBJECTIVE_SOFTMAX;
        compare(g, buffer, tolerance, what);
    }
}

static void every_edge(void)
{
    static const size_t sizes[] = {1,  2,  7,  8,  9,  15, 16,  17,  19,  20,  21,  24,  25,
                                   30, 31, 32, 33, 48, 93, 128, 155, 191, 192, 193, 257, 500};
    size_t count = sizeof sizes / sizeof *sizes;
    rng r;
    rng_seed(&r, 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count && sizes[k] <= 128 && test_turn(i); k++) {
            size_t n = sizes[i], m = sizes[k];
            int near = n < 2 * m + 2, spread = (i + k) % 5 == 0; /* all small ones, some large */
            if (m > n || (n > 64 && !near && !spread) || (n > 300 && m > 48 && m != 128))
                continue;
            rig g = rig_make(&r, n, m, 6, 11, 50.0, 0);
            every_metric(&g, 0, 1e-12 * sqrt((double)n), "edge");
            rig_free(&g);
        }
}

typedef long double wide;

/* L <- Cholesky factor of W'X W, m x m. */
static void wide_factor(size_t n, size_t m, const double *X, const double *W, wide *L)
{
    wide *Y = calloc(n * m, sizeof *Y);
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < n; k++)
            for (size_t c = 0; c < m; c++)
                Y[r * m + c] += (wide)X[r * n + k] * W[k * m + c];
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            wide s = 0.0L;
            for (size_t k = 0; k < n; k++)
                s += W[k * m + a] * Y[k * m + b];
            for (size_t k = 0; k < b; k++)
                s -= L[a * m + k] * L[b * m + k];
            L[a * m + b] = a == b ? sqrtl(s) : s / L[b * m + b];
        }
    free(Y);
}

/* Makes x and y orthogonal; 0 when they are. */
static int wide_rotate(size_t m, wide *x, wide *y)
{
    wide a = 0.0L, b = 0.0L, g = 0.0L;
    for (size_t k = 0; k < m; k++) {
        a += x[k] * x[k];
        b += y[k] * y[k];
        g += x[k] * y[k];
    }
    if (g * g <= 1e-36L * a * b)
        return 0;
    wide z = (b - a) / (2.0L * g), t = (z < 0.0L ? -1.0L : 1.0L) / (fabsl(z) + sqrtl(z * z + 1.0L));
    wide c = 1.0L / sqrtl(1.0L + t * t), s = c * t;
    for (size_t k = 0; k < m; k++) {
        wide old = x[k];
        x[k] = c * old - s * y[k];
        y[k] = s * old + c * y[k];
    }
    return 1;
}

/* Squared distance of A A' and B B', by one-sided Jacobi on the columns of A^-1 B. */
static double wide_airm(size_t m, const wide *A, const wide *B)
{
    wide *G = calloc(m * m, sizeof *G), d2 = 0.0L; /* columns as rows */
    for (size_t c = 0; c < m; c++)
        for (size_t r = c; r < m; r++) {
            wide x = B[r * m + c];
            for (size_t k = c; k < r; k++)
                x -= A[r * m + k] * G[c * m + k];
            G[c * m + r] = x / A[r * m + r];
        }
    for (int more = 1, sweep = 0; more && sweep < 40; sweep++) {
        more = 0;
        for (size_t a = 0; a < m; a++)
            for (size_t b = a + 1; b < m; b++)
                more |= wide_rotate(m, G + a * m, G + b * m);
    }
    for (size_t c = 0; c < m; c++) {
        wide lambda = 0.0L;
        for (size_t k = 0; k < m; k++)
            lambda += G[c * m + k] * G[c * m + k];
        d2 += logl(lambda) * logl(lambda);
    }
    free(G);
    return (double)d2;
}

/* The difference objective at W under AIRM. */
static double wide_cost(const rig *g)
{
    size_t n = g->in.n, m = g->in.m;
    wide *L = calloc(g->in.p * m * m, sizeof *L);
    double f = 0.0;
    for (size_t i = 0; i < g->in.p; i++)
        wide_factor(n, m, g->X + i * n * n, g->W, L + i * m * m);
    for (size_t k = 0; k < g->in.pairs; k++) {
        const spd_pair *q = &g->pair[k];
        f += 2.0 * (q->within - q->between) * wide_airm(m, L + q->i * m * m, L + q->j * m * m);
    }
    free(L);
    return f;
}

/* The CPU forms L^-1 S L^-T for AIRM and loses twice the digits: beyond 1e8 long double has to do.
 * Above m = 32 the GPU loses them of derivatives, not of the cost. */
static void bad_condition(void)
{
    rng r;
    rng_seed(&r, 2);
    for (double condition = 1e4; condition < 2e12; condition *= 100.0)
        for (size_t m = 5; m <= 37; m += 8) {
            rig g = rig_make(&r, 40, m, 12, 40, condition, 0);
            double tolerance = fmax(1e-12, 3e-17 * condition);
            g.in.objective = SPD_OBJECTIVE_DIFFERENCE;
            g.in.metric = SPD_METRIC_STEIN;
            compare(&g, 0, tolerance, "condition");
            for (int k = 1; k < 4 && condition < 2e8; k++) {
                g.in.metric = METRICS[k];
                compare(&g, 0, (k == 1 && m > 32 ? 100.0 : 10.0) * tolerance, "condition");
            }
            g.in.metric = SPD_METRIC_AIRM;
            answers a = ask(&g, 1, 0);
            CHECK_CLOSE(a.f[0], wide_cost(&g), tolerance * fabs(a.f[0]), "condition %g m %zu",
                        condition, m);
            answers_free(&a);
            rig_free(&g);
        }
}

/* One sample with 10,000 pairs, an extra one, and samples with none. */
static void skewed_graph(void)
{
    const size_t p = 10300, pairs = 10100;
    rng r;
    rng_seed(&r, 3);
    rig g = rig_make(&r, 6, 4, p, pairs, 20.0, 1);
    for (size_t k = 0; k < pairs; k++) {
        g.pair[k].i = k < 10000 ? 7 : (uint32_t)(k - 10000);
        g.pair[k].j = k < 10000 ? (uint32_t)(k < 7 ? k : k + 1) : (uint32_t)p;
    }
    every_metric(&g, 0, 1e-12, "skewed");
    every_metric(&g, 100000, 1e-12, "skewed, in chunks");
    rig_free(&g);
}

static void chunks_and_runs(void)
{
    rng r;
    rng_seed(&r, 4);
    for (size_t m = 3; m < 50; m += 11) {
        rig g = rig_make(&r, 50, m, 60, 500, 100.0, 0);
        every_metric(&g, 20000, 1e-12, "chunks");
        for (int k = 0; k < 4; k++) {
            g.in.metric = METRICS[k];
            answers a = ask(&g, 1, 0), b = ask(&g, 1, 0);
            CHECK(memcmp(a.f, b.f, sizeof a.f) == 0 && memcmp(a.df, b.df, sizeof a.df) == 0,
                  "m %zu: another run, another cost", m);
            CHECK(memcmp(a.H, b.H, 50 * m * sizeof *a.H) == 0, "m %zu: other bits", m);
            answers_free(&a);
            answers_free(&b);
        }
        rig_free(&g);
    }
}

static void same_bits(const rig *g, const answers *a, const answers *b, const char *what, int k)
{
    size_t bytes = g->in.n * g->in.m * sizeof *a->G;
    CHECK(memcmp(a->f, b->f, sizeof a->f) == 0 && memcmp(a->df, b->df, sizeof a->df) == 0,
          "%s %d, n %zu m %zu objective %d metric %d: %.17g and %.17g", what, k, g->in.n, g->in.m,
          g->in.objective, g->in.metric, a->f[3], b->f[3]);
    CHECK(memcmp(a->G, b->G, bytes) == 0 && memcmp(a->H, b->H, bytes) == 0,
          "%s %d, n %zu m %zu objective %d metric %d: other gradients", what, k, g->in.n, g->in.m,
          g->in.objective, g->in.metric);
}

/* With too little memory for the samples: the same bits. */
static void without_memory(size_t n, size_t m, size_t p, int kind)
{
    rng r;
    rng_seed(&r, 9);
    rig g = rig_make(&r, n, m, p, 6 * p, 100.0, kind % 2);
    for (size_t e = 0; e < 3 * p; e++) /* one with many, and some with none */
        if (g.pair[e].i != 4 && g.pair[e].j != 4)
            g.pair[e].i = 4;
    g.in.metric = METRICS[kind % 4];
    g.in.objective = (spd_objective)(SPD_OBJECTIVE_DIFFERENCE + kind / 4);
    for (size_t buffer = 0; buffer <= 2000; buffer += 2000) {
        engine_room room = {.buffer_bytes = buffer * m};
        answers one = ask_in(&g, 1, &room);
        room.memory_bytes = 1;
        answers other = ask_in(&g, 1, &room);
        same_bits(&g, &one, &other, "buffer", (int)room.buffer_bytes);
        answers_free(&other);
        answers_free(&one);
    }
    rig_free(&g);
}

static void few_samples_without_memory(void)
{
    for (int kind = 0; kind < 16; kind++)
        without_memory(5, 3, 24, kind);
}

static void many_samples_without_memory(void)
{
    static const size_t sizes[][2] = {{6, 4}, {50, 20}, {93, 31}, {50, 37}};
    for (int k = 0; k < 64; k++)
        if (test_turn((size_t)k))
            without_memory(sizes[k / 16][0], sizes[k / 16][1], k < 16 ? 3000 : 150, k % 16);
}

/* Samples that do not lie in memory as float64. */
static void from_a_store(void)
{
    rng r;
    rng_seed(&r, 10);
    rig g = rig_make(&r, 18, 6, 20, 60, 100.0, 1);
    float *narrow = malloc(20 * 18 * 18 * sizeof *narrow);
    for (size_t k = 0; narrow && k < 20 * 18 * 18; k++)
        g.X[k] = narrow[k] = (float)g.X[k];
    const spd_set set = {
        .size = sizeof set, .n = 18, .p = 20, .X = narrow, .type = SPD_TYPE_FLOAT32};
    answers one = ask_in(&g, 1, NULL);
    g.in.X = NULL;
    g.in.set = &set;
    for (int k = 0; k < 2; k++) {
        engine_room room = {.memory_bytes = (size_t)k};
        answers other = ask_in(&g, 1, &room);
        same_bits(&g, &one, &other, "store", k);
        answers_free(&other);
    }
    answers_free(&one);
    free(narrow);
    rig_free(&g);
}

/* Samples that lie on the device, which is emulated: the same bits as from the host, kept packed or
 * not. */
static void from_the_device(void)
{
    static const size_t sizes[][2] = {{5, 3}, {16, 16}, {40, 7}};
    rng r;
    rng_seed(&r, 12);
    for (int k = 0; k < 6; k++) {
        size_t n = sizes[k / 2][0], p = 21;
        rig g = rig_make(&r, n, sizes[k / 2][1], p, 60, 100.0, k % 2);
        for (size_t e = 0; e < p * n * n; e++) /* a scale that the traces have to tell */
            g.X[e] *= 0x1p20;
        answers one = ask_in(&g, 1, NULL);
        double *there = copy_of(p * n * n, g.X);
        g.in.there = THERE(n, p, there);
        memset(g.X, 0, p * n * n * sizeof *g.X); /* nobody looks here */
        for (int way = 0; way < 2; way++) {
            engine_room room = {.memory_bytes = (size_t)way};
            answers other = ask_in(&g, 1, &room);
            same_bits(&g, &one, &other, "on the device", way);
            answers_free(&other);
        }
        answers_free(&one);
        free(there);
        rig_free(&g);
    }
}

/* What the engine says of itself where the samples do not fit twice. */
static void packed_anew(void)
{
    const engine_room room = {.memory_bytes = 1};
    char text[256] = "";
    problem *e = NULL;
    rng r;
    rng_seed(&r, 13);
    rig g = rig_make(&r, 6, 3, 9, 20, 10.0, 0);
    g.in.there = THERE(6, 9, g.X);
    spd_context *ctx = spd_context_new();
    CHECK(engine_cuda_new(ctx, &g.in, &room, &e) == SPD_OK && e->start(e, g.W) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
    if (e)
        e->about(e, sizeof text, text);
    CHECK(strstr(text, "packing them anew") && !strstr(text, "sent"), "%s", text);
    engine_free(e);
    spd_context_free(ctx);
    rig_free(&g);
}

/* A store that takes its time, and a caller who has had enough while it is read. */
typedef struct slow_files {
    struct spd_files base;
    const double *X;
    atomic_size_t read; /* samples so far */
    size_t enough;
} slow_files;

static spd_status read_slowly(struct spd_files *base, size_t first, size_t count, void *raw)
{
    slow_files *f = (slow_files *)base;
    size_t nn = base->n * base->n, ms = count < 150 ? count : 150;
    nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
    memcpy(raw, f->X + first * nn, count * nn * sizeof *f->X);
    f->read += count;
    return SPD_OK;
}

static int had_enough(void *user, const spd_progress *progress)
{
    slow_files *f = user;
    (void)progress;
    return f->read > f->enough;
}

/* A wish to stop ends the pass that is under way: the first, which opens the engine, that of a
 * start and that of a direction. There are many portions in it; those of an emulated device are
 * small. */
static void stopped_within_a_pass(void)
{
    char device[200] = "";
    cuda_describe(NULL, device, sizeof device);
    const size_t n = 16, p = strncmp(device, "emulated", 8) == 0 ? 800 : 40000;
    rng r;
    rng_seed(&r, 11);
    rig g = rig_make(&r, n, 3, p, 2 * p, 100.0, 1);
    for (int pass = 0; pass < 3; pass++) {
        spd_context *ctx = spd_context_new();
        slow_files f = {.X = g.X, .enough = (size_t)pass * p + p / 8};
        f.base = (struct spd_files){.n = n, .width = sizeof(double), .read = read_slowly};
        spd_set set = {.size = sizeof set, .n = n, .p = p, .place = SPD_PLACE_FILES};
        engine_room room = {.memory_bytes = 1};
        problem *e = NULL;
        set.files = &f.base;
        g.in.X = NULL;
        g.in.set = &set;
        spd_context_set_threads(ctx, 2);
        spd_context_set_progress(ctx, had_enough, &f);
        spd_status status = engine_cuda_new(ctx, &g.in, &room, &e);
        status = status || !pass ? status : e->start(e, g.W);
        status = status || pass < 2 ? status : e->aim(e, g.U, g.sigma, g.V);
        CHECK(status == SPD_ECANCELLED, "pass %d: status %d", pass, status);
        CHECK(strcmp(spd_context_error(ctx)->message, "learning cancelled") == 0, "%s",
              spd_context_error(ctx)->message);
        CHECK(f.read < (size_t)(pass + 1) * p, "pass %d: %zu samples read", pass, (size_t)f.read);
        engine_free(e);
        spd_context_free(ctx);
    }
    rig_free(&g);
}

/* Loaded by as many threads as there are, or by one: the same bits. */
static void several_threads(void)
{
    const size_t n = 155, p = 400;
    rng r;
    rng_seed(&r, 8);
    rig g = rig_make(&r, n, 5, p, 900, 100.0, 1);
    double f[2] = {0.0, 1.0}, *G[2];
    for (int k = 0; k < 2; k++) {
        spd_context *ctx = spd_context_new();
        problem *e = NULL;
        G[k] = block(n * 5);
        spd_context_set_threads(ctx, k ? 16 : 1);
        CHECK(engine_cuda_new(ctx, &g.in, NULL, &e) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        CHECK(e && e->start(e, g.W) == SPD_OK && e->cost_grad(e, &f[k], G[k]) == SPD_OK, "start");
        engine_free(e);
        spd_context_free(ctx);
    }
    CHECK(f[0] == f[1] && memcmp(G[0], G[1], n * 5 * sizeof **G) == 0, "%.17g and %.17g", f[0],
          f[1]);
    free(G[0]);
    free(G[1]);
    rig_free(&g);
}

static void matrices_that_fail(void)
{
    rng r;
    rng_seed(&r, 5);
    for (size_t m = 4; m <= 40; m += 9)
        for (int kind = 0; kind < 8; kind++) {
            rig g = rig_make(&r, 45, m, 30, 90, 10.0, 0);
            spd_context *ctx = spd_context_new();
            problem *e = NULL;
            double *X = g.X + 17 * 45 * 45;
            for (size_t k = 0; k < 45 * 45; k++)
                X[k] = kind / 4 ? -X[k] : NAN;
            g.in.metric = METRICS[kind % 4];
            CHECK(engine_cuda_new(ctx, &g.in, NULL, &e) == SPD_OK, "m %zu", m);
            spd_status status = e ? e->start(e, g.W) : SPD_OK;
            CHECK(status == SPD_ENOTSPD, "m %zu kind %d: status %d", m, kind, status);
            engine_free(e);
            spd_context_free(ctx);
            rig_free(&g);
        }
}

static void what_it_is_not_made_for(void)
{
    rng r;
    rng_seed(&r, 6);
    spd_context *ctx = spd_context_new();
    problem *e = NULL;
    rig g = rig_make(&r, 6, 3, 4, 5, 10.0, 0);
    g.in.metric = SPD_METRIC_EUCLIDEAN;
    CHECK(engine_cuda_new(ctx, &g.in, NULL, &e) == SPD_EDEVICE && !e, "Euclidean");
    g.in.metric = SPD_METRIC_STEIN;
    g.in.n = 513;
    CHECK(engine_cuda_new(ctx, &g.in, NULL, &e) == SPD_EDEVICE && !e, "n = 513");
    CHECK(strstr(spd_context_error(ctx)->message, "512"), "%s", spd_context_error(ctx)->message);
    rig_free(&g);
    spd_context_free(ctx);
}

static void one_size(size_t n, size_t m)
{
    rng r;
    rng_seed(&r, 7);
    rig g = rig_make(&r, n, m, 6, 11, 50.0, 0);
    every_metric(&g, 0, 1e-12 * sqrt((double)n), "size");
    rig_free(&g);
}

int main(int count, char **word)
{
    spd_context *ctx = spd_context_new();
    char device[200];
    spd_status status = cuda_describe(ctx, device, sizeof device);
    printf("%s %s\n", status < 0 ? "skipped:" : "on",
           status < 0 ? spd_context_error(ctx)->message : device);
    spd_context_free(ctx);
    if (status < 0)
        return 77; /* ctest takes it for skipped */
    if (count == 2 && strcmp(word[1], "short") == 0) {
        if (!strncmp(device, "emulated", 8)) { /* all memory is the device's */
            RUN(from_the_device);
            RUN(packed_anew);
        }
        RUN(few_samples_without_memory);
        RUN(from_a_store);
        RUN(stopped_within_a_pass);
        return test_summary();
    }
    const int rest = count == 2 && strcmp(word[1], "rest") == 0;
    const int all = count == 1 || (count == 2 && test_take_part(word[1]));
    for (int k = 1; k + 1 < count && !all; k += 2) {
        test_failed_checks = 0;
        one_size(strtoul(word[k], NULL, 10), strtoul(word[k + 1], NULL, 10));
        printf("%s n %s m %s\n", test_failed_checks ? "FAIL" : "ok  ", word[k], word[k + 1]);
        test_failed += test_failed_checks > 0;
    }
    if (!all && !rest)
        return test_failed > 0;
    if (!rest) {
        RUN(every_edge);
        RUN_IN_TURN(bad_condition);
        RUN_IN_TURN(skewed_graph);
        RUN_IN_TURN(chunks_and_runs);
        RUN_IN_TURN(few_samples_without_memory);
    }
    RUN_IN_TURN(from_a_store);
    RUN_IN_TURN(stopped_within_a_pass);
    RUN_IN_TURN(several_threads);
    RUN_IN_TURN(matrices_that_fail);
    RUN_IN_TURN(what_it_is_not_made_for);
    RUN(many_samples_without_memory);
    return test_summary();
}
