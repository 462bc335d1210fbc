/* format.c - which format a file has, and reading and writing arrays through it. */
#include "formats/format.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/npy.h"
#include "io/text.h"

typedef spd_status writer(spd_context *ctx, outfile *out, size_t count,
                          const spd_array *const *arrays);

/* The formats, as messages call them. */
static const struct {
    const char *name, *ending;
    writer *write;
    int unnamed; /* it holds one array without a name */
} formats[] = {
    [FORMAT_NPY] = {"an .npy file", ".npy", npy_write, 1},
    [FORMAT_NPZ] = {"a zip archive", ".npz", npz_write, 0},
    [FORMAT_MAT] = {"a MATLAB file", ".mat", mat_write, 0},
    [FORMAT_CSV] = {"a .csv file", ".csv", csv_write, 1},
};

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

/* By the first bytes, with zeros behind them where the file has fewer. */
static io_format format_by_content(const char start[8])
{
    if (memcmp(start, "\x93NUMPY", 6) == 0)
        return FORMAT_NPY;
    if (memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0)
        return FORMAT_NPZ;
    if (memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0)
        return FORMAT_MAT;
    return memcmp(start, "MATLAB ", 7) == 0 ? FORMAT_MAT : FORMAT_NONE;
}

static spd_status unknown_ending(spd_context *ctx, const char *path)
{
    char plain[40];
    return ctx_fail(ctx, SPD_EFORMAT, "unknown file type '%s'; use .npz, .npy, .mat or .csv",
                    text_plain(path_ending(path), plain, sizeof plain));
}

static spd_status open_format(spd_context *ctx, io_file *file, const io_purpose *purpose)
{
    char start[8] = "";
    const int standard = strcmp(file->path, "-") == 0;
    spd_status status =
        standard ? source_stdin(ctx, &file->source) : source_open(ctx, file->path, &file->source);
    if (status < 0)
        return status;
    io_source *source = file->source;
    status = source_read(ctx, source, 0, source->size < 8 ? source->size : 8, start);
    if (status < 0)
        return status;
    io_format format = format_by_ending(file->path), content = format_by_content(start);
    if (format == FORMAT_NONE)
        format = content;
    if (format == FORMAT_NONE && standard)
        format = FORMAT_CSV;
    if (format == FORMAT_NONE)
        return unknown_ending(ctx, file->path);
    if (content != FORMAT_NONE && content != format)
        return ctx_fail(ctx, SPD_EFORMAT, "is not %s but %s; rename it to %s", formats[format].name,
                        formats[content].name, formats[content].ending);
    file->format = format;
    if (format == FORMAT_MAT || format == FORMAT_CSV)
        status = source_all(ctx, source);
    if (status < 0)
        return status;
    switch (format) {
    case FORMAT_NPY:
        return npy_open(ctx, file);
    case FORMAT_NPZ:
        return npz_open_source(ctx, file);
    case FORMAT_MAT:
        return mat_open(ctx, file);
    default:
        return csv_open(ctx, file, (const char *)source->bytes, source->size, purpose);
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
        ctx_prefix(ctx, strcmp(path, "-") == 0 ? "standard input" : path);
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
        status = io_read_complex(ctx, file, entry, array);
    io_close(file);
    return status;
}

static spd_status write_arrays(spd_context *ctx, const char *path, size_t count,
                               const spd_array *const *arrays)
{
    io_format format = format_by_ending(path);
    outfile *out;
    if (format == FORMAT_NONE)
        return unknown_ending(ctx, path);
    if (count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there is nothing to write");
    if (count > 1 && formats[format].unnamed)
        return ctx_fail(ctx, SPD_EINVAL, "this format holds one array, not %zu; use .npz", count);
    spd_status status = outfile_open(ctx, path, &out);
    if (status < 0)
        return status;
    outfile_tidy(out);
    return outfile_close(out, formats[format].write(ctx, out, count, arrays));
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
