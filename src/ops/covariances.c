/* covariances.c - covariances of many recordings that have their channels in rows, as arrays of
 * signals do. Eight channels side by side make a panel (r x 8), in which they are centred, and a
 * panel times another one is a block of the scatter matrix; shrinkage.c does the rest. One whose
 * squares are very large or small, or that is no number, goes through covariance.c, which also says
 * what is wrong. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "run/blas.h"
#include "ops/covariance.h"
#include "run/parallel.h"
#include "ops/scale.h"
#include "linalg/kernels.h"

typedef struct recordings {
    const kernels *k;
    const spd_covariance_options *options;
    size_t p, n, r;
    const double *O; /* p x n x r */
    double *C;       /* p x n x n, apart from the caller's */
    double *work;    /* threads x work_of */
    size_t each;     /* recordings of a chunk */
} recordings;

#define LEAST_SQUARE 0x1p-900
#define MOST_SQUARE  0x1p900
#define CHUNK_COST   2e6 /* operations that are worth handing out */

static size_t panels_of(size_t n)
{
    return (n + LANES - 1) / LANES;
}

/* Panels, the scatter matrix, squares of columns, one block. */
static size_t work_of(size_t n, size_t r)
{
    size_t tail = (n * n + r + LANES - 1) / LANES * LANES;
    return panels_of(n) * r * LANES + tail + LANES * LANES;
}

/* The columns of Z (r x 8) less their means, which are taken of differences to the first entries.
 */
static void centre(size_t r, double *Z)
{
    double first[LANES], mean[LANES] = {0.0};
    memcpy(first, Z, sizeof first);
    for (size_t k = 0; k < r; k++)
        for (size_t l = 0; l < LANES; l++)
            mean[l] += Z[k * LANES + l] -= first[l];
    for (size_t l = 0; l < LANES; l++)
        mean[l] /= (double)r;
    for (size_t k = 0; k < r; k++)
        for (size_t l = 0; l < LANES; l++)
            Z[k * LANES + l] -= mean[l];
}

/* Z (panels x r x 8) <- the centred channels of O (n x r); what is beyond the last is zero. */
static void load_panels(const kernels *k, size_t n, size_t r, const double *O, double *Z)
{
    for (size_t first = 0; first < n; first += LANES, Z += r * LANES) {
        const double *channel[LANES];
        size_t count = n - first < LANES ? n - first : LANES;
        for (size_t l = 0; l < count; l++)
            channel[l] = O + (first + l) * r;
        k->gather(r, count, channel, Z);
        centre(r, Z);
        for (size_t e = 0; e < r * LANES && count < LANES; e++)
            if (e % LANES >= count)
                Z[e] = 0.0;
    }
}

/* S (n x n) <- Z'Z, both triangles. */
static void multiply(const kernels *k, size_t n, size_t r, const double *Z, double *S,
                     double *block)
{
    for (size_t I = 0; I < n; I += LANES)
        for (size_t J = 0; J <= I; J += LANES) {
            const double *A = Z + I * r, *B = Z + J * r;
            k->product(LANES, r, LANES, A, 1, LANES, B, block, A);
            for (size_t a = 0; a < LANES && I + a < n; a++)
                for (size_t b = 0; b < LANES && J + b <= I + a; b++)
                    S[(I + a) * n + J + b] = S[(J + b) * n + I + a] = block[a * LANES + b];
        }
}

/* sum_k |z_k|^4 over the columns z_k of the recording; square: r doubles. */
static double quartic(size_t n, size_t r, const double *Z, double *square)
{
    double sum = 0.0;
    memset(square, 0, r * sizeof *square);
    for (size_t first = 0; first < n; first += LANES)
        for (size_t k = 0; k < r; k++, Z += LANES)
            for (size_t l = 0; l < LANES; l++)
                square[k] += Z[l] * Z[l];
    for (size_t k = 0; k < r; k++)
        sum += square[k] * square[k];
    return sum;
}

