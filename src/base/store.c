/* store.c - life of a store, its messages, and single samples. */
#include "base/store.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"

void store_lend(spd_store *s, size_t n, size_t p, const double *X)
{
    *s = (spd_store){.n = n, .p = p, .width = sizeof *X, .X = X};
    s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

size_t store_sample_bytes(const spd_store *s)
{
    return s->n * s->n * s->width;
}

double store_bytes(const spd_store *s)
{
    return (double)s->p * (double)s->n * (double)s->n * (double)s->width;
}

/* ---- what went wrong ------------------------------------------------------------------------- */

void store_note(const spd_store *s, const char *format, ...)
{
    spd_store *mine = (spd_store *)(uintptr_t)s;
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&mine->lock);
    if (!mine->noted)
        vsnprintf(mine->note, sizeof mine->note, format, args);
    mine->noted = 1;
    pthread_mutex_unlock(&mine->lock);
    va_end(args);
}

spd_status store_fail(spd_context *ctx, const spd_store *s, spd_status status)
{
    spd_store *mine = (spd_store *)(uintptr_t)s;
    if (status != SPD_EIO)
        return status;
    pthread_mutex_lock(&mine->lock);
    if (mine->noted)
        ctx_fail(ctx, status, "%s", mine->note);
    mine->noted = 0;
    pthread_mutex_unlock(&mine->lock);
    return status;
}

spd_status store_locate(spd_context *ctx, const spd_store *s, spd_status status)
{
    char text[300] = "";
    if (status >= 0 || !ctx || ctx->error.index >= s->p || !s->locate)
        return status;
    s->locate(s, ctx->error.index, text, sizeof text);
    ctx_append(ctx, "%s", text);
    return status;
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

static void lift(const spd_store *s, double *X)
{
    size_t n = s->n;
    double trace = 0.0;
    for (size_t r = 0; r < n; r++)
        trace += X[r * n + r];
    for (size_t r = 0; r < n; r++)
        X[r * n + r] += s->regularize * trace / (double)n + s->ridge;
}

int store_repairs(const spd_store *s)
{
    return s->symmetrize || s->regularize != 0.0 || s->ridge != 0.0;
}

void store_repair(const spd_store *s, size_t count, double *X)
{
    for (size_t i = 0; i < count; i++, X += s->n * s->n) {
        if (s->symmetrize)
            symmetrize(s->n, X);
        if (s->regularize != 0.0 || s->ridge != 0.0)
            lift(s, X);
    }
}

/* ---- samples --------------------------------------------------------------------------------- */

static void widen(size_t count, const float *from, double *to)
{
    for (size_t e = 0; e < count; e++) {
        float x = from[e];
        to[e] = (double)x;
    }
}

void store_widen(const spd_store *s, size_t count, const void *raw, double *X)
{
    if (s->is_complex)
        complex_expand(s->n / 2, s->n / 2, count, s->width < sizeof(float), raw, X);
    else
        widen(count * s->n * s->n, raw, X);
}

const double *store_there(const spd_store *s, size_t first, size_t count)
{
    size_t n2 = s->n * s->n;
    if (s->X && !store_repairs(s))
        return s->X + first * n2;
    int held = s->held && first >= s->held_first && first + count <= s->held_last;
    return held ? s->held + (first - s->held_first) * n2 : NULL;
}

spd_status store_read(const spd_store *s, size_t first, size_t count, double *X)
{
    size_t n2 = s->n * s->n;
    const double *there = store_there(s, first, count);
    spd_status status = SPD_OK;
    if (there) {
        memcpy(X, there, count * n2 * sizeof *X);
        return SPD_OK;
    }
    if (s->X) {
        memcpy(X, s->X + first * n2, count * n2 * sizeof *X);
    } else if (s->X32) {
        widen(count * n2, s->X32 + first * n2, X);
    } else if (s->width == sizeof *X) {
        status = s->read(s, first, count, X);
    } else { /* they lie at the end, and are widened from the front */
        char *raw = (char *)X + count * n2 * (sizeof *X - s->width);
        status = s->read(s, first, count, raw);
        if (status == SPD_OK)
            store_widen(s, count, raw, X);
    }
    if (status == SPD_OK && store_repairs(s))
        store_repair(s, count, X);
    return status;
}

const double *store_sample(const spd_store *s, size_t i, double *room)
{
    const double *there = store_there(s, i, 1);
    if (there)
        return there;
    return store_read(s, i, 1, room) == SPD_OK ? room : NULL;
}

/* ---- the public side ------------------------------------------------------------------------- */

static spd_status new_store(spd_context *ctx, size_t n, size_t p, spd_store **store)
{
    ctx_clear(ctx);
    if (!store || n == 0 || p == 0)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices cannot be stored");
    spd_store *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a set of matrices");
    store_lend(fresh, n, p, NULL);
    *store = fresh;
    return SPD_OK;
}

spd_status spd_store_lend(spd_context *ctx, size_t n, size_t p, const double *X, spd_store **store)
{
    spd_status status = new_store(ctx, n, X ? p : 0, store);
    if (status == SPD_OK)
        (*store)->X = X;
    return status;
}

spd_status spd_store_lend_float(spd_context *ctx, size_t n, size_t p, const float *X,
                                spd_store **store)
{
    spd_status status = new_store(ctx, n, X ? p : 0, store);
    if (status < 0)
        return status;
    (*store)->X32 = X;
    (*store)->width = sizeof *X;
    return SPD_OK;
}

void spd_store_free(spd_store *store)
{
    if (!store)
        return;
    if (store->close)
        store->close(store);
    pthread_mutex_destroy(&store->lock);
    mem_free(store->block);
    mem_free(store->held);
    mem_free(store);
}

size_t spd_store_n(const spd_store *store)
{
    return store->n;
}

size_t spd_store_p(const spd_store *store)
{
    return store->p;
}

double spd_store_bytes(const spd_store *store)
{
    return store_bytes(store);
}

int spd_store_hermitian(const spd_store *store)
{
    return store->is_complex;
}

spd_status spd_store_read(spd_context *ctx, const spd_store *store, size_t first, size_t count,
                          double *X)
{
    ctx_clear(ctx);
    if (!store || !X || first > store->p || count > store->p - first)
        return ctx_fail(ctx, SPD_EINVAL, "samples %zu to %zu of %zu cannot be read", first,
                        first + count, store ? store->p : 0);
    return store_fail(ctx, store, store_read(store, first, count, X));
}
