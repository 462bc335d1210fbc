/* mat73.c - reading MATLAB files of version 7.3: variables are objects of HDF5.
 *
 * HDF5 names the slowest dimension first, MATLAB the fastest: dimensions are reversed, elements lie
 * as in version 5. An attribute tells the class of a variable; what has none was not written by
 * MATLAB, and keeps the order in which HDF5 names its dimensions. Cells are references to objects,
 * a struct is a group, several structs are a group of references. As in version 5 one level is
 * descended into: cells that are texts or matrices of one size, fields as "name.field". */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/hdf5/hdf5.h"
#include "formats/mat.h"
#include "io/array.h"
#include "io/text.h"

static mat_type stored_type(const h5_type *type)
{
    mat_type stored = {0, (unsigned char)type->size, type->swap};
    if (type->kind == H5_INTEGER && type->size > 0) /* 0: the object has no type */
        stored.kind = type->is_signed ? 'i' : 'u';
    if (type->kind == H5_FLOAT || type->is_pair)
        stored.kind = 'f';
    if (type->is_pair)
        stored.width /= 2;
    return stored;
}

/* Kind and type of what MATLAB has not written, or of a field of several structs. */
static void set_plain(const h5_object *object, mat_variable *var)
{
    const h5_class kind = object->type.kind;
    var->type = stored_type(&object->type);
    var->row_major = kind != H5_REFERENCE;
    var->is_complex = object->type.is_pair;
    var->kind = kind == H5_REFERENCE                       ? MAT_CELLS
                : kind == H5_STRING || kind == H5_VARIABLE ? MAT_STRINGS
                : var->type.kind                           ? MAT_NUMBERS
                                                           : MAT_OTHER;
}

/* Kind and type by the class that MATLAB gave it, or by the type of the elements. */
static void set_class(const h5_object *object, mat_variable *var)
{
    static const struct {
        const char *name;
        mat_type type;
    } classes[] = {{"double", {'f', 8, 0}}, {"single", {'f', 4, 0}}, {"int8", {'i', 1, 0}},
                   {"uint8", {'u', 1, 0}},  {"int16", {'i', 2, 0}},  {"uint16", {'u', 2, 0}},
                   {"int32", {'i', 4, 0}},  {"uint32", {'u', 4, 0}}, {"int64", {'i', 8, 0}},
                   {"uint64", {'u', 8, 0}}, {"logical", {'u', 1, 0}}};
    const char *name = object->matlab_class;
    if (object->matlab_sparse) {
        var->kind = MAT_SPARSE;
    } else if (strcmp(name, "char") == 0 || strcmp(name, "cell") == 0) {
        var->kind = name[1] == 'h' ? MAT_CHARS : MAT_CELLS;
    } else if (name[0] == '\0' && object->has_space) {
        set_plain(object, var);
    }
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (var->kind == MAT_OTHER && strcmp(name, classes[i].name) == 0) {
            var->kind = MAT_NUMBERS;
            var->type = classes[i].type;
            var->is_complex = object->type.is_pair;
        }
}

