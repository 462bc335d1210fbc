/* data.c - data sets: which array holds the matrices, which the labels, what else belongs to the
 * samples. */
#include "formats/data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "formats/format.h"
#include "io/array.h"
#include "io/text.h"
#include "sets/set.h"

/* ---- means of observations ------------------------------------------------------------------ */

/* Blocks of the matrices as the numbers of observations have them; 0 where the columns do not suit
 * the matrices. */
static size_t count_blocks(const spd_data *data, const spd_array *mean, const spd_array *count)
{
    if (!mean || !count || mean->type == SPD_TYPE_TEXT || count->type == SPD_TYPE_TEXT ||
        mean->type == SPD_TYPE_COMPLEX128 || count->type == SPD_TYPE_COMPLEX128 || data->hermitian)
        return 0;
    size_t blocks = data->p ? count->count / data->p : 0;
    int suits = mean->count == data->p * data->n && count->count == data->p * blocks &&
                count->ndim <= 2 && blocks > 0 && data->n % blocks == 0;
    return suits ? blocks : 0;
}

static int good(const spd_array *mean, const spd_array *count)
{
    int yes = 1;
    for (size_t e = 0; e < mean->count; e++)
        yes &= isfinite(mean->f64[e]) != 0;
    for (size_t e = 0; e < count->count; e++)
        yes &= count->f64[e] >= 1.0 && isfinite(count->f64[e]);
    return yes;
}

