/* arrays.c - array files as inputs: which array it is, and how it is cut into slices. */
#include "describe/arrays.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "formats/csv.h"
#include "formats/data.h"
#include "formats/format.h"
#include "io/npy.h"
#include "io/text.h"

int arrays_is_array(const char *path)
{
    static const char *const endings[] = {".npz", ".npy", ".mat", NULL};
    return path_ends_in(path, endings);
}

int arrays_is_text(const char *path)
{
    static const char *const endings[] = {".csv", ".tsv", ".txt", NULL};
    return path_ends_in(path, endings);
}

/* ---- which array ----------------------------------------------------------------------------- */

/* Can an array of so many dimensions hold inputs of this kind? */
static int fits(input_kind takes, const io_entry *entry)
{
    size_t least = 2, most = takes == INPUT_IMAGE ? 4 : 3;
    return entry->readable && entry->ndim >= least && entry->ndim <= most;
}

/* The one that is asked for, the one of the usual name, the only one that fits. */
static const io_entry *choose(const io_file *file, input_kind takes, const char *x_name)
{
    const io_entry *found = NULL;
    if (x_name)
        found = io_find(file, x_name);
    else if (takes == INPUT_IMAGE)
        found = io_find(file, "images");
    if (!found && !x_name)
        found = io_find(file, "X");
    if (!found && file->count == 1 && (!x_name || !file->entry[0].name))
        found = &file->entry[0];
    if (found || x_name)
        return found;
    size_t fitting = 0;
    for (size_t i = 0; i < file->count; i++)
        if (fits(takes, &file->entry[i])) {
            found = &file->entry[i];
            fitting++;
        }
    return fitting == 1 ? found : NULL;
}

static spd_status pick(spd_context *ctx, const io_file *file, input_kind takes, const char *x_name,
                       const io_entry **entry)
{
    static const char *const what[] = {"tables r x n or p x r x n",
                                       "images p x height x width (x 3)",
                                       "trajectories frames x 3K or p x frames x 3K"};
    char names[160], shape[80];
    const io_entry *found = choose(file, takes, x_name);
    if (!found) {
        io_names(file, names, sizeof names);
        ctx_fail(ctx, SPD_EINVAL, "cannot tell which array holds the inputs; it has %s", names);
        ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_NAME_X, 0.0);
    } else if (found->readable && !fits(takes, found)) {
        array_shape_text(found->ndim, found->shape, shape, sizeof shape);
        ctx_fail(ctx, SPD_EINVAL, "the array is %s; %s are expected", shape, what[takes]);
    } else {
        *entry = found;
        return SPD_OK;
    }
    ctx_prefix(ctx, file->path);
    return SPD_EINVAL;
}

/* Opens a file and picks the array of the inputs; on failure nothing is open. */
static spd_status open_and_pick(spd_context *ctx, const char *path, input_kind takes,
                                const char *x_name, io_file **file, const io_entry **entry)
{
    const io_purpose purpose = {0, NULL};
    spd_status status = io_open(ctx, path, &purpose, file);
    if (status < 0)
        return status;
    status = pick(ctx, *file, takes, x_name, entry);
    if (status < 0)
        io_close(*file);
    return status;
}

/* ---- one table ------------------------------------------------------------------------------- */

static spd_status as_table(spd_context *ctx, spd_array *array, spd_array **table)
{
    char shape[80];
    spd_status status = array_to_float(ctx, array);
    if (status == SPD_OK && array->ndim == 1) { /* one channel */
        array->ndim = 2;
        array->shape[1] = 1;
    }
    if (status == SPD_OK && (array->ndim != 2 || array->count == 0)) {
        array_shape_text(array->ndim, array->shape, shape, sizeof shape);
        status = ctx_fail(ctx, SPD_EINVAL, "holds an array %s; a table r x n is expected", shape);
    }
    return array_hand_over(status, array, table);
}

static spd_status table_in_file(spd_context *ctx, const char *path, const char *x_name,
                                spd_array **array)
{
    const char *name = arrays_is_text(path) ? NULL : x_name;
    const io_entry *entry = NULL;
    io_file *file;
    spd_status status = open_and_pick(ctx, path, INPUT_TABLE, name, &file, &entry);
    if (status < 0)
        return status;
    status = io_read(ctx, file, entry, array);
    io_close(file);
    return status;
}

/* *file <- the table of text, surveyed: in memory, or (bytes NULL) in a file. */
static spd_status open_text(spd_context *ctx, const char *path, const unsigned char *bytes,
                            size_t size, io_file **file)
{
    const io_purpose purpose = {0, NULL};
    if (!bytes)
        return io_open(ctx, path, &purpose, file);
    *file = mem_zero(1, sizeof **file);
    if (!*file)
        return ctx_nomem(ctx, "a table");
    spd_status status = csv_open(ctx, *file, (const char *)bytes, size, &purpose);
    if (status < 0)
        io_close(*file);
    return status;
}

static spd_status table_in_memory(spd_context *ctx, const char *path, const unsigned char *bytes,
                                  size_t size, spd_array **array)
{
    io_file *file;
    if (text_same(path_ending(path), ".npy"))
        return npy_read_memory(ctx, bytes, size, array);
    if (!arrays_is_text(path))
        return ctx_fail(ctx, SPD_EINVAL, "arrays in archives are .npy or .csv; unpack this one");
    spd_status status = open_text(ctx, path, bytes, size, &file);
    if (status < 0)
        return status;
    status = file->read(ctx, file, &file->entry[0], array);
    io_close(file);
    return status;
}

