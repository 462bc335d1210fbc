/* congruence_gradient.c - the derivatives of a cost of S_i = W'X_iW, from those with respect to S_i.
 *
 *   dX_i = W G_i W',   dW = 2 sum_i X_i W G_i,   G_i symmetric
 *
 * dW is summed in chunks whose number depends on p alone, and these in order. */
#include <string.h>

#include "base/arena.h"
#include "base/stop.h"
#include "ops/batch.h"
#include "run/parallel.h"
#include "sets/job.h"

#define CHUNK 32 /* samples */
#define TASK  "gradient"

typedef struct gradient_run {
    const kernels *k;
    size_t n, m, p;
    const double *X, *G;
    double *W, *T; /* n x PASS_LD(m), and its transpose, m x PASS_LD(n) */
    double *ones;  /* PASS_LD(m) */
    double *dX;    /* p x n x n, or NULL */
    double *sum;   /* chunks x n x PASS_LD(m), or NULL */
    double *work;  /* threads x gradient_work */
} gradient_run;

static size_t gradient_work(size_t n, size_t m)
{
    return (n + m) * PASS_LD(m) + (n + m) * PASS_LD(n);
}

/* dX (n x n) <- W S W', exactly symmetric. work: (n + m) PASS_LD(n) doubles. */
static void expand_sample(const gradient_run *g, const double *S, double *dX, double *work)
{
    size_t n = g->n, m = g->m, ld = PASS_LD(n);
    double *P = work, *Q = P + m * ld;
    g->k->product(m, m, n, S, PASS_LD(m), 1, g->T, P, S);
    g->k->product(n, m, n, g->W, PASS_LD(m), 1, P, Q, g->W);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            dX[r * n + c] = dX[c * n + r] = 0.5 * (Q[r * ld + c] + Q[c * ld + r]);
}

static spd_status gradient_chunk(void *user, size_t chunk, int thread)
{
    const gradient_run *g = user;
    size_t n = g->n, m = g->m, ld = PASS_LD(m), first = chunk * CHUNK;
    size_t last = g->p - first < CHUNK ? g->p : first + CHUNK;
    double *S = g->work + (size_t)thread * gradient_work(n, m), *Y = S + m * ld;
    for (size_t i = first; i < last && !stop_wanted(); i++) {
        const double *X = g->X + i * n * n, *G = g->G + i * m * m;
        memset(S, 0, m * ld * sizeof *S);
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c < m; c++)
                S[r * ld + c] = 0.5 * (G[r * m + c] + G[c * m + r]);
        if (g->dX)
            expand_sample(g, S, g->dX + i * n * n, Y + n * ld);
        if (!g->sum)
            continue;
        g->k->product(n, n, m, X, n, 1, g->W, Y, i + 1 < g->p ? X + n * n : X);
        g->k->product_onto(n, m, m, Y, ld, 1, S, g->ones, g->sum + chunk * n * ld);
    }
    return SPD_OK;
}

static spd_status open_run(spd_context *ctx, gradient_run *g, const set_job *j, size_t chunks,
                           arena *room)
{
    size_t n = g->n, m = g->m;
    g->W = arena_zero(room, n, PASS_LD(m) * sizeof *g->W);
    g->T = arena_zero(room, m, PASS_LD(n) * sizeof *g->T);
    g->ones = arena_zero(room, PASS_LD(m), sizeof *g->ones);
    g->work =
        arena_alloc(room, (size_t)parallel_threads(ctx), gradient_work(n, m) * sizeof(double));
    g->dX = j->out[0] ? arena_alloc(room, g->p, n * n * sizeof *g->dX) : NULL;
    g->sum = j->out[1] ? arena_zero(room, chunks, n * PASS_LD(m) * sizeof *g->sum) : NULL;
    spd_status status = arena_status(room, ctx, TASK);
    for (size_t r = 0; r < n && status == SPD_OK; r++)
        for (size_t c = 0; c < m; c++)
            g->W[r * PASS_LD(m) + c] = g->T[c * PASS_LD(n) + r] = j->W[r * m + c];
    for (size_t c = 0; c < PASS_LD(m) && status == SPD_OK; c++)
        g->ones[c] = 1.0;
    return status;
}

static void deliver(const gradient_run *g, const set_job *j, size_t chunks)
{
    size_t n = g->n, m = g->m, ld = PASS_LD(m);
    double *dW = j->out[1];
    if (g->dX)
        memcpy(j->out[0], g->dX, j->bytes[0]);
    for (size_t e = 0; g->sum && e < n * m; e++) {
        double sum = 0.0;
        for (size_t chunk = 0; chunk < chunks; chunk++)
            sum += g->sum[(chunk * n + e / m) * ld + e % m];
        dW[e] = 2.0 * sum;
    }
}

/* out[0] <- dX, out[1] <- dW; user: G. */
static spd_status gradient_here(spd_context *ctx, const set_job *j)
{
    size_t p = j->X->p, chunks = (p + CHUNK - 1) / CHUNK;
    arena room = {0};
    gradient_run g = {
        .k = kernels_get(), .n = j->X->n, .m = j->m, .p = p, .X = set_doubles(j->X), .G = j->user};
    spd_status status = open_run(ctx, &g, j, chunks, &room);
    if (status == SPD_OK)
        status = parallel_for(ctx, chunks, gradient_chunk, &g, TASK, "matrices", (double)p, NULL);
    if (status == SPD_OK)
        deliver(&g, j, chunks);
    arena_free(&room);
    return status;
}

spd_status spd_congruence_gradient(spd_context *ctx, const spd_set *given, size_t m,
                                   const double *W, const double *G, double *dX, double *dW)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, dX ? dX : dW, &X);
    if (status == SPD_OK && (!W || !G || m == 0 || m > X.n))
        status =
            W && G ? ctx_fail(ctx, SPD_EINVAL, "W needs between 1 and %zu columns, not %zu", X.n, m)
                   : ctx_fail(ctx, SPD_EINVAL, "%s is missing", W ? "G" : "W");
    if (status == SPD_OK && X.place == SPD_PLACE_DEVICE)
        status = ctx_fail(ctx, SPD_EINVAL, "a gradient is computed of matrices on the host");
    if (status < 0)
        return status;
    const set_job j = {.of = OPERATION_OTHER,
                       .task = TASK,
                       .unit = "matrices",
                       .X = &X,
                       .W = W,
                       .m = m,
                       .out = {dX, dW},
                       .bytes = {X.p * X.n * X.n * sizeof *dX, X.n * m * sizeof *dW},
                       .here = gradient_here,
                       .user = G};
    return job_run(ctx, &j);
}
