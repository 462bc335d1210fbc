/* uniform.h - images and regions of one intensity, which have no covariance worth the name. */
#ifndef SPD_DESCRIBE_UNIFORM_H
#define SPD_DESCRIBE_UNIFORM_H

#include <stddef.h>

/* Are value[0], value[stride], ... (count of them, in [0, 1]) the same up to rounding? */
int uniform_values(size_t count, size_t stride, const double *value);

#endif
