/* test_trained.c - a trained method from outside, for every classifier: the same labels as its
 * steps one after the other, the remarks of its steps, and what it refuses. */
#include "classify_steps.h"

#define N 4
#define P 24
#define Q 12
#define D 12 /* numbers in a vector */

/* Matrices, and vectors of 3 x 4 that belong to the same classes. */
typedef struct both_set {
    labelled_set set;
    double *V;
} both_set;

static both_set both_random(uint64_t seed, size_t p)
{
    both_set s = {.set = labelled_random(seed, N, p, 3, 0.3), .V = block(p * D)};
    rng r = seeded(seed);
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < D; e++)
            s.V[i * D + e] = (e % 3 == i % 3 ? 2.0 : 0.5) + 0.3 * rng_normal(&r);
    s.set.samples.V = s.V;
    s.set.samples.height = 3;
    s.set.samples.width = 4;
    return s;
}

TEST(same_labels_as_the_steps)
{
    both_set train = both_random(1, P), queries = both_random(2, Q);
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++) {
        const char *name = spd_name(SPD_ENUM_CLASSIFIER, (spd_classifier_kind)kind);
        if (strcmp(name, "gsrc") == 0)
            continue; /* its filters want larger images */
        spd_method method = SPD_STRUCT(spd_method);
        OWN(spd_classifier) c = NULL;
        int label[Q], expected[Q];
        CHECK(spd_method_parse(NULL, name, &method) == SPD_OK, "%s", name);
        spd_status status = spd_classifier_fit(NULL, &method, &train.set.samples, NULL, &c);
        CHECK(status >= 0 && c, "%s: %d", name, status);
        memset(label, 0x55, sizeof label);
        status = spd_classifier_predict(NULL, c, &queries.set.samples, label);
        CHECK(status >= 0, "%s: %d", name, status);
        const spd_method *used = spd_classifier_method(c);
        CHECK(used->classifier == method.classifier && !spd_classifier_model(c), "%s", name);
        steps_run(NULL, classifier_of(method.classifier), used, &train.set.samples,
                  &queries.set.samples, expected);
        CHECK(memcmp(label, expected, sizeof label) == 0, "%s", name);
        size_t right = steps_correct(&queries.set.samples, label);
        CHECK(right >= Q / 2, "%s: %zu right", name, right);
    }
}

/* The label has the best of its scores, of which there is one for every class with samples. */
TEST(scores_go_with_labels)
{
    both_set train = both_random(1, P), queries = both_random(2, Q);
    train.set.samples.classes = 4; /* the last has no samples */
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++) {
        const char *name = spd_name(SPD_ENUM_CLASSIFIER, (spd_classifier_kind)kind);
        spd_method method = SPD_STRUCT(spd_method);
        OWN(spd_classifier) c = NULL;
        spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
        int label[Q], alone[Q];
        double score[Q * 4];
        if (strcmp(name, "gsrc") == 0)
            continue; /* its filters want larger images */
        CHECK(spd_method_parse(NULL, name, &method) == SPD_OK, "%s", name);
        CHECK(spd_classifier_fit(NULL, &method, &train.set.samples, NULL, &c) >= 0, "%s", name);
        CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK && facts.score, "%s", name);
        spd_status status = spd_classifier_scores(NULL, c, &queries.set.samples, label, score);
        CHECK(status >= 0, "%s: %d", name, status);
        CHECK(spd_classifier_predict(NULL, c, &queries.set.samples, alone) >= 0, "%s", name);
        CHECK(memcmp(label, alone, sizeof label) == 0, "%s", name);
        for (size_t i = 0; i < Q; i++)
            for (size_t k = 0; k < 3; k++) {
                double own = score[i * 4 + (size_t)label[i]], other = score[i * 4 + k];
                CHECK(facts.score_falls ? own <= other : own >= other, "%s, sample %zu: %g, %g",
                      name, i, own, other);
            }
        int open = kind == SPD_CLASSIFIER_CDL ||
                   kind == SPD_CLASSIFIER_KNN; /* a class without samples has a number */
        CHECK(open || isnan(score[3]), "%s: %g", name, score[3]);
    }
}

