/* bundle.c - models, checkpoints and trained methods as files: an .npz with a member meta.json.
 * Neither reading nor writing looks at the ending, so that a checkpoint may have any name. */
#include "io/file.h"

#include "base/memory.h"

void bundle_free(io_bundle *bundle)
{
    if (!bundle)
        return;
    for (size_t i = 0; bundle->array && i < bundle->count; i++)
        spd_array_free(bundle->array[i]);
    mem_free(bundle->array);
    mem_free(bundle->meta);
    mem_free(bundle);
}

static spd_status read_arrays(spd_context *ctx, io_file *file, io_bundle *bundle)
{
    spd_status status = SPD_OK;
    bundle->array = mem_zero(file->count, sizeof(spd_array *));
    if (!bundle->array)
        return ctx_nomem(ctx, "a list of arrays");
    bundle->count = file->count;
    for (size_t i = 0; i < file->count && status == SPD_OK; i++)
        status = io_read_complex(ctx, file, &file->entry[i], &bundle->array[i]);
    return status;
}

static spd_status take_bundle(spd_context *ctx, io_file *file, int meta_only, io_bundle **bundle)
{
    io_bundle *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a file");
    spd_status status = npz_read_meta(ctx, file, &fresh->meta);
    if (status == SPD_OK && !fresh->meta)
        status = ctx_fail(ctx, SPD_EFORMAT,
                          "has no meta.json; expected a file written by spdml fit or spdml train");
    if (status == SPD_OK && !meta_only)
        status = read_arrays(ctx, file, fresh);
    if (status < 0)
        bundle_free(fresh);
    else
        *bundle = fresh;
    return status;
}

/* Reads from file->source, if status says that it is there; closes the file. */
static spd_status read_bundle(spd_context *ctx, io_file *file, spd_status status, int meta_only,
                              io_bundle **bundle)
{
    if (status == SPD_OK)
        status = npz_open_source(ctx, file);
    if (status == SPD_OK)
        status = take_bundle(ctx, file, meta_only, bundle);
    io_close(file);
    return status;
}

spd_status bundle_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                              int meta_only, io_bundle **bundle)
{
    io_file *file = mem_zero(1, sizeof *file);
    if (!file)
        return ctx_nomem(ctx, "a file");
    spd_status status = source_lend(ctx, bytes, size, &file->source);
    return read_bundle(ctx, file, status, meta_only, bundle);
}

spd_status bundle_read(spd_context *ctx, const char *path, int meta_only, io_bundle **bundle)
{
    ctx_clear(ctx);
    io_file *file = mem_zero(1, sizeof *file);
    if (!file)
        return ctx_nomem(ctx, "a file");
    spd_status status = source_open(ctx, path, &file->source);
    status = read_bundle(ctx, file, status, meta_only, bundle);
    if (status < 0)
        ctx_prefix(ctx, path);
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