spd_status data_find_means(spd_context *ctx, spd_data *data)
{
    spd_array *mean = data_column(data, DATA_MEAN), *count = data_column(data, DATA_COUNT);
    size_t blocks = count_blocks(data, mean, count);
    data->blocks = 0;
    data->mean = data->observations = NULL;
    if (!blocks)
        return SPD_OK;
    spd_status status = array_to_float(ctx, mean);
    if (status == SPD_OK)
        status = array_to_float(ctx, count);
    if (status < 0 || !good(mean, count))
        return status;
    data->blocks = blocks;
    data->mean = mean->f64;
    data->observations = count->f64;
    return SPD_OK;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Message that ends with the file's name in front. */
static spd_status blame_file(spd_context *ctx, const char *path, spd_status status)
{
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

static spd_status missing(spd_context *ctx, const io_file *file, const char *name, const char *note,
                          unsigned remedy)
{
    char names[160], plain[60];
    io_names(file, names, sizeof names);
    ctx_fail(ctx, SPD_EINVAL, "has no array named '%s', only %s%s",
             text_plain(name, plain, sizeof plain), names, note);
    ctx_advise(ctx, SPD_EINVAL, remedy, 0.0);
    return blame_file(ctx, file->path, SPD_EINVAL);
}

/* Matrices may be complex, all else may not. */
static int has_numbers(const io_entry *entry)
{
    return entry->readable || entry->is_complex;
}

/* The only entry of three dimensions, or NULL. */
static const io_entry *only_cube(const io_file *file)
{
    const io_entry *found = NULL;
    for (size_t i = 0; i < file->count; i++) {
        if (file->entry[i].ndim != 3 || !has_numbers(&file->entry[i]))
            continue;
        if (found)
            return NULL;
        found = &file->entry[i];
    }
    return found;
}

static spd_status find_matrices(spd_context *ctx, const io_file *file, const char *x_name,
                                const io_entry **entry)
{
    const io_entry *found = io_find(file, x_name ? x_name : "X");
    if (!found) {
        if (file->count == 1 && (!x_name || !file->entry[0].name))
            found = &file->entry[0];
        else if (!x_name)
            found = only_cube(file);
    }
    if (!found && (io_find(file, "W") || io_find(file, "class_names")) && npz_has_meta(file))
        return missing(ctx, file, x_name ? x_name : "X",
                       "; this is a model or a trained method, not a data set", SPD_REMEDY_NONE);
    if (!found)
        return missing(ctx, file, x_name ? x_name : "X", "", SPD_REMEDY_NAME_X);
    *entry = found;
    return SPD_OK;
}

/* What the matrices are called in their file. */
static const char *name_of(const io_entry *entry, char *plain, size_t size)
{
    return entry->name ? text_plain(entry->name, plain, size) : "X";
}

/* The shape as the program that wrote the file shows it: MATLAB has the pages last. */
static void shape_for_user(const io_file *file, const io_entry *entry, size_t *shape)
{
    size_t d = entry->ndim;
    memcpy(shape, entry->shape, d * sizeof *shape);
    if (file->format != FORMAT_MAT || d < 3)
        return;
    for (size_t i = 0; i < d; i++)
        shape[i < d - 2 ? d - 1 - i : i - (d - 2)] = entry->shape[i];
}

/* Three dimensions: how to turn them where two are equal but stand where they should not; else they
 * may be observations. */
static void advise_turn(int matlab, const char *name, const size_t *shape, char *text, size_t size)
{
    int wrong_end = matlab ? shape[1] == shape[2] : shape[0] == shape[1];
    if (!wrong_end && shape[0] != shape[2])
        snprintf(text, size, "; spdml describe covariance makes them from observations");
    else if (matlab)
        snprintf(text, size, ": permute(%s, [%s])", name, wrong_end ? "2 3 1" : "1 3 2");
    else
        snprintf(text, size, "; try %s.transpose(%s)", name, wrong_end ? "2, 0, 1" : "1, 0, 2");
}

/* shape is the one that the user sees, text its words. */
static spd_status refuse_shape(spd_context *ctx, const io_file *file, size_t ndim,
                               const size_t *shape, const char *name, const char *text)
{
    int matlab = file->format == FORMAT_MAT;
    char remedy[120] = "";
    if (ndim == 3)
        advise_turn(matlab, name, shape, remedy, sizeof remedy);
    return ctx_fail(ctx, SPD_EINVAL, "%s is %s; square matrices %s%s", name, text,
                    matlab ? "n x n x p are expected in .mat" : "p x n x n are expected", remedy);
}

/* p x n x n, or n x n for one matrix; neither zero. */
static spd_status check_shape(spd_context *ctx, const io_file *file, const io_entry *entry,
                              size_t *p, size_t *n)
{
    char text[80], plain[60];
    const char *name = name_of(entry, plain, sizeof plain);
    const size_t *shape = entry->shape;
    size_t d = entry->ndim, shown[SPD_MAX_DIMS] = {0};
    spd_status status = SPD_OK;
    if (!has_numbers(entry))
        return SPD_OK; /* reading it tells what is wrong */
    shape_for_user(file, entry, shown);
    array_shape_text(d, shown, text, sizeof text);
    if ((d != 2 && d != 3) || shape[d - 1] != shape[d - 2])
        status = refuse_shape(ctx, file, d, shown, name, text);
    else if (shape[d - 1] == 0)
        status = ctx_fail(ctx, SPD_EINVAL, "%s is %s: matrices of size 0", name, text);
    else if (d == 3 && shape[0] == 0)
        status = ctx_fail(ctx, SPD_EINVAL, "%s is %s: there are no matrices", name, text);
    if (status < 0)
        return blame_file(ctx, file->path, status);
    *p = d == 3 ? shape[0] : 1;
    *n = shape[d - 1];
    return SPD_OK;
}

/* Complex matrices, as they were read, become their real forms. */
static spd_status to_real_form(spd_context *ctx, spd_data *data)
{
    const size_t size = data->n, shape[] = {data->p, 2 * size, 2 * size};
    spd_array *whole = NULL;
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, 3, shape, &whole);
    if (status == SPD_OK)
        status = array_rename(ctx, whole, data->x->name);
    if (status < 0) {
        spd_array_free(whole);
        return status;
    }
    spd_complex_embed(size, size, data->p, data->x->f64, whole->f64);
    spd_array_free(data->x);
    data->x = whole;
    data->n = 2 * size;
    return SPD_OK;
}

static spd_status read_matrices(spd_context *ctx, io_file *file, const io_entry *entry,
                                spd_data *data)
{
    spd_status status = check_shape(ctx, file, entry, &data->p, &data->n);
    if (status == SPD_OK)
        status = io_read_complex(ctx, file, entry, &data->x);
    if (status < 0)
        return status;
    data->hermitian = data->x->type == SPD_TYPE_COMPLEX128;
    status = data->hermitian ? to_real_form(ctx, data) : array_to_float(ctx, data->x);
    if (status < 0) {
        char plain[60];
        ctx_prefix(ctx, name_of(entry, plain, sizeof plain));
        return blame_file(ctx, file->path, status);
    }
    data->X = data->x->f64;
    return SPD_OK;
}

/* One label per matrix, as an array of one dimension. */
static spd_status shape_labels(spd_context *ctx, const char *path, const spd_data *data,
                               spd_array *y)
{
    char text[80];
    int own = strcmp(path, data->source) == 0;
    if (y->ndim > 0 && !array_is_vector(y->ndim, y->shape)) {
        array_shape_text(y->ndim, y->shape, text, sizeof text);
        ctx_fail(ctx, SPD_EINVAL, "the labels are %s; one per matrix is expected", text);
        return blame_file(ctx, path, SPD_EINVAL);
    }
    if (y->count != data->p) {
        ctx_fail(ctx, SPD_EINVAL, "%zu labels for %zu matrices%s%.200s", y->count, data->p,
                 own ? "" : " in ", own ? "" : data->source);
        return blame_file(ctx, path, SPD_EINVAL);
    }
    y->ndim = 1;
    y->shape[0] = y->count;
    return SPD_OK;
}

/* The entry y that lies in the struct in which the matrices lie: "data.y" beside "data.X". */
static const io_entry *find_beside(const io_file *file, const io_entry *x)
{
    const char *dot = x && x->name && file->format == FORMAT_MAT ? strrchr(x->name, '.') : NULL;
    size_t length = dot ? (size_t)(dot - x->name) + 1 : 0;
    for (size_t i = 0; i < file->count && length; i++)
        if (strncmp(file->entry[i].name, x->name, length) == 0 &&
            strcmp(file->entry[i].name + length, "y") == 0)
            return &file->entry[i];
    return NULL;
}

/* The labels' entry of a file: the one asked for, "y", or in a file of labels the only one; x is
 * the matrices' where they are in the same file. */
static const io_entry *find_labels(const io_file *file, const char *y_name, int own_file,
                                   const io_entry *x)
{
    const io_entry *found = io_find(file, y_name ? y_name : "y");
    if (!found && !y_name)
        found = find_beside(file, x);
    if (!found && own_file && file->count == 1 && (!y_name || !file->entry[0].name))
        found = &file->entry[0];
    return found;
}

/* Labels that have been read become classes. */
static spd_status settle_labels(spd_context *ctx, const char *path, spd_data *data)
{
    spd_status status = shape_labels(ctx, path, data, data->y);
    return status < 0 ? status : blame_file(ctx, path, labels_classify(ctx, data));
}

/* *y <- the array of labels in a file of its own. */
static spd_status read_label_array(spd_context *ctx, const char *path, const char *y_name,
                                   spd_array **y)
{
    const io_purpose purpose = {0, y_name};
    io_file *file;
    spd_status status = io_open(ctx, path, &purpose, &file);
    if (status < 0)
        return status;
    const io_entry *entry = find_labels(file, y_name, 1, NULL);
    status = entry ? io_read(ctx, file, entry, y)
                   : missing(ctx, file, y_name ? y_name : "y", "", SPD_REMEDY_NAME_Y);
    io_close(file);
    return status;
}

/* *y <- those of `count` files, one after the other. */
static spd_status read_label_arrays(spd_context *ctx, const spd_load_options *options, size_t count,
                                    const char *const *paths, spd_array **y)
{
    spd_array **each = mem_zero(count, sizeof *each);
    spd_status status = each ? SPD_OK : ctx_nomem(ctx, "labels");
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        status = read_label_array(ctx, paths[k], options->y_name, &each[k]);
        if (status == SPD_OK) { /* a column or a row */
            each[k]->ndim = 1;
            each[k]->shape[0] = each[k]->count;
        }
    }
    if (status == SPD_OK)
        status = data_join_arrays(ctx, count, each, y);
    if (status == SPD_OK && !*y)
        status =
            blame_file(ctx, options->labels,
                       ctx_fail(ctx, SPD_EINVAL, "some of its files hold texts, others numbers"));
    for (size_t k = 0; each && k < count; k++)
        spd_array_free(each[k]);
    mem_free(each);
    return status;
}

