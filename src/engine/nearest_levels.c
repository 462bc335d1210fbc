/* nearest_levels.c - compressed copies of a set, prepared for bounding. */
#include "engine/nearest_levels.h"

#include <math.h>

#include "base/memory.h"
#include "engine/pairwise.h"
#include "engine/parallel.h"
#include "geometry/bound.h"

#define BLOCK (METRIC_GROUPS * LANES)
#define SUBSET 64 /* samples that the basis is learned from */

/* One set, compressed. */
typedef struct compressed {
    size_t count;
    double *groups1; /* level 1, interleaved: groups x size1 x 8 */
    double *F1;      /* level 1, count x size1 */
    double *F2;      /* level 2, count x size2 */
    double *slack;   /* count */
} compressed;

struct levels {
    const metric *metric;
    int airm;
    size_t n, m1, m2;
    double *W; /* n x PASS_LD(m2) */
    double w_norm2;
    compressed samples, own; /* own: the queries, empty when they are the samples */
    const compressed *queries;
};

/* ---- sizes and costs -------------------------------------------------------------------------- */

/* Fused multiply-adds, and a linear share for gathering and square roots. */
static double chol_cost(size_t n)
{
    double x = (double)n;
    return x * x * x / 6.0 + 2.0 * x * x + 20.0 * x;
}

double levels_cost(const metric *m, size_t n)
{
    double x = (double)n;
    if (m == &metric_stein)
        return chol_cost(n);
    return 4.0 / 3.0 * x * x * x + 40.0 * x * x;
}

double levels_cost1(const levels *lv)
{
    return chol_cost(lv->m1);
}

double levels_cost2(const levels *lv)
{
    return levels_cost(lv->metric, lv->m2);
}

static size_t size_of_level1(size_t n)
{
    return n / 8 > 2 ? n / 8 : 2;
}

static size_t size_of_level2(size_t n)
{
    return n / 3 > 3 ? n / 3 : 3;
}

int levels_pay(const metric *m, size_t n, size_t p, size_t q)
{
    if ((m != &metric_airm && m != &metric_stein) || n < 8)
        return 0;
    double x = (double)n, basis = SUBSET * 8.0 * x * x * x;
    double compress = (double)(p + q) * x * x * ((double)size_of_level2(n) + x / 6.0);
    return (double)p * (double)q * levels_cost(m, n) > 20.0 * (basis + compress);
}

/* ---- compressing -------------------------------------------------------------------------------- */

typedef struct compress_job {
    const kernels *k;
    const levels *lv;
    const double *X;
    compressed *set;
    double *work; /* threads x compress_work */
} compress_job;

static size_t compress_work(const levels *lv)
{
    size_t tri = TRI(lv->m2), size2 = lv->metric->size(lv->m2);
    size_t inner = bound_work(lv->n, lv->m2), low = metric_stein.work(lv->m1);
    if (lv->metric->work(lv->m2) > low)
        low = lv->metric->work(lv->m2);
    return (2 * tri + size2) * LANES + inner + low;
}

/* A group of eight: compress, prepare for both levels. A lane that rounding made indefinite gets
 * infinite slack: its bounds say nothing. */
static spd_status compress_chunk(void *user, size_t group, int thread)
{
    compress_job *j = user;
    const levels *lv = j->lv;
    compressed *c = j->set;
    size_t tri = TRI(lv->m2), first = group * LANES, n2 = lv->n * lv->n;
    size_t lanes = c->count - first < LANES ? c->count - first : LANES;
    size_t size1 = metric_stein.size(lv->m1), size2 = lv->metric->size(lv->m2);
    double *T = j->work + (size_t)thread * compress_work(lv), *G = T + tri * LANES;
    double *F = G + tri * LANES, *rest = F + size2 * LANES;
    double *F1 = c->groups1 + group * size1 * LANES;
    const double *in[LANES];
    double *low[LANES], *out1[LANES], *out2[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = j->X + (first + l) * n2;
        low[l] = T + l * tri;
        out1[l] = c->F1 + (first + l) * size1;
        out2[l] = c->F2 + (first + l) * size2;
    }
    unsigned bad = bound_compress(j->k, lv->n, lv->m2, lv->W, lv->w_norm2, lanes, in, low,
                                  c->slack + first, rest);
    j->k->gather(tri, lanes, (const double *const *)low, G);
    bad |= metric_stein.prepare(j->k, lv->m1, G, F1, rest); /* leading rows: the first m1 columns */
    bad |= lv->metric->prepare(j->k, lv->m2, G, F, rest);
    j->k->split(size1, lanes, F1, out1);
    j->k->split(size2, lanes, F, out2);
    for (size_t l = 0; l < lanes; l++)
        if (bad >> l & 1u)
            c->slack[first + l] = INFINITY;
    return SPD_OK;
}

