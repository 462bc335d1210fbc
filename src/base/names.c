/* names.c - the words of every enumeration of spdml.h, in the order of the header. A new value gets
 * its word here, and is then named, parsed and listed everywhere. */
#include "base/naming.h"

const naming naming_metric = {
    .kind = "metric",
    .word = {[SPD_AIRM] = "airm",
             [SPD_STEIN] = "stein",
             [SPD_LOG_EUCLIDEAN] = "log-euclidean",
             [SPD_JEFFREY] = "jeffrey",
             [SPD_BURES_WASSERSTEIN] = "bures-wasserstein",
             [SPD_LOG_CHOLESKY] = "log-cholesky",
             [SPD_EUCLIDEAN] = "euclidean"},
    .alias = {{"riemann", SPD_AIRM}, /* pyRiemann's */
              {"logdet", SPD_STEIN},
              {"logeuclid", SPD_LOG_EUCLIDEAN},
              {"kullback_sym", SPD_JEFFREY},
              {"wasserstein", SPD_BURES_WASSERSTEIN},
              {"logchol", SPD_LOG_CHOLESKY},
              {"euclid", SPD_EUCLIDEAN}},
};

const char *spd_metric_name(spd_metric metric)
{
    return naming_word(&naming_metric, (unsigned)metric);
}

spd_status spd_metric_parse(spd_context *ctx, const char *name, spd_metric *metric)
{
    return naming_parse(ctx, &naming_metric, name, metric);
}

static const naming functions = {
    .kind = "function",
    .word = {[SPD_LOG] = "log",
             [SPD_EXP] = "exp",
             [SPD_SQRT] = "sqrt",
             [SPD_INVSQRT] = "invsqrt",
             [SPD_POWER] = "power"},
};

const char *spd_function_name(spd_function function)
{
    return naming_word(&functions, (unsigned)function);
}

spd_status spd_function_parse(spd_context *ctx, const char *name, spd_function *function)
{
    return naming_parse(ctx, &functions, name, function);
}

static const naming kernels = {
    .kind = "kernel",
    .word = {[SPD_KERNEL_STEIN] = "stein", [SPD_KERNEL_LOG_EUCLIDEAN] = "log-euclidean"},
};

const char *spd_kernel_name(spd_kernel_kind kernel)
{
    return naming_word(&kernels, (unsigned)kernel);
}

spd_status spd_kernel_parse(spd_context *ctx, const char *name, spd_kernel_kind *kernel)
{
    return naming_parse(ctx, &kernels, name, kernel);
}

static const naming types = {
    .kind = "type",
    .word = {[SPD_FLOAT64] = "float64", [SPD_INT64] = "int64", [SPD_TEXT] = "text"},
};

const char *spd_type_name(spd_type type)
{
    return naming_word(&types, (unsigned)type);
}

const naming naming_objective = {
    .kind = "objective",
    .word = {[SPD_DIFFERENCE] = "difference", [SPD_RATIO] = "ratio"},
};

const char *spd_objective_name(spd_objective objective)
{
    return naming_word(&naming_objective, (unsigned)objective);
}

spd_status spd_objective_parse(spd_context *ctx, const char *name, spd_objective *objective)
{
    return naming_parse(ctx, &naming_objective, name, objective);
}

const naming naming_graph = {
    .kind = "graph",
    .word = {[SPD_GRAPH_OR] = "or", [SPD_GRAPH_DIRECTED] = "directed"},
};

const char *spd_graph_name(spd_graph graph)
{
    return naming_word(&naming_graph, (unsigned)graph);
}

spd_status spd_graph_parse(spd_context *ctx, const char *name, spd_graph *graph)
{
    return naming_parse(ctx, &naming_graph, name, graph);
}

const naming naming_learning = {
    .kind = "learning",
    .word = {[SPD_SUPERVISED] = "supervised",
             [SPD_UNSUPERVISED] = "unsupervised",
             [SPD_MAXIMAL_VARIANCE] = "variance",
             [SPD_OWN_GRAPH] = "own-graph"},
};

const char *spd_learning_name(spd_learning learning)
{
    return naming_word(&naming_learning, (unsigned)learning);
}

spd_status spd_learning_parse(spd_context *ctx, const char *name, spd_learning *learning)
{
    return naming_parse(ctx, &naming_learning, name, learning);
}

const naming naming_init = {
    .kind = "init",
    .word = {[SPD_INIT_IDENTITY] = "identity",
             [SPD_INIT_MEAN] = "mean",
             [SPD_INIT_RANDOM] = "random",
             [SPD_INIT_GIVEN] = "given"},
};

