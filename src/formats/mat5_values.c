/* mat5_values.c - cells and structs of a version 5 file: values, one variable each, that become one
 * array. They are gone through twice: to see whether they are alike, and to take them up. */
#include <string.h>

#include "formats/mat5.h"

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* Structs of more fields are not read. */
#define MAX_FIELDS 1024

/* Reads the names of fields. */
static spd_status take_fields(spd_context *ctx, mat5_stream *stream, mat5_values *list)
{
    mat5_element element;
    unsigned char word[4];
    spd_status status = mat5_tag(ctx, stream, &list->inner, &element);
    if (status == SPD_OK && (element.type != MI_INT32 || element.size != sizeof word))
        status = mat5_damaged(ctx);
    if (status == SPD_OK)
        status = mat5_take(ctx, stream, &element, word, sizeof word);
    if (status == SPD_OK)
        status = mat5_tag(ctx, stream, &list->inner, &element);
    if (status < 0)
        return status;
    list->length = mat5_word(stream, word);
    if (list->length < 2 || list->length > MAT5_NAME || element.size % list->length != 0 ||
        element.size / list->length > MAX_FIELDS)
        return mat5_damaged(ctx);
    list->fields = element.size / list->length;
    list->names = mem_alloc(element.size, 1);
    if (!list->names)
        return ctx_nomem(ctx, "names of fields");
    status = mat5_take(ctx, stream, &element, (unsigned char *)list->names, element.size);
    for (size_t f = 0; f < list->fields && status == SPD_OK; f++)
        if (list->names[(f + 1) * list->length - 1] != '\0' ||
            utf8_length(list->names + f * list->length) == SIZE_MAX)
            status = mat5_damaged(ctx);
    return status;
}

spd_status mat5_values_begin(spd_context *ctx, mat5_stream *stream, size_t file_size,
                             const mat_variable *var, size_t inner, mat5_values *list)
{
    size_t values = 0;
    *list = (mat5_values){.fields = 1, .inner = inner};
    spd_status status = mat_check_size(ctx, file_size, var, &list->count);
    if (status == SPD_OK && var->kind == MAT_STRUCTS)
        status = take_fields(ctx, stream, list);
    if (status == SPD_OK &&
        (mem_mul(list->count, list->fields, &values) || values > list->inner / 8))
        status = mat5_damaged(ctx);
    return status;
}

/* Gets one value: its header, and *left, the bytes of it that are to come, which it need not take.
 */
typedef spd_status value_visitor(spd_context *ctx, void *user, mat5_stream *stream,
                                 const mat_variable *value, size_t *left);

/* Calls for the values of a field, SIZE_MAX: of all, one after the other. */
static spd_status values_walk(spd_context *ctx, mat5_stream *stream, mat5_values *list,
                              size_t field, value_visitor *visit, void *user)
{
    char name[MAT5_NAME];
    spd_status status = SPD_OK;
    for (size_t i = 0; i < list->count * list->fields && status == SPD_OK; i++) {
        mat_variable value;
        size_t left;
        status = mat5_header(ctx, stream, &list->inner, &value, name, &left);
        if (status == SPD_OK && (field == SIZE_MAX || i % list->fields == field))
            status = visit(ctx, user, stream, &value, &left);
        if (status == SPD_OK)
            status = mat5_skip(ctx, stream, left);
    }
    return status;
}

/* ---- looking at values ---- */

typedef struct survey {
    size_t at, fields;
    mat_pile *pile; /* fields */
} survey;

/* A matrix that claims more elements than it has bytes is none. */
static spd_status see_value(spd_context *ctx, void *user, mat5_stream *stream,
                            const mat_variable *value, size_t *left)
{
    survey *s = user;
    size_t count;
    mat_variable seen = *value;
    (void)ctx;
    (void)stream;
    if (seen.kind == MAT_NUMBERS &&
        (seen.rank > SPD_MAX_DIMS || array_count(seen.rank, seen.dims, &count) || count > *left))
        seen.kind = MAT_OTHER;
    mat_pile_see(&s->pile[s->at++ % s->fields], &seen);
    return SPD_OK;
}

/* *piles <- what the values of a list are, one for each field; new. */
spd_status mat5_values_survey(spd_context *ctx, mat5_stream *stream, mat5_values *list,
                              mat_pile **piles)
{
    survey s = {.fields = list->fields, .pile = mem_zero(list->fields + 1, sizeof *s.pile)};
    if (!s.pile)
        return ctx_nomem(ctx, "a list of cells");
    spd_status status = values_walk(ctx, stream, list, SIZE_MAX, see_value, &s);
    if (status < 0)
        mem_free(s.pile);
    else
        *piles = s.pile;
    return status;
}

