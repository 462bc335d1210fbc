/* names.c - one list of names per enumeration, in the order of the header. */
#include "learn/names.h"

#include <stddef.h>
#include <string.h>

#define NAMES_MOST 6

static const char *const names[][NAMES_MOST + 1] = {
    [NAMES_LEARNING] = {"supervised", "unsupervised", "variance", "own-graph"},
    [NAMES_OBJECTIVE] = {"difference", "ratio"},
    [NAMES_GRAPH] = {"or", "directed"},
    [NAMES_INIT] = {"identity", "mean", "random", "given"},
    [NAMES_SOLVER] = {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves", "hager-zhang",
                      "lbfgs"},
    [NAMES_TRANSPORT] = {"parallel", "projection"},
    [NAMES_STOP] = {"tolerance", "gradient", "iterations", "time", "line-search", "cancelled"},
};

const char *names_get(names_list list, unsigned i)
{
    if (list == NAMES_METRIC)
        return spd_metric_name((spd_metric)i);
    return i < NAMES_MOST ? names[list][i] : NULL;
}

int names_find(names_list list, const char *name, unsigned *i)
{
    const char *at;
    for (unsigned k = 0; (at = names_get(list, k)); k++)
        if (strcmp(at, name) == 0) {
            *i = k;
            return 0;
        }
    return 1;
}

const char *spd_learning_name(spd_learning learning)
{
    return names_get(NAMES_LEARNING, (unsigned)learning);
}

const char *spd_objective_name(spd_objective objective)
{
    return names_get(NAMES_OBJECTIVE, (unsigned)objective);
}

const char *spd_graph_name(spd_graph graph)
{
    return names_get(NAMES_GRAPH, (unsigned)graph);
}

const char *spd_init_name(spd_init init)
{
    return names_get(NAMES_INIT, (unsigned)init);
}

const char *spd_solver_name(spd_solver solver)
{
    return names_get(NAMES_SOLVER, (unsigned)solver);
}

const char *spd_transport_name(spd_transport transport)
{
    return names_get(NAMES_TRANSPORT, (unsigned)transport);
}

const char *spd_stop_name(spd_stop stop)
{
    return names_get(NAMES_STOP, (unsigned)stop);
}

spd_status spd_solver_parse(const char *name, spd_solver *solver)
{
    static const char *const brief[] = {"pr", "hs", "fr", "hz"};
    unsigned found = 0;
    for (unsigned i = 0; name && i < sizeof brief / sizeof *brief; i++)
        if (strcmp(name, brief[i]) == 0)
            name = names_get(NAMES_SOLVER, i);
    if (!name || names_find(NAMES_SOLVER, name, &found))
        return SPD_EINVAL;
    *solver = (spd_solver)found;
    return SPD_OK;
}
