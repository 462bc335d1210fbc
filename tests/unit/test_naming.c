/* test_naming.c - every enumeration by its words: named, parsed, refused. */
#include "spdml-data.h"
#include "test.h"

/* Each of the `count` values has a word of its own that parses to it, and there are no others. */
#define BOTH_WAYS(type, stem, count)                                                               \
    for (unsigned i = 0; i < (count); i++) {                                                       \
        type value = (type)((count)-1 - i);                                                        \
        const char *name = spd_##stem##_name((type)i);                                             \
        CHECK(name &&spd_##stem##_parse(NULL, name, &value) == SPD_OK && value == (type)i, "%u",   \
              i);                                                                                  \
    }                                                                                              \
    CHECK(!spd_##stem##_name((type)(count)) && !spd_##stem##_name((type)~0u), #stem);              \
    refuse_##stem()

/* A word that is not known, and none: the value stays, and the message lists the words. */
#define REFUSAL(type, stem)                                                                        \
    static void refuse_##stem(void)                                                                \
    {                                                                                              \
        spd_context *ctx = spd_context_new();                                                      \
        type value = (type)1;                                                                      \
        CHECK(spd_##stem##_parse(ctx, "?", &value) == SPD_EINVAL && value == (type)1, #stem);      \
        const char *message = spd_context_error(ctx)->message;                                     \
        CHECK(strstr(message, "'?' is unknown; use one of "), "%s", message);                      \
        for (unsigned i = 0; spd_##stem##_name((type)i); i++)                                      \
            CHECK(strstr(message, spd_##stem##_name((type)i)), "%s", message);                     \
        CHECK(spd_##stem##_parse(ctx, NULL, &value) == SPD_EINVAL && value == (type)1, #stem);     \
        CHECK(spd_##stem##_parse(ctx, "", &value) == SPD_EINVAL, #stem);                           \
        spd_context_free(ctx);                                                                     \
    }

REFUSAL(spd_metric, metric)
REFUSAL(spd_function, function)
REFUSAL(spd_kernel_kind, kernel)
REFUSAL(spd_objective, objective)
REFUSAL(spd_engine, engine)
REFUSAL(spd_graph, graph)
REFUSAL(spd_learning, learning)
REFUSAL(spd_init, init)
REFUSAL(spd_solver, solver)
REFUSAL(spd_log_cost, log_cost)
REFUSAL(spd_coordinates, coordinates)
REFUSAL(spd_search, search)
REFUSAL(spd_transport, transport)
REFUSAL(spd_stop, stop)
REFUSAL(spd_classifier_kind, classifier)
REFUSAL(spd_map, map)
REFUSAL(spd_parameter, parameter)
REFUSAL(spd_protocol, protocol)
REFUSAL(spd_fold_rule, fold_rule)
REFUSAL(spd_embedding, embedding)
REFUSAL(spd_shrinkage, shrinkage)
REFUSAL(spd_descriptor, descriptor)
REFUSAL(spd_regions, regions)
REFUSAL(spd_label_source, label_source)
REFUSAL(spd_synth_kind, synth)

static void both_ways(void)
{
    BOTH_WAYS(spd_metric, metric, SPD_METRICS);
    BOTH_WAYS(spd_function, function, SPD_POWER + 1u);
    BOTH_WAYS(spd_kernel_kind, kernel, SPD_KERNEL_LOG_EUCLIDEAN + 1u);
    BOTH_WAYS(spd_objective, objective, SPD_OBJECTIVE_AUTO + 1u);
    BOTH_WAYS(spd_engine, engine, SPD_ENGINE_AUTO + 1u);
    BOTH_WAYS(spd_log_cost, log_cost, SPD_LOG_COST_EXACT + 1u);
    BOTH_WAYS(spd_graph, graph, SPD_GRAPH_DIRECTED + 1u);
    BOTH_WAYS(spd_learning, learning, SPD_OWN_GRAPH + 1u);
    BOTH_WAYS(spd_init, init, SPD_INIT_STEIN + 1u);
    BOTH_WAYS(spd_coordinates, coordinates, SPD_COORDINATES_WITHIN + 1u);
    BOTH_WAYS(spd_search, search, SPD_SEARCH_AUTO + 1u);
    BOTH_WAYS(spd_solver, solver, SPD_SOLVER_AUTO + 1u);
    BOTH_WAYS(spd_transport, transport, SPD_TRANSPORT_PROJECTION + 1u);
    BOTH_WAYS(spd_stop, stop, SPD_STOP_INVARIANT + 1u);
    BOTH_WAYS(spd_classifier_kind, classifier, SPD_CLASSIFIERS);
    BOTH_WAYS(spd_map, map, SPD_MAPS);
    BOTH_WAYS(spd_parameter, parameter, SPD_PARAMETERS);
    BOTH_WAYS(spd_protocol, protocol, SPD_PROTOCOL_FOLDS + 1u);
    BOTH_WAYS(spd_fold_rule, fold_rule, SPD_FOLDS_SINGLE + 1u);
    BOTH_WAYS(spd_embedding, embedding, SPD_EMBEDDINGS);
    BOTH_WAYS(spd_shrinkage, shrinkage, SPD_SHRINKAGES);
    BOTH_WAYS(spd_descriptor, descriptor, SPD_DESCRIPTORS);
    BOTH_WAYS(spd_regions, regions, SPD_REGIONS_GRID + 1u);
    BOTH_WAYS(spd_label_source, label_source, SPD_LABELS_NONE + 1u);
    BOTH_WAYS(spd_synth_kind, synth, SPD_SYNTH_KINDS);
}

static void near_misses(void)
{
    spd_context *ctx = spd_context_new();
    spd_metric metric;
    spd_solver solver;
    CHECK(spd_metric_parse(ctx, "stien", &metric) == SPD_EINVAL, " ");
    CHECK(strcmp(spd_context_error(ctx)->message,
                 "metric 'stien' is unknown; did you mean 'stein'? Use one of airm, stein, "
                 "log-euclidean, jeffrey, bures-wasserstein, log-cholesky, euclidean") == 0,
          "%s", spd_context_error(ctx)->message);
    CHECK(spd_solver_parse(ctx, "l-bfgs", &solver) == SPD_EINVAL, " ");
    CHECK(strstr(spd_context_error(ctx)->message, "did you mean 'lbfgs'?"), "%s",
          spd_context_error(ctx)->message);
    spd_context_free(ctx);
}

static void other_words(void)
{
    spd_solver solver = SPD_LBFGS;
    spd_metric metric = SPD_EUCLIDEAN;
    CHECK(spd_solver_parse(NULL, "hz", &solver) == SPD_OK && solver == SPD_HAGER_ZHANG, "hz");
    CHECK(spd_metric_parse(NULL, "riemann", &metric) == SPD_OK && metric == SPD_AIRM, "riemann");
}

static void names_alone(void)
{
    CHECK(strcmp(spd_type_name(SPD_TEXT), "text") == 0 && !spd_type_name((spd_type)4), "type");
    CHECK(strcmp(spd_kind_name(SPD_KIND_CHECKPOINT), "checkpoint") == 0, "kind");
    CHECK(strcmp(spd_remark_name(SPD_REMARK_UNSEEN), "unseen") == 0, "remark");
    CHECK(strcmp(spd_remedy_name(SPD_REMEDY_REGULARIZE), "regularize") == 0, "first remedy");
    CHECK(strcmp(spd_remedy_name(SPD_REMEDY_LEAVE_OUT), "leave-out") == 0, "last remedy");
    CHECK(!spd_remedy_name(SPD_REMEDY_NONE), "none");
    CHECK(!spd_remedy_name((spd_remedy)(SPD_REMEDY_SHRINK | SPD_REMEDY_RIDGE)), "two");
}

int main(void)
{
    RUN(both_ways);
    RUN(near_misses);
    RUN(other_words);
    RUN(names_alone);
    return test_summary();
}
