/* file.c - an HDF5 file: its superblock and guarded access to its bytes, the headers of objects, the links
 * of groups, and texts of any length. */
#include <string.h>

#include "base/memory.h"
#include "formats/hdf5/hdf5.h"
#include "io/inflate.h"

static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* How often the structure may be looked at as a whole: references that share texts do so. */
#define MAX_EFFORT 512
#define SMALL      ((uint64_t)1 << 20)

spd_status h5_damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is damaged or cut short");
}

uint64_t h5_take(h5_cursor *cursor, size_t bytes)
{
    uint64_t value = 0;
    if (bytes > sizeof value || bytes > cursor->left) {
        cursor->bad = 1;
        cursor->left = 0;
        return 0;
    }
    memcpy(&value, cursor->at, bytes);
    cursor->at += bytes;
    cursor->left -= bytes;
    return value;
}

uint64_t h5_take_address(h5_cursor *cursor, const h5_file *file)
{
    uint64_t value = h5_take(cursor, file->offset_size);
    uint64_t none = file->offset_size < 8 ? ((uint64_t)1 << 8 * file->offset_size) - 1 : UINT64_MAX;
    return value == none ? H5_UNDEFINED : value;
}

uint64_t h5_take_length(h5_cursor *cursor, const h5_file *file)
{
    return h5_take(cursor, file->length_size);
}

h5_cursor h5_take_part(h5_cursor *cursor, size_t size)
{
    h5_cursor part = {cursor->at, size, 0};
    if (size > cursor->left) {
        cursor->bad = 1;
        part.left = cursor->left;
        part.bad = 1;
    }
    cursor->at += part.left;
    cursor->left -= part.left;
    return part;
}

spd_status h5_charge(spd_context *ctx, h5_file *file, uint64_t bytes)
{
    if (bytes > file->effort)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is damaged: its parts refer to each other again and again");
    file->effort -= bytes;
    return SPD_OK;
}

spd_status h5_block(spd_context *ctx, h5_file *file, uint64_t address, uint64_t length,
                    h5_cursor *cursor)
{
    if (address > file->size || length > file->size - address)
        return h5_damaged(ctx);
    *cursor = (h5_cursor){file->bytes + address, (size_t)length, 0};
    return h5_charge(ctx, file, length + 256); /* finding a block takes time, too */
}

spd_status h5_signed(spd_context *ctx, h5_file *file, uint64_t address, uint64_t length,
                     const char *letters, h5_cursor *cursor)
{
    spd_status status = h5_block(ctx, file, address, length, cursor);
    if (status < 0)
        return status;
    if (length < 4 || memcmp(cursor->at, letters, 4) != 0)
        return h5_damaged(ctx);
    h5_take(cursor, 4);
    return SPD_OK;
}

spd_status h5_tree_node(spd_context *ctx, h5_file *file, uint64_t address, unsigned kind, int level,
                        size_t each, h5_cursor *node, int *here, size_t *count)
{
    size_t start = 8 + 2 * (size_t)file->offset_size;
    spd_status status = h5_signed(ctx, file, address, start, "TREE", node);
    if (status < 0)
        return status;
    unsigned is = (unsigned)h5_take(node, 1);
    *here = (int)h5_take(node, 1);
    *count = (size_t)h5_take(node, 2);
    if (is != kind || (level >= 0 && *here != level))
        return h5_damaged(ctx);
    return h5_block(ctx, file, address + start, *count * each, node);
}

static int is_size(unsigned bytes)
{
    return bytes == 2 || bytes == 4 || bytes == 8;
}

static spd_status read_superblock(spd_context *ctx, size_t base, h5_file *file)
{
    h5_cursor block = {file->bytes + sizeof signature, file->size - sizeof signature, 0};
    uint64_t end = 0;
    unsigned version = (unsigned)h5_take(&block, 1);
    if (version > 3)
        return ctx_fail(ctx, SPD_EFORMAT, "uses version %u of HDF5's superblock; save with -v7",
                        version);
    const int old = version < 2;
    h5_take(&block, old ? 4 : 0);
    file->offset_size = (unsigned)h5_take(&block, 1);
    file->length_size = (unsigned)h5_take(&block, 1);
    h5_take_part(&block, !old ? 1 : version == 1 ? 13 : 9); /* flags, old: sizes of tree nodes */
    h5_take(&block, file->offset_size);                     /* base; free space or extension */
    h5_take(&block, file->offset_size);
    end = h5_take(&block, file->offset_size);
    h5_take(&block, old ? file->offset_size : 0); /* driver */
    h5_take(&block, old ? file->offset_size : 0); /* name of the root group */
    file->root = h5_take(&block, file->offset_size);
    if (block.bad || !is_size(file->offset_size) || !is_size(file->length_size))
        return h5_damaged(ctx);
    if (end > file->size + base)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is damaged or cut short: it shall have %llu bytes, and has %zu",
                        (unsigned long long)end, file->size + base);
    return SPD_OK;
}

