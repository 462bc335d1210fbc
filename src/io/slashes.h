/* slashes.h - how the system writes paths. */
#ifndef SPD_IO_SLASHES_H
#define SPD_IO_SLASHES_H

#include <stddef.h>

/* Backslashes among the first `length` bytes become slashes where the system takes both; elsewhere
 * they are part of a name. */
void path_slashes(char *text, size_t length);

/* Does a path begin anywhere but in the working folder? */
int path_is_absolute(const char *path);

#endif
