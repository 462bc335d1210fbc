/* npy.c - numpy's .npy format: a strict parser of its header, reading and writing. */
#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* ---- the header ----------------------------------------------------------------------------- */
/* {'descr': '<f8', 'fortran_order': False, 'shape': (200, 93, 93), }
 *
 * Three keys, in any order, each once; then only white space. Nothing is allocated here, and
 * sizes are refused when their product does not fit. */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

/* Takes one character after white space; zero when it is another. */
static int take(cursor *c, char wanted)
{
    skip_space(c);
    if (c->at == c->end || *c->at != wanted)
        return 0;
    c->at++;
    return 1;
}

static int take_word(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return 0;
    c->at += length;
    return 1;
}

/* A quoted text without escapes; *from and *length name the part between the quotes. */
static int take_text(cursor *c, const char **from, size_t *length)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return 0;
    const char *close = memchr(c->at + 1, *c->at, (size_t)(c->end - c->at - 1));
    if (!close)
        return 0;
    *from = c->at + 1;
    *length = (size_t)(close - *from);
    c->at = close + 1;
    return 1;
}

/* A decimal number, with Python 2's L allowed; zero when there is none or it does not fit. */
static int take_size(cursor *c, size_t *value)
{
    size_t sum = 0;
    skip_space(c);
    const char *start = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (mem_mul(sum, 10, &sum) || __builtin_add_overflow(sum, (size_t)(*c->at - '0'), &sum))
            return 0;
    if (c->at == start)
        return 0;
    if (c->at < c->end && *c->at == 'L')
        c->at++;
    *value = sum;
    return 1;
}

static spd_status parse_shape(spd_context *ctx, cursor *c, npy_header *h)
{
    if (!take(c, '('))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's shape is malformed");
    h->ndim = 0;
    while (!take(c, ')')) {
        if (h->ndim == SPD_MAX_DIMS)
            return ctx_fail(ctx, SPD_EFORMAT, "has more than %d dimensions", SPD_MAX_DIMS);
        if (!take_size(c, &h->shape[h->ndim]))
            return ctx_fail(ctx, SPD_EFORMAT, "the header's shape is malformed or too large");
        h->ndim++;
        if (!take(c, ',') && (c->at == c->end || *c->at != ')'))
            return ctx_fail(ctx, SPD_EFORMAT, "the header's shape is malformed");
    }
    return SPD_OK;
}

/* A type as one text: byte order, kind, width. Kinds we cannot decode keep their letter. */
static spd_status parse_descr_text(spd_context *ctx, const char *text, size_t length, npy_header *h)
{
    cursor c = {text, text + length};
    char start[21];
    snprintf(start, sizeof start, "%.*s", length < 20 ? (int)length : 20, text);
    text_plain(start, h->descr, sizeof h->descr);
    if (c.at < c.end && strchr("<>|=", *c.at))
        h->swap = *c.at++ == '>';
    if (c.at == c.end)
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type '%s' is malformed", h->descr);
    h->kind = *c.at++;
    h->width = 0;
    if (c.at < c.end && !take_size(&c, &h->width))
        h->kind = '?'; /* dates such as M8[ns] are not decoded; their width is not needed */
    if (h->kind == 'U' && mem_mul(h->width, 4, &h->width))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type '%s' is too wide", h->descr);
    return SPD_OK;
}

/* A structured type is a list; it is passed over, brackets and quotes matched. */
static spd_status skip_structure(spd_context *ctx, cursor *c, npy_header *h)
{
    int depth = 0;
    h->kind = 'V';
    snprintf(h->descr, sizeof h->descr, "structured");
    do {
        const char *from;
        size_t length;
        if (take(c, '[') || take(c, '('))
            depth++;
        else if (take(c, ']') || take(c, ')'))
            depth--;
        else if (!take_text(c, &from, &length) && c->at < c->end)
            c->at++;
    } while (depth > 0 && c->at < c->end);
    if (depth != 0)
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type is malformed");
    return SPD_OK;
}