static void compressed_free(compressed *c)
{
    mem_free(c->groups1);
    mem_free(c->F1);
    mem_free(c->F2);
    mem_free(c->slack);
}

static spd_status compressed_fill(spd_context *ctx, const levels *lv, size_t count, const double *X,
                                  compressed *c)
{
    size_t groups = (count + LANES - 1) / LANES, even = (groups + 1) / 2 * 2;
    size_t size1 = metric_stein.size(lv->m1), threads = (size_t)parallel_threads(ctx);
    compress_job j = {kernels_get(), lv, X, c, NULL};
    c->count = count;
    c->groups1 = mem_zero(even * size1 * LANES, sizeof *c->groups1);
    c->F1 = mem_alloc(count, size1 * sizeof *c->F1);
    c->F2 = mem_alloc(count, lv->metric->size(lv->m2) * sizeof *c->F2);
    c->slack = mem_alloc(count, sizeof *c->slack);
    j.work = mem_alloc(threads * compress_work(lv), sizeof *j.work);
    spd_status status = SPD_ENOMEM;
    if (c->groups1 && c->F1 && c->F2 && c->slack && j.work)
        status = parallel_for(ctx, groups, compress_chunk, &j, "compressing", "matrices",
                              (double)count, NULL);
    mem_free(j.work);
    return status;
}

void levels_free(levels *lv)
{
    if (!lv)
        return;
    compressed_free(&lv->samples);
    compressed_free(&lv->own);
    mem_free(lv->W);
    mem_free(lv);
}

spd_status levels_new(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                      size_t q, const double *Q, levels **out)
{
    levels *lv = mem_zero(1, sizeof *lv);
    spd_status status = SPD_ENOMEM;
    if (!lv)
        return ctx_nomem(ctx, "lower bounds");
    *lv = (levels){.metric = m, .airm = m == &metric_airm, .n = n, .m1 = size_of_level1(n),
                   .m2 = size_of_level2(n), .queries = &lv->samples};
    size_t entries = n * PASS_LD(lv->m2);
    lv->W = mem_alloc(entries, sizeof *lv->W);
    if (lv->W)
        status = bound_basis(n, lv->m2, p, X, SUBSET, lv->W);
    for (size_t e = 0; status == SPD_OK && e < entries; e++)
        lv->w_norm2 += lv->W[e] * lv->W[e];
    if (status == SPD_OK)
        status = compressed_fill(ctx, lv, p, X, &lv->samples);
    if (status == SPD_OK && Q) {
        lv->queries = &lv->own;
        status = compressed_fill(ctx, lv, q, Q, &lv->own);
    }
    if (status == SPD_OK) {
        *out = lv;
        return SPD_OK;
    }
    levels_free(lv);
    if (status == SPD_ENOTSPD) /* too ill-conditioned to bound: the search goes on without */
        return SPD_OK;
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "lower bounds") : status;
}

/* ---- bounding -------------------------------------------------------------------------------------- */

size_t levels_work(const levels *lv)
{
    size_t one = BLOCK + metric_stein.work(lv->m1), two = block_work(lv->metric, lv->m2);
    return one > two ? one : two;
}

void levels_scan(const levels *lv, const kernels *k, size_t query, double *bound, double *work)
{
    const compressed *s = &lv->samples, *q = lv->queries;
    size_t size1 = metric_stein.size(lv->m1);
    const double *f = q->F1 + query * size1;
    double factor = lv->airm ? 8.0 : 1.0;
    for (size_t first = 0; first < s->count; first += BLOCK) {
        size_t count = s->count - first < BLOCK ? s->count - first : BLOCK;
        metric_stein.dist2(k, lv->m1, METRIC_GROUPS, f, s->groups1 + first * size1, work,
                           work + BLOCK);
        for (size_t c = 0; c < count; c++)
            bound[first + c] = factor * bound_deflate(work[c], lv->n,
                                                      s->slack[first + c] + q->slack[query], 0);
    }
}

void levels_refine(const levels *lv, const kernels *k, size_t query, size_t count,
                   const size_t *candidate, double *bound, double *work)
{
    const compressed *s = &lv->samples, *q = lv->queries;
    size_t size2 = lv->metric->size(lv->m2);
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t now = count - at < BLOCK ? count - at : BLOCK;
        const double *G[BLOCK];
        double d2[BLOCK];
        for (size_t c = 0; c < now; c++)
            G[c] = s->F2 + candidate[at + c] * size2;
        block_dist2(k, lv->metric, lv->m2, q->F2 + query * size2, now, G, d2, work);
        for (size_t c = 0; c < now; c++) {
            size_t i = candidate[at + c];
            double low = bound_deflate(d2[c], lv->n, s->slack[i] + q->slack[query], lv->airm);
            if (low > bound[i])
                bound[i] = low;
        }
    }
}
