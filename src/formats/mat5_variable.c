/* mat5_variable.c - one variable of a version 5 file: its header, its numbers, its characters. */
#include <string.h>

#include "formats/mat5.h"

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* Classes of variables and bits of their flags, as the format numbers them. */
enum {
    MX_CELL = 1,
    MX_STRUCT = 2,
    MX_CHAR = 4,
    MX_SPARSE = 5,
    MX_DOUBLE = 6,
    MX_UINT64 = 15,
    MX_OPAQUE = 17
};
#define FLAG_COMPLEX 0x800u

/* Packed numbers are unpacked this many bytes at a time, a multiple of every width. */
#define PIECE ((size_t)1 << 16)

static spd_status damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is cut short or damaged");
}

/* The first `room` bytes of an element of which no more are wanted. */
spd_status mat5_take(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
                     unsigned char *out, size_t room)
{
    const unsigned char *piece;
    size_t size = element->size < room ? element->size : room;
    spd_status status = mat5_piece(ctx, stream, element, size, out, &piece);
    if (status < 0)
        return status;
    if (piece != out)
        memcpy(out, piece, size);
    if (element->is_inside)
        return SPD_OK;
    return mat5_skip(ctx, stream, element->size - size + element->padding);
}

static void set_class(mat_variable *var, uint32_t flags)
{
    static const mat_type types[] = {{'f', 8, 0}, {'f', 4, 0}, {'i', 1, 0}, {'u', 1, 0},
                                     {'i', 2, 0}, {'u', 2, 0}, {'i', 4, 0}, {'u', 4, 0},
                                     {'i', 8, 0}, {'u', 8, 0}};
    uint32_t number = flags & 0xff;
    if (number >= MX_DOUBLE && number <= MX_UINT64) {
        var->kind = MAT_NUMBERS;
        var->is_complex = (flags & FLAG_COMPLEX) != 0;
        var->type = types[number - MX_DOUBLE];
    } else {
        var->kind = number == MX_CELL     ? MAT_CELLS
                    : number == MX_STRUCT ? MAT_STRUCTS
                    : number == MX_CHAR   ? MAT_CHARS
                    : number == MX_SPARSE ? MAT_SPARSE
                                          : MAT_OTHER;
    }
}

static spd_status take_dims(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
                            mat_variable *var)
{
    unsigned char words[4 * SPD_MAX_DIMS];
    if ((element->type != MI_INT32 && element->type != MI_UINT32) || element->size % 4 != 0)
        return damaged(ctx);
    spd_status status = mat5_take(ctx, stream, element, words, sizeof words);
    if (status < 0)
        return status;
    var->rank = element->size / 4;
    for (size_t d = 0; d < var->rank && d < SPD_MAX_DIMS; d++)
        var->dims[d] = mat5_word(stream, words + 4 * d);
    return SPD_OK;
}

/* Reads the start of a variable: var, its name (room for MAT5_NAME, cut there), and *inner, how
 * many bytes of it are left. *left: of the enclosing element. */
spd_status mat5_header(spd_context *ctx, mat5_stream *stream, size_t *left, mat_variable *var,
                       char *name, size_t *inner)
{
    mat5_element element;
    unsigned char flags[8];
    spd_status status = mat5_tag(ctx, stream, left, &element);
    if (status < 0)
        return status;
    if (element.type != MI_MATRIX || element.is_inside)
        return damaged(ctx);
    *var = (mat_variable){.kind = MAT_EMPTY};
    name[0] = '\0';
    *inner = element.size + element.padding;
    if (element.size == 0)
        return SPD_OK;
    status = mat5_tag(ctx, stream, inner, &element);
    if (status == SPD_OK && (element.type != MI_UINT32 || element.size != sizeof flags))
        status = damaged(ctx);
    if (status == SPD_OK)
        status = mat5_take(ctx, stream, &element, flags, sizeof flags);
    if (status < 0)
        return status;
    uint32_t word = mat5_word(stream, flags);
    set_class(var, word);
    status = mat5_tag(ctx, stream, inner, &element);
    if (status == SPD_OK && (word & 0xff) != MX_OPAQUE) { /* which has no dimensions */
        status = take_dims(ctx, stream, &element, var);
        if (status == SPD_OK)
            status = mat5_tag(ctx, stream, inner, &element);
    }
    if (status == SPD_OK)
        status = mat5_take(ctx, stream, &element, (unsigned char *)name, MAT5_NAME - 1);
    if (status < 0)
        return status;
    name[element.size < MAT5_NAME - 1 ? element.size : MAT5_NAME - 1] = '\0';
    return utf8_length(name) == SIZE_MAX ? damaged(ctx) : SPD_OK;
}

/* *stored, *data <- the element that holds the numbers or characters. */
static spd_status find_data(spd_context *ctx, mat5_stream *stream, size_t *inner,
                            mat5_element *data, mat_type *stored)
{
    spd_status status = mat5_tag(ctx, stream, inner, data);
    if (status == SPD_OK)
        *stored = mat5_type(stream, data->type);
    return status;
}

