/* tsne.c - the divergence and its gradient, and descent with momentum and gains: as van der Maaten
 * and Hinton do it, with the learning rate of Belkina et al. (2019). */
#include "classify/tsne.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "run/parallel.h"

#define CHUNK           64  /* points */
#define EARLY           250 /* iterations with an exaggerated P */
#define EXAGGERATION    12.0
#define EARLY_MOMENTUM  0.5
#define MOMENTUM        0.8
#define LEAST_RATE      50.0
#define LEAST_GAIN      0.01
#define START_DEVIATION 1e-4
#define LEAST_GRADIENT  1e-7
#define TELL_EVERY      0.2 /* seconds */

spd_status tsne_field_room(spd_context *ctx, const tsne_graph *g, size_t d, double theta,
                           arena *keep, tsne_field *field)
{
    *field = (tsne_field){.graph = g,
                          .d = d,
                          .theta = theta,
                          .exaggeration = 1.0,
                          .repel = arena_alloc(keep, g->p, d * sizeof *field->repel),
                          .sum = arena_alloc(keep, g->p, sizeof *field->sum),
                          .cost = arena_alloc(keep, g->p, sizeof *field->cost)};
    spd_status status = arena_status(keep, ctx, "forces between points");
    if (status == SPD_OK && theta > 0.0)
        status = tsne_tree_room(ctx, g->p, d, keep, &field->tree);
    return status;
}

/* ---- forces ---------------------------------------------------------------------------------- */

typedef struct force_job {
    tsne_field *field;
    const double *Y;
    double *G;
    int cost; /* wanted */
} force_job;

/* force (d) <- sum over j of w^2 (y_i - y_j), and the sum of w: over all points. */
static double repel_all(size_t p, size_t d, const double *Y, size_t i, double *force)
{
    double sum = 0.0, gap[TSNE_DIMENSIONS];
    const double *y = Y + i * d;
    memset(force, 0, d * sizeof *force);
    for (size_t j = 0; j < p; j++) {
        double square = 0.0;
        for (size_t a = 0; a < d; a++) {
            gap[a] = y[a] - Y[j * d + a];
            square += gap[a] * gap[a];
        }
        double w = j == i ? 0.0 : 1.0 / (1.0 + square);
        for (size_t a = 0; a < d; a++)
            force[a] += w * w * gap[a];
        sum += w;
    }
    return sum;
}

/* G_i <- sum over j of P w (y_i - y_j). */
static void attract(const tsne_field *field, const double *Y, size_t i, double *G)
{
    const tsne_graph *g = field->graph;
    size_t d = field->d;
    double gap[TSNE_DIMENSIONS];
    const double *y = Y + i * d;
    memset(G, 0, d * sizeof *G);
    for (size_t e = g->first[i]; e < g->first[i + 1]; e++) {
        double P = field->exaggeration * g->value[e], square = 0.0;
        for (size_t a = 0; a < d; a++) {
            gap[a] = y[a] - Y[g->to[e] * d + a];
            square += gap[a] * gap[a];
        }
        P /= 1.0 + square;
        for (size_t a = 0; a < d; a++)
            G[a] += P * gap[a];
    }
}

/* The sum over j of P ln(P/w). */
static double cost_of(const tsne_field *field, const double *Y, size_t i)
{
    const tsne_graph *g = field->graph;
    double cost = 0.0;
    for (size_t e = g->first[i]; e < g->first[i + 1]; e++) {
        double P = field->exaggeration * g->value[e], square = 0.0;
        for (size_t a = 0; a < field->d; a++) {
            double gap = Y[i * field->d + a] - Y[g->to[e] * field->d + a];
            square += gap * gap;
        }
        cost += P > 0.0 ? P * log(P * (1.0 + square)) : 0.0;
    }
    return cost;
}

static spd_status force_body(void *user, size_t chunk, int thread)
{
    const force_job *job = user;
    tsne_field *f = job->field;
    size_t d = f->d, p = f->graph->p, end = (chunk + 1) * CHUNK < p ? (chunk + 1) * CHUNK : p;
    (void)thread;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        const double *y = job->Y + i * d;
        attract(f, job->Y, i, job->G + i * d);
        f->cost[i] = job->cost ? cost_of(f, job->Y, i) : 0.0;
        f->sum[i] = f->theta > 0.0 ? tsne_tree_repel(&f->tree, i, y, f->theta, f->repel + i * d)
                                   : repel_all(p, d, job->Y, i, f->repel + i * d);
    }
    return SPD_OK;
}

