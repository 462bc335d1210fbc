/* map.h - the maps X -> W'XW that may stand before a classifier.
 *
 *   ml       spd_fit: the learned one
 *   random   a random orthonormal W
 *   mean     leading eigenvectors of the mean in the method's metric
 *   pca      leading eigenvectors of the covariance of all observations together. With r_i
 *            observations of mean mu_i in sample i, it is the sum of (r_i - 1) X_i and
 *            r_i (mu_i - mu)(mu_i - mu)', over sum r_i - 1; each block by itself. If the means
 *            are not known: of the arithmetic mean of the X_i, the pooled covariance
 *   csp      with M_c the mean of class c in the method's metric, M the arithmetic mean of the
 *            M_c and L_c = log(M^-1/2 M_c M^-1/2): leading eigenvectors U of sum_c L_c^2, W
 *            spans M^-1/2 U. For two classes these are generalised eigenvectors of (M_1, M_2),
 *            those first whose eigenvalue is farthest from 1: common spatial patterns. For more,
 *            the directions in which the class means differ most from their mean.
 *
 *   multi    learned maps to the sizes n/8, n/4 and n/2, and the matrix itself: the blocks of one
 *            large matrix. Squared distances of blocks add up (in every metric), so a classifier
 *            decides by the sum over all sizes.
 *
 *   bag      the same, with the mean W of five maps of each size, of which each was learned without a
 *            fifth of every class: W spans the leading eigenvectors of the sum of their W W'
 *
 * W has orthonormal columns. m = n is the identity: W is NULL and nothing is computed. */
#ifndef SPD_EVALUATE_MAP_H
#define SPD_EVALUATE_MAP_H

#include "classify/classifier.h"

#define MAP_PARTS 3 /* at most, of multi and bag */

typedef struct map {
    size_t n, m;             /* from n x n to m x m; multi, bag: with all blocks */
    double *W;               /* n x m, or NULL for the identity; the model's where there is one */
    size_t nu_w, nu_b;       /* ml: as used; else 0 */
    spd_objective objective; /* ml: as used */
    spd_model *model;        /* ml: what was learned; NULL: another map, or one that was given */
    size_t parts;            /* multi, bag: how many maps there are; else 0 */
    spd_model *part[MAP_PARTS];
    size_t fits, iterations; /* that it took; 0 for all others */
} map;

/* A graph that is known already, for ml; pairs NULL: spd_fit finds its own. */
typedef struct map_graph {
    const spd_pair *pairs;
    size_t count;
    int roughly; /* non-zero: a map to choose settings by, not to keep, with fewer iterations; and for
                    bag those of multi, which are a little worse */
} map_graph;

/* The metric of a map to choose by: in place of AIRM Stein, whose map is learned much faster and is
 * almost the same. */
spd_metric map_rough_metric(spd_metric metric);

/* a <- the map of the method for its training samples; value[SPD_PARAMETER_M] is set if it is
 * used. To be freed with map_free, always. A fit that stopped at its limits counts as good. */
spd_status map_fit(spd_context *ctx, const spd_method *method, const samples *train,
                   map_graph graph, arena *keep, map *a);

/* a <- a copy of a learned model's map. */
spd_status map_of_model(spd_context *ctx, const spd_model *model, arena *keep, map *a);

/* Frees the models; the rest is where `keep` is. */
void map_free(map *a);

/* Matrices of s <- W'XW, or the blocks. */
spd_status map_apply(spd_context *ctx, const map *a, arena *keep, samples *s);

#endif
