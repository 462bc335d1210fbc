/* spdml/learn.h - learning a map W (n x m) that makes small matrices W'XW of large ones; models,
 * checkpoints, explanations; embeddings. */
#ifndef SPDML_LEARN_H
#define SPDML_LEARN_H

#include "spdml/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- learning the map ------------------------------------------------------------------------ */

/* An unordered pair of samples, i != j, each pair at most once. The affinity is
 * A_ij = within - between (eq. 3): within pairs are pulled together, between pairs pushed apart. It
 * will not change. */
typedef struct spd_pair {
    uint32_t i, j;
    double within, between; /* >= 0, at most 1e50 */
} spd_pair;

typedef enum spd_objective {
    SPD_OBJECTIVE_AUTO = 0,   /* softmax; difference in the paper's setting, if the graph does not
                                 come from labels, and under the approximate log-Euclidean cost */
    SPD_OBJECTIVE_DIFFERENCE, /* sum of A_ij d2 (eq. 3) */
    SPD_OBJECTIVE_SOFTMAX     /* probability that a near neighbour has the same class, per sample
                                 (eq. 16). Uses the pairs as candidates: their distances after the
                                 map count, their weights do not */
} spd_objective;

/* The cost of a fit under SPD_METRIC_LOG_EUCLIDEAN. */
typedef enum spd_log_cost {
    SPD_LOG_COST_APPROXIMATE = 0, /* d2 = |W'(log X_i - log X_j)W|_F^2, which approximates the
                                     distance of eq. 3 between mapped matrices */
    SPD_LOG_COST_EXACT            /* d2 = |log(W'X_iW) - log(W'X_jW)|_F^2: eq. 3 itself */
} spd_log_cost;

typedef enum spd_learning {
    SPD_LEARNING_SUPERVISED = 0, /* by labels; samples without one take part in the unsupervised
                                    graph */
    SPD_LEARNING_UNSUPERVISED,   /* near pairs stay near, far pairs far; does not use labels */
    SPD_LEARNING_VARIANCE,       /* maximises sum d2(S_i, W'MW), M the mean; does not use labels */
    SPD_LEARNING_OWN_GRAPH       /* by the pairs in the options */
} spd_learning;

typedef enum spd_init {
    SPD_INIT_AUTO = 0, /* mean, or csp if its cost is lower; stein under AIRM; identity in the
                          paper's setting */
    SPD_INIT_IDENTITY, /* first m columns of the identity, as in the paper */
    SPD_INIT_MEAN,     /* leading eigenvectors of the arithmetic mean */
    SPD_INIT_RANDOM,
    SPD_INIT_GIVEN, /* W in the options */
    SPD_INIT_CSP,   /* generalised eigenvectors of the class means, as SPD_MAP_CSP, with Jeffrey
                       means; needs labels */
    SPD_INIT_STEIN  /* the result of a fit under Stein with the same graph, which is close and
                       faster to compute; not for SPD_LEARNING_VARIANCE */
} spd_init;

/* The basis used by the optimiser: X is seen as M^-1/2 X M^-1/2 (eq. 17). It affects the speed, not
 * the cost, under Stein, AIRM and Jeffrey. W is returned in the original basis. */
typedef enum spd_coordinates {
    SPD_COORDINATES_AUTO = 0, /* the fastest for metric and objective in our benchmarks */
    SPD_COORDINATES_PLAIN,    /* M = I: the paper, and the only choice under log-Euclidean */
    SPD_COORDINATES_MEAN,     /* M the Jeffrey mean, which is near the AIRM mean */
    SPD_COORDINATES_HARMONIC, /* M the harmonic mean */
    SPD_COORDINATES_WITHIN    /* M between the arithmetic mean and the scatter within classes */
} spd_coordinates;

typedef enum spd_solver {
    SPD_SOLVER_AUTO = 0,      /* L-BFGS; Polak-Ribiere in the paper's setting */
    SPD_SOLVER_POLAK_RIBIERE, /* conjugate gradient, PR+ */
    SPD_SOLVER_LBFGS
} spd_solver;

