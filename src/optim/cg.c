/* cg.c - the four formulas for beta. */
#include "optim/cg.h"

#include <math.h>

/* Hager and Zhang's constant for the least beta that keeps a direction useful. */
#define LEAST 0.4

/* |<g,o>| / <g,g> from which Fletcher-Reeves starts anew (0.1 to 0.5 tried, 0.5 the fastest). */
#define STUCK 0.5

/* Inner products among g, o, h and y = g - o. */
typedef struct products {
    double gg, gy, gh, yy, hy, hh, ho;
} products;

static products multiply(size_t size, const double *g, const double *o, const double *h)
{
    products x = {0};
    for (size_t e = 0; e < size; e++) {
        double y = g[e] - o[e];
        x.gg += g[e] * g[e];
        x.gy += g[e] * y;
        x.gh += g[e] * h[e];
        x.yy += y * y;
        x.hy += h[e] * y;
        x.hh += h[e] * h[e];
        x.ho += h[e] * o[e];
    }
    return x;
}

/* max(0, x), but NaN stays NaN. */
static double positive(double x)
{
    return x < 0.0 ? 0.0 : x;
}

double cg_beta(spd_solver solver, size_t size, const double *g, const double *o, const double *h,
               double before)
{
    products x = multiply(size, g, o, h);
    switch (solver) {
    case SPD_SOLVER_HESTENES_STIEFEL:
        return positive(x.gy / x.hy);
    case SPD_SOLVER_FLETCHER_REEVES:
        /* Powell's restart: gradients that are far from orthogonal mean that it has got stuck. */
        return fabs(x.gg - x.gy) > STUCK * x.gg ? 0.0 : x.gg / (before * before);
    case SPD_SOLVER_HAGER_ZHANG: {
        double beta = (x.gy - 2.0 * x.gh * x.yy / x.hy) / x.hy, least = LEAST * x.ho / x.hh;
        return beta < least ? least : beta;
    }
    default:
        return positive(x.gy / (before * before));
    }
}
