/* test_evaluate_maps.c - maps against their definitions, and classifiers behind them. */
#include "classify_steps.h"

#include "evaluate/folds.h"
#include "evaluate/map.h"

#define N 5
#define P 36

static labelled_set make_set(uint64_t seed, size_t kinds)
{
    return labelled_in_two(seed, N, P, kinds, (const double[]){0.3, 0.3, 0.3}, 1.2, 0.8);
}

static spd_method method_sized(const char *name, double m)
{
    spd_method method = SPD_STRUCT(spd_method);
    CHECK(spd_method_parse(NULL, name, &method) == SPD_OK, "%s", name);
    method.value[SPD_PARAMETER_M] = m;
    return method;
}

static arena room; /* what a test fits, until its end */

static map fitted(const char *name, const labelled_set *s, double m)
{
    map a = {0};
    spd_method method = method_sized(name, m);
    CHECK(map_fit(NULL, &method, &s->samples, (map_graph){0}, &room, &a) == SPD_OK, "%s", name);
    CHECK(a.n == N && a.m == (size_t)m, "%s", name);
    for (size_t i = 0; a.W && i < a.m; i++)
        for (size_t j = 0; j < a.m; j++) {
            double dot = 0.0;
            for (size_t k = 0; k < N; k++)
                dot += a.W[k * a.m + i] * a.W[k * a.m + j];
            CHECK_CLOSE(dot, i == j ? 1.0 : 0.0, 1e-12, "%s: W'W", name);
        }
    return a;
}

/* Largest part of V's columns (n x m) outside the span of orthonormal W. */
static double outside(const map *a, const double *V)
{
    double worst = 0.0;
    for (size_t c = 0; c < a->m; c++) {
        double rest[N], size = 0.0, left = 0.0;
        for (size_t i = 0; i < N; i++) {
            rest[i] = V[i * a->m + c];
            size += rest[i] * rest[i];
        }
        for (size_t k = 0; k < a->m; k++) {
            double dot = 0.0;
            for (size_t i = 0; i < N; i++)
                dot += a->W[i * a->m + k] * V[i * a->m + c];
            for (size_t i = 0; i < N; i++)
                rest[i] -= dot * a->W[i * a->m + k];
        }
        for (size_t i = 0; i < N; i++)
            left += rest[i] * rest[i];
        worst = fmax(worst, sqrt(left / size));
    }
    return worst;
}

static void class_mean(const labelled_set *s, int which, double *M)
{
    double part[P * N * N];
    size_t size = 0;
    for (size_t i = 0; i < P; i++)
        if (which < 0 || s->label[i] == which)
            memcpy(part + size++ * N * N, s->X + i * N * N, N * N * sizeof *part);
    CHECK(spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(N, size, part), NULL, M, NULL) >= 0, " ");
}

/* Two classes: generalised eigenvectors of (M_1, M_2), eigenvalues farthest from 1 first. */
TEST(csp_of_two_classes)
{
    labelled_set s = make_set(3, 2);
    double A[N * N], B[N * N], lambda[N], V[N * 2];
    map a = fitted("nn-airm-csp", &s, 2);
    class_mean(&s, 0, A);
    class_mean(&s, 1, B);
    CHECK(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'L', N, A, N, B, N, lambda) == 0, " ");
    int taken[N] = {0};
    for (size_t c = 0; c < 2; c++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < N; k++)
            if (!taken[k] && (best == SIZE_MAX || fabs(log(lambda[k])) > fabs(log(lambda[best]))))
                best = k;
        taken[best] = 1;
        for (size_t i = 0; i < N; i++)
            V[i * 2 + c] = A[i * N + best];
    }
    CHECK(outside(&a, V) < 1e-9, "off by %g", outside(&a, V));
    arena_free(&room);
}

