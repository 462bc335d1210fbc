/* gif.c - stands in for image_gif.c in builds without giflib. */
#include "formats/image_formats.h"

spd_status image_decode_gif(image_file *file)
{
    return ctx_fail(file->ctx, SPD_EFORMAT,
                    "this build cannot read .gif: giflib was missing when it was built");
}

const char *image_gif_version(void)
{
    return NULL;
}
