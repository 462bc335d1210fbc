/* set.c - what a set is, its messages, and single samples. */
#include "sets/set.h"

#include <string.h>

#include "base/memory.h"
#include "base/sized.h"

spd_status set_take(spd_context *ctx, const char *name, const spd_set *given, spd_set *X)
{
    *X = (spd_set)SPD_STRUCT(spd_set);
    spd_status status = sized_take(ctx, "spd_set", sizeof *X, X, given);
    if (status < 0)
        return status;
    if (X->n == 0 || X->p == 0 || !(X->place == SPD_PLACE_FILES ? (const void *)X->files : X->X))
        return ctx_fail(ctx, SPD_EINVAL, "no matrices given: %s is empty", name);
    if ((X->type != SPD_TYPE_FLOAT64 && X->type != SPD_TYPE_FLOAT32) ||
        (unsigned)X->place > SPD_PLACE_DEVICE)
        return ctx_fail(ctx, SPD_EINVAL, "%s is neither of float64 nor of float32", name);
    if (X->place == SPD_PLACE_DEVICE && X->type != SPD_TYPE_FLOAT64)
        return ctx_fail(ctx, SPD_EINVAL, "%s: sets on a GPU are of float64", name);
    if (X->place == SPD_PLACE_DEVICE && ranks_of(ctx))
        return ctx_fail(ctx, SPD_EINVAL, "sets on a GPU are for one process");
    if (X->hermitian && X->n % 2)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%s: n = %zu: the real forms of complex matrices have even sizes", name,
                        X->n);
    return SPD_OK;
}

spd_status set_take_second(spd_context *ctx, const char *name, const spd_set *given,
                           const spd_set *X, spd_set *Y, const spd_set **there)
{
    *there = given ? Y : NULL;
    spd_status status = given ? set_take(ctx, name, given, Y) : SPD_OK;
    if (status < 0 || !given)
        return status;
    if (Y->n != X->n)
        return ctx_fail(ctx, SPD_EINVAL, "X holds %zu x %zu matrices, but %s holds %zu x %zu", X->n,
                        X->n, name, Y->n, Y->n);
    if (!Y->hermitian != !X->hermitian)
        return ctx_fail(ctx, SPD_EINVAL, "one of X and %s holds real matrices, the other complex",
                        name);
    int device = X->place == SPD_PLACE_DEVICE;
    if (device != (Y->place == SPD_PLACE_DEVICE) || (device && X->device != Y->device))
        return ctx_fail(ctx, SPD_EINVAL, "X and %s do not lie on the same device", name);
    return SPD_OK;
}

size_t set_sample_bytes(const spd_set *s)
{
    size_t width = s->type == SPD_TYPE_FLOAT32 ? sizeof(float) : sizeof(double);
    return s->n * s->n * (s->place == SPD_PLACE_FILES ? s->files->width : width);
}

/* ---- what went wrong ------------------------------------------------------------------------- */

spd_status set_fail(spd_context *ctx, const spd_set *s, spd_status status)
{
    struct spd_files *f = s->files;
    if (status != SPD_EIO || !f)
        return status;
    pthread_mutex_lock(&f->lock);
    if (f->noted)
        ctx_fail(ctx, status, "%s", f->note);
    f->noted = 0;
    pthread_mutex_unlock(&f->lock);
    return status;
}

spd_status set_locate(spd_context *ctx, const spd_set *s, spd_status status)
{
    char text[300] = "";
    if (status >= 0 || !ctx || ctx->error.index >= s->p || s->place != SPD_PLACE_FILES)
        return status;
    files_locate(s->files, ctx->error.index, text, sizeof text);
    ctx_append(ctx, "%s", text);
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

const double *set_there(const spd_set *s, size_t first, size_t count)
{
    size_t n2 = s->n * s->n;
    const double *X = set_doubles(s);
    const struct spd_files *f = s->files;
    if (X)
        return X + first * n2;
    int held = s->place == SPD_PLACE_FILES && f->held && first >= f->held_first &&
               first + count <= f->held_last;
    return held ? f->held + (first - f->held_first) * n2 : NULL;
}

spd_status set_read(const spd_set *s, size_t first, size_t count, double *X)
{
    size_t n2 = s->n * s->n;
    const double *there = set_there(s, first, count);
    struct spd_files *f = s->files;
    if (there) {
        memcpy(X, there, count * n2 * sizeof *X);
        return SPD_OK;
    }
    if (s->place == SPD_PLACE_HOST) {
        const float *from = (const float *)s->X + first * n2;
        for (size_t e = 0; e < count * n2; e++)
            X[e] = (double)from[e];
        return SPD_OK;
    }
    /* narrower ones lie at the end, and are widened from the front */
    char *raw = (char *)X + count * n2 * (sizeof *X - f->width);
    spd_status status = f->read(f, first, count, raw);
    if (status == SPD_OK && f->width < sizeof *X)
        files_widen(f, count, raw, X);
    if (status == SPD_OK && files_repairs(f))
        files_repair(f, count, X);
    return status;
}

const double *set_sample(const spd_set *s, size_t i, double *room)
{
    const double *there = set_there(s, i, 1);
    if (there)
        return there;
    return set_read(s, i, 1, room) == SPD_OK ? room : NULL;
}

/* ---- the public side ------------------------------------------------------------------------- */

void spd_set_free(spd_set *set)
{
    if (!set)
        return;
    if (set->place == SPD_PLACE_FILES)
        files_close(set->files);
    else
        mem_free((void *)(uintptr_t)set->X);
    mem_free(set);
}

double spd_set_bytes(const spd_set *set)
{
    return (double)set->p * (double)set_sample_bytes(set);
}