spd_status h5_open(spd_context *ctx, const unsigned char *bytes, size_t size, h5_file *file)
{
    for (size_t base = 0; size >= sizeof signature && base <= size - sizeof signature;
         base = base ? 2 * base : 512) {
        if (memcmp(bytes + base, signature, sizeof signature) != 0)
            continue;
        *file = (h5_file){.bytes = bytes + base, .size = size - base};
        if (__builtin_mul_overflow((uint64_t)size, MAX_EFFORT, &file->effort) ||
            __builtin_mul_overflow((uint64_t)size, 2 * INFLATE_EXPANSION, &file->unpacked))
            file->effort = file->unpacked = UINT64_MAX - SMALL;
        file->effort += SMALL;
        file->unpacked += SMALL;
        return read_superblock(ctx, base, file);
    }
    return h5_damaged(ctx);
}

/* ---- objects -------------------------------------------------------------------------------- */

/* Blocks in which a header goes on that have been named and not been read yet. */
#define MAX_PENDING 32

enum { MESSAGE_LINK = 0x06, MESSAGE_CONTINUED = 0x10 };
enum { FLAG_ORDER = 0x04, FLAG_PHASES = 0x10, FLAG_TIMES = 0x20 };

typedef struct header_walk {
    h5_file *file;
    h5_object *object;
    h5_link_visitor *links;
    void *user;
    int version;
    int ordered; /* messages of version 2 carry a number */
    size_t pending;
    struct {
        uint64_t address, length;
    } block[MAX_PENDING];
} header_walk;

static spd_status one_message(spd_context *ctx, header_walk *walk, unsigned type, unsigned flags,
                              h5_cursor message)
{
    if (type == MESSAGE_LINK && walk->links)
        return walk->links(ctx, walk->user, message);
    if (type != MESSAGE_CONTINUED)
        return h5_message(ctx, walk->file, type, (flags & 2) != 0, message, walk->object);
    uint64_t address = h5_take_address(&message, walk->file);
    uint64_t length = h5_take_length(&message, walk->file);
    if (message.bad || walk->pending == MAX_PENDING)
        return h5_damaged(ctx);
    walk->block[walk->pending].address = address;
    walk->block[walk->pending++].length = length;
    return SPD_OK;
}

static spd_status all_messages(spd_context *ctx, header_walk *walk, h5_cursor part)
{
    size_t least = walk->version == 1 ? 8 : walk->ordered ? 6 : 4;
    spd_status status = SPD_OK;
    while (part.left >= least && status == SPD_OK) {
        unsigned type = (unsigned)h5_take(&part, walk->version == 1 ? 2 : 1);
        size_t size = (size_t)h5_take(&part, 2);
        unsigned flags = (unsigned)h5_take(&part, 1);
        h5_take(&part, walk->version == 1 ? 3 : walk->ordered ? 2 : 0);
        h5_cursor message = h5_take_part(&part, size);
        if (part.bad)
            return h5_damaged(ctx);
        status = one_message(ctx, walk, type, flags, message);
    }
    return status;
}

/* Opens the first block: *part <- its messages. */
static spd_status first_block(spd_context *ctx, header_walk *walk, uint64_t address,
                              h5_cursor *part)
{
    h5_file *file = walk->file;
    h5_cursor start;
    uint64_t left = address < file->size ? file->size - address : 0, size, from;
    spd_status status = h5_block(ctx, file, address, left < 64 ? left : 64, &start);
    if (status < 0)
        return status;
    const unsigned char *begin = start.at;
    if (start.left >= 4 && memcmp(start.at, "OHDR", 4) == 0) {
        walk->version = 2;
        h5_take(&start, 5);
        unsigned flags = (unsigned)h5_take(&start, 1);
        walk->ordered = (flags & FLAG_ORDER) != 0;
        h5_take_part(&start, (flags & FLAG_TIMES ? 16 : 0) + (flags & FLAG_PHASES ? 4 : 0));
        size = h5_take(&start, (size_t)1 << (flags & 3));
        from = (uint64_t)(start.at - begin);
    } else {
        walk->version = (int)h5_take(&start, 1);
        h5_take(&start, 7);
        size = h5_take(&start, 4);
        from = 16;
    }
    if (start.bad || walk->version < 1 || walk->version > 2)
        return h5_damaged(ctx);
    return h5_block(ctx, file, address + from, size, part);
}