const char *spd_init_name(spd_init init)
{
    return naming_word(&naming_init, (unsigned)init);
}

spd_status spd_init_parse(spd_context *ctx, const char *name, spd_init *init)
{
    return naming_parse(ctx, &naming_init, name, init);
}

const naming naming_solver = {
    .kind = "solver",
    .word = {[SPD_POLAK_RIBIERE] = "polak-ribiere",
             [SPD_HESTENES_STIEFEL] = "hestenes-stiefel",
             [SPD_FLETCHER_REEVES] = "fletcher-reeves",
             [SPD_HAGER_ZHANG] = "hager-zhang",
             [SPD_LBFGS] = "lbfgs"},
    .alias = {{"pr", SPD_POLAK_RIBIERE},
              {"hs", SPD_HESTENES_STIEFEL},
              {"fr", SPD_FLETCHER_REEVES},
              {"hz", SPD_HAGER_ZHANG}},
};

const char *spd_solver_name(spd_solver solver)
{
    return naming_word(&naming_solver, (unsigned)solver);
}

spd_status spd_solver_parse(spd_context *ctx, const char *name, spd_solver *solver)
{
    return naming_parse(ctx, &naming_solver, name, solver);
}

const naming naming_transport = {
    .kind = "transport",
    .word = {[SPD_TRANSPORT_PARALLEL] = "parallel", [SPD_TRANSPORT_PROJECTION] = "projection"},
};

const char *spd_transport_name(spd_transport transport)
{
    return naming_word(&naming_transport, (unsigned)transport);
}

spd_status spd_transport_parse(spd_context *ctx, const char *name, spd_transport *transport)
{
    return naming_parse(ctx, &naming_transport, name, transport);
}

const naming naming_stop = {
    .kind = "stop",
    .word = {[SPD_STOP_TOLERANCE] = "tolerance",
             [SPD_STOP_GRADIENT] = "gradient",
             [SPD_STOP_ITERATIONS] = "iterations",
             [SPD_STOP_TIME] = "time",
             [SPD_STOP_LINE_SEARCH] = "line-search",
             [SPD_STOP_CANCELLED] = "cancelled"},
};

const char *spd_stop_name(spd_stop stop)
{
    return naming_word(&naming_stop, (unsigned)stop);
}

spd_status spd_stop_parse(spd_context *ctx, const char *name, spd_stop *stop)
{
    return naming_parse(ctx, &naming_stop, name, stop);
}

static const naming kinds = {
    .kind = "kind of file",
    .word = {[SPD_KIND_DATA] = "data",
             [SPD_KIND_MODEL] = "model",
             [SPD_KIND_CHECKPOINT] = "checkpoint"},
};

const char *spd_kind_name(spd_kind kind)
{
    return naming_word(&kinds, (unsigned)kind);
}

static const naming classifiers = {
    .kind = "classifier",
    .word = {[SPD_NN] = "nn",
             [SPD_KNN] = "knn",
             [SPD_MDM] = "mdm",
             [SPD_RSR] = "rsr",
             [SPD_CDL] = "cdl",
             [SPD_CDL_LDA] = "cdl-lda",
             [SPD_PGA] = "pga",
             [SPD_LLE] = "riemannian-lle",
             [SPD_HLLE] = "riemannian-hessian-lle",
             [SPD_LAPLACIAN] = "riemannian-laplacian",
             [SPD_KSVM] = "ksvm",
             [SPD_TS_LDA] = "ts-lda",
             [SPD_SRC] = "src",
             [SPD_GSRC] = "gsrc"},
};

const char *spd_classifier_name(spd_classifier_kind classifier)
{
    return naming_word(&classifiers, (unsigned)classifier);
}

spd_status spd_classifier_parse(spd_context *ctx, const char *name, spd_classifier_kind *classifier)
{
    return naming_parse(ctx, &classifiers, name, classifier);
}

static const naming maps = {
    .kind = "map",
    .word = {[SPD_MAP_NONE] = "none",
             [SPD_MAP_ML] = "ml",
             [SPD_MAP_RANDOM] = "random",
             [SPD_MAP_MEAN] = "mean",
             [SPD_MAP_CSP] = "csp",
             [SPD_MAP_PCA] = "pca"},
};

const char *spd_map_name(spd_map map)
{
    return naming_word(&maps, (unsigned)map);
}

spd_status spd_map_parse(spd_context *ctx, const char *name, spd_map *map)
{
    return naming_parse(ctx, &maps, name, map);
}

