/* data_save.c - writing a data set: X, y and the columns, borrowed as they lie in memory. */
#include <string.h>

#include "base/memory.h"
#include "formats/csv.h"
#include "formats/data.h"
#include "io/file.h"
#include "io/text.h"

/* A view of the matrices; nothing is copied. */
static spd_array matrices_view(const spd_data *data, const char *name)
{
    spd_array view = {.name = name, .type = SPD_FLOAT64, .ndim = 3};
    view.shape[0] = data->p;
    view.shape[1] = view.shape[2] = data->n;
    view.count = data->p * data->n * data->n;
    view.f64 = data->X;
    return view;
}

/* What X or y is called in the file: so, or as it was read when a column has that name. */
static const char *choose_name(const spd_data *data, const char *usual, const spd_array *origin)
{
    return data_column(data, usual) && origin && origin->name ? origin->name : usual;
}

spd_status spd_data_save(spd_context *ctx, const spd_data *data, const char *path)
{
    static const char *const tables[] = {".csv", ".tsv", ".txt", NULL};
    spd_array X = matrices_view(data, choose_name(data, "X", data->x)), y = {0};
    size_t count = 0;
    ctx_clear(ctx);
    if (path_ends_in(path, tables)) {
        spd_status written = csv_write_data(ctx, path, data);
        if (written < 0)
            ctx_prefix(ctx, path);
        return written;
    }
    const spd_array **arrays = mem_alloc(data->columns + 2, sizeof *arrays);
    if (!arrays)
        return ctx_nomem(ctx, "a list of arrays");
    arrays[count++] = &X;
    int with_labels = !text_same(path_ending(path), ".npy");
    if (data->y && with_labels) {
        y = *data->y;
        y.name = choose_name(data, "y", data->y);
        arrays[count++] = &y;
    }
    for (size_t i = 0; i < data->columns && with_labels; i++)
        arrays[count++] = data->column[i];
    spd_status status = data->meta && text_same(path_ending(path), ".npz")
                            ? bundle_write(ctx, path, count, arrays, data->meta)
                            : spd_arrays_write(ctx, path, count, arrays);
    mem_free(arrays);
    return status;
}
