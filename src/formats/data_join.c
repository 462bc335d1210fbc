/* data_join.c - some samples of a data set, and several sets as one: matrices, labels and columns
 * are gathered row by row. */
#include <string.h>

#include "base/memory.h"
#include "formats/columns.h"
#include "formats/data.h"
#include "io/array.h"
#include "io/file.h"
#include "io/text.h"

/* ---- sets ------------------------------------------------------------------------------------ */

/* Which sample of which set each new one is. */
typedef struct choice {
    const spd_data *set;
    size_t sample;
} choice;

static spd_status take_matrices(spd_context *ctx, const choice *of, spd_data *made)
{
    const size_t shape[3] = {made->p, made->n, made->n}, each = made->n * made->n;
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, 3, shape, &made->x);
    if (status < 0)
        return status;
    made->X = made->x->f64;
    for (size_t i = 0; i < made->p; i++)
        memcpy(made->X + i * each, of[i].set->X + of[i].sample * each, each * sizeof *made->X);
    return array_rename(ctx, made->x, "X");
}

static spd_status take_labels(spd_context *ctx, const choice *of, cell *row, spd_data *made)
{
    if (!of[0].set->y)
        return SPD_OK;
    for (size_t i = 0; i < made->p; i++)
        row[i] = (cell){of[i].set->y, of[i].sample};
    spd_status status = column_gather(ctx, of[0].set->y->name, made->p, row, &made->y);
    if (status == SPD_OK && !made->y)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "some labels are numbers, others are texts; give all sets labels of one "
                          "kind");
    return status < 0 ? status : labels_classify(ctx, made);
}

/* Columns that all sets have under one name. */
static spd_status take_columns(spd_context *ctx, const choice *of, cell *row, spd_data *made)
{
    const spd_data *first = of[0].set;
    spd_status status = SPD_OK;
    made->column = mem_zero(first->columns + 1, sizeof *made->column);
    if (!made->column)
        return ctx_nomem(ctx, "columns");
    for (size_t c = 0; c < first->columns && status == SPD_OK; c++) {
        const char *name = first->column[c]->name;
        spd_array *column = NULL;
        for (size_t i = 0; i < made->p && name; i++)
            row[i] = (cell){data_column(of[i].set, name), of[i].sample};
        if (name)
            status = column_gather(ctx, name, made->p, row, &column);
        if (column)
            made->column[made->columns++] = column;
    }
    return status;
}

/* *made <- the chosen samples, p of them. */
static spd_status assemble(spd_context *ctx, size_t p, const choice *of, spd_data **made)
{
    spd_data *fresh = mem_zero(1, sizeof *fresh);
    cell *row = mem_alloc(p, sizeof *row);
    const char *meta = of[0].set->meta;
    spd_status status = fresh && row ? SPD_OK : ctx_nomem(ctx, "a data set");
    if (status == SPD_OK) {
        fresh->p = p;
        fresh->n = of[0].set->n;
        fresh->hermitian = of[0].set->hermitian;
        fresh->source = mem_text(of[0].set->source ? of[0].set->source : "");
        fresh->meta = meta ? mem_text(meta) : NULL;
        if (!fresh->source || (meta && !fresh->meta))
            status = ctx_nomem(ctx, "a data set");
    }
    if (status == SPD_OK)
        status = take_matrices(ctx, of, fresh);
    if (status == SPD_OK)
        status = take_labels(ctx, of, row, fresh);
    if (status == SPD_OK)
        status = take_columns(ctx, of, row, fresh);
    if (status == SPD_OK)
        status = data_find_means(ctx, fresh);
    mem_free(row);
    if (status < 0)
        spd_data_free(fresh);
    else
        *made = fresh;
    return status;
}

spd_status spd_data_select(spd_context *ctx, const spd_data *data, size_t count,
                           const size_t *index, spd_data **selected)
{
    ctx_clear(ctx);
    if (count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "no samples are selected");
    choice *of = mem_alloc(count, sizeof *of);
    spd_status status = of ? SPD_OK : ctx_nomem(ctx, "a list of samples");
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        of[i] = (choice){data, index[i]};
        if (index[i] >= data->p)
            status = ctx_fail(ctx, SPD_EINVAL, "sample %zu is selected, but there are %zu",
                              index[i], data->p);
    }
    if (status == SPD_OK)
        status = assemble(ctx, count, of, selected);
    mem_free(of);
    return status;
}