/* data->y, classes <- from options->labels, a file of labels, or a list of such files. */
static spd_status data_read_labels(spd_context *ctx, const spd_load_options *options,
                                   spd_data *data)
{
    arena room = {0};
    const char *const *paths;
    size_t count;
    spd_status status = list_read(ctx, options->labels, options->anywhere, &room, &paths, &count);
    if (status == SPD_OK && list_is(options->labels))
        status = read_label_arrays(ctx, options, count, paths, &data->y);
    else if (status == SPD_OK)
        status = read_label_array(ctx, options->labels, options->y_name, &data->y);
    arena_free(&room);
    return status < 0 ? status : settle_labels(ctx, options->labels, data);
}

/* *used <- the entry that holds the labels, or NULL. */
static spd_status read_labels(spd_context *ctx, io_file *file, const io_entry *x,
                              const spd_load_options *options, spd_data *data,
                              const io_entry **used)
{
    *used = NULL;
    if (options->labels)
        return data_read_labels(ctx, options, data);
    const io_entry *entry = find_labels(file, options->y_name, 0, x);
    if (!entry && options->y_name)
        return missing(ctx, file, options->y_name, "", SPD_REMEDY_NONE);
    *used = entry;
    spd_status status = entry ? io_read(ctx, file, entry, &data->y) : SPD_OK;
    return entry && status >= 0 ? settle_labels(ctx, file->path, data) : status;
}

