/* pair_gradients.c - squared distances of listed pairs, and the derivative of their weighted sum.
 *
 * Stage after stage, the pairs of a stage are measured in parallel, and what their weights make of
 * them is then added up in the order of the list: the same bits for any number of threads. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "geometry/pairs.h"
#include "linalg/definite.h"
#include "ops/batch.h"
#include "ops/fault.h"
#include "run/parallel.h"
#include "sets/job.h"

#define STAGE_BYTES ((size_t)4 << 20)
#define TASK        "distances"

typedef struct gradient_run {
    spd_context *ctx;
    const kernels *k;
    const pair_rule *rule;
    size_t n, p, count;
    const double *X;
    const uint32_t *number; /* count x 2 */
    const double *weight;
    double *S, *L, *logdet; /* p x TRI, p x TRI, p */
    pair *list;             /* of a stage */
    double *d2, *M;         /* count; sides x TRI for each of a stage, batch by batch, or NULL */
    double *Z;              /* p x TRI */
    size_t stage;           /* pairs of a full one */
    size_t first, now;      /* of the current one */
    double *work;           /* threads x pairs_work */
} gradient_run;

/* S, L and logdet of the samples; the inverse of one is taken as often as its pairs weigh. */
static unsigned factor_body(void *user, size_t first, size_t count, double *work)
{
    const gradient_run *r = user;
    size_t n = r->n, tri = TRI(n), used = octets_pack(r->k, n, first, count, r->X, work);
    double *L = work + BATCH_OCTETS * tri * LANES, *scratch = L + tri * LANES;
    _Alignas(64) double logdet[LANES];
    unsigned bad[BATCH_OCTETS] = {0};
    for (size_t g = 0; g < used; g++) {
        double *S = work + g * tri * LANES, *s_to[LANES], *l_to[LANES];
        size_t at = first + g * LANES, left = first + count - at;
        size_t lanes = left < LANES ? left : LANES;
        for (size_t l = 0; l < lanes; l++) {
            s_to[l] = r->S + (at + l) * tri;
            l_to[l] = r->L + (at + l) * tri;
        }
        r->k->split(tri, lanes, S, s_to);
        if (r->rule->plain)
            continue;
        bad[g] = definite_chol(r->k, n, S, L, logdet, scratch);
        r->k->split(tri, lanes, L, l_to);
        memcpy(r->logdet + at, logdet, lanes * sizeof *logdet);
    }
    return octets_mask(used, bad, count);
}

/* Z -= share S^-1, from the factors. */
static void add_inverses(gradient_run *r, double *share, double *room)
{
    size_t n = r->n, tri = TRI(n);
    double *L = room, *Linv = L + tri * LANES, *A = Linv + tri * LANES;
    for (size_t first = 0; first < r->p; first += LANES) {
        size_t lanes = r->p - first < LANES ? r->p - first : LANES;
        const double *from[LANES];
        double *to[LANES];
        for (size_t l = 0; l < lanes; l++) {
            from[l] = r->L + (first + l) * tri;
            to[l] = r->Z + (first + l) * tri;
        }
        r->k->gather(tri, lanes, from, L);
        r->k->tri_inverse(n, L, Linv);
        r->k->tri_gram(n, Linv, A);
        r->k->scatter(tri, lanes, A, share + first, to);
    }
}

static spd_status measure_chunk(void *user, size_t chunk, int thread)
{
    gradient_run *r = user;
    size_t at = chunk * PAIR_BATCH, left = r->now - at;
    const pair_samples samples = {r->S, r->L, r->logdet};
    r->rule->batch(r->k, r->n, left < PAIR_BATCH ? left : PAIR_BATCH, r->list + at, &samples,
                   r->d2 + r->first + at,
                   r->M ? r->M + at * (size_t)r->rule->sides * TRI(r->n) : NULL,
                   r->work + (size_t)thread * pairs_work(r->n));
    return SPD_OK;
}

/* Z += what the weights of a stage make of its matrices. */
static void gather_stage(gradient_run *r)
{
    size_t tri = TRI(r->n), sides = (size_t)r->rule->sides;
    for (size_t at = 0; at < r->now; at += PAIR_BATCH) {
        size_t count = r->now - at < PAIR_BATCH ? r->now - at : PAIR_BATCH;
        for (size_t e = 0; e < count; e++) {
            const pair *q = &r->list[at + e];
            const double *Mi = r->M + (at * sides + e) * tri;
            const double *Mj = sides == 2 ? Mi + count * tri : Mi;
            r->k->axpy(tri, q->c, Mi, r->Z + q->i * tri);
            r->k->axpy(tri, q->c, Mj, r->Z + q->j * tri);
        }
    }
}

/* Pairs first .. first+now-1. */
static spd_status run_stage(gradient_run *r)
{
    for (size_t e = 0; e < r->now; e++) {
        size_t at = r->first + e;
        r->list[e] =
            (pair){r->number[2 * at], r->number[2 * at + 1], r->weight ? r->weight[at] : 0.0};
    }
    spd_status status = parallel_for(r->ctx, (r->now + PAIR_BATCH - 1) / PAIR_BATCH, measure_chunk,
                                     r, TASK, "pairs", (double)r->now, NULL);
    for (size_t e = 0; e < r->now && status == SPD_OK; e++) {
        const pair *q = &r->list[e];
        double *d2 = &r->d2[r->first + e];
        size_t n2 = r->n * r->n;
        if (!isfinite(*d2))
            return fault_pair(r->ctx, r->n, "X", q->i, r->X + q->i * n2, "X", q->j,
                              r->X + q->j * n2);
        *d2 = *d2 > 0.0 ? *d2 : 0.0;
    }
    if (status == SPD_OK && r->M)
        gather_stage(r);
    return status;
}

