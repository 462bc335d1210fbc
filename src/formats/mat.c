/* mat.c - opening MATLAB files, and what holds for variables of either version. */
#include "formats/mat.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "formats/format.h"
#include "io/array.h"
#include "io/inflate.h"
#include "io/text.h"

/* ---- numbers -------------------------------------------------------------------------------- */
/* MATLAB stores small integers of a double matrix in fewer bytes, so the type that is stored and
 * the class of the variable differ: the class decides whether we keep float64 or int64. */

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
    spd_type type = var->is_complex         ? SPD_TYPE_COMPLEX128
                    : var->type.kind == 'f' ? SPD_TYPE_FLOAT64
                                            : SPD_TYPE_INT64;
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
            return ctx_fail(ctx, SPD_EFORMAT,
                            numbers->type.width == 8 && numbers->stored.kind == 'u'
                                ? "element %zu is an integer above 2^63 - 1"
                                : "element %zu is not a value of its class",
                            first + done);
        first += run;
        bytes += run * numbers->pitch;
    }
    return SPD_OK;
}

/* ---- text ----------------------------------------------------------------------------------- */
/* Characters are stored as bytes of UTF-8 (then dimensions count code points), Latin-1, or UTF-16.
 * They are spread to one number per character first. */

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

/* ---- cells that become one array ------------------------------------------------------------ */

void mat_pile_see(mat_pile *pile, const mat_variable *value)
{
    const mat_variable *like = &pile->like;
    if (pile->count == 0) {
        pile->like = *value;
        pile->text = 1;
        pile->numbers = value->kind == MAT_NUMBERS && value->rank == 2;
    }
    pile->count++;
    pile->text = pile->text && mat_is_text_cell(value);
    if (value->kind != MAT_NUMBERS || value->rank != 2 || value->dims[0] != like->dims[0] ||
        value->dims[1] != like->dims[1])
        pile->numbers = 0;
    else if (value->type.kind != like->type.kind || value->type.width != like->type.width)
        pile->like.type = (mat_type){'f', 8, 0};
    pile->like.is_complex |= value->is_complex;
}

/* Structs are a row or a column too: texts of a field lie as the structs do. */
mat_variable mat_pile_variable(const mat_pile *pile, const mat_variable *cells)
{
    const mat_variable *like = &pile->like;
    mat_variable var = *cells;
    var.kind = MAT_CELLS;
    var.text = pile->text || pile->count == 0;
    if (var.text || !pile->numbers || cells->rank != 2 ||
        (cells->dims[0] != 1 && cells->dims[1] != 1)) /* a table */
        return var;
    var = (mat_variable){.kind = MAT_NUMBERS, .type = like->type, .rank = 3};
    var.is_complex = like->is_complex;
    memcpy(var.dims, like->dims, 2 * sizeof *var.dims);
    var.dims[2] = pile->count;
    if (like->dims[0] == 1 && like->dims[1] == 1) { /* scalars are a column */
        var.rank = 2;
        var.dims[0] = pile->count;
    }
    return var;
}

