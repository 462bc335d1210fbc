/* test_alignment.c - normalising and recentring: against a twin that follows the definitions one
 * matrix at a time, for every way that samples take to a classifier. */
#include "unit/test_classify_common.h"
#include "evaluate/trained.h"

#define N 4
#define P 36
#define Q 24

/* X (n x n) <- divided by the arithmetic or geometric mean of its eigenvalues. */
static void twin_normalize(spd_normalization how, size_t n, double *X)
{
    SCOPE;
    double *lambda = block(n), *V = block(n * n), size = 0.0;
    twin_eigh(n, X, lambda, V);
    for (size_t k = 0; k < n; k++)
        size += (how == SPD_NORMALIZATION_TRACE ? lambda[k] : log(lambda[k])) / (double)n;
    if (how == SPD_NORMALIZATION_DETERMINANT)
        size = exp(size);
    for (size_t e = 0; e < n * n && how != SPD_NORMALIZATION_NONE; e++)
        X[e] /= size;
}

/* X <- every group to the identity. */
static void twin_recenter(size_t n, size_t p, const int *group, double *X)
{
    SCOPE;
    double *weight = block(p), *center = block(n * n), *moved = block(n * n), *M = block(n * n);
    for (int g = 0; g < 10; g++) {
        double any = 0.0;
        for (size_t i = 0; i < p; i++)
            any += weight[i] = group[i] == g;
        if (any > 0.0)
            twin_center(n, p, X, weight, M, center);
        for (size_t i = 0; i < p; i++)
            if (weight[i] > 0.0) {
                congruent(n, n, center, X + i * n * n, moved);
                memcpy(X + i * n * n, moved, n * n * sizeof *X);
            }
    }
}

/* Samples of groups (first, first + 1, ...), each seen through a congruence of its own. */
static labelled_set seen(uint64_t seed, size_t p, int first, int groups, int *group)
{
    labelled_set s = labelled_random(seed, N, p, 3, 0.15);
    rng r = seeded(seed + 1);
    double *M = block(N * N), *moved = block(N * N);
    for (int g = 0; g < groups; g++) {
        random_gl(&r, N, 10.0, M);
        for (size_t i = 0; i < p; i++)
            if (((int)i / 3) % groups == g) {
                group[i] = first + g;
                congruent(N, N, M, s.X + i * N * N, moved);
                memcpy(s.X + i * N * N, moved, N * N * sizeof *moved);
            }
    }
    s.samples.group = group;
    return s;
}

static spd_method named(const char *name, spd_normalization normalize, spd_recentering recenter)
{
    spd_method method = method_of(name);
    method.normalize = normalize;
    method.recenter = recenter;
    return method;
}

static spd_classifier *fitted(const spd_method *method, const spd_samples *train)
{
    spd_classifier *c = NULL;
    CHECK_OK(NULL, spd_classifier_fit(NULL, method, train, NULL, &c));
    return c;
}

TEST(training_samples)
{
    int group[P], one[P] = {0};
    labelled_set train = seen(3, P, 0, 3, group);
    for (unsigned how = 0; how <= SPD_NORMALIZATION_DETERMINANT; how++)
        for (unsigned to = 0; to <= SPD_RECENTERING_TRAINING; to++) {
            spd_method method = named("nn-airm", (spd_normalization)how, (spd_recentering)to);
            OWN(spd_classifier) c = fitted(&method, &train.samples);
            double *X = copy_of(P * N * N, train.X);
            for (size_t i = 0; i < P; i++)
                twin_normalize((spd_normalization)how, N, X + i * N * N);
            if (to != SPD_RECENTERING_NONE)
                twin_recenter(N, P, to == SPD_RECENTERING_GROUPS ? group : one, X);
            double gap = relative_gap(P * N * N, c->state.train.X, X);
            CHECK(gap < 1e-9, "%u, %u: %g", how, to, gap);
        }
}

/* Complex matrices: as their real forms, whose means and determinants belong together. */
TEST(hermitian_samples)
{
    int group[P];
    labelled_set train = seen(3, P, 0, 3, group);
    double *Z = block(P * N * N / 2), *X = block(P * N * N);
    for (size_t i = 0; i < P; i++)
        for (size_t a = 0; a < N / 2; a++)
            for (size_t b = 0; b < N / 2; b++) {
                const double *A = train.X + i * N * N;
                size_t at = 2 * (i * N * N / 4 + a * N / 2 + b);
                Z[at] = A[a * N + b] + (a == b ? 1.0 : 0.0);
                Z[at + 1] = a == b ? 0.0 : a < b ? 0.3 : -0.3;
            }
    spd_complex_embed(N / 2, N / 2, P, Z, X);
    train.samples.X = X;
    train.samples.hermitian = 1;
    for (unsigned how = 0; how <= SPD_NORMALIZATION_DETERMINANT; how++) {
        spd_method method = named("nn-airm", (spd_normalization)how, SPD_RECENTERING_GROUPS);
        OWN(spd_classifier) c = fitted(&method, &train.samples);
        double *Y = copy_of(P * N * N, X);
        for (size_t i = 0; i < P; i++)
            twin_normalize((spd_normalization)how, N, Y + i * N * N);
        twin_recenter(N, P, group, Y);
        CHECK(relative_gap(P * N * N, c->state.train.X, Y) < 1e-9, "%u", how);
    }
}

