/* npy_store.c - a store whose matrices stay in .npy files: one, or several one after the other.
 *
 * Each holds p_k x n x n (or one n x n) of float64 or float32, as the host stores them, in C order;
 * or complex128 or complex64, of which the real forms are read.
 * Ranges are read when they are asked for; a file that has changed since it was opened is refused
 * (source.h). */
#define _DEFAULT_SOURCE /* posix_fadvise */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "base/store.h"
#include "io/array.h"
#include "io/npy.h"

typedef struct shard {
    char *path;
    io_source *source;
    size_t from;  /* where its elements begin in the file */
    size_t first; /* number of its first sample in the set */
    size_t p;
} shard;

typedef struct shards {
    size_t count;
    shard *shard; /* count */
} shards;

/* ---- reading --------------------------------------------------------------------------------- */

/* The shard that holds sample i: the last that begins at or before it. */
static const shard *shard_of(const shards *all, size_t i)
{
    size_t low = 0, high = all->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (all->shard[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &all->shard[low];
}

static spd_status shards_read(const spd_store *s, size_t first, size_t count, void *raw)
{
    const shards *all = s->files;
    size_t each = s->n * s->n * s->width;
    char *to = raw;
    while (count > 0) {
        const shard *from = shard_of(all, first);
        size_t into = first - from->first, now = from->p - into < count ? from->p - into : count;
        spd_context own = {0}; /* for the message; the caller's belongs to another thread */
        if (source_read(&own, from->source, from->from + into * each, now * each, to) < 0) {
            store_note(s, "%.150s: %.140s", from->path, own.error.message);
            return SPD_EIO;
        }
        to += now * each;
        first += now;
        count -= now;
    }
    return SPD_OK;
}

static void shards_locate(const spd_store *s, size_t i, char *text, size_t size)
{
    const shards *all = s->files;
    const shard *at = shard_of(all, i);
    if (all->count > 1)
        snprintf(text, size, " (sample %zu of %.200s)", i - at->first, at->path);
}

static void shards_close(spd_store *s)
{
    shards *all = s->files;
    for (size_t k = 0; all && all->shard && k < all->count; k++) {
        source_free(all->shard[k].source);
        mem_free(all->shard[k].path);
    }
    if (all)
        mem_free(all->shard);
    mem_free(all);
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
static spd_status check_alike(spd_context *ctx, const spd_store *s, const npy_header *h)
{
    const shards *all = s->files;
    size_t n = h->shape[h->ndim - 1];
    if (is_complex(h) != s->is_complex)
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds %s numbers, but %.200s holds %s ones; the files of one set must be "
                        "alike",
                        is_complex(h) ? "complex" : "real", all->shard[0].path,
                        s->is_complex ? "complex" : "real");
    if (size_of(h) != s->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds %zu x %zu matrices, but %.200s holds %zu x %zu; the files of one "
                        "set must be alike",
                        n, n, all->shard[0].path, s->is_complex ? s->n / 2 : s->n,
                        s->is_complex ? s->n / 2 : s->n);
    if (width_of(h) != s->width)
        return ctx_fail(ctx, SPD_EINVAL,
                        "holds %s%zu, but %.200s holds %s%zu; the files of one set must be alike",
                        s->is_complex ? "complex" : "float", 8 * h->width, all->shard[0].path,
                        s->is_complex ? "complex" : "float",
                        8 * s->width * (s->is_complex ? 4 : 1));
    return SPD_OK;
}

static spd_status open_shard(spd_context *ctx, spd_store *s, const char *path, shard *fresh)
{
    npy_header h = {0};
    fresh->path = mem_text(path);
    if (!fresh->path)
        return ctx_nomem(ctx, "a file");
    spd_status status = source_open(ctx, path, &fresh->source);
    if (status == SPD_OK)
        status = npy_read_header(ctx, fresh->source, &h);
    if (status == SPD_OK)
        status = check_layout(ctx, &h);
    if (status == SPD_OK && s->n == 0) {
        s->n = size_of(&h);
        s->width = width_of(&h);
        s->is_complex = is_complex(&h);
    }
    if (status == SPD_OK)
        status = check_alike(ctx, s, &h);
    if (status < 0) {
        ctx_prefix(ctx, path);
        return status;
    }
    posix_fadvise(fresh->source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    fresh->from = h.data_from;
    fresh->first = s->p;
    fresh->p = h.ndim == 3 ? h.shape[0] : 1;
    s->p += fresh->p; /* no overflow: so many bytes are in files */
    return SPD_OK;
}

static spd_status check_options(spd_context *ctx, size_t count, const char *const *paths,
                                const spd_store_options *given, spd_store_options *o)
{
    spd_status status = sized_take(ctx, "spd_store_options", sizeof *o, o, given);
    if (status < 0)
        return status;
    if (count == 0 || !paths)
        return ctx_fail(ctx, SPD_EINVAL, "no files are given");
    if (!(o->regularize >= 0.0 && o->ridge >= 0.0))
        return ctx_fail(ctx, SPD_EINVAL, "what is added to the diagonal must not be negative");
    return SPD_OK;
}

spd_status spd_store_open(spd_context *ctx, size_t count, const char *const *paths,
                          const spd_store_options *options, spd_store **store)
{
    spd_store_options o = SPD_INIT(spd_store_options);
    ctx_clear(ctx);
    spd_status status = check_options(ctx, count, paths, options, &o);
    if (status < 0)
        return status;
    spd_store *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a set of matrices");
    store_lend(fresh, 0, 0, NULL);
    fresh->close = shards_close;
    fresh->read = shards_read;
    fresh->locate = shards_locate;
    fresh->symmetrize = o.symmetrize;
    fresh->regularize = o.regularize;
    fresh->ridge = o.ridge;
    shards *all = fresh->files = mem_zero(1, sizeof *all);
    if (!all || !(all->shard = mem_zero(count, sizeof *all->shard)))
        status = ctx_nomem(ctx, "a set of matrices");
    for (size_t k = 0; all && all->shard && k < count && status == SPD_OK; k++) {
        all->count = k + 1;
        status = open_shard(ctx, fresh, paths[k], &all->shard[k]);
    }
    if (status < 0)
        spd_store_free(fresh);
    else
        *store = fresh;
    return status;
}
