/* nearest_levels.c - compressed copies of a set, prepared for bounding. */
#include "engine/nearest_levels.h"

#include <math.h>

#include "engine/pairwise.h"
#include "engine/parallel.h"
#include "geometry/bound.h"

#define BLOCK  (METRIC_OCTETS * LANES)
#define SUBSET 64 /* samples that the basis is learned from */

/* A way to bound: a metric on matrices of some size, times a factor. */
typedef struct level {
    const metric *m;
    size_t n, stride; /* doubles between prepared samples */
    double factor;
    const double *F, *G; /* prepared samples and queries */
} level;

/* One set, compressed to the size of level 1; level 0 takes the leading block of that. */
typedef struct compressed {
    size_t count;
    double *F[2];  /* count x size of the level */
    double *slack; /* count */
} compressed;

struct levels {
    level_input in;
    size_t count;
    level level[MAX_LEVELS];
    double *W; /* n x PASS_LD(size of level 1) */
    double w_norm2;
    compressed samples, own; /* own: the queries, empty when they are the samples */
    const double *slack, *query_slack;
};

/* ---- sizes and costs --------------------------------------------------------------------------
 */

/* Fused multiply-adds, and a linear share for gathering and square roots. */
static double chol_cost(size_t n)
{
    double x = (double)n;
    return x * x * x / 6.0 + 2.0 * x * x + 20.0 * x;
}

double levels_exact_cost(const metric *m, size_t n)
{
    double x = (double)n;
    if (m == &metric_stein)
        return chol_cost(n);
    return 4.0 / 3.0 * x * x * x + 40.0 * x * x;
}

double levels_cost(const levels *lv, size_t i)
{
    return levels_exact_cost(lv->level[i].m, lv->level[i].n);
}

size_t levels_count(const levels *lv)
{
    return lv->count;
}

static size_t size_of_level0(size_t n)
{
    return n / 8 > 2 ? n / 8 : 2;
}

static size_t size_of_level1(size_t n)
{
    return n / 3 > 3 ? n / 3 : 3;
}

int levels_pay(const level_input *in)
{
    const metric *m = in->metric;
    if ((m != &metric_airm && m != &metric_stein) || in->n < 8)
        return 0;
    double x = (double)in->n, basis = SUBSET * 8.0 * x * x * x;
    double compress = (double)(in->p + in->q) * x * x * ((double)size_of_level1(in->n) + x / 6.0);
    double brute = (double)in->p * (double)in->q * levels_exact_cost(m, in->n);
    return brute > 20.0 * (basis + compress);
}

/* ---- compressing --------------------------------------------------------------------------------
 */

typedef struct compress_job {
    const kernels *k;
    const levels *lv;
    const double *X;
    compressed *set;
    double *work; /* threads x compress_work */
} compress_job;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Compressed triangles one by one and interleaved, prepared samples, and the rest. */
static size_t compress_work(const levels *lv)
{
    const level *low = &lv->level[0], *high = &lv->level[1];
    size_t inner = larger(low->m->work(low->n), high->m->work(high->n));
    return (2 * TRI(high->n) + larger(low->stride, high->stride)) * LANES +
           larger(inner, bound_work(lv->in.n, high->n));
}

/* An octet: compress, prepare for both levels. A lane that rounding made indefinite gets
 * infinite slack: its bounds say nothing. */
static spd_status compress_chunk(void *user, size_t octet, int thread)
{
    compress_job *j = user;
    const levels *lv = j->lv;
    compressed *c = j->set;
    size_t n = lv->in.n, m = lv->level[1].n, tri = TRI(m), first = octet * LANES;
    size_t lanes = c->count - first < LANES ? c->count - first : LANES;
    double *T = j->work + (size_t)thread * compress_work(lv), *G = T + tri * LANES;
    double *F = G + tri * LANES;
    double *rest = F + larger(lv->level[0].stride, lv->level[1].stride) * LANES;
    const double *in[LANES];
    double *out[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = j->X + (first + l) * n * n;
        out[l] = T + l * tri;
    }
    unsigned bad =
        bound_compress(j->k, n, m, lv->W, lv->w_norm2, lanes, in, out, c->slack + first, rest);
    j->k->gather(tri, lanes, (const double *const *)out, G);
    for (size_t i = 0; i < 2; i++) { /* the leading rows of G are the smaller compression */
        const level *v = &lv->level[i];
        bad |= v->m->prepare(j->k, v->n, G, F, rest);
        for (size_t l = 0; l < lanes; l++)
            out[l] = c->F[i] + (first + l) * v->stride;
        j->k->split(v->stride, lanes, F, out);
    }
    for (size_t l = 0; l < lanes; l++)
        if (bad >> l & 1u)
            c->slack[first + l] = INFINITY;
    return SPD_OK;
}