/* Opens a block in which the header goes on. */
static spd_status next_block(spd_context *ctx, header_walk *walk, h5_cursor *part)
{
    walk->pending--;
    uint64_t address = walk->block[walk->pending].address;
    uint64_t length = walk->block[walk->pending].length;
    if (walk->version == 1)
        return h5_block(ctx, walk->file, address, length, part);
    spd_status status = h5_signed(ctx, walk->file, address, length, "OCHK", part);
    if (status == SPD_OK && part->left < 4)
        status = h5_damaged(ctx);
    if (status == SPD_OK)
        part->left -= 4; /* a checksum */
    return status;
}

spd_status h5_object_read(spd_context *ctx, h5_file *file, uint64_t address, h5_object *object,
                          h5_link_visitor *links, void *user)
{
    header_walk walk = {.file = file, .object = object, .links = links, .user = user};
    h5_cursor part;
    memset(object, 0, sizeof *object);
    object->tree = object->heap = object->dense_heap = H5_UNDEFINED;
    spd_status status = first_block(ctx, &walk, address, &part);
    if (status == SPD_OK)
        status = all_messages(ctx, &walk, part);
    while (walk.pending > 0 && status == SPD_OK) {
        status = next_block(ctx, &walk, &part);
        if (status == SPD_OK)
            status = all_messages(ctx, &walk, part);
    }
    return status;
}

/* ---- groups --------------------------------------------------------------------------------- */

#define MAX_NAME 1024

typedef struct group_walk {
    h5_file *file;
    h5_cursor names; /* of the old form: the heap */
    h5_visitor *visit;
    void *user;
} group_walk;

/* A link message. */
static spd_status new_link(spd_context *ctx, void *user, h5_cursor link)
{
    group_walk *walk = user;
    char name[MAX_NAME];
    h5_take(&link, 1); /* version */
    unsigned flags = (unsigned)h5_take(&link, 1);
    unsigned kind = flags & 8 ? (unsigned)h5_take(&link, 1) : 0;
    h5_take(&link, flags & 4 ? 8 : 0);
    h5_take(&link, flags & 16 ? 1 : 0);
    size_t length = (size_t)h5_take(&link, (size_t)1 << (flags & 3));
    h5_cursor word = h5_take_part(&link, length);
    if (link.bad || length == 0 || length >= sizeof name)
        return h5_damaged(ctx);
    memcpy(name, word.at, length);
    name[length] = '\0';
    uint64_t address = kind == 0 ? h5_take_address(&link, walk->file) : H5_UNDEFINED;
    return link.bad ? h5_damaged(ctx) : walk->visit(ctx, walk->user, name, address);
}

static spd_status old_link(spd_context *ctx, group_walk *walk, uint64_t at, uint64_t address)
{
    char name[MAX_NAME];
    if (at >= walk->names.left)
        return h5_damaged(ctx);
    const char *word = (const char *)walk->names.at + at;
    size_t left = walk->names.left - (size_t)at, length = strnlen(word, left);
    if (length == left || length == 0 || length >= sizeof name)
        return h5_damaged(ctx);
    memcpy(name, word, length + 1);
    return walk->visit(ctx, walk->user, name, address);
}

/* The symbols of one table. */
static spd_status list_table(spd_context *ctx, group_walk *walk, uint64_t address)
{
    h5_file *file = walk->file;
    size_t each = 2 * (size_t)file->offset_size + 24;
    h5_cursor table;
    spd_status status = h5_signed(ctx, file, address, 8, "SNOD", &table);
    if (status < 0)
        return status;
    h5_take(&table, 2);
    size_t count = (size_t)h5_take(&table, 2);
    status = h5_block(ctx, file, address + 8, count * each, &table);
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        uint64_t name = h5_take(&table, file->offset_size);
        uint64_t object = h5_take_address(&table, file);
        unsigned kind = (unsigned)h5_take(&table, 4);
        h5_take_part(&table, 20);
        status = old_link(ctx, walk, name, kind == 2 ? H5_UNDEFINED : object); /* 2: soft */
    }
    return status;
}

