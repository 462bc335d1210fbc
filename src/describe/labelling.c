/* labelling.c - labels of inputs; see labelling.h. */
#include "describe/labelling.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "describe/arrays.h"
#include "formats/data.h"
#include "io/text.h"

void labelling_free(labelling *l)
{
    mem_free(l->label);
    spd_array_free(l->made);
    index_free(&l->index);
    mem_free(l->row);
    *l = (labelling){0};
}

/* ---- an index -------------------------------------------------------------------------------- */

/* An input that the index does not know ends the run, or is noted and left out. */
static spd_status without_row(spd_context *ctx, inputs *list, size_t i, size_t *row)
{
    ctx_prefix(ctx, list->item[i].name);
    ctx_append(ctx, " (%.120s)", list->options->index);
    *row = SIZE_MAX;
    return list->options->keep_going ? inputs_skip(ctx, list, list->item[i].name) : SPD_EINVAL;
}

/* *row <- that of an input: by its name, or by the value that its rows have in the group column. */
static spd_status find_row(spd_context *ctx, const inputs *list, const index_file *index,
                           const item *what, size_t *row)
{
    const char *group = list->options->group;
    const spd_array *column = group && what->array ? data_column(what->array->extras, group) : NULL;
    char value[200];
    spd_status status = index_find(ctx, index, what->name, row);
    if (status != SPD_EINVAL || !column)
        return status;
    if (column->type == SPD_TEXT)
        snprintf(value, sizeof value, "%s", column->text[what->index]);
    else if (column->type == SPD_INT64)
        snprintf(value, sizeof value, "%" PRId64, column->i64[what->index]);
    else
        snprintf(value, sizeof value, "%.15g", column->f64[what->index]);
    if (index_find(ctx, index, value, row) == SPD_OK)
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL,
                    "no row of the index names this input, or '%.60s', its value in the column "
                    "'%.60s'",
                    value, group);
}

int labelling_lacks(const labelling *l, size_t i)
{
    return l->row && l->row[i] == SIZE_MAX;
}

static spd_status by_index(spd_context *ctx, inputs *list, labelling *l)
{
    spd_status status = index_read(ctx, list->options->index, &l->index);
    if (status < 0)
        return status;
    l->row = mem_alloc(list->count, sizeof *l->row);
    if (!l->row)
        return ctx_nomem(ctx, "labels");
    for (size_t i = 0; i < list->count; i++) {
        status = find_row(ctx, list, &l->index, &list->item[i], &l->row[i]);
        if (status == SPD_OK)
            l->label[i] = (cell){l->index.column[1], l->row[i]};
        else
            status = without_row(ctx, list, i, &l->row[i]);
        if (status < 0)
            return status;
    }
    return SPD_OK;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* An array file of labels, one for each input, in the order of the inputs. */
static spd_status by_label_file(spd_context *ctx, const inputs *list, labelling *l)
{
    const char *path = list->options->index;
    spd_status status = spd_array_read(ctx, path, list->options->y_name, &l->made);
    if (status < 0)
        return status;
    if (l->made->count != list->count)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%.255s: holds %zu labels for %zu inputs; it needs one for each, in their "
                        "order, or use an index (.csv) that names them",
                        path, l->made->count, list->count);
    l->made->ndim = 1;
    l->made->shape[0] = l->made->count;
    for (size_t i = 0; i < list->count; i++)
        l->label[i] = (cell){l->made, i};
    return SPD_OK;
}

