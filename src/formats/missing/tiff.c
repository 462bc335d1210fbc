/* tiff.c - stands in for image_tiff.c in builds without libtiff. */
#include "formats/image_formats.h"

spd_status image_decode_tiff(image_file *file)
{
    return ctx_fail(file->ctx, SPD_EFORMAT,
                    "this build cannot read .tif: libtiff was missing when it was built");
}

const char *image_tiff_version(void)
{
    return NULL;
}
