/* cuda_host.c - sets of a GPU on the host. */
#include "engine/cuda_host.h"

#include "base/arena.h"
#include "base/memory.h"
#include "engine/check.h"
#include "engine/cuda_module.h"

/* Copies of sets that lie elsewhere. While there is one the context is the processor's. */
typedef struct guests {
    spd_context *ctx;
    const spd_device *place;
    spd_engine engine;
    const cuda_module *module;
    cuda_sets in;
    arena room;
    spd_status status;
} guests;

static guests receive(spd_context *ctx)
{
    guests g = {.ctx = ctx, .place = ctx->place, .engine = ctx->engine};
    int devices = 0;
    g.status = cuda_open_module(ctx, &g.module, &devices, NULL);
    cuda_sets_place(ctx, &g.in);
    ctx->place = NULL;
    ctx->engine = SPD_ENGINE_CPU;
    return g;
}

static spd_status dismiss(guests *g)
{
    g->ctx->place = g->place;
    g->ctx->engine = g->engine;
    arena_free(&g->room);
    return g->status;
}

static void carry(guests *g, const void *from, size_t bytes, void *to)
{
    char why[CUDA_WHY];
    if (g->status == SPD_OK)
        g->status = cuda_pass_fault(g->ctx, g->module->copy(&g->in, from, bytes, to, why), why);
}

static void *room_for(guests *g, size_t count, size_t size)
{
    void *at = g->status == SPD_OK ? arena_alloc(&g->room, count, size) : NULL;
    if (g->status == SPD_OK)
        g->status = arena_status(&g->room, g->ctx, "matrices of the GPU");
    return at;
}

/* A copy of p matrices; NULL of none. */
static const double *fetch(guests *g, size_t n, size_t p, const double *X)
{
    size_t each = n * n * sizeof *X;
    void *to = X ? room_for(g, p, each) : NULL;
    g->in.X = X ? X : g->in.X; /* whose memory it is is looked at first */
    if (to)
        carry(g, X, p * each, to);
    return to;
}

spd_status host_pairwise2(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                          size_t q, const double *Y, double *D2)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, p, X), *y = fetch(&g, n, q, Y);
    size_t row = (Y ? q : p) * sizeof *D2;
    double *d2 = room_for(&g, p, row);
    if (g.status == SPD_OK)
        g.status = spd_pairwise2(ctx, metric, n, p, x, q, y, d2);
    carry(&g, d2, p * row, D2);
    return dismiss(&g);
}

spd_status host_log_products(spd_context *ctx, size_t n, size_t p, const double *X, size_t q,
                             const double *Y, double *K)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, p, X), *y = fetch(&g, n, q, Y);
    size_t row = (Y ? q : p) * sizeof *K;
    double *k = room_for(&g, p, row);
    if (g.status == SPD_OK)
        g.status = spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 0.0, n, p, x, q, y, k);
    carry(&g, k, p * row, K);
    return dismiss(&g);
}

spd_status host_nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        size_t q, const double *Q, spd_neighbours *near)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, p, X), *y = fetch(&g, n, q, Q);
    size_t count = (Q ? q : p) * near->k;
    spd_neighbours found = *near;
    found.index = room_for(&g, count, sizeof *found.index);
    found.d2 = room_for(&g, count, sizeof *found.d2);
    found.search = SPD_SEARCH_EXACT;
    if (g.status == SPD_OK)
        g.status = spd_nearest(ctx, metric, n, p, x, q, y, &found);
    carry(&g, found.index, count * sizeof *found.index, near->index);
    carry(&g, found.d2, count * sizeof *found.d2, near->d2);
    found.index = near->index;
    found.d2 = near->d2;
    if (g.status == SPD_OK)
        *near = found;
    return dismiss(&g);
}

spd_status host_apply(spd_context *ctx, spd_function f, double power, size_t n, size_t p,
                      const double *X, double *F)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, p, X);
    size_t each = n * n * sizeof *F;
    double *to = room_for(&g, p, each);
    if (g.status == SPD_OK)
        g.status = spd_apply(ctx, f, power, n, p, x, to);
    carry(&g, to, p * each, F);
    return dismiss(&g);
}

spd_status host_congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                           const double *W, double *S)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, p, X);
    size_t each = m * m * sizeof *S;
    double *to = room_for(&g, p, each);
    if (g.status == SPD_OK)
        g.status = spd_congruence(ctx, n, m, p, x, W, to);
    carry(&g, to, p * each, S);
    return dismiss(&g);
}

spd_status host_copy(spd_context *ctx, size_t n, size_t p, const double *X, double **copy)
{
    guests g = receive(ctx);
    size_t each = n * n * sizeof *X;
    double *to = g.status == SPD_OK ? mem_alloc(p, each) : NULL;
    if (g.status == SPD_OK && !to)
        g.status = ctx_short(ctx, "a copy of the matrices on the host", (double)p * (double)each);
    g.in.X = X;
    carry(&g, X, p * each, to);
    if (g.status < 0) {
        mem_free(to);
        to = NULL;
    }
    *copy = to;
    return dismiss(&g);
}

spd_status host_mean(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                     const spd_mean_options *options, double *M, spd_mean_info *info)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, p, X);
    if (g.status == SPD_OK)
        g.status = spd_mean(ctx, metric, n, p, x, options, M, info);
    return dismiss(&g);
}

int host_device(spd_context *ctx, int device)
{
    const cuda_module *module = NULL;
    int devices = 0;
    return cuda_open_module(ctx, &module, &devices, NULL) == SPD_OK ? module->choose(device) : -1;
}

spd_status host_check(spd_context *ctx, size_t n, size_t index, const double *X, double tolerance)
{
    guests g = receive(ctx);
    const double *x = fetch(&g, n, 1, X + index * n * n);
    if (g.status == SPD_OK)
        g.status = check_part(ctx, "X", n, 1, x, index, tolerance);
    return dismiss(&g);
}
