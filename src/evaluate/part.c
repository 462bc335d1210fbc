/* part.c - the two sides of a fold and its graphs. */
#include "evaluate/part.h"

#include "base/classes.h"
#include "classify/samples.h"
#include "evaluate/method.h"
#include "evaluate/trials.h"
#include "learn/affinity.h"

/* a <- the samples of the fold (inside), or all others. */
static spd_status take_side(spd_context *ctx, const part_source *from, size_t fold, int inside,
                            arena *keep, side *a)
{
    samples all = *from->train;
    size_t count = 0;
    if (spd_method_on_vectors(from->method))
        all.X = NULL;
    else
        all.V = NULL;
    a->index = arena_alloc(keep, all.p, sizeof *a->index);
    if (!a->index)
        return ctx_nomem(ctx, "a part of the samples");
    for (size_t i = 0; i < all.p; i++)
        if ((from->fold[i] == fold) == inside)
            a->index[count++] = i;
    return samples_part(ctx, &all, count, a->index, keep, &a->s);
}

/* The graph of one way, from the distances D between the training samples. */
static spd_status take_graph(spd_context *ctx, const part_source *from, const part *a, size_t way,
                             const double *D, part_graph *graph)
{
    spd_method method = *from->method;
    settings_use(from->settings, way * from->settings->decisions, &method);
    settings_limit(from->settings, a->smallest, &method);
    spd_fit_options options = method_fit_options(&method);
    spd_status status = affinity_of_distances(ctx, a->train.s.p, D, a->train.s.label, &options,
                                              &graph->pairs, &graph->count);
    if (status < 0) {
        if (ctx)
            graph->error = *spd_context_error(ctx);
        graph->error.status = status;
    }
    return trial_is_fatal(status) ? status : SPD_OK;
}

static spd_status take_graphs(spd_context *ctx, const part_source *from, part *a)
{
    size_t p = a->train.s.p, all = from->train->p, ways = from->settings->ways;
    arena room = {0};
    double *D = arena_alloc(&room, p, p * sizeof *D);
    a->graph = arena_zero(&a->room, ways, sizeof *a->graph);
    if (!D || !a->graph) {
        arena_free(&room);
        return ctx_nomem(ctx, "distances");
    }
    a->graphs = ways;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            D[i * p + j] = from->D[a->train.index[i] * all + a->train.index[j]];
    spd_status status = SPD_OK;
    for (size_t way = 0; way < ways && status == SPD_OK; way++)
        status = take_graph(ctx, from, a, way, D, &a->graph[way]);
    arena_free(&room);
    return status;
}

spd_status part_make(spd_context *ctx, const part_source *from, size_t fold, part *a)
{
    *a = (part){0};
    classes c = {0};
    spd_status status = take_side(ctx, from, fold, 0, &a->room, &a->train);
    if (status == SPD_OK)
        status = take_side(ctx, from, fold, 1, &a->room, &a->test);
    a->truth = a->test.s.label;
    a->test.s.label = NULL;
    if (status == SPD_OK)
        status = classes_sort(ctx, a->train.s.p, a->train.s.label, &a->room, &c);
    a->smallest = c.smallest;
    if (status == SPD_OK && from->D)
        status = take_graphs(ctx, from, a);
    return status;
}

void part_free(part *a)
{
    for (size_t way = 0; way < a->graphs; way++)
        spd_pairs_free(a->graph[way].pairs);
    arena_free(&a->room);
    *a = (part){0};
}
