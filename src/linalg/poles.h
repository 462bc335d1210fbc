/* poles.h - functions of positive numbers as sums over poles on the negative axis:
 *
 *   log x      = C + sum w_j / (x + s_j)
 *   x^(-1/2)   =     sum w_j / (x + s_j)          for 1 <= x <= reach
 *   x^(1/2)    = C + sum w_j / (x + s_j)
 *
 * to the last digit: |error| < 1e-16 of log x, and relative to the roots. All s_j are positive, and
 * the w_j of one function have the same sign, so that nothing cancels. tools/make-poles computes
 * them: they interpolate at Zolotarev's points, which is the best that so many poles can do.
 *
 * A sum over poles needs no eigenvectors: f(A) = C I + sum w_j (A + s_j I)^-1. */
#ifndef SPD_LINALG_POLES_H
#define SPD_LINALG_POLES_H

#include <stddef.h>

#define POLES_MOST   40
#define POLES_RANGES 4

typedef enum poles_function { POLES_LOG, POLES_INVSQRT, POLES_SQRT } poles_function;

typedef struct poles {
    double reach; /* a power of two */
    size_t count; /* a multiple of 8 */
    double constant;
    double shift[POLES_MOST], weight[POLES_MOST];
} poles;

/* The poles of f for the first, second, ... range, by increasing reach; range < POLES_RANGES. */
void poles_get(poles_function f, size_t range, poles *found);

/* The reach of a range. */
double poles_reach(size_t range);

#endif
