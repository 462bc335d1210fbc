/* lasso.h - sparse coding over a dictionary that is known by its Gram matrix alone.
 *
 *   minimise  P(v) = v'Kv - 2 v'k + lambda |v|_1,      K (p x p) positive semidefinite
 *
 * With K = A'A and k = A'y this is |y - Av|^2 + lambda |v|_1 without the constant |y|^2. Its dual:
 *
 *   maximise  D(u) = |y|^2 - |y - u|^2   over   |A'u|_inf <= lambda/2,
 *
 * and u = s (y - Av) is feasible for s <= lambda / (2 |g|_inf), g = A'(y - Av) = k - Kv. The gap
 *
 *   |y|^2 + P(v) - D(u) = (1 - s)^2 |y - Av|^2 + lambda |v|_1 - 2 s v'g
 *
 * bounds how far P(v) is above the minimum. It asks for |y|^2, where any larger number will do: y
 * may have a part that no atom sees. s is the feasible one with the smallest gap. A solution is
 * accepted when the gap is below 1e-8 of -P(v), which is what coding has gained over v = 0. */
#ifndef SPD_CLASSIFY_LASSO_H
#define SPD_CLASSIFY_LASSO_H

#include "classify/saved_arrays.h"

#define LASSO_TOLERANCE 1e-8

/* Queries that are coded together. */
#define LASSO_BATCH 16

/* The dictionary: K is borrowed. */
typedef struct lasso_dictionary {
    size_t p;
    const double *K;
    double *inverse; /* p x p: K^-1 where K is well conditioned, else NULL */
    double *spread;  /* p: lengths of its rows */
    double *spare;   /* p x p: else room for the next, or NULL */
    double shift;    /* else, after lasso_dictionary_shift: */
    double *shifted; /* p x p: (K + shift I)^-1, or NULL */
} lasso_dictionary;

/* Prepares what all queries share. */
spd_status lasso_dictionary_make(spd_context *ctx, size_t p, const double *K, arena *keep,
                                 lasso_dictionary *d);

/* Where K has no inverse: makes `shifted`, by which codes that use many atoms are found faster; the
 * shift follows lambda, but any serves. */
spd_status lasso_dictionary_shift(spd_context *ctx, double lambda, arena *keep,
                                  lasso_dictionary *d);

/* The same for a copy of a dictionary that was made for another lambda, unless its shift is the right
 * one; what is made stays keep's. */
spd_status lasso_dictionary_suit(spd_context *ctx, double lambda, arena *keep, lasso_dictionary *d);

/* What was prepared for K (p x p) goes to the saved arrays or comes from it. */
void lasso_dictionary_keep(saved_arrays *s, size_t p, const double *K, lasso_dictionary *d);

/* The code of one query: count atoms with coefficients that are not zero, in ascending order. */
typedef struct lasso_code {
    size_t count;
    const size_t *atom;
    const double *value;
    double objective; /* P(v) */
    double gap;       /* P(v) is at most this above the minimum */
    int converged;    /* gap is small enough */
} lasso_code;

/* Room for solving, serial; NULL when out of memory. It grows with the codes. */
typedef struct lasso lasso;
lasso *lasso_new(size_t p);
void lasso_free(lasso *l); /* takes NULL */

/* Begins with count <= LASSO_BATCH queries k (count x p), which are borrowed; lambda > 0. */
void lasso_begin(lasso *l, const lasso_dictionary *d, double lambda, size_t count, const double *k);

/* *code <- the solution for query i of those, valid until the next call; k must be in the range of
 * K, and y2 >= k'K^+k, which is seen to here where the dictionary has its inverse. SPD_ENOMEM, or
 * SPD_OK, also when code->converged is 0. */
spd_status lasso_solve(lasso *l, size_t i, double y2, lasso_code *code);

#endif
