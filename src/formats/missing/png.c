/* png.c - stands in for image_png.c in builds without libpng. */
#include "formats/image_formats.h"

spd_status image_decode_png(image_file *file)
{
    return ctx_fail(file->ctx, SPD_EFORMAT,
                    "this build cannot read .png: libpng was missing when it was built");
}

spd_status image_write(spd_context *ctx, const char *path, const image *picture)
{
    (void)path;
    (void)picture;
    return ctx_fail(ctx, SPD_EINVAL,
                    "this build cannot write .png: libpng was missing when it was built");
}

const char *image_png_version(void)
{
    return NULL;
}
