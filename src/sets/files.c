/* files.c - sets whose matrices stay in .npy files: one, or several one after the other.
 *
 * Each holds p_k x n x n (or one n x n) of float64 or float32, as the host stores them, in C order;
 * or complex128 or complex64, of which the real forms are read.
 * Ranges are read when they are asked for; a file that has changed since it was opened is refused
 * (source.h). */
#define _DEFAULT_SOURCE /* posix_fadvise */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/array.h"
#include "io/npy.h"
#include "sets/set.h"

typedef struct shard {
    char *path;
    io_source *source;
    size_t from;  /* where its elements begin in the file */
    size_t first; /* number of its first sample in the set */
    size_t p;
} shard;

/* ---- reading --------------------------------------------------------------------------------- */

/* The shard that holds sample i: the last that begins at or before it. */
static const shard *shard_of(const struct spd_files *f, size_t i)
{
    size_t low = 0, high = f->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->shard[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &f->shard[low];
}

/* Keeps the first of several notes. */
static void note(struct spd_files *f, const char *path, const char *message)
{
    pthread_mutex_lock(&f->lock);
    if (!f->noted)
        snprintf(f->note, sizeof f->note, "%.150s: %.140s", path, message);
    f->noted = 1;
    pthread_mutex_unlock(&f->lock);
}

static spd_status read_shards(struct spd_files *f, size_t first, size_t count, void *raw)
{
    size_t each = f->n * f->n * f->width;
    char *to = raw;
    while (count > 0) {
        const shard *from = shard_of(f, first);
        size_t into = first - from->first, now = from->p - into < count ? from->p - into : count;
        spd_context own = {0}; /* for the message; the caller's belongs to another thread */
        if (source_read(&own, from->source, from->from + into * each, now * each, to) < 0) {
            note(f, from->path, own.error.message);
            return SPD_EIO;
        }
        to += now * each;
        first += now;
        count -= now;
    }
    return SPD_OK;
}

void files_locate(const struct spd_files *f, size_t i, char *text, size_t size)
{
    const shard *at = shard_of(f, i);
    if (f->count > 1)
        snprintf(text, size, " (sample %zu of %.200s)", i - at->first, at->path);
}

void files_close(struct spd_files *f)
{
    for (size_t k = 0; f->shard && k < f->count; k++) {
        source_free(f->shard[k].source);
        mem_free(f->shard[k].path);
    }
    pthread_mutex_destroy(&f->lock);
    mem_free(f->shard);
    mem_free(f->held);
    mem_free(f);
}

void files_widen(const struct spd_files *f, size_t count, const void *raw, double *X)
{
    const float *from = raw;
    if (f->is_complex)
        complex_expand(f->n / 2, f->n / 2, count, f->width < sizeof(float), raw, X);
    else
        for (size_t e = 0; e < count * f->n * f->n; e++) {
            float x = from[e]; /* before it is overwritten */
            X[e] = (double)x;
        }
}

/* ---- repairs --------------------------------------------------------------------------------- */

static void symmetrize(size_t n, double *X)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < r; c++) {
            double sum = X[r * n + c] + X[c * n + r];
            sum = isinf(sum) ? 0.5 * X[r * n + c] + 0.5 * X[c * n + r] : 0.5 * sum;
            X[r * n + c] = X[c * n + r] = sum;
        }
}

static void lift(const struct spd_files *f, double *X)
{
    size_t n = f->n;
    double trace = 0.0;
    for (size_t r = 0; r < n; r++)
        trace += X[r * n + r];
    for (size_t r = 0; r < n; r++)
        X[r * n + r] += f->repairs.regularize * trace / (double)n;
}

static int lifts(const struct spd_files *f)
{
    return f->repairs.regularize != 0.0;
}

int files_repairs(const struct spd_files *f)
{
    return f->repairs.symmetrize || lifts(f);
}

