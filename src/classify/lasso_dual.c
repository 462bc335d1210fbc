/* lasso_dual.c - coordinate descent in the box, in turn with Newton steps of the coordinates that no
 * wall holds. */
#include "classify/lasso_dual.h"

#include <math.h>
#include <string.h>

#include "classify/lasso_set.h"
#include "linalg/dense.h"

#define MOST_ROUNDS 500
#define FIRST_ROOM  32

/* A move that is smaller than this share of the box's half width is none. */
#define NO_MOVE 1e-13

/* To gather n free ones costs so many times n^2, in the unit of lasso_move_cost; they are swept for
 * this share of a Newton step; and one follows when this share of them is still free. Measured. */
#define GATHER_COST  16.0
#define SWEEPS_SHARE 0.5
#define MOST_STAY    0.9

void lasso_dual_make(lasso_dual *d, size_t p, arena *keep)
{
    *d = (lasso_dual){.kernel = kernels_get(),
                      .p = p,
                      .h = arena_alloc(keep, p, sizeof *d->h),
                      .v = arena_alloc(keep, p, sizeof *d->v),
                      .free = arena_alloc(keep, p, sizeof *d->free),
                      .held = arena_alloc(keep, p, sizeof *d->held),
                      .step = arena_alloc(keep, p, sizeof *d->step),
                      .part = arena_alloc(keep, p, sizeof *d->part),
                      .keep = keep};
}

/* Room for a factor of n x n; its contents are lost. What it had stays in the arena: with rooms
 * that double these are a third of it at most. */
static spd_status grow(lasso_dual *d, size_t n)
{
    if (n <= d->room)
        return SPD_OK;
    d->room = n < FIRST_ROOM ? FIRST_ROOM : 2 * n;
    d->factored = 0;
    d->factor = arena_alloc(d->keep, d->room, d->room * sizeof *d->factor);
    return d->factor ? SPD_OK : SPD_ENOMEM;
}

/* ---- coordinate descent ------------------------------------------------------------------- */

/* Of a problem with n unknowns, Q n x n: every h_j to its minimum within the walls, once; returns how
 * many moved. */
static size_t sweep(const kernels *kernel, size_t n, const double *Q, double half, double *h,
                    double *v)
{
    size_t moved = 0;
    for (size_t j = 0; j < n; j++) {
        double to = h[j] + v[j] / Q[j * (n + 1)];
        to = to > half ? half : to < -half ? -half : to;
        if (!(fabs(to - h[j]) > NO_MOVE * half))
            continue;
        kernel->axpy(n, h[j] - to, Q + j * n, v);
        h[j] = to; /* exactly, walls above all */
        moved++;
    }
    return moved;
}

/* h_j <- to */
static void move(lasso_dual *d, const double *Q, size_t j, double to)
{
    d->kernel->axpy(d->p, d->h[j] - to, Q + j * d->p, d->v);
    d->h[j] = to;
}

/* d->factor <- Q over the n free ones. */
static void gather(lasso_dual *d, const double *Q, size_t n)
{
    d->factored = 0;
    for (size_t a = 0; a < n; a++) {
        const double *row = Q + d->free[a] * d->p;
        for (size_t b = 0; b < n; b++)
            d->factor[a * n + b] = row[d->free[b]];
    }
}

static size_t find_free(lasso_dual *d, double half)
{
    size_t count = 0;
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) < half)
            d->free[count++] = j;
    return count;
}

/* Sweeps of the *n free ones alone, which lie together for that. Does a Newton step follow? Not where
 * they have come to an end, or many to walls. *n <- how many are free now. */
static int sweep_free(lasso_dual *d, const double *Q, size_t *n, double half)
{
    size_t before = *n, moved = before;
    double *part = d->factor, *h = d->step, *v = d->part, spent = 0.0;
    gather(d, Q, before);
    for (size_t a = 0; a < before; a++) {
        h[a] = d->h[d->free[a]];
        v[a] = d->v[d->free[a]];
    }
    while (moved > 0 && spent <= SWEEPS_SHARE * lasso_newton_cost(before)) {
        moved = sweep(d->kernel, before, part, half, h, v);
        spent += (double)moved * lasso_move_cost(before);
    }
    for (size_t a = 0; a < before; a++)
        if (h[a] != d->h[d->free[a]])
            move(d, Q, d->free[a], h[a]);
    *n = find_free(d, half);
    return moved > 0 && *n > 0 && (double)*n >= MOST_STAY * (double)before;
}

