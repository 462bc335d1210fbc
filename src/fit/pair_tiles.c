/* pair_tiles.c - octets of samples, tiles of pairs, sums of blocks. */
#include "fit/pair_tiles.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "linalg/kernels.h"
#include "run/parallel.h"

#define MOST_BYTES  ((size_t)64 << 20) /* of the sums of all tiles */
#define MOST_SIZE   64                 /* of m: beyond, the arithmetic hides the rest */
#define LEAST_PAIRS 200                /* fewer are no work */
#define SIDES       2                  /* sums of a tile: of its rows, of its columns */

typedef struct tile {
    uint32_t row, column; /* blocks, row <= column */
} tile;

struct pair_tiles {
    spd_context *ctx;
    const kernels *k;
    const pair_order *order;
    size_t m, p;         /* p: samples of all ranks */
    size_t edge, blocks; /* samples of a block, and how many blocks */
    size_t stride, side; /* of a row of the table; doubles of one side of a tile's sums */
    size_t count;        /* of tiles */
    tile *tile;
    size_t *number;  /* blocks x blocks: of the tile at row, column */
    uint32_t *local; /* p: the number of a sample here */
    uint32_t *place; /* of each slot in the table */
    double *table;   /* p x stride: distances, then weights, of row i and column j > i */
    double *octet;   /* all samples, TRI x 8 each */
    double *sum;     /* count x SIDES x side: rows one by one, columns by eights */
    double *work;    /* threads x work_size */
    const double *S; /* of the call in progress */
    const double *logdet;
    double *Z;
};

/* Samples of a block, a multiple of eight: larger ones gain more, but threads want tiles. */
static size_t edge_of(size_t p)
{
    return p < 64 ? 8 : p < 192 ? 16 : 32;
}

/* Two octets, one of sums, and a triangle that nobody reads. */
static size_t work_size(size_t m)
{
    return 4 * LANES * TRI(m);
}

/* ---- set-up --------------------------------------------------------------------------------- */

size_t pair_tiles_bytes(size_t m, size_t samples)
{
    size_t edge = edge_of(samples), blocks = (samples + edge - 1) / edge;
    return blocks * (blocks + 1) / 2 * SIDES * edge * TRI(m) * sizeof(double);
}

int pair_tiles_serve(size_t m, size_t samples, size_t count, const spd_pair *pairs)
{
    size_t e = 0;
    if (count < LEAST_PAIRS || count / samples >= samples || 2 * count != samples * (samples - 1) ||
        m > MOST_SIZE || pair_tiles_bytes(m, samples) > MOST_BYTES)
        return 0;
    for (size_t i = 0; i < samples; i++)
        for (size_t j = i + 1; j < samples; j++, e++)
            if (pairs[e].i != i || pairs[e].j != j)
                return 0;
    return 1;
}

/* The number that all ranks give to a sample of this one, or to a ghost. */
static size_t common_number(const pair_order *o, size_t local)
{
    if (local < o->own)
        return o->cut.first + local;
    size_t other = local - o->own;
    return other < o->cut.first ? other : other + o->own;
}

static int holds_own(const pair_tiles *t, size_t block)
{
    const split *cut = &t->order->cut;
    return cut->first < (block + 1) * t->edge && cut->last > block * t->edge;
}

/* tile, number <- those that own samples are in. */
static void list_tiles(pair_tiles *t)
{
    t->count = 0;
    for (size_t row = 0; row < t->blocks; row++)
        for (size_t column = row; column < t->blocks; column++)
            if (holds_own(t, row) || holds_own(t, column)) {
                t->number[row * t->blocks + column] = t->count;
                t->tile[t->count++] = (tile){(uint32_t)row, (uint32_t)column};
            }
}

static void find_places(pair_tiles *t)
{
    const pair_order *o = t->order;
    for (size_t local = 0; local < t->p; local++)
        t->local[common_number(o, local)] = (uint32_t)local;
    for (size_t slot = 0; slot < o->count; slot++) {
        size_t i = common_number(o, o->pairs[slot].i), j = common_number(o, o->pairs[slot].j);
        t->place[slot] = (uint32_t)(smaller(i, j) * t->stride + larger(i, j));
    }
}