/* An empty variable: its elements are its dimensions. */
static spd_status empty_dims(spd_context *ctx, h5_file *file, const h5_object *object,
                             mat_variable *var)
{
    unsigned char bytes[8 * SPD_MAX_DIMS];
    size_t count = 0, product = 0;
    spd_status status = h5_data_check(ctx, file, object, &count);
    if (status < 0)
        return status;
    size_t width = object->type.size;
    if (object->type.kind != H5_INTEGER || object->type.swap || count > SPD_MAX_DIMS)
        return h5_damaged(ctx);
    status = h5_data_copy(ctx, file, object, bytes);
    if (status < 0)
        return status;
    h5_cursor numbers = {bytes, count * width, 0};
    var->rank = count;
    for (size_t d = 0; d < count; d++)
        var->dims[d] = (size_t)h5_take(&numbers, width);
    if (array_count(count, var->dims, &product) || product > 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: it shall be empty and has elements");
    return SPD_OK;
}

/* Reads the header of a variable. */
static spd_status look(spd_context *ctx, h5_file *file, uint64_t address, h5_object *object,
                       mat_variable *var)
{
    *var = (mat_variable){.kind = MAT_OTHER};
    spd_status status = h5_object_read(ctx, file, address, object, NULL, NULL);
    if (status < 0)
        return status;
    set_class(object, var);
    if (var->kind == MAT_SPARSE || !object->has_space)
        return SPD_OK;
    if (object->problem)
        return ctx_fail(ctx, SPD_EFORMAT, "%s", object->problem);
    if (object->matlab_empty)
        return empty_dims(ctx, file, object, var);
    var->rank = object->space.rank;
    for (size_t d = 0; d < var->rank && d < SPD_MAX_DIMS; d++)
        var->dims[d] = (size_t)object->space.dims[var->row_major ? d : var->rank - 1 - d];
    return SPD_OK;
}

/* ---- reading ---- */

/* Complex numbers lie as pairs. */
static spd_status put_numbers(spd_context *ctx, void *user, size_t first, size_t count,
                              const unsigned char *bytes)
{
    mat_numbers *numbers = user;
    spd_status status = mat_numbers_put(ctx, numbers, first, count, bytes);
    if (status < 0 || numbers->pitch == numbers->stored.width)
        return status;
    numbers->lane = 1;
    status = mat_numbers_put(ctx, numbers, first, count, bytes + numbers->stored.width);
    numbers->lane = 0;
    return status;
}

static spd_status read_numbers(spd_context *ctx, h5_file *file, const h5_object *object,
                               const mat_variable *var, spd_array **array)
{
    mat_numbers numbers = {0};
    size_t count;
    mat_type stored = stored_type(&object->type);
    if (!stored.kind)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is damaged: its class is %s, but its elements are not numbers",
                        object->matlab_class);
    spd_status status = h5_data_check(ctx, file, object, &count);
    if (status == SPD_OK)
        status = mat_numbers_begin(ctx, var, stored, &numbers);
    if (status < 0)
        return status;
    numbers.pitch = object->type.size;
    if (!object->matlab_empty)
        status = h5_data_read(ctx, file, object, put_numbers, &numbers);
    return array_hand_over(status, numbers.array, array);
}

/* *bytes <- the elements as they are stored, new. */
static spd_status fetch(spd_context *ctx, h5_file *file, const h5_object *object, size_t *count,
                        unsigned char **bytes)
{
    spd_status status = h5_data_check(ctx, file, object, count);
    if (status < 0)
        return status;
    unsigned char *fresh = mem_alloc(*count, object->type.size);
    status = fresh ? h5_data_copy(ctx, file, object, fresh) : ctx_nomem(ctx, "texts");
    if (status < 0)
        mem_free(fresh);
    else
        *bytes = fresh;
    return status;
}

static spd_status gather_chars(spd_context *ctx, h5_file *file, const h5_object *object,
                               const mat_variable *var, mat_texts *texts)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    spd_status status = SPD_OK;
    if (object->type.kind != H5_INTEGER)
        return ctx_fail(ctx, SPD_EFORMAT, "contains damaged text");
    if (!object->matlab_empty)
        status = fetch(ctx, file, object, &count, &bytes);
    if (status == SPD_OK)
        status = mat_texts_add(ctx, texts, var, stored_type(&object->type), bytes,
                               count * object->type.size, file->size);
    mem_free(bytes);
    return status;
}

/* ---- cells: references to values ---- */

/* Gets a value: where it is (object and its variable, MAT_EMPTY for nothing). */
typedef spd_status cell_visitor(spd_context *ctx, void *user, h5_file *file,
                                const h5_object *object, const mat_variable *cell);

