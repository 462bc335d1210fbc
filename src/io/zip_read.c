/* zip_read.c - members of a zip archive unpacked; see zip.h. */
#include <string.h>

#include "base/memory.h"
#include "io/zip.h"

/* Deflate cannot expand more than this: bigger promises are lies. */
#define MAX_EXPANSION 1032

/* Packed bytes are read in pieces of this size. */
#define PIECE ((size_t)1 << 16)

const zip_member *zip_find(const zip_archive *archive, const char *name)
{
    for (size_t i = 0; i < archive->count; i++)
        if (strcmp(archive->member[i].name, name) == 0)
            return &archive->member[i];
    return NULL;
}

voidpf zip_allocate(voidpf unused, uInt count, uInt size)
{
    (void)unused;
    return mem_alloc(count, size);
}

void zip_release(voidpf unused, voidpf block)
{
    (void)unused;
    mem_free(block);
}

static spd_status cannot_unpack(spd_context *ctx, const char *why)
{
    return ctx_fail(ctx, SPD_EFORMAT, "cannot be unpacked: %s", why);
}

/* Can a member be unpacked, and to the size that the directory says? zip_open has seen that its
 * packed bytes are there. */
static spd_status check_member(spd_context *ctx, const zip_member *member)
{
    if (member->crypt)
        return cannot_unpack(ctx, "it is encrypted");
    if (member->method != ZIP_STORED && member->method != ZIP_DEFLATED)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "cannot be unpacked: it is packed by method %u; only stored and deflated "
                        "members are read",
                        member->method);
    if (member->method == ZIP_STORED ? member->size != member->packed
                                     : member->size / MAX_EXPANSION > member->packed)
        return cannot_unpack(ctx, "its size in the archive's directory is wrong");
    return SPD_OK;
}

/* The packed bytes of a member on their way through zlib. */
typedef struct unpacking {
    const io_source *source;
    uint64_t at, left; /* of the packed bytes: where the next are, and how many */
    unsigned char piece[PIECE];
    z_stream stream;
} unpacking;

static spd_status next_piece(spd_context *ctx, unpacking *u)
{
    size_t size = u->left < PIECE ? (size_t)u->left : PIECE;
    spd_status status = source_read(ctx, u->source, u->at, size, u->piece);
    u->stream.next_in = u->piece;
    u->stream.avail_in = (uInt)size;
    u->at += size;
    u->left -= size;
    return status;
}

/* Inflates until there are size bytes or the stream ends; *have <- how many there are. */
static spd_status inflate_bytes(spd_context *ctx, unpacking *u, unsigned char *bytes, size_t size,
                                size_t *have)
{
    const uInt most = 1u << 30; /* zlib counts in 32 bits */
    int result = Z_OK;
    spd_status status = SPD_OK;
    while (*have < size && result == Z_OK) {
        if (u->stream.avail_in == 0)
            status = next_piece(ctx, u);
        if (status < 0)
            return status;
        u->stream.next_out = bytes + *have;
        u->stream.avail_out = size - *have < most ? (uInt)(size - *have) : most;
        result = inflate(&u->stream, Z_NO_FLUSH);
        *have = (size_t)(u->stream.next_out - bytes);
    }
    if (result == Z_OK || result == Z_STREAM_END)
        return SPD_OK;
    if (result == Z_MEM_ERROR)
        return ctx_nomem(ctx, "unpacking");
    return cannot_unpack(ctx, result == Z_BUF_ERROR ? "it is cut off" : "its bytes are damaged");
}

static spd_status inflate_member(spd_context *ctx, const zip_archive *archive,
                                 const zip_member *member, unsigned char *bytes, size_t size,
                                 size_t *have)
{
    unpacking *u = mem_alloc(1, sizeof *u);
    if (!u)
        return ctx_nomem(ctx, "unpacking");
    u->source = archive->source;
    u->at = member->from;
    u->left = member->packed;
    u->stream = (z_stream){.zalloc = zip_allocate, .zfree = zip_release};
    spd_status status =
        inflateInit2(&u->stream, -MAX_WBITS) == Z_OK ? SPD_OK : ctx_nomem(ctx, "unpacking");
    if (status == SPD_OK) {
        status = inflate_bytes(ctx, u, bytes, size, have);
        inflateEnd(&u->stream);
    }
    mem_free(u);
    return status;
}

spd_status zip_unpack(spd_context *ctx, const zip_archive *archive, const zip_member *member,
                      unsigned char *bytes, size_t size, size_t *got)
{
    size_t have = 0;
    spd_status status = check_member(ctx, member);
    if (status == SPD_OK && member->method == ZIP_DEFLATED) {
        status = inflate_member(ctx, archive, member, bytes, size, &have);
    } else if (status == SPD_OK) {
        have = member->size < size ? (size_t)member->size : size;
        status = source_read(ctx, archive->source, member->from, have, bytes);
    }
    if (status == SPD_OK && have < size &&
        (have != member->size || crc32_z(crc32(0, NULL, 0), bytes, have) != member->crc))
        status = cannot_unpack(ctx, "its checksum is wrong");
    *got = have;
    return status;
}

spd_status zip_unpack_all(spd_context *ctx, const zip_archive *archive, const zip_member *member,
                          unsigned char **bytes)
{
    size_t got, room;
    spd_status status = check_member(ctx, member); /* before memory is asked for */
    if (status < 0)
        return status;
    if (__builtin_add_overflow(member->size, 1, &room))
        return ctx_nomem(ctx, "unpacking");
    unsigned char *fresh = mem_alloc(room, 1);
    if (!fresh)
        return ctx_nomem(ctx, "unpacking");
    /* One byte more than there should be: the checksum is compared at the end. */
    status = zip_unpack(ctx, archive, member, fresh, room, &got);
    if (status == SPD_OK && got == room)
        status = cannot_unpack(ctx, "it is longer than the archive's directory says");
    if (status < 0) {
        mem_free(fresh);
        return status;
    }
    fresh[got] = '\0';
    *bytes = fresh;
    return SPD_OK;
}
