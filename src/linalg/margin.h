/* margin.h - how far above zero the eigenvalues of a definite matrix are, for definite.h. Processor and GPU share it. */
#ifndef SPD_LINALG_MARGIN_H
#define SPD_LINALG_MARGIN_H

#include <float.h>

#define DEFINITE_MARGIN(n) (DBL_EPSILON * (double)((n) + 16))

#endif
