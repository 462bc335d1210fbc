/* log_euclidean_fit.c - the alternating eigenvalue scheme for log-Euclidean maps.
 *
 * With Y_i = L_i W, the sum over unordered pairs of c_ij (Y_i - Y_j)(Y_i - Y_j)' is the sum over
 * samples of Y_i G_i', G_i = sum_j c_ij (Y_i - Y_j): p n^2 m operations, however many pairs. The
 * mean of the L_i is taken out first: it has no effect, but would cost digits here. The within
 * and the between sums are kept apart, as the ratio weighs them at the current W. */
#include "learn/log_euclidean_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "engine/blas.h"
#include "engine/parallel.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "objective/objective.h"
#include "optim/grassmann.h"

/* Parts in which the sums run; fixed, so that their order is. */
#define CHUNKS 32

#define PATIENCE 10 /* iterations without a better W that end the scheme */

typedef struct neighbour {
    uint32_t j;
    double weight[2]; /* within, between */
} neighbour;

typedef struct log_fit {
    spd_context *ctx;
    spd_objective objective;
    size_t n, m, p;
    double *L;       /* p x n x n, centred */
    size_t *first;   /* p + 1: where the neighbours of a sample begin */
    neighbour *near; /* each pair twice */
    double *Y;       /* p x m x n: Y_i' */
    double *G;       /* threads x m x n */
    double *part;    /* CHUNKS x 2 x n x n */
    double *F;       /* 2 x n x n: the sums with within and between weights; then F(W) in front */
    double *V;       /* n x m: F W, then scratch */
    double *small;   /* m x m */
    double *lambda, *eigh; /* n, and scratch of the eigenvectors */
    const double *W;       /* where Y and F are wanted */
    arena room;            /* all of the memory */
} log_fit;

/* ---- set-up -------------------------------------------------------------------------------- */

static void centre(log_fit *a)
{
    size_t n2 = a->n * a->n;
    double *mean = a->F; /* not yet in use */
    memset(mean, 0, n2 * sizeof *mean);
    for (size_t i = 0; i < a->p; i++)
        for (size_t e = 0; e < n2; e++)
            mean[e] += a->L[i * n2 + e] / (double)a->p;
    for (size_t i = 0; i < a->p; i++)
        for (size_t e = 0; e < n2; e++)
            a->L[i * n2 + e] -= mean[e];
}

static void list_neighbours(log_fit *a, size_t count, const spd_pair *pairs)
{
    size_t *next = a->first + 1; /* ends as first + 1 must be */
    memset(a->first, 0, (a->p + 2) * sizeof *a->first);
    for (size_t e = 0; e < count; e++) {
        next[pairs[e].i + 1]++;
        next[pairs[e].j + 1]++;
    }
    for (size_t i = 0; i < a->p; i++)
        next[i + 1] += next[i];
    for (size_t e = 0; e < count; e++) {
        spd_pair q = pairs[e];
        a->near[next[q.i]++] = (neighbour){q.j, {q.within, q.between}};
        a->near[next[q.j]++] = (neighbour){q.i, {q.within, q.between}};
    }
}

static void log_fit_allocate(log_fit *a, size_t count)
{
    size_t n = a->n, m = a->m, n2 = n * n;
    a->L = arena_alloc(&a->room, a->p, n2 * sizeof *a->L);
    a->first = arena_alloc(&a->room, a->p + 2, sizeof *a->first);
    a->near = arena_alloc(&a->room, 2 * count, sizeof *a->near);
    a->Y = arena_alloc(&a->room, a->p, n * m * sizeof *a->Y);
    a->G = arena_alloc(&a->room, (size_t)parallel_threads(a->ctx), n * m * sizeof *a->G);
    a->part = arena_alloc(&a->room, 2 * CHUNKS, n2 * sizeof *a->part);
    a->F = arena_alloc(&a->room, 2, n2 * sizeof *a->F);
    a->V = arena_alloc(&a->room, n, m * sizeof *a->V);
    a->small = arena_alloc(&a->room, m, m * sizeof *a->small);
    a->lambda = arena_alloc(&a->room, n, sizeof *a->lambda);
    a->eigh = arena_alloc(&a->room, dense_eigh_work(n), sizeof *a->eigh);
}

