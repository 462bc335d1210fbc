/* outfile.h - files that appear whole or not at all.
 *
 * Everything goes to a temporary name in the folder of the target; outfile_commit syncs it,
 * renames it over the target and syncs the folder. Whatever fails before, the target is as it
 * was and the temporary is gone. A symbolic link is followed: its target is replaced. */
#ifndef SPD_IO_OUTFILE_H
#define SPD_IO_OUTFILE_H

#include "base/context.h"

typedef struct outfile {
    char *target; /* with symbolic links resolved */
    char *temp;   /* in the same folder */
    int fd;       /* open for writing on temp */
    unsigned char *buffer;
    size_t used;
} outfile;

/* Creates the temporary. Messages of all functions name the path that open was given, or leave
 * naming it to the caller (spd_arrays_write prefixes it). */
spd_status outfile_open(spd_context *ctx, const char *path, outfile **out);

/* Appends bytes (through a buffer). */
spd_status outfile_write(spd_context *ctx, outfile *out, const void *bytes, size_t size);

/* "cannot write: No space left on device" from an errno. */
spd_status outfile_error(spd_context *ctx, int error);

/* Sync, rename, sync of the folder. After libraries that wrote to out->temp by name this works
 * too. Frees out, whatever happens. */
spd_status outfile_commit(spd_context *ctx, outfile *out);

/* Removes the temporary and frees out (NULL is fine). */
void outfile_abandon(outfile *out);

#endif
