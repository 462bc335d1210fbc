/* coordinates.c - which coordinates, and a problem seen from them.
 *
 *   mean     M = A # H, the geometric mean of the arithmetic mean A of the X_i and their harmonic
 *            mean H: the Jeffrey mean, close to the AIRM mean and much cheaper
 *   harmonic M = H
 *   within   M = A # (s S + FLOOR A), S = sum_i D_i A^-1 D_i, D_i the difference between X_i and
 *            the mean of its neighbours in the within graph, and s such that tr(A^-1 s S) = n
 *
 * Both go along when the X_i are written in another basis, so the path of a fit depends neither on
 * the basis nor on units. The optimiser's point, direction and gradient are W', U', G' with
 *
 *   W = L^-T W',  U = L^-T U',  G' = L^-1 G */
#include "learn/coordinates.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "run/parallel.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

#define CHUNKS 16 /* at most; each keeps its own sum */
/* At most so many matrices, evenly spread, are enough for the scatter and for the means of
 * inverses: more make no better coordinates. */
#define SCATTER_SAMPLES 100
#define MEAN_SAMPLES    48

/* A direction in which the samples of a class are alike counts as if they varied by this part of
 * the average: it bounds the condition of M, seen from A. */
#define FLOOR 0.01

/* A difference is led by the pairs that outweigh the others: within, when it is positive. */
int coordinates_need_cost(const spd_fit_options *options)
{
    return options->objective == SPD_OBJECTIVE_DIFFERENCE &&
           options->metric != SPD_METRIC_LOG_EUCLIDEAN;
}

spd_coordinates coordinates_choose(const spd_fit_options *options, double cost)
{
    if (options->coordinates != SPD_COORDINATES_AUTO)
        return options->coordinates;
    if (options->metric == SPD_METRIC_LOG_EUCLIDEAN)
        return SPD_COORDINATES_PLAIN;
    if (options->objective != SPD_OBJECTIVE_DIFFERENCE)
        return SPD_COORDINATES_WITHIN;
    return cost > 0.0 ? SPD_COORDINATES_MEAN : SPD_COORDINATES_HARMONIC;
}

/* ---- M -------------------------------------------------------------------------------------- */

/* The sum of D_i A^-1 D_i = E_i'E_i, E_i = L^-1 D_i with A = L L', by chunks of samples. */
typedef struct scatter {
    const engine_input *in;
    const spd_set *set;  /* its samples */
    const double *L;     /* n x n */
    const size_t *first; /* p + 1: where the within pairs of a sample begin in `link` */
    const size_t *link;  /* numbers of pairs */
    size_t samples, chunks;
    double *sum;  /* chunks x n x n, of which the lower triangles count */
    double *work; /* threads x 2 n n */
} scatter;

/* D (n x n) <- X_i less the mean of its within neighbours, *some <- 0 when it has none; room: n x n
 * for a sample that is read. */
static spd_status deviation(const scatter *s, size_t i, double *D, double *room, int *some)
{
    size_t n2 = s->in->n * s->in->n;
    double total = 0.0;
    for (size_t k = s->first[i]; k < s->first[i + 1]; k++)
        total += s->in->pair[s->link[k]].within;
    *some = total > 0.0;
    if (!*some)
        return SPD_OK;
    if (set_read(s->set, i, 1, D) < 0)
        return SPD_EIO;
    for (size_t k = s->first[i]; k < s->first[i + 1]; k++) {
        const spd_pair *link = &s->in->pair[s->link[k]];
        const double *X = set_sample(s->set, link->i == i ? link->j : link->i, room);
        if (!X)
            return SPD_EIO;
        for (size_t e = 0; e < n2; e++)
            D[e] -= link->within / total * X[e];
    }
    return SPD_OK;
}