/* Classes of queries that the twin has aligned, by a method that aligns nothing. */
static void twin_predict(const spd_samples *train, const spd_samples *queries, const double *A,
                         const double *B, int *label, double *score)
{
    spd_method method = named("mdm-airm", SPD_NORMALIZATION_NONE, SPD_RECENTERING_NONE);
    spd_samples moved = *train, asked = *queries;
    moved.X = A;
    asked.X = B;
    OWN(spd_classifier) c = fitted(&method, &moved);
    CHECK_OK(NULL, spd_classifier_scores(NULL, c, &asked, label, score));
}

/* Queries of two new groups, whose classes come in unequal numbers: by their own means. */
TEST(new_groups_by_their_own_mean)
{
    int group[P], other[Q], label[Q], wanted[Q];
    double score[Q * 3], expected[Q * 3];
    labelled_set train = seen(3, P, 0, 3, group), queries = seen(11, Q, 5, 2, other);
    for (size_t i = 0; i < Q; i++) /* fewer of class 2: others are nearly of class 0 */
        for (size_t e = 0; i > 9 && i % 3 == 2 && e < N * N; e++)
            queries.X[i * N * N + e] = 1.1 * queries.X[(i - 2) * N * N + e];
    spd_method method = named("mdm-airm", SPD_NORMALIZATION_TRACE, SPD_RECENTERING_GROUPS);
    OWN(spd_classifier) c = fitted(&method, &train.samples);
    CHECK_OK(NULL, spd_classifier_scores(NULL, c, &queries.samples, label, score));
    double *A = copy_of(P * N * N, train.X), *B = copy_of(Q * N * N, queries.X);
    for (size_t i = 0; i < P; i++)
        twin_normalize(SPD_NORMALIZATION_TRACE, N, A + i * N * N);
    for (size_t i = 0; i < Q; i++)
        twin_normalize(SPD_NORMALIZATION_TRACE, N, B + i * N * N);
    twin_recenter(N, P, group, A);
    twin_recenter(N, Q, other, B);
    twin_predict(&train.samples, &queries.samples, A, B, wanted, expected);
    CHECK(memcmp(label, wanted, sizeof label) == 0, "classes");
    double gap = relative_gap(Q * 3, score, expected);
    CHECK(gap < 1e-8, "%g", gap);
}

/* A group of training is moved as it was then: one matrix is enough, and whoever comes with it does
 * not matter. The same of the mean of training. */
TEST(known_groups_by_their_mean_of_training)
{
    int group[P], own[P];
    double all[P * 3], alone[3];
    labelled_set train = seen(3, P, 4, 3, group);
    for (unsigned to = SPD_RECENTERING_GROUPS; to <= SPD_RECENTERING_TRAINING; to++) {
        spd_method method = named("nn-airm", SPD_NORMALIZATION_NONE, (spd_recentering)to);
        OWN(spd_classifier) c = fitted(&method, &train.samples);
        CHECK_OK(NULL, spd_classifier_scores(NULL, c, &train.samples, own, all));
        CHECK(memcmp(own, train.label, sizeof own) == 0, "each is its own neighbour");
        for (size_t i = 0; i < P; i++) {
            spd_samples one = train.samples;
            one.p = 1;
            one.X = train.X + i * N * N;
            one.group = group + i;
            CHECK_CLOSE(all[i * 3 + (size_t)own[i]], 0.0, 1e-10, "%zu", i);
            CHECK_OK(NULL, spd_classifier_scores(NULL, c, &one, NULL, alone));
            CHECK(relative_gap(3, alone, all + i * 3) < 1e-10, "%zu", i);
        }
    }
}

/* Kept in a file: the same bits. */
TEST(kept_in_a_file)
{
    int group[P], other[Q];
    labelled_set train = seen(3, P, 0, 3, group), queries = seen(11, Q, 2, 2, other);
    const char *const name[] = {"ann", "bob", "cy"};
    for (unsigned to = SPD_RECENTERING_GROUPS; to <= SPD_RECENTERING_TRAINING; to++) {
        spd_method method = named("nn-airm", SPD_NORMALIZATION_DETERMINANT, (spd_recentering)to);
        OWN(spd_classifier) c = fitted(&method, &train.samples);
        spd_metadata notes = *spd_classifier_metadata(c);
        double score[Q * 3], same[Q * 3];
        notes.group_column = "subject";
        notes.groups = 3;
        notes.group_name = name;
        CHECK_OK(NULL, spd_classifier_set_metadata(NULL, c, &notes));
        const spd_classifier *loaded = read_back(c);
        const spd_metadata *read = spd_classifier_metadata(loaded);
        const spd_method *used = spd_classifier_method(loaded);
        CHECK(read->groups == 3 && strcmp(read->group_name[1], "bob") == 0 &&
                  strcmp(read->group_column, "subject") == 0,
              "names");
        CHECK(used->normalize == method.normalize && used->recenter == method.recenter,
              "what is done");
        CHECK_OK(NULL, spd_classifier_scores(NULL, c, &queries.samples, NULL, score));
        CHECK_OK(NULL, spd_classifier_scores(NULL, loaded, &queries.samples, NULL, same));
        CHECK(memcmp(score, same, sizeof score) == 0, "loaded");
    }
}

