/* test_evaluate_method.c - methods by name, what they use, and what is refused. */
#include "random_spd.h"
#include "test.h"

static spd_method parsed(const char *name)
{
    spd_method method = SPD_STRUCT(spd_method);
    CHECK(spd_method_parse(NULL, name, &method) == SPD_OK, "%s", name);
    return method;
}

TEST(joined_names)
{
    static const struct {
        const char *name;
        spd_classifier_kind classifier;
        spd_metric metric;
        spd_map map;
        const char *printed;
    } known[] = {
        {"nn-stein", SPD_CLASSIFIER_NN, SPD_METRIC_STEIN, SPD_MAP_NONE, "nn-stein"},
        {"nn-stein-ml", SPD_CLASSIFIER_NN, SPD_METRIC_STEIN, SPD_MAP_ML, "nn-stein-ml"},
        {"nn", SPD_CLASSIFIER_NN, SPD_METRIC_AIRM, SPD_MAP_NONE, "nn-airm"},
        {"nn-ml", SPD_CLASSIFIER_NN, SPD_METRIC_AIRM, SPD_MAP_ML, "nn-airm-ml"},
        {"NN-Riemann-ML", SPD_CLASSIFIER_NN, SPD_METRIC_AIRM, SPD_MAP_ML, "nn-airm-ml"},
        {"knn-log-euclidean-csp", SPD_CLASSIFIER_KNN, SPD_METRIC_LOG_EUCLIDEAN, SPD_MAP_CSP,
         "knn-log-euclidean-csp"},
        {"mdm-wasserstein-mean", SPD_CLASSIFIER_MDM, SPD_METRIC_BURES_WASSERSTEIN, SPD_MAP_MEAN,
         "mdm-bures-wasserstein-mean"},
        {"rsr-ml", SPD_CLASSIFIER_RSR, SPD_METRIC_STEIN, SPD_MAP_ML, "rsr-ml"},
        {"rsr-stein", SPD_CLASSIFIER_RSR, SPD_METRIC_STEIN, SPD_MAP_NONE, "rsr"},
        {"cdl", SPD_CLASSIFIER_CDL, SPD_METRIC_LOG_EUCLIDEAN, SPD_MAP_NONE, "cdl"},
        {"cdl-lda-ml", SPD_CLASSIFIER_CDL_LDA, SPD_METRIC_LOG_EUCLIDEAN, SPD_MAP_ML, "cdl-lda-ml"},
        {"pca-nn-airm", SPD_CLASSIFIER_NN, SPD_METRIC_AIRM, SPD_MAP_PCA, "pca-nn-airm"},
        {"pca-nn", SPD_CLASSIFIER_NN, SPD_METRIC_AIRM, SPD_MAP_PCA, "pca-nn-airm"},
        {"riemannian-lle", SPD_CLASSIFIER_LLE, SPD_METRIC_AIRM, SPD_MAP_NONE, "riemannian-lle"},
        {"riemannian-hessian-lle-random", SPD_CLASSIFIER_HESSIAN_LLE, SPD_METRIC_AIRM,
         SPD_MAP_RANDOM, "riemannian-hessian-lle-random"},
        {"ksvm-logeuclid", SPD_CLASSIFIER_KSVM, SPD_METRIC_LOG_EUCLIDEAN, SPD_MAP_NONE,
         "ksvm-log-euclidean"},
        {"ts-lda", SPD_CLASSIFIER_TS_LDA, SPD_METRIC_AIRM, SPD_MAP_NONE, "ts-lda"},
        {"ts-lr-ml", SPD_CLASSIFIER_TS_LR, SPD_METRIC_AIRM, SPD_MAP_ML, "ts-lr-ml"},
        {"krr", SPD_CLASSIFIER_KRR, SPD_METRIC_STEIN, SPD_MAP_NONE, "krr-stein"},
        {"krr-tangent-riemann", SPD_CLASSIFIER_KRR_TANGENT, SPD_METRIC_AIRM, SPD_MAP_NONE,
         "krr-tangent"},
        {"krr-both-ml", SPD_CLASSIFIER_KRR_BOTH, SPD_METRIC_STEIN, SPD_MAP_ML, "krr-both-ml"},
        {"gsrc", SPD_CLASSIFIER_GSRC, SPD_METRIC_AIRM, SPD_MAP_NONE, "gsrc"},
        {"Cov3DJ", SPD_CLASSIFIER_COV3DJ, SPD_METRIC_EUCLIDEAN, SPD_MAP_NONE, "cov3dj"},
        {"pca-cov3dj", SPD_CLASSIFIER_COV3DJ, SPD_METRIC_EUCLIDEAN, SPD_MAP_PCA, "pca-cov3dj"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char name[SPD_METHOD_NAME];
        spd_method method = parsed(known[i].name);
        CHECK(method.classifier == known[i].classifier, "%s", known[i].name);
        CHECK(method.metric == known[i].metric, "%s", known[i].name);
        CHECK(method.map == known[i].map, "%s", known[i].name);
        spd_method_name(&method, name);
        CHECK(strcmp(name, known[i].printed) == 0, "%s became %s", known[i].name, name);
        for (unsigned p = 0; p < SPD_PARAMETERS; p++)
            CHECK(isnan(method.value[p]), "%s: %u is fixed", known[i].name, p);
    }
}

/* What a name prints reads as the same method, for all that are possible. */
TEST(names_go_round)
{
    size_t possible = 0;
    for (unsigned c = 0; c < SPD_CLASSIFIERS; c++)
        for (unsigned m = 0; m < SPD_METRICS; m++)
            for (unsigned a = 0; a < SPD_MAPS; a++) {
                char name[SPD_METHOD_NAME];
                spd_method method = {.size = sizeof(spd_method),
                                     .classifier = (spd_classifier_kind)c,
                                     .metric = (spd_metric)m,
                                     .map = (spd_map)a};
                spd_method back = SPD_STRUCT(spd_method);
                spd_method_name(&method, name);
                if (spd_method_parse(NULL, name, &back) != SPD_OK)
                    continue;
                possible++;
                CHECK(back.classifier == method.classifier && back.metric == method.metric &&
                          back.map == method.map,
                      "%s", name);
            }
    CHECK(possible > 100, "only %zu", possible);
}

static void refuse(const char *name, const char *word)
{
    spd_context *ctx = context_on(0);
    spd_method method = {.size = sizeof(spd_method), .classifier = SPD_CLASSIFIER_MDM};
    CHECK(spd_method_parse(ctx, name, &method) == SPD_EINVAL, "%s", name);
    CHECK_SAYS(ctx, word);
    CHECK(method.classifier == SPD_CLASSIFIER_MDM, "touched");
}

TEST(bad_names)
{
    refuse("", "no method ''");
    refuse("nnn-stein", "rsr");
    refuse("nn-stien", "bures-wasserstein");
    refuse("nn-stein-", "nn-stein-");
    refuse("pca-nn-ml", "two maps");
    refuse("rsr-airm", "stein");
    refuse("cdl-stein", "log-euclidean");
    refuse("src-ml", "vectors");
    refuse("nn-euclidean-ml", "learned");
    refuse("a-name-that-is-so-long-that-no-method-could-ever-have-it-or-come-near-to-it", "long");
    refuse(NULL, "the name");
}

TEST(single_names)
{
    for (int i = 0; i < SPD_PARAMETERS; i++) {
        const char *name = spd_name(SPD_ENUM_PARAMETER, (spd_parameter)i);
        CHECK(spd_parse(NULL, SPD_ENUM_PARAMETER, name) == i, "%s", name);
    }
    spd_context *ctx = spd_context_new();
    CHECK(spd_parse(ctx, SPD_ENUM_PARAMETER, "nub") == SPD_EINVAL, "nub");
    CHECK_SAYS(ctx, "parameter 'nub' is unknown; did you mean 'nu-b'? Use one of m, nu-w");
    spd_context_free(ctx);
    CHECK(!spd_name(SPD_ENUM_PARAMETER, SPD_PARAMETERS) && !spd_name(SPD_ENUM_MAP, SPD_MAPS),
          "past the end");
    CHECK(!CLASSIFIER_NAME(SPD_CLASSIFIERS), "past the end");
}

TEST(uses)
{
    spd_method rsr = parsed("rsr-ml"), nn = parsed("nn-stein"), knn = parsed("knn-airm-csp");
    CHECK(spd_method_uses(&rsr, SPD_PARAMETER_M) && spd_method_uses(&rsr, SPD_PARAMETER_NU_B),
          "map");
    CHECK(spd_method_uses(&rsr, SPD_PARAMETER_LAMBDA) && spd_method_uses(&rsr, SPD_PARAMETER_BETA),
          "rsr");
    CHECK(!spd_method_uses(&nn, SPD_PARAMETER_M) && !spd_method_uses(&nn, SPD_PARAMETER_K), "nn");
    CHECK(spd_method_uses(&knn, SPD_PARAMETER_K) && spd_method_uses(&knn, SPD_PARAMETER_M), "knn");
    CHECK(!spd_method_uses(&knn, SPD_PARAMETER_NU_B), "csp has no graph");
    spd_method src = parsed("src");
    CHECK(spd_method_on_vectors(&src) && !spd_method_on_vectors(&nn), "vectors");
}
