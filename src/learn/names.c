/* names.c - one table of words per enumeration, in the order of the header. */
#include "learn/names.h"

#include <string.h>

const naming names_learning = {.kind = "learning",
                               .count = 4,
                               .word = {"supervised", "unsupervised", "variance", "own-graph"}};
const naming names_objective = {.kind = "objective", .count = 2, .word = {"difference", "ratio"}};
const naming names_graph = {.kind = "graph", .count = 2, .word = {"or", "directed"}};
const naming names_init = {
    .kind = "init", .count = 4, .word = {"identity", "mean", "random", "given"}};
const naming names_solver = {
    .kind = "solver",
    .count = 5,
    .word = {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves", "hager-zhang", "lbfgs"},
    .alias = {{"pr", SPD_POLAK_RIBIERE},
              {"hs", SPD_HESTENES_STIEFEL},
              {"fr", SPD_FLETCHER_REEVES},
              {"hz", SPD_HAGER_ZHANG}}};
const naming names_transport = {
    .kind = "transport", .count = 2, .word = {"parallel", "projection"}};
const naming names_stop = {
    .kind = "stop",
    .count = 6,
    .word = {"tolerance", "gradient", "iterations", "time", "line-search", "cancelled"}};

/* *value, an enumeration of the size of unsigned (fields.c), <- what the word stands for. */
static spd_status parse(spd_context *ctx, const naming *names, const char *word, void *value)
{
    unsigned found;
    spd_status status = naming_parse(ctx, names, word, &found);
    if (status == SPD_OK)
        memcpy(value, &found, sizeof found);
    return status;
}

const char *spd_learning_name(spd_learning learning)
{
    return naming_word(&names_learning, (unsigned)learning);
}

spd_status spd_learning_parse(spd_context *ctx, const char *name, spd_learning *learning)
{
    return parse(ctx, &names_learning, name, learning);
}

const char *spd_objective_name(spd_objective objective)
{
    return naming_word(&names_objective, (unsigned)objective);
}

spd_status spd_objective_parse(spd_context *ctx, const char *name, spd_objective *objective)
{
    return parse(ctx, &names_objective, name, objective);
}

const char *spd_graph_name(spd_graph graph)
{
    return naming_word(&names_graph, (unsigned)graph);
}

spd_status spd_graph_parse(spd_context *ctx, const char *name, spd_graph *graph)
{
    return parse(ctx, &names_graph, name, graph);
}

const char *spd_init_name(spd_init init)
{
    return naming_word(&names_init, (unsigned)init);
}

spd_status spd_init_parse(spd_context *ctx, const char *name, spd_init *init)
{
    return parse(ctx, &names_init, name, init);
}

const char *spd_solver_name(spd_solver solver)
{
    return naming_word(&names_solver, (unsigned)solver);
}

spd_status spd_solver_parse(spd_context *ctx, const char *name, spd_solver *solver)
{
    return parse(ctx, &names_solver, name, solver);
}

const char *spd_transport_name(spd_transport transport)
{
    return naming_word(&names_transport, (unsigned)transport);
}

spd_status spd_transport_parse(spd_context *ctx, const char *name, spd_transport *transport)
{
    return parse(ctx, &names_transport, name, transport);
}

const char *spd_stop_name(spd_stop stop)
{
    return naming_word(&names_stop, (unsigned)stop);
}

spd_status spd_stop_parse(spd_context *ctx, const char *name, spd_stop *stop)
{
    return parse(ctx, &names_stop, name, stop);
}
