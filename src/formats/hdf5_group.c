/* hdf5_group.c - the links of a group: in the old form a tree of symbol tables with the names in a
 * heap, in the new form messages in the group's header. */
#include <string.h>

#include "base/memory.h"
#include "formats/hdf5.h"

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