/* Has an entry one row per sample? MATLAB's rows of p count as columns of p. */
static int belongs_to_samples(const io_entry *entry, size_t p)
{
    size_t count;
    if (!entry->readable || entry->ndim == 0 || array_count(entry->ndim, entry->shape, &count))
        return 0;
    return entry->shape[0] == p || (count == p && array_is_vector(entry->ndim, entry->shape));
}

static spd_status read_columns(spd_context *ctx, io_file *file, const io_entry *x,
                               const io_entry *y, spd_data *data)
{
    data->column = mem_zero(file->count, sizeof *data->column);
    if (!data->column)
        return ctx_nomem(ctx, "columns");
    for (size_t i = 0; i < file->count; i++) {
        const io_entry *entry = &file->entry[i];
        if (entry == x || entry == y || !belongs_to_samples(entry, data->p))
            continue;
        spd_array *column;
        spd_status status = io_read(ctx, file, entry, &column);
        if (status < 0)
            return status;
        data->column[data->columns++] = column;
        if (column->shape[0] != data->p || (column->ndim == 2 && column->shape[1] == 1)) {
            column->ndim = 1;
            column->shape[0] = column->count;
        }
    }
    return SPD_OK;
}

spd_array *data_column(const spd_data *data, const char *name)
{
    for (size_t i = 0; i < data->columns; i++)
        if (data->column[i]->name && strcmp(data->column[i]->name, name) == 0)
            return data->column[i];
    return NULL;
}

spd_status data_read_extras(spd_context *ctx, io_file *file, const io_entry *x,
                            const spd_load_options *options, spd_data *data)
{
    const io_entry *y;
    spd_status status = read_labels(ctx, file, x, options, data, &y);
    return status < 0 ? status : read_columns(ctx, file, x, y, data);
}

static spd_status read_all(spd_context *ctx, io_file *file, const spd_load_options *options,
                           spd_data *data)
{
    const io_entry *x = NULL;
    char *meta = NULL;
    spd_status status = find_matrices(ctx, file, options->x_name, &x);
    if (status == SPD_OK)
        status = read_matrices(ctx, file, x, data);
    if (status == SPD_OK)
        status = data_read_extras(ctx, file, x, options, data);
    if (status == SPD_OK)
        status = blame_file(ctx, file->path, npz_read_meta(ctx, file, &meta));
    data->meta = meta;
    return status < 0 ? status : data_find_means(ctx, data);
}

spd_status spd_data_load(spd_context *ctx, const char *path, const spd_load_options *options,
                         spd_data **data)
{
    spd_load_options chosen = SPD_STRUCT(spd_load_options);
    io_file *file = NULL;
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_load_options", sizeof chosen, &chosen, options);
    if (status < 0)
        return status;
    if (list_is(path))
        return data_load_list(ctx, path, &chosen, data);
    const io_purpose purpose = {1, chosen.labels ? NULL : chosen.y_name};
    spd_data *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh || !(fresh->source = mem_text(path)))
        status = ctx_nomem(ctx, "a data set");
    if (status == SPD_OK)
        status = io_open(ctx, path, &purpose, &file);
    if (status == SPD_OK)
        status = read_all(ctx, file, &chosen, fresh);
    io_close(file);
    if (status == SPD_OK)
        status = blame_file(ctx, path, data_check(ctx, fresh, &chosen));
    if (status < 0)
        spd_data_free(fresh);
    else
        *data = fresh;
    return status;
}

