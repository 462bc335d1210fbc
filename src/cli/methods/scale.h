/* scale.h - are matrices on the scale of those that a method was trained with? */
#ifndef SPD_CLI_METHODS_SCALE_H
#define SPD_CLI_METHODS_SCALE_H

#include <math.h>

#include "cli/frame/session.h"

/* The least and the largest mean of the diagonal of a matrix. */
typedef struct scale {
    double low, high;
} scale;

#define SCALE_OF_NONE                                                                              \
    {                                                                                              \
        INFINITY, 0.0                                                                              \
    }

/* *s <- of the p matrices X (n x n), or NULL, too. */
void scale_take(scale *s, size_t n, size_t p, const double *X);

/* Raw matrices for a method that was trained with normalised ones, or another unit: nothing fails,
 * and the result means little. */
void scale_remark(session *s, const scale *found, const spd_classifier *c, const char *source);

#endif
