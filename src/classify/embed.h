/* embed.h - from samples to coordinates in a few dimensions, step by step: neighbours, the matrix
 * of a method, its eigenvectors. spd_embed and the classifiers of embedded.c go through here. */
#ifndef SPD_CLASSIFY_EMBED_H
#define SPD_CLASSIFY_EMBED_H

#include "base/arena.h"

/* ---- neighbours (embed_neighbours.c) -------------------------------------------------------- */

/* The k nearest of every sample among the others, nearest first. With fewer neighbours the same,
 * as far as they go: the first k' columns of index and d2, the leading k' x k' blocks of G. */
typedef struct neighbourhoods {
    size_t p, k;
    int64_t *index; /* p x k */
    double *d2;     /* p x k */
    double *G;      /* p x k x k: G_i[j,l] = <log_Xi Xj, log_Xi Xl> at Xi; NULL where not wanted */
} neighbourhoods;

/* *h <- of the matrices X; grams: G too, which needs a metric with log maps. 1 <= k < p. */
spd_status neighbourhoods_find(spd_context *ctx, spd_metric which, size_t n, size_t p,
                               const double *X, size_t k, int grams, arena *keep,
                               neighbourhoods *h);

/* ---- matrices: p x p, symmetric, positive semidefinite; M is zero before -------------------- */

/* embed_lle.c: (I - W)'(I - W). */
spd_status lle_matrix(spd_context *ctx, const neighbourhoods *h, size_t k, double *M);

/* embed_hessian.c: the sum of squared Hessians in d tangent coordinates. */
spd_status hessian_matrix(spd_context *ctx, const neighbourhoods *h, size_t k, size_t d, double *M);

/* embed_laplacian.c: I - D^-1/2 W D^-1/2; degree (p) <- diagonal of D. */
void laplacian_matrix(const neighbourhoods *h, size_t k, double t, double *degree, double *M);

/* The mean of the squared distances to the k nearest; 1 when all are zero. */
double laplacian_bandwidth(const neighbourhoods *h, size_t k);

/* ---- components of the graph (embed_components.c) ------------------------------------------- */

#define NO_COMPONENT SIZE_MAX

/* Sets of samples. */
typedef struct graph_components {
    size_t count;
    size_t *component; /* p: its number, or NO_COMPONENT; numbered by size, the largest first */
    size_t *size;      /* p, of which count are used */
} graph_components;

/* *components <- samples that the graph of k nearest neighbours joins, either way: every sample is
 * in one. */
spd_status components_find(spd_context *ctx, const neighbourhoods *h, size_t k, arena *keep,
                           graph_components *components);

/* *components <- samples that lead to each other, and to no others, from a sample to its k nearest
 * (embed_closed.c). There is at least one such component, and every sample leads to one. */
spd_status components_find_closed(spd_context *ctx, const neighbourhoods *h, size_t k, arena *keep,
                                  graph_components *components);

/* *components <- numbered, where leader (p) says the first sample of a sample's component, or
 * NO_COMPONENT. */
spd_status components_number(spd_context *ctx, size_t p, const size_t *leader, arena *keep,
                             graph_components *components);

/* SPD_EINVAL with a message that names the components and the remedy; for count > 1. */
spd_status components_refuse(spd_context *ctx, const graph_components *components, size_t p,
                             size_t k, int closed);

/* ---- null vectors --------------------------------------------------------------------------- */

/* Z (components->count x p): the constant first, then one for each component but the last. */

/* sqrt(weight), and sqrt(weight) on each component; weight (p, or NULL for ones). */
void components_vectors(size_t p, const graph_components *components, const double *weight,
                        double *Z);

/* embed_lle.c: functions that the weights reproduce, 1 on one closed component and 0 on the others.
 * M is that of lle_matrix. */
spd_status lle_vectors(spd_context *ctx, size_t p, const double *M,
                       const graph_components *components, double *Z);

/* ---- eigenvectors (embed_spectral.c) -------------------------------------------------------- */

/* Y (p x d), lambda (d) <- the null vectors Z (known x p, made orthonormal) but for the first, then
 * eigenvectors of the smallest eigenvalues of M (p x p, destroyed) beside them. weight (p, or NULL
 * for ones): columns are divided by its root. Columns have weighted mean square 1. 1 <= d < p. */
spd_status spectral_bottom(spd_context *ctx, size_t p, double *M, const double *weight,
                           size_t known, double *Z, size_t d, double *Y, double *lambda);

/* Y (p x d), lambda (d) <- eigenvectors of the largest eigenvalues of B (p x p, destroyed) times
 * their roots, zero where there is none. *explained <- their share of all positive ones. */
spd_status spectral_top(spd_context *ctx, size_t p, double *B, size_t d, double *Y, double *lambda,
                        double *explained);

/* Turns every column of Y (p x d) so that its entry of largest size is positive. */
void spectral_signs(size_t p, size_t d, double *Y);

/* ---- the whole (embed.c) -------------------------------------------------------------------- */

/* SPD_EINVAL with a message where the kind cannot work with the metric. */
spd_status embed_check_metric(spd_context *ctx, spd_embedding kind, spd_metric which);

/* SPD_EINVAL with a message where k, dimensions or the metric do not fit. */
spd_status embed_check(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p);

/* embed_tsne.c: SPD_EINVAL with a message where perplexity, theta or dimensions do not fit; Y (p x
 * d) and info. */
spd_status embed_check_tsne(spd_context *ctx, const spd_embed_options *o, size_t p);
spd_status embed_tsne(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p,
                      const double *X, double *Y, spd_embed_info *info);

/* How many p x p arrays it needs. */
size_t embed_tsne_squares(const spd_embed_options *o, size_t p);

/* Y (p x d) and lambda (d) of lle, hessian-lle or laplacian from neighbourhoods with at least
 * o->k neighbours, for checked options. whole: a graph of several components is refused. bandwidth
 * as spd_embed_info. */
spd_status embed_graph(spd_context *ctx, const spd_embed_options *o, const neighbourhoods *h,
                       int whole, double *Y, double *lambda, double *bandwidth);

#endif
