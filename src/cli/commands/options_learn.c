/* options_learn.c - rows of the option table that say what the learner minimises. */
#include <math.h>
#include <string.h>

#include "cli/frame/options.h"
#include "spdml.h"

static const spd_metric learnable[] = {SPD_STEIN, SPD_AIRM, SPD_JEFFREY, SPD_LOG_EUCLIDEAN};

static const char *metrics(size_t i)
{
    return i < sizeof learnable / sizeof *learnable ? spd_metric_name(learnable[i]) : NULL;
}

/* pyRiemann's names of those metrics. */
static const char *metric_alias(const char *text)
{
    const char *name = option_metric_alias(text);
    for (size_t i = 0; name && metrics(i); i++)
        if (strcmp(name, metrics(i)) == 0)
            return name;
    return NULL;
}

static const char *graphs(size_t i)
{
    return spd_graph_name((spd_graph)i);
}

const char *option_objectives(size_t i)
{
    return spd_objective_name((spd_objective)i);
}

static const char *solvers(size_t i)
{
    return spd_solver_name((spd_solver)i);
}

static const char *solver_alias(const char *text)
{
    spd_solver solver;
    return spd_solver_parse(NULL, text, &solver) == SPD_OK ? spd_solver_name(solver) : NULL;
}

static const char *transports(size_t i)
{
    return spd_transport_name((spd_transport)i);
}

static const char *log_costs(size_t i)
{
    return spd_log_cost_name((spd_log_cost)i);
}

static const char *unsupervised(size_t i)
{
    static const char *const kinds[] = {"graph", "variance"};
    return i < sizeof kinds / sizeof *kinds ? kinds[i] : NULL;
}

const option options_objective[] = {
    {"objective", 0, OPTION_CHOICE, "NAME", "auto", .choice = option_objectives,
     .help = "auto: softmax, or difference in the paper's setting, without labels, and for the "
             "approximate log-euclidean cost. difference: distances within minus distances "
             "between classes; ratio: the logarithm "
             "of their ratio. By the distances after the map, for which --nu-w and --nu-b say how "
             "many candidates there are: log-margin: how much nearer the own class is than others; "
             "softmax: how likely a near neighbour is of the own class"},
    OPTION_END};

const option options_paper[] = {
    {"paper", 0, OPTION_FLAG,
     .help =
         "The paper's setting: the objective difference, nu-w the smallest class, nu-b <= nu-w by "
         "cross-validation, the start identity, plain coordinates and conjugate gradients "
         "(polak-ribiere), unless another option says otherwise"},
    OPTION_END};

const option options_cost[] = {
    {"affinity-weight", 0, OPTION_REAL, "L", "1", 0, 1e50,
     .help = "Weight of the pairs between classes"},
    {"log-cost", 0, OPTION_CHOICE, "NAME", "approximate", .choice = log_costs,
     .help = "Of the log-euclidean metric. approximate: distances between W' log(X) W, which stand "
             "in for those between mapped matrices; exact: distances between log(W'XW), the "
             "log-euclidean ones of the mapped matrices"},
    OPTION_END};

const option options_solver[] = {
    {"solver", 0, OPTION_CHOICE, "NAME", "auto", .choice = solvers, .alias = solver_alias,
     .help = "Conjugate gradients in four forms (pr, hs, fr, hz for short) or L-BFGS; auto: lbfgs, "
             "in the paper's setting polak-ribiere"},
    {"transport", 0, OPTION_CHOICE, "NAME", "parallel", .choice = transports,
     .help = "How search directions are transported"},
    OPTION_END};

const option options_stop[] = {
    {"tol", 0, OPTION_REAL, "E", "1e-4", 0, 1,
     .help = "Stop when five iterations running lower the cost by less than E each, relatively; 0 "
             "turns this off"},
    {"max-iter", 0, OPTION_INT, "N", "1000", 0, 2000000000, .help = "Stop after N iterations"},
    OPTION_END};

const option options_graph[] = {
    {"metric", 0, OPTION_CHOICE, "NAME", "stein", .choice = metrics, .alias = metric_alias,
     .help = "Metric of the graph and of the cost"},
    {"nu-w", 0, OPTION_INT, "N", NULL, 1, 1000000000,
     .help = "Neighbours within the class of a sample; default the size of the smallest class, 5 "
             "with --objective ratio. For log-margin and softmax the candidates: default all, of "
             "more than 500 matrices 30. A smaller class contributes all it has"},
    {"nu-b", 0, OPTION_TEXT, "N|auto", .words = option_auto,
     .help = "Neighbours in other classes; default the smaller of 3 and --nu-w, 5 with --objective "
             "ratio. For log-margin and softmax the candidates: default all, of more than 500 "
             "matrices 60. auto, the default in the paper's setting, chooses among 1, 2, 3, 5 "
             "and 10 by cross-validation, there up to --nu-w; it needs --objective difference "
             "or ratio"},
    {"graph", 0, OPTION_CHOICE, "KIND", "or", .choice = graphs,
     .help = "or: a pair counts if either is a neighbour of the other; directed: a one-sided pair "
             "counts half"},
    {"affinity", 0, OPTION_FILE, "FILE",
     .help = "A graph of your own instead: arrays i, j and value, each pair once; value > 0 pulls "
             "a pair together, < 0 pushes it apart (.npz or .mat)"},
    {"unlabelled", 0, OPTION_TEXT, "VALUE",
     .help = "The label that means unknown; matrices with it take part through the unsupervised "
             "graph"},
    OPTION_END};

const option options_unsupervised[] = {
    {"unsupervised", 0, OPTION_CHOICE, "[KIND]", .choice = unsupervised, .bare = "graph",
     .help = "Use no labels. graph: near matrices stay near, far ones far; variance: spread the "
             "matrices around their mean"},
    OPTION_END};
