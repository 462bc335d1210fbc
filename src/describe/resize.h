/* resize.h - an image in another size, without aliasing. */
#ifndef SPD_DESCRIBE_RESIZE_H
#define SPD_DESCRIBE_RESIZE_H

#include "formats/image.h"

/* *out <- in with width x height pixels; new. The sides may change by different factors; the same
 * size gives an exact copy, a constant image stays constant, and values stay within the range of
 * the input's. */
spd_status resize_image(spd_context *ctx, const image *in, size_t width, size_t height,
                        image **out);

/* *out <- the grey image of in, with that many pixels, 0: as it is; new. */
spd_status resize_grey(spd_context *ctx, const image *in, size_t width, size_t height, image **out);

#endif
