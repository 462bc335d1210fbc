/* complex.h - from complex matrices, as files hold them, to their real forms. */
#ifndef SPD_BASE_COMPLEX_H
#define SPD_BASE_COMPLEX_H

#include "spdml.h"

/* spd_complex_embed of p matrices that may be complex64 (single). Z may be the end of X: numbers
 * are taken before they are overwritten. */
void complex_expand(size_t rows, size_t columns, size_t p, int single, const void *Z, double *X);

#endif
