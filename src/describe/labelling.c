/* labelling.c - labels of inputs; see labelling.h. */
#include "describe/labelling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "describe/arrays.h"
#include "describe/inputs.h"
#include "formats/csv.h"
#include "io/array.h"
#include "io/source.h"
#include "io/text.h"

/* ---- index files ---------------------------------------------------------------------------- */

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

/* ---- tables of events ----------------------------------------------------------------------- */

/* How the names of tables end: as BIDS has it, and with commas. */
static const char *const tails[] = {"_events.tsv", "_events.csv"};
#define TAILS (sizeof tails / sizeof *tails)

static int ends_in(const char *path, size_t count, const char *const *ends)
{
    const size_t length = strlen(path);
    for (size_t t = 0; t < count; t++) {
        const size_t tail = strlen(ends[t]);
        if (length >= tail && strcmp(path + length - tail, ends[t]) == 0)
            return 1;
    }
    return 0;
}

int events_is_named(const char *path)
{
    return ends_in(path, TAILS, tails);
}

int events_is_beside(const char *path)
{
    static const char *const others[] = {"_channels.tsv", "_electrodes.tsv", "_scans.tsv",
                                         "_sessions.tsv", "participants.tsv"};
    return events_is_named(path) || ends_in(path, sizeof others / sizeof *others, others);
}

static spd_status read_events(spd_context *ctx, const char *path, recording_events *events)
{
    io_source *source;
    spd_status status = source_load(ctx, path, &source);
    if (status == SPD_OK) {
        status = events_parse(ctx, (const char *)source->bytes, source->size, events);
        source_free(source);
    }
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

/* The path without its ending, and without "_eeg", "_ieeg" or "_meg" before it: its length. */
static size_t stem_length(const char *path)
{
    static const char *const kinds[] = {"_eeg", "_ieeg", "_meg"};
    size_t length = strlen(path) - strlen(path_ending(path));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t tail = strlen(kinds[k]);
        if (length > tail && memcmp(path + length - tail, kinds[k], tail) == 0)
            return length - tail;
    }
    return length;
}

/* "a/sub-01_task-x_eeg.edf" has its events in "a/sub-01_task-x_events.tsv". */
static spd_status read_beside(spd_context *ctx, const char *path, recording_events *events)
{
    const size_t stem = stem_length(path), room = stem + 16;
    spd_status status = SPD_OK;
    char *name = mem_alloc(room, 1);
    if (!name)
        return ctx_nomem(ctx, "a path");
    for (size_t t = 0; t < TAILS && events->count == 0 && status == SPD_OK; t++) {
        snprintf(name, room, "%.*s%s", (int)stem, path, tails[t]);
        if (access(name, F_OK) == 0)
            status = read_events(ctx, name, events);
    }
    mem_free(name);
    return status;
}

spd_status events_of_input(spd_context *ctx, const inputs *list, const item *what,
                           recording_events *events)
{
    const char *named = list->options->events;
    if (strcmp(named, "auto") != 0 && list->count > 1)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%.200s: a table of events is for one recording, but there are %zu inputs; "
                        "'auto' takes the table beside each",
                        named, list->count);
    if (strcmp(named, "auto") != 0)
        return read_events(ctx, named, events);
    return what->archive || what->array ? SPD_OK : read_beside(ctx, what->name, events);
}

/* ---- an index -------------------------------------------------------------------------------- */

/* An input whose labels are not to be had ends the run, or is noted and left out. */
static spd_status leave_out(spd_context *ctx, inputs *list, size_t i, const char *from, size_t *row)
{
    ctx_prefix(ctx, list->item[i].name);
    ctx_append(ctx, " (%.120s)", from);
    *row = SIZE_MAX;
    return list->options->keep_going ? inputs_skip(ctx, list, list->item[i].name) : SPD_EINVAL;
}