/* Leading eigenvectors of the Karcher and of the arithmetic mean. */
TEST(mean_and_pca)
{
    labelled_set s = make_set(4, 3);
    const char *names[] = {"nn-airm-mean", "pca-nn-airm"};
    for (int pca = 0; pca < 2; pca++) {
        double M[N * N] = {0}, lambda[N], V[N * N], lead[N * 2];
        map a = fitted(names[pca], &s, 2);
        if (!pca)
            class_mean(&s, -1, M);
        for (size_t e = 0; pca && e < P * N * N; e++)
            M[e % (N * N)] += s.X[e] / P;
        twin_eigh(N, M, lambda, V);
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < 2; c++)
                lead[i * 2 + c] = V[i * N + N - 1 - c];
        CHECK(outside(&a, lead) < 1e-9, "%s: off by %g", names[pca], outside(&a, lead));
        arena_free(&room);
    }
}

/* Observations of one set: of sample i there are LEAST + i % 4, about a mean of its own. */
enum { LEAST = 7, MOST = P * (LEAST + 3) };

/* O (MOST x N) <- all observations, s->X and the means <- of each sample's; how many there are. */
static size_t observe(labelled_set *s, double *mean, double *count, double *O)
{
    size_t all = 0;
    rng r = seeded(9);
    for (size_t i = 0; i < P; i++) {
        const size_t rows = LEAST + i % 4;
        double *own = O + all * N, centre[N];
        for (size_t j = 0; j < N; j++)
            centre[j] = 100.0 + 3.0 * (double)(j + 1) * rng_normal(&r);
        for (size_t e = 0; e < rows * N; e++)
            own[e] = centre[e % N] + (double)(N - e % N) * rng_normal(&r);
        CHECK(spd_covariance(NULL, rows, N, own, NULL, s->X + i * N * N) == SPD_OK, " ");
        for (size_t j = 0; j < N; j++) {
            mean[i * N + j] = 0.0;
            for (size_t k = 0; k < rows; k++)
                mean[i * N + j] += own[k * N + j] / (double)rows;
        }
        count[i] = (double)rows;
        all += rows;
    }
    s->samples.mean = mean;
    s->samples.observations = count;
    return all;
}

/* lead (N x 2) <- the first two principal axes of the observations. */
static void twin_axes(size_t all, const double *O, double *lead)
{
    double C[N * N], lambda[N], V[N * N];
    CHECK(spd_covariance(NULL, all, N, O, NULL, C) == SPD_OK, " ");
    twin_eigh(N, C, lambda, V);
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < 2; c++)
            lead[i * 2 + c] = V[i * N + N - 1 - c];
}

/* With means: PCA of all observations together. Blocks, here of one row, are each by themselves;
 * matrices without means, or without their numbers, have the pooled covariance. */
TEST(pca_of_all_observations)
{
    labelled_set s = make_set(4, 3);
    double mean[P * N], count[P], each[P * N], lead[N * 2], O[MOST * N];
    twin_axes(observe(&s, mean, count, O), O, lead);
    map a = fitted("pca-nn-airm", &s, 2);
    CHECK(outside(&a, lead) < 1e-12, "off by %g", outside(&a, lead));
    s.samples.observations = NULL;
    map pooled = fitted("pca-nn-airm", &s, 2);
    CHECK(outside(&pooled, lead) > 0.1, "the pooled covariance is no other");
    for (size_t e = 0; e < P * N; e++)
        each[e] = count[e / N];
    s.samples.observations = each;
    s.samples.blocks = N;
    map apart = fitted("pca-nn-airm", &s, 2);
    const double axes[N * 2] = {[3 * 2] = 1.0, [4 * 2 + 1] = 1.0}; /* of the largest spread */
    CHECK(outside(&apart, axes) < 1e-12, "off by %g", outside(&apart, axes));
    arena_free(&room);
}

