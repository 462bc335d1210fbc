/* classify_steps.h - a classifier step by step, and labelled random sets to run it on. */
#ifndef SPD_CLASSIFY_STEPS_H
#define SPD_CLASSIFY_STEPS_H

#include "base/memory.h"
#include "classify/classifier.h"
#include "random_spd.h"
#include "test.h"

/* A method with every parameter the classifier uses at its default. */
HELPER spd_method steps_method(const classifier *c, spd_metric metric, const spd_samples *train)
{
    spd_method method = {.metric = metric};
    for (int i = 0; i < SPD_PARAMETERS; i++) {
        const choice *own = classifier_choice(c, (spd_parameter)i);
        method.value[i] = own ? choice_standard(own, train) : (double)NAN;
    }
    return method;
}

/* values (GRID_ROOM) <- what cross-validation tries of a parameter; how many. */
HELPER size_t steps_grid(const classifier *c, const spd_samples *train, spd_parameter parameter,
                         double *values)
{
    const choice *own = classifier_choice(c, parameter);
    return own ? choice_grid(own, train, values) : 0;
}

/* label (queries) <- through prepare, train, meet and decide; everything is released. */
HELPER spd_status steps_run(spd_context *ctx, const classifier *c, const spd_method *method,
                            const spd_samples *train, const spd_samples *queries, int *label)
{
    course run = {.kind = c, .method = *method, .train = *train, .queries = *queries};
    spd_status status = c->prepare ? c->prepare(ctx, &run) : SPD_OK;
    if (status >= 0 && c->train)
        status = c->train(ctx, &run);
    if (status >= 0)
        status = c->meet(ctx, &run);
    if (status >= 0)
        status = c->decide(ctx, &run, label);
    course_free(&run);
    return status;
}

/* p matrices n x n of `classes` classes in turn: a centre for each, moved by congruences that are
 * off the identity by about `spread`. Free X and label. */
typedef struct labelled_set {
    spd_samples samples;
    double *X;
    int *label;
} labelled_set;

HELPER labelled_set labelled_random(uint64_t seed, size_t n, size_t p, size_t classes,
                                    double spread)
{
    rng r;
    labelled_set s = {.X = block(p * n * n), .label = malloc(p * sizeof *s.label)};
    double *M = block(n * n), *centre;
    rng_seed(&r, 77);
    centre = random_set(&r, n, classes, 20.0);
    rng_seed(&r, seed);
    for (size_t i = 0; i < p; i++) {
        s.label[i] = (int)(i % classes);
        for (size_t e = 0; e < n * n; e++)
            M[e] = spread * rng_normal(&r) + (e % (n + 1) == 0 ? 1.0 : 0.0);
        congruent(n, n, M, centre + i % classes * n * n, s.X + i * n * n);
    }
    free(M);
    free(centre);
    s.samples = (spd_samples){.size = sizeof(spd_samples),
                              .p = p,
                              .n = n,
                              .X = s.X,
                              .classes = classes,
                              .label = s.label};
    return s;
}

HELPER void labelled_free(labelled_set *s)
{
    free(s->X);
    free(s->label);
}

/* Every allocation of all four steps fails once: SPD_ENOMEM with a message, no leak, labels as they
 * were. */
HELPER void steps_sweep(const classifier *c, const spd_method *method, const spd_samples *train,
                        const spd_samples *queries)
{
    int *label = malloc(queries->p * sizeof *label), *before = malloc(queries->p * sizeof *label);
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, 1);
    memset(before, 0x55, queries->p * sizeof *before);
    long live = mem_live(), k = 0;
    spd_status status = SPD_ENOMEM;
    while (status == SPD_ENOMEM && k < 500) {
        memcpy(label, before, queries->p * sizeof *label);
        mem_fail_at(++k);
        status = steps_run(ctx, c, method, train, queries, label);
        CHECK(mem_fail_at(0) > 0 || status == SPD_ENOMEM, "allocation %ld fails unnoticed", k);
        CHECK(mem_live() == live, "%s leaks at allocation %ld", spd_classifier_name(c->kind), k);
        if (status == SPD_ENOMEM) {
            CHECK(memcmp(label, before, queries->p * sizeof *label) == 0, "%s touches labels",
                  spd_classifier_name(c->kind));
            CHECK(strstr(spd_context_error(ctx)->message, "out of memory for ") &&
                      !strstr(spd_context_error(ctx)->message, "(null)"),
                  "%s: %s", spd_classifier_name(c->kind), spd_context_error(ctx)->message);
        }
    }
    CHECK(status >= 0, "%s: %d, %s", spd_classifier_name(c->kind), (int)status,
          spd_context_error(ctx)->message);
    CHECK(k > 3, "%s never allocated", spd_classifier_name(c->kind));
    spd_context_free(ctx);
    free(label);
    free(before);
}

HELPER size_t steps_correct(const spd_samples *queries, const int *label)
{
    size_t correct = 0;
    for (size_t i = 0; i < queries->p; i++)
        correct += label[i] == queries->label[i];
    return correct;
}

#endif
