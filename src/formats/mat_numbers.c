/* mat_numbers.c - MATLAB's numbers, page by page from its order into ours.
 *
 * MATLAB stores small integers of a double matrix in fewer bytes, so the type that is stored and
 * the class of the variable differ: the class decides whether we keep float64 or int64. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "formats/mat.h"
#include "io/array.h"

spd_status mat_numbers_begin(spd_context *ctx, const mat_variable *var, mat_type stored,
                             mat_numbers *numbers)
{
    size_t shape[SPD_MAX_DIMS];
    mat_shape(var, shape);
    *numbers = (mat_numbers){.stored = stored, .type = var->type, .pitch = stored.width};
    numbers->lanes = var->is_complex ? 2 : 1;
    numbers->rows = var->dims[0];
    numbers->columns = var->dims[1];
    if (var->row_major) { /* our own order: one run */
        numbers->columns = 1;
        numbers->rows = 0;
    } else if (numbers->rows == 1) { /* the same order, in longer runs */
        numbers->rows = numbers->columns;
        numbers->columns = 1;
    }
    spd_type type = var->is_complex         ? SPD_COMPLEX128
                    : var->type.kind == 'f' ? SPD_FLOAT64
                                            : SPD_INT64;
    spd_status status = array_new(ctx, type, var->rank, shape, &numbers->array);
    if (status < 0)
        return status;
    if (var->row_major)
        numbers->rows = numbers->array->count;
    if (var->is_complex) /* a value that MATLAB found to be real has no imaginary part */
        memset(numbers->array->f64, 0, 16 * numbers->array->count);
    return SPD_OK;
}

static uint64_t load_bits(const unsigned char *p, mat_type type)
{
    uint64_t bits = 0;
    memcpy(&bits, p, type.width);
    return type.swap ? __builtin_bswap64(bits) >> (64 - 8 * type.width) : bits;
}

static double load_float(const unsigned char *p, mat_type type)
{
    uint64_t bits = load_bits(p, type);
    if (type.width == 4) {
        float narrow;
        memcpy(&narrow, &bits, 4);
        return (double)narrow;
    }
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* Zero when the integer is above 2^63 - 1. */
static int load_integer(const unsigned char *p, mat_type type, int64_t *value)
{
    uint64_t bits = load_bits(p, type), sign = UINT64_C(1) << (8 * type.width - 1);
    *value = (int64_t)(type.kind == 'i' ? (bits ^ sign) - sign : bits);
    return type.kind == 'i' || *value >= 0;
}

/* Is it a value of an integer class? */
static int fits(int64_t value, mat_type type)
{
    int64_t half = INT64_C(1) << (type.width < 8 ? 8 * type.width - 1 : 62);
    if (type.width == 8)
        return type.kind == 'i' || value >= 0;
    return type.kind == 'i' ? value >= -half && value < half : value >= 0 && value < 2 * half;
}

/* One element, as stored, into *out. */
static int to_float(const unsigned char *p, mat_type stored, double *out)
{
    int64_t whole = 0;
    if (stored.kind == 'f') {
        *out = load_float(p, stored);
        return 1;
    }
    int good = load_integer(p, stored, &whole);
    *out = (double)whole;
    return good;
}

static int to_integer(const unsigned char *p, mat_type stored, mat_type type, int64_t *out)
{
    if (stored.kind == 'f') {
        double value = load_float(p, stored);
        if (!(fabs(value) < 0x1p63) || value != floor(value))
            return 0;
        *out = (int64_t)value;
    } else if (!load_integer(p, stored, out)) {
        return 0;
    }
    return fits(*out, type);
}

static spd_status refuse_element(spd_context *ctx, const mat_numbers *numbers, size_t i)
{
    if (numbers->type.width == 8 && numbers->stored.kind == 'u')
        return ctx_fail(ctx, SPD_EFORMAT, "element %zu is an integer above 2^63 - 1", i);
    return ctx_fail(ctx, SPD_EFORMAT, "element %zu is not a value of its class", i);
}

/* From element (i, j) of a page on, `count` elements down the column, into the row-major page: they
 * lie `columns` apart, real parts and imaginary ones side by side. The plain case, which most files
 * are, has a loop of its own. */
static size_t put_column(const mat_numbers *numbers, size_t at, size_t count,
                         const unsigned char *bytes)
{
    const mat_type stored = numbers->stored, type = numbers->type;
    size_t step = numbers->columns * numbers->lanes, pitch = numbers->pitch, i = 0;
    double *f64 = numbers->array->f64;
    int64_t *i64 = numbers->array->i64;
    at = at * numbers->lanes + numbers->lane;
    if (f64 && stored.kind == 'f' && stored.width == 8 && !stored.swap) {
        for (; i < count; i++)
            memcpy(&f64[at + i * step], bytes + i * pitch, 8);
        return i;
    }
    for (; i < count; i++) {
        const unsigned char *p = bytes + i * pitch;
        int good = f64 ? to_float(p, stored, &f64[at + i * step])
                       : to_integer(p, stored, type, &i64[at + i * step]);
        if (!good)
            break;
    }
    return i;
}

spd_status mat_numbers_put(spd_context *ctx, mat_numbers *numbers, size_t first, size_t count,
                           const unsigned char *bytes)
{
    size_t rows = numbers->rows, columns = numbers->columns, end = first + count;
    while (first < end) {
        size_t page = first / (rows * columns), i = first % rows, j = first / rows % columns;
        size_t run = rows - i < end - first ? rows - i : end - first;
        size_t done = put_column(numbers, (page * rows + i) * columns + j, run, bytes);
        if (done < run)
            return refuse_element(ctx, numbers, first + done);
        first += run;
        bytes += run * numbers->pitch;
    }
    return SPD_OK;
}
