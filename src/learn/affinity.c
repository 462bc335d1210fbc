/* affinity.c - which pairs of samples the cost is summed over: A = Gw - Gb (math.md, eq. 3).
 *
 * Directed links are found by affinity_search.c (labels) or affinity_far.c (no labels), and joined
 * to pairs by affinity_search.c; here stand the checks and the defaults. */
#include "learn/affinity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/memory.h"
#include "learn/affinity_search.h"
#include "learn/fit.h"
#include "objective/objective.h"
#include "run/engine.h"
#include "sets/set.h"

#define UNSUPERVISED_NU_W 5

/* Candidates of samples without a label, where near ones are a guess, for objectives that choose
 * among them after the map. */
#define UNKNOWN_NEAR 3
#define UNKNOWN_FAR  10

/* ---- own pairs ---------------------------------------------------------------------------- */

static int by_samples(const void *a, const void *b)
{
    const spd_pair *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

static spd_status check_values(spd_context *ctx, size_t p, size_t count, const spd_pair *pairs)
{
    double largest = 0.0;
    for (size_t e = 0; e < count; e++) {
        spd_pair a = pairs[e];
        if (a.i >= p || a.j >= p)
            return ctx_fail_at(ctx, SPD_EINVAL, e, 0.0,
                               "pair %zu of the graph joins samples %u and %u, but there are %zu "
                               "samples (numbered from 0)",
                               e, a.i, a.j, p);
        if (a.i == a.j)
            return ctx_fail_at(ctx, SPD_EINVAL, e, 0.0,
                               "pair %zu of the graph joins sample %u with itself; leave it out", e,
                               a.i);
        if (!(a.within >= 0.0 && a.between >= 0.0) || isinf(a.within) || isinf(a.between))
            return ctx_fail_at(ctx, SPD_EINVAL, e, a.within - a.between,
                               "pair %zu of the graph has a weight that is negative or not finite",
                               e);
        largest = fmax(largest, fmax(a.within, a.between));
    }
    if (largest > AFFINITY_LARGEST)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the graph has a weight of %.2g: give weights up to %g; only their ratios "
                        "matter",
                        largest, AFFINITY_LARGEST);
    return SPD_OK;
}

/* *sorted (new) <- the pairs, checked and in order. */
static spd_status sort_checked(spd_context *ctx, size_t p, size_t count, const spd_pair *pairs,
                               spd_pair **sorted)
{
    if (count == 0 || !pairs)
        return ctx_fail(ctx, SPD_EINVAL, "the graph has no pairs");
    spd_status status = check_values(ctx, p, count, pairs);
    if (status < 0)
        return status;
    spd_pair *s = mem_alloc(count, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "graph");
    for (size_t e = 0; e < count; e++) {
        spd_pair a = pairs[e];
        s[e] = a.i < a.j ? a : (spd_pair){a.j, a.i, a.within, a.between};
    }
    qsort(s, count, sizeof *s, by_samples);
    for (size_t e = 1; e < count && status == SPD_OK; e++)
        if (by_samples(s + e - 1, s + e) == 0)
            status = ctx_fail(ctx, SPD_EINVAL,
                              "the graph joins samples %u and %u more than once; give each "
                              "unordered pair once",
                              s[e].i, s[e].j);
    if (status == SPD_OK)
        *sorted = s;
    else
        mem_free(s);
    return status;
}

spd_status affinity_check(spd_context *ctx, size_t p, size_t count, const spd_pair *pairs)
{
    spd_pair *sorted = NULL;
    spd_status status = sort_checked(ctx, p, count, pairs, &sorted);
    mem_free(sorted);
    return status;
}

void affinity_count(size_t count, const spd_pair *pairs, size_t *within, size_t *between)
{
    *within = *between = 0;
    for (size_t e = 0; e < count; e++) {
        *within += pairs[e].within > 0.0;
        *between += pairs[e].between > 0.0;
    }
}

/* SPD_EINVAL, and *pairs are freed, when there are none. */
static spd_status refuse_empty(spd_context *ctx, size_t count, spd_pair **pairs)
{
    if (count > 0)
        return SPD_OK;
    mem_free(*pairs);
    *pairs = NULL;
    return ctx_fail(ctx, SPD_EINVAL, "the graph is empty: no pair has a nonzero weight");
}

static spd_status own_graph(spd_context *ctx, size_t p, const spd_fit_options *options,
                            spd_pair **pairs, size_t *count)
{
    spd_status status = sort_checked(ctx, p, options->pairs, options->own_pairs, pairs);
    if (status < 0)
        return status;
    size_t kept = 0;
    for (size_t e = 0; e < options->pairs; e++) {
        spd_pair a = (*pairs)[e];
        (*pairs)[kept] = a;
        kept += a.within > 0.0 || a.between > 0.0;
    }
    *count = kept;
    return refuse_empty(ctx, kept, pairs);
}

/* ---- graphs of neighbours ------------------------------------------------------------------- */

static spd_status check_classes(spd_context *ctx, size_t p, const classes *c)
{
    if (c->labelled == 0)
        return ctx_fail(ctx, SPD_EINVAL,
                        "no sample has a label; give labels, or learn without them (unsupervised)");
    if (c->count == 1)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the between graph is empty: all %zu labels are the same; two classes "
                        "are needed",
                        c->labelled);
    if (c->largest == 1 && c->labelled == p)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the within graph is empty: each of the %zu classes has one sample only; "
                        "at least one class needs two, or three where folds leave some out, "
                        "unless all parameters are given",
                        c->count);
    return SPD_OK;
}

