/* slashes.c - paths as POSIX has them. */
#include "io/slashes.h"

void path_slashes(char *text, size_t length)
{
    (void)text;
    (void)length;
}

int path_is_absolute(const char *path)
{
    return path[0] == '/';
}
