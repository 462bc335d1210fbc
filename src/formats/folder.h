/* folder.h - the files in a folder and the folders in it, in order of names. */
#ifndef SPD_FORMATS_FOLDER_H
#define SPD_FORMATS_FOLDER_H

#include "base/context.h"

/* Non-zero when the path is a folder. */
int folder_is(const char *path);

/* Gets the path of a file; what it returns < 0 ends the walk. */
typedef spd_status (*folder_visit)(spd_context *ctx, void *user, const char *path);

/* Calls visit for every regular file (or link to one), in order of names, byte by byte; folders
 * within are entered where their name stands when recursive, links to folders never. Names that
 * begin with a dot are passed over. `passed`, unless it is NULL, gets what is neither file nor
 * folder: links that lead nowhere or to a folder, and the like. */
spd_status folder_walk(spd_context *ctx, const char *path, int recursive, folder_visit visit,
                       folder_visit passed, void *user);

#endif