spd_status arrays_read_text(spd_context *ctx, const char *path, const char *wanted,
                            const unsigned char *bytes, size_t size, text_table *made)
{
    io_file *file;
    spd_status status = open_text(ctx, path, bytes, size, &file);
    if (status < 0)
        return status;
    const char *text = bytes ? (const char *)bytes : (const char *)file->source->bytes;
    status = text_table_take(ctx, text, bytes ? size : file->source->size, file->state, NULL,
                             wanted, made);
    io_close(file);
    return status;
}

spd_status arrays_read_table(spd_context *ctx, const char *path, const char *x_name,
                             const unsigned char *bytes, size_t size, spd_array **table)
{
    spd_array *array = NULL;
    spd_status status = bytes ? table_in_memory(ctx, path, bytes, size, &array)
                              : table_in_file(ctx, path, x_name, &array);
    if (status < 0 || !array)
        return status;
    return as_table(ctx, array, table);
}

/* ---- several inputs -------------------------------------------------------------------------- */

void arrays_free(array_source *source)
{
    if (!source)
        return;
    for (size_t c = 0; source->name && c < source->columns; c++)
        mem_free(source->name[c]);
    mem_free(source->name);
    spd_array_free(source->X);
    spd_data_free(source->extras);
    arena_free(&source->room);
    mem_free(source);
}

/* Slices of an array of 2 to 4 dimensions. A last dimension of 3 is colour, unless four would then
 * be needed to hold several images. */
static void cut(input_kind takes, array_source *s)
{
    const size_t *shape = s->X->shape;
    size_t d = s->X->ndim;
    int colour = takes == INPUT_IMAGE && (d == 4 || (d == 3 && shape[2] == 3));
    size_t inner = colour ? 3 : 2;
    s->slices = d > inner ? shape[0] : 1;
    s->rows = shape[d - inner];
    s->columns = shape[d - inner + 1];
    s->channels = colour ? shape[d - 1] : 1;
}

/* Values in [0, 1] stay, up to 255 and 65535 they are taken for 8 and 16 bits. */
static spd_status find_scale(spd_context *ctx, array_source *s)
{
    double least = 0.0, most = 0.0;
    for (size_t e = 0; e < s->X->count; e++) {
        double x = s->X->f64[e];
        if (!isfinite(x))
            return ctx_fail(ctx, SPD_ENOTFINITE, "the images hold NaN or Inf");
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    if (least < 0.0 || most > 65535.0)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the images hold values from %g to %g; 0 to 1, 0 to 255 or 0 to 65535 are "
                        "expected",
                        least, most);
    if (s->channels != 1 && s->channels != 3)
        return ctx_fail(ctx, SPD_EINVAL, "the images have %zu channels; 1 or 3 are expected",
                        s->channels);
    s->scale = most <= 1.0 ? 1.0 : most <= 255.0 ? 1.0 / 255.0 : 1.0 / 65535.0;
    return SPD_OK;
}

static spd_status read_extras(spd_context *ctx, io_file *file, const io_entry *entry, size_t rows,
                              const spd_describe_options *options, array_source *s)
{
    const spd_load_options load = {.size = sizeof load, .y_name = options->y_name};
    s->extras = mem_zero(1, sizeof *s->extras);
    if (!s->extras || !(s->extras->source = mem_text(file->path)))
        return ctx_nomem(ctx, "arrays");
    s->extras->p = rows;
    return data_read_extras(ctx, file, entry, &load, s->extras);
}

static spd_status read_slices(spd_context *ctx, io_file *file, const io_entry *entry,
                              input_kind takes, const spd_describe_options *options,
                              array_source *s)
{
    spd_status status = io_read(ctx, file, entry, &s->X);
    if (status < 0)
        return status;
    status = array_to_float(ctx, s->X);
    if (status == SPD_OK && s->X->count == 0)
        status = ctx_fail(ctx, SPD_EINVAL, "the array is empty");
    if (status == SPD_OK) {
        cut(takes, s);
        status = takes == INPUT_IMAGE ? find_scale(ctx, s) : SPD_OK;
    }
    if (status < 0) {
        ctx_prefix(ctx, file->path);
        return status;
    }
    size_t per_row = options->group && takes == INPUT_TABLE ? s->rows : s->slices;
    status = read_extras(ctx, file, entry, per_row, options, s);
    if (status == SPD_OK && options->group && takes == INPUT_TABLE)
        status = long_table_of_array(ctx, file->path, options, s);
    return status;
}

static spd_status open_arrays(spd_context *ctx, const char *path, input_kind takes,
                              const spd_describe_options *options, array_source *s)
{
    const io_entry *entry = NULL;
    io_file *file;
    spd_status status = open_and_pick(ctx, path, takes, options->x_name, &file, &entry);
    if (status < 0)
        return status;
    /* .mat is read here in any case: its library knows no threads. */
    if (entry->ndim != 2 || takes == INPUT_IMAGE || options->group ||
        text_same(path_ending(path), ".mat"))
        status = read_slices(ctx, file, entry, takes, options, s);
    io_close(file);
    return status;
}

spd_status arrays_open(spd_context *ctx, const char *path, input_kind takes,
                       const spd_describe_options *options, array_source **source)
{
    const int text = arrays_is_text(path);
    *source = NULL;
    if (text && !(options->group && takes == INPUT_TABLE))
        return SPD_OK;
    array_source *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "arrays");
    spd_status status = text ? long_table_of_text(ctx, path, options, fresh)
                             : open_arrays(ctx, path, takes, options, fresh);
    if (status < 0 || !fresh->X) /* or left to arrays_read_table */
        arrays_free(fresh);
    else
        *source = fresh;
    return status;
}
