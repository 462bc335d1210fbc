/* zip_open.c - the directory of a zip archive, and whether its members bear it out; see zip.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/text.h"
#include "io/zip.h"

enum { LOCAL = 30, ENTRY = 46, END = 22, END64 = 56, LOCATOR = 20, COMMENT = 65535 };

/* The longest directory that is read; half a million members need less. */
#define DIRECTORY_LIMIT ((uint64_t)64 << 20)

/* Flags of a member: encrypted; sizes and checksum are behind it, not in its local header. */
enum { ENCRYPTED = 1, SIZES_BEHIND = 8 };

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

static int has_mark(const unsigned char *record, const char *mark)
{
    return memcmp(record, "PK", 2) == 0 && memcmp(record + 2, mark, 2) == 0;
}

static spd_status damaged(spd_context *ctx, const char *why)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is a damaged zip archive%s; copy or create it again", why);
}

/* record <- the `size` bytes at `at`; SPD_EFORMAT where they do not lie within the file or begin
 * with another mark. */
static spd_status read_record(spd_context *ctx, const io_source *source, uint64_t at, size_t size,
                              const char *mark, unsigned char *record)
{
    if (size > source->size || at > source->size - size)
        return damaged(ctx, "");
    spd_status status = source_read(ctx, source, at, size, record);
    return status == SPD_OK && !has_mark(record, mark) ? damaged(ctx, "") : status;
}

/* ---- where the directory is ------------------------------------------------------------------ */

static spd_status no_directory(spd_context *ctx, const io_source *source)
{
    char quoted[48];
    unsigned char start[16];
    size_t size = source->size < sizeof start ? source->size : sizeof start;
    spd_status status = source_read(ctx, source, 0, size, start);
    if (status < 0)
        return status;
    if (size >= 4 && has_mark(start, "\3\4"))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a damaged or truncated zip archive (its directory at the end is "
                        "missing); copy or create it again");
    return ctx_fail(ctx, SPD_EFORMAT, "is not a zip archive (starts with %s)",
                    text_quote(start, size, quoted, sizeof quoted));
}

/* The end record is the last thing in the file but for a comment, whose length it knows, and what a
 * transfer may have added. end <- it, *at <- its place. */
static spd_status find_end(spd_context *ctx, const io_source *source, unsigned char end[END],
                           uint64_t *at)
{
    size_t size = source->size < END + COMMENT ? source->size : END + COMMENT, back = END;
    unsigned char *tail = mem_alloc(size, 1);
    if (!tail)
        return ctx_nomem(ctx, "an archive");
    spd_status status = source_read(ctx, source, source->size - size, size, tail);
    while (
        status == SPD_OK && back <= size &&
        !(has_mark(tail + size - back, "\5\6") && number(tail + size - back + 20, 2) <= back - END))
        back++;
    if (status == SPD_OK && back > size)
        status = no_directory(ctx, source);
    if (status == SPD_OK) {
        memcpy(end, tail + size - back, END);
        *at = source->size - back;
    }
    mem_free(tail);
    return status;
}

/* The same in 64 bits, if a locator before the end record says where; *at <- its place. */
static spd_status find_end64(spd_context *ctx, const io_source *source, directory *d, int *disks,
                             uint64_t *at)
{
    unsigned char locator[LOCATOR], end[END64];
    if (*at < LOCATOR)
        return SPD_OK;
    spd_status status = source_read(ctx, source, *at - LOCATOR, LOCATOR, locator);
    if (status < 0 || !has_mark(locator, "\6\7"))
        return status;
    *at = number(locator + 8, 8);
    status = read_record(ctx, source, *at, END64, "\6\6", end);
    if (status < 0)
        return status;
    *d = (directory){number(end + 32, 8), number(end + 40, 8), number(end + 48, 8)};
    *disks = number(end + 16, 8) != 0;
    return SPD_OK;
}

static spd_status find_directory(spd_context *ctx, const io_source *source, directory *d)
{
    unsigned char end[END] = {0};
    uint64_t at = 0;
    spd_status status = find_end(ctx, source, end, &at);
    if (status < 0)
        return status;
    *d = (directory){number(end + 10, 2), number(end + 12, 4), number(end + 16, 4)};
    int disks = number(end + 4, 4) != 0;
    status = find_end64(ctx, source, d, &disks, &at);
    if (status < 0)
        return status;
    if (disks || d->at > at || d->size > at - d->at || d->count > d->size / ENTRY)
        return no_directory(ctx, source);
    return d->size > DIRECTORY_LIMIT ? damaged(ctx, " (its directory is too long)") : SPD_OK;
}

/* ---- the entries of the directory ------------------------------------------------------------ */

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

/* Does the member's own header say what its entry says? *m <- where its bytes begin. `end` is where
 * those of all members end. */