/* The distances of nn and mdm, one by one. */
TEST(scores_are_distances)
{
    both_set train = both_random(1, P), queries = both_random(2, Q);
    OWN(spd_classifier) nn = NULL, *mdm = NULL;
    spd_method method = SPD_STRUCT(spd_method);
    double score[Q * 3], means[Q * 3], d2[P * Q], M[N * N], to_mean[Q];
    CHECK(spd_method_parse(NULL, "nn-airm", &method) == SPD_OK, " ");
    CHECK(spd_classifier_fit(NULL, &method, &train.set.samples, NULL, &nn) >= 0, " ");
    CHECK(spd_method_parse(NULL, "mdm-airm", &method) == SPD_OK, " ");
    CHECK(spd_classifier_fit(NULL, &method, &train.set.samples, NULL, &mdm) >= 0, " ");
    CHECK(spd_classifier_scores(NULL, nn, &queries.set.samples, NULL, score) == SPD_OK, " ");
    CHECK(spd_classifier_scores(NULL, mdm, &queries.set.samples, NULL, means) == SPD_OK, " ");
    spd_pairwise2(NULL, SPD_METRIC_AIRM, SPD_SET(N, P, train.set.X), SPD_SET(N, Q, queries.set.X),
                  d2);
    for (size_t k = 0; k < 3; k++) {
        double part[P * N * N];
        size_t count = 0;
        for (size_t j = 0; j < P; j++)
            if ((size_t)train.set.label[j] == k)
                memcpy(part + count++ * N * N, train.set.X + j * N * N, N * N * sizeof *part);
        spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(N, count, part), NULL, M, NULL);
        spd_pairwise2(NULL, SPD_METRIC_AIRM, SPD_SET(N, 1, M), SPD_SET(N, Q, queries.set.X),
                      to_mean);
        for (size_t i = 0; i < Q; i++) {
            double least = INFINITY;
            for (size_t j = 0; j < P; j++)
                if ((size_t)train.set.label[j] == k)
                    least = fmin(least, d2[j * Q + i]);
            CHECK(fabs(score[i * 3 + k] - least) <= 1e-9 * (1.0 + least), "nn: %g, %g",
                  score[i * 3 + k], least);
            CHECK(fabs(means[i * 3 + k] - to_mean[i]) <= 1e-6 * (1.0 + to_mean[i]), "mdm: %g, %g",
                  means[i * 3 + k], to_mean[i]);
        }
    }
}

static void refused(spd_context *ctx, spd_status status, const char *words)
{
    CHECK(status == SPD_EINVAL, "%s: %d", words, status);
    CHECK(strstr(said(ctx), words), "'%s' instead of '%s'", said(ctx), words);
}

/* A classifier on the samples; NULL and a message where they do not suit it. */
static spd_classifier *fitted(spd_context *ctx, const char *name, const spd_samples *train)
{
    spd_method method = SPD_STRUCT(spd_method);
    spd_classifier *c = NULL;
    CHECK(spd_method_parse(ctx, name, &method) == SPD_OK, "%s", name);
    spd_status status = spd_classifier_fit(ctx, &method, train, NULL, &c);
    CHECK((status < 0) == !c, "%s: %d", name, status);
    return c;
}

TEST(training_that_is_refused)
{
    spd_context *ctx = context_on(0);
    both_set train = both_random(1, P);
    spd_samples part = train.set.samples;
    spd_method nn = SPD_STRUCT(spd_method), src = SPD_STRUCT(spd_method),
               odd = SPD_STRUCT(spd_method);
    spd_method_parse(ctx, "nn-airm", &nn);
    spd_method_parse(ctx, "src", &src);
    spd_classifier *c = NULL;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, NULL), "no room for a classifier");
    refused(ctx, spd_classifier_fit(ctx, NULL, &part, NULL, &c), "no method given");
    spd_model model = {.n = N, .m = 2};
    refused(ctx, spd_classifier_fit(ctx, &src, &part, &model, &c), "src works on vectors");
    model.n = N + 1;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, &model, &c), "the model maps 5 x 5 matrices");
    odd = nn;
    odd.classifier = SPD_CLASSIFIERS;
    refused(ctx, spd_classifier_fit(ctx, &odd, &part, NULL, &c), "unknown classifier or map");
    odd = nn;
    odd.map = SPD_MAPS;
    refused(ctx, spd_classifier_fit(ctx, &odd, &part, NULL, &c), "unknown classifier or map");
    part.X = NULL;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "nn needs SPD matrices");
    part = train.set.samples;
    part.V = NULL;
    refused(ctx, spd_classifier_fit(ctx, &src, &part, NULL, &c), "src needs vectors");
    part = train.set.samples;
    part.label = NULL;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "no labels");
    part = train.set.samples;
    part.p = 0;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "no training samples");
    part.p = 1;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "of one class");
    CHECK(!c, "a classifier in spite of all");
}

TEST(queries_that_are_refused)
{
    spd_context *ctx = context_on(0);
    both_set train = both_random(1, P), queries = both_random(2, Q);
    OWN(spd_classifier) nn = fitted(ctx, "nn-airm", &train.set.samples);
    OWN(spd_classifier) src = fitted(ctx, "src", &train.set.samples);
    int label[Q];
    spd_samples part = queries.set.samples;
    refused(ctx, spd_classifier_predict(ctx, NULL, &part, label), "is missing");
    refused(ctx, spd_classifier_predict(ctx, nn, &part, NULL), "is missing");
    part.p = 0;
    refused(ctx, spd_classifier_predict(ctx, nn, &part, label), "no samples to classify");
    part = queries.set.samples;
    part.X = NULL;
    refused(ctx, spd_classifier_predict(ctx, nn, &part, label), "nn needs SPD matrices");
    part = queries.set.samples;
    part.n = 2;
    refused(ctx, spd_classifier_predict(ctx, nn, &part, label), "to classify are 2 x 2, but");
    part = queries.set.samples;
    part.V = NULL;
    refused(ctx, spd_classifier_predict(ctx, src, &part, label), "src needs vectors");
    part = queries.set.samples;
    part.height = 1;
    refused(ctx, spd_classifier_predict(ctx, src, &part, label), "to classify are 1 x 4, but");
    part = queries.set.samples;
    part.width = 2;
    refused(ctx, spd_classifier_predict(ctx, src, &part, label), "to classify are 3 x 2, but");
}
