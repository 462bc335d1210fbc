/* bench_optim.c - what the optimiser's own algebra costs an iteration.
 *
 *   bench_optim [N M]    that size alone
 *
 * The cost is tr(W' A W) with A diagonal, which is nearly free along a geodesic; the time spent in
 * its functions is taken off. Printed are medians of an iteration, each the least of several runs,
 * and how far the slowest run was above: of all of it, of the part in which a problem that works
 * on while aim and step have returned, as one on a device does, has nothing to do, and of what is
 * done behind its aim and first trial and behind its step. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/blas.h"
#include "linalg/tall.h"
#include "optim/minimise.h"

#define ITERATIONS 300

/* What the optimiser's time is counted as: the problem waits, or works on after aim or step. */
enum { WAITED, BEHIND_AIM, BEHIND_STEP, PARTS };

/* f(t) = sum over columns of cos^2 of the first, 2 sin cos of the second, sin^2 of the third. */
typedef struct trace {
    problem base;
    double *a, *W, *U, *work, *sigma, *part;
    double left; /* when the last of these functions ended, */
    int after;   /* and what the time from then on is counted as */
    int count;
    double spent[PARTS];                   /* seconds of this iteration, */
    double all[PARTS + 1][ITERATIONS + 1]; /* and of each, with their sum */
} trace;

static trace *enter(problem *p)
{
    trace *q = (trace *)p;
    q->spent[q->after] += bench_now() - q->left;
    return q;
}

static spd_status leave(trace *q, int after)
{
    q->after = after;
    q->left = bench_now();
    return SPD_OK;
}

static spd_status start(problem *p, const double *W)
{
    trace *q = enter(p);
    memcpy(q->W, W, p->n * p->m * sizeof *W);
    return leave(q, WAITED);
}

static spd_status cost_grad(problem *p, double *f, double *G)
{
    trace *q = enter(p);
    for (size_t e = 0; e < p->n * p->m; e++)
        G[e] = 2.0 * q->a[e / p->m] * q->W[e];
    *f = 0.5 * tall_dot(p->n, p->m, G, q->W);
    return leave(q, WAITED);
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
    return leave(q, BEHIND_AIM);
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
    return leave(q, WAITED);
}

static spd_status step(problem *p, double t)
{
    trace *q = enter(p);
    for (size_t e = 0; e < p->n * p->m; e++) {
        double angle = q->sigma[e % p->m] * t;
        q->W[e] = q->W[e] * cos(angle) + q->U[e] * sin(angle);
    }
    return leave(q, BEHIND_STEP);
}

static int note(void *user, const minimise_state *s, const spd_fit_step *last)
{
    trace *q = user;
    (void)last;
    enter(&q->base);
    if (s->iteration > LBFGS_MEMORY) { /* with a full memory */
        q->all[PARTS][q->count] = 0.0;
        for (int k = 0; k < PARTS; k++) {
            q->all[k][q->count] = q->spent[k];
            q->all[PARTS][q->count] += q->spent[k];
        }
        q->count++;
    }
    memset(q->spent, 0, sizeof q->spent);
    leave(q, q->after);
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

/* One run; best and worst (PARTS + 1) of the medians so far. Returns f. */
static double run(trace *q, spd_solver solver, double *best, double *worst)
{
    size_t n = q->base.n, m = q->base.m;
    minimise_options o = {.solver = solver, .max_iter = ITERATIONS, .refresh = 50};
    minimise_state s;
    if (minimise_open(&s, solver, n, m) != SPD_OK)
        abort();
    for (size_t e = 0; e < n * m; e++)
        s.W[e] = sin((double)(e * e % 10007));
    tall_orthonormalise(n, m, s.W, q->work);
    q->count = 0;
    leave(q, WAITED);
    if (minimise(&q->base, &o, 0, &s, note, q) != SPD_OK)
        abort();
    for (int k = 0; k <= PARTS; k++) {
        double seconds = median(q->count, q->all[k]);
        best[k] = fmin(best[k], seconds);
        worst[k] = fmax(worst[k], seconds);
    }
    double f = s.f;
    minimise_close(&s);
    return f;
}

static void time_solver(trace *q, spd_solver solver)
{
    double best[PARTS + 1], worst[PARTS + 1], f = 0.0;
    for (int k = 0; k <= PARTS; k++) {
        best[k] = INFINITY;
        worst[k] = 0.0;
    }
    for (bench t = bench_start(1.0); bench_more(&t);)
        f = run(q, solver, best, worst);
    printf(
        "  %-14s %5.1f us (+%.1f): %5.1f (+%.1f) waited for, %5.1f and %5.1f behind aim and step;"
        " f %.12g\n",
        spd_name(SPD_ENUM_SOLVER, solver), 1e6 * best[PARTS], 1e6 * (worst[PARTS] - best[PARTS]),
        1e6 * best[WAITED], 1e6 * (worst[WAITED] - best[WAITED]), 1e6 * best[BEHIND_AIM],
        1e6 * best[BEHIND_STEP], f);
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
    static const size_t sizes[][2] = {{93, 10}, {93, 20}, {155, 20}, {155, 30}, {400, 10}};
    spd_private_blas_hold();
    if (count > 2)
        time_size(strtoul(word[1], NULL, 10), strtoul(word[2], NULL, 10));
    for (size_t k = 0; count <= 2 && k < sizeof sizes / sizeof *sizes; k++)
        time_size(sizes[k][0], sizes[k][1]);
    spd_private_blas_release();
    return 0;
}