typedef struct found {
    size_t train, test;
    int predicted[P];
} found;

/* The last round of leaving out one group at a time. */
static found left_out(const spd_samples *s, double share)
{
    spd_method method = named("mdm-airm", SPD_NORMALIZATION_NONE, SPD_RECENTERING_GROUPS);
    const spd_method *list = &method;
    spd_evaluate_options o;
    OWN(spd_evaluation) e = NULL;
    spd_evaluate_defaults(&o, sizeof o);
    o.methods = 1;
    o.method = &list;
    o.protocol = SPD_PROTOCOL_LEAVE_OUT;
    o.group = s->group;
    o.calibration = share;
    CHECK_OK(NULL, spd_evaluate(NULL, s, &o, &e));
    const spd_round *r = e->round[e->rounds - 1];
    found f = {r->train_count, r->test_count, {0}};
    memcpy(f.predicted, e->method[0]->outcome[e->rounds - 1]->predicted,
           r->test_count * sizeof *f.predicted);
    return f;
}

TEST(calibration)
{
    int group[P];
    labelled_set s = seen(3, P, 0, 3, group);
    found none = left_out(&s.samples, 0.0), half = left_out(&s.samples, 0.5);
    CHECK(none.train == 24 && none.test == 12, "none");
    CHECK(half.train == 30 && half.test == 6, "half");
    /* The calibration alone says where the group is: that all of it has another scale does not
     * matter, and neither does what else is tested. */
    double *X = copy_of(P * N * N, s.X);
    for (size_t e = 0; e < P * N * N; e++)
        X[e] *= group[e / (N * N)] == 2 ? 50.0 : 1.0;
    s.samples.X = X;
    found same = left_out(&s.samples, 0.5);
    CHECK(memcmp(same.predicted, half.predicted, sizeof same.predicted) == 0, "the group moves");
    for (size_t i = 0, k = 0; i < P; i++)
        if (group[i] == 2 && ++k > 7) /* all tested but the first */
            memcpy(X + i * N * N, X + (i - 1) * N * N, N * N * sizeof *X);
    found first = left_out(&s.samples, 0.5);
    CHECK(first.predicted[0] == same.predicted[0], "the other tested ones have no say");
}

TEST(refused)
{
    int group[P], other[Q], label[Q];
    labelled_set train = seen(3, P, 0, 3, group), queries = seen(11, Q, 5, 2, other);
    spd_context *ctx = context_on(1);
    spd_method method = named("nn-airm", SPD_NORMALIZATION_NONE, SPD_RECENTERING_GROUPS);
    spd_classifier *c = NULL;
    group[0] = 9;
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &method, &train.samples, NULL, &c), SPD_EINVAL,
                 "one matrix");
    group[0] = -1;
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &method, &train.samples, NULL, &c), SPD_EINVAL,
                 "1 samples are in no group");
    group[0] = 0;
    const double was = train.X[5 * N * N];
    train.X[5 * N * N] = NAN;
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &method, &train.samples, NULL, &c), SPD_ENOTFINITE,
                 "X[5] holds NaN");
    method.normalize = SPD_NORMALIZATION_TRACE;
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &method, &train.samples, NULL, &c), SPD_ENOTFINITE,
                 "X[5] holds NaN");
    train.X[5 * N * N] = was;
    method.normalize = (spd_normalization)7;
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &method, &train.samples, NULL, &c), SPD_EINVAL,
                 "unknown normalisation");
    spd_method vectors = named("src", SPD_NORMALIZATION_TRACE, SPD_RECENTERING_NONE);
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &vectors, &train.samples, NULL, &c), SPD_EINVAL,
                 "src works on vectors");
    method.normalize = SPD_NORMALIZATION_NONE;
    CHECK_OK(ctx, spd_classifier_fit(ctx, &method, &train.samples, NULL, &c));
    queries.samples.p = 1;
    CHECK_FAILED(ctx, spd_classifier_predict(ctx, c, &queries.samples, label), SPD_EINVAL,
                 "one matrix");
    queries.samples.p = Q;
    queries.samples.n = 2;
    CHECK_FAILED(ctx, spd_classifier_predict(ctx, c, &queries.samples, label), SPD_EINVAL, "2 x 2");
    spd_classifier_free(c);
}