/* ---- joining --------------------------------------------------------------------------------- */

static const char *name_of(const spd_data *set)
{
    return set->source ? set->source : "a set";
}

static spd_status check_alike(spd_context *ctx, const spd_data *first, const spd_data *other)
{
    if (first->hermitian != other->hermitian)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%.200s holds complex matrices, but %.200s holds real ones; make these "
                        "complex too, or join them apart",
                        name_of(first->hermitian ? first : other),
                        name_of(first->hermitian ? other : first));
    if (first->n != other->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%.200s holds %zu x %zu matrices, but %.200s holds %zu x %zu",
                        name_of(other), data_size(other), data_size(other), name_of(first),
                        data_size(first), data_size(first));
    if (!first->y != !other->y)
        return ctx_fail(ctx, SPD_EINVAL, "%.200s has labels, but %.200s has none",
                        name_of(first->y ? first : other), name_of(first->y ? other : first));
    return SPD_OK;
}

/* A column with the source of each sample; it takes the place of one of that name. */
static spd_status add_source(spd_context *ctx, const char *name, const choice *of, spd_data *made)
{
    size_t at = 0;
    spd_array *column;
    const char **texts = mem_alloc(made->p, sizeof *texts);
    if (!texts)
        return ctx_nomem(ctx, "the sources of samples");
    for (size_t i = 0; i < made->p; i++)
        texts[i] = name_of(of[i].set);
    spd_status status = column_texts(ctx, name, made->p, texts, &column);
    mem_free(texts);
    if (status < 0)
        return status;
    while (at < made->columns && strcmp(made->column[at]->name, name) != 0)
        at++;
    if (at == made->columns)
        made->columns++;
    spd_array_free(made->column[at]);
    made->column[at] = column;
    return SPD_OK;
}

spd_status data_join_arrays(spd_context *ctx, size_t count, spd_array *const *arrays,
                            spd_array **made)
{
    size_t rows = 0, at = 0;
    for (size_t k = 0; k < count; k++)
        rows += arrays[k]->count;
    cell *row = mem_alloc(rows, sizeof *row);
    if (!row)
        return ctx_nomem(ctx, "labels");
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < arrays[k]->count; i++)
            row[at++] = (cell){arrays[k], i};
    spd_status status = column_gather(ctx, arrays[0]->name, rows, row, made);
    mem_free(row);
    return status;
}

spd_status spd_data_join(spd_context *ctx, size_t count, const spd_data *const *sets,
                         const char *source, spd_data **joined)
{
    size_t p = 0, at = 0;
    spd_data *fresh = NULL;
    spd_status status = SPD_OK;
    ctx_clear(ctx);
    if (count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there is nothing to join");
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        status = check_alike(ctx, sets[0], sets[k]);
        p += sets[k]->p;
    }
    if (status < 0)
        return status;
    choice *of = mem_alloc(p, sizeof *of);
    if (!of)
        return ctx_nomem(ctx, "a list of samples");
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < sets[k]->p; i++)
            of[at++] = (choice){sets[k], i};
    status = assemble(ctx, p, of, &fresh);
    if (status == SPD_OK && source)
        status = add_source(ctx, source, of, fresh);
    mem_free(of);
    if (status < 0) {
        spd_data_free(fresh);
        return status;
    }
    /* The record of how the matrices were made is the first one's, where all have one. */
    for (size_t k = 0; k < count; k++)
        if (!sets[k]->meta) {
            mem_free((char *)fresh->meta);
            fresh->meta = NULL;
        }
    *joined = fresh;
    return SPD_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* A view of the matrices; nothing is copied, but for complex ones, which *block (new) then holds.
 */
static spd_status view_matrices(spd_context *ctx, const spd_data *data, const char *name,
                                spd_array *view, double **block)
{
    size_t size = data_size(data);
    *view = (spd_array){.name = name, .type = SPD_TYPE_FLOAT64, .ndim = 3, .f64 = data->X};
    view->shape[0] = data->p;
    view->shape[1] = view->shape[2] = size;
    view->count = data->p * size * size;
    *block = NULL;
    if (!data->hermitian)
        return SPD_OK;
    view->type = SPD_TYPE_COMPLEX128;
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
