/* hdf5_data.c - the elements of a data set, in one block or in chunks. */
#include <string.h>

#include "base/memory.h"
#include "formats/hdf5.h"
#include "io/inflate.h"

#define FILL_PIECE 512 /* elements at a time */

spd_status h5_data_check(spd_context *ctx, const h5_file *file, const h5_object *object,
                         size_t *count)
{
    uint64_t product = object->space.none ? 0 : 1, bytes;
    if (object->problem)
        return ctx_fail(ctx, SPD_EFORMAT, "%s", object->problem);
    if (!object->has_space || !object->has_type || !object->has_layout)
        return h5_damaged(ctx);
    for (size_t d = 0; d < object->space.rank; d++)
        if (object->space.dims[d] == 0)
            product = 0;
    for (size_t d = 0; d < object->space.rank; d++)
        if (__builtin_mul_overflow(product, object->space.dims[d], &product))
            return h5_damaged(ctx);
    if (__builtin_mul_overflow(product, object->type.size, &bytes) ||
        bytes / INFLATE_EXPANSION > file->size)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "promises %llu elements, more than a file of %zu bytes can hold",
                        (unsigned long long)product, file->size);
    *count = (size_t)product;
    return SPD_OK;
}

/* ---- chunks ------------------------------------------------------------------------------------
 */

typedef struct chunk_reader {
    h5_file *file;
    const h5_object *object;
    h5_taker *take;
    void *user;
    size_t size;              /* bytes of a chunk's elements */
    uint64_t stored, largest; /* bytes of all chunks and of one, as stored */
    uint64_t count;           /* of chunks */
    uint64_t beyond;          /* number of the first element behind the start of the last chunk */
    unsigned char *room[2];
} chunk_reader;

static spd_status measure_chunk(spd_context *ctx, void *user, const h5_chunk *chunk)
{
    chunk_reader *reader = user;
    /* Chunks do not overlap, so together they are smaller than the file. */
    if (chunk->size > reader->file->size || (reader->stored += chunk->size) > reader->file->size)
        return h5_damaged(ctx);
    if (chunk->size > reader->largest)
        reader->largest = chunk->size;
    reader->count++;
    return SPD_OK;
}

/* Hands over the rows of a chunk, as far as they lie within the data set. */
static spd_status put_rows(spd_context *ctx, chunk_reader *reader, const h5_chunk *chunk,
                           const unsigned char *elements)
{
    const h5_layout *layout = &reader->object->layout;
    const uint64_t *dims = reader->object->space.dims;
    size_t last = layout->rank - 1, width = reader->object->type.size;
    uint64_t at[H5_MAX_RANK] = {0}, left = dims[last] - chunk->offset[last];
    size_t run = (size_t)(left < layout->chunk[last] ? left : layout->chunk[last]);
    for (;;) {
        uint64_t first = 0, from = 0;
        for (size_t d = 0; d <= last; d++) {
            first = first * dims[d] + chunk->offset[d] + at[d];
            from = from * layout->chunk[d] + at[d];
        }
        spd_status status =
            reader->take(ctx, reader->user, (size_t)first, run, elements + from * width);
        size_t d = last;
        while (d > 0 && (++at[d - 1] == layout->chunk[d - 1] ||
                         chunk->offset[d - 1] + at[d - 1] == dims[d - 1]))
            at[--d] = 0;
        if (status < 0 || d == 0)
            return status;
    }
}

static spd_status read_chunk(spd_context *ctx, void *user, const h5_chunk *chunk)
{
    chunk_reader *reader = user;
    const h5_object *object = reader->object;
    const unsigned char *elements = NULL;
    h5_cursor stored;
    uint64_t first = 0;
    for (size_t d = 0; d < object->layout.rank; d++) {
        if (chunk->offset[d] >= object->space.dims[d] ||
            chunk->offset[d] % object->layout.chunk[d] != 0)
            return h5_damaged(ctx);
        first = first * object->space.dims[d] + chunk->offset[d];
    }
    /* Every index lists chunks in order: none comes twice, and so none is missing unseen. */
    if (first < reader->beyond)
        return h5_damaged(ctx);
    reader->beyond = first + 1;
    spd_status status = h5_block(ctx, reader->file, chunk->address, chunk->size, &stored);
    if (status == SPD_OK)
        status = h5_unfilter(ctx, object, chunk, stored, reader->size, reader->room, &elements);
    return status < 0 ? status : put_rows(ctx, reader, chunk, elements);
}

/* The value of elements that are not stored, for all of them. */
static spd_status put_fill(spd_context *ctx, const h5_object *object, size_t count, h5_taker *take,
                           void *user)
{
    size_t width = object->type.size;
    unsigned char *piece = width <= 16 ? mem_zero(FILL_PIECE, width) : NULL;
    if (!piece)
        return width <= 16 ? ctx_nomem(ctx, "a data set") : h5_damaged(ctx);
    for (size_t i = 0; i < FILL_PIECE && object->fill.left == width; i++)
        memcpy(piece + i * width, object->fill.at, width);
    spd_status status = SPD_OK;
    for (size_t done = 0; done < count && status == SPD_OK; done += FILL_PIECE)
        status =
            take(ctx, user, done, count - done < FILL_PIECE ? count - done : FILL_PIECE, piece);
    mem_free(piece);
    return status;
}

