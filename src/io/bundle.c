/* bundle.c - models, checkpoints and trained methods as files: an .npz with a member meta.json.
 * Neither reading nor writing looks at the ending, so that a checkpoint may have any name. */
#include "io/file.h"

#include <string.h>

#include "base/memory.h"

void bundle_free(io_bundle *bundle)
{
    if (!bundle)
        return;
    for (size_t i = 0; bundle->array && i < bundle->count; i++)
        spd_array_free(bundle->array[i]);
    mem_free(bundle->array);
    mem_free(bundle->meta);
    io_close(bundle->file);
    mem_free(bundle);
}

static spd_status take_bundle(spd_context *ctx, io_bundle *bundle)
{
    io_file *file = bundle->file;
    spd_status status = npz_open_source(ctx, file);
    if (status == SPD_OK)
        status = npz_read_meta(ctx, file, &bundle->meta);
    if (status < 0)
        return status;
    if (!bundle->meta)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "has no meta.json; expected a file written by spdml fit or spdml train");
    bundle->array = mem_zero(file->count, sizeof(spd_array *));
    bundle->count = file->count;
    return bundle->array ? SPD_OK : ctx_nomem(ctx, "a list of arrays");
}

/* A bundle over an io_file whose source is still to be opened; NULL: out of memory. */
static io_bundle *new_bundle(spd_context *ctx)
{
    io_bundle *bundle = mem_zero(1, sizeof *bundle);
    if (bundle)
        bundle->file = mem_zero(1, sizeof *bundle->file);
    if (bundle && bundle->file)
        return bundle;
    bundle_free(bundle);
    ctx_nomem(ctx, "a file");
    return NULL;
}

/* *bundle <- fresh, if status says that its source is there and it is one. */
static spd_status hand_over(spd_context *ctx, io_bundle *fresh, spd_status status,
                            io_bundle **bundle)
{
    if (status == SPD_OK)
        status = take_bundle(ctx, fresh);
    if (status < 0)
        bundle_free(fresh);
    else
        *bundle = fresh;
    return status;
}

spd_status bundle_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                              io_bundle **bundle)
{
    io_bundle *fresh = new_bundle(ctx);
    if (!fresh)
        return SPD_ENOMEM;
    return hand_over(ctx, fresh, source_lend(ctx, bytes, size, &fresh->file->source), bundle);
}

spd_status bundle_read(spd_context *ctx, const char *path, io_bundle **bundle)
{
    ctx_clear(ctx);
    io_bundle *fresh = new_bundle(ctx);
    if (!fresh)
        return SPD_ENOMEM;
    spd_status status = source_open(ctx, path, &fresh->file->source);
    status = hand_over(ctx, fresh, status, bundle);
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

static const char *name_of(const io_bundle *bundle, size_t i)
{
    const char *name = bundle->array[i] ? bundle->array[i]->name : bundle->file->entry[i].name;
    return name ? name : "";
}

spd_status bundle_array(spd_context *ctx, const io_bundle *bundle, const char *name, size_t rows,
                        size_t columns, const spd_array **array)
{
    size_t i = 0;
    while (i < bundle->count && strcmp(name_of(bundle, i), name) != 0)
        i++;
    if (i == bundle->count)
        return ctx_fail(ctx, SPD_EFORMAT, "has no array %s", name);
    spd_array **at = &bundle->array[i];
    const io_entry *entry = *at ? NULL : &bundle->file->entry[i];
    spd_status status = SPD_OK;
    if (entry && entry->ndim == 2 && entry->shape[0] == rows && entry->shape[1] == columns)
        status = io_read_complex(ctx, bundle->file, entry, at);
    const spd_array *is = status == SPD_OK ? *at : NULL;
    *array = is && is->ndim == 2 && is->shape[0] == rows && is->shape[1] == columns ? is : NULL;
    return status;
}

spd_status bundle_write(spd_context *ctx, const char *path, size_t count,
                        const spd_array *const *arrays, const char *meta)
{
    outfile *out;
    ctx_clear(ctx);
    spd_status status = outfile_open(ctx, path, &out);
    if (status == SPD_OK) {
        outfile_tidy(out);
        status = outfile_close(out, npz_write_with(ctx, out, count, arrays, meta));
    }
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}

spd_status bundle_write_memory(spd_context *ctx, size_t count, const spd_array *const *arrays,
                               const char *meta, unsigned char **bytes, size_t *size)
{
    outfile *out;
    ctx_clear(ctx);
    spd_status status = outfile_open_memory(ctx, &out);
    if (status == SPD_OK)
        status = outfile_hand_over(out, npz_write_with(ctx, out, count, arrays, meta), bytes, size);
    return status;
}
