/* long_table.c - a long table as slices; see arrays.h. */
#include "describe/arrays.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "formats/columns.h"
#include "describe/text_table.h"
#include "io/array.h"
#include "formats/csv.h"
#include "formats/data.h"
#include "io/source.h"

/* Which rows belong to which slice. */
typedef struct slicing {
    size_t rows, slices;
    size_t *of;    /* rows: the slice of each, numbered by first appearance */
    size_t *first; /* slices: the first row of each */
    size_t *start; /* slices + 1: where each begins once rows are sorted by slice */
    arena room;    /* of the three, and of scratch */
} slicing;

/* Numbers the classes by first appearance. */
static spd_status number_slices(spd_context *ctx, const spd_data *classes, slicing *g)
{
    g->rows = classes->p;
    g->of = arena_alloc(&g->room, g->rows, sizeof *g->of);
    g->first = arena_alloc(&g->room, classes->classes, sizeof *g->first);
    g->start = arena_zero(&g->room, classes->classes + 1, sizeof *g->start);
    size_t *number = arena_alloc(&g->room, classes->classes, sizeof *number);
    spd_status status = arena_status(&g->room, ctx, "a long table");
    if (status < 0)
        return status;
    for (size_t c = 0; c < classes->classes; c++)
        number[c] = SIZE_MAX;
    for (size_t i = 0; i < g->rows; i++) {
        size_t *own = &number[classes->label[i]];
        if (*own == SIZE_MAX) {
            g->first[g->slices] = i;
            *own = g->slices++;
        }
        g->of[i] = *own;
        g->start[*own + 1]++;
    }
    for (size_t k = 0; k < g->slices; k++)
        g->start[k + 1] += g->start[k];
    return SPD_OK;
}

/* g <- from the column that names the slice of each of r rows. */
static spd_status find_slices(spd_context *ctx, spd_array *column, slicing *g)
{
    spd_data classes = {.p = column->count, .y = column};
    spd_status status = labels_classify(ctx, &classes);
    if (status == SPD_OK)
        status = number_slices(ctx, &classes, g);
    mem_free(classes.label);
    mem_free(classes.class_name);
    return status;
}

/* X <- its rows sorted by slice. */
static spd_status sort_rows(spd_context *ctx, slicing *g, spd_array **X)
{
    spd_array *sorted = NULL;
    size_t n = (*X)->shape[1];
    size_t *next = arena_alloc(&g->room, g->slices, sizeof *next);
    spd_status status = arena_status(&g->room, ctx, "a long table");
    if (status == SPD_OK)
        status = array_new(ctx, SPD_TYPE_FLOAT64, 2, (*X)->shape, &sorted);
    if (status != SPD_OK)
        return status;
    memcpy(next, g->start, g->slices * sizeof *next);
    for (size_t i = 0; i < g->rows; i++)
        memcpy(sorted->f64 + next[g->of[i]]++ * n, (*X)->f64 + i * n, n * sizeof(double));
    spd_array_free(*X);
    *X = sorted;
    return SPD_OK;
}

/* The first row whose value differs from that of its slice's first row, or SIZE_MAX. */
static size_t first_difference(const slicing *g, const spd_array *column)
{
    for (size_t i = 0; i < g->rows; i++)
        if (!column_same((cell){column, i}, (cell){column, g->first[g->of[i]]}))
            return i;
    return SIZE_MAX;
}

/* column <- one row per slice. */
static spd_status shorten(spd_context *ctx, slicing *g, spd_array **column)
{
    spd_array *short_one = NULL;
    cell *cells = arena_alloc(&g->room, g->slices, sizeof *cells);
    spd_status status = arena_status(&g->room, ctx, "a long table");
    for (size_t k = 0; k < g->slices && status == SPD_OK; k++)
        cells[k] = (cell){*column, g->first[k]};
    if (status == SPD_OK)
        status = column_gather(ctx, (*column)->name, g->slices, cells, &short_one);
    if (status == SPD_OK && short_one) {
        spd_array_free(*column);
        *column = short_one;
    }
    return status;
}

/* The extras with a row per slice; what varies within one is left out. */
static spd_status shorten_extras(spd_context *ctx, slicing *g, spd_data *extras)
{
    size_t kept = 0, differs = extras->y ? first_difference(g, extras->y) : SIZE_MAX;
    spd_status status = SPD_OK;
    if (differs != SIZE_MAX)
        return ctx_fail_at(ctx, SPD_EINVAL, differs, 0.0,
                           "row %zu has a different label from the first row of its group",
                           differs);
    if (extras->y)
        status = shorten(ctx, g, &extras->y);
    for (size_t i = 0; i < extras->columns && status == SPD_OK; i++) {
        spd_array *column = extras->column[i];
        extras->column[i] = NULL;
        if (first_difference(g, column) == SIZE_MAX) {
            status = shorten(ctx, g, &column);
            extras->column[kept++] = column;
        } else {
            spd_array_free(column);
        }
    }
    if (status == SPD_OK)
        extras->columns = kept;
    extras->p = g->slices;
    return status;
}