static spd_status by_index(spd_context *ctx, inputs *list, labelling *l)
{
    spd_status status = index_read(ctx, list->options->index, &l->index);
    for (size_t i = 0; i < list->count && status == SPD_OK; i++)
        if (index_find(ctx, &l->index, list->item[i].name, &l->row[i]) < 0)
            status = leave_out(ctx, list, i, list->options->index, &l->row[i]);
    return status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Room for columns; that of files stays empty. */
static spd_status make_columns(spd_context *ctx, size_t columns, index_file *index)
{
    index->column = mem_zero(columns, sizeof *index->column);
    index->columns = index->column ? columns : 0;
    return index->column ? SPD_OK : ctx_nomem(ctx, "labels");
}

/* An array file of labels, one for each input, in the order of the inputs. */
static spd_status by_label_file(spd_context *ctx, const inputs *list, labelling *l)
{
    const char *path = list->options->index;
    spd_array *labels = NULL;
    spd_status status = make_columns(ctx, 2, &l->index);
    if (status == SPD_OK)
        status = spd_array_read(ctx, path, list->options->y_name, &labels);
    if (status < 0)
        return status;
    l->index.column[1] = labels;
    if (labels->count != list->count)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%.255s: holds %zu labels for %zu inputs; it needs one for each, in their "
                        "order, or use an index (.csv) that names them",
                        path, labels->count, list->count);
    labels->ndim = 1;
    labels->shape[0] = labels->count;
    return SPD_OK;
}

/* The labels that came with slices; 1 when all inputs have one. */
static int by_arrays(const inputs *list, labelling *l)
{
    for (size_t i = 0; i < list->count; i++) {
        const item *what = &list->item[i];
        if (!what->array || !what->array->extras || !what->array->extras->y) {
            l->label[0] = (cell){0};
            return 0;
        }
        l->label[i] = (cell){what->array->extras->y, what->index};
    }
    return 1;
}

/* ---- names ----------------------------------------------------------------------------------- */

#define FOLDER "{y}/{}"

/* A {column} of a pattern. */
typedef struct slot {
    const char *name; /* "": it is passed over */
    const char *next; /* the text that follows it, length of it; none only at the end */
    size_t length;
} slot;

/* "a_{y}_{}": what names look like. */
typedef struct pattern {
    const char *text;
    size_t lead; /* of the text before the first column */
    size_t columns;
    slot *column;
    arena room;
} pattern;

static const char *part(arena *room, const char *from, size_t length)
{
    char *copy = arena_zero(room, length + 1, 1);
    return copy ? memcpy(copy, from, length) : NULL;
}

static spd_status parse(spd_context *ctx, const char *text, pattern *p)
{
    size_t named = 0;
    p->text = text;
    p->lead = strcspn(text, "{");
    p->column = arena_alloc(&p->room, strlen(text) + 1, sizeof *p->column);
    for (const char *at = text + p->lead; *at && p->column; p->columns++) {
        const char *name = at + 1, *end = name + strcspn(name, "{}/");
        if (*end != '}' || end[1] == '{')
            return ctx_fail(ctx, SPD_EINVAL,
                            "the pattern '%.100s' is not made of {columns} with text between them",
                            text);
        named += end > name;
        at = end + 1 + strcspn(end + 1, "{");
        p->column[p->columns] =
            (slot){part(&p->room, name, (size_t)(end - name)), end + 1, (size_t)(at - end - 1)};
    }
    if (named == 0 && p->column)
        return ctx_fail(ctx, SPD_EINVAL,
                        "'%.100s' is not auto, folder or none, nor a pattern with {y}", text);
    return arena_status(&p->room, ctx, "labels");
}

/* Does the pattern fit a name (length of it)? text[j * step] <- what column j takes: all up to the
 * text that follows, in one folder. */
static int fits(pattern *p, const char *name, size_t length, size_t step, const char **text)
{
    if (length < p->lead || memcmp(name, p->text, p->lead) != 0)
        return 0;
    name += p->lead;
    length -= p->lead;
    for (const slot *s = p->column; s < p->column + p->columns; s++, text += step) {
        size_t take = s->length ? 1 : length;
        while (take + s->length <= length && memcmp(name + take, s->next, s->length) != 0)
            take++;
        if (take == 0 || take + s->length > length || memchr(name, '/', take))
            return 0;
        *text = part(&p->room, name, take);
        name += take + s->length;
        length -= take + s->length;
    }
    return length == 0;
}