TEST(means_that_cannot_be)
{
    labelled_set s = make_set(4, 3);
    double mean[P * N], count[P], O[MOST * N];
    spd_context *ctx = context_on(0);
    spd_method method = method_sized("pca-nn-airm", 2);
    map a = {0};
    observe(&s, mean, count, O);
    count[7] = 0.0;
    CHECK_FAILED(ctx, map_fit(ctx, &method, &s.samples, (map_graph){0}, &room, &a), SPD_EINVAL,
                 "sample 7 has 0 observations");
    s.samples.blocks = 2;
    CHECK_FAILED(ctx, map_fit(ctx, &method, &s.samples, (map_graph){0}, &room, &a), SPD_EINVAL,
                 "2 blocks");
    arena_free(&room);
}

/* Parts of a set have their own means; mapped matrices have none. */
TEST(means_of_parts)
{
    labelled_set s = make_set(4, 3);
    double mean[P * N], count[P], O[MOST * N];
    const size_t index[] = {5, 2};
    spd_samples *part = NULL;
    observe(&s, mean, count, O);
    CHECK(spd_samples_subset(NULL, &s.samples, 2, index, &part) == SPD_OK, " ");
    CHECK(memcmp(part->mean, mean + 5 * N, N * sizeof *mean) == 0, "means of sample 5");
    CHECK(memcmp(part->mean + N, mean + 2 * N, N * sizeof *mean) == 0, "means of sample 2");
    CHECK(part->observations[0] == count[5] && part->observations[1] == count[2], "numbers");
    map a = fitted("pca-nn-airm", &s, 2);
    samples mapped = s.samples;
    CHECK(map_apply(NULL, &a, &room, &mapped) == SPD_OK && !mapped.mean && !mapped.observations,
          "means of features that are gone");
    spd_samples_free(part);
    arena_free(&room);
}

TEST(learned_and_random)
{
    labelled_set s = make_set(5, 3);
    spd_fit_options o = fit_defaults();
    OWN(spd_model) model = NULL;
    map ml = fitted("nn-stein-ml", &s, 2), random = fitted("nn-stein-random", &s, 2);
    map again = fitted("nn-stein-random", &s, 2), whole = fitted("nn-stein-ml", &s, N);
    CHECK(!whole.W, "m = n is the identity");
    CHECK(memcmp(random.W, again.W, N * 2 * sizeof *random.W) == 0, "same seed");
    o.m = 2;
    o.metric = SPD_METRIC_STEIN;
    CHECK(spd_fit(NULL, SPD_SET(N, P, s.X), s.label, &o, NULL, &model) == SPD_OK, " ");
    CHECK(memcmp(ml.W, model->W, N * 2 * sizeof *ml.W) == 0, "spd_fit's own");
    CHECK(ml.nu_w == model->options->nu_w && ml.nu_b == model->options->nu_b, "nu");
    spd_model_free(ml.model);
    arena_free(&room);
}

/* label (P) <- predictions of a method for its own training samples but the first, and others. */
static void predict(const spd_method *method, const labelled_set *train, const labelled_set *test,
                    const spd_model *model, int *label)
{
    OWN(spd_classifier) c = NULL;
    CHECK(spd_classifier_fit(NULL, method, &train->samples, model, &c) >= 0, "fit");
    CHECK(c && spd_classifier_predict(NULL, c, &test->samples, label) >= 0, "predict");
}

