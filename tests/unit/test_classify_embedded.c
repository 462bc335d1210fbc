/* test_classify_embedded.c - the transductive classifiers: the same as embedding all samples with
 * spd_embed and looking for the nearest training sample. */
#include "unit/test_classify_common.h"

#define N 4
#define P 45
#define Q 21
#define C 3

static const classifier *const all[] = {&classifier_lle, &classifier_hlle, &classifier_laplacian};

static labelled_set training(void)
{
    return labelled_random(21, N, P, C, 0.2);
}

static labelled_set querying(void)
{
    return labelled_random(22, N, Q, C, 0.2);
}

static spd_method method_with(spd_metric metric, double k, double d)
{
    spd_method method = {.metric = metric};
    for (int i = 0; i < SPD_PARAMETERS; i++)
        method.value[i] = (double)NAN;
    method.value[SPD_PARAMETER_K] = k;
    method.value[SPD_PARAMETER_DIMENSIONS] = d;
    return method;
}

/* label (Q) <- by spd_embed of the joined sets; its status. */
static spd_status twin_labels(size_t which, const spd_method *method, const labelled_set *train,
                              const labelled_set *queries, int *label)
{
    size_t d = (size_t)method->value[SPD_PARAMETER_DIMENSIONS];
    double *X = block((P + Q) * N * N), *Y = block((P + Q) * d);
    spd_embed_options o = {.size = sizeof o,
                           .kind = (spd_embedding)which,
                           .metric = method->metric,
                           .k = (size_t)method->value[SPD_PARAMETER_K],
                           .dimensions = d};
    memcpy(X, train->X, P * N * N * sizeof *X);
    memcpy(X + P * N * N, queries->X, Q * N * N * sizeof *X);
    spd_status status = spd_embed(NULL, &o, N, P + Q, X, Y, NULL, NULL);
    for (size_t i = 0; i < Q && status == SPD_OK; i++) {
        size_t best = 0;
        for (size_t j = 1; j < P; j++)
            if (gap_between(d, Y + j * d, Y + (P + i) * d) <
                gap_between(d, Y + best * d, Y + (P + i) * d))
                best = j;
        label[i] = train->label[best];
    }
    return status;
}

/* Also with more neighbours than are kept. */
TEST(equal_to_the_embedding)
{
    labelled_set train = training(), queries = querying();
    const double k[] = {12, 20, 40};
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_LOG_EUCLIDEAN};
    int label[Q], twin[Q], compared = 0;
    for (size_t which = 0; which < 3; which++)
        for (size_t a = 0; a < 6; a++) {
            spd_method method = method_with(metrics[a % 2], k[a / 2], 2 + (double)(a % 2));
            if (twin_labels(which, &method, &train, &queries, twin) < 0)
                continue; /* a graph in parts: below */
            steps_good(all[which], &method, &train, &queries, label);
            CHECK(memcmp(label, twin, sizeof label) == 0, "%s, k = %g",
                  CLASSIFIER_NAME(all[which]->kind), k[a / 2]);
            compared++;
        }
    CHECK(compared >= 9, "%d", compared);
}

/* Classes far apart fall into parts, and the parts are the classes. */
TEST(parts_are_no_fault)
{
    labelled_set train = training(), queries = querying();
    for (size_t i = 0; i < P + Q; i++) {
        size_t at = i < P ? i : i - P;
        double *X = (i < P ? train.X : queries.X) + at * N * N;
        for (size_t e = 0; e < N * N; e++)
            X[e] *= pow(1e4, (i < P ? train.label : queries.label)[at]);
    }
    for (size_t which = 0; which < 3; which++) {
        int label[Q] = {0};
        spd_method method = method_with(SPD_METRIC_AIRM, 8, 2);
        CHECK(twin_labels(which, &method, &train, &queries, label) == SPD_EINVAL, "not in parts");
        steps_good(all[which], &method, &train, &queries, label);
        CHECK(steps_correct(&queries.samples, label) == Q, "%s", CLASSIFIER_NAME(all[which]->kind));
    }
}

