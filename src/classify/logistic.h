/* logistic.h - multinomial logistic regression with an L2 penalty.
 *
 *   minimise  (1/p) sum_i -ln softmax(W x_i + b)_{y_i} + lambda/2 |W|^2,   b is not penalised
 *
 * by L-BFGS (optim/lbfgs.h) with a strong Wolfe line search. */
#ifndef SPD_CLASSIFY_LOGISTIC_H
#define SPD_CLASSIFY_LOGISTIC_H

#include "base/arena.h"

typedef struct logistic {
    size_t p, dim, count; /* samples, entries of a vector, classes */
    const double *x;      /* p x dim */
    const size_t *at;     /* p: the class of each sample, below count */
    double lambda;
} logistic;

/* Numbers that are sought: W (count x dim), then b (count). */
size_t logistic_size(const logistic *l);

/* The cost at z (logistic_size), and its gradient g there. work: p x count doubles. */
double logistic_cost(const logistic *l, const double *z, double *g, double *work);

/* z <- the minimiser, from the start z. SPD_NOT_CONVERGED: the gradient is not small yet. */
spd_status logistic_fit(spd_context *ctx, const logistic *l, double *z);

#endif