/* A map and then nn is nn on the mapped matrices; the identity changes nothing. */
TEST(classifier_behind_a_map)
{
    labelled_set train = make_set(6, 3), test = make_set(7, 3);
    int plain[P], same[P], mapped[P], by_model[P];
    int64_t index[P];
    double d2[P], S[P * 4], T[P * 4];
    spd_method nn = method_sized("nn-airm", NAN), whole = method_sized("nn-airm-ml", N);
    spd_method ml = method_sized("nn-airm-ml", 2);
    predict(&nn, &train, &test, NULL, plain);
    predict(&whole, &train, &test, NULL, same);
    CHECK(memcmp(plain, same, sizeof plain) == 0, "identity");
    spd_fit_options o = fit_defaults();
    OWN(spd_model) model = NULL;
    o.m = 2;
    o.metric = SPD_METRIC_AIRM;
    CHECK(spd_fit(NULL, SPD_SET(N, P, train.X), train.label, &o, NULL, &model) == SPD_OK, " ");
    spd_congruence(NULL, SPD_SET(N, P, train.X), 2, model->W, S);
    spd_congruence(NULL, SPD_SET(N, P, test.X), 2, model->W, T);
    spd_nearest(NULL, SPD_METRIC_AIRM, SPD_SET(2, P, S), SPD_SET(2, P, T), 1,
                &(spd_nearest_options){.size = sizeof(spd_nearest_options), .brute = 1}, index, d2,
                NULL);
    predict(&ml, &train, &test, NULL, mapped);
    predict(&nn, &train, &test, model, by_model);
    for (size_t i = 0; i < P; i++) {
        CHECK(mapped[i] == train.label[index[i]], "sample %zu", i);
        CHECK(by_model[i] == mapped[i], "sample %zu", i);
    }
}

TEST(values_are_told)
{
    labelled_set s = make_set(8, 3);
    spd_classifier *c = NULL;
    spd_method method = method_sized("knn-stein-ml", NAN);
    CHECK(spd_classifier_fit(NULL, &method, &s.samples, NULL, &c) == SPD_OK, " ");
    const spd_method *used = spd_classifier_method(c);
    CHECK_CLOSE(used->value[SPD_PARAMETER_M], 2.0, 0.0, "a third of 5");
    CHECK(used->value[SPD_PARAMETER_OBJECTIVE] == SPD_OBJECTIVE_SOFTMAX, "the usual objective");
    CHECK(isnan(used->value[SPD_PARAMETER_NU_W]) && isnan(used->value[SPD_PARAMETER_NU_B]),
          "candidates are no values: they are all");
    CHECK(used->value[SPD_PARAMETER_K] >= 1.0, "k");
    CHECK(isnan(used->value[SPD_PARAMETER_LAMBDA]), "not its own");
    spd_classifier_free(c);
    method.value[SPD_PARAMETER_OBJECTIVE] = SPD_OBJECTIVE_DIFFERENCE;
    CHECK(spd_classifier_fit(NULL, &method, &s.samples, NULL, &c) == SPD_OK, " ");
    used = spd_classifier_method(c);
    CHECK_CLOSE(used->value[SPD_PARAMETER_NU_W], 12.0, 0.0, "the smallest class");
    CHECK_CLOSE(used->value[SPD_PARAMETER_NU_B], 3.0, 0.0, "nu_b");
    spd_classifier_free(c);
}

static void refuse(const spd_method *method, const spd_samples *train, const spd_model *model,
                   const char *word)
{
    spd_context *ctx = context_on(0);
    spd_classifier *c = NULL;
    spd_status status = spd_classifier_fit(ctx, method, train, model, &c);
    CHECK(status == SPD_EINVAL && !c, "%s", word);
    CHECK_SAYS(ctx, word);
}

