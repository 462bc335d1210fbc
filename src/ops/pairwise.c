/* pairwise.c - squared distances between sets of matrices, in parallel.
 *
 * Every sample is prepared once. Then blocks of up to 16 prepared samples are interleaved and
 * each other sample is measured against the whole block: a chunk of the parallel loop is one
 * such block of columns. */
#include "ops/pairwise.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "run/blas.h"
#include "ops/flat_pairs.h"
#include "run/parallel.h"
#include "ops/fault.h"
#include "sets/job.h"
#include "geometry/flat.h"

#define SMALL_ROOM 2048 /* doubles of scratch that need not be allocated */
#define BLOCK      (METRIC_OCTETS * LANES)

/* ---- preparing ---------------------------------------------------------------------------- */

typedef struct prepare_job {
    const kernels *k;
    const metric *m;
    size_t n, p;
    const double *X;
    double *F;
    double *work;  /* threads x prepare_work */
    unsigned *bad; /* one mask per octet */
} prepare_job;

static size_t prepare_work(const metric *m, size_t n)
{
    return (TRI(n) + m->size(n)) * LANES + m->work(n);
}

/* Matrices first .. first+count-1 one by one, where the metric can; mask of those at fault. */
static unsigned prepare_singly(const prepare_job *j, size_t first, size_t count)
{
    unsigned bad = 0;
    size_t size = j->m->size(j->n), n2 = j->n * j->n;
    for (size_t i = 0; i < count; i++)
        if (j->m->single(j->n, j->X + (first + i) * n2, j->F + (first + i) * size))
            bad |= 1u << i;
    return bad;
}

static unsigned prepare_octet(const prepare_job *j, size_t first, size_t count, int thread)
{
    size_t size = j->m->size(j->n);
    double *tri = j->work + (size_t)thread * prepare_work(j->m, j->n);
    double *F = tri + TRI(j->n) * LANES;
    const double *in[LANES];
    double *out[LANES];
    for (size_t l = 0; l < count; l++) {
        in[l] = j->X + (first + l) * j->n * j->n;
        out[l] = j->F + (first + l) * size;
    }
    j->k->pack(j->n, count, in, tri);
    unsigned bad = j->m->prepare(j->k, j->n, tri, F, F + size * LANES) & ((1u << count) - 1u);
    j->k->split(size, count, F, out);
    return bad;
}

static spd_status prepare_chunk(void *user, size_t octet, int thread)
{
    prepare_job *j = user;
    size_t first = octet * LANES, count = j->p - first < LANES ? j->p - first : LANES;
    j->bad[octet] =
        j->m->single ? prepare_singly(j, first, count) : prepare_octet(j, first, count, thread);
    return j->bad[octet] ? SPD_ENOTSPD : SPD_OK;
}

/* F <- as metric_log_euclidean prepares X, by an engine if one is to do it. */
static spd_status log_vectors(spd_context *ctx, size_t n, size_t p, const double *X, double *F)
{
    arena room = {0};
    set_job j = {
        .of = OPERATION_APPLY, .task = "functions", .unit = "matrices", .f = SPD_FUNCTION_LOG};
    j.X = SPD_SET(n, p, X);
    const engine_table *e = engine_for(ctx, &j);
    if (!e)
        return SPD_DECLINED;
    double *logs = j.out[0] = arena_alloc(&room, p, n * n * sizeof *logs);
    spd_status status = arena_status(&room, ctx, "logarithms");
    if (status == SPD_OK)
        status = e->run[j.of](ctx, &j);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        flat_vector(n, logs + i * n * n, F + i * flat_size(n));
    arena_free(&room);
    return status;
}

spd_status prepare_set(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                       const char *name, double *F)
{
    spd_status status = m == &metric_log_euclidean ? log_vectors(ctx, n, p, X, F) : SPD_DECLINED;
    return status == SPD_DECLINED ? prepare_part(ctx, m, n, p, X, name, 0, F) : status;
}

