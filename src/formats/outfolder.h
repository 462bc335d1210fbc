/* outfolder.h - folders of files that appear whole or not at all.
 *
 * Files are made in a work folder of a random name within the target; outfolder_commit moves them
 * up. What is removed when something fails is the work folder alone, which nobody else knows. One
 * that a process left when it was killed is removed by the next that takes the target. */
#ifndef SPD_FORMATS_OUTFOLDER_H
#define SPD_FORMATS_OUTFOLDER_H

#include "base/context.h"

typedef struct outfolder {
    char *target;
    char *work; /* where files are made: write here */
    int made;   /* the target was not there before */
    int lock;   /* the work folder, open and locked; or -1 */
} outfolder;

/* Makes the target, or takes one that is empty, and the work folder. Messages of all functions do
 * not name the folder. */
spd_status outfolder_open(spd_context *ctx, const char *path, outfolder **out);

/* Moves all that is in the work folder into the target. Frees out, whatever happens. */
spd_status outfolder_commit(spd_context *ctx, outfolder *out);

/* Removes what was made and frees out (NULL is fine). */
void outfolder_abandon(outfolder *out);

/* *path <- folder/name, new. */
spd_status outfolder_path(spd_context *ctx, const char *folder, const char *name, char **path);

/* Makes folder/name unless it is there; from several threads too. */
spd_status outfolder_make(spd_context *ctx, const char *folder, const char *name);

#endif
