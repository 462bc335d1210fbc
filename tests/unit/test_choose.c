/* test_choose.c - nu_b by cross-validation: the choice that carries information wins, ties go to
 * the smaller, and what cannot be split is refused. */
#include "test.h"

#include "base/memory.h"
#include "random_spd.h"
#include "spdml.h"

/* p samples, classes in turn; the class moves the spectrum in the last two coordinates. */
static double *class_set(rng *r, size_t n, size_t p, size_t classes, double spread, int *label)
{
    double *X = block(p * n * n), *L = block(n * n);
    for (size_t i = 0; i < p; i++) {
        label[i] = (int)(i % classes);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++) {
                double x = rng_normal(r) * (b >= n - 2 ? 0.1 : spread);
                if (a == b && a >= n - 2)
                    x += 2.0 * (double)label[i] * (a == n - 1 ? 1.0 : -0.5);
                L[a * n + b] = L[b * n + a] = x;
            }
        spd_apply(NULL, SPD_EXP, 0.0, n, 1, L, X + i * n * n);
    }
    free(L);
    return X;
}

static spd_fit_options usual(void)
{
    spd_fit_options o;
    spd_fit_defaults(&o, sizeof o);
    o.m = 2;
    o.metric = SPD_STEIN;
    o.nu_w = 3;
    o.max_iter = 30;
    o.seed = 9;
    return o;
}

static void accuracies_are_measured(void)
{
    const size_t n = 5, p = 36, choices[] = {4, 1, 2};
    int label[36];
    rng r;
    rng_seed(&r, 1);
    double *X = class_set(&r, n, p, 3, 0.8, label), accuracy[3] = {-1, -1, -1}, again[3];
    spd_fit_options o = usual();
    size_t nu_b = 0, same = 0;
    spd_context *ctx = spd_context_new();
    spd_status status = spd_choose_nu_b(ctx, n, p, X, label, &o, 4, 3, choices, &nu_b, accuracy);
    CHECK(status == SPD_OK && !spd_context_error(ctx)->message[0], "%s",
          spd_context_error(ctx)->message);
    size_t best = 0;
    for (size_t i = 0; i < 3; i++) {
        CHECK(accuracy[i] >= 0.0 && accuracy[i] <= 1.0, "accuracy %g", accuracy[i]);
        /* Nine samples a fold, four folds: a multiple of 1/36. */
        CHECK_CLOSE(36.0 * accuracy[i], round(36.0 * accuracy[i]), 1e-9, "choice %zu", i);
        if (accuracy[i] > accuracy[best] + 1e-9 ||
            (accuracy[i] > accuracy[best] - 1e-9 && choices[i] < choices[best]))
            best = i;
    }
    CHECK(accuracy[best] > 0.6, "best accuracy %g", accuracy[best]);
    CHECK(nu_b == choices[best], "nu_b %zu", nu_b);
    spd_context_set_threads(ctx, 1);
    spd_choose_nu_b(ctx, n, p, X, label, &o, 4, 3, choices, &same, again);
    CHECK(same == nu_b && memcmp(accuracy, again, sizeof again) == 0, "one thread");
    CHECK(spd_choose_nu_b(NULL, n, p, X, label, &o, 4, 3, choices, &same, NULL) == SPD_OK, "NULL");
    spd_context_free(ctx);
    free(X);
}

/* Choices beyond what there is give the same graph, hence the same accuracy: the smaller wins. */
static void ties_go_to_the_smaller(void)
{
    const size_t n = 4, p = 24, choices[] = {500, 300, 400};
    int label[24];
    rng r;
    rng_seed(&r, 2);
    double *X = class_set(&r, n, p, 2, 0.3, label), accuracy[3];
    spd_fit_options o = usual();
    size_t nu_b = 0;
    CHECK(spd_choose_nu_b(NULL, n, p, X, label, &o, 3, 3, choices, &nu_b, accuracy) == SPD_OK, "");
    CHECK(accuracy[0] == accuracy[1] && accuracy[1] == accuracy[2], "equal graphs");
    CHECK(nu_b == 300, "nu_b %zu", nu_b);
    free(X);
}

/* A class of one and samples without a label train but are never tested; a class of three brings
 * ten folds down to three. */
