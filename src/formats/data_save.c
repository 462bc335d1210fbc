/* data_save.c - writing a data set: X, y and the columns, borrowed as they lie in memory. */
#include <string.h>

#include "base/memory.h"
#include "formats/csv.h"
#include "formats/data.h"
#include "io/file.h"
#include "io/text.h"

/* A view of the matrices; nothing is copied, but for complex ones, which *block (new) then holds.
 */
static spd_status view_matrices(spd_context *ctx, const spd_data *data, const char *name,
                                spd_array *view, double **block)
{
    size_t size = data_size(data);
    *view = (spd_array){.name = name, .type = SPD_FLOAT64, .ndim = 3, .f64 = data->X};
    view->shape[0] = data->p;
    view->shape[1] = view->shape[2] = size;
    view->count = data->p * size * size;
    *block = NULL;
    if (!data->hermitian)
        return SPD_OK;
    view->type = SPD_COMPLEX128;
    view->f64 = *block = mem_alloc(view->count, 2 * sizeof **block);
    if (!*block)
        return ctx_nomem(ctx, "complex matrices");
    spd_complex_extract(size, size, data->p, data->X, *block);
    return SPD_OK;
}

/* What X or y is called in the file: so, or as it was read when a column has that name. */
static const char *choose_name(const spd_data *data, const char *usual, const spd_array *origin)
{
    return data_column(data, usual) && origin && origin->name ? origin->name : usual;
}

spd_status spd_data_save(spd_context *ctx, const spd_data *data, const char *path)
{
    static const char *const tables[] = {".csv", ".tsv", ".txt", NULL};
    spd_array X, y = {0};
    double *block = NULL;
    size_t count = 0;
    ctx_clear(ctx);
    if (path_ends_in(path, tables)) {
        spd_status written = csv_write_data(ctx, path, data);
        if (written < 0)
            ctx_prefix(ctx, path);
        return written;
    }
    const spd_array **arrays = mem_alloc(data->columns + 2, sizeof *arrays);
    spd_status status = arrays ? SPD_OK : ctx_nomem(ctx, "a list of arrays");
    if (status == SPD_OK)
        status = view_matrices(ctx, data, choose_name(data, "X", data->x), &X, &block);
    if (status < 0) {
        mem_free(arrays);
        return status;
    }
    arrays[count++] = &X;
    int with_labels = !text_same(path_ending(path), ".npy");
    if (data->y && with_labels) {
        y = *data->y;
        y.name = choose_name(data, "y", data->y);
        arrays[count++] = &y;
    }
    for (size_t i = 0; i < data->columns && with_labels; i++)
        arrays[count++] = data->column[i];
    status = data->meta && text_same(path_ending(path), ".npz")
                 ? bundle_write(ctx, path, count, arrays, data->meta)
                 : spd_arrays_write(ctx, path, count, arrays);
    mem_free(block);
    mem_free(arrays);
    return status;
}
