/* lasso_dual.c - coordinate descent and Newton steps in the box of the dual. */
#include "classify/lasso_dual.h"

#include <math.h>
#include <string.h>

#include "classify/lasso_set.h"
#include "linalg/dense.h"

#define MOST_ROUNDS 500
#define FIRST_ROOM  32

/* With a larger share of free h_j the other way is the better one. */
#define MOST_FREE 0.9

/* A move that is smaller than this share of the box's half width is none. */
#define NO_MOVE 1e-13

void lasso_dual_make(lasso_dual *d, size_t p, arena *keep)
{
    *d = (lasso_dual){.kernel = kernels_get(),
                      .p = p,
                      .h = arena_alloc(keep, p, sizeof *d->h),
                      .v = arena_alloc(keep, p, sizeof *d->v),
                      .free = arena_alloc(keep, p, sizeof *d->free),
                      .step = arena_alloc(keep, p, sizeof *d->step),
                      .keep = keep};
}

/* Room for a factor of n x n; its contents are lost. What it had stays in the arena: with rooms
 * that double these are a third of it at most. */
static spd_status grow(lasso_dual *d, size_t n)
{
    if (n <= d->room)
        return SPD_OK;
    d->room = n < FIRST_ROOM ? FIRST_ROOM : 2 * n;
    d->factor = arena_alloc(d->keep, d->room, d->room * sizeof *d->factor);
    return d->factor ? SPD_OK : SPD_ENOMEM;
}

/* h_j <- h_j + change */
static void move(lasso_dual *d, const double *Q, size_t j, double change)
{
    d->h[j] += change;
    d->kernel->axpy(d->p, -change, Q + j * d->p, d->v);
}

/* Every h_j to its minimum within the walls, once; returns how many moved. */
static size_t sweep(lasso_dual *d, const double *Q, double half)
{
    size_t moved = 0;
    for (size_t j = 0; j < d->p; j++) {
        double to = d->h[j] + d->v[j] / Q[j * (d->p + 1)];
        to = to > half ? half : to < -half ? -half : to;
        if (!(fabs(to - d->h[j]) > NO_MOVE * half))
            continue;
        move(d, Q, j, to - d->h[j]);
        d->h[j] = to; /* exactly, walls above all */
        moved++;
    }
    return moved;
}

static size_t find_free(lasso_dual *d, double half)
{
    size_t count = 0;
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) < half)
            d->free[count++] = j;
    return count;
}

/* The free h_j to their common minimum, or to where the first of them meets a wall. */
static spd_status newton(lasso_dual *d, const double *Q, size_t n, double half)
{
    spd_status status = grow(d, n);
    if (status < 0)
        return status;
    for (size_t a = 0; a < n; a++) {
        const double *row = Q + d->free[a] * d->p;
        for (size_t b = 0; b < n; b++)
            d->factor[a * n + b] = row[d->free[b]];
        d->step[a] = d->v[d->free[a]];
    }
    if (dense_chol(n, d->factor))
        return SPD_OK;
    dense_solve_vector(n, d->factor, d->step);
    double t = 1.0;
    for (size_t a = 0; a < n; a++) {
        double wall = copysign(half, d->step[a]) - d->h[d->free[a]];
        if (fabs(wall) < t * fabs(d->step[a]))
            t = wall / d->step[a];
    }
    for (size_t a = 0; a < n; a++)
        move(d, Q, d->free[a], t * d->step[a]);
    return SPD_OK;
}

static void start(lasso_dual *d, double half, const double *v0, const double *qs)
{
    for (size_t j = 0; j < d->p; j++)
        d->h[j] = copysign(half, v0[j]);
    memcpy(d->v, v0, d->p * sizeof *d->v);
    d->kernel->axpy(d->p, -half, qs, d->v);
}

spd_status lasso_dual_solve(lasso_dual *d, const double *Q, double half, const double *v0,
                            const double *qs, int *found)
{
    double spent = 0.0; /* on sweeps since the last Newton step, as in lasso_set_descend */
    start(d, half, v0, qs);
    *found = 1;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        size_t moved = sweep(d, Q, half), n = find_free(d, half);
        if (moved == 0)
            break;
        if ((double)n > MOST_FREE * (double)d->p) {
            *found = 0;
            return SPD_OK;
        }
        spent += (double)moved * lasso_move_cost(d->p);
        if (n == 0 || spent <= lasso_newton_cost(n))
            continue;
        spent = 0.0;
        spd_status status = newton(d, Q, n, half);
        if (status < 0)
            return status;
    }
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) < half)
            d->v[j] = 0.0;
    return SPD_OK;
}