/* Why a fit stopped. It has converged after tolerance, gradient and line search. F is |cost| or the
 * total decrease since the start, whichever is larger. */
typedef enum spd_stop {
    SPD_STOP_TOLERANCE = 0, /* the decrease stayed below tol F for five consecutive iterations */
    SPD_STOP_GRADIENT,      /* gradient norm below 1e-6 F, or zero */
    SPD_STOP_ITERATIONS,    /* max_iter */
    SPD_STOP_TIME,          /* max_time */
    SPD_STOP_LINE_SEARCH,   /* no step along the gradient lowers the cost any further */
    SPD_STOP_CANCELLED,     /* by the progress callback; the model is the best so far */
    SPD_STOP_INVARIANT      /* W cannot leave the invariant subspaces of its start: the paper's
                               identity for block-diagonal X */
} spd_stop;

/* Options of a fit, filled by spd_fit_defaults. */
typedef struct spd_fit_options {
    size_t size;
    size_t m;          /* size of the small matrices, 1 <= m < n */
    spd_metric metric; /* Stein, AIRM, Jeffrey or log-Euclidean (see log_cost) */
    spd_learning learning;
    spd_objective objective;
    size_t nu_w, nu_b; /* neighbours within and between classes; 0: the default of the objective.
                          Difference: the size of the smallest class, and min(nu_w, 3). Softmax,
                          whose candidates they are: all; with more than 500 samples the nearest
                          30 and 60 */
    size_t pairs;      /* SPD_LEARNING_OWN_GRAPH: the number of own_pairs */
    const spd_pair *own_pairs;
    spd_init init;   /* a start in an invariant subspace, which descent could never leave, is
                        perturbed slightly; not the paper's identity */
    const double *W; /* SPD_INIT_GIVEN: n x m, full rank */
    int restarts;    /* number of starts (the first by init, others random); the best is kept */
    uint64_t seed;
    spd_solver solver;
    double tol;            /* 1e-4; 0 turns it off */
    int max_iter;          /* 1000 */
    double max_time;       /* seconds for the graph and all starts together; 0: no limit */
    spd_log_cost log_cost; /* of SPD_METRIC_LOG_EUCLIDEAN. The approximate cost does not support
                              SPD_LEARNING_VARIANCE */
    spd_coordinates coordinates;
    int paper; /* non-zero: the paper's setting. Objective, start, coordinates and solver that are
                  auto become difference, identity, plain and Polak-Ribiere. Methods are tuned over
                  m and nu_b <= nu_w, with `no map` as one of the sizes. A fit by itself does not
                  tune: it uses the default nu_b */
    spd_search search; /* of the neighbours in the graph; on return, the method used */
    double recall;     /* on return: the estimated share of true neighbours among them */
    int hermitian; /* in a model: W is the real form (spd_complex_embed) of a map from complex n/2 x
                      n/2 to m/2 x m/2 matrices, since the set was hermitian; n and m are even. Not
                      used as an option */
} spd_fit_options;
SPD_API void spd_fit_defaults(spd_fit_options *options, size_t size);

/* Replaces an objective and a solver that are auto by those that a fit would use; start and
 * coordinates only in the paper's setting, since otherwise they depend on the data. */
SPD_API void spd_fit_resolve(spd_fit_options *options);

/* One entry of a fit's history. Entry 0 is the start. It will not change. */
typedef struct spd_fit_step {
    double cost, gradient_norm, step, seconds;
    int probes;
} spd_fit_step;

/* A learned map and the record of its fit, the best of all starts. Made by the library, may grow.
 */