static spd_status walk_cells(spd_context *ctx, h5_file *file, const h5_object *object,
                             cell_visitor *visit, void *user)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    if (object->matlab_empty)
        return SPD_OK;
    if (object->type.kind != H5_REFERENCE || object->type.size != file->offset_size)
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: its class is cell, but it holds no cells");
    spd_status status = fetch(ctx, file, object, &count, &bytes);
    h5_cursor cells = {bytes, count * object->type.size, 0};
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        h5_object value = {0};
        mat_variable cell = {.kind = MAT_EMPTY};
        uint64_t address = h5_take_address(&cells, file);
        if (address != 0 && address != H5_UNDEFINED)
            status = look(ctx, file, address, &value, &cell);
        if (status == SPD_OK)
            status = visit(ctx, user, file, &value, &cell);
    }
    mem_free(bytes);
    return status;
}

static spd_status see_cell(spd_context *ctx, void *user, h5_file *file, const h5_object *object,
                           const mat_variable *cell)
{
    mat_variable seen = *cell;
    (void)ctx;
    (void)file;
    (void)object;
    if (seen.row_major) /* never by MATLAB */
        seen.kind = MAT_OTHER;
    mat_pile_see(user, &seen);
    return SPD_OK;
}

/* *var <- what the cells make. */
static spd_status survey_cells(spd_context *ctx, h5_file *file, const h5_object *object,
                               mat_variable *var)
{
    mat_pile pile = {0};
    spd_status status = walk_cells(ctx, file, object, see_cell, &pile);
    if (status == SPD_OK)
        *var = mat_pile_variable(&pile, var);
    return status;
}

/* Values that are being taken up. */
typedef struct taking {
    const mat_variable *var;
    mat_texts texts;
    mat_numbers numbers;
    size_t at, each;
} taking;

static spd_status take_text(spd_context *ctx, void *user, h5_file *file, const h5_object *object,
                            const mat_variable *cell)
{
    static const mat_variable nothing = {.kind = MAT_CHARS, .rank = 2, .dims = {1, 0}};
    taking *t = user;
    if (!mat_is_text_cell(cell))
        return h5_damaged(ctx);
    if (cell->kind == MAT_CHARS && cell->dims[0] == 1)
        return gather_chars(ctx, file, object, cell, &t->texts);
    return mat_texts_add(ctx, &t->texts, &nothing, (mat_type){'u', 1, 0}, NULL, 0, 1);
}

/* Elements of one value, behind those of the values before. */
static spd_status put_behind(spd_context *ctx, void *user, size_t first, size_t count,
                             const unsigned char *bytes)
{
    taking *t = user;
    return put_numbers(ctx, &t->numbers, t->at + first, count, bytes);
}

static spd_status take_matrix(spd_context *ctx, void *user, h5_file *file, const h5_object *object,
                              const mat_variable *cell)
{
    taking *t = user;
    size_t count = 0;
    t->numbers.stored = stored_type(&object->type);
    t->numbers.pitch = object->type.size;
    if (!mat_pile_fits(t->var, cell) || !t->numbers.stored.kind)
        return h5_damaged(ctx);
    spd_status status = h5_data_check(ctx, file, object, &count);
    if (status == SPD_OK && !object->matlab_empty && count != t->each)
        status = h5_damaged(ctx);
    if (status == SPD_OK && !object->matlab_empty)
        status = h5_data_read(ctx, file, object, put_behind, t);
    t->at += t->each;
    return status;
}

static spd_status read_cells(spd_context *ctx, h5_file *file, size_t file_size,
                             const h5_object *object, const mat_variable *cells, spd_array **array)
{
    mat_variable var = *cells;
    taking t = {.var = &var};
    size_t count = 0;
    spd_status status = survey_cells(ctx, file, object, &var);
    if (status == SPD_OK && !mat_is_readable(&var))
        status = mat_refuse(ctx, &var);
    if (status == SPD_OK)
        status = mat_check_size(ctx, file_size, &var, &count);
    if (status < 0)
        return status;
    if (var.kind == MAT_CELLS) {
        status = walk_cells(ctx, file, object, take_text, &t);
        if (status == SPD_OK)
            status = mat_texts_array(ctx, &t.texts, &var, array);
        mat_texts_free(&t.texts);
        return status;
    }
    t.each = var.rank == 3 ? var.dims[0] * var.dims[1] : 1;
    status = mat_numbers_begin(ctx, &var, var.type, &t.numbers);
    if (status == SPD_OK)
        status = walk_cells(ctx, file, object, take_matrix, &t);
    return array_hand_over(status, t.numbers.array, array);
}