void spd_data_samples(const spd_data *data, spd_samples *samples, size_t size)
{
    const spd_samples made = {.size = sizeof made,
                              .p = data->p,
                              .n = data->n,
                              .X = data->X,
                              .classes = data->classes,
                              .label = data->label,
                              .hermitian = data->hermitian,
                              .blocks = data->blocks,
                              .mean = data->mean,
                              .observations = data->observations,
                              .class_name = data->class_name};
    samples->size = size;
    sized_give(sizeof made, &made, samples);
}

void spd_data_free(spd_data *data)
{
    if (!data)
        return;
    for (size_t i = 0; i < data->columns; i++)
        spd_array_free(data->column[i]);
    mem_free(data->column);
    spd_array_free(data->y);
    spd_array_free(data->x);
    mem_free(data->label);
    mem_free(data->class_name);
    mem_free((char *)data->source);
    mem_free((char *)data->meta);
    mem_free(data);
}

/* ---- matrices that stay in their files ------------------------------------------------------ */

/* *set <- the files of `path`. */
static spd_status open_files(spd_context *ctx, const char *path, const spd_load_options *o,
                             spd_set **set)
{
    const spd_set_options repairs = {
        .size = sizeof repairs, .symmetrize = o->symmetrize, .regularize = o->regularize};
    arena room = {0};
    const char *const *paths;
    size_t count;
    spd_status status = list_read(ctx, path, o->anywhere, &room, &paths, &count);
    if (status == SPD_OK)
        status = spd_set_open(ctx, count, paths, &repairs, set);
    arena_free(&room);
    return status;
}

/* Everything but the matrices. */
static spd_status describe(spd_context *ctx, const char *path, const spd_load_options *o,
                           const spd_set *set, spd_data *data)
{
    data->p = set->p;
    data->n = set->n;
    data->hermitian = set->hermitian;
    if (!(data->source = mem_text(path)))
        return ctx_nomem(ctx, "a data set");
    return o->labels ? data_read_labels(ctx, o, data) : SPD_OK;
}

spd_status spd_data_open(spd_context *ctx, const char *path, const spd_load_options *options,
                         spd_data **data, spd_set **set)
{
    spd_load_options o = SPD_STRUCT(spd_load_options);
    spd_set *opened = NULL;
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_load_options", sizeof o, &o, options);
    if (status < 0)
        return status;
    spd_data *fresh = mem_zero(1, sizeof *fresh);
    status = fresh ? open_files(ctx, path, &o, &opened) : ctx_nomem(ctx, "a data set");
    if (fresh && status == SPD_OK)
        status = describe(ctx, path, &o, opened, fresh);
    if (status < 0) {
        spd_data_free(fresh);
        spd_set_free(opened);
        return status;
    }
    *data = fresh;
    *set = opened;
    return SPD_OK;
}

spd_status data_load_list(spd_context *ctx, const char *path, const spd_load_options *options,
                          spd_data **data)
{
    spd_load_options plain = *options;
    spd_data *fresh = NULL;
    spd_set *set = NULL;
    plain.symmetrize = 0; /* data_check repairs */
    plain.regularize = 0.0;
    spd_status status = spd_data_open(ctx, path, &plain, &fresh, &set);
    if (status < 0)
        return status;
    const size_t shape[] = {fresh->p, fresh->n, fresh->n};
    status = array_new(ctx, SPD_TYPE_FLOAT64, 3, shape, &fresh->x);
    if (status == SPD_OK) {
        fresh->X = fresh->x->f64;
        status = spd_set_read(ctx, set, 0, fresh->p, fresh->X);
    }
    if (status == SPD_OK) {
        status = set_locate(ctx, set, data_check(ctx, fresh, options));
        if (status < 0)
            ctx_prefix(ctx, path);
    }
    spd_set_free(set);
    if (status < 0)
        spd_data_free(fresh);
    else
        *data = fresh;
    return status;
}