static spd_status parse_descr(spd_context *ctx, cursor *c, npy_header *h)
{
    const char *from;
    size_t length;
    skip_space(c);
    if (c->at < c->end && *c->at == '[')
        return skip_structure(ctx, c, h);
    if (!take_text(c, &from, &length))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type is malformed");
    return parse_descr_text(ctx, from, length, h);
}

/* One `key: value` pair; seen gathers a bit per key. */
static spd_status parse_pair(spd_context *ctx, cursor *c, npy_header *h, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char *from = "";
    size_t length = 0;
    unsigned k = 3;
    if (take_text(c, &from, &length) && take(c, ':'))
        for (k = 0; k < 3; k++)
            if (length == strlen(keys[k]) && memcmp(from, keys[k], length) == 0)
                break;
    if (k == 3 || (*seen & 1u << k))
        return ctx_fail(ctx, SPD_EFORMAT, "the header is not that of an .npy file");
    *seen |= 1u << k;
    if (k == 0)
        return parse_descr(ctx, c, h);
    if (k == 2)
        return parse_shape(ctx, c, h);
    h->fortran = take_word(c, "True");
    if (!h->fortran && !take_word(c, "False"))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's fortran_order is neither True nor False");
    return SPD_OK;
}

static spd_status check_sizes(spd_context *ctx, npy_header *h)
{
    char text[80];
    size_t step = 1;
    if (array_count(h->ndim, h->shape, &h->count) || mem_mul(h->count, h->width, &h->bytes)) {
        array_shape_text(h->ndim, h->shape, text, sizeof text);
        return ctx_fail(ctx, SPD_EFORMAT,
                        "the header promises %s elements, more than any memory can hold", text);
    }
    walk_fortran(h->ndim, h->shape, h->stride);
    for (size_t d = h->ndim; d-- > 0 && !h->fortran; step *= h->shape[d])
        h->stride[d] = step;
    return SPD_OK;
}

/* Parses the dictionary of a header: everything but data_from. Used by npy_parse. */
static spd_status npy_parse_dictionary(spd_context *ctx, const char *text, size_t size,
                                       npy_header *header)
{
    cursor c = {text, text + size};
    unsigned seen = 0;
    memset(header, 0, sizeof *header);
    if (!take(&c, '{'))
        return ctx_fail(ctx, SPD_EFORMAT, "the header is not that of an .npy file");
    while (!take(&c, '}')) {
        spd_status status = parse_pair(ctx, &c, header, &seen);
        if (status < 0)
            return status;
        if (!take(&c, ',') && (c.at == c.end || *c.at != '}'))
            return ctx_fail(ctx, SPD_EFORMAT, "the header is malformed");
    }
    skip_space(&c);
    if (seen != 7 || c.at != c.end)
        return ctx_fail(ctx, SPD_EFORMAT, "the header lacks descr, fortran_order or shape");
    return check_sizes(ctx, header);
}

/* ---- reading -------------------------------------------------------------------------------- */

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

spd_status npy_prefix(spd_context *ctx, const unsigned char *bytes, size_t size, size_t *length)
{
    char quoted[48];
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is not an .npy file (starts with %s)",
                        text_quote(bytes, size, quoted, sizeof quoted));
    if (size < 12)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off within its header");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return ctx_fail(ctx, SPD_EFORMAT, ".npy version %d.%d is not supported; 1.0 to 3.0 are",
                        bytes[6], bytes[7]);
    size_t text = (size_t)(bytes[8] | bytes[9] << 8), start = 10;
    if (bytes[6] > 1) {
        text |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        start = 12;
    }
    if (text > NPY_MAX_HEADER)
        return ctx_fail(ctx, SPD_EFORMAT, "its header of %zu bytes is too long", text);
    *length = start + text;
    return SPD_OK;
}