spd_status prepare_part(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                        const char *name, size_t number, double *F)
{
    size_t octets = (p + LANES - 1) / LANES, failed = 0;
    size_t threads = (size_t)parallel_threads(ctx);
    arena room = {0};
    prepare_job j = {kernels_get(), m, n, p, X, F, NULL, NULL};
    j.work = arena_alloc(&room, threads, prepare_work(m, n) * sizeof *j.work);
    j.bad = arena_zero(&room, octets, sizeof *j.bad);
    spd_status status = arena_status(&room, ctx, "prepared matrices");
    if (status == SPD_OK)
        status = parallel_for(ctx, octets, prepare_chunk, &j, "preparing", "matrices", (double)p,
                              &failed);
    if (status == SPD_ENOTSPD) {
        size_t i = failed * LANES + (size_t)__builtin_ctz(j.bad[failed]);
        status = fault_matrix(ctx, n, X + i * n * n, name, number + i);
    }
    arena_free(&room);
    return status;
}

spd_status prepare_both(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                        size_t q, const double *Y, const char *name, arena *keep, const double **F,
                        const double **G)
{
    size_t size = m->size(n);
    double *f = arena_alloc(keep, p, size * sizeof *f);
    double *g = Y ? arena_alloc(keep, q, size * sizeof *g) : f;
    spd_status status = arena_status(keep, ctx, "prepared matrices");
    if (status == SPD_OK)
        status = prepare_set(ctx, m, n, p, X, "X", f);
    if (status == SPD_OK && Y)
        status = prepare_set(ctx, m, n, q, Y, name, g);
    *F = f;
    *G = g;
    return status;
}

/* ---- blocks ------------------------------------------------------------------------------- */

size_t block_work(const metric *m, size_t n)
{
    return (METRIC_OCTETS * m->size(n) + METRIC_OCTETS) * LANES + m->work(n);
}

block_store block_split(const metric *m, size_t n, double *work)
{
    block_store b = {work, work + BLOCK, work + BLOCK + METRIC_OCTETS * m->size(n) * LANES};
    return b;
}

size_t block_interleave(const kernels *k, size_t size, size_t count, const double *const *G,
                        double *octets)
{
    size_t used = (count + LANES - 1) / LANES;
    for (size_t g = 0; g < used; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES;
        k->gather(size, lanes, G + g * LANES, octets + g * size * LANES);
    }
    return used;
}

size_t block_gather(const kernels *k, size_t size, size_t count, const double *F, size_t stride,
                    const size_t *which, double *octets)
{
    const double *G[BLOCK];
    for (size_t c = 0; c < count; c++)
        G[c] = F + (which ? which[c] : c) * stride;
    return block_interleave(k, size, count, G, octets);
}

void block_dist2(const kernels *k, const metric *m, size_t n, const double *f, size_t count,
                 const double *F, size_t stride, const size_t *which, double *d2, double *work)
{
    block_store b = block_split(m, n, work);
    size_t used = block_gather(k, m->size(n), count, F, stride, which, b.octets);
    m->dist2(k, n, used, f, b.octets, b.d2, b.rest);
    memcpy(d2, b.d2, count * sizeof *d2);
}

/* ---- all pairs ------------------------------------------------------------------------------ */

typedef struct pairwise_job {
    const kernels *k;
    const metric *m;
    size_t n, p, q;
    const double *X, *Y; /* p x n x n and q x n x n; the same for one set */
    const double *F, *G; /* p x size and q x size; likewise */
    int within;
    int turned;         /* X and Y are exchanged, and so are rows and columns of D2 */
    size_t first, last; /* rows that are filled: those of this rank */
    double *D2;
    double *work; /* threads x fill_work */
} pairwise_job;

/* Columns of one chunk. */
static size_t block_width(const metric *m)
{
    return m->flat ? FLAT_COLUMNS : BLOCK;
}

static size_t fill_work(const metric *m, size_t n)
{
    return m->flat ? FLAT_ROWS * FLAT_COLUMNS + FLAT_WORK : block_work(m, n);
}

/* Row i of D2, count columns from first on. */
static spd_status store_row(const pairwise_job *j, size_t i, size_t first, size_t count,
                            const double *d2, size_t *row, size_t *column)
{
    for (size_t c = 0; c < count; c++) {
        if (!isfinite(d2[c])) {
            *row = i;
            *column = first + c;
            return SPD_ENUMERIC;
        }
        j->D2[j->turned ? (first + c) * j->p + i : i * j->q + first + c] = d2[c];
    }
    return SPD_OK;
}

/* What is left of small distances; NaN where that is nothing. */
static void judge_flat(const pairwise_job *j, size_t i, size_t first, size_t count, double *d2)
{
    size_t size = j->m->size(j->n);
    for (size_t c = 0; c < count && j->m->lost; c++)
        if (d2[c] < FLAT_LEAST_SQUARE &&
            j->m->lost(j->n, j->F + i * size, j->G + (first + c) * size))
            d2[c] = NAN;
}

