/* test_trained.c - a trained method from outside, for every classifier: the same labels as its
 * steps one after the other, the remarks of its steps, and what it refuses. */
#include "classify_steps.h"

#define N 4
#define P 24
#define Q 12

static labelled_set both_random(uint64_t seed, size_t p)
{
    return labelled_both(seed, N, p, 0.3, 3, 4);
}

/* A classifier on the samples; NULL and a message where they do not suit it. */
static spd_classifier *fitted(spd_context *ctx, const char *name, const spd_samples *train)
{
    const spd_method method = method_of(name);
    spd_classifier *c = NULL;
    spd_status status = spd_classifier_fit(ctx, &method, train, NULL, &c);
    CHECK((status < 0) == !c, "%s: %d", name, status);
    return c;
}

TEST(same_labels_as_the_steps)
{
    labelled_set train = both_random(1, P), queries = both_random(2, Q);
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++) {
        const char *name = spd_name(SPD_ENUM_CLASSIFIER, (spd_classifier_kind)kind);
        if (strcmp(name, "gsrc") == 0)
            continue; /* its filters want larger images */
        OWN(spd_classifier) c = fitted(NULL, name, &train.samples);
        int label[Q], expected[Q];
        memset(label, 0x55, sizeof label);
        spd_status status = spd_classifier_predict(NULL, c, &queries.samples, label);
        CHECK(status >= 0, "%s: %d", name, status);
        const spd_method *used = spd_classifier_method(c);
        CHECK(used->classifier == kind && !spd_classifier_model(c), "%s", name);
        steps_run(NULL, classifier_of(used->classifier), used, &train.samples, &queries.samples,
                  expected);
        CHECK(memcmp(label, expected, sizeof label) == 0, "%s", name);
        size_t right = steps_correct(&queries.samples, label);
        CHECK(right >= Q / 2, "%s: %zu right", name, right);
    }
}

/* The label has the best of its scores, of which there is one for every class with samples. */
TEST(scores_go_with_labels)
{
    labelled_set train = both_random(1, P), queries = both_random(2, Q);
    train.samples.classes = 4; /* the last has no samples */
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++) {
        const char *name = spd_name(SPD_ENUM_CLASSIFIER, (spd_classifier_kind)kind);
        spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
        int label[Q], alone[Q];
        double score[Q * 4];
        if (strcmp(name, "gsrc") == 0)
            continue; /* its filters want larger images */
        OWN(spd_classifier) c = fitted(NULL, name, &train.samples);
        CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK && facts.score, "%s", name);
        spd_status status = spd_classifier_scores(NULL, c, &queries.samples, label, score);
        CHECK(status >= 0, "%s: %d", name, status);
        CHECK(spd_classifier_predict(NULL, c, &queries.samples, alone) >= 0, "%s", name);
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
    labelled_set train = both_random(1, P), queries = both_random(2, Q);
    OWN(spd_classifier) nn = fitted(NULL, "nn-airm", &train.samples);
    OWN(spd_classifier) mdm = fitted(NULL, "mdm-airm", &train.samples);
    double score[Q * 3], means[Q * 3], d2[P * Q], M[N * N], to_mean[Q];
    CHECK(spd_classifier_scores(NULL, nn, &queries.samples, NULL, score) == SPD_OK, " ");
    CHECK(spd_classifier_scores(NULL, mdm, &queries.samples, NULL, means) == SPD_OK, " ");
    spd_pairwise2(NULL, SPD_METRIC_AIRM, SPD_SET(N, P, train.X), SPD_SET(N, Q, queries.X), d2);
    for (size_t k = 0; k < 3; k++) {
        double part[P * N * N];
        size_t count = 0;
        for (size_t j = 0; j < P; j++)
            if ((size_t)train.label[j] == k)
                memcpy(part + count++ * N * N, train.X + j * N * N, N * N * sizeof *part);
        spd_mean(NULL, SPD_METRIC_AIRM, SPD_SET(N, count, part), NULL, M, NULL);
        spd_pairwise2(NULL, SPD_METRIC_AIRM, SPD_SET(N, 1, M), SPD_SET(N, Q, queries.X), to_mean);
        for (size_t i = 0; i < Q; i++) {
            double least = INFINITY;
            for (size_t j = 0; j < P; j++)
                if ((size_t)train.label[j] == k)
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

TEST(training_that_is_refused)
{
    spd_context *ctx = context_on(0);
    labelled_set train = both_random(1, P);
    spd_samples part = train.samples;
    spd_method nn = method_of("nn-airm"), src = method_of("src"), odd = nn;
    spd_classifier *c = NULL;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, NULL), "no room for a classifier");
    refused(ctx, spd_classifier_fit(ctx, NULL, &part, NULL, &c), "no method given");
    spd_model model = {.n = N, .m = 2};
    refused(ctx, spd_classifier_fit(ctx, &src, &part, &model, &c), "src works on vectors");
    model.n = N + 1;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, &model, &c), "the model maps 5 x 5 matrices");
    odd.classifier = SPD_CLASSIFIERS;
    refused(ctx, spd_classifier_fit(ctx, &odd, &part, NULL, &c), "unknown classifier or map");
    odd = nn;
    odd.map = SPD_MAPS;
    refused(ctx, spd_classifier_fit(ctx, &odd, &part, NULL, &c), "unknown classifier or map");
    part.X = NULL;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "nn needs SPD matrices");
    part = train.samples;
    part.V = NULL;
    refused(ctx, spd_classifier_fit(ctx, &src, &part, NULL, &c), "src needs vectors");
    part = train.samples;
    part.label = NULL;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "no labels");
    part = train.samples;
    part.p = 0;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "no training samples");
    part.p = 1;
    refused(ctx, spd_classifier_fit(ctx, &nn, &part, NULL, &c), "of one class");
    CHECK(!c, "a classifier in spite of all");
}

TEST(queries_that_are_refused)
{
    spd_context *ctx = context_on(0);
    labelled_set train = both_random(1, P), queries = both_random(2, Q);
    OWN(spd_classifier) nn = fitted(ctx, "nn-airm", &train.samples);
    OWN(spd_classifier) src = fitted(ctx, "src", &train.samples);
    int label[Q];
    spd_samples part = queries.samples;
    refused(ctx, spd_classifier_predict(ctx, NULL, &part, label), "is missing");
    refused(ctx, spd_classifier_predict(ctx, nn, &part, NULL), "is missing");
    part.p = 0;
    refused(ctx, spd_classifier_predict(ctx, nn, &part, label), "no samples to classify");
    part = queries.samples;
    part.X = NULL;
    refused(ctx, spd_classifier_predict(ctx, nn, &part, label), "nn needs SPD matrices");
    part = queries.samples;
    part.n = 2;
    refused(ctx, spd_classifier_predict(ctx, nn, &part, label), "to classify are 2 x 2, but");
    part = queries.samples;
    part.V = NULL;
    refused(ctx, spd_classifier_predict(ctx, src, &part, label), "src needs vectors");
    part = queries.samples;
    part.height = 1;
    refused(ctx, spd_classifier_predict(ctx, src, &part, label), "to classify are 1 x 4, but");
    part = queries.samples;
    part.width = 2;
    refused(ctx, spd_classifier_predict(ctx, src, &part, label), "to classify are 3 x 2, but");
}
