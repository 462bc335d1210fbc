/* mat5.c - reading MATLAB files of version 5: their list of variables.
 *
 * One level is descended into and no more: a cell array is read when all its cells are texts, or
 * all are matrices of one size; structs field by field, each by the same rule, as "name.field". */
#include "formats/mat5.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* ---- elements ------------------------------------------------------------------------------- */

spd_status mat5_damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is cut short or damaged");
}

uint32_t mat5_word(const mat5_stream *stream, const unsigned char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return stream->swap ? __builtin_bswap32(word) : word;
}

/* How the content of elements of a type is stored; kind 0 for types that hold no numbers. */
static mat_type mat5_type(const mat5_stream *stream, uint32_t type)
{
    static const mat_type types[] = {
        [1] = {'i', 1, 0},  [2] = {'u', 1, 0},  [3] = {'i', 2, 0},  [4] = {'u', 2, 0},
        [5] = {'i', 4, 0},  [6] = {'u', 4, 0},  [7] = {'f', 4, 0},  [9] = {'f', 8, 0},
        [12] = {'i', 8, 0}, [13] = {'u', 8, 0}, [16] = {'8', 1, 0}, [17] = {'u', 2, 0},
        [18] = {'u', 4, 0},
    };
    mat_type stored = {0, 1, 0};
    if (type < sizeof types / sizeof *types && types[type].kind)
        stored = types[type];
    stored.swap = stream->swap;
    return stored;
}

/* Opens the outermost element at bytes (size, its tag included). mat5_end closes, whatever the
 * status. */
static spd_status mat5_begin(spd_context *ctx, mat5_stream *stream, int swap,
                             const unsigned char *bytes, size_t size)
{
    *stream = (mat5_stream){.bytes = bytes, .left = size, .swap = swap};
    if (size < 8)
        return mat5_damaged(ctx);
    if (mat5_word(stream, bytes) != MI_COMPRESSED)
        return SPD_OK;
    spd_status status = inflater_open(ctx, &stream->in, INFLATE_ZLIB, bytes + 8, size - 8);
    if (status == SPD_OK)
        stream->packed = 1;
    if (__builtin_mul_overflow(size - 8, INFLATE_EXPANSION, &stream->left))
        stream->left = SIZE_MAX;
    return status;
}

static void mat5_end(mat5_stream *stream)
{
    if (stream->packed)
        inflater_close(&stream->in);
}

/* out (size) <- the next bytes. */
static spd_status take(spd_context *ctx, mat5_stream *stream, unsigned char *out, size_t size)
{
    size_t got = 0;
    if (size > stream->left)
        return mat5_damaged(ctx);
    stream->left -= size;
    if (!stream->packed) {
        if (size)
            memcpy(out, stream->bytes, size);
        stream->bytes += size;
        return SPD_OK;
    }
    spd_status status = inflater_take(ctx, &stream->in, out, size, &got);
    return status == SPD_OK && got < size ? mat5_damaged(ctx) : status;
}

spd_status mat5_skip(spd_context *ctx, mat5_stream *stream, size_t size)
{
    unsigned char unwanted[4096];
    if (size > stream->left)
        return mat5_damaged(ctx);
    if (!stream->packed) {
        stream->left -= size;
        stream->bytes += size;
        return SPD_OK;
    }
    spd_status status = SPD_OK;
    while (size > 0 && status == SPD_OK) {
        size_t piece = size < sizeof unwanted ? size : sizeof unwanted;
        status = take(ctx, stream, unwanted, piece);
        size -= piece;
    }
    return status;
}

spd_status mat5_tag(spd_context *ctx, mat5_stream *stream, size_t *left, mat5_element *element)
{
    unsigned char tag[8];
    if (*left < sizeof tag)
        return mat5_damaged(ctx);
    spd_status status = take(ctx, stream, tag, sizeof tag);
    if (status < 0)
        return status;
    *left -= sizeof tag;
    uint32_t first = mat5_word(stream, tag);
    *element = (mat5_element){.type = first & 0xffff, .size = first >> 16};
    if (element->size > 0) { /* a small one: length and type share a word */
        element->is_inside = 1;
        memcpy(element->inside, tag + 4, 4);
        return element->size <= 4 ? SPD_OK : mat5_damaged(ctx);
    }
    element->size = mat5_word(stream, tag + 4);
    if (element->size > *left || element->size > stream->left)
        return mat5_damaged(ctx);
    *left -= element->size;
    /* Some leave the last padding out. */
    element->padding = (8 - element->size % 8) % 8;
    if (element->padding > *left)
        element->padding = *left;
    *left -= element->padding;
    return SPD_OK;
}