TEST(bad_samples)
{
    labelled_set s = make_set(9, 3);
    spd_method nn = method_sized("nn-airm", NAN), ml = method_sized("nn-airm-ml", 9);
    spd_samples t = s.samples;
    OWN(spd_classifier) c = NULL;
    int label[P];
    t.label = NULL;
    refuse(&nn, &t, NULL, "no labels");
    t.label = s.label;
    refuse(&ml, &t, NULL, "m = 9");
    spd_model other = {.n = 7, .m = 2};
    refuse(&nn, &t, &other, "7 x 7");
    t.p = 0;
    refuse(&nn, &t, NULL, "no training samples");
    t.p = 1;
    refuse(&nn, &t, NULL, "one class");
    t.p = P;
    t.classes = 2;
    refuse(&nn, &t, NULL, "class 2");
    t.classes = 3;
    spd_method src = method_sized("src", NAN);
    refuse(&src, &t, NULL, "vectors");
    spd_method bad = method_sized("knn-airm", NAN);
    bad.value[SPD_PARAMETER_K] = 1.5;
    refuse(&bad, &t, NULL, "k = 1.5");
    CHECK(spd_classifier_fit(NULL, &nn, &t, NULL, &c) == SPD_OK, " ");
    spd_samples q = t;
    q.p = 0;
    CHECK(spd_classifier_predict(NULL, c, &q, label) == SPD_EINVAL, "no queries");
    q = t;
    q.n = 4;
    CHECK(spd_classifier_predict(NULL, c, &q, label) == SPD_EINVAL, "other size");
    spd_classifier_free(NULL);
}

/* The blocks of -multi are the maps that -ml learns to n/8 and n/2 (n/4 is the same here), and X
 * itself: squared distances add up. */
TEST(several_maps)
{
    static const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                         SPD_METRIC_LOG_EUCLIDEAN};
    static const char *const names[] = {"nn-stein-multi", "nn-airm-multi", "nn-jeffrey-multi",
                                        "nn-log-euclidean-multi"};
    labelled_set s = make_set(11, 3);
    for (size_t k = 0; k < 4; k++) {
        FREED_BY(arena_free) arena here = {0};
        spd_method method = method_sized(names[k], 1);
        samples mapped = s.samples;
        map a;
        double whole, sum;
        CHECK(map_fit(NULL, &method, &mapped, (map_graph){0}, &here, &a) == SPD_OK, " ");
        CHECK(a.parts == 2 && a.m == 5 + 1 + 3, "%zu parts, %zu", a.parts, a.m);
        CHECK(map_apply(NULL, &a, &here, &mapped) == SPD_OK && mapped.n == a.m, " ");
        spd_distance2(NULL, metrics[k], a.m, mapped.X, mapped.X + a.m * a.m, &whole);
        spd_distance2(NULL, metrics[k], N, s.X, s.X + N * N, &sum);
        for (size_t i = 0; i < a.parts; i++) {
            spd_method one = method_sized("nn-stein-ml", (double)a.part[i]->m);
            double S[2 * N * N], d2;
            map b;
            one.metric = metrics[k];
            CHECK(map_fit(NULL, &one, &s.samples, (map_graph){0}, &here, &b) == SPD_OK, " ");
            CHECK(memcmp(b.W, a.part[i]->W, N * b.m * sizeof *b.W) == 0, "another map");
            spd_congruence(NULL, SPD_SET(N, 2, s.X), b.m, b.W, S);
            spd_distance2(NULL, metrics[k], b.m, S, S + b.m * b.m, &d2);
            sum += d2;
            map_free(&b);
        }
        CHECK_CLOSE(whole, sum, 1e-10, "%s", names[k]);
        map_free(&a);
    }
}

/* W of -bag is the leading eigenvectors of the sum of W W' of maps that are learned, roughly, without
 * a fifth of each class. */