/* G (p x n x n) <- Z/2 */
static void unfold_half(const gradient_run *r, double *G)
{
    size_t n = r->n;
    const double *z = r->Z;
    for (size_t i = 0; i < r->p; i++, G += n * n)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++, z++)
                G[a * n + b] = G[b * n + a] = 0.5 * *z;
}

static spd_status open_run(gradient_run *r, int gradient, arena *room)
{
    size_t tri = TRI(r->n), each = tri * (size_t)r->rule->sides * sizeof(double);
    r->stage = STAGE_BYTES / each / PAIR_BATCH * PAIR_BATCH;
    if (r->stage < PAIR_BATCH)
        r->stage = PAIR_BATCH;
    if (r->stage > r->count)
        r->stage = r->count;
    r->S = arena_alloc(room, r->p, tri * sizeof *r->S);
    r->L = arena_alloc(room, r->p, tri * sizeof *r->L);
    r->logdet = arena_alloc(room, r->p, sizeof *r->logdet);
    r->list = arena_alloc(room, r->stage, sizeof *r->list);
    r->d2 = arena_alloc(room, r->count, sizeof *r->d2);
    r->work =
        arena_alloc(room, (size_t)parallel_threads(r->ctx), pairs_work(r->n) * sizeof *r->work);
    if (gradient) {
        r->M = arena_alloc(room, r->stage, each);
        r->Z = arena_zero(room, r->p, tri * sizeof *r->Z);
    }
    return arena_status(room, r->ctx, "pairs");
}

/* The samples' own part of the gradient. */
static spd_status weigh_samples(gradient_run *r, arena *room)
{
    double *share = arena_zero(room, r->p, sizeof *share);
    double *three = arena_alloc(room, 3 * TRI(r->n), LANES * sizeof *three);
    spd_status status = arena_status(room, r->ctx, "pairs");
    if (status < 0)
        return status;
    for (size_t e = 0; e < r->count; e++)
        for (int side = 0; side < 2; side++)
            share[r->number[2 * e + (size_t)side]] -= r->weight[e];
    add_inverses(r, share, three);
    return SPD_OK;
}

/* out[0] <- distances, out[1] <- gradient; user: the run. */
static spd_status pairs_here(spd_context *ctx, const set_job *j)
{
    gradient_run r = *(const gradient_run *)j->user;
    arena room = {0};
    size_t bad = SPD_NO_INDEX;
    r.ctx = ctx;
    r.X = set_doubles(j->X);
    spd_status status = open_run(&r, j->out[1] != NULL, &room);
    const octet_loop factors = {r.p, (BATCH_OCTETS + 2) * TRI(r.n) * LANES, factor_body, &r, TASK};
    if (status == SPD_OK)
        status = octets_run(ctx, &factors, &bad);
    if (status == SPD_ENUMERIC)
        status = fault_matrix(ctx, r.n, r.X + bad * r.n * r.n, "X", bad);
    if (status == SPD_OK && r.Z && r.rule->sample_inverse)
        status = weigh_samples(&r, &room);
    for (; r.first < r.count && status == SPD_OK; r.first += r.now) {
        r.now = r.count - r.first < r.stage ? r.count - r.first : r.stage;
        status = run_stage(&r);
    }
    if (status == SPD_OK && j->out[0])
        memcpy(j->out[0], r.d2, j->bytes[0]);
    if (status == SPD_OK && r.Z && j->out[1])
        unfold_half(&r, j->out[1]);
    arena_free(&room);
    return status;
}

static spd_status check(spd_context *ctx, const gradient_run *r, const double *G)
{
    if (!r->rule || r->rule->logarithms)
        return ctx_fail(ctx, SPD_EINVAL,
                        "no derivative for this metric: AIRM, Stein, Jeffrey and "
                        "Euclidean distances have one");
    if (r->count == 0 || !r->number || (G && !r->weight))
        return ctx_fail(ctx, SPD_EINVAL, "%s missing",
                        r->count && r->number ? "weights are" : "pairs are");
    for (size_t e = 0; e < 2 * r->count; e++)
        if (r->number[e] >= r->p)
            return ctx_fail(ctx, SPD_EINVAL, "pair %zu is of matrix number %u; there are %zu",
                            e / 2, (unsigned)r->number[e], r->p);
    return SPD_OK;
}

spd_status spd_pairs_gradient(spd_context *ctx, spd_metric metric, const spd_set *given,
                              size_t count, const uint32_t *pairs, const double *weight, double *d2,
                              double *G)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, G ? G : d2, &X);
    if (status < 0)
        return status;
    const gradient_run r = {.k = kernels_get(),
                            .rule = pair_rule_get(metric),
                            .n = X.n,
                            .p = X.p,
                            .count = count,
                            .number = pairs,
                            .weight = weight};
    status = check(ctx, &r, G);
    if (status < 0)
        return status;
    const set_job j = {.of = OPERATION_OTHER,
                       .task = TASK,
                       .unit = "pairs",
                       .X = &X,
                       .out = {d2, G},
                       .bytes = {count * sizeof *d2, X.p * X.n * X.n * sizeof *G},
                       .here = pairs_here,
                       .user = &r};
    return job_run(ctx, &j);
}
