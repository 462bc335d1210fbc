/* archive.h - members of .tar (plain or packed by gzip, bzip2, xz, zstd) and .zip archives, read
 * into memory one after the other.
 *
 * Nothing is ever written to disk, so names of members are texts and no more: absolute ones and
 * those with .. do no harm. Sizes in an archive are claims: memory grows with what arrives. */
#ifndef SPD_FORMATS_ARCHIVE_H
#define SPD_FORMATS_ARCHIVE_H

#include "base/context.h"

/* Largest member that is read. */
#define ARCHIVE_MEMBER_LIMIT ((size_t)1 << 30)

typedef struct archive_file archive_file;

/* *file <- the archive, before its first member; new. Messages do not name the archive. */
spd_status archive_file_open(spd_context *ctx, const char *path, archive_file **file);
void archive_file_close(archive_file *file);

/* On to the next regular file. *name <- what it is called, valid until the next call; NULL behind
 * the last one. SPD_EFORMAT when the archive is damaged. */
spd_status archive_file_next(spd_context *ctx, archive_file *file, const char **name);

/* *bytes <- all of the present member, new, with a NUL behind its *size bytes. SPD_EFORMAT when it
 * is damaged or larger than limit. */
spd_status archive_file_read(spd_context *ctx, archive_file *file, size_t limit,
                             unsigned char **bytes, size_t *size);

/* What libarchive says of its version; NULL in a build without it. */
const char *archive_file_version(void);

#endif