/* ---- Newton ------------------------------------------------------------------------------- */

/* The factor of Q over the n free ones, unless it is there; non-zero when there is none. */
static int factorise(lasso_dual *d, const double *Q, size_t n)
{
    if (n == d->factored && memcmp(d->free, d->held, n * sizeof *d->held) == 0)
        return 0;
    gather(d, Q, n);
    if (dense_chol(n, d->factor))
        return 1;
    d->factored = n;
    memcpy(d->held, d->free, n * sizeof *d->held);
    return 0;
}

/* The n free h_j to their common minimum, or to where the first of them meets a wall. Is it the
 * minimum? */
static int newton(lasso_dual *d, const double *Q, size_t n, double half)
{
    double t = 1.0;
    if (factorise(d, Q, n))
        return 0;
    for (size_t a = 0; a < n; a++)
        d->step[a] = d->v[d->free[a]];
    dense_solve_vector(n, d->factor, d->step);
    for (size_t a = 0; a < n; a++) {
        double wall = copysign(half, d->step[a]) - d->h[d->free[a]];
        if (fabs(wall) < t * fabs(d->step[a]))
            t = wall / d->step[a];
    }
    for (size_t a = 0; a < n; a++) {
        double to = d->h[d->free[a]] + t * d->step[a];
        if (fabs(to) > (1.0 - NO_MOVE) * half) /* exactly: a sweep would not move it there */
            to = copysign(half, to);
        move(d, Q, d->free[a], to);
    }
    return t == 1.0;
}

/* Does v press every h_j on a wall against it? */
static int walls_hold(const lasso_dual *d, double half)
{
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) >= half && d->v[j] * d->h[j] < 0.0)
            return 0;
    return 1;
}

/* ---- both --------------------------------------------------------------------------------- */

void lasso_dual_start(lasso_dual *d, double half, const double *v0, const double *qs)
{
    for (size_t j = 0; j < d->p; j++)
        d->h[j] = copysign(half, v0[j]);
    memcpy(d->v, v0, d->p * sizeof *d->v);
    d->kernel->axpy(d->p, -half, qs, d->v);
}

void lasso_add_product(const kernels *kernel, size_t p, double scale, const double *A,
                       const double *x, double *y)
{
    size_t j = 0;
    for (; j + 4 <= p; j += 4) {
        double a[4] = {scale * x[j], scale * x[j + 1], scale * x[j + 2], scale * x[j + 3]};
        kernel->axpy4(p, a, A + j * p, p, y);
    }
    for (; j < p; j++)
        kernel->axpy(p, scale * x[j], A + j * p, y);
}

void lasso_dual_start_near(lasso_dual *d, const double *Q, double half, const double *g,
                           const double *centre, const double *slope)
{
    for (size_t j = 0; j < d->p; j++) {
        d->h[j] = fmax(-half, fmin(half, g[j]));
        d->step[j] = slope[j] - d->h[j];
    }
    memcpy(d->v, centre, d->p * sizeof *d->v);
    lasso_add_product(d->kernel, d->p, 1.0, Q, d->step, d->v);
}

/* Sweeps over all come first. Where they have cost more than to gather what the n free ones need, the
 * free ones go on alone, and where that does not end, a Newton step follows, unless many of them have
 * met walls. After a whole step only a sweep lies before the next. */
spd_status lasso_dual_solve(lasso_dual *d, const double *Q, double half, double most_free, int near,
                            int *found)
{
    double spent = 0.0; /* on sweeps over all */
    *found = 1;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        size_t moved = sweep(d->kernel, d->p, Q, half, d->h, d->v), n = find_free(d, half);
        if (moved == 0)
            break;
        spent += (double)moved * lasso_move_cost(d->p);
        if (n == 0 || (!near && spent <= GATHER_COST * (double)n * (double)n))
            continue;
        spent = 0.0;
        spd_status status = grow(d, n);
        if (status < 0)
            return status;
        if (!near && !sweep_free(d, Q, &n, half))
            continue;
        if ((double)n > most_free * (double)d->p) {
            *found = 0;
            return SPD_OK;
        }
        near = newton(d, Q, n, half);
        if (near && walls_hold(d, half))
            break;
    }
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) < half)
            d->v[j] = 0.0;
    return SPD_OK;
}
