/* zip_read.c - the directory of a zip archive, and its members unpacked; see zip.h. */
#include <string.h>

#include "base/memory.h"
#include "io/inflate.h"
#include "io/text.h"
#include "io/zip.h"

enum { LOCAL = 30, ENTRY = 46, END = 22, END64 = 56, LOCATOR = 20, COMMENT = 65535 };

/* Where the directory is, as the end of the archive says. */
typedef struct directory {
    uint64_t count, size, at;
} directory;

static uint64_t number(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    while (size--)
        value = value << 8 | bytes[size];
    return value;
}

/* Are there `size` bytes at `at`, which begin with PK and these two? */
static int record_at(const zip_archive *a, uint64_t at, uint64_t size, const char *mark)
{
    return size <= a->size && at <= a->size - size && memcmp(a->bytes + at, "PK", 2) == 0 &&
           memcmp(a->bytes + at + 2, mark, 2) == 0;
}

/* The end record is the last thing in the file but for a comment, whose length it knows, and what a
 * transfer may have added. SIZE_MAX: none. */
static size_t find_end(const zip_archive *a)
{
    for (size_t tail = 0; tail <= COMMENT && tail + END <= a->size; tail++) {
        size_t at = a->size - END - tail;
        if (record_at(a, at, END, "\5\6") && number(a->bytes + at + 20, 2) <= tail)
            return at;
    }
    return SIZE_MAX;
}

/* *d <- the directory; non-zero when there is none that lies within the file. */
static int find_directory(const zip_archive *a, directory *d)
{
    size_t at = find_end(a);
    if (at == SIZE_MAX)
        return 1;
    const unsigned char *end = a->bytes + at;
    *d = (directory){number(end + 10, 2), number(end + 12, 4), number(end + 16, 4)};
    int disks = number(end + 4, 4) != 0;
    if (at >= LOCATOR && record_at(a, at - LOCATOR, LOCATOR, "\6\7")) {
        uint64_t wide = number(end - LOCATOR + 8, 8);
        if (!record_at(a, wide, END64, "\6\6"))
            return 1;
        end = a->bytes + wide;
        at = (size_t)wide;
        *d = (directory){number(end + 32, 8), number(end + 40, 8), number(end + 48, 8)};
        disks = number(end + 16, 8) != 0;
    }
    return disks || d->at > at || d->size > at - d->at || d->count > d->size / ENTRY;
}

/* Takes the next eight bytes of the zip64 field for a value that did not fit into 32 bits. */
static int widen(uint64_t *value, const unsigned char **field, size_t *left)
{
    if (*value != UINT32_MAX)
        return 0;
    if (*left < 8)
        return 1;
    *value = number(*field, 8);
    *field += 8;
    *left -= 8;
    return 0;
}

/* Values that the header has no room for are in an extra field of kind 1, in this order. */
static int read_wide(zip_member *m, const unsigned char *extra, size_t size)
{
    if (m->size != UINT32_MAX && m->packed != UINT32_MAX && m->at != UINT32_MAX)
        return 0;
    while (size >= 4) {
        size_t length = (size_t)number(extra + 2, 2);
        if (length > size - 4)
            return 1;
        const unsigned char *field = extra + 4;
        if (number(extra, 2) == 1)
            return widen(&m->size, &field, &length) || widen(&m->packed, &field, &length) ||
                   widen(&m->at, &field, &length);
        extra += 4 + length;
        size -= 4 + length;
    }
    return 1;
}

/* *name <- a copy, new; what is not UTF-8 gets question marks. */
static spd_status take_name(spd_context *ctx, const unsigned char *bytes, size_t size, char **name)
{
    char *copy = mem_zero(size + 1, 1);
    if (!copy)
        return ctx_nomem(ctx, "an archive");
    memcpy(copy, bytes, size);
    if (utf8_length(copy) == SIZE_MAX)
        for (size_t i = 0; i < size; i++)
            if (copy[i] & 0x80)
                copy[i] = '?';
    *name = copy;
    return SPD_OK;
}

static spd_status damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is a damaged zip archive; copy or create it again");
}

