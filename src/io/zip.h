/* zip.h - zip archives over zlib: stored or deflated members, zip64 included, one disk, no
 * encryption. That is all that .npz files are made of.
 *
 *   member: local header, name, bytes        ... one after the other, then the directory:
 *   directory: one header per member, with its checksum, sizes and place
 *   end: where the directory is; before it, where 32 bits do not do, the same once more in 64
 *
 * Sizes and places in an archive are claims, and checked against the bytes that are there before
 * memory is asked for. Messages do not name the archive. */
#ifndef SPD_IO_ZIP_H
#define SPD_IO_ZIP_H

#include <stdint.h>
#include <zlib.h>

#include "base/context.h"
#include "io/outfile.h"
#include "io/source.h"

typedef enum zip_method { ZIP_STORED = 0, ZIP_DEFLATED = 8 } zip_method;

typedef struct zip_member {
    char *name;          /* UTF-8 */
    uint64_t at;         /* where its local header is */
    uint64_t from;       /* where its bytes begin; when reading */
    uint64_t packed;     /* bytes in the archive */
    uint64_t size;       /* bytes unpacked */
    uint32_t crc;        /* checksum of them */
    unsigned method;     /* zip_method, or one that cannot be read */
    unsigned char crypt; /* is it encrypted? */
} zip_member;

/* ---- reading (zip_read.c) ---------------------------------------------------------------- */

typedef struct zip_archive {
    const io_source *source; /* of the whole file; borrowed */
    size_t count;
    zip_member *member; /* count members, in the order of the directory */
} zip_archive;

/* *archive <- what the directory of a source lists; zip_close frees, whatever the status.
 * SPD_EFORMAT where another reader might see other members or bytes: two members of one name,
 * members that lie within one another, a directory that the members' own headers contradict. */
spd_status zip_open(spd_context *ctx, const io_source *source, zip_archive *archive);
void zip_close(zip_archive *archive);

/* The member of that name, or NULL. */
const zip_member *zip_find(const zip_archive *archive, const char *name);

/* bytes <- the first size bytes of a member; *got says how many there were. When that is fewer, the
 * member was read to its end, and its checksum is right. */
spd_status zip_unpack(spd_context *ctx, const zip_archive *archive, const zip_member *member,
                      unsigned char *bytes, size_t size, size_t *got);

/* *bytes <- all member->size bytes of a member with a NUL behind them, new. */
spd_status zip_unpack_all(spd_context *ctx, const zip_archive *archive, const zip_member *member,
                          unsigned char **bytes);

/* ---- writing (zip_write.c) --------------------------------------------------------------- */

typedef struct zip_writer {
    outfile *out;
    uint64_t at; /* bytes written so far */
    size_t count;
    zip_member *member;
} zip_writer;

/* A piece of a member's bytes. */
typedef struct zip_piece {
    const void *bytes;
    size_t size;
} zip_piece;

/* Adds a member that consists of count pieces. SPD_EINVAL for a name that is there already. writer
 * begins as {.out = out}; zip_discard releases it in the end, whatever the status. Whether all was
 * written, outfile_close tells. */
spd_status zip_add(spd_context *ctx, zip_writer *writer, const char *name, zip_method method,
                   const zip_piece *piece, size_t count);

/* Writes the directory. */
void zip_finish(zip_writer *writer);
void zip_discard(zip_writer *writer);

/* For zlib: memory from base/memory.h. */
voidpf zip_allocate(voidpf unused, uInt count, uInt size);
void zip_release(voidpf unused, voidpf block);

#endif