static void limit(graph_job *g, const spd_fit_options *used)
{
    int choosing = objective_of_samples(used->objective);
    g->nu_w = smaller(used->nu_w, g->p - 1);
    g->nu_b = smaller(used->nu_b, g->p - 1);
    g->near_unknown = choosing ? smaller(g->nu_w, UNKNOWN_NEAR) : g->nu_w;
    g->far_unknown = choosing ? smaller(g->nu_b, UNKNOWN_FAR) : g->nu_b;
}

static spd_status supervised(spd_context *ctx, graph_job *g, spd_fit_options *used, links *l)
{
    classes c = {0};
    arena room = {0};
    if (!g->label)
        return ctx_fail(ctx, SPD_EINVAL,
                        "supervised learning needs labels; give them, or learn without them "
                        "(unsupervised)");
    spd_status status = classes_sort(ctx, g->p, g->label, &room, &c);
    if (status == SPD_OK)
        status = check_classes(ctx, g->p, &c);
    if (status == SPD_OK) {
        usual_nu(g->p, &c, used);
        g->c = &c;
        limit(g, used);
        status = links_new(ctx, graph_room(g), l);
    }
    if (status == SPD_OK)
        status = graph_by_class(ctx, g, GRAPH_MATRIX_UP_TO, l);
    if (status == SPD_OK && c.labelled < g->p)
        status = graph_far_unknown(ctx, g, l);
    arena_free(&room);
    g->c = NULL;
    return status;
}

static spd_status unsupervised(spd_context *ctx, graph_job *g, spd_fit_options *used, links *l)
{
    if (!used->nu_w) {
        size_t half = (g->p - 1) / 2;
        used->nu_w = half < UNSUPERVISED_NU_W ? (half ? half : 1) : UNSUPERVISED_NU_W;
    }
    used->nu_b = used->nu_b ? used->nu_b : used->nu_w;
    limit(g, used);
    return graph_near_far(ctx, g, l);
}

static spd_status neighbour_graph(spd_context *ctx, graph_job *g, spd_fit_options *used,
                                  spd_pair **pairs, size_t *count)
{
    links l = {0};
    spd_status status = used->learning == SPD_LEARNING_SUPERVISED ? supervised(ctx, g, used, &l)
                                                                  : unsupervised(ctx, g, used, &l);
    if (status == SPD_OK)
        status = links_join(ctx, g->p, &l, pairs, count);
    if (status == SPD_OK)
        status = refuse_empty(ctx, *count, pairs);
    links_free(&l);
    return status;
}

/* ---- the public functions -------------------------------------------------------------------- */

static spd_status check_arguments(spd_context *ctx, const spd_set *set,
                                  const spd_fit_options *options, spd_pair *const *pairs,
                                  const size_t *count)
{
    size_t p = set->p;
    if (!options || !pairs || !count)
        return ctx_fail(ctx, SPD_EINVAL, "options or the output for pairs are missing");
    if (p < 2)
        return ctx_fail(ctx, SPD_EINVAL, "%zu sample%s: pairs need at least two", p,
                        p == 1 ? "" : "s");
    if (p > UINT32_MAX)
        return ctx_fail(ctx, SPD_EINVAL, "%zu samples are more than a graph can hold", p);
    if (options->learning == SPD_LEARNING_VARIANCE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "maximal variance has no graph of pairs: its cost runs over samples and "
                        "their mean");
    if ((unsigned)options->learning > SPD_LEARNING_OWN_GRAPH)
        return ctx_fail(ctx, SPD_EINVAL, "unknown kind of learning");
    return SPD_OK;
}

/* options->nu_w and so on <- as used. */
static spd_status make_graph(spd_context *ctx, const spd_set *X, const int *label,
                             spd_fit_options *used, spd_fit_options *options, spd_pair **pairs,
                             size_t *count)
{
    if (used->learning == SPD_LEARNING_OWN_GRAPH)
        return own_graph(ctx, X->p, used, pairs, count);
    graph_job g = {.p = X->p,
                   .set = X,
                   .label = label,
                   .metric = used->metric,
                   .seed = used->seed,
                   .search = used->search};
    spd_status status = neighbour_graph(ctx, &g, used, pairs, count);
    options->search = g.search;
    options->recall = g.recall;
    return status;
}

spd_status spd_affinity(spd_context *ctx, const spd_set *given, const int *label,
                        spd_fit_options *options, spd_pair **pairs, size_t *count)
{
    spd_set X, host;
    spd_fit_options used = {0};
    arena room = {0};
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK)
        status = check_arguments(ctx, &X, options, pairs, count);
    if (status == SPD_OK)
        status = fit_options_take(ctx, options, &used);
    if (status < 0)
        return status;
    spd_pair *made = NULL;
    size_t there = 0;
    if (engine_of(&X))
        status = set_to_host(ctx, &X, &room, &host);
    if (status == SPD_OK)
        status = make_graph(ctx, engine_of(&X) ? &host : &X, label, &used, options, &made, &there);
    arena_free(&room);
    if (status < 0)
        return set_locate(ctx, &X, status);
    *pairs = made;
    *count = there;
    options->nu_w = used.nu_w;
    options->nu_b = used.nu_b;
    return SPD_OK;
}

spd_status affinity_of_distances(spd_context *ctx, size_t p, const double *D, const int *label,
                                 spd_fit_options *options, spd_pair **pairs, size_t *count)
{
    graph_job g = {
        .p = p, .D = D, .label = label, .metric = options->metric, .seed = options->seed};
    return neighbour_graph(ctx, &g, options, pairs, count);
}

void spd_pairs_free(spd_pair *pairs)
{
    mem_free(pairs);
}
