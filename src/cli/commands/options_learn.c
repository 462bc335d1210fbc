/* options_learn.c - rows of the option table that say what the learner minimises. */
#include "cli/frame/options.h"
#include "spdml.h"

const option options_objective[] = {
    {"objective", 0, OPTION_CHOICE, "NAME", "auto", INTO(spd_fit_options, objective),
     .names = SPD_ENUM_OBJECTIVE,
     .help = "auto: softmax, or difference in the paper's setting, without labels, and for the "
             "approximate log-euclidean cost. difference: distances within minus distances between "
             "classes; softmax: how likely a near neighbour after the map is of the sample's own "
             "class, with --nu-w and --nu-b candidates per sample"},
    OPTION_END};

const option options_paper[] = {
    {"paper", 0, OPTION_FLAG, INTO(spd_fit_options, paper), .common = 1,
     .help = "The paper's setting: the objective difference, nu-w the size of the smallest class, "
             "nu-b <= nu-w by cross-validation, a start at the identity, plain coordinates and "
             "conjugate gradients (polak-ribiere), unless other options are given"},
    OPTION_END};

const option options_cost[] = {
    {"log-cost", 0, OPTION_CHOICE, "NAME", "approximate", INTO(spd_fit_options, log_cost),
     .names = SPD_ENUM_LOG_COST,
     .help = "For the log-euclidean metric. approximate: distances between W' log(X) W, which "
             "approximate those between mapped matrices; exact: distances between log(W'XW), the "
             "log-euclidean ones of the mapped matrices"},
    OPTION_END};

const option options_stop[] = {
    {"tol", 0, OPTION_REAL, "E", "1e-4", 0, 1, INTO(spd_fit_options, tol),
     .help = "Stop when the relative decrease of the cost stays below E for five consecutive "
             "iterations; 0 turns this off"},
    {"max-iter", 0, OPTION_INT, "N", "1000", 0, 2000000000, INTO(spd_fit_options, max_iter),
     .help = "Stop after N iterations"},
    OPTION_END};

const option options_graph[] = {
    {"metric", 0, OPTION_CHOICE, "NAME", "stein", INTO(spd_fit_options, metric),
     .choice = "stein|airm|jeffrey|log-euclidean", .names = SPD_ENUM_METRIC, .common = 1,
     .help = "Metric of the graph and of the cost"},
    {"nu-w", 0, OPTION_INT, "N", NULL, 1, 1000000000, INTO(spd_fit_options, nu_w),
     .help = "Neighbours within the class of a sample; default the size of the smallest class. For "
             "softmax the number of candidates: default all, or 30 for more than 500 matrices. A "
             "smaller class contributes all its matrices"},
    {"nu-b", 0, OPTION_TEXT, "N|auto", .words = "auto",
     .help =
         "Neighbours in other classes; default the smaller of 3 and --nu-w. For softmax the "
         "number of candidates: default all, or 60 for more than 500 matrices. auto, the "
         "default in the paper's setting, chooses among 1, 2, 3, 5, 10, 20, 50 and --nu-w, none "
         "above it, by cross-validation; it needs --objective difference"},
    {"affinity", 0, OPTION_FILE, "FILE",
     .help = "Use a graph of your own: arrays i, j and value, each pair once; value > 0 pulls a "
             "pair together, < 0 pushes it apart (.npz or .mat)"},
    OPTION_END};

const option options_unsupervised[] = {
    {"unlabelled", 0, OPTION_TEXT, "VALUE",
     .help =
         "The label that means unknown; matrices with it take part through the unsupervised graph"},
    {"unsupervised", 0, OPTION_CHOICE, "[KIND]", .choice = "graph|variance", .bare = "graph",
     .common = 1,
     .help = "Use no labels. graph: near matrices stay near, far ones far; variance: spread the "
             "matrices around their mean"},
    OPTION_END};
