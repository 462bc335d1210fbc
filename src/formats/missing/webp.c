/* webp.c - stands in for image_webp.c in builds without libwebp. */
#include "formats/image_formats.h"

spd_status image_decode_webp(image_file *file)
{
    return ctx_fail(file->ctx, SPD_EFORMAT,
                    "this build cannot read .webp: libwebp was missing when it was built");
}

const char *image_webp_version(void)
{
    return NULL;
}
