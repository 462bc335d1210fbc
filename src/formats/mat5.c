/* mat5.c - reading MATLAB files of version 5: their list of variables, numbers and texts.
 *
 * Nothing descends: a cell array is read when all its cells are texts, and one that holds other
 * things is known by its first such cell. */
#include "formats/mat5.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* Classes of variables and bits of their flags, as the format numbers them. */
enum { MX_CELL = 1, MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6, MX_UINT64 = 15, MX_OPAQUE = 17 };
#define FLAG_COMPLEX 0x800u

/* MATLAB's own limit is 63. */
#define MAX_NAME 1024

/* Packed numbers are unpacked this many bytes at a time, a multiple of every width. */
#define PIECE ((size_t)1 << 16)

static spd_status damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is cut short or damaged");
}

/* The first `room` bytes of an element of which no more are wanted. */
static spd_status take_element(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
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
        var->kind = flags & FLAG_COMPLEX ? MAT_COMPLEX : MAT_NUMBERS;
        var->type = types[number - MX_DOUBLE];
    } else {
        var->kind = number == MX_CELL     ? MAT_CELLS
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
    spd_status status = take_element(ctx, stream, element, words, sizeof words);
    if (status < 0)
        return status;
    var->rank = element->size / 4;
    for (size_t d = 0; d < var->rank && d < SPD_MAX_DIMS; d++)
        var->dims[d] = mat5_word(stream, words + 4 * d);
    return SPD_OK;
}

/* Reads the start of a variable: var, its name (room for MAX_NAME, cut there), and *inner, how many
 * bytes of it are left. *left: of the enclosing element. */
static spd_status take_header(spd_context *ctx, mat5_stream *stream, size_t *left,
                              mat_variable *var, char *name, size_t *inner)
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
        status = take_element(ctx, stream, &element, flags, sizeof flags);
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
        status = take_element(ctx, stream, &element, (unsigned char *)name, MAX_NAME - 1);
    if (status < 0)
        return status;
    name[element.size < MAX_NAME - 1 ? element.size : MAX_NAME - 1] = '\0';
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

static spd_status fill_numbers(spd_context *ctx, mat5_stream *stream, const mat5_element *data,
                               size_t count, mat_numbers *numbers)
{
    size_t width = numbers->stored.width, most = stream->packed ? PIECE / width : count;
    const unsigned char *piece;
    unsigned char *buffer = mem_alloc(stream->packed ? PIECE : 0, 1);
    spd_status status = buffer ? SPD_OK : ctx_nomem(ctx, "unpacking");
    for (size_t done = 0; done < count && status == SPD_OK;) {
        size_t some = count - done < most ? count - done : most;
        status = mat5_piece(ctx, stream, data, some * width, buffer, &piece);
        if (status == SPD_OK)
            status = mat_numbers_put(ctx, numbers, done, some, piece);
        done += some;
    }
    mem_free(buffer);
    return status;
}

static spd_status read_numbers(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                               size_t count, size_t *inner, spd_array **array)
{
    mat5_element data;
    mat_type stored;
    mat_numbers numbers = {0};
    spd_status status = find_data(ctx, stream, inner, &data, &stored);
    if (status == SPD_OK && ((stored.kind != 'f' && stored.kind != 'i' && stored.kind != 'u') ||
                             data.size / stored.width < count))
        status = damaged(ctx);
    if (status == SPD_OK)
        status = mat_numbers_begin(ctx, var, stored, &numbers);
    if (status != SPD_OK)
        return status;
    status = fill_numbers(ctx, stream, &data, count, &numbers);
    if (status == SPD_OK && !data.is_inside)
        status = mat5_skip(ctx, stream, data.size - count * stored.width + data.padding);
    if (status < 0)
        spd_array_free(numbers.array);
    else
        *array = numbers.array;
    return status;
}

/* The rows of a char matrix, of which only the data is left to read. */
static spd_status gather_chars(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                               size_t *inner, size_t file_size, mat_texts *texts)
{
    mat5_element data = {0};
    mat_type stored = {'u', 1, 0};
    spd_status status = SPD_OK;
    if (*inner > 0) /* an empty one may end here */
        status = find_data(ctx, stream, inner, &data, &stored);
    if (status < 0)
        return status;
    unsigned char *content = mem_alloc(data.size, 1);
    status =
        content ? take_element(ctx, stream, &data, content, data.size) : ctx_nomem(ctx, "texts");
    if (status == SPD_OK)
        status = mat_texts_add(ctx, texts, var, stored, content, data.size, file_size);
    mem_free(content);
    return status;
}

/* Goes through the count cells of a variable that has *inner bytes left. *text <- are all of them
 * texts? texts: takes them up; NULL where they are not wanted. */
static spd_status walk_cells(spd_context *ctx, mat5_stream *stream, size_t count, size_t *inner,
                             mat_texts *texts, int *text)
{
    static const mat_variable nothing = {.kind = MAT_CHARS, .rank = 2, .dims = {1, 0}};
    char name[MAX_NAME];
    spd_status status = count <= *inner / 8 ? SPD_OK : damaged(ctx);
    *text = 1;
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        mat_variable cell;
        size_t left;
        status = take_header(ctx, stream, inner, &cell, name, &left);
        if (status == SPD_OK && !mat_is_text_cell(&cell)) {
            *text = 0;
            return SPD_OK;
        }
        if (status == SPD_OK && texts) {
            if (cell.kind == MAT_CHARS && cell.dims[0] == 1)
                status = gather_chars(ctx, stream, &cell, &left, 1, texts);
            else
                status = mat_texts_add(ctx, texts, &nothing, (mat_type){'u', 1, 0}, NULL, 0, 1);
        }
        if (status == SPD_OK)
            status = mat5_skip(ctx, stream, left);
    }
    return status;
}