typedef struct spd_model {
    size_t n, m;
    double *W;                      /* n x m, W'W = I */
    const spd_fit_options *options; /* objective, init, nu_w, nu_b and coordinates as used;
                                       own_pairs and W are NULL */
    size_t pairs_within, pairs_between;
    double cost_start, cost, gradient_norm; /* the last two at W; the gradient is in the
                                               coordinates of the fit */
    int iterations;
    size_t data_passes; /* of all starts together */
    spd_stop stop;
    double seconds_graph, seconds_fit; /* of all starts together */
    size_t steps;                      /* iterations + 1 */
    spd_fit_step *history;
    const char *version; /* of the library that made it */
    int starts; /* completed starts: fewer than options->restarts if time ran out or the fit was
                   cancelled; 0 if unknown */
    int passes_each; /* data passes per iteration: 1, or 2 if memory allowed only O(m^2) numbers per
                        sample; 0 if unknown */
} spd_model;

/* How much lower the cost of a fit could still become: an estimate from the decrease so
 * far, not a bound. 0 if the gradient was nearly zero or no step lowered the cost; NaN if
 * unknown: the history is too short, or the stop is SPD_STOP_INVARIANT. */
SPD_API double spd_model_gain(const spd_model *model);

/* *pairs (new, freed with spd_pairs_free) and *count <- the pairs of the affinity graph, sorted by
 * (i, j), with i < j. label (p) holds class numbers >= 0, or -1 if unknown; NULL if not used.
 * On return options->nu_w, nu_b, search and
 * recall hold the values used; smaller classes give fewer pairs. The search is exact for more than
 * 256 neighbours or fewer than 513 samples.
 *   SPD_LEARNING_SUPERVISED    nu_w nearest of the same class, nu_b nearest of other classes. A
 *                              sample without a label: its nu_w nearest of all as within pairs,
 *                              and nu_b drawn by the seed as between pairs, never a near one.
 *   SPD_LEARNING_UNSUPERVISED  within: the nu_w nearest (default 5); between: nu_b samples (default
 *                              nu_w) drawn by the seed from those not among the nearest
 *                              max(10, 2 nu_w) or, in smaller sets, the nearest half; never a near
 *                              pair.
 *   SPD_LEARNING_OWN_GRAPH     a checked copy of own_pairs.
 * SPD_LEARNING_VARIANCE has no pairs: SPD_EINVAL. */
SPD_API spd_status spd_affinity(spd_context *ctx, const spd_set *X, const int *label,
                                spd_fit_options *options, spd_pair **pairs, size_t *count);
SPD_API void spd_pairs_free(spd_pair *pairs);

/* Everything a fit needs in order to continue; opaque, and stored in checkpoints. */
typedef struct spd_fit_state spd_fit_state;

/* Called after each iteration with the current state, which is valid during the call; a non-zero
 * return cancels the fit. The first call, with iteration 0, comes as soon as the graph exists. */
typedef int (*spd_fit_fn)(void *user, const spd_fit_state *state, const spd_fit_step *last,
                          int iteration);

/* How to resume a fit, and whom to tell about its iterations. */
typedef struct spd_fit_hooks {
    size_t size;
    const spd_fit_state *resume; /* the fit to continue, or NULL */
    spd_fit_fn after;            /* or NULL */
    void *user;                  /* argument of after */
} spd_fit_hooks;

/* *model (new, freed with spd_model_free) <- the map learned from p SPD matrices X (n x n). hooks
 * may be NULL. Each iteration makes one pass over X and keeps O(n m) numbers per sample, or two
 * passes and O(m^2) numbers if these exceed the memory limit of the context. The model has the same
 * bits wherever the matrices lie, provided the same amount is kept. The approximate log-Euclidean
 * cost needs them on the host as float64. Matrices on a device are used in place with
 * SPD_ENGINE_CUDA and SPD_ENGINE_AUTO; the CPU's part of the fit reads one copy on the host.
 *
 * A resumed fit needs the X, label and options of the original one, apart from tolerances and
 * limits; max_iter counts from the original start. The result has the same bits as an uninterrupted
 * fit. After SPD_ECANCELLED by the callback *model is set too: the best so far. */
