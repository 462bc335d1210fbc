/* growing.c - rows come by substitution and go by rotations. */
#include "linalg/growing.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/lapack_calls.h"

spd_status growing_room(growing *f, size_t room)
{
    size_t square;
    if (room <= f->room)
        return SPD_OK;
    if (room <= f->most) {
        for (size_t r = f->n; r-- > 0;)
            memmove(f->U + r * room + r, f->U + r * f->room + r, (f->n - r) * sizeof *f->U);
        f->room = room;
        return SPD_OK;
    }
    double *U = mem_mul(room, room, &square) ? NULL : mem_alloc(square, sizeof *U);
    double *scratch = U ? mem_alloc(room, sizeof *scratch) : NULL;
    if (!U || !scratch) {
        mem_free(U);
        mem_free(scratch);
        return SPD_ENOMEM;
    }
    for (size_t r = 0; r < f->n; r++)
        memcpy(U + r * room + r, f->U + r * f->room + r, (f->n - r) * sizeof *U);
    mem_free(f->U);
    mem_free(f->scratch);
    *f = (growing){.room = room, .n = f->n, .U = U, .scratch = scratch, .most = room};
    return SPD_OK;
}

void growing_free(growing *f)
{
    mem_free(f->U);
    mem_free(f->scratch);
    *f = (growing){0};
}

void growing_clear(growing *f)
{
    f->n = 0;
    f->room = 0;
}

/* LAPACK is column-major: its lower triangle is the upper one here. */
int growing_make(growing *f, size_t n)
{
    lapack_int size = (lapack_int)n, stride = (lapack_int)f->room, info;
    LAPACK_dpotrf("L", &size, f->U, &stride, &info);
    for (size_t r = 0; r < n && info == 0; r++) /* NaN passes in some builds */
        info = !(f->U[r * (f->room + 1)] > 0.0);
    f->n = info == 0 ? n : 0;
    return info != 0;
}

/* b <- U'^-1 b */
static void forwards(const growing *f, double *b)
{
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)f->n, f->U, (int)f->room,
                b, 1);
}

int growing_append(growing *f, double *a)
{
    size_t n = f->n;
    double pivot = a[n];
    forwards(f, a);
    for (size_t r = 0; r < n; r++)
        pivot -= a[r] * a[r];
    if (!(pivot > 0.0))
        return 1;
    for (size_t r = 0; r < n; r++)
        f->U[r * f->room + n] = a[r];
    f->U[n * (f->room + 1)] = sqrt(pivot);
    f->n++;
    return 0;
}

/* U (rows first .. n-1) <- the factor of U'U + x x'; x holds entries first .. n-1 and is
 * destroyed. */
static void add_square(growing *f, size_t first, double *x)
{
    for (size_t r = first; r < f->n; r++) {
        double *row = f->U + r * f->room;
        double length = hypot(row[r], x[r]), c = row[r] / length, s = x[r] / length;
        row[r] = length;
        cblas_drot((int)(f->n - r - 1), row + r + 1, 1, x + r + 1, 1, c, s);
    }
}

void growing_remove(growing *f, size_t r)
{
    size_t behind = --f->n - r;
    double *x = f->scratch;
    memcpy(x + r, f->U + r * (f->room + 1) + 1, behind * sizeof *x);
    for (size_t i = 0; i < r; i++)
        memmove(f->U + i * f->room + r, f->U + i * f->room + r + 1, behind * sizeof *x);
    for (size_t i = r; i < f->n; i++)
        memcpy(f->U + i * (f->room + 1), f->U + (i + 1) * (f->room + 1), (f->n - i) * sizeof *x);
    add_square(f, r, x);
}

void growing_solve(const growing *f, double *b)
{
    forwards(f, b);
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)f->n, f->U,
                (int)f->room, b, 1);
}