static spd_status scatter_chunk(void *user, size_t chunk, int thread)
{
    scatter *s = user;
    size_t n = s->in->n, n2 = n * n;
    double *D = s->work + (size_t)thread * 2 * n2, *sum = s->sum + chunk * n2;
    memset(sum, 0, n2 * sizeof *sum);
    for (size_t k = chunk; k < s->samples; k += s->chunks) {
        int some = 0;
        if (deviation(s, k * s->in->p / s->samples, D, D + n2, &some) < 0)
            return SPD_EIO;
        if (!some)
            continue;
        tall_solve(n, n, s->L, D);
        tall_add_gram(n, n, D, sum);
    }
    return SPD_OK;
}

/* first (p + 2), link <- the within pairs of each sample. */
static void gather_links(const engine_input *in, size_t *first, size_t *link)
{
    memset(first, 0, (in->p + 2) * sizeof *first);
    for (size_t k = 0; k < in->pairs; k++)
        if (in->pair[k].within > 0.0) {
            first[in->pair[k].i + 2]++;
            first[in->pair[k].j + 2]++;
        }
    for (size_t i = 2; i < in->p + 2; i++)
        first[i] += first[i - 1];
    for (size_t k = 0; k < in->pairs; k++)
        if (in->pair[k].within > 0.0) {
            link[first[in->pair[k].i + 1]++] = k;
            link[first[in->pair[k].j + 1]++] = k;
        }
}

/* T (n x n) <- what the chunks have summed, both triangles. */
static void add_chunks(const scatter *s, double *T)
{
    size_t n = s->in->n;
    memset(T, 0, n * n * sizeof *T);
    for (size_t chunk = 0; chunk < s->chunks; chunk++)
        for (size_t e = 0; e < n * n; e++)
            T[e] += s->sum[chunk * n * n + e];
    dense_mirror(n, T);
}

/* T (n x n) <- the sum, seen from A. */
static spd_status within_scatter(spd_context *ctx, const engine_input *in, const double *L,
                                 double *T)
{
    size_t n2 = in->n * in->n;
    arena room = {0};
    spd_set lent;
    scatter s = {.in = in, .set = engine_set(in, &lent), .L = L};
    s.samples = in->p < SCATTER_SAMPLES ? in->p : SCATTER_SAMPLES;
    s.chunks = s.samples < CHUNKS ? s.samples : CHUNKS;
    size_t *first = arena_alloc(&room, in->p + 2, sizeof *first);
    size_t *link = arena_alloc(&room, 2 * in->pairs, sizeof *link);
    s.sum = arena_alloc(&room, s.chunks, n2 * sizeof *s.sum);
    s.work = arena_alloc(&room, (size_t)parallel_threads(ctx), 2 * n2 * sizeof *s.work);
    s.first = first;
    s.link = link;
    spd_status status = arena_status(&room, ctx, "the coordinates");
    if (status == SPD_OK) {
        gather_links(in, first, link);
        status = parallel_for(ctx, s.chunks, scatter_chunk, &s, NULL, NULL, 0.0, NULL);
        set_fail(ctx, s.set, status);
    }
    if (status == SPD_OK) {
        add_chunks(&s, T);
        dense_reduce(in->n, L, T);
    }
    arena_free(&room);
    return status;
}

/* L <- the Cholesky factor of the mean of the X_i in that metric. */
static spd_status mean_factor(spd_context *ctx, spd_metric metric, const engine_input *in,
                              double *L)
{
    spd_set lent;
    spd_status status = spd_mean(ctx, metric, engine_set(in, &lent), NULL, L, NULL);
    if (status < 0 || !dense_chol(in->n, L))
        return status < 0 ? status : SPD_OK;
    ctx_fail(ctx, SPD_ENUMERIC, "the mean of the matrices is singular up to rounding");
    return ctx_advise(ctx, SPD_ENUMERIC, SPD_REMEDY_REGULARIZE, 1e-6);
}