TEST(mean_of_maps)
{
    FREED_BY(arena_free) arena here = {0};
    labelled_set s = make_set(12, 3);
    spd_method bag = method_sized("krr-stein-bag", 1), one = method_sized("nn-stein-ml", 1);
    size_t fold[P], sizes[] = {1, 3};
    classes c;
    map a;
    CHECK(map_fit(NULL, &bag, &s.samples, (map_graph){0}, &here, &a) == SPD_OK, " ");
    CHECK(a.parts == 2 && a.m == 5 + 1 + 3 && a.fits == 10, "%zu parts, %zu fits", a.parts, a.fits);
    CHECK(classes_sort(NULL, P, s.label, &here, &c) == SPD_OK, " ");
    folds_deal(P, &c, 5, 1, fold);
    for (size_t k = 0; k < 2; k++) {
        double sum[N * N] = {0}, values[N], own = 0.0;
        one.value[SPD_PARAMETER_M] = (double)sizes[k];
        for (size_t f = 0; f < 5; f++) {
            size_t index[P], count = 0;
            OWN(spd_samples) part = NULL;
            map b;
            for (size_t i = 0; i < P; i++)
                if (fold[i] != f)
                    index[count++] = i;
            spd_samples_subset(NULL, &s.samples, count, index, &part);
            CHECK(count >= P / 2 && count < P, "fold %zu", f);
            CHECK(map_fit(NULL, &one, part, (map_graph){.roughly = 1}, &here, &b) == SPD_OK, " ");
            for (size_t e = 0; e < N * N; e++)
                for (size_t j = 0; j < b.m; j++)
                    sum[e] += b.W[e / N * b.m + j] * b.W[e % N * b.m + j] / 5;
            map_free(&b);
        }
        /* the share of the sum in the span is that of its largest eigenvalues */
        const double *W = a.part[k]->W;
        for (size_t j = 0; j < sizes[k]; j++)
            for (size_t e = 0; e < N * N; e++)
                own += W[e / N * sizes[k] + j] * sum[e] * W[e % N * sizes[k] + j];
        twin_eigh(N, sum, values, NULL);
        double best = 0.0;
        for (size_t j = 0; j < sizes[k]; j++)
            best += values[N - 1 - j];
        CHECK_CLOSE(own, best, 1e-9, "size %zu", sizes[k]);
        CHECK(a.part[k]->iterations == 0 && best < (double)sizes[k] - 1e-6, "all maps are equal");
    }
    map_free(&a);
    CHECK(map_fit(NULL, &bag, &s.samples, (map_graph){.roughly = 1}, &here, &a) == SPD_OK, " ");
    CHECK(a.parts == 2 && a.fits == 2, "maps to choose by are those of multi");
    map_free(&a);
}

/* One pair in all: parts without it learn from all samples, as -multi does. */
TEST(mean_of_maps_of_few)
{
    FREED_BY(arena_free) arena here = {0};
    labelled_set s = make_set(12, 3);
    const char *const names[] = {"krr-stein-bag", "krr-stein-multi"};
    const size_t index[] = {0, 3, 1};
    OWN(spd_samples) few = NULL;
    CHECK(spd_samples_subset(NULL, &s.samples, 3, index, &few) == SPD_OK, " ");
    CHECK(few->label[0] == few->label[1] && few->label[0] != few->label[2], "other labels");
    for (size_t k = 0; k < 2; k++) {
        spd_context *ctx = context_on(1);
        spd_method method = method_sized(names[k], 1);
        map a;
        CHECK(map_fit(ctx, &method, few, (map_graph){0}, &here, &a) == SPD_OK, "%s", names[k]);
        CHECK(a.parts == 2, "%zu parts", a.parts);
        map_free(&a);
    }
}

/* Every allocation of every map and a classifier behind it fails once. */
TEST(allocation_sweep)
{
    const char *names[] = {"nn-airm",       "mdm-stein-csp",   "nn-stein-ml",    "pca-nn-airm",
                           "knn-airm-mean", "nn-stein-random", "nn-stein-multi", "nn-stein-bag"};
    labelled_set s = make_set(10, 3);
    spd_context *ctx = context_on(1);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        spd_method method = method_sized(names[k], 2);
        int label[P];
        for (sweep_state w = SWEEP(ctx, 2, NULL, 0); sweep_on(&w);) {
            OWN(spd_classifier) c = NULL;
            w.what = names[k];
            w.remarks = 1;
            w.status = spd_classifier_fit(ctx, &method, &s.samples, NULL, &c);
            if (w.status >= 0)
                w.status = spd_classifier_predict(ctx, c, &s.samples, label);
        }
    }
}