spd_status npy_parse(spd_context *ctx, const unsigned char *bytes, size_t size, npy_header *header)
{
    size_t length;
    spd_status status = npy_prefix(ctx, bytes, size, &length);
    if (status < 0)
        return status;
    if (length > size)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off within its header");
    size_t start = bytes[6] > 1 ? 12 : 10;
    npy_header parsed;
    status = npy_parse_dictionary(ctx, (const char *)bytes + start, length - start, &parsed);
    if (status < 0)
        return status;
    parsed.data_from = length;
    *header = parsed;
    return SPD_OK;
}

/* Are the elements of a type that npy_decode knows? */
static int is_readable(const npy_header *h)
{
    size_t w = h->width;
    int power = w == 1 || w == 2 || w == 4 || w == 8;
    switch (h->kind) {
    case 'f':
        return power && w > 1;
    case 'c':
        return w == 8 || w == 16;
    case 'i':
    case 'u':
        return power;
    case 'b':
        return w == 1;
    case 'S':
    case 'U':
        return w > 0 || h->count == 0;
    default:
        return 0;
    }
}

void npy_describe(const npy_header *h, io_entry *entry)
{
    entry->is_complex = h->kind == 'c' && is_readable(h);
    entry->readable = is_readable(h) && !entry->is_complex;
    entry->ndim = h->ndim;
    memcpy(entry->shape, h->shape, sizeof entry->shape);
}

static spd_type type_of(const npy_header *h)
{
    return h->kind == 'f'   ? SPD_TYPE_FLOAT64
           : h->kind == 'c' ? SPD_TYPE_COMPLEX128
                            : SPD_TYPE_INT64;
}

/* Are the elements doubles, or pairs of them, as the host stores them, in row-major order? */
static int is_native(const npy_header *h)
{
    int whole = (h->kind == 'f' && h->width == 8) || (h->kind == 'c' && h->width == 16);
    return whole && !h->swap && (!h->fortran || h->ndim < 2);
}

static spd_status unreadable(spd_context *ctx, const npy_header *h)
{
    if (h->kind == 'O')
        return ctx_fail(ctx, SPD_EFORMAT,
                        "contains Python objects, which are not supported; save labels as a "
                        "string or integer array, e.g. numpy.array(y, dtype=str)");
    return ctx_fail(ctx, SPD_EFORMAT,
                    "elements of type '%s' are not supported; use float64, float32, complex128, "
                    "complex64, integers or text",
                    h->descr);
}

/* The unsigned integer of `width` bytes at p. */
static uint64_t load_bits(const unsigned char *p, size_t width, int swap)
{
    uint64_t bits = 0;
    memcpy(&bits, p, width);
    return swap ? __builtin_bswap64(bits) >> (64 - 8 * width) : bits;
}

static double half_to_double(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double mantissa = (double)(bits & 1023);
    double size = exponent == 0    ? ldexp(mantissa, -24)
                  : exponent == 31 ? (mantissa > 0 ? (double)NAN : (double)INFINITY)
                                   : ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -size : size;
}

static double load_float(const unsigned char *p, size_t width, int swap)
{
    uint64_t bits = load_bits(p, width, swap);
    if (width == 8) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    if (width == 4) {
        float value;
        memcpy(&value, &bits, 4);
        return (double)value;
    }
    return half_to_double(bits);
}

/* Element i of an array <- the one at p; zero for an integer that does not fit. */
static int decode_number(const npy_header *h, const unsigned char *p, size_t i, spd_array *array)
{
    size_t half = h->width / 2;
    if (h->kind == 'f') {
        array->f64[i] = load_float(p, h->width, h->swap);
    } else if (h->kind == 'c') {
        array->f64[2 * i] = load_float(p, half, h->swap);
        array->f64[2 * i + 1] = load_float(p + half, half, h->swap);
    } else {
        uint64_t bits = load_bits(p, h->width, h->swap), sign = UINT64_C(1) << (8 * h->width - 1);
        array->i64[i] = (int64_t)(h->kind == 'i' ? (bits ^ sign) - sign : bits);
    }
    return h->kind != 'u' || array->i64[i] >= 0;
}

