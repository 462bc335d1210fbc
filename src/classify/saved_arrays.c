/* saved_arrays.c - named arrays of a trained classifier, saved or loaded. */
#include "classify/saved_arrays.h"

#include <string.h>

int saved_taking(const saved_arrays *s)
{
    return s->find != NULL;
}

void *saved_block(saved_arrays *s, void **at, size_t size)
{
    if (s->status != SPD_OK)
        return NULL;
    if (saved_taking(s)) {
        *at = arena_zero(s->room, 1, size);
        if (!*at)
            s->status = ctx_nomem(s->ctx, "a trained method");
    }
    return *at;
}

void saved_refuse(saved_arrays *s, const char *name, const char *what)
{
    if (s->status == SPD_OK)
        s->status = ctx_fail(s->ctx, SPD_EFORMAT, "%s: %s", name, what);
}

static void put(saved_arrays *s, const char *name, spd_type type, size_t rows, size_t columns,
                void *values)
{
    if (s->status == SPD_OK && s->count == SAVED_ROOM)
        s->status = ctx_fail(s->ctx, SPD_EINVAL, "%s: has no place in the file", name);
    if (s->status == SPD_OK)
        s->item[s->count++] = (saved_item){name, type, rows, columns, values};
}

/* The array of that name; NULL after a fault. */
static const spd_array *take(saved_arrays *s, const char *name, spd_type type, size_t rows,
                             size_t columns)
{
    const spd_array *array = NULL;
    if (s->status == SPD_OK)
        s->status = s->find(s->user, name, type, rows, columns, &array);
    return s->status == SPD_OK ? array : NULL;
}

/* A new block; NULL after a fault. */
static void *make(saved_arrays *s, size_t count, size_t size)
{
    void *block = s->status == SPD_OK ? arena_alloc(s->room, count, size) : NULL;
    if (!block && s->status == SPD_OK)
        s->status = ctx_nomem(s->ctx, "a trained method");
    return block;
}

void saved_reals(saved_arrays *s, const char *name, size_t rows, size_t columns, double **values)
{
    int empty = rows == 0 || columns == 0;
    if (!saved_taking(s)) {
        if (!empty)
            put(s, name, SPD_TYPE_FLOAT64, rows, columns, *values);
        return;
    }
    const spd_array *array = empty ? NULL : take(s, name, SPD_TYPE_FLOAT64, rows, columns);
    *values = make(s, array ? array->count : 1, sizeof **values);
    if (*values && array)
        memcpy(*values, array->f64, array->count * sizeof **values);
}

void saved_reals_if_any(saved_arrays *s, const char *name, size_t rows, size_t columns,
                        double **values)
{
    if (s->status != SPD_OK || (!saved_taking(s) && !*values))
        return;
    saved_reals(s, name, rows, columns, values);
    if (s->status == SPD_EFORMAT) {
        s->status = SPD_OK;
        ctx_clear(s->ctx);
    }
}

/* The lower triangle of M (size x size), row after row: there, or back into both. */
static void copy_triangle(size_t size, int back, double *M, double *triangle)
{
    for (size_t r = 0; r < size; r++)
        for (size_t c = 0; c <= r; c++, triangle++)
            if (back)
                M[r * size + c] = M[c * size + r] = *triangle;
            else
                *triangle = M[r * size + c];
}

void saved_symmetric(saved_arrays *s, const char *name, size_t size, double **values)
{
    size_t count = size * (size + 1) / 2;
    double *triangle = saved_taking(s) ? NULL : make(s, count, sizeof *triangle);
    if (triangle)
        copy_triangle(size, 0, *values, triangle);
    saved_reals(s, name, count, 1, &triangle);
    if (s->status != SPD_OK || !saved_taking(s))
        return;
    *values = make(s, size, size * sizeof **values);
    if (*values)
        copy_triangle(size, 1, *values, triangle);
}

void saved_real(saved_arrays *s, const char *name, double *value)
{
    double *values = saved_taking(s) ? NULL : make(s, 1, sizeof *values);
    if (values)
        *values = *value;
    saved_reals(s, name, 1, 1, &values);
    if (s->status == SPD_OK && saved_taking(s))
        *value = *values;
}

void saved_size(saved_arrays *s, const char *name, size_t least, size_t most, size_t *value)
{
    if (!saved_taking(s)) {
        int64_t *number = make(s, 1, sizeof *number);
        if (number)
            *number = (int64_t)*value;
        put(s, name, SPD_TYPE_INT64, 1, 1, number);
        return;
    }
    const spd_array *array = take(s, name, SPD_TYPE_INT64, 1, 1);
    if (!array)
        return;
    if (array->i64[0] < 0 || (uint64_t)array->i64[0] < least || (uint64_t)array->i64[0] > most)
        saved_refuse(s, name, "is out of range");
    else
        *value = (size_t)array->i64[0];
}

static void put_labels(saved_arrays *s, const char *name, size_t count, const int *label)
{
    int64_t *number = make(s, count, sizeof *number);
    for (size_t i = 0; number && i < count; i++)
        number[i] = label[i];
    put(s, name, SPD_TYPE_INT64, count, 1, number);
}

void saved_labels(saved_arrays *s, const char *name, size_t count, size_t classes,
                  const int **label)
{
    if (!saved_taking(s)) {
        put_labels(s, name, count, *label);
        return;
    }
    const spd_array *array = take(s, name, SPD_TYPE_INT64, count, 1);
    int *fresh = make(s, count, sizeof *fresh);
    for (size_t i = 0; array && fresh && i < count; i++) {
        if (array->i64[i] < 0 || (uint64_t)array->i64[i] >= classes)
            saved_refuse(s, name, "a sample has a class that does not exist");
        fresh[i] = s->status == SPD_OK ? (int)array->i64[i] : 0;
    }
    *label = fresh;
}