/* *size <- bytes of a chunk, *total <- chunks of a data set that is not empty; zero when they do
 * not suit it. */
static int measure_layout(const h5_object *object, uint64_t *size, uint64_t *total)
{
    const h5_layout *layout = &object->layout;
    *size = object->type.size;
    *total = 1;
    if (layout->rank != object->space.rank || layout->rank == 0)
        return 0;
    for (size_t d = 0; d < layout->rank; d++) {
        uint64_t chunk = layout->chunk[d];
        if (chunk == 0 || __builtin_mul_overflow(*size, chunk, size))
            return 0;
        *total *= (object->space.dims[d] - 1) / chunk + 1; /* no more than there are elements */
    }
    return 1;
}

/* Can so much be made of what is stored? Charges the file for unpacking it. */
static spd_status check_stored(spd_context *ctx, chunk_reader *reader, uint64_t size, size_t count)
{
    const h5_object *object = reader->object;
    h5_file *file = reader->file;
    uint64_t expansion = object->filters ? INFLATE_EXPANSION : 1, work;
    uint64_t bytes = (uint64_t)count * object->type.size;
    if (reader->count && size / expansion > reader->largest)
        return h5_damaged(ctx);
    if (bytes / expansion > reader->stored + file->size / expansion)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "promises %zu elements, of which the file holds only %llu bytes", count,
                        (unsigned long long)reader->stored);
    if (__builtin_mul_overflow(size, reader->count, &work) ||
        __builtin_add_overflow(work, bytes, &work) || work > file->unpacked)
        return h5_damaged(ctx);
    file->unpacked -= work;
    return SPD_OK;
}

static spd_status read_chunks(spd_context *ctx, h5_file *file, const h5_object *object,
                              size_t count, h5_taker *take, void *user)
{
    chunk_reader reader = {.file = file, .object = object, .take = take, .user = user};
    uint64_t size = 0, total = 0;
    if (!measure_layout(object, &size, &total))
        return h5_damaged(ctx);
    spd_status status = h5_chunks(ctx, file, object, measure_chunk, &reader);
    if (status == SPD_OK)
        status = check_stored(ctx, &reader, size, count);
    if (status == SPD_OK && reader.count > total)
        status = h5_damaged(ctx);
    if (status == SPD_OK && reader.count < total)
        status = put_fill(ctx, object, count, take, user);
    if (status < 0 || reader.count == 0)
        return status;
    reader.size = (size_t)size;
    for (size_t i = 0; i < 2 && status == SPD_OK; i++) {
        reader.room[i] = mem_alloc(object->filters ? reader.size + H5_MARGIN : 0, 1);
        if (!reader.room[i])
            status = ctx_nomem(ctx, "unpacking");
    }
    if (status == SPD_OK)
        status = h5_chunks(ctx, file, object, read_chunk, &reader);
    mem_free(reader.room[0]);
    mem_free(reader.room[1]);
    return status;
}

/* ---- all
 * ----------------------------------------------------------------------------------------- */

spd_status h5_data_read(spd_context *ctx, h5_file *file, const h5_object *object, h5_taker *take,
                        void *user)
{
    const h5_layout *layout = &object->layout;
    size_t count = 0;
    h5_cursor block = layout->compact;
    spd_status status = h5_data_check(ctx, file, object, &count);
    if (status < 0 || count == 0)
        return status;
    size_t bytes = count * object->type.size;
    if (layout->storage == H5_CHUNKED)
        return read_chunks(ctx, file, object, count, take, user);
    if (layout->storage == H5_CONTIGUOUS && layout->address == H5_UNDEFINED) {
        if (bytes > file->size)
            return ctx_fail(ctx, SPD_EFORMAT, "promises %zu elements, none of which is in the file",
                            count);
        status = h5_charge(ctx, file, bytes);
        return status < 0 ? status : put_fill(ctx, object, count, take, user);
    }
    if (layout->storage == H5_CONTIGUOUS && layout->size < bytes)
        return h5_damaged(ctx);
    if (layout->storage == H5_CONTIGUOUS)
        status = h5_block(ctx, file, layout->address, bytes, &block);
    if (status == SPD_OK && (layout->storage == H5_NOWHERE || block.left < bytes))
        status = h5_damaged(ctx);
    return status < 0 ? status : take(ctx, user, 0, count, block.at);
}

typedef struct copy_target {
    unsigned char *bytes;
    size_t width;
} copy_target;

static spd_status copy_run(spd_context *ctx, void *user, size_t first, size_t count,
                           const unsigned char *bytes)
{
    const copy_target *target = user;
    (void)ctx;
    memcpy(target->bytes + first * target->width, bytes, count * target->width);
    return SPD_OK;
}

spd_status h5_data_copy(spd_context *ctx, h5_file *file, const h5_object *object,
                        unsigned char *bytes)
{
    copy_target target = {bytes, object->type.size};
    return h5_data_read(ctx, file, object, copy_run, &target);
}
