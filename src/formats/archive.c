/* archive.c - archives through libarchive. */
#include "formats/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/source.h"
#include "io/text.h"

#define READ_BLOCK ((size_t)1 << 16)
#define NEEDED     0x1p25 /* bytes: libarchive ends the process where it gets none */

struct archive_file {
    io_source *source;
    struct archive *reader; /* of its descriptor */
    size_t members;         /* seen so far */
    char unnamed[32];       /* for a member whose name cannot be told */
};

static spd_status damaged(spd_context *ctx, struct archive *reader)
{
    char plain[160];
    const char *why = archive_error_string(reader);
    if (archive_errno(reader) == ENOMEM)
        return ctx_nomem(ctx, "an archive");
    return ctx_fail(ctx, SPD_EFORMAT, "the archive is damaged or is not an archive: %s",
                    text_plain(why ? why : "unknown reason", plain, sizeof plain));
}

/* Formats and packings that libarchive reads itself; others would call programs. */
static int accept_formats(struct archive *reader)
{
    return archive_read_support_format_tar(reader) == ARCHIVE_OK &&
           archive_read_support_format_zip(reader) == ARCHIVE_OK &&
           archive_read_support_filter_gzip(reader) == ARCHIVE_OK &&
           archive_read_support_filter_bzip2(reader) == ARCHIVE_OK &&
           archive_read_support_filter_xz(reader) == ARCHIVE_OK &&
           archive_read_support_filter_zstd(reader) == ARCHIVE_OK;
}

spd_status archive_file_open(spd_context *ctx, const char *path, archive_file **file)
{
    archive_file *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "an archive");
    spd_status status = source_open(ctx, path, &fresh->source);
    if (status == SPD_OK && (!mem_could(NEEDED) || !(fresh->reader = archive_read_new())))
        status = ctx_nomem(ctx, "an archive");
    if (status == SPD_OK &&
        (!accept_formats(fresh->reader) ||
         archive_read_open_fd(fresh->reader, fresh->source->fd, READ_BLOCK) != ARCHIVE_OK))
        status = damaged(ctx, fresh->reader);
    if (status < 0)
        archive_file_close(fresh);
    else
        *file = fresh;
    return status;
}

void archive_file_close(archive_file *file)
{
    if (!file)
        return;
    if (file->reader)
        archive_read_free(file->reader);
    source_free(file->source);
    mem_free(file);
}

static const char *name_of(archive_file *file, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    if (!name)
        name = archive_entry_pathname(entry);
    if (name)
        return name;
    snprintf(file->unnamed, sizeof file->unnamed, "member-%zu", file->members);
    return file->unnamed;
}

spd_status archive_file_next(spd_context *ctx, archive_file *file, const char **name)
{
    struct archive_entry *entry;
    int code;
    do {
        code = archive_read_next_header(file->reader, &entry);
        file->members++;
    } while (code == ARCHIVE_RETRY ||
             ((code == ARCHIVE_OK || code == ARCHIVE_WARN) &&
              (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))));
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN && code != ARCHIVE_EOF)
        return damaged(ctx, file->reader);
    *name = code == ARCHIVE_EOF ? NULL : name_of(file, entry);
    return SPD_OK;
}

spd_status archive_file_read(spd_context *ctx, archive_file *file, size_t limit,
                             unsigned char **bytes, size_t *size)
{
    size_t room = READ_BLOCK, have = 0;
    unsigned char *fresh = mem_alloc(room, 1), *grown = fresh;
    la_ssize_t got = 1;
    while (grown && got > 0 && have <= limit) {
        got = archive_read_data(file->reader, fresh + have, room - have);
        have += got > 0 ? (size_t)got : 0;
        if (have == room && (grown = mem_grow(fresh, have, 2 * room))) {
            fresh = grown;
            room *= 2;
        }
    }
    spd_status status = SPD_OK;
    if (!grown)
        status = ctx_nomem(ctx, "a file of an archive");
    else if (got < 0)
        status = damaged(ctx, file->reader);
    else if (have > limit)
        status = ctx_fail(ctx, SPD_EFORMAT, "is longer than %zu bytes", limit);
    if (status < 0) {
        mem_free(fresh);
        return status;
    }
    fresh[have] = '\0'; /* there is room: it grows when it is full */
    *bytes = fresh;
    *size = have;
    return SPD_OK;
}

const char *archive_file_version(void)
{
    return archive_version_string();
}
