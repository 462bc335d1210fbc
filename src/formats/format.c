/* format.c - which format a file has, and reading and writing arrays through it. */
#include "formats/format.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/npy.h"
#include "io/text.h"

static const struct {
    const char *ending;
    io_format format;
} endings[] = {
    {".npz", FORMAT_NPZ}, {".npy", FORMAT_NPY}, {".mat", FORMAT_MAT},   {".csv", FORMAT_CSV},
    {".tsv", FORMAT_CSV}, {".txt", FORMAT_CSV}, {".spdml", FORMAT_NPZ},
};

static io_format format_by_ending(const char *path)
{
    const char *ending = path_ending(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_same(ending, endings[i].ending))
            return endings[i].format;
    return FORMAT_NONE;
}

static int starts_with(const source_glance *glance, const char *magic)
{
    size_t length = strlen(magic);
    return glance->head_size >= length && memcmp(glance->head, magic, length) == 0;
}

static io_format format_by_content(const source_glance *glance)
{
    if (starts_with(glance, "\x93NUMPY"))
        return FORMAT_NPY;
    if (starts_with(glance, "PK\3\4") || starts_with(glance, "PK\5\6"))
        return FORMAT_NPZ;
    return starts_with(glance, "MATLAB ") ? FORMAT_MAT : FORMAT_NONE;
}

static spd_status unknown_ending(spd_context *ctx, const char *path)
{
    char plain[40];
    return ctx_fail(ctx, SPD_EFORMAT, "unknown file type '%s'; use .npz, .npy, .mat or .csv",
                    text_plain(path_ending(path), plain, sizeof plain));
}

/* Ending and content disagree: says what it seems to be. */
static spd_status mislabelled(spd_context *ctx, io_format ending, io_format content)
{
    static const char *const what[] = {"", "an .npy file", "a zip archive", "a MATLAB file",
                                       "a .csv file"};
    static const char *const rename[] = {"", ".npy", ".npz", ".mat", ".csv"};
    return ctx_fail(ctx, SPD_EFORMAT, "is not %s but %s; rename it to %s", what[ending],
                    what[content], rename[content]);
}

static spd_status open_format(spd_context *ctx, io_file *file, const io_purpose *purpose)
{
    source_glance glance;
    spd_status status = source_look(ctx, file->path, &glance);
    if (status < 0)
        return status;
    io_format format = format_by_ending(file->path), content = format_by_content(&glance);
    if (format == FORMAT_NONE)
        format = content;
    if (format == FORMAT_NONE)
        return unknown_ending(ctx, file->path);
    if (content != FORMAT_NONE && content != format)
        return mislabelled(ctx, format, content);
    file->format = format;
    switch (format) {
    case FORMAT_NPY:
        return npy_open(ctx, file);
    case FORMAT_NPZ:
        return npz_open(ctx, file);
    case FORMAT_MAT:
        return mat_open(ctx, file, &glance);
    default:
        return csv_open(ctx, file, purpose);
    }
}

spd_status io_open(spd_context *ctx, const char *path, const io_purpose *purpose, io_file **file)
{
    io_file *fresh = mem_zero(1, sizeof *fresh);
    spd_status status = SPD_OK;
    if (!fresh || !(fresh->path = mem_text(path)))
        status = ctx_nomem(ctx, "a file");
    if (status == SPD_OK)
        status = open_format(ctx, fresh, purpose);
    if (status < 0) {
        ctx_prefix(ctx, path);
        io_close(fresh);
        return status;
    }
    *file = fresh;
    return SPD_OK;
}

/* The entry that name asks for; formats without names have one entry that answers to any. */
static spd_status pick_entry(spd_context *ctx, const io_file *file, const char *name,
                             const io_entry **entry)
{
    char names[200], plain[60];
    const io_entry *found = name ? io_find(file, name) : NULL;
    if (file->count == 1 && (!name || !file->entry[0].name))
        found = &file->entry[0];
    io_names(file, names, sizeof names);
    if (!found && !name)
        ctx_fail(ctx, SPD_EINVAL, "contains %zu arrays (%s); name the one to read", file->count,
                 names);
    else if (!found)
        ctx_fail(ctx, SPD_EINVAL, "has no array named '%s', only %s",
                 text_plain(name, plain, sizeof plain), names);
    if (!found) {
        ctx_prefix(ctx, file->path);
        return SPD_EINVAL;
    }
    *entry = found;
    return SPD_OK;
}

spd_status spd_array_read(spd_context *ctx, const char *path, const char *name, spd_array **array)
{
    const io_purpose purpose = {0, NULL};
    const io_entry *entry;
    io_file *file;
    ctx_clear(ctx);
    spd_status status = io_open(ctx, path, &purpose, &file);
    if (status < 0)
        return status;
    status = pick_entry(ctx, file, name, &entry);
    if (status == SPD_OK)
        status = io_read(ctx, file, entry, array);
    io_close(file);
    return status;
}

/* Formats without names hold one array. */
static spd_status check_count(spd_context *ctx, io_format format, size_t count)
{
    if (count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there is nothing to write");
    if (count > 1 && (format == FORMAT_NPY || format == FORMAT_CSV))
        return ctx_fail(ctx, SPD_EINVAL, "this format holds one array, not %zu; use .npz", count);
    return SPD_OK;
}

static spd_status write_format(spd_context *ctx, io_format format, outfile *out, size_t count,
                               const spd_array *const *arrays)
{
    switch (format) {
    case FORMAT_NPY:
        return npy_write(ctx, out, count, arrays);
    case FORMAT_NPZ:
        return npz_write(ctx, out, count, arrays);
    case FORMAT_MAT:
        return mat_write(ctx, out, count, arrays);
    default:
        return csv_write(ctx, out, count, arrays);
    }
}

static spd_status write_arrays(spd_context *ctx, const char *path, size_t count,
                               const spd_array *const *arrays)
{
    io_format format = format_by_ending(path);
    outfile *out;
    if (format == FORMAT_NONE)
        return unknown_ending(ctx, path);
    spd_status status = check_count(ctx, format, count);
    if (status == SPD_OK)
        status = outfile_open(ctx, path, &out);
    if (status < 0)
        return status;
    return outfile_close(out, write_format(ctx, format, out, count, arrays));
}

spd_status spd_arrays_write(spd_context *ctx, const char *path, size_t count,
                            const spd_array *const *arrays)
{
    ctx_clear(ctx);
    spd_status status = write_arrays(ctx, path, count, arrays);
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}
