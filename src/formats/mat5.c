/* mat5.c - reading MATLAB files of version 5: their list of variables.
 *
 * One level is descended into and no more: a cell array is read when all its cells are texts, or
 * all are matrices of one size; structs field by field, each by the same rule, as "name.field". */
#include "formats/mat5.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/text.h"

typedef struct mat5_list {
    size_t count;
    mat5_place *place;
} mat5_list;

static spd_status read_variable(spd_context *ctx, mat5_stream *stream, const mat5_place *place,
                                size_t file_size, spd_array **array)
{
    mat_variable var;
    char name[MAT5_NAME];
    spd_array *fresh = NULL;
    size_t inner, left = stream->left;
    spd_status status = mat5_header(ctx, stream, &left, &var, name, &inner);
    if (status < 0)
        return status;
    if (var.kind == MAT_CELLS || (var.kind == MAT_STRUCTS && place->field != SIZE_MAX))
        status = mat5_values_read(ctx, stream, &var, place, file_size, &inner, &fresh);
    else
        status = mat5_plain(ctx, stream, &var, file_size, &inner, &fresh);
    if (status == SPD_OK)
        status = mat5_skip(ctx, stream, inner);
    if (status == SPD_OK)
        status = mat5_check_end(ctx, stream);
    if (status < 0)
        spd_array_free(fresh);
    else
        *array = fresh;
    return status;
}

static int is_swapped(const io_source *source)
{
    return memcmp(source->bytes + MAT5_HEADER - 2, "MI", 2) == 0;
}

/* *size <- bytes of the outermost element at byte `at`, tag included; it must lie in the file. */
static spd_status measure_element(spd_context *ctx, const io_source *source, size_t at,
                                  size_t *size)
{
    const mat5_stream order = {.swap = is_swapped(source)};
    size_t left = source->size - at, length = 0;
    if (left >= 8)
        length = mat5_word(&order, source->bytes + at + 4);
    if (left < 8 || length > left - 8)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is cut short: a variable at byte %zu extends beyond the file's %zu bytes",
                        at, source->size);
    *size = 8 + length;
    return SPD_OK;
}

static spd_status read_mat5(spd_context *ctx, io_file *file, const io_entry *entry,
                            spd_array **array)
{
    char plain[80];
    mat5_stream stream;
    const io_source *source = file->source;
    const mat5_list *all = file->state;
    const mat5_place *place = &all->place[entry->member];
    size_t size = 0;
    spd_status status = measure_element(ctx, source, place->at, &size);
    if (status < 0)
        return status;
    status = mat5_begin(ctx, &stream, is_swapped(source), source->bytes + place->at, size);
    if (status == SPD_OK)
        status = read_variable(ctx, &stream, place, source->size, array);
    mat5_end(&stream);
    if (status < 0)
        ctx_prefix(ctx, text_plain(entry->name, plain, sizeof plain));
    return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

static spd_status list_place(spd_context *ctx, io_file *file, const char *name,
                             const mat5_place *place)
{
    mat5_list *all = file->state;
    mat5_place *grown = mem_list(all->place, all->count, sizeof *grown);
    if (!grown)
        return ctx_nomem(ctx, "a list of variables");
    all->place = grown;
    all->place[all->count] = *place;
    return mat_list(ctx, file, name, &place->made, all->count++);
}

static int any_readable(const mat_variable *var, const mat5_values *list, const mat_pile *piles)
{
    int any = 0;
    for (size_t f = 0; f < list->fields; f++) {
        const mat_variable made = mat5_value_variable(var, list, f, piles);
        any |= mat_is_readable(&made);
    }
    return any;
}

/* Lists the fields of structs as "name.field", or cells. */
static spd_status list_values(spd_context *ctx, io_file *file, const char *name, size_t at,
                              const mat_variable *var, const mat5_values *list,
                              const mat_pile *piles)
{
    spd_status status = SPD_OK;
    for (size_t f = 0; f < list->fields && status == SPD_OK; f++) {
        mat5_place place = {at, f, mat5_value_variable(var, list, f, piles)};
        char full[2 * MAT5_NAME + 2];
        if (var->kind == MAT_CELLS)
            snprintf(full, sizeof full, "%s", name);
        else
            snprintf(full, sizeof full, "%s.%s", name, list->names + f * list->length);
        status = list_place(ctx, file, full, &place);
    }
    return status;
}

/* Cells and structs, of which the header was read. Damaged ones are listed as they are; who reads
 * them learns why. */
static spd_status list_nested(spd_context *ctx, io_file *file, mat5_stream *stream,
                              const char *name, size_t at, size_t inner, const mat_variable *var)
{
    mat5_values list;
    mat_pile *piles = NULL;
    const mat5_place whole = {at, var->kind == MAT_CELLS ? 0 : SIZE_MAX, *var};
    spd_status status = mat5_values_begin(NULL, stream, file->source->size, var, inner, &list);
    if (status == SPD_OK)
        status = mat5_values_survey(NULL, stream, &list, &piles);
    if (status == SPD_ENOMEM)
        status = ctx_nomem(ctx, "unpacking");
    else if (status < 0 || !any_readable(var, &list, piles))
        status = list_place(ctx, file, name, &whole);
    else
        status = list_values(ctx, file, name, at, var, &list, piles);
    mem_free(list.names);
    mem_free(piles);
    return status;
}

/* Lists the variable in the element of that size at byte `at`; one without a name is MATLAB's own.
 */
static spd_status list_element(spd_context *ctx, io_file *file, size_t at, size_t size)
{
    char name[MAT5_NAME] = "", where[60];
    mat5_stream stream;
    mat5_place place = {at, SIZE_MAX, {0}};
    size_t inner;
    spd_status status =
        mat5_begin(ctx, &stream, is_swapped(file->source), file->source->bytes + at, size);
    size_t left = stream.left;
    if (status == SPD_OK)
        status = mat5_header(ctx, &stream, &left, &place.made, name, &inner);
    if (status < 0) {
        snprintf(where, sizeof where, "the variable at byte %zu", at);
        ctx_prefix(ctx, where);
    } else if (name[0] && (place.made.kind == MAT_CELLS || place.made.kind == MAT_STRUCTS)) {
        status = list_nested(ctx, file, &stream, name, at, inner, &place.made);
    } else if (name[0]) {
        status = list_place(ctx, file, name, &place);
    }
    mat5_end(&stream);
    return status;
}

static void list_free(void *state)
{
    mat5_list *all = state;
    if (all)
        mem_free(all->place);
    mem_free(all);
}

spd_status mat5_open(spd_context *ctx, io_file *file)
{
    const io_source *source = file->source;
    spd_status status = SPD_OK;
    size_t size = 0;
    file->read = read_mat5;
    file->close = list_free;
    file->state = mem_zero(1, sizeof(mat5_list));
    if (!file->state)
        return ctx_nomem(ctx, "a file");
    if (!is_swapped(source) && memcmp(source->bytes + MAT5_HEADER - 2, "IM", 2) != 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: its header does not tell the byte order");
    for (size_t at = MAT5_HEADER; at < source->size && status == SPD_OK; at += size)
        status = measure_element(ctx, source, at, &size);
    for (size_t at = MAT5_HEADER; at < source->size && status == SPD_OK; at += size) {
        status = measure_element(ctx, source, at, &size);
        if (status == SPD_OK)
            status = list_element(ctx, file, at, size);
    }
    return status;
}