static spd_status check_local(spd_context *ctx, const io_source *source, const unsigned char *entry,
                              uint64_t end, zip_member *m)
{
    unsigned char local[LOCAL + UINT16_MAX];
    size_t name = (size_t)number(entry + 28, 2);
    if (m->at > end || LOCAL + name > end - m->at)
        return ctx_fail(ctx, SPD_EFORMAT, "is not where the archive's directory says");
    spd_status status = source_read(ctx, source, m->at, LOCAL + name, local);
    if (status < 0)
        return status;
    if (!has_mark(local, "\3\4"))
        return ctx_fail(ctx, SPD_EFORMAT, "is not where the archive's directory says");
    m->from = m->at + LOCAL + name + number(local + 28, 2);
    if (m->from > end || m->packed > end - m->from)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off");
    int sizes = !(local[6] & SIZES_BEHIND) && number(local + 18, 4) != UINT32_MAX &&
                number(local + 22, 4) != UINT32_MAX;
    if (number(local + 26, 2) != name || memcmp(local + LOCAL, entry + ENTRY, name) != 0 ||
        number(local + 8, 2) != m->method || (local[6] & ENCRYPTED) != m->crypt ||
        (sizes && (number(local + 14, 4) != m->crc || number(local + 18, 4) != m->packed ||
                   number(local + 22, 4) != m->size)))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is described differently by the archive's directory and by its own "
                        "header; create the archive again");
    return SPD_OK;
}

/* *m <- the first entry of what is left of the directory; *length <- its bytes. */
static spd_status read_entry(spd_context *ctx, const io_source *source, uint64_t members_end,
                             const unsigned char *entry, size_t left, zip_member *m, size_t *length)
{
    char plain[80];
    if (left < ENTRY || !has_mark(entry, "\1\2"))
        return damaged(ctx, "");
    size_t name = (size_t)number(entry + 28, 2), extra = (size_t)number(entry + 30, 2);
    *length = ENTRY + name + extra + (size_t)number(entry + 32, 2);
    if (*length > left || memchr(entry + ENTRY, 0, name))
        return damaged(ctx, "");
    m->crypt = entry[8] & ENCRYPTED;
    m->method = (unsigned)number(entry + 10, 2);
    m->crc = (uint32_t)number(entry + 16, 4);
    m->packed = number(entry + 20, 4);
    m->size = number(entry + 24, 4);
    m->at = number(entry + 42, 4);
    if (read_wide(m, entry + ENTRY + name, extra))
        return damaged(ctx, "");
    spd_status status = take_name(ctx, entry + ENTRY, name, &m->name);
    if (status < 0)
        return status;
    status = check_local(ctx, source, entry, members_end, m);
    if (status < 0)
        ctx_prefix(ctx, text_plain(m->name, plain, sizeof plain));
    return status;
}

static spd_status read_entries(spd_context *ctx, const directory *d, zip_archive *archive)
{
    unsigned char *bytes = mem_alloc((size_t)d->size, 1);
    archive->member = mem_zero((size_t)d->count, sizeof *archive->member);
    spd_status status = SPD_OK;
    if (!bytes || !archive->member)
        status = ctx_nomem(ctx, "an archive");
    if (status == SPD_OK)
        status = source_read(ctx, archive->source, d->at, (size_t)d->size, bytes);
    size_t at = 0, length = 0;
    for (uint64_t i = 0; i < d->count && status == SPD_OK; i++, at += length)
        status = read_entry(ctx, archive->source, d->at, bytes + at, (size_t)d->size - at,
                            &archive->member[archive->count++], &length);
    if (status == SPD_OK && at != d->size)
        status = damaged(ctx, " (its directory is longer than it says)");
    mem_free(bytes);
    return status;
}

/* ---- members beside one another -------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const zip_member *const *p = a, *const *q = b;
    return strcmp((*p)->name, (*q)->name);
}

static int by_place(const void *a, const void *b)
{
    const zip_member *const *p = a, *const *q = b;
    return ((*p)->at > (*q)->at) - ((*p)->at < (*q)->at);
}

/* One name, one member, and bytes of its own: programs disagree on which of two they take, and
 * members that share bytes unpack to more than any file of that size could hold. */
static spd_status check_apart(spd_context *ctx, const zip_archive *archive)
{
    char plain[80];
    spd_status status = SPD_OK;
    size_t count = archive->count;
    const zip_member **sorted = mem_alloc(count, sizeof *sorted);
    if (!sorted)
        return ctx_nomem(ctx, "an archive");
    for (size_t i = 0; i < count; i++)
        sorted[i] = &archive->member[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1; i < count && status == SPD_OK; i++)
        if (by_name(&sorted[i - 1], &sorted[i]) == 0)
            status = ctx_fail(ctx, SPD_EFORMAT,
                              "has two members named '%s', and programs disagree on which counts; "
                              "write it again with one of them",
                              text_plain(sorted[i]->name, plain, sizeof plain));
    qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t i = 1; i < count && status == SPD_OK; i++)
        if (sorted[i]->at < sorted[i - 1]->from + sorted[i - 1]->packed)
            status = damaged(ctx, " (its members overlap)");
    mem_free(sorted);
    return status;
}

spd_status zip_open(spd_context *ctx, const io_source *source, zip_archive *archive)
{
    directory d = {0};
    *archive = (zip_archive){.source = source};
    spd_status status = find_directory(ctx, source, &d);
    if (status == SPD_OK)
        status = read_entries(ctx, &d, archive);
    return status < 0 ? status : check_apart(ctx, archive);
}

void zip_close(zip_archive *archive)
{
    for (size_t i = 0; i < archive->count; i++)
        mem_free(archive->member[i].name);
    mem_free(archive->member);
    archive->member = NULL;
    archive->count = 0;
}
