/* data.c - the elements of a data set, in one block or in chunks. */
#include <string.h>

#include "base/memory.h"
#include "formats/hdf5/hdf5.h"
#include "io/inflate.h"

/* ---- filters -------------------------------------------------------------------------------- */

/* Fletcher's checksum over 16-bit words, the first byte high; an odd last byte is a word with 0. */
static uint32_t fletcher32(const unsigned char *bytes, size_t size)
{
    uint32_t low = 0, high = 0;
    for (size_t i = 0; i < size; i += 2) {
        low += (uint32_t)bytes[i] << 8 | (i + 1 < size ? bytes[i + 1] : 0u);
        low = (low & 0xffff) + (low >> 16);
        high += low;
        high = (high & 0xffff) + (high >> 16);
    }
    return high << 16 | low;
}

/* The two halves of a sum, each modulo 65535, of which 0 and 65535 are the same. */
static int same_sum(uint32_t a, uint32_t b)
{
    return (a & 0xffff) % 65535 == (b & 0xffff) % 65535 && (a >> 16) % 65535 == (b >> 16) % 65535;
}

static spd_status check_sum(spd_context *ctx, h5_cursor *now)
{
    if (now->left < 4)
        return h5_damaged(ctx);
    h5_cursor sum = {now->at + now->left - 4, 4, 0};
    now->left -= 4;
    if (!same_sum((uint32_t)h5_take(&sum, 4), fletcher32(now->at, now->left)))
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: a checksum is wrong");
    return SPD_OK;
}

/* Byte k of all elements stands together: k = 0 first. */
static void unshuffle(const unsigned char *from, size_t size, size_t width, unsigned char *to)
{
    size_t count = size / width;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < count; i++)
            to[i * width + k] = from[k * count + i];
    memcpy(to + count * width, from + count * width, size % width);
}

static spd_status unpack(spd_context *ctx, h5_cursor *now, size_t size, unsigned char *to)
{
    inflater in;
    size_t got = 0;
    spd_status status = inflater_open(ctx, &in, INFLATE_ZLIB, now->at, now->left);
    if (status < 0)
        return status;
    status = inflater_take(ctx, &in, to, size + H5_MARGIN, &got);
    inflater_close(&in);
    *now = (h5_cursor){to, got, 0};
    return status;
}

/* Undoes the filters of a chunk. *elements <- its size bytes, in the file or in one of the two
 * rooms (size + H5_MARGIN each). */
static spd_status h5_unfilter(spd_context *ctx, const h5_object *object, const h5_chunk *chunk,
                              h5_cursor stored, size_t size, unsigned char *const room[2],
                              const unsigned char **elements)
{
    h5_cursor now = stored;
    spd_status status = SPD_OK;
    for (size_t i = object->filters; i-- > 0 && status == SPD_OK;) {
        unsigned char *to = now.at == room[0] ? room[1] : room[0];
        if (chunk->mask >> i & 1)
            continue;
        if (object->filter[i] == H5_FLETCHER32) {
            status = check_sum(ctx, &now);
        } else if (object->filter[i] == H5_DEFLATE) {
            status = unpack(ctx, &now, size, to);
        } else if (now.left > size + H5_MARGIN) {
            status = h5_damaged(ctx);
        } else {
            unshuffle(now.at, now.left, object->type.size, to);
            now.at = to;
        }
    }
    if (status == SPD_OK && now.left != size)
        status = h5_damaged(ctx);
    *elements = now.at;
    return status;
}

/* ---- where chunks are ----------------------------------------------------------------------- */

typedef struct index_walk {
    h5_file *file;
    const h5_object *object;
    h5_chunk_visitor *visit;
    void *user;
} index_walk;

/* ---- a tree ---------------------------------------------------------------------------------- */

static spd_status one_key(spd_context *ctx, index_walk *walk, h5_cursor *node, int level);

