/* mat73.c - reading MATLAB files of version 7.3: variables are objects of HDF5.
 *
 * HDF5 names the slowest dimension first, MATLAB the fastest: dimensions are reversed, elements lie
 * as in version 5. An attribute tells the class of a variable. Cells are references to objects. As
 * in version 5 nothing descends: structs are not read, and cells only where they are texts. */
#include <string.h>

#include "base/memory.h"
#include "formats/hdf5.h"
#include "formats/mat.h"
#include "io/array.h"
#include "io/text.h"

static mat_type stored_type(const h5_type *type)
{
    mat_type stored = {0, (unsigned char)type->size, type->swap};
    if (type->kind == H5_INTEGER && type->size > 0) /* 0: the object has no type */
        stored.kind = type->is_signed ? 'i' : 'u';
    if (type->kind == H5_FLOAT)
        stored.kind = 'f';
    return stored;
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
    } else if (name[0] == '\0' && stored_type(&object->type).kind) {
        var->kind = MAT_NUMBERS;
        var->type = stored_type(&object->type);
    }
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (var->kind == MAT_OTHER && strcmp(name, classes[i].name) == 0) {
            var->kind = object->type.kind == H5_COMPOUND ? MAT_COMPLEX : MAT_NUMBERS;
            var->type = classes[i].type;
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
        var->dims[d] = (size_t)object->space.dims[var->rank - 1 - d];
    return SPD_OK;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static spd_status put_numbers(spd_context *ctx, void *user, size_t first, size_t count,
                              const unsigned char *bytes)
{
    return mat_numbers_put(ctx, user, first, count, bytes);
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
    if (!object->matlab_empty)
        status = h5_data_read(ctx, file, object, put_numbers, &numbers);
    if (status < 0)
        spd_array_free(numbers.array);
    else
        *array = numbers.array;
    return status;
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

/* Takes one cell up. *text: is it a text, or nothing? texts: NULL where they are not wanted. */
static spd_status one_cell(spd_context *ctx, h5_file *file, uint64_t address, mat_texts *texts,
                           int *text)
{
    static const mat_variable nothing = {.kind = MAT_CHARS, .rank = 2, .dims = {1, 0}};
    h5_object object;
    mat_variable cell = {.kind = MAT_EMPTY};
    spd_status status = SPD_OK;
    if (address != 0 && address != H5_UNDEFINED)
        status = look(ctx, file, address, &object, &cell);
    *text = status == SPD_OK && mat_is_text_cell(&cell);
    if (status < 0 || !*text || !texts)
        return status;
    if (cell.kind == MAT_CHARS && cell.dims[0] == 1)
        return gather_chars(ctx, file, &object, &cell, texts);
    return mat_texts_add(ctx, texts, &nothing, (mat_type){'u', 1, 0}, NULL, 0, 1);
}

static spd_status walk_cells(spd_context *ctx, h5_file *file, const h5_object *object,
                             mat_texts *texts, int *text)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    *text = 1;
    if (object->matlab_empty)
        return SPD_OK;
    if (object->type.kind != H5_REFERENCE || object->type.size != file->offset_size)
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: its class is cell, but it holds no cells");
    spd_status status = fetch(ctx, file, object, &count, &bytes);
    h5_cursor cells = {bytes, count * object->type.size, 0};
    for (size_t i = 0; i < count && *text && status == SPD_OK; i++)
        status = one_cell(ctx, file, h5_take_address(&cells, file), texts, text);
    mem_free(bytes);
    return status;
}

static spd_status read_texts(spd_context *ctx, h5_file *file, const h5_object *object,
                             const mat_variable *var, spd_array **array)
{
    mat_texts texts = {0};
    int text = 1;
    spd_status status = var->kind == MAT_CHARS ? gather_chars(ctx, file, object, var, &texts)
                                               : walk_cells(ctx, file, object, &texts, &text);
    if (status == SPD_OK)
        status = text ? mat_texts_array(ctx, &texts, var, array) : mat_refuse(ctx, var);
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
    if (var.kind != MAT_NUMBERS && var.kind != MAT_CHARS && var.kind != MAT_CELLS)
        return mat_refuse(ctx, &var);
    status = mat_check_size(ctx, file_size, &var, &count);
    if (status < 0)
        return status;
    return var.kind == MAT_NUMBERS ? read_numbers(ctx, file, &object, &var, array)
                                   : read_texts(ctx, file, &object, &var, array);
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

/* ---- listing
 * ------------------------------------------------------------------------------------- */

/* Lists the variable behind a link. One that is damaged is listed as not readable. */
static spd_status list_link(spd_context *ctx, void *user, const char *name, uint64_t address)
{
    io_file *file = user;
    h5_object object;
    mat_variable var = {.kind = MAT_OTHER};
    spd_status status = SPD_OK;
    if (name[0] == '#') /* where MATLAB keeps cells and objects */
        return SPD_OK;
    if (utf8_length(name) == SIZE_MAX)
        return h5_damaged(ctx);
    if (address != H5_UNDEFINED)
        status = look(NULL, file->state, address, &object, &var);
    if (status == SPD_OK && var.kind == MAT_CELLS && mat_is_readable(&var) == 0)
        status = walk_cells(NULL, file->state, &object, NULL, &var.text);
    if (status == SPD_ENOMEM)
        return ctx_nomem(ctx, "a list of variables");
    if (status < 0)
        var = (mat_variable){.kind = MAT_OTHER};
    return mat_list(ctx, file, name, &var, address);
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
        status = h5_group_list(ctx, state, state->root, list_link, file);
    return status;
}
