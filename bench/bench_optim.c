/* bench_optim.c - what the optimiser's own algebra costs an iteration.
 *
 *   bench_optim [N M]    that size alone
 *
 * The cost is tr(W' A W) with A diagonal, which is nearly free along a geodesic; the time spent in
 * its functions is taken off. Printed is the median iteration, and the part of it in which a
 * problem that works on while aim and step have returned, as one on a device does, has nothing to
 * do. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/blas.h"
#include "linalg/tall.h"
#include "optim/minimise.h"

#define ITERATIONS 300

/* f(t) = sum over columns of cos^2 of the first, 2 sin cos of the second, sin^2 of the third. */
typedef struct trace {
    problem base;
    double *a, *W, *U, *work, *sigma, *part;
    double inside, idle;  /* seconds in these functions, and between them with nothing to do */
    double entered, left; /* when the last one began and ended */
    int busy;             /* it works on */
    int count;
    double own[ITERATIONS + 1], waits[ITERATIONS + 1]; /* seconds of each iteration */
    double began;
} trace;

static trace *enter(problem *p)
{
    trace *q = (trace *)p;
    q->entered = bench_now();
    q->idle += q->busy ? 0.0 : q->entered - q->left;
    return q;
}

static spd_status leave(trace *q, int busy)
{
    q->left = bench_now();
    q->inside += q->left - q->entered;
    q->busy = busy;
    return SPD_OK;
}

static spd_status start(problem *p, const double *W)
{
    trace *q = enter(p);
    memcpy(q->W, W, p->n * p->m * sizeof *W);
    return leave(q, 0);
}

static spd_status cost_grad(problem *p, double *f, double *G)
{
    trace *q = enter(p);
    for (size_t e = 0; e < p->n * p->m; e++)
        G[e] = 2.0 * q->a[e / p->m] * q->W[e];
    *f = 0.5 * tall_dot(p->n, p->m, G, q->W);
    return leave(q, 0);
}

static spd_status aim(problem *p, const double *U, const double *sigma, const double *V)
{
    trace *q = enter(p);
    size_t n = p->n, m = p->m;
    tall_multiply(n, m, q->W, V, q->work);
    memcpy(q->U, U, n * m * sizeof *U);
    memcpy(q->sigma, sigma, m * sizeof *sigma);
    memset(q->part, 0, 3 * m * sizeof *q->part);
    for (size_t e = 0; e < n * m; e++) {
        double w = q->W[e], u = U[e], a = q->a[e / m];
        q->part[e % m] += a * w * w;
        q->part[m + e % m] += a * w * u;
        q->part[2 * m + e % m] += a * u * u;
    }
    return leave(q, 1);
}

static spd_status probe(problem *p, double t, double *f, double *df)
{
    trace *q = enter(p);
    size_t m = p->m;
    *f = *df = 0.0;
    for (size_t c = 0; c < m; c++) {
        double C = cos(q->sigma[c] * t), S = sin(q->sigma[c] * t);
        const double ww = q->part[c], wu = q->part[m + c], uu = q->part[2 * m + c];
        *f += C * C * ww + 2.0 * S * C * wu + S * S * uu;
        *df += 2.0 * q->sigma[c] * (S * C * (uu - ww) + (C * C - S * S) * wu);
    }
    return leave(q, 0);
}

static spd_status step(problem *p, double t)
{
    trace *q = enter(p);
    for (size_t e = 0; e < p->n * p->m; e++) {
        double angle = q->sigma[e % p->m] * t;
        q->W[e] = q->W[e] * cos(angle) + q->U[e] * sin(angle);
    }
    return leave(q, 1);
}

static int note(void *user, const minimise_state *s, const spd_fit_step *last)
{
    trace *q = user;
    double now = bench_now();
    (void)last;
    if (s->iteration > LBFGS_MEMORY) { /* with a full memory */
        q->own[q->count] = now - q->began - q->inside;
        q->waits[q->count++] = q->idle;
    }
    q->inside = q->idle = 0.0;
    q->began = bench_now();
    return 0;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(int count, double *values)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void time_solver(trace *q, spd_solver solver)
{
    size_t n = q->base.n, m = q->base.m;
    minimise_options o = {.solver = solver, .max_iter = ITERATIONS, .refresh = 50};
    minimise_state s;
    bench t = bench_start(1.0);
    double best = INFINITY, idle = INFINITY;
    while (bench_more(&t)) {
        if (minimise_open(&s, solver, n, m) != SPD_OK)
            abort();
        for (size_t e = 0; e < n * m; e++)
            s.W[e] = sin((double)(e * e % 10007));
        tall_orthonormalise(n, m, s.W, q->work);
        q->count = 0;
        if (minimise(&q->base, &o, 0, &s, note, q) != SPD_OK)
            abort();
        best = fmin(best, median(q->count, q->own));
        idle = fmin(idle, median(q->count, q->waits));
        if (t.rounds == 0)
            printf("  %-14s %3d iterations, f %.10g", spd_name(SPD_ENUM_SOLVER, solver),
                   s.iteration, s.f);
        minimise_close(&s);
    }
    printf(", %.1f us each, %.1f of them waited for\n", 1e6 * best, 1e6 * idle);
}

static void time_size(size_t n, size_t m)
{
    size_t count = n * m, scratch = count + tall_orthonormalise_work(n, m);
    double *room = malloc((n + 2 * count + scratch + 4 * m) * sizeof *room);
    if (!room)
        abort();
    trace q = {.base = {.n = n,
                        .m = m,
                        .start = start,
                        .cost_grad = cost_grad,
                        .aim = aim,
                        .probe = probe,
                        .step = step},
               .a = room};
    q.W = q.a + n;
    q.U = q.W + count;
    q.work = q.U + count;
    q.sigma = q.work + scratch;
    q.part = q.sigma + m;
    for (size_t r = 0; r < n; r++) /* a small gap, so that it does not end early */
        q.a[r] = pow(1000.0, (double)r / (double)n);
    printf("n %zu m %zu\n", n, m);
    time_solver(&q, SPD_SOLVER_LBFGS);
    time_solver(&q, SPD_SOLVER_POLAK_RIBIERE);
    free(room);
}

int main(int count, char **word)
{
    static const size_t sizes[][2] = {{93, 20}, {155, 20}, {155, 30}, {400, 10}};
    spd_private_blas_hold();
    if (count > 2)
        time_size(strtoul(word[1], NULL, 10), strtoul(word[2], NULL, 10));
    for (size_t k = 0; count <= 2 && k < sizeof sizes / sizeof *sizes; k++)
        time_size(sizes[k][0], sizes[k][1]);
    spd_private_blas_release();
    return 0;
}