static spd_status fill_flat(const pairwise_job *j, size_t first, size_t count, size_t rows,
                            double *work, size_t *row, size_t *column)
{
    size_t size = j->m->size(j->n);
    double *D = work, *rest = work + FLAT_ROWS * FLAT_COLUMNS;
    spd_status status = SPD_OK;
    for (size_t i = j->first; i < rows && !stop_wanted(); i += FLAT_ROWS) {
        size_t some = rows - i < FLAT_ROWS ? rows - i : FLAT_ROWS;
        flat_pairs(j->k, size, some, j->F + i * size, count, j->G + first * size, D, rest);
        for (size_t r = 0; r < some && status == SPD_OK; r++) {
            judge_flat(j, i + r, first, count, D + r * FLAT_COLUMNS);
            status = store_row(j, i + r, first, count, D + r * FLAT_COLUMNS, row, column);
        }
    }
    return status;
}

static spd_status fill_octets(const pairwise_job *j, size_t first, size_t count, size_t rows,
                              double *work, size_t *row, size_t *column)
{
    size_t size = j->m->size(j->n);
    block_store b = block_split(j->m, j->n, work);
    size_t used = block_gather(j->k, size, count, j->G + first * size, size, NULL, b.octets);
    spd_status status = SPD_OK;
    for (size_t i = j->first; i < rows && !stop_wanted() && status == SPD_OK; i++) {
        j->m->dist2(j->k, j->n, used, j->F + i * size, b.octets, b.d2, b.rest);
        status = store_row(j, i, first, count, b.d2, row, column);
    }
    return status;
}

/* One chunk of columns of D2; within one set only rows down to the diagonal, which the caller
 * mirrors. SPD_ENUMERIC: the distance at row and column is no number. */
static spd_status fill_block(const pairwise_job *j, size_t block, double *work, size_t *row,
                             size_t *column)
{
    size_t width = block_width(j->m), first = block * width;
    size_t count = j->q - first < width ? j->q - first : width;
    size_t rows = j->within && first + count < j->last ? first + count : j->last;
    if (j->m->flat)
        return fill_flat(j, first, count, rows, work, row, column);
    return fill_octets(j, first, count, rows, work, row, column);
}

static spd_status pairwise_chunk(void *user, size_t block, int thread)
{
    const pairwise_job *j = user;
    size_t row, column;
    return fill_block(j, block, j->work + (size_t)thread * fill_work(j->m, j->n), &row, &column);
}

/* Looks once more at the block that failed, with BLAS held to one thread as before, so that it
 * fails again. */
static spd_status explain(spd_context *ctx, const pairwise_job *j, size_t block)
{
    size_t row = 0, column = 0;
    spd_private_blas_hold();
    fill_block(j, block, j->work, &row, &column);
    spd_private_blas_release();
    const double *x = j->X + row * j->n * j->n, *y = j->Y + column * j->n * j->n;
    if (j->turned)
        return fault_pair(ctx, j->n, "X", column, y, "Y", row, x);
    return fault_pair(ctx, j->n, "X", row, x, j->within ? "X" : "Y", column, y);
}

static void mirror(size_t p, double *D2)
{
    for (size_t i = 0; i < p; i++) {
        D2[i * p + i] = 0.0;
        for (size_t c = i + 1; c < p; c++)
            D2[c * p + i] = D2[i * p + c];
    }
}

/* The first row of a rank. Within one set row i has p - i distances, so low rows count more. */
static size_t first_row(const pairwise_job *j, const ranks *r, int rank)
{
    double share = (double)rank / ranks_count(r);
    if (rank == ranks_count(r) || !j->within)
        return ranks_first(r, rank, j->p);
    return (size_t)((double)j->p * (1.0 - sqrt(1.0 - share)));
}

/* Every rank has filled its rows of D2. */
static void collect_rows(const pairwise_job *j, ranks *r)
{
    for (int k = 0; r && k < r->count; k++) {
        size_t first = first_row(j, r, k), last = first_row(j, r, k + 1);
        if (last > first)
            r->broadcast(r, k, j->D2 + first * j->q, (last - first) * j->q * sizeof *j->D2);
    }
}

/* A block of few columns leaves lanes idle: many matrices against few are few against many. Ranks
 * exchange whole rows. */
