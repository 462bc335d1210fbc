/* mat_write.c - writing MATLAB files of version 5: numbers in MATLAB's order, texts as cells.
 *
 * Written by hand rather than through matio, whose writer does not notice a full disk. A file is
 * 128 bytes of header, then elements: a type and a length of 32 bits each, then the content,
 * padded to 8 bytes. A variable is an element that holds four: flags, dimensions, name, data. */
#include <string.h>

#include "io/array.h"
#include "formats/format.h"
#include "io/text.h"

/* Types of elements and classes of variables, as the format numbers them. */
enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_INT64 = 12 };
enum { MI_MATRIX = 14, MI_UTF8 = 16, MX_CELL = 1, MX_CHAR = 4, MX_DOUBLE = 6, MX_INT64 = 14 };

#define FLAG_COMPLEX 0x800u

/* Lengths have 32 bits; MATLAB itself stops at 2^31. */
#define MAX_BYTES ((size_t)INT32_MAX)

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static void put_tag(outfile *out, uint32_t type, size_t bytes)
{
    const uint32_t tag[2] = {type, (uint32_t)bytes};
    outfile_write(out, tag, sizeof tag);
}

/* A whole element with its padding. */
static void put_element(outfile *out, uint32_t type, const void *content, size_t bytes)
{
    static const char zeros[8] = {0};
    put_tag(out, type, bytes);
    outfile_write(out, content, bytes);
    outfile_write(out, zeros, padded(bytes) - bytes);
}

/* Bytes of flags, dimensions and name, tags included. */
static size_t preamble_size(size_t rank, const char *name)
{
    return 16 + 8 + padded(rank * 4) + 8 + padded(strlen(name));
}

/* The start of a variable whose data element, tag included, takes `data` bytes. */
static void put_preamble(outfile *out, uint32_t class_type, size_t rank, const int32_t *dims,
                         const char *name, size_t data)
{
    const uint32_t flags[2] = {class_type, 0};
    put_tag(out, MI_MATRIX, preamble_size(rank, name) + data);
    put_element(out, MI_UINT32, flags, sizeof flags);
    put_element(out, MI_INT32, dims, rank * sizeof *dims);
    put_element(out, MI_INT8, name, strlen(name));
}

/* A char row; its width counts characters, its content is UTF-8. */
static void put_cell(outfile *out, const char *text)
{
    size_t length = utf8_length(text), bytes = strlen(text);
    const int32_t dims[2] = {length ? 1 : 0, (int32_t)length};
    put_preamble(out, MX_CHAR, 2, dims, "", 8 + padded(bytes));
    put_element(out, MI_UTF8, text, bytes);
}

/* MATLAB's dimensions: pages last, vectors as columns. */
static size_t matlab_dims(const spd_array *array, int32_t *dims)
{
    size_t rank = array->ndim;
    for (size_t d = 0; d < rank; d++)
        dims[d + 2 < rank ? rank - 1 - d : d + 2 - rank] = (int32_t)array->shape[d];
    if (rank >= 2)
        return rank;
    dims[0] = rank ? (int32_t)array->shape[0] : 1;
    dims[1] = 1;
    return 2;
}

/* A walk that meets our elements in MATLAB's order: the last two dimensions change places. */
static void start_walk(const spd_array *array, array_walk *walk)
{
    size_t rank = array->ndim, shape[SPD_MAX_DIMS], stride[SPD_MAX_DIMS], step = 1;
    for (size_t d = rank; d-- > 0; step *= array->shape[d]) {
        size_t to = rank >= 2 && d + 2 >= rank ? 2 * rank - 3 - d : d;
        shape[to] = array->shape[d];
        stride[to] = step;
    }
    walk_start(walk, rank, shape, stride);
}

