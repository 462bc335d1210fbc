/* logistic.c - the cost of logistic regression, and its minimiser. */
#include "classify/logistic.h"

#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "optim/lbfgs.h"
#include "optim/linesearch.h"
#include "run/blas.h"

#define SMALL      1e-7 /* length of the gradient at the end; the cost of chance is about 1 */
#define ITERATIONS 2000
#define PROBES     30

static const line_rule rule = {
    .decrease = 1e-4, .curvature = 0.9, .longest = 1e10, .max_probes = PROBES};

/* ---- the cost -------------------------------------------------------------------------------- */

size_t logistic_size(const logistic *l)
{
    return l->count * (l->dim + 1);
}

/* row (count), scores of a sample, <- (softmax - one-hot)/p; -ln softmax of its own class. */
static double take_residual(const logistic *l, size_t own, double *row)
{
    double most = row[0], score = row[own];
    for (size_t c = 1; c < l->count; c++)
        most = fmax(most, row[c]);
    row[0] = exp(row[0] - most);
    double sum = row[0];
    for (size_t c = 1; c < l->count; c++) {
        row[c] = exp(row[c] - most);
        sum += row[c];
    }
    for (size_t c = 0; c < l->count; c++)
        row[c] = (row[c] / sum - (c == own ? 1.0 : 0.0)) / (double)l->p;
    return log(sum) + most - score;
}

double logistic_cost(const logistic *l, const double *z, double *g, double *work)
{
    size_t weights = l->count * l->dim;
    const double *b = z + weights;
    double cost = 0.0, *gb = g + weights;
    memset(g, 0, logistic_size(l) * sizeof *g);
    if (weights > 0)
        tall_product_trans(l->p, l->dim, l->count, l->x, z, work);
    else
        memset(work, 0, l->p * l->count * sizeof *work);
    for (size_t i = 0; i < l->p; i++) {
        double *row = work + i * l->count;
        for (size_t c = 0; c < l->count; c++)
            row[c] += b[c];
        cost += take_residual(l, l->at[i], row) / (double)l->p;
        for (size_t c = 0; c < l->count; c++)
            gb[c] += row[c];
    }
    if (weights > 0)
        dense_trans_product(l->count, l->dim, l->p, work, l->x, 0.0, g);
    for (size_t e = 0; e < weights; e++) {
        g[e] += l->lambda * z[e];
        cost += 0.5 * l->lambda * z[e] * z[e];
    }
    return cost;
}

/* ---- the minimiser --------------------------------------------------------------------------- */

typedef struct descent {
    const logistic *l;
    size_t size;
    double *z, *g;         /* the last point probed and the gradient there */
    double *from, *before; /* the point and the gradient that the search goes out from */
    double *h;             /* its direction */
    double *work;
    lbfgs memory;
} descent;

static double dot(size_t size, const double *a, const double *b)
{
    return tall_dot(size, 1, a, b);
}

static spd_status probe(void *user, double t, double *f, double *df)
{
    const descent *d = user;
    for (size_t e = 0; e < d->size; e++)
        d->z[e] = d->from[e] + t * d->h[e];
    *f = logistic_cost(d->l, d->z, d->g, d->work);
    *df = dot(d->size, d->g, d->h);
    return SPD_OK;
}

/* One search along d->h. Zero: no lower point was found, and d->z is where it was. */
static int advance(descent *d, double *f)
{
    line_result found;
    double slope = dot(d->size, d->g, d->h), length = sqrt(dot(d->size, d->h, d->h));
    memcpy(d->from, d->z, d->size * sizeof *d->z);
    memcpy(d->before, d->g, d->size * sizeof *d->g);
    double first = d->memory.count ? 1.0 : fmin(1.0, 1.0 / length);
    int good = slope < 0.0 && line_search(&rule, probe, d, *f, slope, first, &found) == SPD_OK &&
               found.found;
    if (good) {
        *f = found.at.f;
        lbfgs_add(&d->memory, found.at.t, d->h, d->g, d->before);
    } else {
        memcpy(d->z, d->from, d->size * sizeof *d->z);
        memcpy(d->g, d->before, d->size * sizeof *d->g);
    }
    return good;
}

static spd_status descend(spd_context *ctx, descent *d)
{
    double f = logistic_cost(d->l, d->z, d->g, d->work);
    for (int k = 0; k < ITERATIONS; k++) {
        if (dot(d->size, d->g, d->g) <= SMALL * SMALL)
            return SPD_OK;
        if (stop_wanted())
            return ctx_fail(ctx, SPD_ECANCELLED, "cancelled");
        lbfgs_direction(&d->memory, d->g, d->h);
        if (advance(d, &f))
            continue;
        if (d->memory.count == 0) /* the steepest descent is at the limit of rounding */
            return SPD_OK;
        lbfgs_forget(&d->memory);
    }
    return ctx_fail(ctx, SPD_NOT_CONVERGED,
                    "logistic regression has not converged in %d iterations; a larger lambda needs "
                    "fewer",
                    ITERATIONS);
}

spd_status logistic_fit(spd_context *ctx, const logistic *l, double *z)
{
    size_t size = logistic_size(l);
    arena room = {0};
    descent d = {.l = l,
                 .size = size,
                 .z = z,
                 .g = arena_alloc(&room, size, sizeof *d.g),
                 .from = arena_alloc(&room, size, sizeof *d.from),
                 .before = arena_alloc(&room, size, sizeof *d.before),
                 .h = arena_alloc(&room, size, sizeof *d.h),
                 .work = arena_alloc(&room, l->p, l->count * sizeof *d.work)};
    double *pairs = arena_alloc(&room, lbfgs_room(size), sizeof *pairs);
    spd_status status = arena_status(&room, ctx, "logistic regression");
    if (status == SPD_OK) {
        lbfgs_open(&d.memory, size, pairs);
        spd_private_blas_hold(); /* bits do not depend on the number of threads */
        status = descend(ctx, &d);
        spd_private_blas_release();
    }
    arena_free(&room);
    return status;
}
