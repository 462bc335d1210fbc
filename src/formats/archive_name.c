/* archive_name.c - which files are archives, whether or not this build can read them. */
#include <string.h>

#include "formats/archive.h"
#include "io/text.h"

int archive_is_named(const char *path)
{
    static const char *const endings[] = {".tar",    ".tar.gz", ".tgz", ".tar.bz2", ".tbz2",
                                          ".tar.xz", ".txz",    ".zip", ".tar.zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && text_same(path + length - tail, endings[i]))
            return 1;
    }
    return 0;
}
