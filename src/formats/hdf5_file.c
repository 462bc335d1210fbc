/* hdf5_file.c - the superblock of an HDF5 file, and guarded access to its bytes. */
#include <string.h>

#include "formats/hdf5.h"
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
    return value == UINT64_MAX >> (64 - 8 * file->offset_size) ? H5_UNDEFINED : value;
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

/* The parts of a superblock of version 0 or 1 behind the version; *end <- where the file ends. */
static void old_superblock(h5_file *file, unsigned version, h5_cursor *block, uint64_t *end)
{
    h5_take(block, 4);
    file->offset_size = (unsigned)h5_take(block, 1);
    file->length_size = (unsigned)h5_take(block, 1);
    h5_take_part(block, version == 1 ? 13 : 9); /* sizes of tree nodes, flags */
    h5_take(block, file->offset_size);          /* base and free space */
    h5_take(block, file->offset_size);
    *end = h5_take(block, file->offset_size);
    h5_take(block, file->offset_size); /* driver */
    h5_take(block, file->offset_size); /* name of the root group */
    file->root = h5_take(block, file->offset_size);
}

static void new_superblock(h5_file *file, h5_cursor *block, uint64_t *end)
{
    file->offset_size = (unsigned)h5_take(block, 1);
    file->length_size = (unsigned)h5_take(block, 1);
    h5_take(block, 1);                 /* flags */
    h5_take(block, file->offset_size); /* base and extension */
    h5_take(block, file->offset_size);
    *end = h5_take(block, file->offset_size);
    file->root = h5_take(block, file->offset_size);
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
    if (version < 2)
        old_superblock(file, version, &block, &end);
    else
        new_superblock(file, &block, &end);
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