/* L, the factor of the arithmetic mean A, <- that of H = G A^-1 G, where G = A # H. */
static spd_status harmonic_factor(spd_context *ctx, const engine_input *in, double *L)
{
    size_t n = in->n;
    spd_set lent;
    arena room = {0};
    double *G = arena_alloc(&room, n, n * sizeof *G);
    double *Q = arena_alloc(&room, n, n * sizeof *Q);
    double *work = arena_alloc(&room, dense_lq_work(n), sizeof *work);
    spd_status status = arena_status(&room, ctx, "the coordinates");
    if (status == SPD_OK)
        status = spd_mean(ctx, SPD_METRIC_JEFFREY, engine_set(in, &lent), NULL, G, NULL);
    if (status >= 0) {
        tall_solve(n, n, L, G);
        dense_transpose(n, G);
        dense_lq(n, G, Q, work);
        memcpy(L, G, n * n * sizeof *L);
    }
    arena_free(&room);
    return status < 0 ? status : SPD_OK;
}

/* L, the factor of A, <- that of A # (s S + FLOOR A) = L V diag(g)^2 V'L', where T = V diag(lambda)
 * V' is S seen from A, and g^4 = s lambda + FLOOR. Without any scatter A stays. */
static spd_status bend(spd_context *ctx, size_t n, double *T, double *L)
{
    arena room = {0};
    double *lambda = arena_alloc(&room, n, sizeof *lambda), trace = 0.0;
    double *B = arena_alloc(&room, n, n * sizeof *B);
    double *Q = arena_alloc(&room, n, n * sizeof *Q);
    double *work = arena_alloc(&room, dense_eigh_work(n) + dense_lq_work(n), sizeof *work);
    spd_status status = arena_status(&room, ctx, "the coordinates");
    if (status == SPD_OK && dense_eigh(n, 1, T, lambda, work))
        status = ctx_fail(ctx, SPD_ENUMERIC, "the scatter within classes has no eigenvectors");
    for (size_t k = 0; status == SPD_OK && k < n; k++)
        trace += fmax(lambda[k], 0.0);
    if (trace > 0.0) {
        for (size_t k = 0; k < n; k++)
            lambda[k] = sqrt(sqrt(fmax(lambda[k], 0.0) * ((double)n / trace) + FLOOR));
        dense_product(n, L, T, B);
        dense_scale_columns(n, B, lambda, L);
        dense_lq(n, L, Q, work);
    }
    arena_free(&room);
    return status;
}

static spd_status within_factor(spd_context *ctx, const engine_input *in, double *L)
{
    double *T = mem_alloc(in->n, in->n * sizeof *T);
    spd_status status = T ? within_scatter(ctx, in, L, T) : ctx_nomem(ctx, "the coordinates");
    if (status == SPD_OK)
        status = bend(ctx, in->n, T, L);
    mem_free(T);
    return status;
}

/* L <- the factor of the mean or of the harmonic mean of `in`. */
static spd_status plain_factor(spd_context *ctx, int harmonic, const engine_input *in, double *L)
{
    spd_status status =
        mean_factor(ctx, harmonic ? SPD_METRIC_EUCLIDEAN : SPD_METRIC_JEFFREY, in, L);
    return status == SPD_OK && harmonic ? harmonic_factor(ctx, in, L) : status;
}

/* The same of MEAN_SAMPLES of the matrices, evenly spread, since each has to be inverted. */
static spd_status spread_factor(spd_context *ctx, int harmonic, const engine_input *in, double *L)
{
    size_t n2 = in->n * in->n;
    engine_input some = *in;
    if (in->p <= MEAN_SAMPLES)
        return plain_factor(ctx, harmonic, in, L);
    some.p = MEAN_SAMPLES;
    spd_set lent;
    const spd_set *set = engine_set(in, &lent);
    spd_status status = SPD_OK;
    double *X = mem_alloc(some.p, n2 * sizeof *X);
    if (!X)
        return ctx_nomem(ctx, "the coordinates");
    for (size_t i = 0; i < some.p && status == SPD_OK; i++)
        status = set_fail(ctx, set, set_read(set, i * in->p / some.p, 1, X + i * n2));
    some.X = X;
    if (status == SPD_OK)
        status = plain_factor(ctx, harmonic, &some, L);
    mem_free(X);
    return status;
}

