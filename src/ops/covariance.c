/* covariance.c - mean and scatter in one pass over blocks of rows; see covariance.h. */
#include "ops/covariance.h"

#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "run/parallel.h"
#include "ops/scale.h"
#include "linalg/tall.h"
#include "linalg/dense.h"

#define BLOCK_ROWS   256       /* rows that are centred and multiplied at once */
#define CHUNK_ROWS   2048      /* least rows worth a partial sum of their own */
#define MOST_CHUNKS  32        /* partial sums at most, and */
#define MOST_PARTIAL (1 << 24) /* numbers in all of them */

/* Squares below this may have lost digits, which matters where the observations are small. */
#define LEAST_SQUARE 0x1p-1000
#define SMALL_ENTRY  0x1p-400

/* One pass: chunks of rows, each with sums of its own. */
typedef struct pass {
    const observations *o;
    size_t d;        /* dimensions of the sums */
    const double *W; /* n x d, or NULL */
    size_t chunks;
    scatter *part;       /* chunks */
    double **room;       /* per thread: BLOCK_ROWS x (n + d) */
    const double *mean;  /* d: second pass, what the quartic sums are about */
    double unit;         /* and what the rows are divided by */
    const double *first; /* n: the row that all are relative to */
} pass;

/* Depends on the problem alone, never on the number of threads. */
static size_t count_chunks(size_t r, size_t d)
{
    size_t rows = 4 * d > CHUNK_ROWS ? 4 * d : CHUNK_ROWS;
    size_t chunks = r / rows, most = MOST_PARTIAL / (d * d);
    if (chunks > MOST_CHUNKS)
        chunks = MOST_CHUNKS;
    if (chunks > most)
        chunks = most;
    return chunks ? chunks : 1;
}

static size_t chunk_start(const pass *p, size_t chunk)
{
    return p->o->r / p->chunks * chunk + p->o->r % p->chunks * chunk / p->chunks;
}

/* Rows from .. from+rows-1 (at most BLOCK_ROWS) less the first row, projected: rows x d, in room.
 */
static double *load_rows(const pass *p, size_t from, size_t rows, double *room)
{
    size_t n = p->o->n;
    for (size_t k = 0; k < rows; k++) {
        const double *row = p->o->O + (from + k) * n;
        for (size_t c = 0; c < n; c++)
            room[k * n + c] = row[c] - p->first[c];
    }
    if (!p->W)
        return room;
    double *projected = room + BLOCK_ROWS * n;
    tall_product(rows, n, p->d, room, p->W, projected);
    return projected;
}

/* mean (d) <- of the rows of B (rows x d), which are then centred on it. */
static void centre_rows(size_t rows, size_t d, double *B, double *mean)
{
    memset(mean, 0, d * sizeof *mean);
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < d; c++)
            mean[c] += B[k * d + c];
    for (size_t c = 0; c < d; c++)
        mean[c] /= (double)rows;
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < d; c++)
            B[k * d + c] -= mean[c];
}

/* Makes the mean of `sums` that of both, and adds a b/(a + b) dd' to the lower triangle of S. gap
 * (d) holds the other mean and is destroyed. */
static void join_means(scatter *sums, size_t rows, double *gap)
{
    size_t d = sums->d;
    double a = (double)sums->r, b = (double)rows;
    for (size_t c = 0; c < d; c++) {
        gap[c] -= sums->mean[c];
        sums->mean[c] += gap[c] * (b / (a + b));
    }
    for (size_t i = 0; i < d; i++) {
        double factor = gap[i] * (a * b / (a + b));
        for (size_t j = 0; j <= i; j++)
            sums->S[i * d + j] += factor * gap[j];
    }
    sums->r += rows;
}

static spd_status sum_chunk(void *user, size_t chunk, int thread)
{
    pass *p = user;
    scatter *sums = &p->part[chunk];
    double *room = p->room[thread], *gap = room + BLOCK_ROWS * (p->o->n + p->d);
    size_t end = chunk_start(p, chunk + 1), rows;
    for (size_t from = chunk_start(p, chunk); from < end && !stop_wanted(); from += rows) {
        rows = end - from < BLOCK_ROWS ? end - from : BLOCK_ROWS;
        double *B = load_rows(p, from, rows, room);
        centre_rows(rows, p->d, B, gap);
        tall_add_gram(rows, p->d, B, sums->S);
        join_means(sums, rows, gap);
    }
    return SPD_OK;
}

/* Quartic sums about the mean that the first pass found. */
static spd_status sum_quartic(void *user, size_t chunk, int thread)
{
    pass *p = user;
    double sum = 0.0;
    size_t end = chunk_start(p, chunk + 1), rows;
    for (size_t from = chunk_start(p, chunk); from < end; from += rows) {
        rows = end - from < BLOCK_ROWS ? end - from : BLOCK_ROWS;
        const double *B = load_rows(p, from, rows, p->room[thread]);
        for (size_t k = 0; k < rows; k++) {
            double square = 0.0;
            for (size_t c = 0; c < p->d; c++) {
                double gap = (B[k * p->d + c] - p->mean[c]) / p->unit;
                square += gap * gap;
            }
            sum += square * square;
        }
    }
    p->part[chunk].quartic = sum;
    return SPD_OK;
}