/* ---- texts ---- */

static spd_status read_chars(spd_context *ctx, h5_file *file, const h5_object *object,
                             const mat_variable *var, spd_array **array)
{
    mat_texts texts = {0};
    spd_status status = gather_chars(ctx, file, object, var, &texts);
    if (status == SPD_OK)
        status = mat_texts_array(ctx, &texts, var, array);
    mat_texts_free(&texts);
    return status;
}

/* Adds a text of UTF-8 that ends with these bytes, or with a zero. */
static spd_status add_string(spd_context *ctx, const unsigned char *bytes, size_t size,
                             mat_texts *texts)
{
    size_t length = strnlen((const char *)bytes, size), letters = 0;
    uint32_t letter;
    for (size_t at = 0, took; at < length; at += took, letters++)
        if (!(took = utf8_get((const char *)bytes + at, length - at, &letter)))
            return ctx_fail(ctx, SPD_EFORMAT, "contains damaged text");
    const mat_variable row = {.kind = MAT_CHARS, .rank = 2, .dims = {1, letters}};
    return mat_texts_add(ctx, texts, &row, (mat_type){'8', 1, 0}, bytes, length, 1);
}

/* Texts of HDF5, in our order: they are a column of cells in MATLAB's words. */
static spd_status read_strings(spd_context *ctx, h5_file *file, const h5_object *object,
                               const mat_variable *var, spd_array **array)
{
    unsigned char *bytes = NULL;
    size_t count = 0, each = object->type.size;
    mat_texts texts = {0};
    h5_heap heap = {0};
    spd_status status = fetch(ctx, file, object, &count, &bytes);
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        h5_cursor text = {bytes + i * each, each, 0}, element = text;
        if (object->type.kind == H5_VARIABLE)
            status = h5_heap_text(ctx, file, &heap, &element, &text);
        if (status == SPD_OK)
            status = add_string(ctx, text.at, text.left, &texts);
    }
    const mat_variable column = {.kind = MAT_CELLS, .rank = 2, .dims = {count, 1}};
    if (status == SPD_OK)
        status = mat_texts_array(ctx, &texts, &column, array);
    if (status == SPD_OK) {
        (*array)->ndim = var->rank;
        memcpy((*array)->shape, var->dims, var->rank * sizeof *var->dims);
    }
    mem_free(bytes);
    mat_texts_free(&texts);
    return status;
}

static spd_status read_object(spd_context *ctx, h5_file *file, size_t file_size, uint64_t address,
                              spd_array **array)
{
    h5_object object;
    mat_variable var;
    size_t count;
    if (address == H5_UNDEFINED)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a link to a name or to another file; save the variable itself");
    spd_status status = look(ctx, file, address, &object, &var);
    if (status < 0)
        return status;
    if (var.kind != MAT_NUMBERS && var.kind != MAT_CHARS && var.kind != MAT_CELLS &&
        var.kind != MAT_STRINGS)
        return mat_refuse(ctx, &var);
    status = mat_check_size(ctx, file_size, &var, &count);
    if (status < 0)
        return status;
    if (var.kind == MAT_CELLS)
        return read_cells(ctx, file, file_size, &object, &var, array);
    return var.kind == MAT_NUMBERS   ? read_numbers(ctx, file, &object, &var, array)
           : var.kind == MAT_STRINGS ? read_strings(ctx, file, &object, &var, array)
                                     : read_chars(ctx, file, &object, &var, array);
}

