/* npy.c - reading .npy: the parts of the file, and the elements into an spd_array. */
#include "io/npy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

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
    return h->kind == 'f' ? SPD_FLOAT64 : h->kind == 'c' ? SPD_COMPLEX128 : SPD_INT64;
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

static int64_t load_integer(const unsigned char *p, size_t width, int swap, int is_signed)
{
    uint64_t bits = load_bits(p, width, swap);
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return (int64_t)(is_signed ? (bits ^ sign) - sign : bits);
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
        array->i64[i] = load_integer(p, h->width, h->swap, h->kind == 'i');
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

spd_status npy_decode(spd_context *ctx, const npy_header *header, const unsigned char *data,
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
    if (status < 0)
        spd_array_free(fresh);
    else
        *array = fresh;
    return status;
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