int mat_pile_fits(const mat_variable *var, const mat_variable *value)
{
    const int scalars = var->rank == 2;
    return value->kind == MAT_NUMBERS && value->rank == 2 && value->is_complex <= var->is_complex &&
           value->dims[0] == (scalars ? 1 : var->dims[0]) &&
           value->dims[1] == (scalars ? 1 : var->dims[1]);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The text, the version and the mark of the byte order, with which versions 5 and 7.3 begin. */
#define HEADER_SIZE 128

/* MATLAB's variables have two dimensions at least; only texts of rows become one. */
static int has_rank(const mat_variable *var)
{
    return var->rank >= (var->row_major ? 1 : 2) && var->rank <= SPD_MAX_DIMS;
}

spd_status mat_check_size(spd_context *ctx, size_t file_size, const mat_variable *var,
                          size_t *count)
{
    char text[80];
    size_t product = 0;
    if (!has_rank(var))
        return ctx_fail(ctx, SPD_EFORMAT, "has %zu dimensions; 2 to %d are supported", var->rank,
                        SPD_MAX_DIMS);
    if (array_count(var->rank, var->dims, &product) || product / INFLATE_EXPANSION > file_size) {
        array_shape_text(var->rank, var->dims, text, sizeof text);
        return ctx_fail(ctx, SPD_EFORMAT,
                        "promises %s elements, more than a file of %zu bytes can hold", text,
                        file_size);
    }
    *count = product;
    return SPD_OK;
}

spd_status mat_refuse(spd_context *ctx, const mat_variable *var)
{
    if (var->kind == MAT_CELLS)
        return ctx_fail(
            ctx, SPD_EFORMAT,
            "is a cell array of something other than strings or numeric matrices of one size; "
            "save it as such");
    if (var->kind == MAT_STRUCTS)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "has an unsupported class: structs in tables or in each other; save their "
                        "fields");
    if (var->kind == MAT_SPARSE)
        return ctx_fail(ctx, SPD_EFORMAT, "is sparse; save full(...) of it");
    return ctx_fail(ctx, SPD_EFORMAT,
                    "has an unsupported class; save numbers, a char matrix or cellstr(...)");
}

int mat_is_readable(const mat_variable *var)
{
    if (!has_rank(var))
        return 0;
    return var->kind == MAT_NUMBERS || var->kind == MAT_STRINGS || var->kind == MAT_CHARS ||
           (var->kind == MAT_CELLS && var->text);
}

int mat_is_text_cell(const mat_variable *cell)
{
    if (cell->kind == MAT_EMPTY)
        return 1;
    return cell->kind == MAT_CHARS && cell->rank == 2 && (cell->dims[0] <= 1 || cell->dims[1] == 0);
}

void mat_shape(const mat_variable *var, size_t *shape)
{
    for (size_t d = 0; d < var->rank; d++)
        shape[d] = var->dims[var->row_major      ? d
                             : d + 2 < var->rank ? var->rank - 1 - d
                                                 : d + 2 - var->rank];
}

spd_status mat_list(spd_context *ctx, io_file *file, const char *name, const mat_variable *var,
                    size_t member)
{
    int numbers = mat_is_readable(var);
    io_entry entry = {.member = member,
                      .readable = numbers && !var->is_complex,
                      .is_complex = numbers && var->is_complex};
    if (has_rank(var)) {
        mat_shape(var, entry.shape);
        entry.ndim = var->kind == MAT_CHARS ? 1 : var->rank; /* texts are rows */
    }
    return io_add_entry(ctx, file, name, &entry);
}

static spd_status check_any(spd_context *ctx, const io_file *file, spd_status status)
{
    if (status == SPD_OK && file->count == 0)
        status = ctx_fail(ctx, SPD_EFORMAT,
                          "contains no readable variables; it may be damaged or cut short");
    return status;
}

spd_status mat_open(spd_context *ctx, io_file *file)
{
    char quoted[48];
    const io_source *source = file->source;
    /* HDF5 as h5py writes it, without MATLAB's header */
    if (source->size >= 8 && memcmp(source->bytes, "\x89HDF\r\n\x1a\n", 8) == 0)
        return check_any(ctx, file, mat73_open(ctx, file));
    /* Version 4 has no mark of its own: anything would be taken for it. */
    if (source->size < 10 || memcmp(source->bytes, "MATLAB ", 7) != 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is not a MATLAB file of version 5 or 7.3 (starts with %s); save with -v7",
                        text_quote(source->bytes, source->size, quoted, sizeof quoted));
    if (source->size < HEADER_SIZE)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off within its header");
    const unsigned char *mark = source->bytes + HEADER_SIZE - 4;
    int big = memcmp(mark + 2, "MI", 2) == 0, version = big ? mark[0] : mark[1];
    int new_form = version == 2 || memcmp(source->bytes, "MATLAB 7.3", 10) == 0;
    return check_any(ctx, file, new_form ? mat73_open(ctx, file) : mat5_open(ctx, file));
}
