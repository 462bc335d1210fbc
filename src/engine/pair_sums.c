/* pair_sums.c - sums over the graph, in parallel and in a fixed order. */
#include "engine/pair_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/parallel.h"
#include "geometry/log_derivative.h"

#define BUFFER_BYTES     ((size_t)4 << 20)
#define SHARES_PER_CHUNK 64

/* One end of a pair: sample += c * row of the buffer. */
typedef struct share {
    uint32_t sample, row;
    double c;
} share;

/* Pairs first .. first+count-1, and their ends sorted by sample. */
typedef struct block {
    size_t first, count;
    size_t share, chunk; /* where its shares and its chunks of shares begin */
} block;

struct pair_sums {
    spd_context *ctx;
    const kernels *k;
    const pair_rule *rule;
    spd_objective objective;
    size_t m, p;
    size_t within, count; /* pairs 0 .. within-1 are within pairs, the rest between */
    pair *pairs;          /* c > 0 */
    double *d2;           /* count */
    double *degree;       /* 2 x p: sums of c over within and over between pairs */
    size_t blocks;
    block *block; /* blocks + 1 */
    share *shares;
    size_t *chunk;      /* first share of each chunk, and the end */
    double *L, *logdet; /* p x TRI, p; L are logarithms for rules that want them, and then */
    double *V, *lambda; /* p x m m, p x m: eigenvectors and eigenvalues of S; else NULL */
    double *Zb;         /* p x TRI: between weights apart, for the ratio; else NULL */
    double *buffer;     /* weight matrices of a block */
    double *work;       /* threads x work_size */
    const double *S;    /* of the call in progress */
    double *Z;
    size_t now; /* block in progress */
    int failed; /* a sample without a Cholesky factor */
    double scale_within, scale_between;
    double total; /* sum of all c */
};

