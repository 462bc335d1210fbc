/* descent.c - Barzilai-Borwein descent in the frame of the Cholesky factor. */
#include "geometry/descent.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/tall.h"

/* A step longer than this factor e^20 in one direction is a leap in the dark. */
#define LONGEST_LEAP 20.0

/* Relative growth of the cost that may be rounding. */
#define COST_ROUNDING 1e-10

/* s->own, in matrices of n x n and then scalars. */
enum {
    FACTOR,
    DIRECTION,
    FACTOR_BEFORE,
    DIRECTION_BEFORE,
    DIRECTION_CARRIED,
    FACTOR_BEST,
    MATRICES
};
enum { THETA, COST_BEFORE, SIZE_BEFORE, SCALARS };

static double *matrix(const mean_state *s, int which)
{
    return s->own + (size_t)which * s->n * s->n;
}

static double *scalar(const mean_state *s, int which)
{
    return matrix(s, MATRICES) + which;
}

size_t descent_state(size_t n)
{
    return MATRICES * n * n + SCALARS;
}

/* V, E and Q; eigenvalues; scratch of eigh and lq. */
size_t descent_work(size_t n)
{
    return 3 * n * n + n + dense_eigh_work(n) + dense_lq_work(n);
}

double *descent_factor(const mean_state *s)
{
    return matrix(s, FACTOR);
}

double *descent_direction(const mean_state *s)
{
    return matrix(s, DIRECTION);
}

spd_status descent_begin(mean_state *s)
{
    double *L = matrix(s, FACTOR);
    memcpy(L, s->M, s->n * s->n * sizeof *L);
    *scalar(s, THETA) = 0.0;
    return dense_chol(s->n, L) ? SPD_ENUMERIC : SPD_OK;
}

/* Barzilai and Borwein's two quotients in turn: with y the change of the gradient along
 * theta D,  theta D'D / D'y  and  theta D'y / y'y. */
static double choose_theta(const mean_state *s, const descent_view *view)
{
    size_t count = s->n * s->n;
    const double *D = matrix(s, DIRECTION_CARRIED), *S = matrix(s, DIRECTION);
    double theta = *scalar(s, THETA), dd = 0.0, dy = 0.0, yy = 0.0;
    if (theta == 0.0)
        return view->usual;
    for (size_t e = 0; e < count; e++) {
        double y = D[e] - S[e];
        dd += D[e] * D[e];
        dy += D[e] * y;
        yy += y * y;
    }
    if (!(dy > 0.0))
        return view->longest;
    double quotient = s->iterations % 2 ? dd / dy : dy / yy;
    return fmin(fmax(theta * quotient, view->shortest), view->longest);
}

spd_status descent_geodesic(mean_state *s, double *theta, double *L, const double *S,
                            double *carried)
{
    size_t n = s->n, bytes = n * n * sizeof(double);
    double *V = s->work, *E = V + n * n, *Q = E + n * n, *lambda = Q + n * n, *rest = lambda + n;
    memcpy(V, S, bytes);
    if (dense_eigh(n, 1, V, lambda, rest))
        return SPD_ENUMERIC;
    double leap = *theta * fmax(fabs(lambda[0]), fabs(lambda[n - 1]));
    if (leap > LONGEST_LEAP)
        *theta *= LONGEST_LEAP / leap;
    for (size_t i = 0; i < n; i++)
        lambda[i] = exp(0.5 * *theta * lambda[i]);
    dense_rebuild(n, V, lambda, E, Q);
    dense_product(n, L, E, V);
    dense_lq(n, V, Q, rest);
    memcpy(L, V, bytes);
    dense_congruence(n, Q, S, carried, E);
    return SPD_OK;
}

spd_status descent_straight(mean_state *s, double *theta, double *L, const double *S,
                            double *carried)
{
    size_t n = s->n;
    double *Q = s->work, *rest = Q + n * n;
    for (size_t e = 0; e < n * n; e++)
        L[e] += *theta * S[e];
    dense_lq(n, L, Q, rest);
    dense_product(n, S, Q, carried);
    return SPD_OK;
}

static int is_worse(const mean_state *s, double cost, double size)
{
    double before = *scalar(s, COST_BEFORE);
    return *scalar(s, THETA) != 0.0 && size > *scalar(s, SIZE_BEFORE) &&
           !(cost <= before + COST_ROUNDING * fabs(before));
}

spd_status descent_advance(mean_state *s, const descent_view *view)
{
    double *L = matrix(s, FACTOR), *S = matrix(s, DIRECTION);
    double size = sqrt(tall_dot(s->n, s->n, S, S)) / view->scale;
    spd_status status = SPD_OK;
    if (!isfinite(size))
        return SPD_ENUMERIC;
    mean_judge(s, size, view->rounding);
    if (s->stalled == 0)
        memcpy(matrix(s, FACTOR_BEST), L, s->n * s->n * sizeof *L);
    if (s->done && s->residual < size)
        memcpy(L, matrix(s, FACTOR_BEST), s->n * s->n * sizeof *L);
    if (!s->done) {
        if (is_worse(s, view->cost, size)) {
            memcpy(L, matrix(s, FACTOR_BEFORE), 2 * s->n * s->n * sizeof *L);
            *scalar(s, THETA) *= 0.25;
        } else { /* the point to return to */
            *scalar(s, THETA) = choose_theta(s, view);
            memcpy(matrix(s, FACTOR_BEFORE), L, 2 * s->n * s->n * sizeof *L);
            *scalar(s, COST_BEFORE) = view->cost;
            *scalar(s, SIZE_BEFORE) = size;
        }
        status = view->move(s, scalar(s, THETA), L, S, matrix(s, DIRECTION_CARRIED));
    }
    dense_gram(s->n, L, s->M);
    return status;
}
