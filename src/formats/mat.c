/* mat.c - opening MATLAB files, and what holds for variables of either version. */
#include "formats/mat.h"

#include <string.h>

#include "base/memory.h"
#include "formats/format.h"
#include "io/array.h"
#include "io/inflate.h"
#include "io/text.h"

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
