/* paths.h - paths, and errors, between POSIX's way and Windows'. */
#ifndef SPD_WINDOWS_PATHS_H
#define SPD_WINDOWS_PATHS_H

#include <wchar.h>

#define PATH_ROOM 4096 /* of a path, in units of UTF-16 */

/* wide (PATH_ROOM) <- the path as Windows has it; /dev/null and /proc/self/exe have a meaning. Non-
 * zero, with errno set, when it is none. */
int path_wide(const char *path, wchar_t *wide);

/* The same for a name in an open folder; AT_FDCWD is the working folder. */
int path_wide_in(int folder, const char *path, wchar_t *wide);

/* text <- UTF-8 with slashes; non-zero when it does not fit. */
int path_narrow(const wchar_t *wide, char *text, size_t size);

/* wide (PATH_ROOM) <- where an open file or folder lies. */
int path_of_file(int file, wchar_t *wide);

/* errno <- what Windows says was wrong; returns -1. */
int set_errno(void);

#endif
