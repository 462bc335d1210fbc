/* mat_text.c - char matrices and cell arrays of MATLAB as text arrays.
 *
 * matio hands out the units as they are in the file: bytes of UTF-8 (then dimensions count code
 * points), Latin-1, or UTF-16. They are spread to one number per character first. */
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "formats/mat.h"
#include "io/text.h"

/* The characters of a char matrix, first dimension fastest. */
typedef struct char_matrix {
    uint32_t *unit; /* rows x columns: code points or halves of UTF-16 pairs */
    size_t rows, columns;
} char_matrix;

/* Code points of size bytes of UTF-8; SIZE_MAX when malformed or when they exceed room. */
static size_t spread_utf8(const char *bytes, size_t size, uint32_t *unit, size_t room)
{
    size_t count = 0;
    while (size) {
        size_t took = count < room ? utf8_get(bytes, size, &unit[count]) : 0;
        if (took == 0)
            return SIZE_MAX;
        bytes += took;
        size -= took;
        count++;
    }
    return count;
}

static uint32_t unit_at(const matvar_t *var, size_t i)
{
    size_t width = (size_t)var->data_size;
    uint32_t unit = 0;
    memcpy(&unit, (const char *)var->data + i * width, width);
    return unit;
}

static spd_status damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "contains damaged text");
}

/* Are there as many characters as the dimensions claim? */
static int is_whole(const matvar_t *var)
{
    size_t count, bytes = var->data ? var->nbytes : 0;
    int width = var->data_size, utf8 = var->data_type == MAT_T_UTF8;
    if (var->rank != 2 || array_count(2, var->dims, &count))
        return 0;
    return count == 0 || (bytes >= count && (width == 1 || width == 2 || width == 4) &&
                          (utf8 || bytes / (size_t)width >= count));
}

/* Spreads the characters of var into out->unit, which the caller frees. */
static spd_status spread(spd_context *ctx, const matvar_t *var, char_matrix *out)
{
    int utf8 = var->data_type == MAT_T_UTF8;
    if (!is_whole(var))
        return damaged(ctx);
    *out = (char_matrix){NULL, var->dims[0], var->dims[1]};
    size_t count = out->rows * out->columns;
    out->unit = mem_alloc(count, sizeof *out->unit);
    if (!out->unit)
        return ctx_nomem(ctx, "texts");
    for (size_t i = 0; i < count && !utf8; i++)
        out->unit[i] = unit_at(var, i);
    if (!utf8 || count == 0)
        return SPD_OK;
    size_t got = spread_utf8(var->data, var->nbytes, out->unit, count);
    /* MATLAB counts rare characters twice, others count code points: one row may be shorter. */
    if (got == SIZE_MAX || (got < count && out->rows != 1))
        return damaged(ctx);
    out->columns = got / out->rows;
    return SPD_OK;
}

/* The code point at *column of a row, of one or two units; *column moves on. */
static uint32_t take_code(const char_matrix *chars, size_t row, size_t *column)
{
    uint32_t unit = chars->unit[row + chars->rows * (*column)++];
    if (unit < 0xd800 || unit >= 0xdc00 || *column == chars->columns)
        return unit;
    uint32_t low = chars->unit[row + chars->rows * *column];
    if (low < 0xdc00 || low >= 0xe000)
        return unit;
    (*column)++;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/* One row as UTF-8 at out (4 bytes per column and a NUL at most), trailing blanks removed;
 * SIZE_MAX when malformed. */
static size_t copy_row(const char_matrix *chars, size_t row, char *out)
{
    size_t used = 0;
    for (size_t column = 0; column < chars->columns;) {
        size_t took = utf8_put(take_code(chars, row, &column), out + used);
        if (took == 0)
            return SIZE_MAX;
        used += took;
    }
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '\0'))
        used--;
    out[used] = '\0';
    return strlen(out) == used ? used : SIZE_MAX;
}

/* text (rows) <- the rows of a char matrix, put at *pool, which moves behind them. */
static spd_status put_rows(spd_context *ctx, const matvar_t *var, const char **text, char **pool)
{
    char_matrix chars = {0};
    spd_status status = spread(ctx, var, &chars);
    for (size_t i = 0; i < chars.rows && status == SPD_OK; i++) {
        size_t used = copy_row(&chars, i, *pool);
        if (used == SIZE_MAX) {
            status = damaged(ctx);
            break;
        }
        text[i] = *pool;
        *pool += used + 1;
    }
    mem_free(chars.unit);
    return status;
}

spd_status mat_decode_chars(spd_context *ctx, const matvar_t *var, spd_array **array)
{
    spd_array *fresh;
    char *pool;
    size_t room;
    if (!is_whole(var))
        return damaged(ctx);
    if (mem_mul(var->dims[1], 4, &room) || mem_mul(var->dims[0], room + 1, &room))
        return ctx_nomem(ctx, "texts");
    spd_status status = array_new_text(ctx, 1, var->dims, room, &fresh, &pool);
    if (status < 0)
        return status;
    status = put_rows(ctx, var, fresh->text, &pool);
    if (status < 0)
        spd_array_free(fresh);
    else
        *array = fresh;
    return status;
}

int mat_is_text_cells(const matvar_t *var)
{
    size_t count;
    matvar_t *const *cell = var->data;
    if (var->class_type != MAT_C_CELL || array_count((size_t)var->rank, var->dims, &count))
        return 0;
    if (count > 0 && (!cell || var->nbytes / sizeof *cell < count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        int empty = !cell[i] || cell[i]->class_type == MAT_C_EMPTY;
        if (!empty && (cell[i]->class_type != MAT_C_CHAR || cell[i]->rank != 2 || !cell[i]->dims ||
                       (cell[i]->dims[0] > 1 && cell[i]->dims[1] > 0)))
            return 0;
    }
    return 1;
}

/* Bytes that the texts of count cells need at most; SIZE_MAX when that overflows. */
static size_t measure_cells(matvar_t *const *cell, size_t count)
{
    size_t sum = count;
    for (size_t i = 0; i < count; i++) {
        size_t units = 0;
        if (cell[i] && cell[i]->class_type == MAT_C_CHAR)
            units = cell[i]->dims[0] ? cell[i]->dims[1] : 0;
        if (mem_mul(units, 4, &units) || __builtin_add_overflow(sum, units, &sum))
            return SIZE_MAX;
    }
    return sum;
}

spd_status mat_decode_cells(spd_context *ctx, const matvar_t *var, spd_array **array)
{
    size_t rank = (size_t)var->rank, shape[SPD_MAX_DIMS], stride[SPD_MAX_DIMS];
    matvar_t *const *cell = var->data;
    array_walk walk;
    spd_array *fresh;
    char *pool;
    if (!mat_is_text_cells(var))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a cell array of something other than strings; save numbers or strings");
    mat_order(rank, var->dims, shape, stride);
    size_t count = 0;
    array_count(rank, shape, &count);
    spd_status status = array_new_text(ctx, rank, shape, measure_cells(cell, count), &fresh, &pool);
    if (status < 0)
        return status;
    walk_start(&walk, rank, shape, stride);
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        const matvar_t *one = cell[walk_next(&walk)];
        if (one && one->class_type == MAT_C_CHAR && one->dims[0] == 1) {
            status = put_rows(ctx, one, &fresh->text[i], &pool);
        } else {
            fresh->text[i] = pool;
            *pool++ = '\0';
        }
    }
    if (status < 0)
        spd_array_free(fresh);
    else
        *array = fresh;
    return status;
}
