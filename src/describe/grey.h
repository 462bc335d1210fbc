/* grey.h - the grey image of a colour one.
 *
 *   grey = 0.299 R + 0.587 G + 0.114 B       (ITU-R BT.601, as JPEG and rgb2gray do)
 *
 * on the values as they are stored, without undoing their gamma. A grey image stays as it is. */
#ifndef SPD_DESCRIBE_GREY_H
#define SPD_DESCRIBE_GREY_H

#include "formats/image.h"

/* grey (height x width) */
void grey_of(const image *in, double *grey);

/* Are value[0], value[stride], ... (count of them, in [0, 1]) the same up to rounding? Images and
 * regions of one intensity have no covariance worth the name. */
int grey_is_uniform(size_t count, size_t stride, const double *value);

#endif
