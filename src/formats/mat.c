/* mat.c - reading MATLAB files, v5 and v7.3, through matio.
 *
 * MATLAB stores the first dimension fastest. A(:,:,k) becomes element k of the array's first
 * dimension: n x n x p is read as p x n x n, r x c stays r x c.
 * matio and HDF5 beneath it keep global state, so one call at a time is let in. */
#include <hdf5.h>
#include <matio.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/npy.h"
#include "formats/format.h"
#include "formats/mat.h"
#include "io/text.h"

/* zlib, in both versions of the format, cannot expand more than this. */
#define MAX_EXPANSION 1032
#define HEADER_SIZE   128

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* HDF5 prints its errors; what it would print with is kept here meanwhile. */
typedef struct hdf5_errors {
    H5E_auto2_t print;
    void *data;
} hdf5_errors;

static void enter_matio(hdf5_errors *kept)
{
    pthread_mutex_lock(&one_at_a_time);
    H5Eget_auto2(H5E_DEFAULT, &kept->print, &kept->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void leave_matio(const hdf5_errors *kept)
{
    H5Eset_auto2(H5E_DEFAULT, kept->print, kept->data);
    pthread_mutex_unlock(&one_at_a_time);
}

static void close_mat(void *state)
{
    hdf5_errors quiet;
    enter_matio(&quiet);
    Mat_Close(state);
    leave_matio(&quiet);
}

static int is_number(const matvar_t *var)
{
    return var->class_type >= MAT_C_DOUBLE && var->class_type <= MAT_C_UINT64 && !var->isComplex;
}

static size_t element_width(const matvar_t *var)
{
    return Mat_SizeOfClass((int)var->class_type);
}

/* Pages in front, in reversed order; each page r x c as MATLAB shows it. Strides as stored. */
void mat_order(size_t rank, const size_t *dims, size_t *shape, size_t *stride)
{
    size_t stored[SPD_MAX_DIMS];
    walk_fortran(rank, dims, stored);
    for (size_t d = 0; d < rank; d++) {
        size_t from = d + 2 < rank ? rank - 1 - d : d + 2 - rank;
        shape[d] = dims[from];
        stride[d] = stored[from];
    }
}

/* Refuses sizes that overflow, or that a file of this length cannot hold. */
static spd_status check_size(spd_context *ctx, size_t file_size, const matvar_t *var)
{
    char text[80];
    size_t count, bytes, width = is_number(var) ? element_width(var) : 1;
    if (var->rank < 2 || var->rank > SPD_MAX_DIMS || !var->dims)
        return ctx_fail(ctx, SPD_EFORMAT, "has %d dimensions; 2 to %d are supported", var->rank,
                        SPD_MAX_DIMS);
    if (array_count((size_t)var->rank, var->dims, &count) || mem_mul(count, width, &bytes) ||
        bytes / MAX_EXPANSION > file_size) {
        array_shape_text((size_t)var->rank, var->dims, text, sizeof text);
        return ctx_fail(ctx, SPD_EFORMAT,
                        "promises %s elements, more than a file of %zu bytes can hold", text,
                        file_size);
    }
    return SPD_OK;
}

static spd_status decode_numbers(spd_context *ctx, const matvar_t *var, spd_array **array)
{
    static const char kinds[] = "ffiuiuiuiu"; /* double, single, int8, uint8, ... uint64 */
    npy_header h = {.kind = kinds[var->class_type - MAT_C_DOUBLE], .width = element_width(var)};
    h.ndim = (size_t)var->rank;
    mat_order(h.ndim, var->dims, h.shape, h.stride);
    array_count(h.ndim, h.shape, &h.count);
    /* matio may deliver less than the header promised. */
    if (h.count && (!var->data || var->nbytes / h.width < h.count))
        return ctx_fail(ctx, SPD_EFORMAT, "is cut short or damaged");
    return npy_decode(ctx, &h, var->data, array);
}

static spd_status decode(spd_context *ctx, const matvar_t *var, spd_array **array)
{
    if (is_number(var))
        return decode_numbers(ctx, var, array);
    if (var->class_type == MAT_C_CHAR)
        return mat_decode_chars(ctx, var, array);
    if (var->class_type == MAT_C_CELL)
        return mat_decode_cells(ctx, var, array);
    if (var->class_type == MAT_C_SPARSE)
        return ctx_fail(ctx, SPD_EFORMAT, "is sparse; save full(...) of it");
    if (var->isComplex)
        return ctx_fail(ctx, SPD_EFORMAT, "contains complex numbers; save real ones");
    return ctx_fail(ctx, SPD_EFORMAT,
                    "has an unsupported class; save numbers, a char matrix or cellstr(...)");
}

/* Within the lock. var: the variable as matio gives it, which is freed; array NULL: only its size
 * is checked. */
static spd_status take_variable(spd_context *ctx, const io_file *file, matvar_t *var,
                                spd_array **array)
{
    spd_status status = var ? check_size(ctx, file->source->size, var)
                            : ctx_fail(ctx, SPD_EFORMAT, "cannot be read; the file is damaged");
    if (status == SPD_OK && array)
        status = decode(ctx, var, array);
    Mat_VarFree(var);
    return status;
}

static spd_status read_mat(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array)
{
    char plain[80];
    hdf5_errors quiet;
    enter_matio(&quiet);
    spd_status status = take_variable(ctx, file, Mat_VarReadInfo(file->state, entry->name), NULL);
    if (status == SPD_OK)
        status = take_variable(ctx, file, Mat_VarRead(file->state, entry->name), array);
    leave_matio(&quiet);
    if (status < 0)
        ctx_prefix(ctx, text_plain(entry->name, plain, sizeof plain));
    return status;
}

static spd_status list_variable(spd_context *ctx, io_file *file, const matvar_t *var)
{
    io_entry entry = {0};
    size_t stride[SPD_MAX_DIMS];
    if (!var->name)
        return SPD_OK;
    if (var->rank >= 2 && var->rank <= SPD_MAX_DIMS && var->dims) { /* else listed, not readable */
        entry.readable = is_number(var) || var->class_type == MAT_C_CHAR || mat_is_text_cells(var);
        mat_order((size_t)var->rank, var->dims, entry.shape, stride);
        entry.ndim = var->class_type == MAT_C_CHAR ? 1 : (size_t)var->rank; /* texts are rows */
    }
    return io_add_entry(ctx, file, var->name, &entry);
}

/* Within the lock. */
static spd_status list_variables(spd_context *ctx, io_file *file)
{
    spd_status status = SPD_OK;
    matvar_t *var;
    while (status == SPD_OK && (var = Mat_VarReadNextInfo(file->state)) != NULL) {
        status = list_variable(ctx, file, var);
        Mat_VarFree(var);
    }
    if (status == SPD_OK && file->count == 0)
        status = ctx_fail(ctx, SPD_EFORMAT,
                          "contains no readable variables; it may be damaged or cut short");
    return status;
}

/* Is a file of version 5 all there? After its header comes a chain of elements, each with its
 * length in front; the last must end where the file does, which matio does not notice. */
static spd_status check_elements(spd_context *ctx, const io_source *source)
{
    uint32_t tag[2]; /* type, length */
    if (source->size < HEADER_SIZE)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off within its header");
    int swap = memcmp(source->bytes + HEADER_SIZE - 2, "MI", 2) == 0;
    for (size_t at = HEADER_SIZE; at < source->size;) {
        size_t left = source->size - at, length = 0;
        if (left >= sizeof tag) {
            memcpy(tag, source->bytes + at, sizeof tag);
            length = swap ? __builtin_bswap32(tag[1]) : tag[1];
        }
        if (left < sizeof tag || length > left - sizeof tag)
            return ctx_fail(
                ctx, SPD_EFORMAT,
                "is cut short: a variable at byte %zu extends beyond the file's %zu bytes", at,
                source->size);
        at += sizeof tag + length;
    }
    return SPD_OK;
}

spd_status mat_open(spd_context *ctx, io_file *file)
{
    char quoted[48];
    hdf5_errors quiet;
    const io_source *source = file->source;
    /* Version 4 has no mark of its own: anything would be taken for it. */
    if (source->size < 10 || memcmp(source->bytes, "MATLAB ", 7) != 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is not a MATLAB file of version 5 or 7.3 (starts with %s); save with -v7",
                        text_quote(source->bytes, source->size, quoted, sizeof quoted));
    spd_status status = SPD_OK;
    if (memcmp(source->bytes, "MATLAB 7.3", 10) != 0)
        status = check_elements(ctx, source);
    if (status < 0)
        return status;
    enter_matio(&quiet);
    file->state = Mat_Open(file->path, MAT_ACC_RDONLY);
    status = file->state ? list_variables(ctx, file)
                         : ctx_fail(ctx, SPD_EFORMAT, "is a damaged MATLAB file");
    leave_matio(&quiet);
    file->read = read_mat;
    file->close = file->state ? close_mat : NULL;
    return status;
}