/* Adds the others to the first part, in order. */
static void join_parts(pass *p)
{
    scatter *sums = &p->part[0];
    for (size_t chunk = 1; chunk < p->chunks; chunk++) {
        scatter *other = &p->part[chunk];
        for (size_t e = 0; e < p->d * p->d; e++)
            sums->S[e] += other->S[e];
        join_means(sums, other->r, other->mean);
    }
    dense_mirror(p->d, sums->S);
}

/* SPD_ENOTFINITE with the first entry that is no number, if there is one. */
static spd_status check_finite(spd_context *ctx, const observations *o, const scatter *sums)
{
    int good = 1;
    for (size_t e = 0; e < sums->d * sums->d && good; e++)
        good = isfinite(sums->S[e]);
    if (good)
        return SPD_OK;
    for (size_t e = 0; e < o->r * o->n; e++)
        if (!isfinite(o->O[e]))
            return ctx_fail_at(ctx, SPD_ENOTFINITE, e / o->n, o->O[e],
                               "row %zu, column %zu of the observations is %g; remove such rows",
                               e / o->n, e % o->n, o->O[e]);
    return ctx_fail(ctx, SPD_ENUMERIC, "the observations are too large: their squares overflow");
}

/* The largest entry of S, which is on the diagonal. */
static double largest_square(const scatter *sums)
{
    double largest = 0.0;
    for (size_t i = 0; i < sums->d; i++)
        largest = fmax(largest, sums->S[i * (sums->d + 1)]);
    return largest;
}

/* Rows that differ, with squares that are too small for numbers? A column that is small beside
 * others is no matter. */
static spd_status check_lost(spd_context *ctx, const observations *o, const scatter *sums)
{
    if (largest_square(sums) >= LEAST_SQUARE)
        return SPD_OK;
    for (size_t e = o->n; e < o->r * o->n; e++)
        if (o->O[e] != o->O[e % o->n] && fabs(o->O[e]) < SMALL_ENTRY)
            return ctx_fail(ctx, SPD_ENUMERIC,
                            "the observations are too small, with differences such as %.2g: their "
                            "squares leave the range of numbers; multiply all of them by a "
                            "constant",
                            o->O[e] - o->O[e % o->n]);
    return SPD_OK;
}

static void make_room(pass *p, int threads, arena *keep)
{
    size_t d = p->d, numbers = BLOCK_ROWS * (p->o->n + d) + d;
    p->part = arena_zero(keep, p->chunks, sizeof *p->part);
    p->room = arena_zero(keep, (size_t)threads, sizeof *p->room);
    for (size_t i = 0; p->part && i < p->chunks; i++)
        p->part[i] = (scatter){.d = d,
                               .mean = arena_zero(keep, d, sizeof(double)),
                               .S = arena_zero(keep, d * d, sizeof(double))};
    for (int t = 0; p->room && t < threads; t++)
        p->room[t] = arena_alloc(keep, numbers, sizeof(double));
}

spd_status scatter_new(spd_context *ctx, const observations *o, size_t m, const double *W,
                       int with_quartic, arena *keep, scatter *sums)
{
    pass p = {.o = o, .d = W ? m : o->n, .W = W, .first = o->O};
    p.chunks = count_chunks(o->r, p.d);
    int threads = p.chunks > 1 ? parallel_threads(ctx) : 1;
    make_room(&p, threads, keep);
    spd_status status = arena_status(keep, ctx, "sums of a covariance");
    if (status == SPD_OK)
        status = parallel_for(ctx, p.chunks, sum_chunk, &p, "covariance", "observations",
                              (double)o->r, NULL);
    if (status == SPD_OK) {
        join_parts(&p);
        status = check_finite(ctx, o, &p.part[0]);
    }
    if (status == SPD_OK)
        status = check_lost(ctx, o, &p.part[0]);
    if (status == SPD_OK)
        p.part[0].exponent = scale_exponent(largest_square(&p.part[0]), SCALE_USUAL);
    if (status == SPD_OK && with_quartic) {
        p.mean = p.part[0].mean;
        p.unit = ldexp(1.0, p.part[0].exponent / 2);
        status = parallel_for(ctx, p.chunks, sum_quartic, &p, "covariance", "observations",
                              (double)o->r, NULL);
        for (size_t i = 1; i < p.chunks; i++)
            p.part[0].quartic += p.part[i].quartic;
    }
    if (status == SPD_OK)
        *sums = p.part[0];
    return status;
}
