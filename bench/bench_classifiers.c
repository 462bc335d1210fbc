/* bench_classifiers.c - how long each classifier on SPD matrices takes to learn and to predict,
 * 108 samples against 108 of 18 classes: 155 x 155, and 20 x 20 as after a learned map. Its
 * comparison with pyRiemann is bench/recognition. */
#include <stdlib.h>

#include "base/memory.h"
#include "bench.h"
#include "random_spd.h"
#include "spdml.h"

#define CLASSES 18
#define P       108

/* X <- M centre M' with M = I + noise, one centre for each class. */
static void make_set(rng *r, size_t n, const double *centre, double *X, int *label)
{
    double *M = mem_alloc(n * n, sizeof *M);
    for (size_t i = 0; i < P; i++) {
        label[i] = (int)(i % CLASSES);
        for (size_t e = 0; e < n * n; e++)
            M[e] = 0.5 / (double)n * rng_normal(r) + (e % (n + 1) == 0 ? 1.0 : 0.0);
        congruent(n, n, M, centre + i % CLASSES * n * n, X + i * n * n);
    }
    mem_free(M);
}

static void row(const char *name, int threads, const spd_samples *train, const spd_samples *test)
{
    spd_context *ctx = spd_context_new();
    int *label = mem_alloc(test->p, sizeof *label);
    bench learn = bench_start(0.3), predict = bench_start(0.3);
    spd_classifier *c = NULL;
    spd_method method = SPD_STRUCT(spd_method);
    size_t right = 0;
    spd_context_set_threads(ctx, threads);
    if (spd_method_parse(ctx, name, &method) < 0)
        abort();
    while (bench_more(&learn)) {
        spd_classifier_free(c);
        c = NULL;
        spd_classifier_fit(ctx, &method, train, NULL, &c);
    }
    while (bench_more(&predict))
        spd_classifier_predict(ctx, c, test, label);
    for (size_t i = 0; i < test->p; i++)
        right += label[i] == test->label[i];
    printf("%-20s %4zu %8d %11.2f %6.0f %% %11.2f %6.0f %% %8.1f %%\n", name, train->n, threads,
           1e3 * learn.best, bench_spread(&learn), 1e3 * predict.best, bench_spread(&predict),
           100.0 * (double)right / (double)test->p);
    fflush(stdout);
    spd_classifier_free(c);
    spd_context_free(ctx);
    mem_free(label);
}

static void table(size_t n, int fewest)
{
    static const char *const names[] = {"nn-airm", "nn-stein", "knn-airm",          "mdm-stein",
                                        "rsr",     "cdl",      "cdl-lda",           "pga",
                                        "ts-lda",  "ksvm",     "ksvm-log-euclidean"};
    rng r;
    rng_seed(&r, n);
    double *centre = random_set(&r, n, CLASSES, 100.0);
    double *X = mem_alloc(2 * P, n * n * sizeof *X);
    int *label = mem_alloc(P, sizeof *label);
    make_set(&r, n, centre, X, label);
    make_set(&r, n, centre, X + P * n * n, label);
    spd_samples train = {
        .size = sizeof(spd_samples), .p = P, .n = n, .X = X, .classes = CLASSES, .label = label};
    spd_samples test = train;
    test.X = X + P * n * n;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int threads = fewest; threads <= 2; threads++)
            row(names[i], threads, &train, &test);
    free(centre);
    mem_free(X);
    mem_free(label);
}

int main(void)
{
    printf("\n%d training and %d test matrices, milliseconds\n", P, P);
    printf("%-20s %4s %8s %11s %8s %11s %8s %10s\n", "method", "n", "threads", "learn", "spread",
           "predict", "spread", "accuracy");
    table(155, 2);
    table(20, 1);
    return 0;
}
