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
    rng r;
    both_set s = {.set = labelled_random(seed, N, p, 3, 0.3), .V = block(p * D)};
    rng_seed(&r, seed);
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < D; e++)
            s.V[i * D + e] = (e % 3 == i % 3 ? 2.0 : 0.5) + 0.3 * rng_normal(&r);
    s.set.samples.V = s.V;
    s.set.samples.height = 3;
    s.set.samples.width = 4;
    return s;
}

static void both_free(both_set *s)
{
    labelled_free(&s->set);
    free(s->V);
}

static void same_labels_as_the_steps(void)
{
    both_set train = both_random(1, P), queries = both_random(2, Q);
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++) {
        const char *name = spd_classifier_name((spd_classifier_kind)kind);
        if (strcmp(name, "gsrc") == 0)
            continue; /* its filters want larger images */
        spd_method method = SPD_INIT(spd_method);
        spd_classifier *c = NULL;
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
        spd_classifier_free(c);
    }
    both_free(&train);
    both_free(&queries);
}

static void refused(spd_context *ctx, spd_status status, const char *words)
{
    CHECK(status == SPD_EINVAL, "%s: %d", words, status);
    CHECK(strstr(spd_context_error(ctx)->message, words), "'%s' instead of '%s'",
          spd_context_error(ctx)->message, words);
}

/* A classifier on the samples; NULL and a message where they do not suit it. */
static spd_classifier *fitted(spd_context *ctx, const char *name, const spd_samples *train)
{
    spd_method method = SPD_INIT(spd_method);
    spd_classifier *c = NULL;
    CHECK(spd_method_parse(ctx, name, &method) == SPD_OK, "%s", name);
    spd_status status = spd_classifier_fit(ctx, &method, train, NULL, &c);
    CHECK((status < 0) == !c, "%s: %d", name, status);
    return c;
}

static void training_that_is_refused(void)
{
    spd_context *ctx = spd_context_new();
    both_set train = both_random(1, P);
    spd_samples part = train.set.samples;
    spd_method nn = SPD_INIT(spd_method), src = SPD_INIT(spd_method), odd = SPD_INIT(spd_method);
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
    both_free(&train);
    spd_context_free(ctx);
}

static void queries_that_are_refused(void)
{
    spd_context *ctx = spd_context_new();
    both_set train = both_random(1, P), queries = both_random(2, Q);
    spd_classifier *nn = fitted(ctx, "nn-airm", &train.set.samples);
    spd_classifier *src = fitted(ctx, "src", &train.set.samples);
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
    spd_classifier_free(nn);
    spd_classifier_free(src);
    both_free(&train);
    both_free(&queries);
    spd_context_free(ctx);
}

int main(void)
{
    RUN(same_labels_as_the_steps);
    RUN(training_that_is_refused);
    RUN(queries_that_are_refused);
    return test_summary();
}
