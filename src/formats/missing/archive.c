/* archive.c - stands in for archive.c in builds without libarchive. */
#include "formats/archive.h"

spd_status archive_file_open(spd_context *ctx, const char *path, archive_file **file)
{
    (void)path;
    (void)file;
    return ctx_fail(ctx, SPD_EFORMAT,
                    "this build cannot read archives: libarchive was missing when it was built; "
                    "unpack it and name the folder");
}

void archive_file_close(archive_file *file)
{
    (void)file;
}

/* Never reached: no archive is ever open. */
spd_status archive_file_next(spd_context *ctx, archive_file *file, const char **name)
{
    (void)file;
    (void)name;
    return ctx_fail(ctx, SPD_EINVAL, "no archive is open");
}

spd_status archive_file_read(spd_context *ctx, archive_file *file, size_t limit,
                             unsigned char **bytes, size_t *size)
{
    (void)file;
    (void)limit;
    (void)bytes;
    (void)size;
    return ctx_fail(ctx, SPD_EINVAL, "no archive is open");
}

const char *archive_file_version(void)
{
    return NULL;
}
