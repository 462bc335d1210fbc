/* index_file.c - a table that says which input has which label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "describe/labelling.h"
#include "io/array.h"
#include "formats/csv.h"
#include "io/source.h"
#include "io/text.h"

/* The table is walked once for every column. */
#define MOST_COLUMNS ((size_t)1000)

/* By base name, then by the whole, so that rows of one file stand together. */
static int by_file(const void *a, const void *b)
{
    const index_key *p = a, *q = b;
    int order = strcmp(p->base, q->base);
    if (order == 0)
        order = strcmp(p->file, q->file);
    return order ? order : (p->row > q->row) - (p->row < q->row);
}

static spd_status sort_rows(spd_context *ctx, index_file *index)
{
    index->order = mem_alloc(index->rows, sizeof *index->order);
    if (!index->order)
        return ctx_nomem(ctx, "an index");
    for (size_t i = 0; i < index->rows; i++) {
        const char *file = index->column[0]->text[i];
        index->order[i] = (index_key){path_base(file), file, i};
    }
    qsort(index->order, index->rows, sizeof *index->order, by_file);
    return SPD_OK;
}

/* The line on which a row of the table begins. */
static size_t line_of(const csv_table *table, size_t row)
{
    csv_cursor walk = table->start;
    csv_cell here = {0};
    for (size_t rows = 0; rows <= row && csv_next(&walk, &here) == CSV_CELL;)
        rows += here.column == 0 ? 1 : 0;
    return here.line;
}

/* A file that is named twice must have the same label and columns both times. */
static spd_status check_repeats(spd_context *ctx, const csv_table *table, const index_file *index)
{
    char file[120], name[60];
    for (size_t i = 1; i < index->rows; i++) {
        const index_key *one = &index->order[i - 1], *two = &index->order[i];
        for (size_t j = 1; j < index->columns && strcmp(one->file, two->file) == 0; j++) {
            const spd_array *column = index->column[j];
            if (!column_same((cell){column, one->row}, (cell){column, two->row}))
                return ctx_fail(ctx, SPD_EINVAL,
                                "lines %zu and %zu name the same file, '%s', but differ in '%s'; "
                                "remove one of them",
                                line_of(table, one->row), line_of(table, two->row),
                                text_plain(one->file, file, sizeof file),
                                text_plain(column->name, name, sizeof name));
        }
    }
    return SPD_OK;
}

/* A header is known by its first word, or as in any table: text above numbers. */
static int is_header(const csv_cell *head)
{
    static const char *const words[] = {"file", "files", "filename", "file_name", "name",
                                        "path", "image", "clip",     "input"};
    char text[24];
    if (head->size >= sizeof text)
        return 0;
    csv_copy(head, text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_same(text, words[i]))
            return 1;
    return 0;
}

/* Has a cell an ending, as names of files have and names of columns have not? */
static int looks_like_file(const csv_cell *head)
{
    char text[200];
    if (head->size >= sizeof text)
        return 0;
    csv_copy(head, text);
    return !is_header(head) && *path_ending(text);
}

int index_is_likely(const char *bytes, size_t size)
{
    csv_cursor walk;
    csv_cell head;
    csv_start(&walk, bytes, size);
    return csv_next(&walk, &head) == CSV_CELL && !head.last && is_header(&head);
}

/* *names <- one text per column: the header's, or column2, column3, ... The table is then at its
 * first row of data. */
static spd_status read_header(spd_context *ctx, const io_source *source, csv_table *table,
                              spd_array **names)
{
    csv_cursor walk, after;
    csv_cell head;
    char *pool;
    csv_start(&walk, (const char *)source->bytes, source->size);
    after = walk;
    spd_status status =
        array_new_text(ctx, 1, &table->columns, source->size + 24 * table->columns, names, &pool);
    if (status < 0)
        return status;
    csv_next(&after, &head);
    int passed = table->start.line > walk.line, header = passed || is_header(&head);
    if (passed && looks_like_file(&head))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "line %zu begins with a file, but has text above numbers in another "
                        "column; correct it, or put a header before it: file,label",
                        head.line);
    for (size_t j = 0; j < table->columns; j++) {
        csv_next(&walk, &head);
        size_t length = header ? csv_copy(&head, pool) : 0;
        if (!header || length == 0 || utf8_length(pool) == SIZE_MAX)
            length = (size_t)snprintf(pool, 24, "column%zu", j + 1);
        (*names)->text[j] = pool;
        pool += length + 1;
        if (header && !passed)
            table->seen[j] &= CSV_TEXT_LATER | CSV_NUMBER_LATER;
    }
    if (header && !passed) {
        table->start = walk;
        table->rows--;
    }
    return SPD_OK;
}

