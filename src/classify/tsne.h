/* tsne.h - t-SNE (van der Maaten and Hinton 2008), step by step: affinities of samples from their
 * distances, the divergence between them and those of points, with its gradient, and descent.
 *
 *   p_j|i = exp(-b_i d2_ij) / sum_k exp(-b_i d2_ik),  b_i so that its entropy is ln(perplexity)
 *   P_ij  = (p_j|i + p_i|j) / (2 p),     w_ij = 1 / (1 + |y_i - y_j|^2),     Q_ij = w_ij / Z
 *   KL    = sum P_ij ln(P_ij / Q_ij),    Z = sum over i != j of w_ij
 *   dKL/dy_i = 4 sum_j (P_ij - Q_ij) w_ij (y_i - y_j)
 *
 * The sum with Q runs over all pairs, or by a tree in which groups that are far enough count as one
 * point (Barnes-Hut; van der Maaten 2014). Points have at most TSNE_DIMENSIONS dimensions. */
#ifndef SPD_CLASSIFY_TSNE_H
#define SPD_CLASSIFY_TSNE_H

#include "base/arena.h"

#define TSNE_DIMENSIONS 3

/* Affinities P, symmetric, the rows one after the other; what is not listed is zero. */
typedef struct tsne_graph {
    size_t p;
    size_t *first; /* p + 1: where rows begin */
    size_t *to;    /* samples, ascending within a row */
    double *value;
} tsne_graph;

/* *g <- from the squared distances d2 (p x k) to the k samples index (p x k) of each;
 * 1 <= perplexity <= k. */
spd_status tsne_affinities(spd_context *ctx, size_t p, size_t k, const int64_t *index,
                           const double *d2, double perplexity, arena *keep, tsne_graph *g);

/* ---- the tree (tsne_tree.c) ----------------------------------------------------------------- */

/* Points that lie together. A node's parts follow it; behind them is the node `skip`. */
typedef struct tsne_node {
    double centre[TSNE_DIMENSIONS]; /* mean of its points */
    double width2;                  /* square of the longest side of the box around them */
    size_t from, count;             /* its points in the order of the tree */
    size_t skip;
    int leaf; /* it has no parts */
} tsne_node;

typedef struct tsne_tree {
    size_t p, d, nodes;
    tsne_node *node; /* room for 2 p */
    size_t *order;   /* p: numbers of points */
    double *Y;       /* p x d: points in that order */
    size_t *scratch; /* 4 p */
} tsne_tree;

spd_status tsne_tree_room(spd_context *ctx, size_t p, size_t d, arena *keep, tsne_tree *tree);

/* The tree of the points Y (p x d, finite). */
void tsne_tree_build(tsne_tree *tree, const double *Y);

/* force (d) <- sum over j of w_ij^2 (y_i - y_j), and its return value sum of w_ij, where groups
 * with width < theta distance count as one; y is point number i. */
double tsne_tree_repel(const tsne_tree *tree, size_t i, const double *y, double theta,
                       double *force);

/* ---- the divergence (tsne.c) ---------------------------------------------------------------- */

/* What a gradient needs besides; theta 0: all pairs. */
typedef struct tsne_field {
    const tsne_graph *graph;
    size_t d;
    double theta;
    double exaggeration; /* P is multiplied by it */
    double *repel;       /* p x d */
    double *sum;         /* p: sums of w */
    double *cost;        /* p: sums of P ln(P/w) */
    tsne_tree tree;
} tsne_field;

spd_status tsne_field_room(spd_context *ctx, const tsne_graph *g, size_t d, double theta,
                           arena *keep, tsne_field *field);

/* G (p x d) <- gradient at the points Y, *cost (or NULL) <- the divergence, if
 * P is not exaggerated. The same bits for any
 * number of threads. */
spd_status tsne_gradient(spd_context *ctx, tsne_field *field, const double *Y, double *G,
                         double *cost);

/* Y (p x d) <- from a start drawn by the seed; *cost and *done <- divergence and iterations. */
spd_status tsne_descend(spd_context *ctx, tsne_field *field, uint64_t seed, size_t iterations,
                        double *Y, double *cost, size_t *done);

#endif