static spd_status decode_numbers(spd_context *ctx, const npy_header *h, const unsigned char *data,
                                 spd_array **array)
{
    spd_array *fresh;
    array_walk walk;
    spd_status status = array_new(ctx, type_of(h), h->ndim, h->shape, &fresh);
    if (status < 0)
        return status;
    walk_start(&walk, h->ndim, h->shape, h->stride);
    for (size_t i = 0; i < h->count; i++) {
        if (!decode_number(h, data + walk_next(&walk) * h->width, i, fresh)) {
            spd_array_free(fresh);
            return ctx_fail(ctx, SPD_EFORMAT, "element %zu is an integer above 2^63 - 1", i);
        }
    }
    *array = fresh;
    return SPD_OK;
}

/* The text of one element as UTF-8 at out; its bytes, or SIZE_MAX when it is malformed. */
static size_t decode_text(const npy_header *h, const unsigned char *p, char *out)
{
    size_t unit = h->kind == 'U' ? 4 : 1, length = h->width / unit, used = 0;
    while (length > 0 && load_bits(p + (length - 1) * unit, unit, h->swap) == 0)
        length--;
    for (size_t i = 0; i < length; i++) {
        uint64_t code = load_bits(p + i * unit, unit, h->swap);
        if (code == 0)
            return SIZE_MAX;
        size_t took = 1;
        if (unit == 1)
            out[used] = (char)code;
        else
            took = utf8_put((uint32_t)code, out + used);
        if (took == 0)
            return SIZE_MAX;
        used += took;
    }
    out[used] = '\0';
    return utf8_length(out) == SIZE_MAX ? SIZE_MAX : used;
}

static spd_status decode_texts(spd_context *ctx, const npy_header *h, const unsigned char *data,
                               spd_array **array)
{
    spd_array *fresh;
    array_walk walk;
    char *pool;
    size_t room; /* UTF-8 needs no more bytes than UTF-32 or what bytes hold, plus a NUL each */
    if (__builtin_add_overflow(h->bytes, h->count, &room))
        return ctx_nomem(ctx, "an array of texts");
    spd_status status = array_new_text(ctx, h->ndim, h->shape, room, &fresh, &pool);
    if (status < 0)
        return status;
    walk_start(&walk, h->ndim, h->shape, h->stride);
    for (size_t i = 0; i < h->count; i++) {
        size_t used = decode_text(h, data + walk_next(&walk) * h->width, pool);
        if (used == SIZE_MAX) {
            spd_array_free(fresh);
            return ctx_fail(ctx, SPD_EFORMAT, "element %zu is not valid Unicode text", i);
        }
        fresh->text[i] = pool;
        pool += used + 1;
    }
    *array = fresh;
    return SPD_OK;
}

/* The array whose elements are the header->bytes bytes at data. */
static spd_status npy_decode(spd_context *ctx, const npy_header *header, const unsigned char *data,
                             spd_array **array)
{
    if (!is_readable(header))
        return unreadable(ctx, header);
    if (header->kind == 'S' || header->kind == 'U')
        return decode_texts(ctx, header, data, array);
    return decode_numbers(ctx, header, data, array);
}

/* Are the elements all there, and of a type that is read? Object arrays are pickled, so not
 * counted. */
static spd_status check_whole(spd_context *ctx, const npy_header *h, size_t size)
{
    char text[80];
    if (!is_readable(h))
        return unreadable(ctx, h);
    if (h->bytes <= size - h->data_from)
        return SPD_OK;
    array_shape_text(h->ndim, h->shape, text, sizeof text);
    return ctx_fail(ctx, SPD_EFORMAT,
                    "is cut short: its header promises %s elements of '%s' (%zu bytes), but it "
                    "has %zu bytes",
                    text, h->descr, h->bytes, size - h->data_from);
}