spd_status tsne_gradient(spd_context *ctx, tsne_field *field, const double *Y, double *G,
                         double *cost)
{
    size_t p = field->graph->p, d = field->d;
    double Z = 0.0, sum = 0.0;
    force_job job = {field, Y, G, cost != NULL};
    if (field->theta > 0.0)
        tsne_tree_build(&field->tree, Y);
    spd_status status =
        parallel_for(ctx, (p + CHUNK - 1) / CHUNK, force_body, &job, NULL, NULL, 0.0, NULL);
    if (status < 0)
        return status;
    for (size_t i = 0; i < p; i++) {
        Z += field->sum[i];
        sum += field->cost[i];
    }
    for (size_t e = 0; e < p * d; e++)
        G[e] = 4.0 * (G[e] - field->repel[e] / Z);
    if (cost)
        *cost = sum + log(Z);
    return SPD_OK;
}

/* ---- descent --------------------------------------------------------------------------------- */

typedef struct descent {
    size_t p, d;
    double *Y, *G;
    double *step; /* p x d: the last one */
    double *gain; /* p x d */
    double rate;
} descent;

/* Gains grow where the step goes on in its direction, and shrink where it turns. */
static void move(descent *s, double momentum)
{
    size_t count = s->p * s->d;
    double mean[TSNE_DIMENSIONS] = {0.0};
    for (size_t e = 0; e < count; e++) {
        int turns = s->step[e] * s->G[e] > 0.0; /* the step went up */
        s->gain[e] = fmax(turns ? 0.8 * s->gain[e] : s->gain[e] + 0.2, LEAST_GAIN);
        s->step[e] = momentum * s->step[e] - s->rate * s->gain[e] * s->G[e];
        s->Y[e] += s->step[e];
        mean[e % s->d] += s->Y[e] / (double)s->p;
    }
    for (size_t e = 0; e < count; e++)
        s->Y[e] -= mean[e % s->d];
}

static double norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t e = 0; e < count; e++)
        sum += x[e] * x[e];
    return sqrt(sum);
}

/* No step behind it: at the start, and where P changes. Gains and momentum of the exaggerated P
 * would throw the points of small sets far apart. */
static void at_rest(descent *s)
{
    for (size_t e = 0; e < s->p * s->d; e++) {
        s->step[e] = 0.0;
        s->gain[e] = 1.0;
    }
}

static spd_status iterate(spd_context *ctx, tsne_field *field, descent *s, size_t iterations,
                          size_t *done)
{
    double told = clock_seconds();
    spd_status status = SPD_OK;
    size_t early = iterations < EARLY ? iterations : EARLY;
    for (*done = 0; *done < iterations && status == SPD_OK; ++*done) {
        int first = *done < early;
        field->exaggeration = first ? EXAGGERATION : 1.0;
        if (*done == early)
            at_rest(s);
        status = tsne_gradient(ctx, field, s->Y, s->G, NULL);
        if (status < 0 || (!first && norm(s->p * s->d, s->G) < LEAST_GRADIENT))
            break;
        move(s, first ? EARLY_MOMENTUM : MOMENTUM);
        if (clock_seconds() - told < TELL_EVERY)
            continue;
        told = clock_seconds();
        if (ctx_progress(ctx, "t-SNE", "iterations", (double)*done, (double)iterations))
            status = ctx_fail(ctx, SPD_ECANCELLED, "t-SNE cancelled");
    }
    field->exaggeration = 1.0;
    return status;
}

spd_status tsne_descend(spd_context *ctx, tsne_field *field, uint64_t seed, size_t iterations,
                        double *Y, double *cost, size_t *done)
{
    rng r;
    size_t p = field->graph->p, d = field->d;
    arena room = {0};
    descent s = {.p = p,
                 .d = d,
                 .Y = Y,
                 .G = arena_alloc(&room, p, d * sizeof *s.G),
                 .step = arena_alloc(&room, p, d * sizeof *s.step),
                 .gain = arena_alloc(&room, p, d * sizeof *s.gain)};
    spd_status status = arena_status(&room, ctx, "steps of points");
    if (status == SPD_OK) {
        rng_seed(&r, seed);
        s.rate = fmax((double)p / EXAGGERATION / 4.0, LEAST_RATE);
        for (size_t e = 0; e < p * d; e++)
            Y[e] = START_DEVIATION * rng_normal(&r);
        at_rest(&s);
        status = iterate(ctx, field, &s, iterations, done);
    }
    if (status == SPD_OK)
        status = tsne_gradient(ctx, field, Y, s.G, cost);
    arena_free(&room);
    return status;
}
