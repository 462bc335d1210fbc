/* coding.h - classes by sparse coding: every query is coded over all atoms, and the class whose own
 * atoms, with the coefficients they got, leave the smallest residual wins.
 *
 *   v = argmin v'Kv - 2 v'k + lambda |v|_1
 *   residual of class c:  |y - A_c v_c - B v_B|^2 - |y - B v_B|^2
 *                         = v_c' (K_cc v_c - 2 k_c + 2 K_cB v_B)
 *
 * B are atoms that belong to no class (the occlusion dictionary of gsrc), mostly none. Ties go to
 * the lower class, so when v is zero the first class wins. */
#ifndef SPD_CLASSIFY_CODING_H
#define SPD_CLASSIFY_CODING_H

#include "base/classes.h"
#include "classify/lasso.h"

/* k (count x p) and y2 (count, as for lasso_solve) <- of the queries from first on. Runs on any
 * thread; work holds `work` doubles. */
typedef void (*coding_fill)(const void *user, size_t first, size_t count, double *k, double *y2,
                            double *work);

typedef struct coding {
    const lasso_dictionary *dictionary; /* its p atoms: those of the classes, then the others */
    const classes *of;                  /* the atoms by class; any beyond belong to none */
    double lambda;
    coding_fill fill;
    const void *user;
    size_t work;   /* doubles */
    double *score; /* q x classes: the residuals, by the label of the class; NULL: not wanted */
    size_t classes;
} coding;

/* What they are. */
#define CODING_SCORES                                                                              \
    {                                                                                              \
        "squared residual of the sparse code by samples of the class, less that by none", 1, 0     \
    }

/* label (q) <- classes. SPD_NOT_CONVERGED, a remark, when some codes did not reach their gap. */
spd_status coding_decide(spd_context *ctx, const coding *c, size_t q, int *label);

#endif
