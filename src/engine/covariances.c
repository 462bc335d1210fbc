/* covariances.c - covariances of many recordings that have their channels in rows, as arrays of
 * signals do: each is centred in place of its own and multiplied with itself; shrinkage.c does the
 * rest. One whose squares are very large or small, or that is no number, goes through covariance.c,
 * which also says what is wrong. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "engine/blas.h"
#include "engine/covariance.h"
#include "engine/parallel.h"
#include "engine/scale.h"
#include "linalg/tall.h"

typedef struct recordings {
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

static size_t work_of(size_t n, size_t r)
{
    return (n * r + n * n + r + 7) / 8 * 8;
}

/* Z (n x r) <- O with every row less its mean, which is taken of differences to its first entry. */
static void centre(size_t n, size_t r, const double *O, double *Z)
{
    for (size_t c = 0; c < n; c++, O += r, Z += r) {
        double sum = 0.0, first = O[0];
        for (size_t k = 0; k < r; k++)
            sum += Z[k] = O[k] - first;
        double mean = sum / (double)r;
        for (size_t k = 0; k < r; k++)
            Z[k] -= mean;
    }
}

/* sum_k |z_k|^4 over the columns z_k of Z; square: r doubles. */
static double quartic(size_t n, size_t r, const double *Z, double *square)
{
    double sum = 0.0;
    memset(square, 0, r * sizeof *square);
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < r; k++)
            square[k] += Z[c * r + k] * Z[c * r + k];
    for (size_t k = 0; k < r; k++)
        sum += square[k] * square[k];
    return sum;
}

/* 0 when the covariance of recording i is not to be had this way. */
static int one(const recordings *j, size_t i, double *work)
{
    size_t n = j->n, r = j->r;
    double *Z = work, *S = Z + n * r, *square = S + n * n, *C = j->C + i * n * n, largest = 0.0;
    scatter sums = {.r = r, .d = n, .S = S};
    centre(n, r, j->O + i * n * r, Z);
    tall_gram_rows(n, r, Z, S);
    for (size_t c = 0; c < n; c++) {
        largest = fmax(largest, S[c * (n + 1)]);
        for (size_t d = 0; d < c; d++)
            S[d * n + c] = S[c * n + d];
    }
    if (!(largest > LEAST_SQUARE && largest < MOST_SQUARE))
        return 0;
    if (j->options->shrinkage == SPD_SHRINK_LEDOIT_WOLF)
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
    recordings j = {.options = options ? options : &plain, .p = p, .n = n, .r = r, .O = O};
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