/* Every combination of the grid, and the defaults, can be computed, however few samples. */
TEST(grids_are_possible)
{
    labelled_set train = training(), queries = querying();
    const size_t counts[] = {5, 9, 17, P};
    int label[Q];
    for (size_t which = 0; which < 3; which++)
        for (size_t c = 0; c < 4; c++) {
            double k[8], d[8];
            train.samples.p = counts[c];
            spd_method method = steps_method(all[which], SPD_METRIC_AIRM, &train.samples);
            steps_good(all[which], &method, &train, &queries, label);
            queries.samples.p = 1; /* p + 1 samples in all */
            size_t ks = steps_grid(all[which], &train.samples, SPD_PARAMETER_K, k);
            size_t ds = steps_grid(all[which], &train.samples, SPD_PARAMETER_DIMENSIONS, d);
            CHECK(ks >= 1 && ds >= 1, "%zu, %zu", ks, ds);
            for (size_t i = 0; i < ks * ds; i++) {
                method = method_with(SPD_METRIC_AIRM, k[i / ds], d[i % ds]);
                CHECK(steps_run(NULL, all[which], &method, &train.samples, &queries.samples,
                                label) == SPD_OK,
                      "%s, p = %zu, k = %g, d = %g", CLASSIFIER_NAME(all[which]->kind), counts[c],
                      k[i / ds], d[i % ds]);
            }
            queries.samples.p = Q;
        }
}

static void refused(size_t which, const spd_method *method, const char *words)
{
    labelled_set train = training(), queries = querying();
    spd_context *ctx = context_on(0);
    int label[Q];
    CHECK_FAILED(ctx, steps_run(ctx, all[which], method, &train.samples, &queries.samples, label),
                 SPD_EINVAL, words);
}

TEST(bad_parameters)
{
    spd_method method = method_with(SPD_METRIC_AIRM, 10, 2);
    method.metric = SPD_METRIC_STEIN;
    refused(0, &method, "stein");
    refused(1, &method, "stein");
    method = method_with(SPD_METRIC_AIRM, P + Q, 2);
    refused(0, &method, "k is 66");
    method = method_with(SPD_METRIC_AIRM, 10, 0);
    refused(2, &method, "0 dimensions");
    method = method_with(SPD_METRIC_AIRM, -3, 2);
    refused(2, &method, "k is 0");
    method = method_with(SPD_METRIC_AIRM, 9, 3);
    refused(1, &method, "= 10 neighbours");
}

TEST(threads_change_nothing)
{
    labelled_set train = training(), queries = querying();
    int label[2][Q];
    for (size_t which = 0; which < 3; which++) {
        spd_method method = steps_method(all[which], SPD_METRIC_AIRM, &train.samples);
        for (int pass = 0; pass < 2; pass++) {
            spd_context *ctx = context_on(pass ? 3 : 1);
            CHECK_OK(ctx, steps_run(ctx, all[which], &method, &train.samples, &queries.samples,
                                    label[pass]));
        }
        CHECK(memcmp(label[0], label[1], sizeof label[0]) == 0, "%s",
              CLASSIFIER_NAME(all[which]->kind));
        CHECK(steps_correct(&queries.samples, label[0]) > Q / 2, "%s: %zu",
              CLASSIFIER_NAME(all[which]->kind), steps_correct(&queries.samples, label[0]));
    }
}

TEST(allocations)
{
    labelled_set train = training(), queries = querying();
    for (size_t which = 0; which < 3; which++) {
        spd_method method = steps_method(all[which], SPD_METRIC_AIRM, &train.samples);
        steps_sweep(all[which], &method, &train.samples, &queries.samples);
        method.value[SPD_PARAMETER_K] = 35; /* neighbours anew */
        steps_sweep(all[which], &method, &train.samples, &queries.samples);
    }
}
