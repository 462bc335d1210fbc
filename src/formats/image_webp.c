/* image_webp.c - WebP images through libwebp, lossy and lossless; transparency is dropped.
 *
 * An animation is refused: which of its images is meant, nobody has said. */
#include <stdio.h>

#include <webp/decode.h>

#include "formats/image_formats.h"

/* Why a file cannot be read, as libwebp numbers it. */
static const char *reason(VP8StatusCode code)
{
    switch (code) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return "cut off";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return "of a kind that libwebp does not read";
    case VP8_STATUS_BITSTREAM_ERROR:
        return "damaged";
    default:
        return "cannot be read";
    }
}

static spd_status failed(image_file *file, VP8StatusCode code)
{
    if (code == VP8_STATUS_OUT_OF_MEMORY)
        return ctx_nomem(file->ctx, "a WebP image");
    return ctx_fail(file->ctx, SPD_EFORMAT, "WebP: %s", reason(code));
}

spd_status image_decode_webp(image_file *file)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "WebP: libwebp has another version than its header");
    VP8StatusCode code = WebPGetFeatures(file->bytes, file->size, &config.input);
    if (code != VP8_STATUS_OK)
        return failed(file, code);
    if (config.input.has_animation)
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "WebP: an animation; save the image that is meant as a file of its own");
    const size_t width = (size_t)config.input.width, height = (size_t)config.input.height;
    spd_status status = image_begin(file, width, height, 3, 0.0);
    if (status == SPD_OK)
        status = image_room(file, width * height, 3);
    if (status < 0)
        return status;
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = file->room;
    config.output.u.RGBA.stride = (int)(3 * width);
    config.output.u.RGBA.size = 3 * width * height;
    code = WebPDecode(file->bytes, file->size, &config);
    WebPFreeDecBuffer(&config.output);
    if (code != VP8_STATUS_OK)
        return failed(file, code);
    image_scale_8(3 * width * height, file->room, 255.0, file->made->pixel);
    return SPD_OK;
}

/* The library tells 0x010204; one text serves every thread, for it is always the same. */
const char *image_webp_version(void)
{
    static _Thread_local char text[24];
    const int version = WebPGetDecoderVersion();
    snprintf(text, sizeof text, "%d.%d.%d", version >> 16, (version >> 8) & 255, version & 255);
    return text;
}