static size_t work_size(size_t m)
{
    size_t sample = (2 * TRI(m) + 1) * LANES, pairs = pairs_work(m);
    size_t log = (TRI(m) + m * m + m) * LANES + log_derivative_work(m);
    sample = sample > log ? sample : log;
    return sample > pairs ? sample : pairs;
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* Each unordered pair stands for two ordered ones: c = 2 A_ij. */
static void fill_pairs(pair_sums *s, size_t count, const spd_pair *given)
{
    size_t w = 0, b = s->within;
    for (size_t i = 0; i < count; i++) {
        if (given[i].within > 0.0)
            s->pairs[w++] = (pair){given[i].i, given[i].j, 2.0 * given[i].within};
        if (given[i].between > 0.0)
            s->pairs[b++] = (pair){given[i].i, given[i].j, 2.0 * given[i].between};
    }
    for (size_t i = 0; i < s->count; i++) {
        double *degree = s->degree + (i < s->within ? 0 : s->p);
        s->total += s->pairs[i].c;
        degree[s->pairs[i].i] += s->pairs[i].c;
        degree[s->pairs[i].j] += s->pairs[i].c;
    }
}

/* Pairs of a block fill the buffer; within and between pairs never share a block. */
static size_t block_pairs(const pair_sums *s)
{
    size_t fit = BUFFER_BYTES / (TRI(s->m) * sizeof(double) * (size_t)s->rule->sides);
    fit = fit / PAIR_BATCH * PAIR_BATCH;
    return fit < PAIR_BATCH ? PAIR_BATCH : fit;
}

static size_t count_blocks(const pair_sums *s)
{
    size_t each = block_pairs(s), between = s->count - s->within;
    return (s->within + each - 1) / each + (between + each - 1) / each;
}

/* Shares of the block's pairs, sorted by sample, pairs in order (counting sort). */
static void sort_shares(pair_sums *s, const block *b, size_t *place)
{
    memset(place, 0, (s->p + 1) * sizeof *place);
    for (size_t i = 0; i < b->count; i++) {
        place[s->pairs[b->first + i].i + 1]++;
        place[s->pairs[b->first + i].j + 1]++;
    }
    for (size_t i = 0; i < s->p; i++)
        place[i + 1] += place[i];
    for (size_t i = 0; i < b->count; i++) {
        const pair *t = &s->pairs[b->first + i];
        size_t batch = i / PAIR_BATCH * PAIR_BATCH, in_batch = i - batch;
        size_t size = b->count - batch < PAIR_BATCH ? b->count - batch : PAIR_BATCH;
        size_t row = batch * (size_t)s->rule->sides + in_batch;
        size_t second = s->rule->sides == 2 ? row + size : row;
        s->shares[b->share + place[t->i]++] = (share){t->i, (uint32_t)row, t->c};
        s->shares[b->share + place[t->j]++] = (share){t->j, (uint32_t)second, t->c};
    }
}

/* Chunks end where the sample changes, so that one chunk owns a sample. */
static size_t cut_chunks(pair_sums *s, const block *b, size_t chunk)
{
    size_t end = b->share + 2 * b->count, last = b->share;
    s->chunk[chunk++] = last;
    for (size_t i = b->share + 1; i < end; i++)
        if (i - last >= SHARES_PER_CHUNK && s->shares[i].sample != s->shares[i - 1].sample) {
            s->chunk[chunk++] = i;
            last = i;
        }
    return chunk;
}

static spd_status plan_blocks(pair_sums *s)
{
    size_t *place = mem_alloc(s->p + 1, sizeof *place);
    size_t each = block_pairs(s), at = 0, chunk = 0;
    if (!place)
        return SPD_ENOMEM;
    for (size_t i = 0; i < s->blocks; i++) {
        size_t end = at < s->within ? s->within : s->count;
        size_t count = end - at < each ? end - at : each;
        s->block[i] = (block){at, count, 2 * at, chunk};
        sort_shares(s, &s->block[i], place);
        chunk = cut_chunks(s, &s->block[i], chunk);
        at += count;
    }
    s->block[s->blocks] = (block){at, 0, 2 * at, chunk};
    s->chunk[chunk] = 2 * at;
    mem_free(place);
    return SPD_OK;
}

static void allocate(pair_sums *s, arena *keep)
{
    size_t tri = TRI(s->m), threads = (size_t)parallel_threads(s->ctx);
    size_t rows = block_pairs(s) < s->count ? block_pairs(s) : s->count;
    s->blocks = count_blocks(s);
    s->pairs = arena_alloc(keep, s->count, sizeof *s->pairs);
    s->d2 = arena_alloc(keep, s->count, sizeof *s->d2);
    s->degree = arena_zero(keep, s->p, 2 * sizeof *s->degree);
    s->block = arena_alloc(keep, s->blocks + 1, sizeof *s->block);
    s->shares = arena_alloc(keep, s->count, 2 * sizeof *s->shares);
    s->chunk = arena_alloc(keep, 2 * s->count / SHARES_PER_CHUNK + s->blocks + 1, sizeof *s->chunk);
    s->L = arena_alloc(keep, s->p, tri * sizeof *s->L);
    s->logdet = arena_alloc(keep, s->p, sizeof *s->logdet);
    s->buffer = arena_alloc(keep, rows, (size_t)s->rule->sides * tri * sizeof *s->buffer);
    s->work = arena_alloc(keep, threads, work_size(s->m) * sizeof *s->work);
    if (s->rule->logarithms) {
        s->V = arena_alloc(keep, s->p, s->m * s->m * sizeof *s->V);
        s->lambda = arena_alloc(keep, s->p, s->m * sizeof *s->lambda);
    }
    if (s->objective == SPD_RATIO)
        s->Zb = arena_alloc(keep, s->p, tri * sizeof *s->Zb);
}

spd_status pair_sums_new(spd_context *ctx, spd_metric metric, spd_objective objective, size_t m,
                         size_t p, size_t count, const spd_pair *pairs, arena *keep,
                         pair_sums **sums)
{
    pair_sums *s = arena_zero(keep, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "pairs");
    s->ctx = ctx;
    s->k = kernels_get();
    s->rule = pair_rule_get(metric);
    s->objective = objective;
    s->m = m;
    s->p = p;
    for (size_t i = 0; i < count; i++) {
        s->within += pairs[i].within > 0.0 ? 1 : 0;
        s->count += pairs[i].between > 0.0 ? 1 : 0;
    }
    s->count += s->within;
    allocate(s, keep);
    spd_status status = arena_status(keep, ctx, "pairs");
    if (status < 0)
        return status;
    fill_pairs(s, count, pairs);
    *sums = s;
    return plan_blocks(s) < 0 ? ctx_nomem(ctx, "pairs") : SPD_OK;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Weights that belong to the sample itself: - degree S_i^-1 for rules that want it, else zero. */
static void begin_weights(const pair_sums *s, size_t first, size_t lanes, const double *inverse)
{
    size_t tri = TRI(s->m);
    double *target[LANES], scale[LANES];
    double *const arrays[2] = {s->Z, s->Zb};
    for (size_t between = 0; between < 2 && arrays[between]; between++) {
        double *Z = arrays[between];
        memset(Z + first * tri, 0, lanes * tri * sizeof *Z);
        for (size_t l = 0; l < lanes; l++) {
            target[l] = Z + (first + l) * tri;
            scale[l] = -s->degree[between * s->p + first + l];
            if (!s->Zb) /* the difference: one array for both graphs */
                scale[l] += s->degree[s->p + first + l];
        }
        if (inverse)
            s->k->scatter(tri, lanes, inverse, scale, target);
    }
}

/* Eight samples: factor, log-determinant, and their own share of the weights. */
static spd_status sample_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
    double *A = s->work + (size_t)thread * work_size(s->m), *B = A + tri * LANES;
    double *logdet = B + tri * LANES;
    const double *in[LANES];
    double *out[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = s->S + (first + l) * tri;
        out[l] = s->L + (first + l) * tri;
    }
    s->k->gather(tri, lanes, in, A);
    if (s->k->chol(s->m, A, logdet) & ((1u << lanes) - 1u))
        return SPD_ENOTSPD;
    s->k->split(tri, lanes, A, out);
    memcpy(s->logdet + first, logdet, lanes * sizeof *logdet);
    if (s->rule->sample_inverse) {
        s->k->tri_inverse(s->m, A, B);
        s->k->tri_gram(s->m, B, A);
    }
    begin_weights(s, first, lanes, s->rule->sample_inverse ? A : NULL);
    return SPD_OK;
}

/* Eight samples: logarithm, eigenvalues and eigenvectors. */
static spd_status log_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), m = s->m, first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
    double *A = s->work + (size_t)thread * work_size(m), *V = A + tri * LANES;
    double *lambda = V + m * m * LANES, *work = lambda + m * LANES;
    const double *in[LANES];
    double *L_out[LANES], *V_out[LANES], *lambda_out[LANES];
    for (size_t l = 0; l < lanes; l++) {
        in[l] = s->S + (first + l) * tri;
        L_out[l] = s->L + (first + l) * tri;
        V_out[l] = s->V + (first + l) * m * m;
        lambda_out[l] = s->lambda + (first + l) * m;
    }
    s->k->gather(tri, lanes, in, A);
    if (log_derivative_prepare(s->k, m, A, lambda, V, work) & ((1u << lanes) - 1u))
        return SPD_ENOTSPD;
    s->k->split(tri, lanes, A, L_out);
    s->k->split(m * m, lanes, V, V_out);
    s->k->split(m, lanes, lambda, lambda_out);
    begin_weights(s, first, lanes, NULL);
    return SPD_OK;
}

