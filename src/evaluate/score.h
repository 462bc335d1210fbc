/* score.h - McNemar's test from counts. */
#ifndef SPD_EVALUATE_SCORE_H
#define SPD_EVALUATE_SCORE_H

#include "base/context.h"

/* The two-sided p value when b samples were got right by the first method alone, c by the second
 * alone. */
double score_mcnemar(size_t b, size_t c);

#endif