static spd_status read_mat73(spd_context *ctx, io_file *file, const io_entry *entry,
                             spd_array **array)
{
    char plain[80];
    spd_status status = read_object(ctx, file->state, file->source->size, entry->member, array);
    if (status < 0)
        ctx_prefix(ctx, text_plain(entry->name, plain, sizeof plain));
    return status;
}

/* ---- listing ---- */

/* A file may name one thing any number of times: what a byte of the list costs of its effort. */
#define LIST_COST 16

/* A group whose members are being listed. */
typedef struct listing {
    io_file *file;
    const char *prefix; /* the group's name; NULL for the root */
} listing;

static spd_status list_member(spd_context *ctx, void *user, const char *name, uint64_t address);

/* Is it a group? Of what MATLAB calls otherwise nothing is known. */
static int is_group(const h5_object *object)
{
    return !object->has_space && !object->has_type && !object->matlab_sparse &&
           (object->matlab_class[0] == '\0' || strcmp(object->matlab_class, "struct") == 0);
}

/* *readable <- how many members of the group were listed as readable. */
static spd_status list_group(spd_context *ctx, io_file *file, const char *name, uint64_t address,
                             size_t *readable)
{
    listing inner = {file, name};
    size_t before = file->count;
    spd_status status = h5_group_list(NULL, file->state, address, list_member, &inner);
    *readable = 0;
    for (size_t i = before; i < file->count; i++)
        *readable += file->entry[i].readable != 0;
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "a list of variables") : SPD_OK;
}

/* Lists the variable behind a link. One that is damaged is listed as not readable. */
static spd_status list_object(spd_context *ctx, io_file *file, const char *name, uint64_t address,
                              int descend)
{
    h5_object object = {0};
    mat_variable var = {.kind = MAT_OTHER};
    spd_status status = SPD_OK;
    size_t readable = 0;
    if (address != H5_UNDEFINED)
        status = look(NULL, file->state, address, &object, &var);
    if (status == SPD_OK && address != H5_UNDEFINED && descend && is_group(&object)) {
        status = list_group(ctx, file, name, address, &readable);
        if (status < 0 || readable > 0)
            return status;
    }
    if (status == SPD_OK && var.kind == MAT_CELLS)
        status = survey_cells(NULL, file->state, &object, &var);
    if (status == SPD_ENOMEM)
        return ctx_nomem(ctx, "a list of variables");
    if (status < 0)
        var = (mat_variable){.kind = MAT_OTHER};
    return mat_list(ctx, file, name, &var, address);
}

static spd_status list_member(spd_context *ctx, void *user, const char *name, uint64_t address)
{
    const listing *to = user;
    size_t room = (to->prefix ? strlen(to->prefix) : 0) + strlen(name) + 2;
    if (!to->prefix && name[0] == '#') /* where MATLAB keeps cells and objects */
        return SPD_OK;
    if (utf8_length(name) == SIZE_MAX)
        return h5_damaged(ctx);
    spd_status status =
        h5_charge(ctx, to->file->state, LIST_COST * (uint64_t)(room + sizeof *to->file->entry));
    if (status < 0)
        return status;
    if (!to->prefix)
        return list_object(ctx, to->file, name, address, 1);
    char *full = mem_alloc(room, 1);
    if (!full)
        return ctx_nomem(ctx, "a list of variables");
    snprintf(full, room, "%s.%s", to->prefix, name);
    status = list_object(ctx, to->file, full, address, 0);
    mem_free(full);
    return status;
}

spd_status mat73_open(spd_context *ctx, io_file *file)
{
    h5_file *state = mem_zero(1, sizeof *state);
    if (!state)
        return ctx_nomem(ctx, "a file");
    file->state = state;
    file->close = mem_free;
    file->read = read_mat73;
    spd_status status = h5_open(ctx, file->source->bytes, file->source->size, state);
    if (status == SPD_OK)
        status = h5_group_list(ctx, state, state->root, list_member, &(listing){file, NULL});
    return status;
}
