/* jpeg.c - stands in for image_jpeg.c in builds without libjpeg. */
#include "formats/image_formats.h"

spd_status image_decode_jpeg(image_file *file)
{
    return ctx_fail(file->ctx, SPD_EFORMAT,
                    "this build cannot read .jpg: libjpeg was missing when it was built");
}

const char *image_jpeg_version(void)
{
    return NULL;
}