/* The end of a path, with as many folders as the pattern has; its extension may be left out. */
static int reads(pattern *p, const char *path, size_t step, const char **text)
{
    const char *name = path_base(path);
    for (const char *at = strchr(p->text, '/'); at; at = strchr(at + 1, '/')) {
        if (name == path)
            return 0;
        for (name--; name > path && name[-1] != '/'; name--)
            ;
    }
    const size_t length = strlen(name);
    return fits(p, name, length - strlen(path_ending(path)), step, text) ||
           fits(p, name, length, step, text);
}

/* Columns of texts from the names of the inputs; y is column 1. */
static spd_status read_names(spd_context *ctx, inputs *list, pattern *p, labelling *l)
{
    const size_t count = list->count;
    spd_status status = make_columns(ctx, p->columns + 2, &l->index);
    const char **text = arena_alloc(&p->room, count, p->columns * sizeof *text);
    for (size_t i = 0; text && i < count * p->columns; i++)
        text[i] = "";
    for (size_t i = 0; i < count && status == SPD_OK && !p->room.failed; i++)
        if (!reads(p, list->item[i].name, count, text + i) && !p->room.failed) {
            ctx_fail(ctx, SPD_EINVAL, "the name does not fit the pattern");
            status = leave_out(ctx, list, i, p->text, &l->row[i]);
        }
    if (status == SPD_OK)
        status = arena_status(&p->room, ctx, "labels");
    for (size_t j = 0; j < p->columns && status == SPD_OK; j++) {
        const char *name = p->column[j].name;
        spd_array **column = &l->index.column[strcmp(name, "y") == 0 ? 1 : j + 2];
        if (*name && !*column)
            status = column_texts(ctx, name, count, text + j * count, column);
    }
    return status;
}

static spd_status by_pattern(spd_context *ctx, inputs *list, const char *text, labelling *l)
{
    pattern p = {0};
    spd_status status = parse(ctx, text, &p);
    if (status == SPD_OK)
        status = read_names(ctx, list, &p, l);
    arena_free(&p.room);
    return status;
}

/* The folders, when all inputs are in one that has a name, and there are several. */
static spd_status by_itself(spd_context *ctx, inputs *list, labelling *l)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->item[i].name, *base = path_base(name);
        if (base - name < 2 || base[-2] == '/')
            return SPD_OK;
    }
    spd_status status = by_pattern(ctx, list, FOLDER, l);
    for (size_t i = 1; i < list->count && status == SPD_OK; i++)
        if (strcmp(l->index.column[1]->text[0], l->index.column[1]->text[i]) != 0)
            return SPD_OK;
    index_free(&l->index);
    return status;
}

/* ---- labels of all inputs -------------------------------------------------------------------- */

void labelling_free(labelling *l)
{
    mem_free(l->label);
    index_free(&l->index);
    mem_free(l->row);
    *l = (labelling){0};
}

int labelling_lacks(const labelling *l, size_t i)
{
    return l->row[i] == SIZE_MAX;
}

static spd_status find(spd_context *ctx, inputs *list, labelling *l)
{
    const char *index = list->options->index, *by = list->options->label_by;
    if (index)
        return arrays_is_array(index) ? by_label_file(ctx, list, l) : by_index(ctx, list, l);
    if (!by || strcmp(by, "auto") == 0)
        return by_arrays(list, l) ? SPD_OK : by_itself(ctx, list, l);
    if (strcmp(by, "none") == 0)
        return SPD_OK;
    return by_pattern(ctx, list, strcmp(by, "folder") == 0 ? FOLDER : by, l);
}

spd_status labelling_find(spd_context *ctx, inputs *list, labelling *l)
{
    *l = (labelling){.label = mem_zero(list->count, sizeof *l->label),
                     .row = mem_alloc(list->count, sizeof *l->row)};
    if (!l->label || !l->row)
        return ctx_nomem(ctx, "labels");
    for (size_t i = 0; i < list->count; i++)
        l->row[i] = i;
    spd_status status = find(ctx, list, l);
    for (size_t i = 0; l->index.column && i < list->count; i++)
        l->label[i] = (cell){l->index.column[1], l->row[i]};
    return status;
}
