/* test_classify_neighbours.c - nn, knn and mdm against distances one by one, by the definition. */
#include "unit/test_classify_common.h"

#define N 6
#define P 45
#define Q 24
#define C 4

/* order (p) <- the training samples by distance to x, ties by lower index. */
static void twin_order(spd_metric metric, const spd_samples *train, const double *x, size_t *order)
{
    size_t n = train->n;
    double *d2 = block(train->p);
    for (size_t i = 0; i < train->p; i++) {
        size_t at = i;
        d2[i] = twin_dist2(metric, n, x, train->X + i * n * n);
        for (; at > 0 && d2[order[at - 1]] > d2[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* How many of the first k are of the class of the i-th. */
static size_t twin_votes(const spd_samples *train, const size_t *order, size_t k, size_t i)
{
    size_t votes = 0;
    for (size_t j = 0; j < k; j++)
        votes += train->label[order[j]] == train->label[order[i]];
    return votes;
}

static int twin_knn(spd_metric metric, const spd_samples *train, const double *x, size_t k)
{
    size_t *order = take_zeros(train->p, sizeof *order), best = 0;
    k = k < train->p ? k : train->p;
    twin_order(metric, train, x, order);
    for (size_t i = 1; i < k; i++) /* only more votes displace a nearer class */
        if (twin_votes(train, order, k, i) > twin_votes(train, order, k, best))
            best = i;
    return train->label[order[best]];
}

/* M (n x n) <- the AIRM mean of one class. */
static void twin_karcher(const spd_samples *train, int label, double *M)
{
    double *weight = block(train->p), *root = block(train->n * train->n);
    for (size_t i = 0; i < train->p; i++)
        weight[i] = train->label[i] == label;
    twin_center(train->n, train->p, train->X, weight, M, root);
}

/* M (n x n) <- f^-1(mean f(X)) over one class. */
static void twin_through(const spd_samples *train, int label, double (*f)(double),
                         double (*back)(double), double *M)
{
    size_t n2 = train->n * train->n;
    double *T = block(n2), *sum = block(n2), count = 0.0;
    memset(sum, 0, n2 * sizeof *sum);
    for (size_t i = 0; i < train->p; i++) {
        if (train->label[i] != label)
            continue;
        twin_function(train->n, f, train->X + i * n2, T);
        for (size_t e = 0; e < n2; e++)
            sum[e] += T[e];
        count += 1.0;
    }
    for (size_t e = 0; e < n2; e++)
        sum[e] /= count;
    twin_function(train->n, back, sum, M);
}

static double same(double x)
{
    return x;
}

static int twin_mdm(spd_metric metric, const spd_samples *train, const double *means,
                    const double *x)
{
    size_t n2 = train->n * train->n, best = 0;
    for (size_t c = 1; c < train->classes; c++)
        if (twin_dist2(metric, train->n, x, means + c * n2) <
            twin_dist2(metric, train->n, x, means + best * n2))
            best = c;
    return (int)best;
}

TEST(nearest_of_every_metric)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6), test = labelled_random(2, N, Q, C, 0.6);
    int label[Q];
    for (int m = 0; m < SPD_METRICS; m++) {
        spd_method method = steps_method(&classifier_nn, (spd_metric)m, &train.samples);
        steps_good(&classifier_nn, &method, &train, &test, label);
        for (size_t i = 0; i < Q; i++) {
            int expected = twin_knn((spd_metric)m, &train.samples, test.X + i * N * N, 1);
            CHECK(label[i] == expected, "%s, query %zu: %d", METRIC_NAME(m), i, label[i]);
        }
    }
}

/* Also more neighbours than are kept, and more than there are. */
TEST(votes_of_neighbours)
{
    const size_t ks[] = {1, 2, 3, 4, 8, 9, 10, 40, P, 1000};
    labelled_set train = labelled_random(3, N, P, C, 0.8), test = labelled_random(4, N, Q, C, 0.8);
    int label[Q];
    size_t unlike_nn = 0;
    for (size_t k = 0; k < sizeof ks / sizeof *ks; k++) {
        spd_method method = steps_method(&classifier_knn, SPD_METRIC_STEIN, &train.samples);
        method.value[SPD_PARAMETER_K] = (double)ks[k];
        steps_good(&classifier_knn, &method, &train, &test, label);
        for (size_t i = 0; i < Q; i++) {
            const double *x = test.X + i * N * N;
            int expected = twin_knn(SPD_METRIC_STEIN, &train.samples, x, ks[k]);
            CHECK(label[i] == expected, "k = %zu, query %zu: %d", ks[k], i, label[i]);
            unlike_nn += expected != twin_knn(SPD_METRIC_STEIN, &train.samples, x, 1);
        }
    }
    CHECK(unlike_nn > 10, "votes change %zu predictions only", unlike_nn);
}

/* Multiples of the identity: distances are known, and several are equal. */
TEST(ties)
{
    enum { COUNT = 5 };
    const double scale[COUNT] = {4.0, 4.0, 1.0, 9.0, 1.0};
    const int classes[COUNT] = {2, 1, 0, 1, 2};
    double X[COUNT * 4] = {0}, x[4] = {4.0, 0.0, 0.0, 4.0};
    for (size_t i = 0; i < COUNT; i++)
        X[i * 4] = X[i * 4 + 3] = scale[i];
    spd_samples train = samples_of(2, COUNT, X, 3, classes), query = samples_of(2, 1, x, 0, NULL);
    /* by distance: 0 (class 2), 1 (class 1), 3 (class 1), 2 (class 0), 4 (class 2) */
    const int expected[COUNT + 1] = {-1, 2, 2, 1, 1, 2};
    int label = -1;
    spd_method method = steps_method(&classifier_nn, SPD_METRIC_AIRM, &train);
    CHECK(steps_run(NULL, &classifier_nn, &method, &train, &query, &label) == SPD_OK, "nn");
    CHECK(label == 2, "of two at the same distance the first: %d", label);
    for (size_t k = 1; k <= COUNT; k++) {
        method = steps_method(&classifier_knn, SPD_METRIC_AIRM, &train);
        method.value[SPD_PARAMETER_K] = (double)k;
        CHECK(steps_run(NULL, &classifier_knn, &method, &train, &query, &label) == SPD_OK, "knn");
        CHECK(label == expected[k], "k = %zu: %d, expected %d", k, label, expected[k]);
    }
}

TEST(bad_k)
{
    labelled_set train = labelled_random(5, 3, 10, 2, 0.3), test = labelled_random(6, 3, 4, 2, 0.3);
    int label[4] = {7, 7, 7, 7};
    spd_method method = steps_method(&classifier_knn, SPD_METRIC_STEIN, &train.samples);
    spd_context *ctx = context_on(0);
    method.value[SPD_PARAMETER_K] = 0.0;
    CHECK_FAILED(ctx,
                 steps_run(ctx, &classifier_knn, &method, &train.samples, &test.samples, label),
                 SPD_EINVAL, "k is 0");
    CHECK(label[0] == 7, "labels are touched");
}

TEST(parameters_of_knn)
{
    labelled_set train = labelled_random(5, 3, 10, 2, 0.3);
    double values[8];
    size_t count = steps_grid(&classifier_knn, &train.samples, SPD_PARAMETER_K, values);
    CHECK(count == 5 && values[0] == 1.0 && values[4] == 9.0, "%zu values", count);
    CHECK(choice_standard(classifier_choice(&classifier_knn, SPD_PARAMETER_K), &train.samples) ==
              5.0,
          "the default");
    train.samples.p = 3;
    CHECK(choice_standard(classifier_choice(&classifier_knn, SPD_PARAMETER_K), &train.samples) ==
              3.0,
          "with few samples");
}

TEST(means_of_classes)
{
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_EUCLIDEAN};
    labelled_set train = labelled_random(7, N, P, C, 0.7), test = labelled_random(8, N, Q, C, 0.7);
    double *means = block(C * N * N);
    int label[Q];
    for (size_t m = 0; m < 3; m++) {
        for (int c = 0; c < C; c++) {
            double *M = means + c * N * N;
            if (metrics[m] == SPD_METRIC_AIRM)
                twin_karcher(&train.samples, c, M);
            else if (metrics[m] == SPD_METRIC_LOG_EUCLIDEAN)
                twin_through(&train.samples, c, log, exp, M);
            else
                twin_through(&train.samples, c, same, same, M);
        }
        spd_method method = steps_method(&classifier_mdm, metrics[m], &train.samples);
        steps_good(&classifier_mdm, &method, &train, &test, label);
        for (size_t i = 0; i < Q; i++) {
            int expected = twin_mdm(metrics[m], &train.samples, means, test.X + i * N * N);
            CHECK(label[i] == expected, "%s, query %zu: %d", METRIC_NAME(metrics[m]), i, label[i]);
        }
    }
}

/* With one sample in each class the means are the samples. */
TEST(means_of_one_are_neighbours)
{
    labelled_set train = labelled_random(9, N, C, C, 0.7), test = labelled_random(10, N, Q, C, 0.7);
    int by_mean[Q], by_sample[Q];
    for (int m = 0; m < SPD_METRICS; m++) {
        spd_method method = steps_method(&classifier_mdm, (spd_metric)m, &train.samples);
        steps_good(&classifier_mdm, &method, &train, &test, by_mean);
        steps_good(&classifier_nn, &method, &train, &test, by_sample);
        CHECK(memcmp(by_mean, by_sample, sizeof by_mean) == 0, "%s", METRIC_NAME(m));
    }
}
