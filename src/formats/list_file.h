/* list_file.h - several files named as one: a text with the ending .list that holds a path per
 * line, relative to its own folder; empty lines and those that begin with # do not count. */
#ifndef SPD_FORMATS_LIST_FILE_H
#define SPD_FORMATS_LIST_FILE_H

#include "base/arena.h"

/* Has the path the ending of a list? */
int list_is(const char *path);

/* *paths (*count of them, in `keep`) <- the files of a list, or the file itself where it is none.
 * One that leads out of the folder of the list is refused, unless `anywhere` allows it. Messages
 * name the list. */
spd_status list_read(spd_context *ctx, const char *path, int anywhere, arena *keep,
                     const char *const **paths, size_t *count);

#endif