/* Z <- D log[Z] of eight samples: from weights of the logarithms to weights of the samples. */
static spd_status pull_back_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), m = s->m, first = octet * LANES;
    size_t last = s->p - first < LANES ? s->p : first + LANES;
    for (size_t i = first; i < last; i++)
        log_derivative_apply(m, s->lambda + i * m, s->V + i * m * m, s->Z + i * tri,
                             s->work + (size_t)thread * work_size(m));
    return SPD_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static spd_status batch_chunk(void *user, size_t batch, int thread)
{
    pair_sums *s = user;
    const block *b = &s->block[s->now];
    size_t at = batch * PAIR_BATCH, left = b->count - at;
    size_t count = left < PAIR_BATCH ? left : PAIR_BATCH;
    pair_samples samples = {s->S, s->L, s->logdet};
    s->rule->batch(s->k, s->m, count, s->pairs + b->first + at, &samples, s->d2 + b->first + at,
                   s->buffer + at * (size_t)s->rule->sides * TRI(s->m),
                   s->work + (size_t)thread * work_size(s->m));
    return SPD_OK;
}

static spd_status share_chunk(void *user, size_t chunk, int thread)
{
    pair_sums *s = user;
    const block *b = &s->block[s->now];
    size_t tri = TRI(s->m);
    int between = b->first >= s->within;
    double *Z = between && s->Zb ? s->Zb : s->Z, sign = between && !s->Zb ? -1.0 : 1.0;
    (void)thread;
    for (size_t i = s->chunk[b->chunk + chunk]; i < s->chunk[b->chunk + chunk + 1]; i++) {
        const share *t = &s->shares[i];
        s->k->axpy(tri, sign * t->c, s->buffer + t->row * tri, Z + t->sample * tri);
    }
    return SPD_OK;
}

