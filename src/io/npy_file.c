/* npy_file.c - .npy files as files of one unnamed array. */
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/npy.h"

/* The array takes the source over, so a second read of the same file is not offered. */
static spd_status read_npy(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array)
{
    (void)entry;
    io_source *source = file->source;
    file->source = NULL;
    if (!source)
        return ctx_fail(ctx, SPD_EINVAL, "was read already");
    return npy_read_source(ctx, source, array);
}

spd_status npy_open(spd_context *ctx, io_file *file)
{
    io_entry *entry;
    npy_header header;
    file->read = read_npy;
    spd_status status = npy_parse(ctx, file->source->bytes, file->source->size, &header);
    if (status == SPD_OK)
        status = io_add_entry(ctx, file, NULL, &entry);
    if (status < 0)
        return status;
    entry->readable = npy_readable(&header);
    entry->ndim = header.ndim;
    memcpy(entry->shape, header.shape, sizeof entry->shape);
    return SPD_OK;
}

spd_status npy_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    npy_image image;
    (void)count; /* one, as the caller made sure */
    spd_status status = npy_image_make(ctx, arrays[0], &image);
    if (status < 0)
        return status;
    outfile_write(out, image.header, image.header_size);
    outfile_write(out, image.data, image.data_size);
    npy_image_free(&image);
    return SPD_OK;
}