spd_status coordinates_factor(spd_context *ctx, spd_coordinates coordinates, const engine_input *in,
                              double *L)
{
    if (coordinates != SPD_COORDINATES_WITHIN)
        return spread_factor(ctx, coordinates == SPD_COORDINATES_HARMONIC, in, L);
    spd_status status = mean_factor(ctx, SPD_METRIC_EUCLIDEAN, in, L);
    return status < 0 ? status : within_factor(ctx, in, L);
}

/* ---- W -------------------------------------------------------------------------------------- */

size_t coordinates_work(size_t n, size_t m)
{
    return n * m + tall_orthonormalise_work(n, m);
}

void coordinates_enter(size_t n, size_t m, const double *L, double *W, double *work)
{
    dense_trans_product(n, m, n, L, W, 0.0, work);
    memcpy(W, work, n * m * sizeof *W);
    tall_orthonormalise(n, m, W, work);
}

void coordinates_leave(size_t n, size_t m, const double *L, double *W, double *work)
{
    tall_solve_trans(n, m, L, W);
    tall_orthonormalise(n, m, W, work);
}

/* ---- the problem ---------------------------------------------------------------------------- */

typedef struct seen {
    problem base;
    problem *inside;
    const double *L; /* n x n */
    double *A;       /* n x m: what the problem inside is given */
    arena room;      /* where this lies */
} seen;

/* A <- L^-T B */
static const double *original(seen *s, const double *B)
{
    memcpy(s->A, B, s->base.n * s->base.m * sizeof *B);
    tall_solve_trans(s->base.n, s->base.m, s->L, s->A);
    return s->A;
}

static spd_status seen_start(problem *base, const double *W)
{
    seen *s = (seen *)base;
    return s->inside->start(s->inside, original(s, W));
}

static spd_status seen_cost_grad(problem *base, double *f, double *G)
{
    seen *s = (seen *)base;
    spd_status status = s->inside->cost_grad(s->inside, f, G);
    if (status == SPD_OK)
        tall_solve(base->n, base->m, s->L, G);
    return status;
}

static spd_status seen_aim(problem *base, const double *U, const double *sigma, const double *V)
{
    seen *s = (seen *)base;
    return s->inside->aim(s->inside, original(s, U), sigma, V);
}

static void seen_ahead(problem *base, double t)
{
    seen *s = (seen *)base;
    s->inside->ahead(s->inside, t);
}

static spd_status seen_probe(problem *base, double t, double *f, double *df)
{
    seen *s = (seen *)base;
    return s->inside->probe(s->inside, t, f, df);
}

static spd_status seen_step(problem *base, double t)
{
    seen *s = (seen *)base;
    return s->inside->step(s->inside, t);
}

static void seen_about(problem *base, size_t room, char *text)
{
    problem *inside = ((seen *)base)->inside;
    inside->about(inside, room, text);
}

static void seen_free(problem *base)
{
    seen *s = (seen *)base;
    arena room = s->room;
    s->inside->free(s->inside);
    arena_free(&room);
}

spd_status coordinates_wrap(spd_context *ctx, problem *inside, const double *L, problem **wrapped)
{
    arena room = {0};
    seen *s = arena_zero(&room, 1, sizeof *s);
    double *A = arena_alloc(&room, inside->n, inside->m * sizeof *A);
    spd_status status = arena_status(&room, ctx, "the coordinates");
    if (status < 0) {
        inside->free(inside);
        arena_free(&room);
        return status;
    }
    s->base = (problem){.n = inside->n,
                        .m = inside->m,
                        .grad_pass = inside->grad_pass,
                        .start = seen_start,
                        .cost_grad = seen_cost_grad,
                        .aim = seen_aim,
                        .ahead = inside->ahead ? seen_ahead : NULL,
                        .probe = seen_probe,
                        .step = seen_step,
                        .free = seen_free,
                        .about = inside->about ? seen_about : NULL};
    s->inside = inside;
    s->L = L;
    s->A = A;
    s->room = room;
    *wrapped = &s->base;
    return SPD_OK;
}
