/* bounds.c - compressed copies of a set, prepared for bounding. */
#include "search/bounds.h"

#include <math.h>

#include "base/order.h"
#include "geometry/bound.h"
#include "ops/pairwise.h"
#include "run/parallel.h"

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

struct bounds {
    const search *of;
    arena *keep;
    size_t count;
    level level[MAX_LEVELS];
    double *W; /* n x PASS_LD(size of level 1) */
    double w_norm2;
    compressed samples, own; /* own: the queries, empty when they are the samples */
    const double *slack, *query_slack;
};

/* ---- sizes and costs ------------------------------------------------------------------------- */

double bounds_exact_cost(const metric *m, size_t n)
{
    double x = (double)n;
    if (m == &metric_stein)
        return x * x * x / 6.0 + 2.0 * x * x + 20.0 * x; /* linear: gathering and square roots */
    return 4.0 / 3.0 * x * x * x + 40.0 * x * x;
}

double bounds_cost(const bounds *b, size_t i)
{
    return bounds_exact_cost(b->level[i].m, b->level[i].n);
}

size_t bounds_levels(const bounds *b)
{
    return b->count;
}

static size_t size_of_level0(size_t n)
{
    return n / 8 > 2 ? n / 8 : 2;
}

static size_t size_of_level1(size_t n)
{
    return n / 3 > 3 ? n / 3 : 3;
}

int bounds_pay(const search *s)
{
    const metric *m = s->metric;
    if ((m != &metric_airm && m != &metric_stein) || s->n < 8)
        return 0;
    double x = (double)s->n, basis = SUBSET * 8.0 * x * x * x;
    double compress = (double)(s->p + s->q) * x * x * ((double)size_of_level1(s->n) + x / 6.0);
    double brute = (double)s->p * (double)s->q * bounds_exact_cost(m, s->n);
    return brute > 20.0 * (basis + compress);
}

/* ---- compressing ----------------------------------------------------------------------------- */

typedef struct compress_job {
    const kernels *k;
    const bounds *b;
    const double *X;
    compressed *set;
    double *work; /* threads x compress_work */
} compress_job;

/* Compressed triangles one by one and interleaved, prepared samples, and the rest. */
static size_t compress_work(const bounds *b)
{
    const level *low = &b->level[0], *high = &b->level[1];
    size_t inner = larger(low->m->work(low->n), high->m->work(high->n));
    return (2 * TRI(high->n) + larger(low->stride, high->stride)) * LANES +
           larger(inner, bound_work(b->of->n, high->n));
}

/* An octet: compress, prepare for both levels. A lane that rounding made indefinite gets
 * infinite slack: its bounds say nothing. */