static spd_status parse_whole(spd_context *ctx, const unsigned char *bytes, size_t size,
                              npy_header *h)
{
    spd_status status = npy_parse(ctx, bytes, size, h);
    return status < 0 ? status : check_whole(ctx, h, size);
}

spd_status npy_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                           spd_array **array)
{
    npy_header header;
    spd_status status = parse_whole(ctx, bytes, size, &header);
    if (status < 0)
        return status;
    return npy_decode(ctx, &header, bytes + header.data_from, array);
}

spd_status npy_read_block(spd_context *ctx, unsigned char *bytes, size_t size, spd_array **array)
{
    npy_header header;
    spd_array *fresh;
    spd_status status = parse_whole(ctx, bytes, size, &header);
    if (status == SPD_OK && is_native(&header) && header.count > 0 &&
        header.data_from % sizeof(double) == 0) {
        double *data = (double *)(void *)(bytes + header.data_from);
        status = array_adopt(ctx, type_of(&header), header.ndim, header.shape, data, &fresh);
        if (status == SPD_OK) {
            ((held_array *)fresh)->block = bytes;
            *array = fresh;
            return SPD_OK;
        }
    } else if (status == SPD_OK) {
        status = npy_decode(ctx, &header, bytes + header.data_from, array);
    }
    mem_free(bytes);
    return status;
}

/* ---- files of one unnamed array -------------------------------------------------------------- */

/* *h <- the header at the start of a file; its elements need not be there. */
static spd_status read_header(spd_context *ctx, const io_source *source, npy_header *h)
{
    size_t size = source->size < NPY_MAX_HEADER + 12 ? source->size : NPY_MAX_HEADER + 12;
    unsigned char *bytes = mem_alloc(size, 1);
    if (!bytes)
        return ctx_nomem(ctx, "a header");
    spd_status status = source_read(ctx, source, 0, size, bytes);
    if (status == SPD_OK)
        status = npy_parse(ctx, bytes, size, h);
    mem_free(bytes);
    return status;
}

/* Elements that need no decoding go straight to their place. */
static spd_status read_native(spd_context *ctx, const io_source *source, const npy_header *h,
                              spd_array **array)
{
    spd_array *fresh;
    spd_status status = array_new(ctx, type_of(h), h->ndim, h->shape, &fresh);
    if (status < 0)
        return status;
    status = source_fill(ctx, source, h->data_from, h->bytes, fresh->f64);
    return array_hand_over(status, fresh, array);
}

static spd_status read_decoded(spd_context *ctx, const io_source *source, const npy_header *h,
                               spd_array **array)
{
    unsigned char *bytes = mem_alloc(h->bytes, 1);
    if (!bytes)
        return ctx_nomem(ctx, "the content of the file");
    spd_status status = source_fill(ctx, source, h->data_from, h->bytes, bytes);
    if (status == SPD_OK)
        status = npy_decode(ctx, h, bytes, array);
    mem_free(bytes);
    return status;
}

spd_status npy_read_header(spd_context *ctx, const io_source *source, npy_header *header)
{
    spd_status status = read_header(ctx, source, header);
    return status < 0 ? status : check_whole(ctx, header, source->size);
}

static spd_status read_npy(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array)
{
    npy_header h = {0};
    (void)entry;
    spd_status status = npy_read_header(ctx, file->source, &h);
    if (status < 0)
        return status;
    return is_native(&h) ? read_native(ctx, file->source, &h, array)
                         : read_decoded(ctx, file->source, &h, array);
}

spd_status npy_open(spd_context *ctx, io_file *file)
{
    npy_header header = {0};
    io_entry entry = {0};
    file->read = read_npy;
    spd_status status = read_header(ctx, file->source, &header);
    if (status < 0)
        return status;
    npy_describe(&header, &entry);
    return io_add_entry(ctx, file, NULL, &entry);
}