/* *piece <- the next size bytes of the content: where they are, or buffer (size bytes). */
static spd_status mat5_piece(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
                             size_t size, unsigned char *buffer, const unsigned char **piece)
{
    *piece = element->is_inside ? element->inside : stream->packed ? buffer : stream->bytes;
    if (element->is_inside)
        return SPD_OK;
    return stream->packed ? take(ctx, stream, buffer, size) : mat5_skip(ctx, stream, size);
}

/* Is this the end of the stream, and its checksum, if it has one, right? */
static spd_status mat5_check_end(spd_context *ctx, mat5_stream *stream)
{
    unsigned char beyond[8];
    size_t got = 0;
    if (!stream->packed)
        return SPD_OK;
    spd_status status = inflater_take(ctx, &stream->in, beyond, sizeof beyond, &got);
    return status == SPD_OK && got == sizeof beyond ? mat5_damaged(ctx) : status;
}

/* ---- one variable --------------------------------------------------------------------------- */

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
        return mat5_damaged(ctx);
    spd_status status = mat5_take(ctx, stream, element, words, sizeof words);
    if (status < 0)
        return status;
    var->rank = element->size / 4;
    for (size_t d = 0; d < var->rank && d < SPD_MAX_DIMS; d++)
        var->dims[d] = mat5_word(stream, words + 4 * d);
    return SPD_OK;
}

