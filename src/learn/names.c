/* names.c - one list of names per enumeration, in the order of the header. */
#include "learn/names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MOST 6

typedef struct named {
    const char *what; /* the enumeration, in a message */
    const char *name[NAMES_MOST + 1];
} named;

static const named names[] = {
    [NAMES_LEARNING] = {"learning", {"supervised", "unsupervised", "variance", "own-graph"}},
    [NAMES_OBJECTIVE] = {"objective", {"difference", "ratio"}},
    [NAMES_GRAPH] = {"graph", {"or", "directed"}},
    [NAMES_INIT] = {"init", {"identity", "mean", "random", "given"}},
    [NAMES_SOLVER] = {"solver",
                      {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves", "hager-zhang",
                       "lbfgs"}},
    [NAMES_TRANSPORT] = {"transport", {"parallel", "projection"}},
    [NAMES_STOP] = {"stop",
                    {"tolerance", "gradient", "iterations", "time", "line-search", "cancelled"}},
};

const char *names_get(names_list list, unsigned i)
{
    if (list == NAMES_METRIC)
        return spd_metric_name((spd_metric)i);
    return i < NAMES_MOST ? names[list].name[i] : NULL;
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

/* *value <- the one of that name, or of its short form (a list that NULL ends). */
static spd_status parse(spd_context *ctx, names_list list, const char *const *brief,
                        const char *name, unsigned *value)
{
    char known[160] = "";
    size_t used = 0;
    ctx_clear(ctx);
    for (unsigned i = 0; name && brief && brief[i]; i++)
        if (strcmp(name, brief[i]) == 0)
            name = names_get(list, i);
    if (name && !names_find(list, name, value))
        return SPD_OK;
    for (unsigned i = 0; names_get(list, i); i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 names_get(list, i));
    return ctx_fail(ctx, SPD_EINVAL, "%s '%.40s' is unknown; use one of %s", names[list].what,
                    name ? name : "", known);
}

const char *spd_learning_name(spd_learning learning)
{
    return names_get(NAMES_LEARNING, (unsigned)learning);
}

spd_status spd_learning_parse(spd_context *ctx, const char *name, spd_learning *learning)
{
    unsigned found;
    spd_status status = parse(ctx, NAMES_LEARNING, NULL, name, &found);
    if (status == SPD_OK)
        *learning = (spd_learning)found;
    return status;
}

const char *spd_objective_name(spd_objective objective)
{
    return names_get(NAMES_OBJECTIVE, (unsigned)objective);
}

spd_status spd_objective_parse(spd_context *ctx, const char *name, spd_objective *objective)
{
    unsigned found;
    spd_status status = parse(ctx, NAMES_OBJECTIVE, NULL, name, &found);
    if (status == SPD_OK)
        *objective = (spd_objective)found;
    return status;
}

const char *spd_graph_name(spd_graph graph)
{
    return names_get(NAMES_GRAPH, (unsigned)graph);
}

spd_status spd_graph_parse(spd_context *ctx, const char *name, spd_graph *graph)
{
    unsigned found;
    spd_status status = parse(ctx, NAMES_GRAPH, NULL, name, &found);
    if (status == SPD_OK)
        *graph = (spd_graph)found;
    return status;
}

const char *spd_init_name(spd_init init)
{
    return names_get(NAMES_INIT, (unsigned)init);
}

spd_status spd_init_parse(spd_context *ctx, const char *name, spd_init *init)
{
    unsigned found;
    spd_status status = parse(ctx, NAMES_INIT, NULL, name, &found);
    if (status == SPD_OK)
        *init = (spd_init)found;
    return status;
}

const char *spd_solver_name(spd_solver solver)
{
    return names_get(NAMES_SOLVER, (unsigned)solver);
}

spd_status spd_solver_parse(spd_context *ctx, const char *name, spd_solver *solver)
{
    static const char *const brief[] = {"pr", "hs", "fr", "hz", NULL};
    unsigned found;
    spd_status status = parse(ctx, NAMES_SOLVER, brief, name, &found);
    if (status == SPD_OK)
        *solver = (spd_solver)found;
    return status;
}

const char *spd_transport_name(spd_transport transport)
{
    return names_get(NAMES_TRANSPORT, (unsigned)transport);
}

spd_status spd_transport_parse(spd_context *ctx, const char *name, spd_transport *transport)
{
    unsigned found;
    spd_status status = parse(ctx, NAMES_TRANSPORT, NULL, name, &found);
    if (status == SPD_OK)
        *transport = (spd_transport)found;
    return status;
}

const char *spd_stop_name(spd_stop stop)
{
    return names_get(NAMES_STOP, (unsigned)stop);
}

spd_status spd_stop_parse(spd_context *ctx, const char *name, spd_stop *stop)
{
    unsigned found;
    spd_status status = parse(ctx, NAMES_STOP, NULL, name, &found);
    if (status == SPD_OK)
        *stop = (spd_stop)found;
    return status;
}