static spd_status compress_chunk(void *user, size_t octet, int thread)
{
    compress_job *j = user;
    const bounds *b = j->b;
    compressed *c = j->set;
    size_t n = b->of->n, m = b->level[1].n, tri = TRI(m), first = octet * LANES;
    size_t lanes = c->count - first < LANES ? c->count - first : LANES;
    double *T = j->work + (size_t)thread * compress_work(b), *G = T + tri * LANES;
    double *F = G + tri * LANES;
    double *rest = F + larger(b->level[0].stride, b->level[1].stride) * LANES;
    const double *in[LANES];
    double *out[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = j->X + (first + l) * n * n;
        out[l] = T + l * tri;
    }
    unsigned bad =
        bound_compress(j->k, n, m, b->W, b->w_norm2, lanes, in, out, c->slack + first, rest);
    j->k->gather(tri, lanes, (const double *const *)out, G);
    for (size_t i = 0; i < 2; i++) { /* the leading rows of G are the smaller compression */
        const level *v = &b->level[i];
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

static spd_status compressed_fill(spd_context *ctx, const bounds *b, size_t count, const double *X,
                                  compressed *c)
{
    size_t octets = (count + LANES - 1) / LANES, threads = (size_t)parallel_threads(ctx);
    arena *keep = b->keep;
    arena room = {0};
    compress_job j = {kernels_get(), b, X, c, NULL};
    c->count = count;
    c->F[0] = arena_alloc(keep, count, b->level[0].stride * sizeof(double));
    c->F[1] = arena_alloc(keep, count, b->level[1].stride * sizeof(double));
    c->slack = arena_alloc(keep, count, sizeof *c->slack);
    j.work = arena_alloc(&room, threads, compress_work(b) * sizeof *j.work);
    spd_status status = SPD_ENOMEM;
    if (!keep->failed && !room.failed)
        status = parallel_for(ctx, octets, compress_chunk, &j, "compressing", "matrices",
                              (double)count, NULL);
    arena_free(&room);
    return status;
}

/* Which metric at which size: see the table in bounds.h. */
static void describe_levels(bounds *b)
{
    const search *s = b->of;
    int airm = s->metric == &metric_airm;
    double factor = airm ? 8.0 : 1.0;
    size_t low = size_of_level0(s->n), high = size_of_level1(s->n);
    b->level[0] = (level){&metric_stein, low, metric_stein.size(low), factor, NULL, NULL};
    b->level[1] = (level){s->metric, high, s->metric->size(high), 1.0, NULL, NULL};
    b->level[2] = (level){&metric_stein, s->n, s->metric->size(s->n), factor, s->F, s->G};
    b->count = airm ? 3 : 2;
}

/* Compresses both sets and points the levels at them. */
static spd_status fill_levels(spd_context *ctx, bounds *b)
{
    const search *s = b->of;
    size_t entries = s->n * PASS_LD(b->level[1].n);
    b->W = arena_alloc(b->keep, entries, sizeof *b->W);
    if (!b->W)
        return SPD_ENOMEM;
    spd_status status = bound_basis(s->n, b->level[1].n, s->p, s->X, SUBSET, b->W);
    for (size_t e = 0; status == SPD_OK && e < entries; e++)
        b->w_norm2 += b->W[e] * b->W[e];
    if (status == SPD_OK)
        status = compressed_fill(ctx, b, s->p, s->X, &b->samples);
    if (status == SPD_OK && s->Q != s->X)
        status = compressed_fill(ctx, b, s->q, s->Q, &b->own);
    const compressed *queries = s->Q != s->X ? &b->own : &b->samples;
    b->slack = b->samples.slack;
    b->query_slack = queries->slack;
    for (size_t i = 0; i < 2; i++) {
        b->level[i].F = b->samples.F[i];
        b->level[i].G = queries->F[i];
    }
    return status;
}

spd_status bounds_new(spd_context *ctx, const search *s, arena *keep, bounds **out)
{
    bounds *b = arena_zero(keep, 1, sizeof *b);
    if (!b)
        return ctx_nomem(ctx, "lower bounds");
    b->of = s;
    b->keep = keep;
    describe_levels(b);
    spd_status status = fill_levels(ctx, b);
    if (status == SPD_OK) {
        *out = b;
        return SPD_OK;
    }
    if (status == SPD_ENOTSPD) /* too ill-conditioned to bound: the search goes on without */
        return SPD_OK;
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "lower bounds") : status;
}

/* ---- bounding
 * -------------------------------------------------------------------------------------- */

size_t bounds_work(const bounds *b)
{
    size_t most = 0;
    for (size_t i = 0; i < b->count; i++)
        most = larger(most, block_work(b->level[i].m, b->level[i].n));
    return most;
}

void bounds_raise(const bounds *b, const kernels *k, size_t which, size_t query, size_t count,
                  const size_t *candidate, double *bound, double *work)
{
    const level *v = &b->level[which];
    int airm = v->m == &metric_airm;
    for (size_t at = 0; at < count; at += SEARCH_BLOCK) {
        size_t now = count - at < SEARCH_BLOCK ? count - at : SEARCH_BLOCK;
        double d2[SEARCH_BLOCK];
        block_dist2(k, v->m, v->n, v->G + query * v->stride, now, v->F, v->stride, candidate + at,
                    d2, work);
        for (size_t c = 0; c < now; c++) {
            size_t i = candidate[at + c];
            double slack = b->slack[i] + b->query_slack[query];
            double low = v->factor * bound_deflate(d2[c], b->of->n, slack, airm);
            if (low > bound[i])
                bound[i] = low;
        }
    }
}
