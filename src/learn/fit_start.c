/* fit_start.c - which start a fit takes.
 *
 * Left to choose, the start is that of the mean or that of the class means (csp), whichever has the
 * lower cost. Under AIRM, whose pairs cost several times as much, the way from there is gone under
 * Stein. A start that descent could never leave, since no sample mixes the subspaces that it lies
 * in, is turned by a little (invariant.c); the identity of the paper's setting is not. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "learn/complex_map.h"
#include "learn/fitting.h"
#include "learn/start.h"

/* Class means take no more doubles than this, or this many times the samples. */
#define ROOM_FOR_MEANS ((size_t)1 << 25)

spd_status fitting_cost(fit *f, const double *W, double *cost)
{
    spd_status status = f->engine->start(f->engine, W);
    return status < 0 ? status : f->engine->cost_grad(f->engine, cost, f->state.at.grad);
}

/* W <- the start of that kind. Each start draws its own numbers, so that a resumed fit draws the
 * same. */
static spd_status start_of(fit *f, spd_init init, double *W)
{
    rng r;
    rng_seed(&r, f->o.seed + ((uint64_t)f->state.start << 32));
    spd_status status = init == SPD_INIT_CSP
                            ? start_csp(f->ctx, SPD_METRIC_JEFFREY, f->set, f->m, f->label, W)
                            : start_point(f->ctx, init, f->set, f->m, f->o.W, &r, W);
    return status < 0 || !f->o.hermitian ? status : complex_map_nearest(f->ctx, f->n, f->m, W);
}

/* Are there class means, and is there room for them? */
static int has_class_means(const fit *f)
{
    int count = 0;
    for (size_t i = 0; f->label && i < f->state.p; i++)
        count = f->label[i] >= count ? f->label[i] + 1 : count;
    return count > 1 && (size_t)count <= ROOM_FOR_MEANS / (f->n * f->n);
}

/* W <- the start csp where its cost is lower than at W; it may have none. */
static spd_status try_csp(fit *f, double *W, double *other)
{
    double here = INFINITY, there = INFINITY;
    spd_status status = start_of(f, SPD_INIT_CSP, other);
    if (status >= 0)
        status = fitting_cost(f, W, &here);
    if (status >= 0)
        status = fitting_cost(f, other, &there);
    if (status >= 0 && there < here) {
        memcpy(W, other, f->n * f->m * sizeof *W);
        f->o.init = SPD_INIT_CSP;
    }
    if (status == SPD_ENOMEM || status == SPD_ECANCELLED)
        return status;
    if (status < 0)
        ctx_clear(f->ctx);
    return SPD_OK;
}

/* state.at.W <- where a fit under Stein of the same graph ends, or has come to when it is
 * cancelled: then the fit that begins there will notice. */
static spd_status learn_under_stein(fit *f)
{
    const fit_graph graph = {f->state.pairs, f->state.pair};
    spd_fit_options o = f->o;
    spd_model *near = NULL;
    o.metric = SPD_METRIC_STEIN;
    o.init = SPD_INIT_AUTO;
    o.restarts = 1;
    o.max_time = fitting_time(f);
    spd_status status = fitting_again(f, &o, &graph, &near);
    if (near)
        memcpy(f->state.at.W, near->W, f->n * f->m * sizeof *near->W);
    if (near && status == SPD_ECANCELLED) {
        ctx_clear(f->ctx);
        status = SPD_OK;
    }
    spd_model_free(near);
    return status < 0 ? status : SPD_OK;
}

spd_status fitting_approach(fit *f)
{
    int asked = f->o.init == SPD_INIT_STEIN;
    int gains = f->o.init == SPD_INIT_AUTO && f->o.metric == SPD_METRIC_AIRM;
    if (!asked && (!gains || f->o.learning == SPD_LEARNING_VARIANCE))
        return SPD_OK;
    spd_status status = learn_under_stein(f);
    if (status == SPD_ENUMERIC && !asked) {
        ctx_clear(f->ctx); /* AIRM may do better, from another start */
        return SPD_OK;
    }
    f->o.init = SPD_INIT_STEIN;
    return status;
}

/* state.at.W <- the first start, as it is defined. */
static spd_status first_start(fit *f)
{
    double *W = f->state.at.W;
    if (f->o.init != SPD_INIT_AUTO)
        return start_of(f, f->o.init, W);
    f->o.init = SPD_INIT_MEAN;
    spd_status status = start_of(f, SPD_INIT_MEAN, W);
    if (status < 0 || !has_class_means(f))
        return status;
    double *other = mem_alloc(f->n, f->m * sizeof *other);
    status = other ? try_csp(f, W, other) : ctx_nomem(f->ctx, "the start");
    mem_free(other);
    return status;
}

/* The first start is that of the paper's Algorithm 1, to the letter. */
static int is_papers(const fit *f)
{
    return f->o.paper && f->o.init == SPD_INIT_IDENTITY;
}

void fitting_judge_end(fit *f)
{
    spd_stop *stop = &f->state.at.stop;
    size_t m = f->m, c = 0;
    if (f->state.start > 0 || !is_papers(f) ||
        (*stop != SPD_STOP_TOLERANCE && *stop != SPD_STOP_GRADIENT &&
         *stop != SPD_STOP_LINE_SEARCH))
        return;
    for (size_t r = 0; r < f->n && c < m; r++)
        for (c = 0; c < m && f->state.now->W[r * m + c] == 0.0;)
            c++;
    if (c == m)
        *stop = f->state.now->stop = SPD_STOP_INVARIANT;
}

spd_status fitting_start(fit *f)
{
    if (f->state.start > 0)
        return start_of(f, SPD_INIT_RANDOM, f->state.at.W);
    spd_status status = f->o.init == SPD_INIT_STEIN ? SPD_OK : first_start(f);
    return status < 0 || is_papers(f) || f->o.max_iter == 0
               ? status
               : invariant_leave(f->ctx, f->set, f->m, f->o.seed, f->state.at.W);
}
