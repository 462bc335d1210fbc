/* bench_rsr.c - queries per second of Riemannian sparse representation, distances given: kernel
 * values, coding to a duality gap of 1e-8, class residuals; one thread and two.
 *
 * bench_rsr FOLDER also writes the problems there, for bench/rsr/bench_rsr.py: NAME.npz with K
 * (p x p), k (queries x p) and seconds (lambdas x 2, for all queries). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "classify/classifier.h"
#include "random_spd.h"
#include "spdml-data.h"

#define QUERIES 200
#define LAMBDAS 3

static const double lambdas[LAMBDAS] = {1e-3, 1e-2, 1e-1};

typedef struct workload {
    const char *name;
    size_t n, p, classes;
    double spread;
} workload;

/* X (p x n x n) <- class centres, one after the other, under random congruences. */
static void make_samples(rng *r, const workload *w, size_t p, const double *centre, double *X)
{
    size_t n = w->n;
    double *M = mem_alloc(n * n, sizeof *M);
    for (size_t i = 0; i < p; i++) {
        for (size_t e = 0; e < n * n; e++)
            M[e] = w->spread * rng_normal(r) + (e % (n + 1) == 0 ? 1.0 : 0.0);
        congruent(n, n, M, centre + i % w->classes * n * n, X + i * n * n);
    }
    mem_free(M);
}

/* Training samples, queries, and what of them no parameter changes. */
typedef struct ready {
    double *X, *Xq;
    int *label;
    training_state state;
} ready;

static ready make_ready(const workload *w)
{
    rng r;
    size_t n2 = w->n * w->n;
    ready d = {.X = mem_alloc(w->p * n2, sizeof *d.X), .Xq = mem_alloc(QUERIES * n2, sizeof *d.Xq)};
    rng_seed(&r, 12);
    double *centre = random_set(&r, w->n, w->classes, 100.0);
    make_samples(&r, w, w->p, centre, d.X);
    make_samples(&r, w, QUERIES, centre, d.Xq);
    free(centre);
    d.label = mem_alloc(w->p, sizeof *d.label);
    for (size_t i = 0; i < w->p; i++)
        d.label[i] = (int)(i % w->classes);
    d.state = (training_state){.kind = &classifier_rsr};
    d.state.train = (spd_samples){.size = sizeof(spd_samples),
                                  .p = w->p,
                                  .n = w->n,
                                  .X = d.X,
                                  .classes = w->classes,
                                  .label = d.label};
    d.state.queries = (spd_samples){
        .size = sizeof(spd_samples), .p = QUERIES, .n = w->n, .X = d.Xq, .classes = w->classes};
    classifier_rsr.prepare(NULL, &d.state);
    classifier_rsr.meet(NULL, &d.state);
    return d;
}

static void free_ready(ready *d)
{
    training_state_free(&d->state);
    mem_free(d->X);
    mem_free(d->Xq);
    mem_free(d->label);
}

/* The mean squared distance between samples: the scale of beta. */
static double mean_distance(size_t p, const double *D)
{
    double sum = 0.0;
    for (size_t e = 0; e < p * p; e++)
        sum += D[e];
    return sum / ((double)p * (double)(p - 1));
}

/* FOLDER/NAME.npz <- the kernel at that beta and the times. */
static void write_problem(const char *folder, const workload *w, const ready *d, double beta,
                          double *seconds)
{
    size_t p = w->p;
    char path[500];
    double *K = mem_alloc(p * p, sizeof *K), *k = mem_alloc(QUERIES * p, sizeof *k);
    snprintf(path, sizeof path, "%s/%s.npz", folder, w->name);
    spd_kernel(NULL, SPD_KERNEL_STEIN, beta, SPD_SET(w->n, p, d->X), NULL, K);
    spd_kernel(NULL, SPD_KERNEL_STEIN, beta, SPD_SET(w->n, QUERIES, d->Xq), SPD_SET(w->n, p, d->X),
               k);
    spd_array arrays[] = {
        {.name = "K", .ndim = 2, .shape = {p, p}, .count = p * p, .f64 = K},
        {.name = "k", .ndim = 2, .shape = {QUERIES, p}, .count = QUERIES * p, .f64 = k},
        {.name = "lambdas",
         .ndim = 1,
         .shape = {LAMBDAS},
         .count = LAMBDAS,
         .f64 = (double *)lambdas},
        {.name = "seconds",
         .ndim = 2,
         .shape = {LAMBDAS, 2},
         .count = 2 * LAMBDAS,
         .f64 = seconds}};
    const spd_array *const all[] = {arrays, arrays + 1, arrays + 2, arrays + 3};
    if (spd_arrays_write(NULL, path, 4, all) < 0)
        printf("cannot write %s\n", path);
    mem_free(K);
    mem_free(k);
}

/* Best time of decide for all queries; the inverse of K is part of training. */
static double time_decide(const ready *d, const spd_method *method, int threads)
{
    int label[QUERIES];
    training_state c = d->state;
    c.method = *method;
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, threads);
    classifier_rsr.train(ctx, &c);
    bench t = bench_start(0.3);
    while (bench_more(&t))
        if (classifier_rsr.decide(ctx, &c, label) != SPD_OK)
            printf("%s\n", spd_context_error(ctx)->message);
    arena_free(&c.training);
    spd_context_free(ctx);
    return t.best;
}

static void run(const workload *w, const char *folder)
{
    ready d = make_ready(w);
    double seconds[2 * LAMBDAS], *D = mem_alloc(w->p * w->p, sizeof *D);
    spd_pairwise2(NULL, SPD_METRIC_STEIN, SPD_SET(w->n, w->p, d.X), NULL, D);
    spd_method method = {.metric = SPD_METRIC_STEIN};
    method.value[SPD_PARAMETER_BETA] = 1.0 / mean_distance(w->p, D);
    for (size_t l = 0; l < LAMBDAS; l++) {
        method.value[SPD_PARAMETER_LAMBDA] = lambdas[l];
        for (int threads = 1; threads <= 2; threads++)
            seconds[2 * l + (size_t)threads - 1] = time_decide(&d, &method, threads);
        printf("%-12s %6zu %8g %12.0f %12.0f\n", w->name, w->p, lambdas[l],
               QUERIES / seconds[2 * l], QUERIES / seconds[2 * l + 1]);
        fflush(stdout);
    }
    if (folder)
        write_problem(folder, w, &d, method.value[SPD_PARAMETER_BETA], seconds);
    mem_free(D);
    free_ready(&d);
}

int main(int count, char **arguments)
{
    const workload workloads[] = {{"hdm05-like", 20, 118, 14, 0.15},
                                  {"feret-like", 30, 600, 200, 0.1}};
    printf("\nsparse coding with the Stein kernel, queries per second\n");
    printf("%-12s %6s %8s %12s %12s\n", "data", "atoms", "lambda", "one thread", "two threads");
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        run(&workloads[i], count > 1 ? arguments[1] : NULL);
    return 0;
}