/* a->room is freed by the caller, always. */
static spd_status log_fit_open(log_fit *a, spd_context *ctx, const engine_input *in)
{
    *a = (log_fit){.ctx = ctx, .objective = in->objective, .n = in->n, .m = in->m, .p = in->p};
    if (!objective_get(in->objective)->of_sums)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the %s objective is not available for the approximate log-Euclidean cost; "
                        "use the exact one",
                        spd_objective_name(in->objective));
    log_fit_allocate(a, in->pairs);
    spd_status status = arena_status(&a->room, ctx, "the log-Euclidean map");
    if (status == SPD_OK)
        status = spd_apply(a->ctx, SPD_LOG, 0.0, a->n, a->p, in->X, a->L);
    if (status < 0)
        return status;
    centre(a);
    list_neighbours(a, in->pairs, in->pair);
    return SPD_OK;
}

/* ---- F(W), cost and gradient ------------------------------------------------------------------
 */

static size_t chunk_start(const log_fit *a, size_t chunk)
{
    return chunk * a->p / CHUNKS;
}

/* Y_i' = W' L_i */
static spd_status pass_chunk(void *user, size_t chunk, int thread)
{
    log_fit *a = user;
    size_t n = a->n, m = a->m;
    (void)thread;
    for (size_t i = chunk_start(a, chunk); i < chunk_start(a, chunk + 1); i++)
        dense_trans_product(m, n, n, a->W, a->L + i * n * n, 0.0, a->Y + i * m * n);
    return SPD_OK;
}

/* G <- G_i', with the within or the between weights; zero when there are none of these. */
static int gather(const log_fit *a, size_t i, int kind, double *G)
{
    size_t count = a->m * a->n;
    const double *Yi = a->Y + i * count;
    int any = 0;
    memset(G, 0, count * sizeof *G);
    for (size_t e = a->first[i]; e < a->first[i + 1]; e++) {
        const double *Yj = a->Y + a->near[e].j * count;
        double weight = a->near[e].weight[kind];
        if (weight == 0.0)
            continue;
        any = 1;
        for (size_t k = 0; k < count; k++)
            G[k] += weight * (Yi[k] - Yj[k]);
    }
    return any;
}

static spd_status sum_chunk(void *user, size_t chunk, int thread)
{
    log_fit *a = user;
    size_t n = a->n, m = a->m;
    double *part = a->part + chunk * 2 * n * n, *G = a->G + (size_t)thread * m * n;
    memset(part, 0, 2 * n * n * sizeof *part);
    for (size_t i = chunk_start(a, chunk); i < chunk_start(a, chunk + 1); i++)
        for (int kind = 0; kind < 2; kind++)
            if (gather(a, i, kind, G))
                dense_trans_product(n, n, m, a->Y + i * m * n, G, 1.0, part + (size_t)kind * n * n);
    return SPD_OK;
}

/* a->F <- both sums over ordered pairs, symmetric. */
static spd_status make_sums(log_fit *a, const double *W)
{
    size_t n = a->n, n2 = n * n;
    a->W = W;
    spd_status status = parallel_for(a->ctx, CHUNKS, pass_chunk, a, NULL, NULL, 0.0, NULL);
    if (status == SPD_OK)
        status = parallel_for(a->ctx, CHUNKS, sum_chunk, a, NULL, NULL, 0.0, NULL);
    memset(a->F, 0, 2 * n2 * sizeof *a->F);
    for (size_t c = 0; c < CHUNKS; c++)
        for (size_t e = 0; e < 2 * n2; e++)
            a->F[e] += 2.0 * a->part[c * 2 * n2 + e];
    spd_symmetrize(n, 2, a->F);
    return status;
}

/* tr(W'FW); leaves FW in a->V. */
static double trace(log_fit *a, const double *F, const double *W)
{
    dense_trans_product(a->n, a->m, a->n, F, W, 0.0, a->V);
    return tall_dot(a->n, a->m, W, a->V);
}

/* *f and G (n x m, or NULL) <- cost and D_W f at W; a->F begins with F(W), weighted for the
 * objective. */
static spd_status evaluate(log_fit *a, const double *W, double *f, double *G)
{
    size_t n2 = a->n * a->n;
    spd_status status = make_sums(a, W);
    if (status < 0)
        return status;
    double Sw = trace(a, a->F, W), Sb = trace(a, a->F + n2, W), within = 1.0, between = 1.0;
    if (a->objective == SPD_RATIO) {
        if (!(Sw > 0.0 && Sb > 0.0))
            return ctx_fail(a->ctx, SPD_ENUMERIC,
                            "the ratio objective does not exist: all %s pairs have distance zero",
                            Sw > 0.0 ? "between" : "within");
        within /= Sw;
        between /= Sb;
    }
    for (size_t e = 0; e < n2; e++)
        a->F[e] = within * a->F[e] - between * a->F[n2 + e];
    *f = a->objective == SPD_RATIO ? log(Sw) - log(Sb) : Sw - Sb;
    trace(a, a->F, W);
    for (size_t e = 0; G && e < a->n * a->m; e++)
        G[e] = 4.0 * a->V[e];
    if (!isfinite(*f))
        return ctx_fail(a->ctx, SPD_ENUMERIC, "the cost is not finite");
    return SPD_OK;
}