pair_tiles *pair_tiles_new(spd_context *ctx, size_t m, const pair_order *order, arena *keep)
{
    pair_tiles *t = arena_zero(keep, 1, sizeof *t);
    if (!t)
        return NULL;
    t->ctx = ctx;
    t->k = kernels_get();
    t->order = order;
    t->m = m;
    t->p = order->cut.all;
    t->edge = edge_of(t->p);
    t->blocks = (t->p + t->edge - 1) / t->edge;
    t->stride = t->blocks * t->edge;
    t->side = t->edge * TRI(m);
    size_t most = t->blocks * (t->blocks + 1) / 2, tri = TRI(m) * sizeof(double);
    t->tile = arena_alloc(keep, most, sizeof *t->tile);
    t->number = arena_alloc(keep, t->blocks, t->blocks * sizeof *t->number);
    t->local = arena_alloc(keep, t->p, sizeof *t->local);
    t->place = arena_alloc(keep, order->count, sizeof *t->place);
    t->table = arena_alloc(keep, t->p, t->stride * sizeof *t->table);
    t->octet = arena_alloc(keep, t->stride, tri);
    t->work = arena_alloc(keep, (size_t)parallel_threads(ctx), work_size(m) * sizeof *t->work);
    if (keep->failed)
        return NULL;
    list_tiles(t);
    find_places(t);
    t->sum = arena_alloc(keep, t->count, SIDES * t->side * sizeof *t->sum);
    return t;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

static const double *sample_of(const pair_tiles *t, size_t i)
{
    return t->S + t->local[i] * TRI(t->m);
}

static size_t end_of(const pair_tiles *t, size_t block)
{
    return smaller((block + 1) * t->edge, t->p);
}

static spd_status octet_chunk(void *user, size_t octet, int thread)
{
    pair_tiles *t = user;
    size_t first = octet * LANES, lanes = smaller(t->p - first, LANES);
    const double *in[LANES];
    (void)thread;
    for (size_t l = 0; l < lanes; l++)
        in[l] = sample_of(t, first + l);
    t->k->gather(TRI(t->m), lanes, in, t->octet + first * TRI(t->m));
    return SPD_OK;
}

/* A <- the factors of (S_i + S_j)/2 for the eight j from `first` on. */
static void factor(const pair_tiles *t, size_t i, size_t first, double *A, double *logdet)
{
    t->k->average(TRI(t->m), sample_of(t, i), t->octet + first * TRI(t->m), A);
    t->k->chol(t->m, A, logdet);
}

/* The first column of eight, from the block's on, that has pairs with row i. */
static size_t first_column(const pair_tiles *t, const tile *at, size_t i)
{
    size_t first = at->column * t->edge;
    return i < first ? first : (i + 1) / LANES * LANES;
}

static spd_status measure_chunk(void *user, size_t which, int thread)
{
    pair_tiles *t = user;
    const tile *at = &t->tile[which];
    size_t last = end_of(t, at->column);
    double *A = t->work + (size_t)thread * work_size(t->m);
    _Alignas(64) double middle[LANES];
    for (size_t i = at->row * t->edge; i < end_of(t, at->row); i++)
        for (size_t j = first_column(t, at, i); j < last; j += LANES) {
            double *d2 = t->table + i * t->stride + j;
            factor(t, i, j, A, middle);
            for (size_t l = 0; l < LANES && j + l < last; l++)
                d2[l] = middle[l] - 0.5 * (t->logdet[t->local[i]] + t->logdet[t->local[j + l]]);
        }
    return SPD_OK;
}

static spd_status weigh_chunk(void *user, size_t which, int thread)
{
    pair_tiles *t = user;
    const tile *at = &t->tile[which];
    size_t tri = TRI(t->m), last = end_of(t, at->column);
    double *A = t->work + (size_t)thread * work_size(t->m), *B = A + LANES * tri;
    double *own = B + LANES * tri, *row = t->sum + which * SIDES * t->side;
    double *column = row + t->side, *same[LANES];
    static const double ones[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    memset(row, 0, SIDES * t->side * sizeof *row);
    for (size_t i = at->row * t->edge; i < end_of(t, at->row); i++, row += tri) {
        memset(own, 0, LANES * tri * sizeof *own);
        for (size_t j = first_column(t, at, i); j < last; j += LANES) {
            factor(t, i, j, A, NULL);
            t->k->tri_inverse(t->m, A, B);
            t->k->tri_gram(t->m, B, A);
            t->k->share(tri, t->table + i * t->stride + j, A, own,
                        column + (j - at->column * t->edge) * tri);
        }
        for (size_t l = 0; l < LANES; l++)
            same[l] = row;
        t->k->scatter(tri, LANES, own, ones, same);
    }
    return SPD_OK;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static const double *sums_of(const pair_tiles *t, size_t row, size_t column, size_t side)
{
    return t->sum + (t->number[row * t->blocks + column] * SIDES + side) * t->side;
}

/* Z += the sums of the columns of a tile, an octet at a time. */
static void add_columns(const pair_tiles *t, size_t block, const double *sum, double *unread)
{
    static const double ones[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    const split *cut = &t->order->cut;
    size_t tri = TRI(t->m);
    double *to[LANES];
    for (size_t first = block * t->edge; first < end_of(t, block);
         first += LANES, sum += LANES * tri) {
        for (size_t l = 0; l < LANES; l++) {
            size_t i = first + l;
            to[l] = i >= cut->first && i < cut->last ? t->Z + (i - cut->first) * tri : unread;
        }
        t->k->scatter(tri, LANES, sum, ones, to);
    }
}

static void add_rows(const pair_tiles *t, size_t block, const double *sum)
{
    const split *cut = &t->order->cut;
    size_t tri = TRI(t->m);
    for (size_t i = block * t->edge; i < end_of(t, block); i++, sum += tri)
        if (i >= cut->first && i < cut->last)
            t->k->axpy(tri, 1.0, sum, t->Z + (i - cut->first) * tri);
}

/* A block of samples: what the tiles of its column and its row have summed, in order. */
static spd_status sum_chunk(void *user, size_t block, int thread)
{
    pair_tiles *t = user;
    double *unread = t->work + (size_t)thread * work_size(t->m);
    if (!holds_own(t, block))
        return SPD_OK;
    memset(unread, 0, TRI(t->m) * sizeof *unread);
    for (size_t other = 0; other <= block; other++)
        add_columns(t, block, sums_of(t, other, block, 1), unread);
    for (size_t other = block; other < t->blocks; other++)
        add_rows(t, block, sums_of(t, block, other, 0));
    return SPD_OK;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* For a little work threads are not woken. */
static spd_status loop(pair_tiles *t, size_t chunks, parallel_body body)
{
    spd_status status = SPD_OK;
    if ((double)(t->p * t->p) * (double)(t->m * t->m * t->m) > 4e5)
        return parallel_for(t->ctx, chunks, body, t, NULL, NULL, 0.0, NULL);
    for (size_t chunk = 0; chunk < chunks && status == SPD_OK; chunk++)
        status = body(t, chunk, 0);
    return status;
}

spd_status pair_tiles_measure(pair_tiles *t, const double *S, const double *logdet, double *d2)
{
    t->S = S;
    t->logdet = logdet;
    for (size_t octet = 0; octet * LANES < t->p; octet++)
        octet_chunk(t, octet, 0);
    spd_status status = loop(t, t->count, measure_chunk);
    for (size_t slot = 0; slot < t->order->count; slot++)
        d2[slot] = t->table[t->place[slot]];
    return status;
}

spd_status pair_tiles_weigh(pair_tiles *t, const double *weight, double *Z)
{
    t->Z = Z;
    memset(t->table, 0, t->p * t->stride * sizeof *t->table);
    for (size_t slot = 0; slot < t->order->count; slot++)
        t->table[t->place[slot]] = weight[slot];
    spd_status status = loop(t, t->count, weigh_chunk);
    return status < 0 ? status : loop(t, t->blocks, sum_chunk);
}