static const naming parameters = {
    .kind = "parameter",
    .word = {[SPD_PARAM_M] = "m",
             [SPD_PARAM_NU_W] = "nu-w",
             [SPD_PARAM_NU_B] = "nu-b",
             [SPD_PARAM_K] = "k",
             [SPD_PARAM_BETA] = "beta",
             [SPD_PARAM_BETA_SCALE] = "beta-scale",
             [SPD_PARAM_LAMBDA] = "lambda",
             [SPD_PARAM_COMPONENTS] = "components",
             [SPD_PARAM_DIMENSIONS] = "dimensions",
             [SPD_PARAM_COST] = "cost"},
};

const char *spd_parameter_name(spd_parameter parameter)
{
    return naming_word(&parameters, (unsigned)parameter);
}

spd_status spd_parameter_parse(spd_context *ctx, const char *name, spd_parameter *parameter)
{
    return naming_parse(ctx, &parameters, name, parameter);
}

static const naming protocols = {
    .kind = "protocol",
    .word = {[SPD_PROTOCOL_SPLITS] = "splits",
             [SPD_PROTOCOL_GIVEN] = "given",
             [SPD_PROTOCOL_LEAVE_OUT] = "leave-out"},
};

const char *spd_protocol_name(spd_protocol protocol)
{
    return naming_word(&protocols, (unsigned)protocol);
}

spd_status spd_protocol_parse(spd_context *ctx, const char *name, spd_protocol *protocol)
{
    return naming_parse(ctx, &protocols, name, protocol);
}

static const naming fold_rules = {
    .kind = "rule of folds",
    .word = {[SPD_FOLDS_IF_SHARED] = "if-shared",
             [SPD_FOLDS_GROUPED] = "grouped",
             [SPD_FOLDS_SINGLE] = "single"},
};

const char *spd_fold_rule_name(spd_fold_rule fold_rule)
{
    return naming_word(&fold_rules, (unsigned)fold_rule);
}

spd_status spd_fold_rule_parse(spd_context *ctx, const char *name, spd_fold_rule *fold_rule)
{
    return naming_parse(ctx, &fold_rules, name, fold_rule);
}

static const naming remarks = {
    .kind = "remark",
    .word = {[SPD_REMARK_SINGLES] = "singles",
             [SPD_REMARK_ONE_CLASS] = "one-class",
             [SPD_REMARK_POOR_ROUNDS] = "poor-rounds",
             [SPD_REMARK_UNSEEN] = "unseen"},
};

const char *spd_remark_name(spd_remark_kind remark)
{
    return naming_word(&remarks, (unsigned)remark);
}

static const naming embeddings = {
    .kind = "embedding",
    .word = {[SPD_EMBED_LLE] = "lle",
             [SPD_EMBED_HESSIAN_LLE] = "hessian-lle",
             [SPD_EMBED_LAPLACIAN] = "laplacian",
             [SPD_EMBED_PGA] = "pga",
             [SPD_EMBED_MDS] = "mds"},
};

const char *spd_embedding_name(spd_embedding embedding)
{
    return naming_word(&embeddings, (unsigned)embedding);
}

spd_status spd_embedding_parse(spd_context *ctx, const char *name, spd_embedding *embedding)
{
    return naming_parse(ctx, &embeddings, name, embedding);
}

static const naming shrinkages = {
    .kind = "shrinkage",
    .word = {[SPD_SHRINK_NONE] = "none",
             [SPD_SHRINK_OAS] = "oas",
             [SPD_SHRINK_LEDOIT_WOLF] = "ledoit-wolf",
             [SPD_SHRINK_VALUE] = "value"},
};

const char *spd_shrinkage_name(spd_shrinkage shrinkage)
{
    return naming_word(&shrinkages, (unsigned)shrinkage);
}

spd_status spd_shrinkage_parse(spd_context *ctx, const char *name, spd_shrinkage *shrinkage)
{
    return naming_parse(ctx, &shrinkages, name, shrinkage);
}

static const naming remedies = {
    .kind = "remedy", /* by the number of the bit */
    .word = {"regularize", "ridge", "symmetrize", "shrink", "project", "channels-first", "window",
             "size", "sift-step", "no-color", "regions", "name-x", "name-y", "labels",
             "label-pattern", "skeleton", "plain-kernel"},
};

const char *spd_remedy_name(spd_remedy remedy)
{
    unsigned bit = 0;
    while (bit < NAMING_MOST && (unsigned)remedy != 1u << bit)
        bit++;
    return naming_word(&remedies, bit);
}