mat_variable mat5_value_variable(const mat_variable *var, const mat5_values *list, size_t f,
                                 const mat_pile *piles)
{
    if (var->kind == MAT_STRUCTS && list->count == 1)
        return piles[f].like;
    return mat_pile_variable(&piles[f], var);
}

/* ---- taking values up ---- */

typedef struct taking {
    const mat_variable *var; /* what becomes of them */
    mat_texts texts;
    mat_numbers numbers;
    size_t at, each; /* elements so far, elements of a matrix */
} taking;

static spd_status take_text(spd_context *ctx, void *user, mat5_stream *stream,
                            const mat_variable *value, size_t *left)
{
    static const mat_variable nothing = {.kind = MAT_CHARS, .rank = 2, .dims = {1, 0}};
    taking *t = user;
    if (!mat_is_text_cell(value))
        return mat5_damaged(ctx);
    if (value->kind == MAT_CHARS && value->dims[0] == 1)
        return mat5_chars(ctx, stream, value, left, 1, &t->texts);
    return mat_texts_add(ctx, &t->texts, &nothing, (mat_type){'u', 1, 0}, NULL, 0, 1);
}

static spd_status take_matrix(spd_context *ctx, void *user, mat5_stream *stream,
                              const mat_variable *value, size_t *left)
{
    taking *t = user;
    mat5_element data;
    if (!mat_pile_fits(t->var, value))
        return mat5_damaged(ctx);
    spd_status status = mat5_open_numbers(ctx, stream, t->each, left, &data, &t->numbers.stored);
    if (status == SPD_OK)
        status = mat5_put_numbers(ctx, stream, &data, t->at, t->each, &t->numbers);
    if (status == SPD_OK && value->is_complex)
        status = mat5_imaginary(ctx, stream, t->at, t->each, left, &t->numbers);
    t->at += t->each;
    return status;
}

/* The values of a field, or of cells, as one array; var is what they make. */
static spd_status take_values(spd_context *ctx, mat5_stream *stream, mat5_values *list,
                              size_t field, const mat_variable *var, size_t file_size,
                              spd_array **array)
{
    taking t = {.var = var};
    size_t count = 0;
    spd_status status = mat_check_size(ctx, file_size, var, &count);
    if (status < 0)
        return status;
    if (var->kind == MAT_CELLS) {
        status = values_walk(ctx, stream, list, field, take_text, &t);
        if (status == SPD_OK)
            status = mat_texts_array(ctx, &t.texts, var, array);
        mat_texts_free(&t.texts);
        return status;
    }
    t.each = list->count ? count / list->count : 0;
    status = mat_numbers_begin(ctx, var, var->type, &t.numbers);
    if (status == SPD_OK)
        status = values_walk(ctx, stream, list, field, take_matrix, &t);
    return array_hand_over(status, t.numbers.array, array);
}

typedef struct single {
    size_t file_size;
    spd_array **array;
} single;

static spd_status take_single(spd_context *ctx, void *user, mat5_stream *stream,
                              const mat_variable *value, size_t *left)
{
    single *s = user;
    return mat5_plain(ctx, stream, value, s->file_size, left, s->array);
}

/* Cells or a field: the first pass has told what they make, and the stream begins anew. */
spd_status mat5_values_read(spd_context *ctx, mat5_stream *stream, const mat_variable *var,
                            const mat5_place *place, size_t file_size, size_t *inner,
                            spd_array **array)
{
    mat5_values list;
    single alone = {file_size, array};
    const mat_variable *made = &place->made;
    spd_status status = mat5_values_begin(ctx, stream, file_size, var, *inner, &list);
    if (status == SPD_OK && place->field >= list.fields)
        status = mat5_damaged(ctx);
    if (status == SPD_OK && var->kind == MAT_STRUCTS && list.count == 1)
        status = values_walk(ctx, stream, &list, place->field, take_single, &alone);
    else if (status == SPD_OK && !mat_is_readable(made))
        status = mat_refuse(ctx, made);
    else if (status == SPD_OK)
        status = take_values(ctx, stream, &list, place->field, made, file_size, array);
    *inner = list.inner;
    mem_free(list.names);
    return status;
}
