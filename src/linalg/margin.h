/* margin.h - how far above zero the smallest eigenvalue of a positive definite n x n matrix is, in
 * units of its diagonal: see definite.h. Processor and GPU share it. */
#ifndef SPD_LINALG_MARGIN_H
#define SPD_LINALG_MARGIN_H

#include <float.h>

#define DEFINITE_MARGIN(n) (DBL_EPSILON * (double)((n) + 16))

#endif
