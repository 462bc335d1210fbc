/* spdml/geometry.h - sets of symmetric positive definite (SPD) matrices: batched linear algebra,
 * metrics, distances, neighbours, means, geodesics, kernels, covariances. */
#ifndef SPDML_GEOMETRY_H
#define SPDML_GEOMETRY_H

#include "spdml/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sets of matrices ------------------------------------------------------------------------ */

/* The location of the matrices of a set. */
typedef enum spd_place {
    SPD_PLACE_HOST = 0,
    SPD_PLACE_FILES, /* read piece by piece, ahead of the computation */
    SPD_PLACE_DEVICE /* in the memory of a CUDA device, from cudaMalloc or managed */
} spd_place;

/* A set of p matrices n x n, wherever it lies: a view. There is nothing to free unless spd_set_open
 * or spd_set_load has made it. Every function on sets accepts every place and type; a function that
 * cannot work where the matrices lie copies them to the host as float64. All arithmetic is in
 * double precision; the same numbers give the same bits in files and on the host. Several calls may
 * use a set at once.
 *
 * On a device: the call waits for `stream`, which may still be filling the set, and computes there,
 * whatever the engine of the context. Results are written to the same device, except means, models
 * and W; they are complete when the call returns. Cases without GPU kernels (some metrics, large n
 * or m, more than 64 neighbours) and sets with an invalid matrix fall back to the CPU, which names
 * the matrix. Neighbours are searched exactly. SPD_EDEVICE if there is no GPU or no CUDA module;
 * SPD_EINVAL if the memory is not the device's, or if there are several processes
 * (spd_ranks_join). */
typedef struct spd_set {
    size_t size;
    size_t n, p;
    const void *X; /* p x n x n; NULL: in files */
    spd_type type; /* SPD_TYPE_FLOAT64 or, on the host and in files, SPD_TYPE_FLOAT32 */
    int hermitian; /* the matrices are real forms (spd_complex_embed): distances, kernels,
                      log-determinants and costs are those of the Hermitian matrices */
    spd_place place;
    int device;              /* SPD_PLACE_DEVICE: its CUDA device number */
    void *stream;            /* SPD_PLACE_DEVICE: a cudaStream_t; NULL: the default stream */
    struct spd_files *files; /* SPD_PLACE_FILES */
    int checked; /* spd_check has found the matrices good, and they have not changed since: spd_fit
                    does not test them again */
} spd_set;