void files_repair(const struct spd_files *f, size_t count, double *X)
{
    for (size_t i = 0; i < count; i++, X += f->n * f->n) {
        if (f->repairs.symmetrize)
            symmetrize(f->n, X);
        if (lifts(f))
            lift(f, X);
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Complex matrices are seen as their real forms: twice as large, and of each number there are four.
 */
static int is_complex(const npy_header *h)
{
    return h->kind == 'c';
}

static size_t size_of(const npy_header *h)
{
    return h->shape[h->ndim - 1] * (is_complex(h) ? 2 : 1);
}

static size_t width_of(const npy_header *h)
{
    return is_complex(h) ? h->width / 4 : h->width;
}

/* Can samples be used as they lie in the file? */
static spd_status check_layout(spd_context *ctx, const npy_header *h)
{
    char text[80];
    array_shape_text(h->ndim, h->shape, text, sizeof text);
    if ((h->ndim != 2 && h->ndim != 3) || h->shape[h->ndim - 1] != h->shape[h->ndim - 2] ||
        h->count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "is %s; square matrices p x n x n are expected", text);
    int real = h->kind == 'f' && (h->width == 8 || h->width == 4);
    if ((!real && h->kind != 'c') || h->swap || (h->fortran && (h->ndim > 2 || !real)))
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds '%s'%s; what is read piece by piece must be float64, float32, "
                        "complex128 or complex64 in C order: save numpy.ascontiguousarray(X, "
                        "dtype=float)",
                        h->descr, h->fortran ? " in Fortran order" : "");
    return SPD_OK;
}

/* All shards are like the first. */
static spd_status check_alike(spd_context *ctx, const struct spd_files *f, const npy_header *h)
{
    size_t n = h->shape[h->ndim - 1], own = f->is_complex ? f->n / 2 : f->n;
    const char *first = f->shard[0].path;
    if (is_complex(h) != f->is_complex)
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds %s numbers, but %.200s holds %s ones; the files of one set must be "
                        "alike",
                        is_complex(h) ? "complex" : "real", first,
                        f->is_complex ? "complex" : "real");
    if (size_of(h) != f->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds %zu x %zu matrices, but %.200s holds %zu x %zu; the files of one "
                        "set must be alike",
                        n, n, first, own, own);
    if (width_of(h) != f->width)
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds %s%zu, but %.200s holds %s%zu; the files of one set must be alike",
                        f->is_complex ? "complex" : "float", 8 * h->width, first,
                        f->is_complex ? "complex" : "float",
                        8 * f->width * (f->is_complex ? 4 : 1));
    return SPD_OK;
}

/* *p samples are in the shards before; this one is added. */
static spd_status open_shard(spd_context *ctx, struct spd_files *f, const char *path, size_t *p)
{
    npy_header h = {0};
    shard *fresh = &f->shard[f->count++];
    fresh->path = mem_text(path);
    if (!fresh->path)
        return ctx_nomem(ctx, "a file");
    spd_status status = source_open(ctx, path, &fresh->source);
    if (status == SPD_OK)
        status = npy_read_header(ctx, fresh->source, &h);
    if (status == SPD_OK)
        status = check_layout(ctx, &h);
    if (status == SPD_OK && f->n == 0) {
        f->n = size_of(&h);
        f->width = width_of(&h);
        f->is_complex = is_complex(&h);
    }
    if (status == SPD_OK)
        status = check_alike(ctx, f, &h);
    if (status < 0) {
        ctx_prefix(ctx, path);
        return status;
    }
    posix_fadvise(fresh->source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    fresh->from = h.data_from;
    fresh->first = *p;
    fresh->p = h.ndim == 3 ? h.shape[0] : 1;
    *p += fresh->p; /* no overflow: so many bytes are in files */
    return SPD_OK;
}

static spd_status check_options(spd_context *ctx, size_t count, const char *const *paths,
                                const spd_set_options *given, spd_set_options *o)
{
    spd_status status = sized_take(ctx, "spd_set_options", sizeof *o, o, given);
    if (status < 0)
        return status;
    if (count == 0 || !paths)
        return ctx_fail(ctx, SPD_EINVAL, "no files are given");
    if (!(o->regularize >= 0.0))
        return ctx_fail(ctx, SPD_EINVAL, "what is added to the diagonal must not be negative");
    return SPD_OK;
}

spd_status spd_set_open(spd_context *ctx, size_t count, const char *const *paths,
                        const spd_set_options *options, spd_set **set)
{
    spd_set_options o = SPD_STRUCT(spd_set_options);
    ctx_clear(ctx);
    spd_status status = check_options(ctx, count, paths, options, &o);
    if (status < 0)
        return status;
    spd_set *fresh = mem_zero(1, sizeof *fresh);
    struct spd_files *f = mem_zero(1, sizeof *f);
    shard *shards = mem_zero(count, sizeof *shards);
    if (!fresh || !f || !shards) {
        mem_free(fresh);
        mem_free(f);
        mem_free(shards);
        return ctx_nomem(ctx, "a set of matrices");
    }
    *f = (struct spd_files){.read = read_shards, .shard = shards, .repairs = o};
    pthread_mutex_init(&f->lock, NULL);
    *fresh = (spd_set){.size = sizeof *fresh, .place = SPD_PLACE_FILES, .files = f};
    for (size_t k = 0; k < count && status == SPD_OK; k++)
        status = open_shard(ctx, f, paths[k], &fresh->p);
    fresh->n = f->n;
    fresh->type = f->width < (f->is_complex ? sizeof(float) : sizeof(double)) ? SPD_TYPE_FLOAT32
                                                                              : SPD_TYPE_FLOAT64;
    fresh->hermitian = f->is_complex;
    if (status < 0)
        spd_set_free(fresh);
    else
        *set = fresh;
    return status;
}
