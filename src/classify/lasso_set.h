/* lasso_set.h - the problem of lasso.h on a working set of atoms, all of it contiguous.
 *
 * Two ways to go down, which take turns:
 *
 *   sweep    coordinate descent, v_a <- soft(g_a + K_aa v_a, lambda/2) / K_aa for each atom in
 *            turn: cheap, finds signs and support
 *   newton   on the support S with signs e: (K_SS + ridge diag K_SS) d = g_S - lambda/2 e, then
 *            the exact minimum along v + t d, through changes of sign; again, as long as signs
 *            change or atoms leave: ends slow convergence
 *
 * The ridge is at the level of rounding. Where K_SS is singular it lets d run along its null
 * space, where only |v|_1 changes, until an atom leaves the support. Where atoms are alike many
 * leave, one by one: the factor of K_SS follows the support (growing.h). */
#ifndef SPD_CLASSIFY_LASSO_SET_H
#define SPD_CLASSIFY_LASSO_SET_H

#include "base/arena.h"
#include "linalg/growing.h"
#include "linalg/kernels.h"

typedef struct lasso_set {
    const kernels *kernel;
    size_t room, count;
    size_t *atom;      /* count: which atoms of the dictionary */
    double *v, *g, *k; /* count each; g = k - Kv */
    double *K;         /* count x room; from keep */
    size_t most;       /* the largest room that it has had */
    growing factor;    /* of K_SS + ridge diag K_SS; not the arena's: growing_free */
    double ridge;
    size_t *support; /* factor.n: S as the factor has it, places of atoms */
    char *held;      /* count: is in S */
    double *step;    /* d, scratch of the factor's rows */
    double *turn;    /* K d */
    arena *keep;
} lasso_set;

/* Where P(v) stands. */
typedef struct lasso_state {
    double objective, gap, target;
} lasso_state;

/* s <- without room for K, with everything else for p atoms. SPD_ENOMEM is the arena's to tell. */
void lasso_set_make(lasso_set *s, size_t p, arena *keep);

/* SPD_ENOMEM, when the set may only be freed. */
spd_status lasso_set_grow(lasso_set *s, size_t room);

/* No atoms and no room, as for the first query: each has the same bits after any other. */
void lasso_set_clear(lasso_set *s);

/* Adds an atom with its entries; there must be room. */
void lasso_set_add(lasso_set *s, size_t atom, double v, double g, double k);

/* Then the rows and columns of K from number first on, from those of the dictionary, G (p x p). */
void lasso_set_fill(lasso_set *s, size_t first, size_t p, const double *G);

/* Objective, gap and the gap to reach of v, with g and k for the same `count` atoms, when the
 * largest |g| of all atoms is steepest and the others have v = 0. */
lasso_state lasso_set_state(size_t count, const double *v, const double *g, const double *k,
                            double lambda, double y2, double steepest);

/* Goes down until the gap within the set is `loose` or what is to be reached, or for `sweeps`
 * sweeps. Returns how many it took. */
size_t lasso_set_descend(lasso_set *s, double lambda, double y2, double loose, size_t sweeps);

/* Newton steps on the atoms in use alone, until no sign changes. */
void lasso_set_settle(lasso_set *s, double lambda);

/* The cost of a Newton step with n unknowns and a new factor, and of a move among count atoms, in
 * one unit. */
double lasso_newton_cost(size_t n);
double lasso_move_cost(size_t count);

#endif