/* A pointer to a set around an array of p x n x n doubles on the host, for use as an argument. */
#ifdef __cplusplus
}
struct spd_set_view {
    spd_set set;
    spd_set_view(size_t n, size_t p, const double *X) : set()
    {
        set.size = sizeof set;
        set.n = n;
        set.p = p;
        set.X = X;
    }
    operator const spd_set *() const
    {
        return &set;
    }
};
extern "C" {
#define SPD_SET(n, p, X) spd_set_view((n), (p), (X))
#else
#define SPD_SET(n, p, X)                                                                           \
    ((const spd_set *)&(spd_set){sizeof(spd_set), (n), (p), (X), SPD_TYPE_FLOAT64, 0,              \
                                 SPD_PLACE_HOST, 0, NULL, NULL, 0})
#endif

/* Repairs of matrices as they are read from files. */
typedef struct spd_set_options {
    size_t size;
    int symmetrize;    /* X <- (X + X')/2 */
    double regularize; /* adds this times tr(X)/n to the diagonal */
} spd_set_options;

/* *set (new, freed with spd_set_free) <- the matrices of `count` .npy files, in order. Each file
 * has p x n x n matrices of float64 or float32 in C order; n and type are the same in all. Complex
 * files (complex128, complex64) give a set of real forms (hermitian). Headers are read and checked
 * at once, matrices when they are needed. Files are not memory-mapped: if one shrinks or changes
 * during a call, the call returns SPD_EIO. options NULL means all zero. */
SPD_API spd_status spd_set_open(spd_context *ctx, size_t count, const char *const *paths,
                                const spd_set_options *options, spd_set **set);

/* *set (new, freed with spd_set_free) <- a copy of another set on the host, as SPD_TYPE_FLOAT64 or
 * rounded to SPD_TYPE_FLOAT32, which halves memory and traffic. */
SPD_API spd_status spd_set_load(spd_context *ctx, const spd_set *from, spd_type type,
                                spd_set **set);

/* Loads the part of a set in files that this process works on (spd_ranks_join): all of it in a
 * single process. The rest stays in the files. Collective: every rank must call it. */
SPD_API spd_status spd_set_hold(spd_context *ctx, spd_set *set);

/* Frees a set made by spd_set_open or spd_set_load. */
SPD_API void spd_set_free(spd_set *set);

/* The size of all matrices in bytes, as stored. */
SPD_API double spd_set_bytes(const spd_set *set);

/* X (count x n x n) <- matrices first .. first+count-1. */
SPD_API spd_status spd_set_read(spd_context *ctx, const spd_set *set, size_t first, size_t count,
                                double *X);

/* ---- batched linear algebra ------------------------------------------------------------------ */

/* SPD_ENOTFINITE, SPD_ENOTSYM or SPD_ENOTSPD for the first invalid matrix of the set, tested in
 * this order; SPD_OK if all p are finite, symmetric to |x_ij - x_ji| <= tolerance * max|x|, and
 * positive definite. tolerance 0 means 1e-10; n, p >= 1.
 *
 * Positive definite means, here and in every function that requires it, that the smallest
 * eigenvalue of D^-1/2 X D^-1/2, with D the diagonal of X, exceeds (n + 16) 2^-52: more than
 * rounding makes of zero, whatever the units of the rows (docs/math.md). Real forms of complex
 * matrices are tested as they are, with their own n. It is not tested on a device. */
SPD_API spd_status spd_check(spd_context *ctx, const spd_set *X, double tolerance);

/* X_i <- (X_i + X_i')/2 */
SPD_API void spd_symmetrize(size_t n, size_t p, double *X);

/* X_i <- X_i + (relative tr(X_i)/n + ridge) I */
SPD_API void spd_regularize(size_t n, size_t p, double *X, double relative, double ridge);

/* L (p x n x n) <- lower Cholesky factors, upper triangles zero. SPD_ENOTSPD: first index. */
SPD_API spd_status spd_cholesky(spd_context *ctx, const spd_set *X, double *L);

/* logdet (p) <- ln det X_i. */
SPD_API spd_status spd_logdet(spd_context *ctx, const spd_set *X, double *logdet);

/* Xinv (p x n x n) <- inverses of SPD matrices. Xinv may be X. */
SPD_API spd_status spd_inverse(spd_context *ctx, const spd_set *X, double *Xinv);

/* lambda (p x n) <- eigenvalues, ascending; V (p x n x n, or NULL) <- eigenvectors in columns:
 * X_i = V_i diag(lambda_i) V_i'. X is symmetric and need not be positive definite. */
SPD_API spd_status spd_eigh(spd_context *ctx, const spd_set *X, double *lambda, double *V);

/* Generalised problem X_i v = lambda Y_i v, Y_i SPD; V_i' Y_i V_i = I. V may be NULL. */
SPD_API spd_status spd_eigh_general(spd_context *ctx, const spd_set *X, const spd_set *Y,
                                    double *lambda, double *V);

/* Applies the map of a model, W = model->W: S (p x m x m) <- W' X_i W for one W (n x m), which is
 * on the host. 1 <= m <= n. Computed by the CPU. */
SPD_API spd_status spd_congruence(spd_context *ctx, const spd_set *X, size_t m, const double *W,
                                  double *S);

/* The gradient of a cost of S_i = W' X_i W: from those with respect to S_i, G (p x m x m, on the
 * host; their symmetric parts count), dX (p x n x n, or NULL) <- those with respect to X_i, and dW
 * (n x m, or NULL) <- that with respect to W. X symmetric, on the host or in files. */
SPD_API spd_status spd_congruence_gradient(spd_context *ctx, const spd_set *X, size_t m,
                                           const double *W, const double *G, double *dX,
                                           double *dW);

/* ---- complex Hermitian matrices -------------------------------------------------------------- */

/* The real form of a complex n x n matrix is a real matrix of size 2n: each entry a + bi becomes
 * the block [a -b; b a]. Sums, products, inverses, factors, functions, means and geodesics of real
 * forms are real forms again, and a Hermitian positive definite matrix has a symmetric positive
 * definite real form; therefore every function of this library works on Hermitian matrices. Every
 * eigenvalue appears twice, so traces, log-determinants and, in all metrics, squared distances are
 * twice those of the Hermitian matrices (docs/math.md, eq. 22); they are halved if the set is
 * marked `hermitian`. */

/* X (p x 2r x 2c) <- the real forms of complex matrices Z (p x r x c, each entry its real and then
 * its imaginary part). */
SPD_API void spd_complex_embed(size_t rows, size_t columns, size_t p, const double *Z, double *X);

/* Z (p x r x c complex) <- the matrices whose real forms are nearest to X (p x 2r x 2c): the two
 * copies of each number, which may differ by rounding, are averaged. Z may be X. */
SPD_API void spd_complex_extract(size_t rows, size_t columns, size_t p, const double *X, double *Z);

/* ---- distances, means, geodesics ------------------------------------------------------------- */

typedef enum spd_metric {
    SPD_METRIC_AIRM = 0,          /* affine-invariant: d2 = sum log^2 lambda(X,Y)          (1) */
    SPD_METRIC_STEIN,             /* d2 = ln det((X+Y)/2) - (ln det X + ln det Y)/2        (2) */
    SPD_METRIC_LOG_EUCLIDEAN,     /* d2 = |log X - log Y|_F^2 */
    SPD_METRIC_JEFFREY,           /* d2 = tr(X^-1 Y + Y^-1 X)/2 - n */
    SPD_METRIC_BURES_WASSERSTEIN, /* d2 = tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2 */
    SPD_METRIC_LOG_CHOLESKY,      /* d2 = |low(Lx) - low(Ly)|_F^2 + |log diag Lx - log diag Ly|^2 */
    SPD_METRIC_EUCLIDEAN,         /* d2 = |X - Y|_F^2 */
    SPD_METRICS                   /* how many there are */
} spd_metric;

/* *d2 <- squared distance between two matrices. */
SPD_API spd_status spd_distance2(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                                 const double *Y, double *d2);

/* D2 (p x q) <- squared distances between the p matrices X and the q matrices Y, which lie in the
 * same place. Y NULL: distances within X; D2 is p x p, symmetric, with exact zeros on the diagonal.
 * To save memory D2 is filled in place: it is incomplete after SPD_ECANCELLED or SPD_ENUMERIC, and
 * on a device after any failure. */
SPD_API spd_status spd_pairwise2(spd_context *ctx, spd_metric metric, const spd_set *X,
                                 const spd_set *Y, double *D2);

/* Squared distances of pairs, and their derivative: pair k is of the matrices number pairs[2k] and
 * pairs[2k+1] of X, on the host. d2 (count, or NULL) <- squared distances; G (p x n x n, or NULL) <- the
 * gradient of sum_k weight[k] d2[k] with respect to each X_i, symmetric. AIRM, Stein, Jeffrey and
 * Euclidean; the log-Euclidean distance is the Euclidean one of logarithms (spd_apply_spectrum).
 * weight may be NULL if G is. */
SPD_API spd_status spd_pairs_gradient(spd_context *ctx, spd_metric metric, const spd_set *X,
                                      size_t count, const uint32_t *pairs, const double *weight,
                                      double *d2, double *G);

/* The method of a neighbour search. */
typedef enum spd_search {
    SPD_SEARCH_AUTO = 0, /* approximate if the exact search would take more than about a minute,
                              judged by the number of operations */
    SPD_SEARCH_EXACT,
    SPD_SEARCH_APPROXIMATE /* in almost linear time; finds most neighbours and estimates how many */
} spd_search;

typedef struct spd_nearest_options {
    size_t size;
    spd_search search; /* queries Q other than X are searched exactly */
    int brute;         /* compute every distance: slower, with the same result */
    uint64_t seed;     /* of an approximate search */
} spd_nearest_options;

typedef struct spd_nearest_info {
    size_t size;
    double pairs;      /* of a query and a sample */
    double exact;      /* distances computed in full, including those of the estimate of an
                          approximate search; may exceed the number of pairs */
    double pruned;     /* 1 - exact/pairs, the share decided by lower bounds (eq. 9); 0 for an
                          approximate search */
    spd_search search; /* exact or approximate, as used */
    double recall;     /* the share of the true neighbours among those returned, estimated on 200
                          random queries, or all if there are fewer; 1 for an exact search */
} spd_nearest_info;

/* index, d2 (q x k) <- the k nearest of the p matrices X to each of the q matrices Q, nearest
 * first, ties by lower index: their numbers and squared distances. Q NULL: neighbours within X; a
 * sample is not its own neighbour. options NULL: an exact search. Uses O(p n^2 + p k) memory, never
 * p x q. If X or Q is not on the host as float64, as many queries as fit are held in memory while
 * all samples are streamed, and no pair is pruned. info may be NULL. The same bits for any number
 * of threads. */
SPD_API spd_status spd_nearest(spd_context *ctx, spd_metric metric, const spd_set *X,
                               const spd_set *Q, size_t k, const spd_nearest_options *options,
                               int64_t *index, double *d2, spd_nearest_info *info);

typedef struct spd_mean_options {
    size_t size;
    const double *weights; /* p, >= 0, with a sum above 0; NULL: equal weights */
    double tol;            /* 0 means 1e-12 */
    int max_iter;          /* 0 means 1000 */
} spd_mean_options;

typedef struct spd_mean_info {
    size_t size;
    int iterations;
    double residual; /* size of the last step relative to the mean, in the metric's own terms */
    int converged;
} spd_mean_info;

/* M (n x n) <- the mean of p matrices: the minimiser of sum w_i d2(M, X_i), or the closed form of
 * the metric. options NULL means all zero. A mean has converged if the residual is at most tol, or
 * no longer decreases and is no larger than rounding explains, given the condition of the matrices.
 * SPD_NOT_CONVERGED leaves the last iterate in M. info may be NULL. */
SPD_API spd_status spd_mean(spd_context *ctx, spd_metric metric, const spd_set *X,
                            const spd_mean_options *options, double *M, spd_mean_info *info);

/* Y (p x n x n) <- M_g^-1/2 X_i M_g^-1/2, where M_g is the metric's mean of the group g of sample i
 * (group: p numbers >= 0): moves the mean of every group to the identity. Y may be X. */
SPD_API spd_status spd_recenter(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                                const double *X, const int *group, double *Y);

/* G (n x n) <- the point at t on the geodesic from X (t = 0) to Y (t = 1). Stein and Jeffrey use
 * AIRM's geodesic. With Bures-Wasserstein and Euclidean, t outside [0,1] may leave the cone:
 * SPD_ENOTSPD. */
SPD_API spd_status spd_geodesic(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                                const double *Y, double t, double *G);

/* G (p x n x n) <- the points at t[i] on the geodesics from X_i to Y_i, p of each; t has p numbers,
 * or a single one if steps is 1. G may be X or Y. Errors name the first matrix at fault. */
SPD_API spd_status spd_geodesics(spd_context *ctx, spd_metric metric, const spd_set *X,
                                 const spd_set *Y, size_t steps, const double *t, double *G);

/* ---- matrix functions and kernels ------------------------------------------------------------ */

typedef enum spd_function {
    SPD_FUNCTION_LOG = 0, /* SPD to symmetric */
    SPD_FUNCTION_EXP,     /* symmetric to SPD */
    SPD_FUNCTION_SQRT,
    SPD_FUNCTION_INVSQRT,
    SPD_FUNCTION_POWER, /* X^power */
    SPD_FUNCTION_FLOOR  /* symmetric to symmetric: eigenvalues below `power` become `power` */
} spd_function;

/* F (p x n x n) <- f(X_i), from eigenvalues. F may be X. Only SPD_FUNCTION_POWER and
 * SPD_FUNCTION_FLOOR use power. */
SPD_API spd_status spd_apply(spd_context *ctx, spd_function f, double power, const spd_set *X,
                             double *F);

/* The same, and spectrum (spd_spectrum_size(n, p) numbers, on the host) <- what
 * spd_apply_derivative needs. For batches of small matrices: eight are worked on at a time. Of X
 * lower triangles are read. */
SPD_API size_t spd_spectrum_size(size_t n, size_t p);
SPD_API spd_status spd_apply_spectrum(spd_context *ctx, spd_function f, double power,
                                      const spd_set *X, double *F, double *spectrum);

/* D (p x n x n) <- Df(X_i)[(G_i + G_i')/2], the derivative of f at X_i in a symmetric direction, of
 * the matrices, the function and the power that spectrum was made with. The map is its own adjoint:
 * it also takes the gradient of a cost with respect to f(X_i) to the one with respect to X_i
 * (docs/math.md). D may be G. */
SPD_API spd_status spd_apply_derivative(spd_context *ctx, spd_function f, double power,
                                        const double *spectrum, const spd_set *G, double *D);

typedef enum spd_kernel_kind {
    SPD_KERNEL_STEIN = 0,    /* exp(-beta d2_stein) */
    SPD_KERNEL_LOG_EUCLIDEAN /* tr(log X log Y); does not use beta */
} spd_kernel_kind;

/* K (p x q; p x p if Y is NULL) <- kernel values. SPD_NOT_DEFINITE (a remark) if beta is neither in
 * {1/2, ..., (n-1)/2} nor above (n-1)/2 (eq. 10); for Hermitian matrices the set is {1, ...,
 * n/2-1}. K is filled in place, as D2 by spd_pairwise2. */
SPD_API spd_status spd_kernel(spd_context *ctx, spd_kernel_kind kind, double beta, const spd_set *X,
                              const spd_set *Y, double *K);

/* ---- covariance matrices of observations ----------------------------------------------------- */

typedef enum spd_shrinkage {
    SPD_SHRINKAGE_NONE = 0,
    SPD_SHRINKAGE_OAS,
    SPD_SHRINKAGE_LEDOIT_WOLF,
    SPD_SHRINKAGE_VALUE,
    SPD_SHRINKAGES /* how many there are */
} spd_shrinkage;

/* Options of a covariance matrix. All zero: the plain covariance, 1/(r-1). Since other options
 * embed this struct, it has a fixed length instead of `size`: new members will be taken from
 * `reserved`. */
typedef struct spd_covariance_options {
    spd_shrinkage shrinkage;
    double shrink;      /* SPD_SHRINKAGE_VALUE: rho in [0, 1] */
    double regularize;  /* adds this times tr(C)/n to the diagonal; < 0: the descriptor's default */
    size_t m;           /* with W (n x m): observations are projected first (eq. 12), C is m x m */
    const double *W;    /* NULL: no projection */
    size_t n;           /* rows of W, compared with the observations; 0: not compared */
    double reserved[8]; /* 0 */
} spd_covariance_options;

/* C (n x n; m x m with W) <- covariance of the r observations in the rows of O (r x n), shrunk,
 * then regularised. Shrinkage is applied to the 1/r version, as its authors do. Accurate even if
 * means are far larger than deviations. SPD_EINVAL with remedies if r - 1 is below the size of C
 * and the options do not compensate. options NULL means all zero. */
SPD_API spd_status spd_covariance(spd_context *ctx, size_t r, size_t n, const double *O,
                                  const spd_covariance_options *options, double *C);

/* C (p x n x n) <- covariances of p recordings of n channels and r times each, O (p x n x r): the
 * observations are the columns. options->W must be NULL. Errors name the first recording at
 * fault. */
SPD_API spd_status spd_covariances(spd_context *ctx, size_t p, size_t n, size_t r, const double *O,
                                   const spd_covariance_options *options, double *C);

#ifdef __cplusplus
}
#endif
#endif
