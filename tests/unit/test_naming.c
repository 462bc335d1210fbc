/* test_naming.c - every enumeration by its words: named, parsed, refused. */
#include "test.h"

/* Each enumeration, and how many values it has. */
static const struct {
    spd_enum of;
    unsigned count;
} all[] = {
    {SPD_ENUM_ENGINE, SPD_ENGINE_CUDA + 1},
    {SPD_ENUM_REMEDY, 17},
    {SPD_ENUM_METRIC, SPD_METRICS},
    {SPD_ENUM_SEARCH, SPD_SEARCH_APPROXIMATE + 1},
    {SPD_ENUM_FUNCTION, SPD_FUNCTION_FLOOR + 1},
    {SPD_ENUM_KERNEL, SPD_KERNEL_LOG_EUCLIDEAN + 1},
    {SPD_ENUM_TYPE, SPD_TYPE_FLOAT32 + 1},
    {SPD_ENUM_OBJECTIVE, SPD_OBJECTIVE_SOFTMAX + 1},
    {SPD_ENUM_LOG_COST, SPD_LOG_COST_EXACT + 1},
    {SPD_ENUM_LEARNING, SPD_LEARNING_OWN_GRAPH + 1},
    {SPD_ENUM_INIT, SPD_INIT_STEIN + 1},
    {SPD_ENUM_COORDINATES, SPD_COORDINATES_WITHIN + 1},
    {SPD_ENUM_SOLVER, SPD_SOLVER_LBFGS + 1},
    {SPD_ENUM_STOP, SPD_STOP_INVARIANT + 1},
    {SPD_ENUM_KIND, SPD_KIND_METHOD + 1},
    {SPD_ENUM_CLASSIFIER, SPD_CLASSIFIERS},
    {SPD_ENUM_MAP, SPD_MAPS},
    {SPD_ENUM_PARAMETER, SPD_PARAMETERS},
    {SPD_ENUM_HOLDING, SPD_HOLDING_SAMPLES + 1},
    {SPD_ENUM_PROTOCOL, SPD_PROTOCOL_FOLDS + 1},
    {SPD_ENUM_FOLD_RULE, SPD_FOLD_RULE_SINGLE + 1},
    {SPD_ENUM_REMARK, SPD_REMARK_POOLED + 1},
    {SPD_ENUM_EMBEDDING, SPD_EMBEDDINGS},
    {SPD_ENUM_SHRINKAGE, SPD_SHRINKAGES},
    {SPD_ENUM_DESCRIPTOR, SPD_DESCRIPTORS},
    {SPD_ENUM_REGIONS, SPD_REGIONS_GRID + 1},
    {SPD_ENUM_SYNTH, SPD_SYNTH_KINDS},
    {SPD_ENUM_NORMALIZATION, SPD_NORMALIZATION_DETERMINANT + 1},
    {SPD_ENUM_RECENTERING, SPD_RECENTERING_TRAINING + 1},
};

/* The i-th value; remedies are bits. */
static unsigned value_at(spd_enum of, unsigned i)
{
    return of == SPD_ENUM_REMEDY ? 1u << i : i;
}

/* Each value has a word of its own that parses to it, and there are no others. */
TEST(both_ways)
{
    CHECK(sizeof all / sizeof *all == SPD_ENUMS, "an enumeration is missing");
    for (unsigned k = 0; k < SPD_ENUMS; k++) {
        CHECK(all[k].of == k, "%u is out of order", k);
        for (unsigned i = 0; i < all[k].count; i++) {
            unsigned value = value_at(all[k].of, i);
            const char *name = spd_name(all[k].of, value);
            CHECK(name && spd_parse(NULL, all[k].of, name) == (int)value, "%u: %u", k, value);
        }
        CHECK(!spd_name(all[k].of, value_at(all[k].of, all[k].count)), "beyond the last of %u", k);
        CHECK(!spd_name(all[k].of, ~0u), "%u", k);
    }
}

/* A word that is not known, and none: the message lists the words. */
TEST(refusals)
{
    spd_context *ctx = context_on(0);
    for (unsigned k = 0; k < SPD_ENUMS; k++) {
        CHECK(spd_parse(ctx, all[k].of, "?") == SPD_EINVAL, "%u", k);
        const char *message = said(ctx);
        CHECK(strstr(message, "'?' is unknown; use one of "), "%s", message);
        for (unsigned i = 0; i < all[k].count; i++)
            CHECK(strstr(message, spd_name(all[k].of, value_at(all[k].of, i))), "%s", message);
        CHECK(spd_parse(ctx, all[k].of, NULL) == SPD_EINVAL, "%u", k);
        CHECK(spd_parse(ctx, all[k].of, "") == SPD_EINVAL, "%u", k);
    }
    CHECK(!spd_name(SPD_ENUMS, 0), "no such enumeration");
    CHECK(spd_parse(ctx, SPD_ENUMS, "airm") == SPD_EINVAL, "no such enumeration");
    CHECK_SAYS(ctx, "no enumeration number");
}

TEST(near_misses)
{
    spd_context *ctx = context_on(0);
    CHECK(spd_parse(ctx, SPD_ENUM_METRIC, "stien") == SPD_EINVAL, " ");
    CHECK(strcmp(said(ctx),
                 "metric 'stien' is unknown; did you mean 'stein'? Use one of airm, stein, "
                 "log-euclidean, jeffrey, bures-wasserstein, log-cholesky, euclidean") == 0,
          "%s", said(ctx));
    CHECK_FAILED(ctx, spd_parse(ctx, SPD_ENUM_SOLVER, "l-bfgs"), SPD_EINVAL,
                 "did you mean 'lbfgs'?");
    CHECK(spd_parse(ctx, SPD_ENUM_METRIC, "airm") == SPD_METRIC_AIRM && !said(ctx)[0], "forgotten");
}

TEST(remedies)
{
    CHECK(strcmp(spd_name(SPD_ENUM_REMEDY, SPD_REMEDY_REGULARIZE), "regularize") == 0, "first");
    CHECK(strcmp(spd_name(SPD_ENUM_REMEDY, SPD_REMEDY_LEAVE_OUT), "leave-out") == 0, "last");
    CHECK(spd_parse(NULL, SPD_ENUM_REMEDY, "leave-out") == SPD_REMEDY_LEAVE_OUT, "last");
    CHECK(!spd_name(SPD_ENUM_REMEDY, SPD_REMEDY_NONE), "none");
    CHECK(!spd_name(SPD_ENUM_REMEDY, SPD_REMEDY_SHRINK | SPD_REMEDY_REMOVE), "two");
}