static spd_status read_columns(spd_context *ctx, const csv_table *table, const spd_array *names,
                               index_file *index)
{
    spd_status status = SPD_OK;
    index->column = mem_zero(table->columns, sizeof *index->column);
    if (!index->column)
        return ctx_nomem(ctx, "an index");
    index->columns = table->columns;
    index->rows = table->rows;
    for (size_t j = 0; j < table->columns && status == SPD_OK; j++)
        status = column_of_table(ctx, table, j, j == 0 || (table->seen[j] & CSV_TEXT),
                                 names->text[j], &index->column[j]);
    return status;
}

static spd_status read_table(spd_context *ctx, const io_source *source, index_file *index)
{
    csv_table table = {0};
    spd_array *names = NULL;
    spd_status status = csv_survey(ctx, (const char *)source->bytes, source->size, NULL, &table);
    if (status == SPD_OK && table.columns < 2)
        status = ctx_fail(ctx, SPD_EFORMAT, "an index needs at least two columns: file, label");
    if (status == SPD_OK && table.columns > MOST_COLUMNS)
        status = ctx_fail(ctx, SPD_EFORMAT, "has %zu columns; an index has at most %zu",
                          table.columns, MOST_COLUMNS);
    if (status == SPD_OK)
        status = read_header(ctx, source, &table, &names);
    if (status == SPD_OK && table.rows == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "the index has no rows below its header");
    if (status == SPD_OK)
        status = read_columns(ctx, &table, names, index);
    if (status == SPD_OK)
        status = sort_rows(ctx, index);
    if (status == SPD_OK)
        status = check_repeats(ctx, &table, index);
    spd_array_free(names);
    csv_table_free(&table);
    return status;
}

spd_status index_read(spd_context *ctx, const char *path, index_file *index)
{
    io_source *source;
    spd_status status = source_load(ctx, path, &source);
    if (status == SPD_OK) {
        status = read_table(ctx, source, index);
        source_free(source);
    }
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

void index_free(index_file *index)
{
    for (size_t j = 0; index->column && j < index->columns; j++)
        spd_array_free(index->column[j]);
    mem_free(index->column);
    mem_free(index->order);
    *index = (index_file){0};
}

/* Does the path end with this file, at a slash? */
static int is_suffix(const char *file, const char *path)
{
    size_t length = strlen(path), tail = strlen(file);
    if (length < tail || strcmp(path + length - tail, file) != 0)
        return 0;
    return length == tail || path[length - tail - 1] == '/' || file[0] == '/';
}

/* First place in the order whose base name is not below. */
static size_t lower_bound(const index_file *index, const char *base)
{
    size_t low = 0, high = index->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->order[middle].base, base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

spd_status index_find(spd_context *ctx, const index_file *index, const char *name, size_t *row)
{
    const char *base = path_base(name);
    size_t same = 0, longest = 0, best = SIZE_MAX, only = SIZE_MAX;
    const index_key *key = index->order + lower_bound(index, base);
    for (; key < index->order + index->rows && strcmp(key->base, base) == 0; key++) {
        const char *file = index->column[0]->text[key->row];
        same++;
        only = key->row;
        if (is_suffix(file, name) && strlen(file) > longest) {
            longest = strlen(file);
            best = key->row;
        }
    }
    if (best == SIZE_MAX && same > 1)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu rows of the index name a file '%.80s', none of them "
                        "in its folder",
                        same, base);
    if (same == 0)
        return ctx_fail(ctx, SPD_EINVAL, "no row of the index names this input");
    *row = best != SIZE_MAX ? best : only;
    return SPD_OK;
}
