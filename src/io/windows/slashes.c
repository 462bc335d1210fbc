/* slashes.c - paths as Windows has them. */
#include "io/slashes.h"

void path_slashes(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\')
            text[i] = '/';
}

/* C:... too, which is relative to the working folder of a drive. */
int path_is_absolute(const char *path)
{
    return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':');
}