spd_status mat5_header(spd_context *ctx, mat5_stream *stream, size_t *left, mat_variable *var,
                       char *name, size_t *inner)
{
    mat5_element element;
    unsigned char flags[8];
    spd_status status = mat5_tag(ctx, stream, left, &element);
    if (status < 0)
        return status;
    if (element.type != MI_MATRIX || element.is_inside)
        return mat5_damaged(ctx);
    *var = (mat_variable){.kind = MAT_EMPTY};
    name[0] = '\0';
    *inner = element.size + element.padding;
    if (element.size == 0)
        return SPD_OK;
    status = mat5_tag(ctx, stream, inner, &element);
    if (status == SPD_OK && (element.type != MI_UINT32 || element.size != sizeof flags))
        status = mat5_damaged(ctx);
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
    return utf8_length(name) == SIZE_MAX ? mat5_damaged(ctx) : SPD_OK;
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

spd_status mat5_open_numbers(spd_context *ctx, mat5_stream *stream, size_t count, size_t *inner,
                             mat5_element *data, mat_type *stored)
{
    spd_status status = find_data(ctx, stream, inner, data, stored);
    if (status == SPD_OK && ((stored->kind != 'f' && stored->kind != 'i' && stored->kind != 'u') ||
                             data->size / stored->width < count))
        status = mat5_damaged(ctx);
    return status;
}

spd_status mat5_put_numbers(spd_context *ctx, mat5_stream *stream, const mat5_element *data,
                            size_t first, size_t count, mat_numbers *numbers)
{
    if (numbers->stored.width == 0)
        return mat5_damaged(ctx);
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
    return array_hand_over(status, numbers.array, array);
}

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

/* ---- the file ------------------------------------------------------------------------------- */

typedef struct mat5_list {
    size_t count;
    mat5_place *place;
} mat5_list;

static spd_status read_variable(spd_context *ctx, mat5_stream *stream, const mat5_place *place,
                                size_t file_size, spd_array **array)
{
    mat_variable var;
    char name[MAT5_NAME];
    spd_array *fresh = NULL;
    size_t inner, left = stream->left;
    spd_status status = mat5_header(ctx, stream, &left, &var, name, &inner);
    if (status < 0)
        return status;
    if (var.kind == MAT_CELLS || (var.kind == MAT_STRUCTS && place->field != SIZE_MAX))
        status = mat5_values_read(ctx, stream, &var, place, file_size, &inner, &fresh);
    else
        status = mat5_plain(ctx, stream, &var, file_size, &inner, &fresh);
    if (status == SPD_OK)
        status = mat5_skip(ctx, stream, inner);
    if (status == SPD_OK)
        status = mat5_check_end(ctx, stream);
    return array_hand_over(status, fresh, array);
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
    const mat5_list *all = file->state;
    const mat5_place *place = &all->place[entry->member];
    size_t size = 0;
    spd_status status = measure_element(ctx, source, place->at, &size);
    if (status < 0)
        return status;
    status = mat5_begin(ctx, &stream, is_swapped(source), source->bytes + place->at, size);
    if (status == SPD_OK)
        status = read_variable(ctx, &stream, place, source->size, array);
    mat5_end(&stream);
    if (status < 0)
        ctx_prefix(ctx, text_plain(entry->name, plain, sizeof plain));
    return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

static spd_status list_place(spd_context *ctx, io_file *file, const char *name,
                             const mat5_place *place)
{
    mat5_list *all = file->state;
    mat5_place *grown = mem_list(all->place, all->count, sizeof *grown);
    if (!grown)
        return ctx_nomem(ctx, "a list of variables");
    all->place = grown;
    all->place[all->count] = *place;
    return mat_list(ctx, file, name, &place->made, all->count++);
}

static int any_readable(const mat_variable *var, const mat5_values *list, const mat_pile *piles)
{
    int any = 0;
    for (size_t f = 0; f < list->fields; f++) {
        const mat_variable made = mat5_value_variable(var, list, f, piles);
        any |= mat_is_readable(&made);
    }
    return any;
}

/* Lists the fields of structs as "name.field", or cells. */
static spd_status list_values(spd_context *ctx, io_file *file, const char *name, size_t at,
                              const mat_variable *var, const mat5_values *list,
                              const mat_pile *piles)
{
    spd_status status = SPD_OK;
    for (size_t f = 0; f < list->fields && status == SPD_OK; f++) {
        mat5_place place = {at, f, mat5_value_variable(var, list, f, piles)};
        char full[2 * MAT5_NAME + 2];
        if (var->kind == MAT_CELLS)
            snprintf(full, sizeof full, "%s", name);
        else
            snprintf(full, sizeof full, "%s.%s", name, list->names + f * list->length);
        status = list_place(ctx, file, full, &place);
    }
    return status;
}

/* Cells and structs, of which the header was read. Damaged ones are listed as they are; who reads
 * them learns why. */
static spd_status list_nested(spd_context *ctx, io_file *file, mat5_stream *stream,
                              const char *name, size_t at, size_t inner, const mat_variable *var)
{
    mat5_values list;
    mat_pile *piles = NULL;
    const mat5_place whole = {at, var->kind == MAT_CELLS ? 0 : SIZE_MAX, *var};
    spd_status status = mat5_values_begin(NULL, stream, file->source->size, var, inner, &list);
    if (status == SPD_OK)
        status = mat5_values_survey(NULL, stream, &list, &piles);
    if (status == SPD_ENOMEM)
        status = ctx_nomem(ctx, "unpacking");
    else if (status < 0 || !any_readable(var, &list, piles))
        status = list_place(ctx, file, name, &whole);
    else
        status = list_values(ctx, file, name, at, var, &list, piles);
    mem_free(list.names);
    mem_free(piles);
    return status;
}

/* Lists the variable in the element of that size at byte `at`; one without a name is MATLAB's own.
 */
static spd_status list_element(spd_context *ctx, io_file *file, size_t at, size_t size)
{
    char name[MAT5_NAME] = "", where[60];
    mat5_stream stream;
    mat5_place place = {at, SIZE_MAX, {0}};
    size_t inner;
    spd_status status =
        mat5_begin(ctx, &stream, is_swapped(file->source), file->source->bytes + at, size);
    size_t left = stream.left;
    if (status == SPD_OK)
        status = mat5_header(ctx, &stream, &left, &place.made, name, &inner);
    if (status < 0) {
        snprintf(where, sizeof where, "the variable at byte %zu", at);
        ctx_prefix(ctx, where);
    } else if (name[0] && (place.made.kind == MAT_CELLS || place.made.kind == MAT_STRUCTS)) {
        status = list_nested(ctx, file, &stream, name, at, inner, &place.made);
    } else if (name[0]) {
        status = list_place(ctx, file, name, &place);
    }
    mat5_end(&stream);
    return status;
}

static void list_free(void *state)
{
    mat5_list *all = state;
    if (all)
        mem_free(all->place);
    mem_free(all);
}

spd_status mat5_open(spd_context *ctx, io_file *file)
{
    const io_source *source = file->source;
    spd_status status = SPD_OK;
    size_t size = 0;
    file->read = read_mat5;
    file->close = list_free;
    file->state = mem_zero(1, sizeof(mat5_list));
    if (!file->state)
        return ctx_nomem(ctx, "a file");
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