SPD_API spd_status spd_fit(spd_context *ctx, const spd_set *X, const int *label,
                           const spd_fit_options *options, const spd_fit_hooks *hooks,
                           spd_model **model);

/* *cost and gradient (n x m, or NULL) <- the objective at options->W (n x m, full rank) for
 * options->own_pairs: D_W L of eq. 4, not projected. The other options used are metric, log_cost,
 * objective, m and pairs. */
SPD_API spd_status spd_cost(spd_context *ctx, const spd_set *X, const spd_fit_options *options,
                            double *cost, double *gradient);

/* ---- explaining a map ------------------------------------------------------------------------ */

/* The role of each row of the matrices (a feature, channel or coordinate) in a map. Every array is
 * the caller's, or NULL if it is not wanted. */
typedef struct spd_explanation {
    size_t size;
    double *weight;   /* n: squared norms of the rows of W, orthonormal; in [0,1], with sum m. A row
                        of noise may get weight in order to be subtracted elsewhere */
    double *carried;  /* n: the part of the variance M_ii that the m components carry */
    double *kept;     /* n: carried / M_ii, in [0,1] */
    double *pattern;  /* n x m: M W (W'MW)^-1, how components of variance 1 appear in the rows; the
                        entry of largest magnitude in each column is positive */
    double *variance; /* m: of the components, descending: eigenvalues of W'MW, W orthonormal */
} spd_explanation;

/* The patterns of a map (eq. 21) from W (n x m, full rank) and M (n x n), the arithmetic mean of
 * the matrices that it is applied to. Only the patterns, which belong to the principal axes of
 * W'MW, depend on the basis of W. M NULL: the identity; then only the weights are meaningful. */
SPD_API spd_status spd_explain(spd_context *ctx, size_t n, size_t m, const double *W,
                               const double *M, spd_explanation *explanation);

/* ---- models and checkpoints in files --------------------------------------------------------- */

SPD_API void spd_model_free(spd_model *model);

/* A .spdml file is an .npz with W.npy, history.npy and meta.json; it appears atomically, or not at
 * all. If options->hermitian is set, W is complex in the file, n/2 x m/2, as are n and m. A loaded
 * model is new, freed with spd_model_free. */
SPD_API spd_status spd_model_save(spd_context *ctx, const spd_model *model, const char *path);
SPD_API spd_status spd_model_load(spd_context *ctx, const char *path, spd_model **model);

/* The same in memory; *bytes is new, freed with spd_bytes_free. */
SPD_API spd_status spd_model_pack(spd_context *ctx, const spd_model *model, unsigned char **bytes,
                                  size_t *size);
SPD_API spd_status spd_model_unpack(spd_context *ctx, const unsigned char *bytes, size_t size,
                                    spd_model **model);
SPD_API void spd_bytes_free(unsigned char *bytes);

/* Checkpoints: a state with its options and its graph, in one file. A loaded state is new, freed
 * with spd_fit_state_free. */
SPD_API spd_status spd_fit_state_save(spd_context *ctx, const spd_fit_state *state,
                                      const char *path);
SPD_API spd_status spd_fit_state_load(spd_context *ctx, const char *path, spd_fit_state **state);
SPD_API void spd_fit_state_free(spd_fit_state *state);

/* *options (started with spd_fit_defaults) <- those of the fit; own_pairs points into the state, W
 * is NULL. */
SPD_API void spd_fit_state_options(const spd_fit_state *state, spd_fit_options *options);

/* The name of the first option that differs from the fit's and prevents it from continuing; NULL if
 * there is none. Tolerances and limits may differ. */
SPD_API const char *spd_fit_state_differs(const spd_fit_state *state,
                                          const spd_fit_options *options);

/* *model (new, freed with spd_model_free) <- the best so far, as spd_fit would return it if it were
 * cancelled here. Its stop is SPD_STOP_CANCELLED unless it comes from a start that had ended. */