static void odd_classes(void)
{
    const size_t n = 4, p = 20, choices[] = {1};
    int label[20];
    rng r;
    rng_seed(&r, 3);
    double *X = class_set(&r, n, p, 2, 0.1, label), accuracy = -1.0;
    for (size_t i = 0; i < p; i++)
        label[i] = i == 4 ? 8 : i % 2 == 0 ? 0 : i < 6 ? 1 : -1; /* 1, 9, 3 and 7 without */
    spd_fit_options o = usual();
    size_t nu_b = 0;
    CHECK(spd_choose_nu_b(NULL, n, p, X, label, &o, 10, 1, choices, &nu_b, &accuracy) == SPD_OK,
          "");
    CHECK(nu_b == 1, "nu_b");
    /* 12 tests in three folds of four; sample 4 is of class 0's kind, and may catch some. */
    CHECK_CLOSE(12.0 * accuracy, round(12.0 * accuracy), 1e-9, "accuracy %g", accuracy);
    CHECK(accuracy > 0.5, "accuracy %g", accuracy);
    free(X);
}

static void refuse(const spd_fit_options *o, size_t p, const int *label, int folds, size_t choice,
                   const char *words)
{
    rng r;
    rng_seed(&r, 4);
    double *X = random_set(&r, 4, p, 10.0), accuracy = -1.0;
    size_t nu_b = 77;
    spd_context *ctx = spd_context_new();
    spd_status status =
        spd_choose_nu_b(ctx, 4, p, X, label, o, folds, 1, &choice, &nu_b, &accuracy);
    CHECK(status == SPD_EINVAL && strstr(spd_context_error(ctx)->message, words), "%d, %s; %s",
          status, spd_context_error(ctx)->message, words);
    CHECK(nu_b == 77 && accuracy == -1.0, "outputs touched");
    spd_context_free(ctx);
    free(X);
}

static void refusals(void)
{
    const int good[8] = {0, 0, 0, 0, 1, 1, 1, 1}, twos[8] = {0, 0, 1, 1, 2, 2, 3, 3}, one[8] = {0},
              each[8] = {0, 1, 2, 3, 4, 5, 6, 7}, none[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    spd_fit_options o = usual();
    refuse(&o, 8, NULL, 4, 1, "labels");
    refuse(&o, 8, good, 1, 1, "folds");
    refuse(&o, 8, good, 4, 0, "start at 1");
    refuse(&o, 8, twos, 4, 1, "too few samples");
    refuse(&o, 8, one, 4, 1, "too few samples");
    refuse(&o, 8, each, 4, 1, "too few samples");
    refuse(&o, 8, none, 4, 1, "too few samples");
    o.m = 4;
    refuse(&o, 8, good, 4, 1, "m is 4");
    o.m = 2;
    o.learning = SPD_UNSUPERVISED;
    refuse(&o, 8, good, 4, 1, "supervised");
}

static int stop_now(void *user, const spd_progress *progress)
{
    (void)progress;
    return ++*(int *)user > 0;
}

static void cancels(void)
{
    const size_t n = 40, p = 200, choices[] = {1, 2, 3, 4, 5};
    int label[200], calls = 0;
    rng r;
    rng_seed(&r, 5);
    double *X = class_set(&r, n, p, 4, 0.2, label);
    spd_fit_options o = usual();
    size_t nu_b = 77;
    long live = mem_live();
    spd_context *ctx = spd_context_new();
    spd_context_set_progress(ctx, stop_now, &calls);
    spd_status status = spd_choose_nu_b(ctx, n, p, X, label, &o, 5, 5, choices, &nu_b, NULL);
    CHECK(status == SPD_ECANCELLED && calls > 0, "status %d, %d calls", status, calls);
    CHECK(nu_b == 77, "nu_b touched");
    spd_context_free(ctx);
    CHECK(mem_live() == live, "leak");
    free(X);
}

static void allocation_sweep(void)
{
    const size_t n = 3, p = 12, choices[] = {1};
    int label[12];
    rng r;
    rng_seed(&r, 6);
    double *X = class_set(&r, n, p, 2, 0.2, label);
    spd_fit_options o = usual();
    o.max_iter = 2;
    o.m = 1;
    spd_status status = SPD_ENOMEM;
    long k = 0, live = mem_live();
    while (status == SPD_ENOMEM && ++k < 2000) {
        size_t nu_b = 77;
        mem_fail_at(k);
        status = spd_choose_nu_b(NULL, n, p, X, label, &o, 2, 1, choices, &nu_b, NULL);
        mem_fail_at(0);
        CHECK(status == SPD_OK || nu_b == 77, "outputs touched");
        CHECK(mem_live() == live, "allocation %ld: leak", k);
    }
    CHECK(status == SPD_OK && k > 10, "ended with %d after %ld", status, k);
    free(X);
}

int main(void)
{
    RUN(accuracies_are_measured);
    RUN(ties_go_to_the_smaller);
    RUN(odd_classes);
    RUN(refusals);
    RUN(cancels);
    RUN(allocation_sweep);
    return test_summary();
}