/* 0 when the covariance of recording i is not to be had this way. */
static int one(const recordings *j, size_t i, double *work)
{
    size_t n = j->n, r = j->r;
    double *Z = work, *block = Z + panels_of(n) * r * LANES, *S = block + LANES * LANES;
    double *square = S + n * n, *C = j->C + i * n * n, largest = 0.0;
    scatter sums = {.r = r, .d = n, .S = S};
    load_panels(j->k, n, r, j->O + i * n * r, Z);
    multiply(j->k, n, r, Z, S, block);
    for (size_t c = 0; c < n; c++)
        largest = fmax(largest, S[c * (n + 1)]);
    if (!(largest > LEAST_SQUARE && largest < MOST_SQUARE))
        return 0;
    if (j->options->shrinkage == SPD_SHRINKAGE_LEDOIT_WOLF)
        sums.quartic = quartic(n, r, Z, square);
    shrinkage_apply(j->options, &sums, C);
    if (j->options->regularize > 0.0)
        spd_regularize(n, 1, C, j->options->regularize, 0.0);
    return isfinite(scale_largest(n * n, C));
}

static spd_status recordings_chunk(void *user, size_t chunk, int thread)
{
    const recordings *j = user;
    double *work = j->work + (size_t)thread * work_of(j->n, j->r);
    size_t last = (chunk + 1) * j->each < j->p ? (chunk + 1) * j->each : j->p;
    for (size_t i = chunk * j->each; i < last && !stop_wanted(); i++)
        if (!one(j, i, work))
            return SPD_ENUMERIC;
    return SPD_OK;
}

/* Recording i once more, with its observations in rows: the covariance, or what is wrong. */
static spd_status general(spd_context *ctx, const recordings *j, size_t i)
{
    size_t n = j->n, r = j->r;
    double *rows = mem_alloc(n, r * sizeof *rows);
    if (!rows)
        return ctx_nomem(ctx, "a covariance");
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < r; k++)
            rows[k * n + c] = j->O[(i * n + c) * r + k];
    const observations block = {r, n, rows};
    spd_status status = covariance_blocks(ctx, j->options, 1, &block, j->C + i * n * n);
    if (status < 0 && ctx) {
        ctx_append(ctx, " (recording %zu)", i);
        ctx->error.index = i;
    }
    mem_free(rows);
    return status;
}

/* All in parallel; where that fails, one after the other, so that the first at fault is found. */
static spd_status run(spd_context *ctx, recordings *j)
{
    double cost = (double)j->n * (double)j->n * (double)j->r;
    j->each = cost < CHUNK_COST ? (size_t)(CHUNK_COST / cost) + 1 : 1;
    spd_status status = parallel_for(ctx, (j->p + j->each - 1) / j->each, recordings_chunk, j,
                                     "covariances", "recordings", (double)j->p, NULL);
    if (status != SPD_ENUMERIC)
        return status;
    status = SPD_OK;
    for (size_t i = 0; i < j->p && status == SPD_OK; i++)
        status = general(ctx, j, i);
    return status;
}

spd_status spd_covariances(spd_context *ctx, size_t p, size_t n, size_t r, const double *O,
                           const spd_covariance_options *options, double *C)
{
    static const spd_covariance_options plain = {0};
    const observations block = {r, n, O};
    recordings j = {.k = kernels_get(), .p = p, .n = n, .r = r, .O = O};
    j.options = options ? options : &plain;
    ctx_clear(ctx);
    if (p == 0 || !O || !C)
        return ctx_fail(ctx, SPD_EINVAL, "covariances need recordings and an output array");
    if (j.options->W)
        return ctx_fail(ctx, SPD_EINVAL, "covariances of many recordings are not projected");
    spd_status status = covariance_check(ctx, j.options, 1, &block);
    if (status < 0)
        return status;
    j.C = mem_alloc(p, n * n * sizeof *C);
    j.work = mem_alloc((size_t)parallel_threads(ctx), work_of(n, r) * sizeof *j.work);
    status = j.C && j.work ? run(ctx, &j) : ctx_nomem(ctx, "covariances");
    if (status == SPD_OK && j.C)
        memcpy(C, j.C, p * n * n * sizeof *C);
    mem_free(j.C);
    mem_free(j.work);
    return status;
}