static void turn(pairwise_job *j, const ranks *r)
{
    if (r || j->within || j->q >= BLOCK || j->p <= j->q)
        return;
    const double *X = j->X, *F = j->F;
    size_t p = j->p;
    j->X = j->Y;
    j->F = j->G;
    j->p = j->q;
    j->Y = X;
    j->G = F;
    j->q = p;
    j->turned = 1;
}

/* Fills D2 from the prepared sets in j. */
static spd_status pairwise_fill(spd_context *ctx, pairwise_job *j)
{
    size_t failed = 0;
    ranks *r = ranks_of(ctx);
    turn(j, r);
    double pairs = (double)j->p * (double)j->q * (j->within ? 0.5 : 1.0) / ranks_count(r);
    j->first = first_row(j, r, ranks_rank(r));
    j->last = first_row(j, r, ranks_rank(r) + 1);
    size_t width = block_width(j->m);
    spd_status status = parallel_for(ctx, (j->q + width - 1) / width, pairwise_chunk, j,
                                     "distances", "pairs", pairs, &failed);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, j, failed);
    status = ranks_settle(ctx, status);
    if (status == SPD_OK)
        collect_rows(j, r);
    if (status == SPD_OK && j->within)
        mirror(j->p, j->D2);
    return status;
}

static spd_status pairwise_here(spd_context *ctx, const set_job *of)
{
    const metric *m = metric_get(of->metric);
    const double *X = set_doubles(of->X), *Y = of->Y ? set_doubles(of->Y) : NULL;
    size_t n = of->X->n, p = of->X->p, q = of->Y ? of->Y->p : p;
    arena room = {0};
    pairwise_job j = {.k = kernels_get(), .m = m, .n = n, .p = p, .q = q, .D2 = of->out[0]};
    j.within = !Y;
    j.X = X;
    j.Y = Y ? Y : X;
    j.work = arena_alloc(&room, (size_t)parallel_threads(ctx), fill_work(m, n) * sizeof *j.work);
    spd_status status = prepare_both(ctx, m, n, p, X, q, Y, "Y", &room, &j.F, &j.G);
    if (status == SPD_OK)
        status = pairwise_fill(ctx, &j);
    arena_free(&room);
    return status;
}

spd_status spd_pairwise2(spd_context *ctx, spd_metric metric_id, const spd_set *given,
                         const spd_set *with, double *D2)
{
    spd_set X, Y;
    const spd_set *second = NULL;
    ctx_clear(ctx);
    if (!metric_get(metric_id))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    spd_status status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK)
        status = set_take_second(ctx, "Y", with, &X, &Y, &second);
    if (status == SPD_OK && !D2)
        status = ctx_fail(ctx, SPD_EINVAL, "the output array for distances is missing");
    if (status < 0)
        return status;
    const set_job j = {.of = OPERATION_PAIRWISE,
                       .task = "distances",
                       .unit = "pairs",
                       .X = &X,
                       .Y = second,
                       .metric = metric_id,
                       .out = {D2},
                       .bytes = {X.p * (second ? Y.p : X.p) * sizeof *D2},
                       .share = set_share(&X),
                       .here = pairwise_here};
    return job_run(ctx, &j);
}

/* The pair alone; non-zero when it has to go the general way. */
static int single_pair(spd_metric metric_id, size_t n, const double *X, const double *Y, double *d2)
{
    _Alignas(64) double few[SMALL_ROOM];
    double value = NAN;
    size_t work = pair_work(metric_id, n);
    double *room = work <= SMALL_ROOM ? few : mem_alloc(work, sizeof *room);
    if (!room)
        return 1;
    spd_private_blas_hold();
    int lost = pair_dist2(metric_id, n, X, Y, &value, room);
    spd_private_blas_release();
    if (room != few)
        mem_free(room);
    if (!lost)
        *d2 = value;
    return lost;
}

spd_status spd_distance2(spd_context *ctx, spd_metric metric_id, size_t n, const double *X,
                         const double *Y, double *d2)
{
    ctx_clear(ctx);
    if (!Y)
        return ctx_fail(ctx, SPD_EINVAL, "a distance needs two matrices");
    if (metric_get(metric_id) && n > 0 && X && d2 && !ranks_of(ctx) &&
        !single_pair(metric_id, n, X, Y, d2))
        return SPD_OK;
    return spd_pairwise2(ctx, metric_id, SPD_SET(n, 1, X), SPD_SET(n, 1, Y), d2);
}
