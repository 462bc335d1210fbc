/* mat_text.c - char matrices and cell arrays of MATLAB as text arrays.
 *
 * Characters are stored as bytes of UTF-8 (then dimensions count code points), Latin-1, or UTF-16.
 * They are spread to one number per character first. */
#include <string.h>

#include "base/memory.h"
#include "formats/mat.h"
#include "io/array.h"
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

static uint32_t unit_at(const unsigned char *bytes, mat_type stored, size_t i)
{
    uint32_t unit = 0;
    memcpy(&unit, bytes + i * stored.width, stored.width);
    return stored.swap ? __builtin_bswap32(unit) >> (32 - 8 * stored.width) : unit;
}

static spd_status damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "contains damaged text");
}

/* Are there as many characters as the dimensions claim? */
static int is_whole(const mat_variable *chars, mat_type stored, size_t size)
{
    size_t count;
    if (chars->rank != 2 || array_count(2, chars->dims, &count))
        return 0;
    if (count == 0 || stored.kind == '8')
        return size >= count;
    return (stored.kind == 'u' || stored.kind == 'i') && stored.width <= 4 &&
           size / stored.width >= count;
}

/* Spreads the characters into out->unit, which the caller frees. */
static spd_status spread(spd_context *ctx, mat_type stored, const unsigned char *bytes, size_t size,
                         char_matrix *out)
{
    size_t count = out->rows * out->columns;
    out->unit = mem_alloc(count, sizeof *out->unit);
    if (!out->unit)
        return ctx_nomem(ctx, "texts");
    for (size_t i = 0; i < count && stored.kind != '8'; i++)
        out->unit[i] = unit_at(bytes, stored, i);
    if (stored.kind != '8' || count == 0)
        return SPD_OK;
    size_t got = spread_utf8((const char *)bytes, size, out->unit, count);
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

/* Room for one more text of up to `bytes` bytes. */
static spd_status make_room(spd_context *ctx, mat_texts *texts, size_t bytes)
{
    size_t *start = mem_list(texts->start, texts->count, sizeof *start);
    if (!start)
        return ctx_nomem(ctx, "texts");
    texts->start = start;
    if (texts->room - texts->used >= bytes)
        return SPD_OK;
    size_t room = 2 * texts->room + bytes;
    char *pool = mem_grow(texts->pool, texts->used, room);
    if (!pool)
        return ctx_nomem(ctx, "texts");
    texts->pool = pool;
    texts->room = room;
    return SPD_OK;
}

static spd_status add_row(spd_context *ctx, mat_texts *texts, const char_matrix *chars, size_t row)
{
    spd_status status = make_room(ctx, texts, 4 * chars->columns + 1);
    if (status < 0)
        return status;
    size_t used = copy_row(chars, row, texts->pool + texts->used);
    if (used == SIZE_MAX)
        return damaged(ctx);
    texts->start[texts->count++] = texts->used;
    texts->used += used + 1;
    return SPD_OK;
}

spd_status mat_texts_add(spd_context *ctx, mat_texts *texts, const mat_variable *chars,
                         mat_type stored, const unsigned char *bytes, size_t size,
                         size_t most_empty)
{
    if (!is_whole(chars, stored, size))
        return damaged(ctx);
    char_matrix matrix = {NULL, chars->dims[0], chars->dims[1]};
    if (matrix.columns == 0 && matrix.rows > most_empty)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "promises %zu texts, more than a file of %zu bytes can hold", matrix.rows,
                        most_empty);
    spd_status status = spread(ctx, stored, bytes, size, &matrix);
    for (size_t i = 0; i < matrix.rows && status == SPD_OK; i++)
        status = add_row(ctx, texts, &matrix, i);
    mem_free(matrix.unit);
    return status;
}

/* shape, stride <- those of the array, and where its elements are in the list; the rank. */
static size_t text_order(const mat_variable *var, size_t *shape, size_t *stride)
{
    size_t rank = var->rank, step = 1;
    if (var->kind == MAT_CHARS) {
        shape[0] = var->dims[0];
        stride[0] = 1;
        return 1;
    }
    mat_shape(var, shape);
    for (size_t d = 0; d < rank; d++) {
        stride[d < 2 ? d + rank - 2 : rank - 1 - d] = step;
        step *= var->dims[d];
    }
    return rank;
}

spd_status mat_texts_array(spd_context *ctx, const mat_texts *texts, const mat_variable *var,
                           spd_array **array)
{
    size_t shape[SPD_MAX_DIMS], stride[SPD_MAX_DIMS], rank = text_order(var, shape, stride);
    spd_array *fresh;
    array_walk walk;
    char *pool;
    spd_status status = array_new_text(ctx, rank, shape, texts->used, &fresh, &pool);
    if (status < 0)
        return status;
    if (texts->used)
        memcpy(pool, texts->pool, texts->used);
    walk_start(&walk, rank, shape, stride);
    for (size_t i = 0; i < fresh->count; i++)
        fresh->text[i] = pool + texts->start[walk_next(&walk)];
    *array = fresh;
    return SPD_OK;
}

void mat_texts_free(mat_texts *texts)
{
    mem_free(texts->pool);
    mem_free(texts->start);
}