static spd_status read_texts(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                             size_t count, size_t *inner, size_t file_size, spd_array **array)
{
    mat_texts texts = {0};
    int text = 1;
    spd_status status = var->kind == MAT_CHARS
                            ? gather_chars(ctx, stream, var, inner, file_size, &texts)
                            : walk_cells(ctx, stream, count, inner, &texts, &text);
    if (status == SPD_OK)
        status = text ? mat_texts_array(ctx, &texts, var, array) : mat_refuse(ctx, var);
    mat_texts_free(&texts);
    return status;
}

static spd_status read_variable(spd_context *ctx, mat5_stream *stream, size_t file_size,
                                spd_array **array)
{
    mat_variable var;
    char name[MAX_NAME];
    spd_array *fresh = NULL;
    size_t inner, count = 0, left = stream->left;
    spd_status status = take_header(ctx, stream, &left, &var, name, &inner);
    if (status < 0)
        return status;
    if (var.kind != MAT_NUMBERS && var.kind != MAT_CHARS && var.kind != MAT_CELLS)
        return mat_refuse(ctx, &var);
    status = mat_check_size(ctx, file_size, &var, &count);
    if (status == SPD_OK && var.kind == MAT_NUMBERS)
        status = read_numbers(ctx, stream, &var, count, &inner, &fresh);
    else if (status == SPD_OK)
        status = read_texts(ctx, stream, &var, count, &inner, file_size, &fresh);
    if (status == SPD_OK)
        status = mat5_skip(ctx, stream, inner);
    if (status == SPD_OK)
        status = mat5_check_end(ctx, stream);
    if (status < 0)
        spd_array_free(fresh);
    else
        *array = fresh;
    return status;
}

static int is_swapped(const io_source *source)
{
    return memcmp(source->bytes + MAT5_HEADER - 2, "MI", 2) == 0;
}

/* *size <- bytes of the outermost element at byte `at`, tag included; it must lie in the file. */
static spd_status measure_element(spd_context *ctx, const io_source *source, size_t at,
                                  size_t *size)
{
    const mat5_stream order = {.swap = is_swapped(source)};
    size_t left = source->size - at, length = 0;
    if (left >= 8)
        length = mat5_word(&order, source->bytes + at + 4);
    if (left < 8 || length > left - 8)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is cut short: a variable at byte %zu extends beyond the file's %zu bytes",
                        at, source->size);
    *size = 8 + length;
    return SPD_OK;
}

static spd_status read_mat5(spd_context *ctx, io_file *file, const io_entry *entry,
                            spd_array **array)
{
    char plain[80];
    mat5_stream stream;
    const io_source *source = file->source;
    size_t size = 0;
    spd_status status = measure_element(ctx, source, entry->member, &size);
    if (status < 0)
        return status;
    status = mat5_begin(ctx, &stream, is_swapped(source), source->bytes + entry->member, size);
    if (status == SPD_OK)
        status = read_variable(ctx, &stream, source->size, array);
    mat5_end(&stream);
    if (status < 0)
        ctx_prefix(ctx, text_plain(entry->name, plain, sizeof plain));
    return status;
}

/* Are the cells of a variable, as far as its header was read, all texts? Damaged ones are not; who
 * reads them learns why. */
static spd_status look_at_cells(spd_context *ctx, mat5_stream *stream, size_t file_size,
                                size_t inner, mat_variable *var)
{
    size_t count = 0;
    spd_status status = mat_check_size(NULL, file_size, var, &count);
    if (status == SPD_OK)
        status = walk_cells(NULL, stream, count, &inner, NULL, &var->text);
    if (status < 0)
        var->text = 0;
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "unpacking") : SPD_OK;
}

/* Lists the variable in the element of that size at byte `at`; one without a name is MATLAB's own.
 */
static spd_status list_element(spd_context *ctx, io_file *file, size_t at, size_t size)
{
    char name[MAX_NAME] = "", place[60];
    mat5_stream stream;
    mat_variable var;
    size_t inner;
    spd_status status =
        mat5_begin(ctx, &stream, is_swapped(file->source), file->source->bytes + at, size);
    size_t left = stream.left;
    if (status == SPD_OK)
        status = take_header(ctx, &stream, &left, &var, name, &inner);
    if (status == SPD_OK && var.kind == MAT_CELLS)
        status = look_at_cells(ctx, &stream, file->source->size, inner, &var);
    if (status < 0) {
        snprintf(place, sizeof place, "the variable at byte %zu", at);
        ctx_prefix(ctx, place);
    } else if (name[0]) {
        status = mat_list(ctx, file, name, &var, at);
    }
    mat5_end(&stream);
    return status;
}

spd_status mat5_open(spd_context *ctx, io_file *file)
{
    const io_source *source = file->source;
    spd_status status = SPD_OK;
    size_t size = 0;
    file->read = read_mat5;
    if (!is_swapped(source) && memcmp(source->bytes + MAT5_HEADER - 2, "IM", 2) != 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: its header does not tell the byte order");
    for (size_t at = MAT5_HEADER; at < source->size && status == SPD_OK; at += size)
        status = measure_element(ctx, source, at, &size);
    for (size_t at = MAT5_HEADER; at < source->size && status == SPD_OK; at += size) {
        status = measure_element(ctx, source, at, &size);
        if (status == SPD_OK)
            status = list_element(ctx, file, at, size);
    }
    return status;
}