/* Of complex numbers all real parts, then all imaginary ones. */
static void put_numbers(outfile *out, const spd_array *array)
{
    array_walk walk;
    int whole = array->type == SPD_TYPE_INT64;
    size_t width = array_width(array->type);
    const char *elements = whole ? (const char *)array->i64 : (const char *)array->f64;
    for (size_t part = 0; part < width; part += 8) {
        put_tag(out, whole ? MI_INT64 : MI_DOUBLE, array->count * 8);
        start_walk(array, &walk);
        for (size_t i = 0; i < array->count; i++)
            outfile_write(out, elements + width * walk_next(&walk) + part, 8);
    }
}

static spd_status check_name(spd_context *ctx, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    char plain[72];
    int good = length > 0 && length < 64;
    for (size_t i = 0; good && i < length; i++) {
        int letter = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z');
        int digit = (name[i] >= '0' && name[i] <= '9') || name[i] == '_';
        good = letter || (digit && i > 0);
    }
    if (good)
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL, "'%s' is not a MATLAB variable name; use .npz",
                    text_plain(name ? name : "", plain, sizeof plain));
}

/* *bytes <- size of all cells together. */
static spd_status measure_cells(spd_context *ctx, const spd_array *array, size_t *bytes)
{
    size_t sum = 0;
    for (size_t i = 0; i < array->count && sum <= MAX_BYTES; i++) {
        if (utf8_length(array->text[i]) == SIZE_MAX)
            return ctx_fail(ctx, SPD_EINVAL, "string %zu of '%s' is not UTF-8", i, array->name);
        sum += 8 + preamble_size(2, "") + 8 + padded(strlen(array->text[i])); /* the tag as well */
    }
    *bytes = sum;
    return SPD_OK;
}

/* *bytes <- size of the data element(s) of a variable; refuses what the format cannot hold. */
static spd_status measure(spd_context *ctx, const spd_array *array, size_t *bytes)
{
    size_t width = array_width(array->type);
    size_t sum = array->count <= MAX_BYTES / width ? width + array->count * width : SIZE_MAX;
    if (array->type == SPD_TYPE_TEXT) {
        spd_status status = measure_cells(ctx, array, &sum);
        if (status < 0)
            return status;
    }
    for (size_t d = 0; d < array->ndim; d++)
        if (array->shape[d] > MAX_BYTES)
            sum = SIZE_MAX;
    if (sum > MAX_BYTES - 1024) /* flags, dimensions and name come on top */
        return ctx_fail(ctx, SPD_EINVAL,
                        "'%s' is too large for a MATLAB file of version 5 (2 GB); use .npz",
                        array->name);
    *bytes = sum;
    return SPD_OK;
}

static spd_status put_variable(spd_context *ctx, outfile *out, const spd_array *array)
{
    static const uint32_t classes[] = {[SPD_TYPE_FLOAT64] = MX_DOUBLE,
                                       [SPD_TYPE_INT64] = MX_INT64,
                                       [SPD_TYPE_TEXT] = MX_CELL,
                                       [SPD_TYPE_COMPLEX128] = MX_DOUBLE | FLAG_COMPLEX};
    int32_t dims[SPD_MAX_DIMS];
    size_t bytes = 0;
    spd_status status = check_name(ctx, array->name);
    if (status == SPD_OK)
        status = measure(ctx, array, &bytes);
    if (status < 0)
        return status;
    size_t rank = matlab_dims(array, dims);
    put_preamble(out, classes[array->type], rank, dims, array->name, bytes);
    if (array->type != SPD_TYPE_TEXT) {
        put_numbers(out, array);
        return SPD_OK;
    }
    array_walk walk;
    start_walk(array, &walk);
    for (size_t i = 0; i < array->count; i++)
        put_cell(out, array->text[walk_next(&walk)]);
    return SPD_OK;
}

spd_status mat_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    static const char title[] = "MATLAB 5.0 MAT-file, written by spdml";
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, title, sizeof title - 1);
    memset(header + 116, 0, 8);
    memcpy(header + 124, "\0\1IM", 4); /* version 1.0, little-endian */
    spd_status status = SPD_OK;
    outfile_write(out, header, sizeof header);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = put_variable(ctx, out, arrays[i]);
    return status;
}
