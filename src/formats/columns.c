/* columns.c - rows of arrays gathered into one, and columns of tables. */
#include "formats/columns.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* Values in a row: the product of the dimensions after the first. */
static size_t row_width(const spd_array *array)
{
    size_t width = 1;
    for (size_t d = 1; d < array->ndim; d++)
        width *= array->shape[d];
    return width;
}

int column_same(cell a, cell b)
{
    size_t width = row_width(a.array);
    for (size_t k = 0; k < width; k++) {
        size_t i = a.row * width + k, j = b.row * width + k;
        int same = a.array->type == SPD_TYPE_TEXT ? strcmp(a.array->text[i], b.array->text[j]) == 0
                   : a.array->type == SPD_TYPE_INT64 ? a.array->i64[i] == b.array->i64[j]
                                                     : a.array->f64[i] == b.array->f64[j];
        if (!same)
            return 0;
    }
    return 1;
}

/* The type that all rows can have; -1 when they do not go together. */
static int common_type(size_t p, const cell *cells)
{
    int type = -1;
    for (size_t i = 0; i < p; i++) {
        const spd_array *array = cells[i].array, *first = cells[0].array;
        if (!array || array->ndim < 1 || array->ndim != first->ndim ||
            (array->type == SPD_TYPE_TEXT) != (first->type == SPD_TYPE_TEXT) ||
            memcmp(array->shape + 1, first->shape + 1, (array->ndim - 1) * sizeof *array->shape))
            return -1;
        if (array->type != SPD_TYPE_INT64 || type < 0)
            type = (int)array->type;
    }
    return type;
}

/* *column <- so many texts, as they are but for bytes that are not UTF-8; new. */
static spd_status copy_texts(spd_context *ctx, size_t ndim, const size_t *shape, size_t count,
                             const char *const *texts, spd_array **column)
{
    size_t bytes = 0;
    char *pool;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 1;
    spd_status status = array_new_text(ctx, ndim, shape, bytes, column, &pool);
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        (*column)->text[i] = pool;
        pool += utf8_copy(texts[i], pool) + 1;
    }
    return status;
}

static spd_status gather_texts(spd_context *ctx, size_t ndim, const size_t *shape, size_t width,
                               const cell *cells, spd_array **column)
{
    const size_t count = shape[0] * width;
    const char **texts = mem_alloc(count, sizeof *texts);
    if (!texts)
        return ctx_nomem(ctx, "a column");
    for (size_t i = 0; i < count; i++)
        texts[i] = cells[i / width].array->text[cells[i / width].row * width + i % width];
    spd_status status = copy_texts(ctx, ndim, shape, count, texts, column);
    mem_free(texts);
    return status;
}

static spd_status gather_numbers(spd_context *ctx, spd_type type, size_t ndim, const size_t *shape,
                                 size_t width, const cell *cells, spd_array **column)
{
    spd_status status = array_new(ctx, type, ndim, shape, column);
    if (status < 0)
        return status;
    for (size_t i = 0; i < shape[0]; i++) {
        const spd_array *from = cells[i].array;
        for (size_t k = 0; k < width; k++) {
            size_t at = cells[i].row * width + k;
            if (type == SPD_TYPE_INT64)
                (*column)->i64[i * width + k] = from->i64[at];
            else
                (*column)->f64[i * width + k] =
                    from->type == SPD_TYPE_INT64 ? (double)from->i64[at] : from->f64[at];
        }
    }
    return SPD_OK;
}

/* Gives a new array its name and hands it over; frees it after a failure. */
static spd_status finish(spd_context *ctx, spd_status made, spd_array *fresh, const char *name,
                         spd_array **column)
{
    spd_status status = made < 0 ? made : array_rename(ctx, fresh, name);
    return array_hand_over(status, fresh, column);
}

spd_status column_gather(spd_context *ctx, const char *name, size_t p, const cell *cells,
                         spd_array **column)
{
    size_t shape[SPD_MAX_DIMS];
    int type = common_type(p, cells);
    spd_array *fresh = NULL;
    *column = NULL;
    if (type < 0)
        return SPD_OK;
    const spd_array *like = cells[0].array;
    size_t width = row_width(like);
    memcpy(shape, like->shape, sizeof shape);
    shape[0] = p;
    spd_status status =
        type == SPD_TYPE_TEXT
            ? gather_texts(ctx, like->ndim, shape, width, cells, &fresh)
            : gather_numbers(ctx, (spd_type)type, like->ndim, shape, width, cells, &fresh);
    return finish(ctx, status, fresh, name, column);
}

spd_status column_texts(spd_context *ctx, const char *name, size_t p, const char *const *texts,
                        spd_array **column)
{
    spd_array *fresh = NULL;
    spd_status status = copy_texts(ctx, 1, &p, p, texts, &fresh);
    return finish(ctx, status, fresh, name, column);
}

/* Reals that are all whole become integers, in place. */
static spd_status make_whole(spd_context *ctx, spd_array **column)
{
    spd_array *from = *column, *whole;
    for (size_t i = 0; i < from->count; i++)
        if (!(fabs(from->f64[i]) < 0x1p53 && from->f64[i] == floor(from->f64[i])))
            return SPD_OK;
    spd_status status = array_new(ctx, SPD_TYPE_INT64, from->ndim, from->shape, &whole);
    if (status < 0)
        return status;
    for (size_t i = 0; i < from->count; i++)
        whole->i64[i] = (int64_t)from->f64[i];
    spd_array_free(from);
    *column = whole;
    return SPD_OK;
}

static spd_status table_numbers(spd_context *ctx, const csv_table *table, size_t at,
                                spd_array **column)
{
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, 1, &table->rows, column);
    if (status == SPD_OK)
        status = csv_numbers(ctx, table, at, 1, (*column)->f64);
    return status < 0 ? status : make_whole(ctx, column);
}

spd_status column_of_table(spd_context *ctx, const csv_table *table, size_t at, int as_texts,
                           const char *name, spd_array **column)
{
    spd_array *fresh = NULL;
    spd_status status =
        as_texts ? csv_texts(ctx, table, at, &fresh) : table_numbers(ctx, table, at, &fresh);
    return finish(ctx, status, fresh, name, column);
}