/* A node of the tree: its children are tables at level 0. */
static spd_status list_node(spd_context *ctx, group_walk *walk, uint64_t address, int level)
{
    h5_file *file = walk->file;
    h5_cursor node;
    int here = 0;
    size_t count = 0, each = file->length_size + file->offset_size;
    spd_status status = h5_tree_node(ctx, file, address, 0, level, each, &node, &here, &count);
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        h5_take(&node, file->length_size);
        uint64_t child = h5_take_address(&node, file);
        status = here == 0 ? list_table(ctx, walk, child) : list_node(ctx, walk, child, here - 1);
    }
    return status;
}

/* The heap in which the names of an old group are. */
static spd_status open_heap(spd_context *ctx, group_walk *walk, uint64_t address)
{
    h5_file *file = walk->file;
    h5_cursor heap;
    uint64_t start = 8 + 2 * (uint64_t)file->length_size + file->offset_size;
    spd_status status = h5_signed(ctx, file, address, start, "HEAP", &heap);
    if (status < 0)
        return status;
    h5_take(&heap, 4);
    uint64_t size = h5_take_length(&heap, file);
    h5_take_length(&heap, file);
    return h5_block(ctx, file, h5_take_address(&heap, file), size, &walk->names);
}

spd_status h5_group_list(spd_context *ctx, h5_file *file, uint64_t address, h5_visitor *visit,
                         void *user)
{
    group_walk walk = {.file = file, .visit = visit, .user = user};
    h5_object group;
    spd_status status = h5_object_read(ctx, file, address, &group, new_link, &walk);
    if (status < 0)
        return status;
    if (group.dense_heap != H5_UNDEFINED)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "lists its variables in a form of HDF5 that is not read; save with -v7, or "
                        "from h5py without libver='latest'");
    if (group.tree == H5_UNDEFINED || group.heap == H5_UNDEFINED)
        return SPD_OK;
    status = open_heap(ctx, &walk, group.heap);
    return status < 0 ? status : list_node(ctx, &walk, group.tree, -1);
}

/* ---- texts of any length -------------------------------------------------------------------- */
/* A collection is "GCOL", its size, and objects: number, length, bytes padded to eight. Texts
 * mostly follow each other; so the search goes on where the last one ended, and a collection that
 * is searched anew is charged to the file's effort again. */

static spd_status open_collection(spd_context *ctx, h5_file *file, uint64_t address, h5_heap *heap)
{
    h5_cursor start;
    spd_status status =
        h5_signed(ctx, file, address, 8 + (uint64_t)file->length_size, "GCOL", &start);
    if (status < 0)
        return status;
    h5_take(&start, 4);
    uint64_t size = h5_take_length(&start, file);
    status = h5_block(ctx, file, address, size, &heap->rest);
    if (status < 0)
        return status;
    h5_take_part(&heap->rest, 8 + file->length_size);
    heap->address = address;
    return heap->rest.bad ? h5_damaged(ctx) : SPD_OK;
}

/* *object <- the next object with that number, if there is one up to the end. */
static int find_object(const h5_file *file, h5_heap *heap, uint64_t number, h5_cursor *object)
{
    const size_t head = 8 + (size_t)file->length_size;
    while (heap->rest.left >= head) {
        uint64_t index = h5_take(&heap->rest, 2);
        h5_take(&heap->rest, 6);
        uint64_t size = h5_take_length(&heap->rest, file);
        if (index == 0 || size > heap->rest.left) /* free space, or damage */
            break;
        *object = h5_take_part(&heap->rest, (size_t)size);
        h5_take_part(&heap->rest,
                     (8 - size % 8) % 8 < heap->rest.left ? (8 - size % 8) % 8 : heap->rest.left);
        if (index == number)
            return 1;
    }
    heap->rest.left = 0;
    return 0;
}

spd_status h5_heap_text(spd_context *ctx, h5_file *file, h5_heap *heap, h5_cursor *element,
                        h5_cursor *text)
{
    uint64_t length = h5_take(element, 4), address = h5_take_address(element, file);
    uint64_t number = h5_take(element, 4);
    spd_status status = SPD_OK;
    *text = (h5_cursor){file->bytes, 0, 0};
    if (element->bad)
        return h5_damaged(ctx);
    if (length == 0 || address == H5_UNDEFINED || address == 0)
        return SPD_OK;
    int found = heap->address == address && find_object(file, heap, number, text);
    if (!found) {
        status = open_collection(ctx, file, address, heap);
        found = status == SPD_OK && find_object(file, heap, number, text);
    }
    if (status == SPD_OK && (!found || length > text->left))
        status = h5_damaged(ctx);
    text->left = (size_t)(length < text->left ? length : text->left);
    return status;
}