/* *m <- the entry of the directory at *at, which moves behind it; `end` is the directory's end. */
static spd_status read_entry(spd_context *ctx, const zip_archive *a, size_t end, size_t *at,
                             zip_member *m)
{
    if (end - *at < ENTRY || !record_at(a, *at, ENTRY, "\1\2"))
        return damaged(ctx);
    const unsigned char *entry = a->bytes + *at;
    size_t name = (size_t)number(entry + 28, 2), extra = (size_t)number(entry + 30, 2);
    size_t length = ENTRY + name + extra + (size_t)number(entry + 32, 2);
    if (length > end - *at)
        return damaged(ctx);
    m->crypt = entry[8] & 1;
    m->method = (unsigned)number(entry + 10, 2);
    m->crc = (uint32_t)number(entry + 16, 4);
    m->packed = number(entry + 20, 4);
    m->size = number(entry + 24, 4);
    m->at = number(entry + 42, 4);
    if (read_wide(m, entry + ENTRY + name, extra))
        return damaged(ctx);
    *at += length;
    return take_name(ctx, entry + ENTRY, name, &m->name);
}

static spd_status no_directory(spd_context *ctx, const zip_archive *a)
{
    char quoted[48];
    if (a->size >= 4 && memcmp(a->bytes, "PK\3\4", 4) == 0)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a damaged or truncated zip archive (its directory at the end is "
                        "missing); copy or create it again");
    return ctx_fail(ctx, SPD_EFORMAT, "is not a zip archive (starts with %s)",
                    text_quote(a->bytes, a->size < 16 ? a->size : 16, quoted, sizeof quoted));
}

spd_status zip_open(spd_context *ctx, const unsigned char *bytes, size_t size, zip_archive *archive)
{
    directory d;
    *archive = (zip_archive){.bytes = bytes, .size = size};
    if (find_directory(archive, &d))
        return no_directory(ctx, archive);
    archive->member = mem_zero((size_t)d.count, sizeof *archive->member);
    if (!archive->member)
        return ctx_nomem(ctx, "an archive");
    size_t at = (size_t)d.at, end = (size_t)(d.at + d.size);
    spd_status status = SPD_OK;
    for (uint64_t i = 0; i < d.count && status == SPD_OK; i++)
        status = read_entry(ctx, archive, end, &at, &archive->member[archive->count++]);
    return status;
}

void zip_close(zip_archive *archive)
{
    for (size_t i = 0; i < archive->count; i++)
        mem_free(archive->member[i].name);
    mem_free(archive->member);
    archive->member = NULL;
    archive->count = 0;
}

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

/* *packed <- where the packed bytes of a member are, all of them. */
static spd_status find_packed(spd_context *ctx, const zip_archive *archive,
                              const zip_member *member, const unsigned char **packed)
{
    uint64_t at = member->at;
    if (member->crypt)
        return cannot_unpack(ctx, "it is encrypted");
    if (member->method != ZIP_STORED && member->method != ZIP_DEFLATED)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "cannot be unpacked: it is packed by method %u; only stored and deflated "
                        "members are read",
                        member->method);
    if (!record_at(archive, at, LOCAL, "\3\4"))
        return cannot_unpack(ctx, "it is not where the archive's directory says");
    at += LOCAL + number(archive->bytes + at + 26, 2) + number(archive->bytes + at + 28, 2);
    if (at > archive->size || member->packed > archive->size - at)
        return cannot_unpack(ctx, "it is cut off");
    if (member->method == ZIP_STORED ? member->size != member->packed
                                     : member->size / INFLATE_EXPANSION > member->packed)
        return cannot_unpack(ctx, "its size in the archive's directory is wrong");
    *packed = archive->bytes + at;
    return SPD_OK;
}

/* Inflates until there are size bytes or the stream ends; *have <- how many there are. */
static spd_status inflate_bytes(spd_context *ctx, const unsigned char *packed, size_t left,
                                unsigned char *bytes, size_t size, size_t *have)
{
    inflater in;
    spd_status status = inflater_open(ctx, &in, INFLATE_RAW, packed, left);
    if (status == SPD_OK) {
        status = inflater_take(ctx, &in, bytes, size, have);
        inflater_close(&in);
    }
    return status;
}

spd_status zip_unpack(spd_context *ctx, const zip_archive *archive, const zip_member *member,
                      unsigned char *bytes, size_t size, size_t *got)
{
    const unsigned char *packed = NULL;
    size_t have = 0;
    spd_status status = find_packed(ctx, archive, member, &packed);
    if (status == SPD_OK && member->method == ZIP_DEFLATED) {
        status = inflate_bytes(ctx, packed, (size_t)member->packed, bytes, size, &have);
    } else if (status == SPD_OK) {
        have = member->size < size ? (size_t)member->size : size;
        memcpy(bytes, packed, have);
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
    const unsigned char *packed;
    size_t got, room;
    spd_status status = find_packed(ctx, archive, member, &packed); /* before memory is asked for */
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
