/* hdf5_object.c - the messages of an object's header, which may go on in other blocks. */
#include <string.h>

#include "formats/hdf5.h"

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
    object->tree = object->heap = object->dense_heap = object->dense_names = H5_UNDEFINED;
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
