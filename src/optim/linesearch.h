/* linesearch.h - a step length that satisfies the strong Wolfe conditions,
 *
 *   f(t) <= f(0) + decrease t f'(0)   and   |f'(t)| <= curvature |f'(0)|,
 *
 * by bracketing and cubic interpolation on f and f' (Nocedal and Wright 2006, algorithms 3.5 and
 * 3.6; the safeguards are ours). Where f(t) - f(0) drowns in the rounding of f, the first
 * condition is f(t) <= f(0) up to that rounding: the second one then decides. A probe that is not
 * finite is a failed one: the search goes back towards 0 and never accepts it. */
#ifndef SPD_OPTIM_LINESEARCH_H
#define SPD_OPTIM_LINESEARCH_H

#include "spdml.h"

/* *f, *df <- f(t), f'(t); a non-zero return ends the search with that status. */
typedef spd_status (*line_fn)(void *user, double t, double *f, double *df);

typedef struct line_rule {
    double decrease, curvature; /* 0 < decrease < curvature < 1 */
    double longest;             /* t never exceeds it */
    int max_probes;
} line_rule;

typedef struct line_point {
    double t, f, df;
} line_point;

typedef struct line_result {
    int found; /* 0: nothing below f(0) was seen, at is meaningless */
    int probes;
    line_point at; /* always the last one probed */
} line_result;

/* Searches from f(0) = f, f'(0) = df < 0, first at t = trial > 0. found != 0: the conditions hold
 * at result->at, or f still falls at t = longest, or the probes ran out and at is the lowest
 * point seen with the first condition. */
spd_status line_search(const line_rule *rule, line_fn probe, void *user, double f, double df,
                       double trial, line_result *result);

/* Minimiser of the cubic through a and b with their derivatives; not finite when there is none. */
double line_cubic(const line_point *a, const line_point *b);

#endif