/* A node of the tree: its children are chunks at level 0. */
static spd_status walk_node(spd_context *ctx, index_walk *walk, uint64_t address, int level)
{
    h5_file *file = walk->file;
    h5_cursor node;
    int here = 0;
    size_t count = 0, each = 8 + 8 * (walk->object->layout.rank + 1) + file->offset_size;
    spd_status status = h5_tree_node(ctx, file, address, 1, level, each, &node, &here, &count);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = one_key(ctx, walk, &node, here);
    return status;
}

static spd_status one_key(spd_context *ctx, index_walk *walk, h5_cursor *node, int level)
{
    h5_chunk chunk = {0};
    chunk.size = h5_take(node, 4);
    chunk.mask = (uint32_t)h5_take(node, 4);
    for (size_t d = 0; d < walk->object->layout.rank; d++)
        chunk.offset[d] = h5_take(node, 8);
    h5_take(node, 8); /* within an element */
    chunk.address = h5_take_address(node, walk->file);
    return level == 0 ? walk->visit(ctx, walk->user, &chunk)
                      : walk_node(ctx, walk, chunk.address, level - 1);
}

/* ---- the others number the chunks row by row ------------------------------------------------- */

/* *count <- chunks along all dimensions; zero where that overflows. */
static int count_chunks(const h5_object *object, uint64_t *count, uint64_t *bytes)
{
    *count = 1;
    *bytes = object->type.size;
    for (size_t d = 0; d < object->layout.rank; d++) {
        uint64_t size = object->layout.chunk[d], dim = object->space.dims[d];
        if (size == 0 || __builtin_mul_overflow(*count, dim / size + (dim % size > 0), count) ||
            __builtin_mul_overflow(*bytes, size, bytes))
            return 0;
    }
    return 1;
}

static void place_chunk(const h5_object *object, uint64_t number, h5_chunk *chunk)
{
    for (size_t d = object->layout.rank; d-- > 0;) {
        uint64_t size = object->layout.chunk[d], dim = object->space.dims[d];
        uint64_t along = dim > 0 ? dim / size + (dim % size > 0) : 1; /* an empty array has none */
        chunk->offset[d] = number % along * size;
        number /= along;
    }
}

static spd_status single_chunk(spd_context *ctx, index_walk *walk, uint64_t bytes)
{
    const h5_layout *layout = &walk->object->layout;
    h5_chunk chunk = {.address = layout->address, .size = bytes, .mask = layout->single_mask};
    if (layout->single_size)
        chunk.size = layout->single_size;
    return walk->visit(ctx, walk->user, &chunk);
}

static spd_status implicit_chunks(spd_context *ctx, index_walk *walk, uint64_t count,
                                  uint64_t bytes)
{
    const h5_layout *layout = &walk->object->layout;
    uint64_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || layout->address > walk->file->size ||
        all > walk->file->size - layout->address)
        return h5_damaged(ctx);
    spd_status status = SPD_OK;
    for (uint64_t i = 0; i < count && status == SPD_OK; i++) {
        h5_chunk chunk = {.address = layout->address + i * bytes, .size = bytes};
        place_chunk(walk->object, i, &chunk);
        status = walk->visit(ctx, walk->user, &chunk);
    }
    return status;
}

typedef struct fixed_array {
    int filtered;
    size_t each;      /* bytes of an entry */
    uint64_t bytes;   /* of a chunk that is not filtered */
    uint64_t entries; /* as many as there are chunks */
    unsigned bits;    /* of the number of an entry within its page */
    uint64_t block;   /* address of the entries */
} fixed_array;

