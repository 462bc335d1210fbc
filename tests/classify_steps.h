/* classify_steps.h - a classifier step by step, and labelled random sets to run it on. */
#ifndef SPD_CLASSIFY_STEPS_H
#define SPD_CLASSIFY_STEPS_H

#include "base/memory.h"
#include "classify/classifier.h"
#include "random_spd.h"
#include "repeat.h"

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
    training_state run = {.kind = c, .method = *method, .train = *train, .queries = *queries};
    spd_status status = c->prepare ? c->prepare(ctx, &run) : SPD_OK;
    if (status >= 0 && c->train)
        status = c->train(ctx, &run);
    if (status >= 0)
        status = c->meet(ctx, &run);
    if (status >= 0)
        status = c->decide(ctx, &run, label);
    training_state_free(&run);
    return status;
}

typedef struct labelled_set {
    spd_samples samples;
    double *X, *V; /* V NULL: without vectors */
    int *label;
} labelled_set;

HELPER spd_samples labelled_samples(const labelled_set *s, size_t n, size_t p, size_t classes)
{
    return (spd_samples){.size = sizeof(spd_samples),
                         .p = p,
                         .n = n,
                         .X = s->X,
                         .classes = classes,
                         .label = s->label};
}

/* p matrices n x n of `classes` classes in turn: a centre for each, moved by congruences that are
 * off the identity by about `spread`. */

HELPER labelled_set labelled_random(uint64_t seed, size_t n, size_t p, size_t classes,
                                    double spread)
{
    rng r = seeded(77);
    labelled_set s = {.X = block(p * n * n), .label = take(p * sizeof *s.label)};
    double *M = block(n * n), *centre = random_set(&r, n, classes, 20.0);
    rng_seed(&r, seed);
    for (size_t i = 0; i < p; i++) {
        s.label[i] = (int)(i % classes);
        for (size_t e = 0; e < n * n; e++)
            M[e] = spread * rng_normal(&r) + (e % (n + 1) == 0 ? 1.0 : 0.0);
        congruent(n, n, M, centre + i % classes * n * n, s.X + i * n * n);
    }
    s.samples = labelled_samples(&s, n, p, classes);
    return s;
}

/* p exponentials of symmetric matrices n x n, classes in turn: `up` and `down` tell them apart in
 * the first two directions. noise: its deviation among these two, between them and the others,
 * among the others. */
HELPER labelled_set labelled_in_two(uint64_t seed, size_t n, size_t p, size_t classes,
                                    const double *noise, double up, double down)
{
    rng r = seeded(seed);
    labelled_set s = {.X = block(p * n * n), .label = take(p * sizeof *s.label)};
    double *L = block(n * n);
    for (size_t i = 0; i < p; i++) {
        s.label[i] = (int)(i % classes);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++)
                L[a * n + b] = L[b * n + a] = rng_normal(&r) * noise[(a > 1) + (b > 1)];
        L[0] += up * s.label[i];
        L[n + 1] -= down * (s.label[i] == 1);
        spd_apply(NULL, SPD_FUNCTION_EXP, 0.0, SPD_SET(n, 1, L), s.X + i * n * n);
    }
    s.samples = labelled_samples(&s, n, p, classes);
    return s;
}

/* With vectors of height x width numbers that belong to the same classes, three of them. */
HELPER labelled_set labelled_both(uint64_t seed, size_t n, size_t p, double spread, size_t height,
                                  size_t width)
{
    labelled_set s = labelled_random(seed, n, p, 3, spread);
    const size_t size = height * width;
    rng r = seeded(seed);
    s.samples.V = s.V = block(p * size);
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < size; e++)
            s.V[i * size + e] = (e / 5 % 3 == i % 3 ? 2.0 : 0.5) + 0.3 * rng_normal(&r);
    s.samples.height = height;
    s.samples.width = width;
    return s;
}

/* Every allocation of all four steps fails once: SPD_ENOMEM with a message, no leak, labels as they
 * were. */
HELPER void steps_sweep(const classifier *c, const spd_method *method, const spd_samples *train,
                        const spd_samples *queries)
{
    int *label = take(queries->p * sizeof *label);
    spd_context *ctx = context_on(1);
    for (sweep_state s = SWEEP(ctx, 2, label, queries->p * sizeof *label); sweep_on(&s);) {
        s.what = CLASSIFIER_NAME(c->kind);
        s.remarks = 1;
        s.status = steps_run(ctx, c, method, train, queries, label);
    }
}

HELPER size_t steps_correct(const spd_samples *queries, const int *label)
{
    size_t correct = 0;
    for (size_t i = 0; i < queries->p; i++)
        correct += label[i] == queries->label[i];
    return correct;
}

#endif
