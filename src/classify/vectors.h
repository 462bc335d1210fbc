/* vectors.h - nearest neighbours between vectors in Euclidean distance. */
#ifndef SPD_CLASSIFY_VECTORS_H
#define SPD_CLASSIFY_VECTORS_H

#include "base/arena.h"

/* label (q) <- that of the nearest of the p >= 1 vectors V (p x dim), of which labels are `of`, to
 * each of the q vectors Q (q x dim), ties by lower index. */
spd_status vectors_nearest(spd_context *ctx, size_t dim, size_t p, const double *V, const int *of,
                           size_t q, const double *Q, int *label);

#endif
