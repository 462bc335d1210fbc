/* lbfgs.h - limited-memory BFGS: an approximation of the inverse Hessian from the last steps.
 *
 * A pair is a step s and the change y of the gradient over it, both tangent at the point at hand:
 * whoever moves the point transports them along (lbfgs_vector). */
#ifndef SPD_OPTIM_LBFGS_H
#define SPD_OPTIM_LBFGS_H

#include <stddef.h>

#define LBFGS_MEMORY 8

/* Pair k of `count`, 0 the oldest, stands at slot (first + k) % LBFGS_MEMORY. The arrays live in
 * one block lent by the caller. */
typedef struct lbfgs {
    size_t size; /* entries of a vector */
    size_t count, first;
    double *s, *y; /* LBFGS_MEMORY x size */
    double
        sy[LBFGS_MEMORY]; /* <s,y> of each slot, 0 where it says nothing: that pair is left out */
    double yy[LBFGS_MEMORY];
} lbfgs;

/* How many doubles the block has. */
size_t lbfgs_room(size_t size);
void lbfgs_open(lbfgs *memory, size_t size, double *block);

void lbfgs_forget(lbfgs *memory);

/* The k-th of the 2 count vectors kept, for transport. */
double *lbfgs_vector(lbfgs *memory, size_t k);

/* Looks at all pairs again after a transport, which may have spoilt some. */
void lbfgs_weigh(lbfgs *memory);

/* Keeps the pair s = step h, y = g - o (o: gradient before, carried here), in place of the oldest;
 * a pair without positive curvature is passed over. */
void lbfgs_add(lbfgs *memory, double step, const double *h, const double *g, const double *o);

/* H (size) <- - B g, B the inverse Hessian so far: -g without pairs. */
void lbfgs_direction(const lbfgs *memory, const double *g, double *H);

#endif