/* Z <- Zw / Sw - Zb / Sb */
static spd_status combine_chunk(void *user, size_t octet, int thread)
{
    pair_sums *s = user;
    size_t tri = TRI(s->m), first = octet * LANES;
    size_t lanes = s->p - first < LANES ? s->p - first : LANES;
    double *Z = s->Z + first * tri;
    const double *Zb = s->Zb + first * tri;
    (void)thread;
    for (size_t e = 0; e < lanes * tri; e++)
        Z[e] = s->scale_within * Z[e] - s->scale_between * Zb[e];
    return SPD_OK;
}

/* ---- the sum -------------------------------------------------------------------------------- */

/* cost: operations in all, roughly; for few of them threads are not woken. */
static spd_status loop(pair_sums *s, size_t chunks, double cost, parallel_body body)
{
    spd_status status = SPD_OK;
    if (cost > 2e5)
        return parallel_for(s->ctx, chunks, body, s, NULL, NULL, 0.0, NULL);
    for (size_t chunk = 0; chunk < chunks && status == SPD_OK; chunk++)
        status = body(s, chunk, 0);
    return status;
}

static spd_status sum_pairs(pair_sums *s)
{
    spd_status status = SPD_OK;
    double cube = (double)(s->m * s->m * s->m);
    size_t tri = TRI(s->m);
    for (s->now = 0; s->now < s->blocks && status == SPD_OK; s->now++) {
        const block *b = &s->block[s->now];
        status =
            loop(s, (b->count + PAIR_BATCH - 1) / PAIR_BATCH, (double)b->count * cube, batch_chunk);
        if (status == SPD_OK)
            status =
                loop(s, b[1].chunk - b->chunk, 2.0 * (double)b->count * (double)tri, share_chunk);
    }
    return status;
}

static double weighted_sum(const pair_sums *s, size_t from, size_t to)
{
    double sum = 0.0;
    for (size_t i = from; i < to; i++)
        sum += s->pairs[i].c * s->d2[i];
    return sum;
}

/* *f <- the objective from the two sums; Z <- its weights. */
static spd_status finish(pair_sums *s, double within, double between, double *f)
{
    size_t octets = (s->p + LANES - 1) / LANES, tri = TRI(s->m);
    double cube = (double)(s->m * s->m * s->m);
    spd_status status = SPD_OK;
    *f = s->objective == SPD_RATIO ? log(within) - log(between) : within - between;
    if (s->objective == SPD_RATIO) {
        s->scale_within = 1.0 / within;
        s->scale_between = 1.0 / between;
        status = loop(s, octets, (double)s->p * (double)tri, combine_chunk);
    }
    if (status == SPD_OK && s->rule->logarithms)
        status = loop(s, octets, 8.0 * (double)s->p * cube, pull_back_chunk);
    return status;
}

spd_status pair_sums_value(pair_sums *s, const double *S, double *f, double *Z)
{
    size_t octets = (s->p + LANES - 1) / LANES, tri = TRI(s->m);
    double cube = (double)(s->m * s->m * s->m);
    s->S = S;
    s->Z = Z;
    *f = NAN;
    spd_status status = s->rule->logarithms
                            ? loop(s, octets, 9.0 * (double)s->p * cube, log_chunk)
                            : loop(s, octets, (double)s->p * cube / 2.0, sample_chunk);
    if (status == SPD_ENOTSPD)
        return SPD_OK;
    if (status == SPD_OK)
        status = sum_pairs(s);
    if (status < 0)
        return status;
    double within = weighted_sum(s, 0, s->within), between = weighted_sum(s, s->within, s->count);
    if (within + between <= s->rule->no_spread * s->total * (double)s->m) {
        /* equal matrices: what is left is rounding, and its gradient would lead nowhere */
        within = between = 0.0;
        memset(Z, 0, s->p * tri * sizeof *Z);
    }
    return finish(s, within, between, f);
}
