/* fit_graph.c - the graph of a fit: at the beginning, and of the mapped matrices. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "learn/affinity.h"
#include "learn/fitting.h"
#include "objective/objective.h"

/* The star: every sample is pushed away from the mean M, which is sample number p. */
spd_status fitting_star_graph(fit *f)
{
    size_t p = f->state.p;
    f->mean = mem_alloc(f->n * f->n, sizeof *f->mean);
    f->state.pair = mem_alloc(p, sizeof *f->state.pair);
    if (!f->mean || !f->state.pair)
        return ctx_nomem(f->ctx, "the graph");
    f->state.pairs = p;
    for (size_t i = 0; i < p; i++)
        f->state.pair[i] = (spd_pair){(uint32_t)i, (uint32_t)p, 0.0, 0.5};
    spd_status status = spd_mean_store(
        f->ctx, f->o.metric, f->set,
        &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = 1e-10}, f->mean, NULL);
    return status < 0 ? status : SPD_OK;
}

/* The graph is a copy of one that is known. */
spd_status fitting_take_graph(fit *f, size_t pairs, const spd_pair *from)
{
    f->state.pair = mem_alloc(pairs, sizeof *from);
    if (!f->state.pair)
        return ctx_nomem(f->ctx, "the graph");
    memcpy(f->state.pair, from, pairs * sizeof *from);
    f->state.pairs = pairs;
    return SPD_OK;
}

/* Squared distances between real forms are twice those between Hermitian matrices. */
static void weigh_hermitian(const fit *f, size_t pairs, spd_pair *pair)
{
    for (size_t k = 0; k < pairs && f->o.hermitian; k++) {
        pair[k].within *= 0.5;
        pair[k].between *= 0.5;
    }
}

spd_status fitting_make_graph(fit *f, const fit_graph *known)
{
    spd_fit_state *s = &f->state;
    double began = ranks_clock(ranks_of(f->ctx));
    spd_status status;
    if (known)
        status = fitting_take_graph(f, known->pairs, known->pair);
    else if (f->o.learning == SPD_MAXIMAL_VARIANCE)
        status = fitting_star_graph(f);
    else
        status = spd_affinity_store(f->ctx, f->set, f->label, &f->o, &s->pair, &s->pairs);
    if (f->o.search == SPD_SEARCH_AUTO) { /* no neighbours were looked for */
        f->o.search = SPD_SEARCH_EXACT;
        f->o.recall = 1.0;
    }
    if (status == SPD_OK)
        weigh_hermitian(f, s->pairs, s->pair);
    f->seconds_graph = ranks_clock(ranks_of(f->ctx)) - began;
    return status;
}

spd_status fitting_check_graph(const fit *f)
{
    size_t within, between;
    affinity_count(f->state.pairs, f->state.pair, &within, &between);
    if (objective_get(f->o.objective)->needs_both && (within == 0 || between == 0))
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the %s objective needs pairs within and between classes; there are %zu "
                        "and %zu",
                        spd_objective_name(f->o.objective), within, between);
    if (f->state.pairs == 0)
        return ctx_fail(f->ctx, SPD_EINVAL, "the graph is empty: there is nothing to minimise");
    double largest = 0.0;
    for (size_t i = 0; i < f->state.pairs; i++)
        largest = fmax(largest, fmax(f->state.pair[i].within, f->state.pair[i].between));
    if (largest < AFFINITY_LEAST)
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the weights of the graph are at most %.2g: give larger ones; only their "
                        "ratios matter",
                        largest);
    return SPD_OK;
}

/* *pairs (new), *count <- the graph of W'XW. */
spd_status fitting_mapped_graph(fit *f, spd_pair **pairs, size_t *count)
{
    const spd_fit_state *s = &f->state;
    double *S = mem_alloc(s->p, f->m * f->m * sizeof *S);
    if (!S)
        return ctx_nomem(f->ctx, "mapped matrices");
    spd_status status = spd_congruence_store(f->ctx, f->set, f->m, s->now->W, S);
    if (status == SPD_OK)
        status = spd_affinity(f->ctx, f->m, s->p, S, f->label, &f->o, pairs, count);
    if (status == SPD_OK)
        weigh_hermitian(f, *count, *pairs);
    mem_free(S);
    return status;
}