static spd_status compressed_fill(spd_context *ctx, const levels *lv, size_t count, const double *X,
                                  compressed *c)
{
    size_t octets = (count + LANES - 1) / LANES, threads = (size_t)parallel_threads(ctx);
    arena *keep = lv->in.keep;
    arena room = {0};
    compress_job j = {kernels_get(), lv, X, c, NULL};
    c->count = count;
    c->F[0] = arena_alloc(keep, count, lv->level[0].stride * sizeof(double));
    c->F[1] = arena_alloc(keep, count, lv->level[1].stride * sizeof(double));
    c->slack = arena_alloc(keep, count, sizeof *c->slack);
    j.work = arena_alloc(&room, threads, compress_work(lv) * sizeof *j.work);
    spd_status status = SPD_ENOMEM;
    if (!keep->failed && !room.failed)
        status = parallel_for(ctx, octets, compress_chunk, &j, "compressing", "matrices",
                              (double)count, NULL);
    arena_free(&room);
    return status;
}

/* Which metric at which size: see the table in nearest_levels.h. */
static void describe_levels(levels *lv)
{
    const level_input *in = &lv->in;
    int airm = in->metric == &metric_airm;
    double factor = airm ? 8.0 : 1.0;
    size_t low = size_of_level0(in->n), high = size_of_level1(in->n);
    lv->level[0] = (level){&metric_stein, low, metric_stein.size(low), factor, NULL, NULL};
    lv->level[1] = (level){in->metric, high, in->metric->size(high), 1.0, NULL, NULL};
    lv->level[2] = (level){&metric_stein, in->n, in->metric->size(in->n), factor, in->F, in->G};
    lv->count = airm ? 3 : 2;
}

/* Compresses both sets and points the levels at them. */
static spd_status fill_levels(spd_context *ctx, levels *lv)
{
    const level_input *in = &lv->in;
    size_t entries = in->n * PASS_LD(lv->level[1].n);
    lv->W = arena_alloc(in->keep, entries, sizeof *lv->W);
    if (!lv->W)
        return SPD_ENOMEM;
    spd_status status = bound_basis(in->n, lv->level[1].n, in->p, in->X, SUBSET, lv->W);
    for (size_t e = 0; status == SPD_OK && e < entries; e++)
        lv->w_norm2 += lv->W[e] * lv->W[e];
    if (status == SPD_OK)
        status = compressed_fill(ctx, lv, in->p, in->X, &lv->samples);
    if (status == SPD_OK && in->Q != in->X)
        status = compressed_fill(ctx, lv, in->q, in->Q, &lv->own);
    const compressed *queries = in->Q != in->X ? &lv->own : &lv->samples;
    lv->slack = lv->samples.slack;
    lv->query_slack = queries->slack;
    for (size_t i = 0; i < 2; i++) {
        lv->level[i].F = lv->samples.F[i];
        lv->level[i].G = queries->F[i];
    }
    return status;
}

spd_status levels_new(spd_context *ctx, const level_input *in, levels **out)
{
    levels *lv = arena_zero(in->keep, 1, sizeof *lv);
    if (!lv)
        return ctx_nomem(ctx, "lower bounds");
    lv->in = *in;
    describe_levels(lv);
    spd_status status = fill_levels(ctx, lv);
    if (status == SPD_OK) {
        *out = lv;
        return SPD_OK;
    }
    if (status == SPD_ENOTSPD) /* too ill-conditioned to bound: the search goes on without */
        return SPD_OK;
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "lower bounds") : status;
}

/* ---- bounding
 * -------------------------------------------------------------------------------------- */

size_t levels_work(const levels *lv)
{
    size_t most = 0;
    for (size_t i = 0; i < lv->count; i++)
        most = larger(most, block_work(lv->level[i].m, lv->level[i].n));
    return most;
}

void levels_bound(const levels *lv, const kernels *k, size_t which, size_t query, size_t count,
                  const size_t *candidate, double *bound, double *work)
{
    const level *v = &lv->level[which];
    int airm = v->m == &metric_airm;
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t now = count - at < BLOCK ? count - at : BLOCK;
        double d2[BLOCK];
        block_dist2(k, v->m, v->n, v->G + query * v->stride, now, v->F, v->stride, candidate + at,
                    d2, work);
        for (size_t c = 0; c < now; c++) {
            size_t i = candidate[at + c];
            double slack = lv->slack[i] + lv->query_slack[query];
            double low = v->factor * bound_deflate(d2[c], lv->in.n, slack, airm);
            if (low > bound[i])
                bound[i] = low;
        }
    }
}
