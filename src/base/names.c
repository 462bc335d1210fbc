/* names.c - the words of every enumeration of the public headers, in the order of its values. A new
 * value gets its word here, and is then named, parsed and listed everywhere. */
#include "base/naming.h"

static const naming all[SPD_ENUMS] = {
    [SPD_ENUM_ENGINE] = {.kind = "engine", .word = {"auto", "cpu", "cuda"}},
    [SPD_ENUM_REMEDY] = {.kind = "remedy", /* by the number of the bit */
                         .word = {"regularize", "remove", "symmetrize", "shrink", "project",
                                  "channels-first", "window", "size", "sift-step", "no-color",
                                  "regions", "name-x", "name-y", "labels", "skeleton",
                                  "auto-engine", "leave-out"}},
    [SPD_ENUM_METRIC] = {.kind = "metric",
                         .word = {"airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein",
                                  "log-cholesky", "euclidean"},
                         .alias = {{"riemann", SPD_METRIC_AIRM}, /* pyRiemann's */
                                   {"logdet", SPD_METRIC_STEIN},
                                   {"logeuclid", SPD_METRIC_LOG_EUCLIDEAN},
                                   {"kullback_sym", SPD_METRIC_JEFFREY},
                                   {"wasserstein", SPD_METRIC_BURES_WASSERSTEIN},
                                   {"logchol", SPD_METRIC_LOG_CHOLESKY},
                                   {"euclid", SPD_METRIC_EUCLIDEAN}}},
    [SPD_ENUM_SEARCH] = {.kind = "search", .word = {"auto", "exact", "approximate"}},
    [SPD_ENUM_FUNCTION] = {.kind = "function",
                           .word = {"log", "exp", "sqrt", "invsqrt", "power", "floor"}},
    [SPD_ENUM_KERNEL] = {.kind = "kernel", .word = {"stein", "log-euclidean"}},
    [SPD_ENUM_TYPE] = {.kind = "type",
                       .word = {"float64", "int64", "text", "complex128", "float32"}},
    [SPD_ENUM_OBJECTIVE] = {.kind = "objective", .word = {"auto", "difference", "softmax"}},
    [SPD_ENUM_LOG_COST] = {.kind = "log-Euclidean cost", .word = {"approximate", "exact"}},
    [SPD_ENUM_LEARNING] = {.kind = "learning",
                           .word = {"supervised", "unsupervised", "variance", "own-graph"}},
    [SPD_ENUM_INIT] = {.kind = "init",
                       .word = {"auto", "identity", "mean", "random", "given", "csp", "stein"}},
    [SPD_ENUM_COORDINATES] = {.kind = "coordinates",
                              .word = {"auto", "plain", "mean", "harmonic", "within"}},
    [SPD_ENUM_SOLVER] = {.kind = "solver", .word = {"auto", "polak-ribiere", "lbfgs"}},
    [SPD_ENUM_STOP] = {.kind = "stop",
                       .word = {"tolerance", "gradient", "iterations", "time", "line-search",
                                "cancelled", "invariant"}},
    [SPD_ENUM_KIND] = {.kind = "kind of file", .word = {"data", "model", "checkpoint", "method"}},
    [SPD_ENUM_CLASSIFIER] = {.kind = "classifier",
                             .word = {"nn", "knn", "mdm", "rsr", "cdl", "cdl-lda", "pga",
                                      "riemannian-lle", "riemannian-hessian-lle",
                                      "riemannian-laplacian", "ksvm", "ts-lda", "src", "gsrc",
                                      "cov3dj", "ts-lr", "krr", "krr-tangent", "krr-both"}},
    [SPD_ENUM_MAP] = {.kind = "map",
                      .word = {"none", "ml", "random", "mean", "csp", "pca", "multi", "bag"}},
    [SPD_ENUM_PARAMETER] = {.kind = "parameter",
                            .word = {"m", "nu-w", "nu-b", "k", "beta", "beta-scale", "lambda",
                                     "components", "dimensions", "cost", "objective"}},
    [SPD_ENUM_HOLDING] = {.kind = "holding", .word = {"none", "vectors", "samples"}},
    [SPD_ENUM_PROTOCOL] = {.kind = "protocol", .word = {"splits", "given", "leave-out", "folds"}},
    [SPD_ENUM_FOLD_RULE] = {.kind = "rule of folds", .word = {"if-shared", "grouped", "single"}},
    [SPD_ENUM_REMARK] = {.kind = "remark",
                         .word = {"singles", "one-class", "poor-rounds", "unseen", "pooled"}},
    [SPD_ENUM_EMBEDDING] = {.kind = "embedding",
                            .word = {"lle", "hessian-lle", "laplacian", "pga", "mds", "tsne"}},
    [SPD_ENUM_SHRINKAGE] = {.kind = "shrinkage", .word = {"none", "oas", "ledoit-wolf", "value"}},
    [SPD_ENUM_DESCRIPTOR] = {.kind = "descriptor",
                             .word = {"covariance", "sift-color", "gabor", "region", "joints"}},
    [SPD_ENUM_REGIONS] = {.kind = "kind of regions", .word = {"whole", "halves", "grid"}},
    [SPD_ENUM_SYNTH] = {.kind = "kind of generated data",
                        .word = {"spd", "textures", "motion", "faces"}},
    [SPD_ENUM_NORMALIZATION] = {.kind = "normalisation", .word = {"none", "trace", "determinant"}},
    [SPD_ENUM_RECENTERING] = {.kind = "recentring", .word = {"none", "groups", "training"}},
};

const naming *naming_of(spd_enum of)
{
    return &all[of];
}

/* The number of the bit that is set; NAMING_MOST unless it is one. */
static unsigned only_bit(unsigned value)
{
    unsigned bit = 0;
    while (bit < NAMING_MOST && value != 1u << bit)
        bit++;
    return bit;
}

const char *spd_name(spd_enum of, unsigned value)
{
    if ((unsigned)of >= SPD_ENUMS)
        return NULL;
    return naming_word(&all[of], of == SPD_ENUM_REMEDY ? only_bit(value) : value);
}

int spd_parse(spd_context *ctx, spd_enum of, const char *name)
{
    ctx_clear(ctx);
    if ((unsigned)of >= SPD_ENUMS)
        return ctx_fail(ctx, SPD_EINVAL, "there is no enumeration number %u", (unsigned)of);
    int value = naming_parse(ctx, &all[of], name);
    return of == SPD_ENUM_REMEDY && value >= 0 ? 1 << value : value;
}
