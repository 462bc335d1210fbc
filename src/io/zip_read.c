/* zip_read.c - members of a zip archive unpacked; see zip.h. */
#include <string.h>

#include "base/memory.h"
#include "io/inflate.h"
#include "io/source.h"
#include "io/zip.h"

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
                                     : member->size / INFLATE_EXPANSION > member->packed)
        return cannot_unpack(ctx, "its size in the archive's directory is wrong");
    return SPD_OK;
}

static spd_status inflate_member(spd_context *ctx, const zip_archive *archive,
                                 const zip_member *member, unsigned char *bytes, size_t size,
                                 size_t *have)
{
    inflater in;
    spd_status status =
        inflater_open_source(ctx, &in, archive->source, member->from, (size_t)member->packed);
    if (status == SPD_OK)
        status = inflater_take(ctx, &in, bytes, size, have);
    inflater_close(&in);
    return status;
}

/* The checksums of the pieces of a member. */
typedef struct summing {
    const unsigned char *bytes;
    uLong *crc; /* of each piece */
} summing;

static int sum_piece(void *user, size_t from, size_t size)
{
    const summing *s = user;
    s->crc[from / PIECE_BYTES] = crc32_z(crc32(0, NULL, 0), s->bytes + from, size);
    return 0;
}

/* Is what was unpacked all of the member, by its checksum? Those of pieces are put together. */
static spd_status check_sum(spd_context *ctx, const zip_member *member, const unsigned char *bytes,
                            size_t size)
{
    uLong all = crc32(0, NULL, 0);
    summing s = {bytes, mem_alloc(size / PIECE_BYTES + 1, sizeof *s.crc)};
    spd_status status =
        s.crc ? pieces_run(ctx, "checking", size, sum_piece, &s) : ctx_nomem(ctx, "a checksum");
    for (size_t from = 0; from < size && status == SPD_OK; from += PIECE_BYTES)
        all = crc32_combine(all, s.crc[from / PIECE_BYTES],
                            (z_off_t)(size - from < PIECE_BYTES ? size - from : PIECE_BYTES));
    mem_free(s.crc);
    if (status == SPD_OK && (size != member->size || all != member->crc))
        status = cannot_unpack(ctx, "its checksum is wrong");
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
        status = source_fill(ctx, archive->source, member->from, have, bytes);
    }
    if (status == SPD_OK && have < size)
        status = check_sum(ctx, member, bytes, have);
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
