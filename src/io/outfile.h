/* outfile.h - files that appear whole or not at all.
 *
 * Everything goes to a temporary name in the folder of the target; outfile_close syncs it,
 * renames it over the target and syncs the folder. Whatever fails before, the target is as it
 * was and the temporary is gone. Only the death of the process leaves it behind, and outfile_tidy
 * removes it then. A symbolic link of the user's own is followed: its target is replaced. */
#ifndef SPD_IO_OUTFILE_H
#define SPD_IO_OUTFILE_H

#include <stdio.h>

#include "base/context.h"

typedef struct outfile {
    int in_memory; /* non-zero: there is no file, only these bytes */
    unsigned char *bytes;
    size_t size, room;
    spd_context *ctx;  /* for messages */
    spd_status status; /* of the first write that failed; later ones do nothing */
    char *target;      /* with symbolic links resolved */
    char *temp;        /* in the same folder */
    FILE *stream;      /* open for writing on temp */
    char buffer[256 << 10];
} outfile;

/* Creates the temporary. Messages of all functions leave naming the path to the caller
 * (spd_arrays_write prefixes it). */
spd_status outfile_open(spd_context *ctx, const char *path, outfile **out);

/* A file that is memory alone: outfile_write appends, and outfile_hand_over ends it. */
spd_status outfile_open_memory(spd_context *ctx, outfile **out);

/* *bytes (new, mem_free) and *size <- what was written, when all went well. Frees out, whatever
 * happens; the status of the whole. */
spd_status outfile_hand_over(outfile *out, spd_status status, unsigned char **bytes, size_t *size);

/* Removes what dead processes have left of earlier attempts to write this file: temporaries of its
 * name that belong to the user and that nobody has locked. */
void outfile_tidy(const outfile *out);

/* Appends bytes. Failures are told by outfile_close. */
void outfile_write(outfile *out, const void *bytes, size_t size);

/* Appends text. */
void outfile_print(outfile *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "cannot write: No space left on device" from an errno. */
spd_status outfile_error(spd_context *ctx, int error);

/* Sync, rename, sync of the folder when all went well so far: `status` is that of the caller, the
 * file has its own. Else the temporary is removed. Frees out, whatever happens; the status of the
 * whole. */
spd_status outfile_close(outfile *out, spd_status status);

#endif