/* ---- writing -------------------------------------------------------------------------------- */
/* Numbers are written where they lie; text is spread out to UTF-32. */

/* *widest <- code points of the longest text, at least 1. */
static spd_status widest_text(spd_context *ctx, const spd_array *array, size_t *widest)
{
    size_t most = 1;
    for (size_t i = 0; i < array->count; i++) {
        size_t length = utf8_length(array->text[i]);
        if (length == SIZE_MAX)
            return ctx_fail(ctx, SPD_EINVAL, "string %zu of '%.60s' is not UTF-8", i,
                            array->name ? array->name : "array");
        if (length > most)
            most = length;
    }
    *widest = most;
    return SPD_OK;
}

/* image->owned <- count x widest code points, padded with zeros. */
static spd_status spread_texts(spd_context *ctx, const spd_array *array, size_t widest,
                               npy_image *image)
{
    size_t items;
    uint32_t *codes = mem_mul(array->count, widest, &items) ? NULL : mem_zero(items, sizeof *codes);
    if (!codes)
        return ctx_nomem(ctx, "texts to be written");
    for (size_t i = 0; i < array->count; i++) {
        const char *text = array->text[i];
        size_t left = strlen(text);
        for (uint32_t *out = codes + i * widest; left; out++) {
            size_t took = utf8_get(text, left, out);
            text += took;
            left -= took;
        }
    }
    image->owned = codes;
    image->data = codes;
    image->data_size = items * sizeof *codes;
    return SPD_OK;
}

/* Magic word, length, dictionary, spaces up to a multiple of 64, newline. */
static void write_header(const spd_array *array, const char *descr, npy_image *image)
{
    char *text = image->header + 10;
    size_t room = sizeof image->header - 10;
    size_t used =
        (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t d = 0; d < array->ndim; d++)
        used += (size_t)snprintf(text + used, room - used, d ? " %zu," : "%zu,", array->shape[d]);
    if (array->ndim > 1)
        used--; /* Python writes (3,) but (3, 4) */
    used += (size_t)snprintf(text + used, room - used, "), }");
    image->header_size = (10 + used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', image->header_size - 10 - used);
    image->header[image->header_size - 1] = '\n';
    size_t length = image->header_size - 10;
    const char start[] = {(char)0x93,         'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(length & 255),
                          (char)(length >> 8)};
    memcpy(image->header, start, sizeof start);
}

spd_status npy_image_make(spd_context *ctx, const spd_array *array, npy_image *image)
{
    char descr[32] = "<f8";
    npy_image made = {.data = array->f64, .data_size = array->count * array_width(array->type)};
    if (array->type == SPD_TYPE_INT64) {
        snprintf(descr, sizeof descr, "<i8");
        made.data = array->i64;
    } else if (array->type == SPD_TYPE_COMPLEX128) {
        snprintf(descr, sizeof descr, "<c16");
    } else if (array->type == SPD_TYPE_TEXT) {
        size_t widest = 1;
        spd_status status = widest_text(ctx, array, &widest);
        if (status == SPD_OK)
            status = spread_texts(ctx, array, widest, &made);
        if (status < 0)
            return status;
        snprintf(descr, sizeof descr, "<U%zu", widest);
    }
    write_header(array, descr, &made);
    *image = made;
    return SPD_OK;
}

void npy_image_free(npy_image *image)
{
    mem_free(image->owned);
    image->owned = NULL;
}

spd_status npy_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    npy_image image;
    (void)count; /* one, as the caller made sure */
    spd_status status = npy_image_make(ctx, arrays[0], &image);
    if (status < 0)
        return status;
    outfile_write(out, image.header, image.header_size);
    outfile_write(out, image.data, image.data_size);
    npy_image_free(&image);
    return SPD_OK;
}
