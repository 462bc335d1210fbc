/* resize.h - an image in another size, without aliasing, and the grey image of a colour one. */
#ifndef SPD_DESCRIBE_RESIZE_H
#define SPD_DESCRIBE_RESIZE_H

#include "formats/image.h"

/* *out <- in with width x height pixels, 0: as many as it has; new. The sides may change by
 * different factors; the same size gives an exact copy, a constant image stays constant, and values
 * stay within the range of the input's. */
spd_status resize_image(spd_context *ctx, const image *in, size_t width, size_t height,
                        image **out);

/* grey (height x width) <- 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601, as JPEG and rgb2gray do) on
 * the values as they are stored, without undoing their gamma. A grey image stays as it is. */
void grey_of(const image *in, double *grey);

/* Are value[0], value[stride], ... (count of them, in [0, 1]) the same up to rounding? Images and
 * regions of one intensity have no covariance worth the name. */
int grey_is_uniform(size_t count, size_t stride, const double *value);

/* *out <- the grey image of in with width x height pixels, as resize_image; new. */
spd_status resize_grey(spd_context *ctx, const image *in, size_t width, size_t height, image **out);

#endif
