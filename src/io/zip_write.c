/* zip_write.c - zip archives written from front to back; see zip.h. Equal members give equal bytes:
 * all are dated 1 January 1980, as numpy does it. */
#include <string.h>

#include "base/memory.h"
#include "io/zip.h"

#define DATE      0x0021 /* 1980-01-01 */
#define UTF8_NAME 0x0800
#define BEST      0x0002        /* deflated as well as can be */
#define NEEDS     20            /* version of the format: 2.0 for deflate, */
#define NEEDS64   45            /* 4.5 for zip64 */
#define MADE_BY   (3 << 8 | 63) /* version 6.3, on Unix */
#define MODE      0100666u      /* a regular file, for unpackers */

/* A header while it is put together. */
typedef struct record {
    unsigned char bytes[128];
    size_t size;
} record;

static void put(record *r, uint64_t value, size_t bytes)
{
    for (; bytes; bytes--, value >>= 8)
        r->bytes[r->size++] = (unsigned char)value;
}

/* Version of the format that is needed to unpack a member, times ten. */
static unsigned needs(const zip_member *m, int wide)
{
    if (wide)
        return NEEDS64;
    return m->method == ZIP_DEFLATED ? 20 : 10;
}

static uint64_t narrow(uint64_t value)
{
    return value < UINT32_MAX ? value : UINT32_MAX;
}

static int is_wide(uint64_t value)
{
    return value >= UINT32_MAX;
}

static void emit(zip_writer *w, const void *bytes, size_t size)
{
    w->at += size;
    outfile_write(w->out, bytes, size);
}

/* What both headers of a member hold alike, between the needed version and the name's length. */
static void put_common(record *r, const zip_member *m, uint64_t packed, uint64_t size)
{
    int ascii = 1;
    for (const char *c = m->name; *c; c++)
        ascii = ascii && !(*c & 0x80);
    put(r, (ascii ? 0 : UTF8_NAME) | (m->method == ZIP_DEFLATED ? BEST : 0), 2);
    put(r, m->method, 2);
    put(r, 0, 2);
    put(r, DATE, 2);
    put(r, m->crc, 4);
    put(r, packed, 4);
    put(r, size, 4);
    put(r, strlen(m->name), 2);
}

/* Header and name before the bytes. Sizes of 64 bits are in the extra field, always both. */
static void write_local(zip_writer *w, const zip_member *m)
{
    record r = {.size = 0}, extra = {.size = 0};
    int wide = is_wide(m->size) || is_wide(m->packed);
    if (wide) {
        put(&extra, 1, 2);
        put(&extra, 16, 2);
        put(&extra, m->size, 8);
        put(&extra, m->packed, 8);
    }
    put(&r, 0x04034b50, 4);
    put(&r, needs(m, wide), 2);
    put_common(&r, m, wide ? UINT32_MAX : m->packed, wide ? UINT32_MAX : m->size);
    put(&r, extra.size, 2);
    emit(w, r.bytes, r.size);
    emit(w, m->name, strlen(m->name));
    emit(w, extra.bytes, extra.size);
}

/* A member's line in the directory. */
static void write_entry(zip_writer *w, const zip_member *m)
{
    record r = {.size = 0}, wide = {.size = 0}, extra = {.size = 0};
    const uint64_t values[] = {m->size, m->packed, m->at};
    for (size_t i = 0; i < 3; i++)
        if (is_wide(values[i]))
            put(&wide, values[i], 8);
    if (wide.size) {
        put(&extra, 1, 2);
        put(&extra, wide.size, 2);
    }
    put(&r, 0x02014b50, 4);
    put(&r, MADE_BY, 2);
    put(&r, needs(m, wide.size > 0), 2);
    put_common(&r, m, narrow(m->packed), narrow(m->size));
    put(&r, extra.size + wide.size, 2);
    put(&r, 0, 2 + 2 + 2); /* no comment, first disk, no internal attributes */
    put(&r, (uint64_t)MODE << 16, 4);
    put(&r, narrow(m->at), 4);
    emit(w, r.bytes, r.size);
    emit(w, m->name, strlen(m->name));
    emit(w, extra.bytes, extra.size);
    emit(w, wide.bytes, wide.size);
}