spd_status log_euclidean_cost(spd_context *ctx, const engine_input *in, const double *W,
                              double *cost, double *gradient)
{
    log_fit a = {0};
    spd_private_blas_hold();
    spd_status status = log_fit_open(&a, ctx, in);
    if (status == SPD_OK)
        status = evaluate(&a, W, cost, gradient);
    spd_private_blas_release();
    arena_free(&a.room);
    return status;
}

/* ---- the scheme ---------------------------------------------------------------------------------
 */

/* f and grad at s->W. */
static spd_status arrive(log_fit *a, minimise_state *s)
{
    spd_status status = evaluate(a, s->W, &s->f, s->grad);
    if (status < 0)
        return status;
    grassmann_project(a->n, a->m, s->W, s->grad, a->small);
    s->gradient_norm = sqrt(tall_dot(a->n, a->m, s->grad, s->grad));
    return SPD_OK;
}

/* s->W <- the eigenvectors of F to the m smallest eigenvalues. F is destroyed. */
static spd_status turn(log_fit *a, minimise_state *s)
{
    size_t n = a->n, m = a->m;
    if (dense_eigh(n, 1, a->F, a->lambda, a->eigh))
        return ctx_fail(a->ctx, SPD_ENUMERIC, "the eigenvectors of F(W) did not converge");
    for (size_t r = 0; r < n; r++)
        memcpy(s->W + r * m, a->F + r * n, m * sizeof *s->W);
    return SPD_OK;
}

static void note_best(minimise_state *s)
{
    if (s->f >= s->best_f)
        return;
    s->best_f = s->f;
    s->best_iteration = s->iteration;
}

/* A resumed run needs F(W) only; f and gradient come out as they were. */
static spd_status begin(log_fit *a, int resumed, minimise_state *s)
{
    spd_status status = arrive(a, s);
    if (status < 0 || resumed)
        return status;
    s->first_f = s->f;
    s->iteration = s->refreshes = s->small_steps = 0;
    s->last_step = 0.0;
    s->passes++;
    s->best_f = INFINITY;
    note_best(s);
    return SPD_OK;
}

static spd_status iterate(log_fit *a, const minimise_options *o, minimise_state *s)
{
    double before = s->f;
    spd_status status = turn(a, s);
    if (status == SPD_OK)
        status = arrive(a, s);
    if (status < 0)
        return status;
    minimise_count_small(o, s, before);
    s->iteration++;
    s->passes++;
    note_best(s);
    return SPD_OK;
}

/* Non-zero, and s->stop says why, when the end is reached. */
static int at_end(const minimise_options *o, minimise_state *s, double began)
{
    if (minimise_converged(o, s))
        return 1;
    if (s->iteration - s->best_iteration >= PATIENCE)
        s->stop = SPD_STOP_LINE_SEARCH;
    else if (s->iteration >= o->max_iter)
        s->stop = SPD_STOP_ITERATIONS;
    else if (o->max_time > 0.0 && minimise_clock(o) - began >= o->max_time)
        s->stop = SPD_STOP_TIME;
    else
        return 0;
    return 1;
}

/* Non-zero when the caller wants to stop. */
static int tell(minimise_state *s, double began, minimise_fn after, void *user)
{
    spd_fit_step last = {s->f, s->gradient_norm, s->iteration ? 1.0 : 0.0, clock_seconds() - began,
                         0};
    if (!after || !after(user, s, &last))
        return 0;
    s->stop = SPD_STOP_CANCELLED;
    return 1;
}

spd_status log_euclidean_minimise(spd_context *ctx, const engine_input *in,
                                  const minimise_options *options, int resumed, minimise_state *s,
                                  minimise_fn after, void *user)
{
    log_fit a = {0};
    double began = minimise_clock(options) - options->seconds_before;
    int cancelled = 0;
    spd_private_blas_hold();
    spd_status status = log_fit_open(&a, ctx, in);
    if (status == SPD_OK)
        status = begin(&a, resumed, s);
    if (status == SPD_OK && !resumed)
        cancelled = tell(s, began, after, user);
    while (status == SPD_OK && !cancelled && !at_end(options, s, began)) {
        status = iterate(&a, options, s);
        if (status == SPD_OK)
            cancelled = tell(s, began, after, user);
    }
    spd_private_blas_release();
    arena_free(&a.room);
    return status;
}