/* The labels that came with slices; 1 when all inputs have one. */
static int by_arrays(const inputs *list, labelling *l)
{
    for (size_t i = 0; i < list->count; i++) {
        const item *what = &list->item[i];
        if (!what->array || !what->array->extras || !what->array->extras->y)
            return 0;
        l->label[i] = (cell){what->array->extras->y, what->index};
    }
    return 1;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The last folder of a path; "." when it has none. */
static char *folder_of(const char *path)
{
    const char *end = path_base(path), *from;
    if (end == path)
        return mem_text(".");
    for (from = end - 1; from > path && from[-1] != '/'; from--)
        ;
    return mem_part(from, (size_t)(end - 1 - from));
}

/* Labels from texts (count, in order). */
static spd_status take_texts(spd_context *ctx, size_t count, char **texts, labelling *l)
{
    spd_status status = column_texts(ctx, "y", count, (const char *const *)texts, &l->made);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        l->label[i] = (cell){l->made, i};
    return status;
}

/* What the pattern's group matches in a name; NULL with a message when it does not. */
static char *match_of(spd_context *ctx, const regex_t *pattern, const char *text, const char *name)
{
    regmatch_t match[2];
    if (regexec(pattern, name, 2, match, 0) != 0 || match[1].rm_so < 0) {
        ctx_fail(ctx, SPD_EINVAL, "%.255s: the pattern '%.100s' does not match", name, text);
        return NULL;
    }
    char *part = mem_part(name + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
    if (!part)
        ctx_nomem(ctx, "labels");
    return part;
}

static spd_status compile(spd_context *ctx, const char *text, regex_t *pattern)
{
    char why[100];
    int code = text ? regcomp(pattern, text, REG_EXTENDED) : REG_BADPAT;
    if (!text)
        return ctx_advise(ctx, ctx_fail(ctx, SPD_EINVAL, "labelling by a pattern needs a pattern"),
                          SPD_REMEDY_LABEL_PATTERN, 0.0);
    if (code) {
        regerror(code, pattern, why, sizeof why);
        return ctx_fail(ctx, SPD_EINVAL,
                        "the pattern '%.100s' is not a valid regular expression: %s", text, why);
    }
    if (pattern->re_nsub < 1) {
        regfree(pattern);
        return ctx_fail(ctx, SPD_EINVAL, "the pattern '%.100s' has no (group) for the label", text);
    }
    return SPD_OK;
}

/* Labels from the inputs' names: by a pattern, or (NULL) the folder. */
static spd_status by_names(spd_context *ctx, const inputs *list, const regex_t *pattern,
                           labelling *l)
{
    char **texts = mem_zero(list->count, sizeof *texts);
    spd_status status = texts ? SPD_OK : ctx_nomem(ctx, "labels");
    for (size_t i = 0; i < list->count && status == SPD_OK; i++) {
        const char *name = list->item[i].name;
        texts[i] = pattern ? match_of(ctx, pattern, list->options->pattern, name) : folder_of(name);
        if (!texts[i])
            status = pattern && ctx ? ctx->error.status : ctx_nomem(ctx, "labels");
    }
    if (status == SPD_OK)
        status = take_texts(ctx, list->count, texts, l);
    for (size_t i = 0; texts && i < list->count; i++)
        mem_free(texts[i]);
    mem_free(texts);
    return status;
}

static spd_status by_pattern(spd_context *ctx, const inputs *list, labelling *l)
{
    regex_t pattern;
    spd_status status = compile(ctx, list->options->pattern, &pattern);
    if (status < 0)
        return status;
    status = by_names(ctx, list, &pattern, l);
    regfree(&pattern);
    return status;
}

static int all_equal(const spd_array *texts)
{
    for (size_t i = 1; i < texts->count; i++)
        if (strcmp(texts->text[0], texts->text[i]) != 0)
            return 0;
    return 1;
}

static void drop_labels(labelling *l)
{
    mem_free(l->label);
    l->label = NULL;
}

/* Arrays' own labels; else folders, when there are several. */
static spd_status by_itself(spd_context *ctx, const inputs *list, labelling *l)
{
    if (by_arrays(list, l))
        return SPD_OK;
    spd_status status = by_names(ctx, list, NULL, l);
    if (status == SPD_OK && all_equal(l->made))
        drop_labels(l);
    return status;
}

spd_status labelling_find(spd_context *ctx, inputs *list, labelling *l)
{
    *l = (labelling){0};
    l->label = mem_zero(list->count, sizeof *l->label);
    if (!l->label)
        return ctx_nomem(ctx, "labels");
    if (list->options->index)
        return arrays_is_array(list->options->index) ? by_label_file(ctx, list, l)
                                                     : by_index(ctx, list, l);
    switch (list->options->labels) {
    case SPD_LABELS_FOLDER:
        return by_names(ctx, list, NULL, l);
    case SPD_LABELS_PATTERN:
        return by_pattern(ctx, list, l);
    case SPD_LABELS_NONE:
        drop_labels(l);
        return SPD_OK;
    default:
        return by_itself(ctx, list, l);
    }
}