/* count elements, from number `first` on. */
static spd_status fill_numbers(spd_context *ctx, mat5_stream *stream, const mat5_element *data,
                               size_t first, size_t count, mat_numbers *numbers)
{
    size_t width = numbers->stored.width, most = stream->packed ? PIECE / width : count;
    const unsigned char *piece;
    unsigned char *buffer = mem_alloc(stream->packed ? PIECE : 0, 1);
    spd_status status = buffer ? SPD_OK : ctx_nomem(ctx, "unpacking");
    for (size_t done = 0; done < count && status == SPD_OK;) {
        size_t some = count - done < most ? count - done : most;
        status = mat5_piece(ctx, stream, data, some * width, buffer, &piece);
        if (status == SPD_OK)
            status = mat_numbers_put(ctx, numbers, first + done, some, piece);
        done += some;
    }
    mem_free(buffer);
    return status;
}

/* The data of count numbers; that they are there is seen before memory is asked for. */
spd_status mat5_open_numbers(spd_context *ctx, mat5_stream *stream, size_t count, size_t *inner,
                             mat5_element *data, mat_type *stored)
{
    spd_status status = find_data(ctx, stream, inner, data, stored);
    if (status == SPD_OK && ((stored->kind != 'f' && stored->kind != 'i' && stored->kind != 'u') ||
                             data->size / stored->width < count))
        status = damaged(ctx);
    return status;
}

/* Puts them into numbers from number `first` on, and passes over what is behind them. */
spd_status mat5_put_numbers(spd_context *ctx, mat5_stream *stream, const mat5_element *data,
                            size_t first, size_t count, mat_numbers *numbers)
{
    if (numbers->stored.width == 0)
        return damaged(ctx);
    numbers->pitch = numbers->stored.width;
    spd_status status = fill_numbers(ctx, stream, data, first, count, numbers);
    if (status == SPD_OK && !data->is_inside)
        status = mat5_skip(ctx, stream, data->size - count * numbers->stored.width + data->padding);
    return status;
}

/* The imaginary parts, which follow the real ones in the same way. */
spd_status mat5_imaginary(spd_context *ctx, mat5_stream *stream, size_t first, size_t count,
                          size_t *inner, mat_numbers *numbers)
{
    mat5_element data;
    spd_status status = mat5_open_numbers(ctx, stream, count, inner, &data, &numbers->stored);
    numbers->lane = 1;
    if (status == SPD_OK)
        status = mat5_put_numbers(ctx, stream, &data, first, count, numbers);
    numbers->lane = 0;
    return status;
}

static spd_status read_numbers(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                               size_t count, size_t *inner, spd_array **array)
{
    mat5_element data;
    mat_type stored;
    mat_numbers numbers = {0};
    spd_status status = mat5_open_numbers(ctx, stream, count, inner, &data, &stored);
    if (status == SPD_OK)
        status = mat_numbers_begin(ctx, var, stored, &numbers);
    if (status < 0)
        return status;
    status = mat5_put_numbers(ctx, stream, &data, 0, count, &numbers);
    if (status == SPD_OK && var->is_complex)
        status = mat5_imaginary(ctx, stream, 0, count, inner, &numbers);
    if (status < 0)
        spd_array_free(numbers.array);
    else
        *array = numbers.array;
    return status;
}

/* The rows of a char matrix, of which only the data is left to read. */
spd_status mat5_chars(spd_context *ctx, mat5_stream *stream, const mat_variable *var, size_t *inner,
                      size_t file_size, mat_texts *texts)
{
    mat5_element data = {0};
    mat_type stored = {'u', 1, 0};
    spd_status status = SPD_OK;
    if (*inner > 0) /* an empty one may end here */
        status = find_data(ctx, stream, inner, &data, &stored);
    if (status < 0)
        return status;
    unsigned char *content = mem_alloc(data.size, 1);
    status = content ? mat5_take(ctx, stream, &data, content, data.size) : ctx_nomem(ctx, "texts");
    if (status == SPD_OK)
        status = mat_texts_add(ctx, texts, var, stored, content, data.size, file_size);
    mem_free(content);
    return status;
}

/* Numbers or characters of a variable whose header was read. */
spd_status mat5_plain(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                      size_t file_size, size_t *inner, spd_array **array)
{
    mat_texts texts = {0};
    size_t count = 0;
    if (var->kind != MAT_NUMBERS && var->kind != MAT_CHARS)
        return mat_refuse(ctx, var);
    spd_status status = mat_check_size(ctx, file_size, var, &count);
    if (status < 0)
        return status;
    if (var->kind == MAT_NUMBERS)
        return read_numbers(ctx, stream, var, count, inner, array);
    status = mat5_chars(ctx, stream, var, inner, file_size, &texts);
    if (status == SPD_OK)
        status = mat_texts_array(ctx, &texts, var, array);
    mat_texts_free(&texts);
    return status;
}