/* *packed <- the pieces deflated, new; *size <- how many bytes that are. */
static spd_status deflate_pieces(spd_context *ctx, const zip_piece *piece, size_t count,
                                 size_t total, unsigned char **packed, size_t *size)
{
    z_stream stream = {.zalloc = zip_allocate, .zfree = zip_release};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return ctx_nomem(ctx, "packing");
    uLong room = deflateBound(&stream, (uLong)total);
    unsigned char *bytes = mem_alloc(room, 1);
    if (bytes) {
        stream.next_out = bytes;
        stream.avail_out = (uInt)room;
        for (size_t i = 0; i < count; i++) {
            stream.next_in = (z_const Bytef *)(uintptr_t)piece[i].bytes;
            stream.avail_in = (uInt)piece[i].size;
            deflate(&stream, i + 1 < count ? Z_NO_FLUSH : Z_FINISH);
        }
        *packed = bytes;
        *size = stream.total_out;
    }
    deflateEnd(&stream);
    return bytes ? SPD_OK : ctx_nomem(ctx, "packing");
}

static spd_status new_member(spd_context *ctx, zip_writer *w, const char *name, zip_member **member)
{
    size_t count = w->count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(w->member[i].name, name) == 0)
            return ctx_fail(ctx, SPD_EINVAL, "two arrays would be named '%.*s'",
                            (int)strlen(name) - 4, name);
    zip_member *grown = mem_list(w->member, count, sizeof *grown);
    if (!grown)
        return ctx_nomem(ctx, "an archive");
    w->member = grown;
    *member = &w->member[count];
    **member =
        (zip_member){.name = mem_text(name), .at = w->at, .crc = (uint32_t)crc32(0, NULL, 0)};
    if (!(*member)->name)
        return ctx_nomem(ctx, "an archive");
    w->count++;
    return SPD_OK;
}

spd_status zip_add(spd_context *ctx, zip_writer *w, const char *name, zip_method method,
                   const zip_piece *piece, size_t count)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    zip_member *m = NULL;
    spd_status status = new_member(ctx, w, name, &m);
    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (piece[i].size) /* to zlib, no bytes at NULL mean: begin again */
            m->crc = (uint32_t)crc32_z(m->crc, piece[i].bytes, piece[i].size);
        m->size += piece[i].size;
    }
    /* zlib counts in 32 bits; so much is better stored in any case */
    m->method = m->size < (1u << 30) ? method : ZIP_STORED;
    m->packed = m->size;
    if (m->method == ZIP_DEFLATED) {
        status = deflate_pieces(ctx, piece, count, (size_t)m->size, &bytes, &size);
        m->packed = size;
    }
    if (status < 0)
        return status;
    write_local(w, m);
    for (size_t i = 0; i < count && !bytes; i++)
        emit(w, piece[i].bytes, piece[i].size);
    emit(w, bytes, size);
    mem_free(bytes);
    return SPD_OK;
}

void zip_finish(zip_writer *w)
{
    record r = {.size = 0};
    uint64_t from = w->at;
    for (size_t i = 0; i < w->count; i++)
        write_entry(w, &w->member[i]);
    uint64_t to = w->at, size = to - from, count = w->count;
    if (is_wide(from) || is_wide(size) || count >= UINT16_MAX) {
        put(&r, 0x06064b50, 4);
        put(&r, 44, 8); /* bytes that follow */
        put(&r, MADE_BY, 2);
        put(&r, NEEDS64, 2);
        put(&r, 0, 4 + 4); /* one disk */
        put(&r, count, 8);
        put(&r, count, 8);
        put(&r, size, 8);
        put(&r, from, 8);
        put(&r, 0x07064b50, 4);
        put(&r, 0, 4);
        put(&r, to, 8);
        put(&r, 1, 4);
    }
    uint64_t few = count < UINT16_MAX ? count : UINT16_MAX;
    put(&r, 0x06054b50, 4);
    put(&r, 0, 2 + 2);
    put(&r, few, 2);
    put(&r, few, 2);
    put(&r, narrow(size), 4);
    put(&r, narrow(from), 4);
    put(&r, 0, 2);
    emit(w, r.bytes, r.size);
}

void zip_discard(zip_writer *w)
{
    zip_archive members = {.count = w->count, .member = w->member};
    zip_close(&members);
}
