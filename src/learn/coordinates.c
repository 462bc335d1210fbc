/* coordinates.c - which coordinates, and a problem seen from them.
 *
 *   mean     M = the arithmetic mean of the X_i
 *   within   M = sum_i D_i A^-1 D_i, A that mean, D_i the difference between X_i and the mean of
 *            its neighbours in the within graph
 *
 * Both go along when the X_i are written in another basis, so the path of a fit depends neither on
 * the basis nor on units. The optimiser's point, direction and gradient are W', U', G' with
 *
 *   W = L^-T W',  U = L^-T U',  G' = L^-1 G */
#include "learn/coordinates.h"

#include <string.h>

#include "base/arena.h"
#include "engine/parallel.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

#define CHUNKS 16 /* at most; each keeps its own sum */

spd_coordinates coordinates_choose(const spd_fit_options *options)
{
    if (options->coordinates != SPD_COORDINATES_AUTO)
        return options->coordinates;
    if (options->metric == SPD_LOG_EUCLIDEAN)
        return SPD_COORDINATES_PLAIN;
    return options->objective == SPD_RATIO ? SPD_COORDINATES_WITHIN : SPD_COORDINATES_PLAIN;
}

/* ---- M -------------------------------------------------------------------------------------- */

/* The sum of D_i A^-1 D_i, by chunks of samples. */
typedef struct scatter {
    const engine_input *in;
    const double *L;     /* n x n: the factor of A */
    const size_t *first; /* p + 1: where the neighbours of a sample begin in `link` */
    const size_t *link;  /* numbers of pairs */
    size_t chunks;
    double *sum;  /* chunks x n x n */
    double *work; /* threads x 2 n n */
} scatter;

/* D (n x n) <- X_i less the mean of its within neighbours; 0 where it has none. */
static int deviation(const scatter *s, size_t i, double *D)
{
    size_t n2 = s->in->n * s->in->n;
    double total = 0.0;
    for (size_t k = s->first[i]; k < s->first[i + 1]; k++)
        total += s->in->pair[s->link[k]].within;
    if (!(total > 0.0))
        return 0;
    memcpy(D, s->in->X + i * n2, n2 * sizeof *D);
    for (size_t k = s->first[i]; k < s->first[i + 1]; k++) {
        const spd_pair *link = &s->in->pair[s->link[k]];
        const double *X = s->in->X + (link->i == i ? link->j : link->i) * n2;
        for (size_t e = 0; e < n2; e++)
            D[e] -= link->within / total * X[e];
    }
    return 1;
}

static spd_status scatter_chunk(void *user, size_t chunk, int thread)
{
    scatter *s = user;
    size_t n = s->in->n, n2 = n * n;
    double *D = s->work + (size_t)thread * 2 * n2, *square = D + n2, *sum = s->sum + chunk * n2;
    memset(sum, 0, n2 * sizeof *sum);
    for (size_t i = chunk; i < s->in->p; i += s->chunks) {
        if (!deviation(s, i, D))
            continue;
        tall_solve(n, n, s->L, D);
        dense_gram_trans(n, D, square);
        for (size_t e = 0; e < n2; e++)
            sum[e] += square[e];
    }
    return SPD_OK;
}

/* first, link <- the within pairs of each sample. */
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

/* M (n x n), the factor of the mean, <- the sum. */
static spd_status within_scatter(spd_context *ctx, const engine_input *in, double *M)
{
    size_t n2 = in->n * in->n;
    arena room = {0};
    scatter s = {.in = in, .L = M, .chunks = in->p < CHUNKS ? in->p : CHUNKS};
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
    }
    if (status == SPD_OK) {
        memset(M, 0, n2 * sizeof *M);
        for (size_t chunk = 0; chunk < s.chunks; chunk++)
            for (size_t e = 0; e < n2; e++)
                M[e] += s.sum[chunk * n2 + e];
    }
    arena_free(&room);
    return status;
}

spd_status coordinates_factor(spd_context *ctx, spd_coordinates coordinates, const engine_input *in,
                              double *L)
{
    spd_status status = spd_mean(ctx, SPD_EUCLIDEAN, in->n, in->p, in->X, NULL, L, NULL);
    int singular = status >= 0 && dense_chol(in->n, L);
    if (status >= 0 && !singular && coordinates == SPD_COORDINATES_WITHIN) {
        status = within_scatter(ctx, in, L);
        singular = status >= 0 && dense_chol(in->n, L);
    }
    if (singular)
        return ctx_fail(ctx, SPD_ENUMERIC,
                        "the matrix of the coordinates '%s' is singular; use plain ones",
                        spd_coordinates_name(coordinates));
    return status < 0 ? status : SPD_OK;
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
                        .start = seen_start,
                        .cost_grad = seen_cost_grad,
                        .aim = seen_aim,
                        .probe = seen_probe,
                        .step = seen_step,
                        .free = seen_free};
    s->inside = inside;
    s->L = L;
    s->A = A;
    s->room = room;
    *wrapped = &s->base;
    return SPD_OK;
}
