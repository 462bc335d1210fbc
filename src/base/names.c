/* names.c - the words of every enumeration of spdml.h, in the order of the header. A new value gets
 * its word here, and is then named, parsed and listed everywhere. */
#include "base/naming.h"

/* Defines spd_x_name and spd_x_parse by the table naming_x. */
#define NAMED(type, x)                                                                             \
    const char *spd_##x##_name(type value)                                                         \
    {                                                                                              \
        return naming_word(&naming_##x, (unsigned)value);                                          \
    }
#define NAMED_AND_PARSED(type, x)                                                                  \
    NAMED(type, x)                                                                                 \
    spd_status spd_##x##_parse(spd_context *ctx, const char *name,                                 \
                               type *value) /* NOLINT(bugprone-macro-parentheses) */               \
    {                                                                                              \
        return naming_parse(ctx, &naming_##x, name, value);                                        \
    }

const naming naming_metric = {
    .kind = "metric",
    .word = {"airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky",
             "euclidean"},
    .alias = {{"riemann", SPD_AIRM}, /* pyRiemann's */
              {"logdet", SPD_STEIN},
              {"logeuclid", SPD_LOG_EUCLIDEAN},
              {"kullback_sym", SPD_JEFFREY},
              {"wasserstein", SPD_BURES_WASSERSTEIN},
              {"logchol", SPD_LOG_CHOLESKY},
              {"euclid", SPD_EUCLIDEAN}},
};
NAMED_AND_PARSED(spd_metric, metric)

static const naming naming_function = {
    .kind = "function",
    .word = {"log", "exp", "sqrt", "invsqrt", "power"},
};
NAMED_AND_PARSED(spd_function, function)

static const naming naming_kernel = {
    .kind = "kernel",
    .word = {"stein", "log-euclidean"},
};
NAMED_AND_PARSED(spd_kernel_kind, kernel)

static const naming naming_type = {
    .kind = "type",
    .word = {"float64", "int64", "text", "complex128"},
};
NAMED(spd_type, type)

static const naming naming_engine = {
    .kind = "engine",
    .word = {"cpu", "cuda", "auto"},
};
NAMED_AND_PARSED(spd_engine, engine)

const naming naming_objective = {
    .kind = "objective",
    .word = {"difference", "ratio", "log-margin", "softmax", "auto"},
};
NAMED_AND_PARSED(spd_objective, objective)

const naming naming_log_cost = {
    .kind = "log-Euclidean cost",
    .word = {"approximate", "exact"},
};
NAMED_AND_PARSED(spd_log_cost, log_cost)

const naming naming_graph = {
    .kind = "graph",
    .word = {"or", "directed"},
};
NAMED_AND_PARSED(spd_graph, graph)

const naming naming_learning = {
    .kind = "learning",
    .word = {"supervised", "unsupervised", "variance", "own-graph"},
};
NAMED_AND_PARSED(spd_learning, learning)

const naming naming_init = {
    .kind = "init",
    .word = {"identity", "mean", "random", "given", "csp", "auto", "stein"},
};
NAMED_AND_PARSED(spd_init, init)

const naming naming_search = {
    .kind = "search",
    .word = {"exact", "approximate", "auto"},
};
NAMED_AND_PARSED(spd_search, search)

const naming naming_coordinates = {
    .kind = "coordinates",
    .word = {"auto", "plain", "mean", "harmonic", "within"},
};
NAMED_AND_PARSED(spd_coordinates, coordinates)

const naming naming_solver = {
    .kind = "solver",
    .word = {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves", "hager-zhang", "lbfgs",
             "auto"},
    .alias = {{"pr", SPD_POLAK_RIBIERE},
              {"hs", SPD_HESTENES_STIEFEL},
              {"fr", SPD_FLETCHER_REEVES},
              {"hz", SPD_HAGER_ZHANG}},
};
NAMED_AND_PARSED(spd_solver, solver)

const naming naming_transport = {
    .kind = "transport",
    .word = {"parallel", "projection"},
};
NAMED_AND_PARSED(spd_transport, transport)

const naming naming_stop = {
    .kind = "stop",
    .word = {"tolerance", "gradient", "iterations", "time", "line-search", "cancelled",
             "invariant"},
};
NAMED_AND_PARSED(spd_stop, stop)

static const naming naming_kind = {
    .kind = "kind of file",
    .word = {"data", "model", "checkpoint", "method"},
};
NAMED(spd_kind, kind)

static const naming naming_holding = {
    .kind = "holding",
    .word = {"none", "vectors", "samples"},
};
NAMED(spd_holding, holding)

static const naming naming_classifier = {
    .kind = "classifier",
    .word = {"nn", "knn", "mdm", "rsr", "cdl", "cdl-lda", "pga", "riemannian-lle",
             "riemannian-hessian-lle", "riemannian-laplacian", "ksvm", "ts-lda", "src", "gsrc",
             "cov3dj"},
};
NAMED_AND_PARSED(spd_classifier_kind, classifier)

static const naming naming_map = {
    .kind = "map",
    .word = {"none", "ml", "random", "mean", "csp", "pca", "multi"},
};
NAMED_AND_PARSED(spd_map, map)

static const naming naming_parameter = {
    .kind = "parameter",
    .word = {"m", "nu-w", "nu-b", "k", "beta", "beta-scale", "lambda", "components", "dimensions",
             "cost", "objective"},
};
NAMED_AND_PARSED(spd_parameter, parameter)

static const naming naming_protocol = {
    .kind = "protocol",
    .word = {"splits", "given", "leave-out", "folds"},
};
NAMED_AND_PARSED(spd_protocol, protocol)

static const naming naming_fold_rule = {
    .kind = "rule of folds",
    .word = {"if-shared", "grouped", "single"},
};
NAMED_AND_PARSED(spd_fold_rule, fold_rule)

static const naming naming_remark = {
    .kind = "remark",
    .word = {"singles", "one-class", "poor-rounds", "unseen", "pooled"},
};
NAMED(spd_remark_kind, remark)

static const naming naming_embedding = {
    .kind = "embedding",
    .word = {"lle", "hessian-lle", "laplacian", "pga", "mds", "tsne"},
};
NAMED_AND_PARSED(spd_embedding, embedding)

static const naming naming_shrinkage = {
    .kind = "shrinkage",
    .word = {"none", "oas", "ledoit-wolf", "value"},
};
NAMED_AND_PARSED(spd_shrinkage, shrinkage)

static const naming remedies = {
    .kind = "remedy", /* by the number of the bit */
    .word = {"regularize", "ridge", "symmetrize", "shrink", "project", "channels-first", "window",
             "size", "sift-step", "no-color", "regions", "name-x", "name-y", "labels",
             "label-pattern", "skeleton", "plain-kernel", "auto-engine", "leave-out"},
};

const char *spd_remedy_name(spd_remedy remedy)
{
    unsigned bit = 0;
    while (bit < NAMING_MOST && (unsigned)remedy != 1u << bit)
        bit++;
    return naming_word(&remedies, bit);
}