SPD_API spd_status spd_fit_state_model(spd_context *ctx, const spd_fit_state *state,
                                       spd_model **model);

/* The contents of a file, found with as little reading as possible: everything that is not a model,
 * a checkpoint or a trained method counts as data. */
typedef enum spd_kind {
    SPD_KIND_DATA = 0,
    SPD_KIND_MODEL,
    SPD_KIND_CHECKPOINT,
    SPD_KIND_METHOD /* spd_classifier_save */
} spd_kind;
SPD_API spd_kind spd_file_kind(const char *path);

/* ---- embeddings ------------------------------------------------------------------------------ */

/* Coordinates of samples in a few dimensions, for plots and as input for other methods. */
typedef enum spd_embedding {
    SPD_EMBEDDING_LLE = 0,     /* lle: Riemannian locally linear embedding (Goh and Vidal 2008) */
    SPD_EMBEDDING_HESSIAN_LLE, /* hessian-lle: its Hessian variant; needs k >= 1 + d + d(d+1)/2 */
    SPD_EMBEDDING_LAPLACIAN,   /* laplacian: Laplacian eigenmaps, weights exp(-d2/t) */
    SPD_EMBEDDING_PGA,         /* pga: principal axes of the tangent space at the mean */
    SPD_EMBEDDING_MDS,         /* mds: classical scaling of the distances */
    SPD_EMBEDDING_TSNE,        /* tsne: t-SNE of the distances (van der Maaten and Hinton 2008), at
                                  most 3 dimensions */
    SPD_EMBEDDINGS             /* how many there are */
} spd_embedding;

typedef struct spd_embed_options {
    size_t size;
    spd_embedding kind;
    spd_metric metric; /* lle and hessian-lle need log maps: AIRM, log-Euclidean, log-Cholesky or
                          Euclidean */
    size_t k;          /* neighbours, 1 .. p-1; not used by pga, mds and tsne */
    size_t dimensions; /* d, 1 .. p-1 */
    double perplexity; /* tsne: effective number of neighbours, 1 up to below p; 0 means 30, or
                          (p-1)/3 if that is less */
    double theta;      /* tsne: groups of points narrower than theta times their distance count as
                          one (Barnes-Hut), and only the 3 perplexity nearest attract; below 0: all
                          pairs; 0 means all pairs up to 500 samples, and 0.5 above */
    size_t iterations; /* tsne: 0 means 1000 */
    uint64_t seed;     /* tsne: of the start */
} spd_embed_options;

typedef struct spd_embed_info {
    size_t size;
    double explained;  /* pga, mds: share of the variance explained by Y, in [0,1]; others: NaN */
    double bandwidth;  /* laplacian: t as used; others: NaN */
    double divergence; /* tsne: Kullback-Leibler, to the accuracy of theta; others: NaN */
    double perplexity; /* tsne: as used; others: NaN */
    double theta;      /* tsne: as used, 0 for all pairs; others: NaN */
    size_t iterations; /* tsne: as made; others: 0 */
} spd_embed_info;

/* Y (p x d) <- coordinates; eigenvalue (d, or NULL) <- the eigenvalues of its columns: the smallest
 * above zero, ascending (lle, hessian-lle, laplacian), or the largest, descending (pga, mds). The
 * entry of largest magnitude in each column is positive. Columns have mean square 1 (lle,
 * hessian-lle; laplacian: weighted by degrees), or their eigenvalue as sum of squares (pga, mds).
 * SPD_EINVAL if the graph of neighbours is not connected or, with lle, if several groups have all
 * their neighbours among themselves. tsne has no eigenvalues (NaN), and its columns have mean 0.
 * info may be NULL. */
SPD_API spd_status spd_embed(spd_context *ctx, const spd_embed_options *options, size_t n, size_t p,
                             const double *X, double *Y, double *eigenvalue, spd_embed_info *info);

#ifdef __cplusplus
}
#endif
#endif