static spd_status open_array(spd_context *ctx, index_walk *walk, fixed_array *array)
{
    h5_file *file = walk->file;
    h5_cursor head;
    uint64_t size = 8 + (uint64_t)file->length_size + file->offset_size;
    spd_status status = h5_signed(ctx, file, walk->object->layout.address, size, "FAHD", &head);
    if (status < 0)
        return status;
    unsigned version = (unsigned)h5_take(&head, 1), client = (unsigned)h5_take(&head, 1);
    array->each = (size_t)h5_take(&head, 1);
    unsigned bits = (unsigned)h5_take(&head, 1);
    uint64_t entries = h5_take_length(&head, file);
    array->block = h5_take_address(&head, file);
    array->filtered = client == 1;
    size_t least = file->offset_size + (array->filtered ? 5u : 0u);
    if (version != 0 || client > 1 || bits > 30 || entries != array->entries ||
        array->each < least || array->each > least + (array->filtered ? 7 : 0))
        return h5_damaged(ctx);
    array->bits = bits;
    return SPD_OK;
}

/* Entries from number `first` on. */
static spd_status array_entries(spd_context *ctx, index_walk *walk, const fixed_array *array,
                                uint64_t first, uint64_t count, uint64_t address)
{
    h5_cursor part;
    spd_status status = h5_block(ctx, walk->file, address, count * array->each, &part);
    for (uint64_t i = 0; i < count && status == SPD_OK; i++) {
        h5_chunk chunk = {.address = h5_take_address(&part, walk->file), .size = array->bytes};
        if (array->filtered) {
            chunk.size = h5_take(&part, array->each - walk->file->offset_size - 4);
            chunk.mask = (uint32_t)h5_take(&part, 4);
        }
        place_chunk(walk->object, first + i, &chunk);
        if (chunk.address != H5_UNDEFINED)
            status = walk->visit(ctx, walk->user, &chunk);
    }
    return status;
}

static spd_status array_chunks(spd_context *ctx, index_walk *walk, uint64_t count, uint64_t bytes)
{
    h5_file *file = walk->file;
    fixed_array array = {.entries = count, .bytes = bytes};
    spd_status status = open_array(ctx, walk, &array);
    if (status < 0 || array.block == H5_UNDEFINED)
        return status;
    if (count > file->size) /* each has an entry there */
        return h5_damaged(ctx);
    uint64_t start = 6 + (uint64_t)file->offset_size;
    h5_cursor head;
    status = h5_signed(ctx, file, array.block, start, "FADB", &head);
    if (status < 0)
        return status;
    uint64_t page = UINT64_C(1) << array.bits;
    if (count <= page)
        return array_entries(ctx, walk, &array, 0, count, array.block + start);
    /* Pages: first a bit for each that says whether it was ever written, and a checksum. */
    uint64_t pages = (count + page - 1) >> array.bits;
    h5_cursor used;
    status = h5_block(ctx, file, array.block + start, (pages + 7) / 8 + 4, &used);
    uint64_t at = array.block + start + (pages + 7) / 8 + 4;
    for (uint64_t i = 0; i < pages && status == SPD_OK; i++) {
        uint64_t first = i * page, some = count - first;
        some = some < page ? some : page;
        if (used.at[i / 8] & 0x80 >> i % 8)
            status = array_entries(ctx, walk, &array, first, some, at);
        at += page * array.each + 4;
    }
    return status;
}

static spd_status h5_chunks(spd_context *ctx, h5_file *file, const h5_object *object,
                            h5_chunk_visitor *visit, void *user)
{
    index_walk walk = {file, object, visit, user};
    uint64_t count = 0, bytes = 0;
    if (object->layout.address == H5_UNDEFINED) /* nothing was ever written */
        return SPD_OK;
    if (object->layout.index == H5_TREE)
        return walk_node(ctx, &walk, object->layout.address, -1);
    if (!count_chunks(object, &count, &bytes))
        return h5_damaged(ctx);
    if (object->layout.index == H5_SINGLE)
        return single_chunk(ctx, &walk, bytes);
    if (object->layout.index == H5_IMPLICIT)
        return implicit_chunks(ctx, &walk, count, bytes);
    return array_chunks(ctx, &walk, count, bytes);
}

/* ---- elements ------------------------------------------------------------------------------- */

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

/* ---- chunks ---------------------------------------------------------------------------------- */

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
