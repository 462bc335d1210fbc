/* octets.c - the parallel loop over batches of samples. */
#include "run/octets.h"

#include "base/memory.h"
#include "base/stop.h"
#include "run/parallel.h"

/* Batches of one chunk: enough work to be worth handing out. */
#define BATCHES_PER_CHUNK 4

typedef struct octet_run {
    const octet_loop *loop;
    size_t stride; /* scratch doubles of one thread, a multiple of a cache line */
    double *work;
    atomic_size_t lowest; /* sample at fault */
} octet_run;

void octets_fault(atomic_size_t *lowest, size_t first, unsigned mask)
{
    size_t sample = first + (size_t)__builtin_ctz(mask), known = atomic_load(lowest);
    while (sample < known && !atomic_compare_exchange_weak(lowest, &known, sample))
        ;
}

static spd_status run_chunk(void *user, size_t chunk, int thread)
{
    octet_run *r = user;
    const octet_loop *loop = r->loop;
    double *work = r->work + (size_t)thread * r->stride;
    size_t first = chunk * BATCHES_PER_CHUNK * BATCH;
    for (int b = 0; b < BATCHES_PER_CHUNK && first < loop->p && !stop_wanted();
         b++, first += BATCH) {
        size_t count = loop->p - first < BATCH ? loop->p - first : BATCH;
        unsigned bad = loop->body(loop->user, first, count, work);
        if (bad) {
            octets_fault(&r->lowest, first, bad);
            return SPD_ENUMERIC;
        }
    }
    return SPD_OK;
}

typedef spd_status (*chunk_loop)(spd_context *ctx, size_t chunks, parallel_body body, void *user,
                                 const char *task, const char *unit, double total, size_t *failed);

static spd_status run(spd_context *ctx, const octet_loop *loop, chunk_loop over, size_t *bad)
{
    size_t per_chunk = BATCHES_PER_CHUNK * BATCH;
    octet_run r = {.loop = loop, .stride = (loop->work + LANES - 1) / LANES * LANES};
    atomic_init(&r.lowest, SIZE_MAX);
    r.work = mem_alloc((size_t)parallel_threads(ctx), r.stride * sizeof *r.work);
    if (!r.work)
        return ctx_nomem(ctx, loop->task);
    spd_status status = over(ctx, (loop->p + per_chunk - 1) / per_chunk, run_chunk, &r, loop->task,
                             "matrices", (double)loop->p, NULL);
    *bad = atomic_load(&r.lowest);
    mem_free(r.work);
    return status;
}

spd_status octets_run(spd_context *ctx, const octet_loop *loop, size_t *bad)
{
    return run(ctx, loop, parallel_for, bad);
}

spd_status octets_share(spd_context *ctx, const octet_loop *loop, size_t *bad)
{
    return run(ctx, loop, parallel_split, bad);
}

void octets_collect(spd_context *ctx, size_t p, size_t each, double *result)
{
    ranks_collect(ranks_of(ctx), p, BATCHES_PER_CHUNK * BATCH, each * sizeof *result, result);
}

/* Samples of octet g out of count. */
static size_t lanes_of(size_t g, size_t count)
{
    size_t left = count - g * LANES;
    return left < LANES ? left : LANES;
}

size_t octets_pack(const kernels *k, size_t n, size_t first, size_t count, const double *X,
                   double *tri)
{
    size_t used = (count + LANES - 1) / LANES;
    for (size_t g = 0; g < used; g++) {
        const double *in[LANES];
        size_t lanes = lanes_of(g, count);
        for (size_t l = 0; l < lanes; l++)
            in[l] = X + (first + g * LANES + l) * n * n;
        k->pack(n, lanes, in, tri + g * TRI(n) * LANES);
    }
    return used;
}

void octets_unpack(const kernels *k, size_t n, size_t first, size_t count, const double *tri,
                   double *Y)
{
    for (size_t g = 0; g * LANES < count; g++) {
        double *out[LANES];
        size_t lanes = lanes_of(g, count);
        for (size_t l = 0; l < lanes; l++)
            out[l] = Y + (first + g * LANES + l) * n * n;
        k->unpack_sym(n, lanes, tri + g * TRI(n) * LANES, out);
    }
}

unsigned octets_mask(size_t used, const unsigned *bad, size_t count)
{
    unsigned mask = 0;
    for (size_t g = 0; g < used; g++)
        mask |= bad[g] << (g * LANES);
    return mask & ((1u << count) - 1u);
}
