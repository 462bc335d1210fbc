/* hdf5_index.c - where the chunks of a data set are: four kinds of index. */
#include <string.h>

#include "formats/hdf5.h"

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

/* ---- the others number the chunks row by row ---------------------------------------------------
 */

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
        uint64_t along = dim / size + (dim % size > 0);
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

spd_status h5_chunks(spd_context *ctx, h5_file *file, const h5_object *object,
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