spd_status long_table_of_array(spd_context *ctx, const char *path,
                               const spd_describe_options *options, array_source *source)
{
    slicing g = {0};
    spd_status status = SPD_OK;
    spd_array *column = data_column(source->extras, options->group);
    if (source->X->ndim != 2)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "a group column divides a single table r x n; this array is already p "
                          "x r x n");
    else if (!column || column->ndim != 1)
        status =
            ctx_fail(ctx, SPD_EINVAL, "has no column '%.60s' with a value for each of %zu rows",
                     options->group, source->rows);
    else
        status = find_slices(ctx, column, &g);
    if (status == SPD_OK)
        status = sort_rows(ctx, &g, &source->X);
    if (status == SPD_OK)
        status = shorten_extras(ctx, &g, source->extras);
    if (status == SPD_OK) {
        source->slices = g.slices;
        source->start = g.start;
        source->room = g.room;
    } else {
        ctx_prefix(ctx, path);
        arena_free(&g.room);
    }
    return status;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* *table <- with the column of that name in the header as its label. */
static spd_status survey(spd_context *ctx, const io_source *text, const char *name,
                         csv_table *table)
{
    spd_status status = csv_survey(ctx, (const char *)text->bytes, text->size, name, table);
    if (status == SPD_OK && table->label == table->columns) {
        status = ctx_fail(ctx, SPD_EINVAL, "no column is named '%.60s' in the first line", name);
        csv_table_free(table);
    }
    return status;
}

/* Numbers of the channels, which are none of the columns marked. */
static spd_status read_numbers(spd_context *ctx, const io_source *text, const csv_table *table,
                               const char *aside, const char *wanted, array_source *source)
{
    text_table made;
    spd_status status =
        text_table_take(ctx, (const char *)text->bytes, text->size, table, aside, wanted, &made);
    if (status < 0)
        return status;
    source->X = made.X;
    source->name = made.name;
    memcpy(source->time, made.time, sizeof made.time);
    source->slices = source->channels = 1;
    source->rows = source->X->shape[0];
    source->columns = source->X->shape[1];
    return SPD_OK;
}

static spd_status read_table(spd_context *ctx, const io_source *text,
                             const spd_describe_options *options, array_source *source)
{
    csv_table table = {0}, same = {0};
    size_t y = SIZE_MAX;
    char *skip = NULL;
    spd_data *extras = source->extras;
    spd_status status = survey(ctx, text, options->group, &table);
    const size_t group = table.label;
    if (status == SPD_OK && options->y_name) {
        status = survey(ctx, text, options->y_name, &same);
        y = same.label;
        csv_table_free(&same);
    }
    if (status == SPD_OK && !(skip = mem_zero(table.columns, 1)))
        status = ctx_nomem(ctx, "a table");
    if (status == SPD_OK) {
        skip[group] = 1;
        if (y != SIZE_MAX)
            skip[y] = 1;
        status = read_numbers(ctx, text, &table, skip, options->channels, source);
    }
    if (status == SPD_OK && y != SIZE_MAX)
        status = column_of_table(ctx, &table, y, table.seen[y] & CSV_TEXT, "y", &extras->y);
    if (status == SPD_OK)
        status = column_of_table(ctx, &table, group, table.seen[group] & CSV_TEXT, options->group,
                                 &extras->column[0]);
    extras->columns = status == SPD_OK ? 1 : 0;
    mem_free(skip);
    csv_table_free(&table);
    return status;
}

spd_status long_table_of_text(spd_context *ctx, const char *path,
                              const spd_describe_options *options, array_source *source)
{
    io_source *text = NULL;
    source->extras = mem_zero(1, sizeof *source->extras);
    if (!source->extras || !(source->extras->column = mem_zero(1, sizeof(spd_array *))))
        return ctx_nomem(ctx, "a table");
    spd_status status = source_load(ctx, path, &text);
    if (status == SPD_OK)
        status = read_table(ctx, text, options, source);
    source_free(text);
    if (status < 0) {
        ctx_prefix(ctx, path);
        return status;
    }
    return long_table_of_array(ctx, path, options, source);
}
