/* spdml.h - the public face of libspdml: symmetric positive definite (SPD) matrices.
 *
 * Conventions, everywhere:
 *   - Matrices are row-major double arrays. A set of p matrices of size n x n is one array
 *     p x n x n; symmetric matrices carry both triangles. Most functions read the lower one alone:
 *     spd_check tells whether the two agree.
 *   - Status: 0 means success; < 0 means there is no result, and outputs are untouched unless the
 *     function says otherwise; > 0 means the result is usable, with a remark. Test the sign: later
 *     versions may have further codes. If the function takes a context, the context then holds a
 *     message that names what is at fault.
 *   - Ownership: an object that a function stores through a pointer to a pointer, or returns from
 *     spd_x_new, is new and belongs to the caller, who frees it with the spd_x_free of its type, or
 *     the function named next to it. What such an object points to belongs to it and is freed with
 *     it. Every free function accepts NULL. Everything else is borrowed: inputs are not kept after
 *     the call unless the function says so, names are constants, and spd_context_error is valid
 *     until the next call.
 *   - Structs come in three kinds. Those that callers provide and that may grow begin with `size`,
 *     sizeof as the caller was compiled: start them with SPD_INIT(type), which makes everything
 *     else zero, or with spd_x_defaults(&x, sizeof x). Those that only the library makes may grow
 *     too, so callers never allocate, copy or keep arrays of them. Those that will not change say
 *     so. Members are only ever added, at the end.
 *   - Enumerations only get new values at the end; the value "how many there are" grows with them,
 *     so do not store it. spd_x_name gives the word for a value, NULL for a number without one;
 *     spd_x_parse understands these words, and answers any other with SPD_EINVAL and a message that
 *     lists the words and suggests the nearest; the value is then untouched.
 *   - Nothing here prints or exits. Results are bit-identical for any number of threads.
 *   - A context may be NULL: all cores, no progress, no messages. A context serves one call at a
 *     time; different contexts may be used from different threads. A forked child may go on with
 *     its parent's contexts, and free them, if no other thread was within a call at that moment.
 *
 * Equation numbers refer to docs/math.md. */
#ifndef SPDML_H
#define SPDML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
template <typename type> inline type spd_init_of()
{
    type made = type();
    made.size = sizeof made;
    return made;
}

extern "C" {
#endif

#if defined(__GNUC__)
#define SPD_API __attribute__((visibility("default")))
#else
#define SPD_API
#endif

/* spd_mean_info info = SPD_INIT(spd_mean_info); */
#ifdef __cplusplus
#define SPD_INIT(type) spd_init_of<type>()
#else
#define SPD_INIT(type)                                                                             \
    {                                                                                              \
        .size = sizeof(type)                                                                       \
    }
#endif

#define SPD_VERSION_MAJOR 0
#define SPD_VERSION_MINOR 1
#define SPD_VERSION_PATCH 0

/* ---- status, errors, context ------------------------------------------------------------ */

typedef enum spd_status {
    SPD_OK = 0,
    SPD_NOT_CONVERGED = 1, /* iteration limit reached; the result is the last iterate */
    SPD_NOT_DEFINITE = 2,  /* kernel computed, but not positive definite for all data (eq. 10) */
    SPD_ENOMEM = -1,       /* out of memory */
    SPD_EINVAL = -2,       /* an argument is out of range or the wrong shape */
    SPD_ENOTSPD = -3,      /* a matrix is not positive definite, as spd_check has it */
    SPD_ENOTSYM = -4,      /* a matrix is not symmetric */
    SPD_ENOTFINITE = -5,   /* a matrix holds NaN or Inf */
    SPD_EIO = -6,          /* the operating system refused to read or write */
    SPD_EFORMAT = -7,      /* a file is not what it claims to be */
    SPD_ECANCELLED = -8,   /* the progress callback asked to stop */
    SPD_ENUMERIC = -9,     /* an iteration broke down (eigenvalues did not converge) */
    SPD_EDEVICE = -10      /* the engine asked for cannot be had: no GPU, or it failed */
} spd_status;

#define SPD_NO_INDEX SIZE_MAX

/* What would remedy a failure. Each front end words it in its own terms: an option of the command,
 * an argument of a Python function. */
typedef enum spd_remedy {
    SPD_REMEDY_NONE = 0,
    SPD_REMEDY_REGULARIZE =
        1 << 0,                /* add remedy_value tr(X)/n to the diagonal; above 0.5 the matrix
                                * is so far from definite that it may not be a covariance */
    SPD_REMEDY_RIDGE = 1 << 1, /* it is not a covariance: remove it, or add a ridge */
    SPD_REMEDY_SYMMETRIZE = 1 << 2,
    SPD_REMEDY_SHRINK = 1 << 3,         /* shrink the covariance, with oas */
    SPD_REMEDY_PROJECT = 1 << 4,        /* project the observations with a model's map */
    SPD_REMEDY_CHANNELS_FIRST = 1 << 5, /* if rows are channels, say so */
    SPD_REMEDY_WINDOW = 1 << 6,         /* give the length of the window */
    SPD_REMEDY_SIZE = 1 << 7,           /* give the size of the images */
    SPD_REMEDY_SIFT_STEP = 1 << 8,      /* use a larger step */
    SPD_REMEDY_NO_COLOR = 1 << 9,
    SPD_REMEDY_REGIONS = 1 << 10,       /* choose other regions */
    SPD_REMEDY_NAME_X = 1 << 11,        /* name the array of matrices */
    SPD_REMEDY_NAME_Y = 1 << 12,        /* name the labels */
    SPD_REMEDY_LABELS = 1 << 13,        /* give the file as one of labels */
    SPD_REMEDY_LABEL_PATTERN = 1 << 14, /* give a pattern for labels */
    SPD_REMEDY_SKELETON = 1 << 15,      /* name the file of the skeleton */
    SPD_REMEDY_PLAIN_KERNEL = 1 << 16,  /* do not normalise the kernel */
    SPD_REMEDY_AUTO_ENGINE = 1 << 17,   /* let the library choose an engine that is there */
    SPD_REMEDY_LEAVE_OUT = 1 << 18      /* leave out matrices with NaN or Inf */
} spd_remedy;

/* "regularize", "ridge", ...; NULL unless it is exactly one. */
SPD_API const char *spd_remedy_name(spd_remedy remedy);

/* What went wrong in the last call that failed or had a remark. Made by the library, may grow. */
typedef struct spd_error {
    spd_status status;
    size_t index;      /* the sample at fault, or SPD_NO_INDEX */
    double value;      /* what was measured there (an eigenvalue, an asymmetry), or 0 */
    char message[512]; /* one line, no newline; empty when status is SPD_OK */
    unsigned remedy;   /* what would help: values of spd_remedy, combined by | */
    double remedy_value;
} spd_error;

/* Progress of a long call. Made by the library, may grow; valid during the callback. The callback
 * runs in the calling thread only, a few times a second at most. A non-zero return cancels: the
 * call ends with SPD_ECANCELLED. */
typedef struct spd_progress {
    const char *task; /* "distances", "mean" */
    const char *unit; /* what done and total count: "pairs", "iterations" */
    double done;
    double total; /* 0 when unknown */
} spd_progress;
typedef int (*spd_progress_fn)(void *user, const spd_progress *progress);

typedef struct spd_context spd_context;

/* A new context with all cores and no callback, freed with spd_context_free; NULL if out of
 * memory. */
SPD_API spd_context *spd_context_new(void);
SPD_API void spd_context_free(spd_context *ctx);

/* Number of threads for calls with this context; 0 means all cores. */
SPD_API void spd_context_set_threads(spd_context *ctx, int threads);

/* How many threads calls with this context use. */
SPD_API int spd_context_threads(const spd_context *ctx);

/* Where the sums of learning, distances, neighbours (up to 64), kernels, functions, eigenvalues,
 * means and maps of sets run, and with them classification, tuning and evaluation; everything else,
 * and what the GPU has no kernels for (metrics, n above 512), runs on the processor. The engines
 * agree to rounding; each gives the same bits on every run. */
typedef enum spd_engine {
    SPD_ENGINE_CPU = 0, /* the default */
    SPD_ENGINE_CUDA,    /* an NVIDIA GPU; SPD_EDEVICE where none can be used, and from spd_fit for n
                         * above 512 or m above 128 */
    SPD_ENGINE_AUTO     /* the GPU where that is possible and gains by an estimate, else the CPU */
} spd_engine;

/* "cpu", "cuda", "auto" */
SPD_API const char *spd_engine_name(spd_engine engine);
SPD_API spd_status spd_engine_parse(spd_context *ctx, const char *name, spd_engine *engine);

/* The engine of calls with this context. */
SPD_API void spd_context_set_engine(spd_context *ctx, spd_engine engine);

/* text (room bytes, cut to fit) <- what the engine runs on, such as the name of a GPU. SPD_EDEVICE,
 * with the reason, when it cannot be had. */
SPD_API spd_status spd_engine_device(spd_context *ctx, spd_engine engine, size_t room, char *text);

/* Where the last spd_fit of this context ran and how well: devices, their memory in use, and how
 * near a pass over the samples came to the limits of the machine. Empty after one on the processor.
 */
SPD_API const char *spd_context_ran_on(const spd_context *ctx);

/* How much GPUs have done for this context so far: fits, sets of distances, neighbours, kernels,
 * functions or eigenvalues, maps, and passes of means. 0: all of it ran on the processor. */
SPD_API size_t spd_context_device_calls(const spd_context *ctx);

/* Several processes that MPI has started, the ranks, and that work on one problem. After
 * spd_ranks_join every rank makes the same calls with the same arguments on the same data. The work
 * of spd_fit, spd_cost, spd_affinity, spd_nearest, spd_pairwise2, spd_mean, spd_congruence and
 * spd_check and the trials of spd_tune and spd_evaluate are dealt out, and every rank gets the
 * result, with the same bits as a process alone. Of a store of files a rank
 * may hold its share alone (spd_store_hold). A rank whose call fails alone must end the job
 * (spd_ranks_stop), since the others wait for it. */
typedef struct spd_ranks {
    size_t size;
    int rank, ranks;        /* 0 and 1 for a process alone */
    double bytes, messages; /* that this rank has sent */
    double seconds;         /* processor time that it took, with the waiting for others */
} spd_ranks;

/* Joins the processes of the job: MPI is started if it has not been. Called by all of them, by one
 * thread, for one context, which ends MPI when it is freed if it has started it. SPD_EDEVICE when
 * the module libspdml-mpi.so or MPI cannot be had; SPD_EINVAL, in all ranks, when one has another
 * version, instruction set or BLAS than rank 0. */
SPD_API spd_status spd_ranks_join(spd_context *ctx);
SPD_API void spd_ranks_about(const spd_context *ctx, spd_ranks *about);

/* text (room bytes) <- the MPI that ranks would be joined by, "Open MPI v4.1.4, ...". SPD_EDEVICE,
 * with a message, when there is none. Nothing is started. */
SPD_API spd_status spd_ranks_library(spd_context *ctx, size_t room, char *text);

/* Is something so in any rank? Called by all of them, at the same place. */
SPD_API int spd_ranks_any(spd_context *ctx, int here);

/* Non-zero: what is called from now on with this context is for this process alone, and the other
 * ranks need not call it; zero: work is shared again. */
SPD_API void spd_ranks_pause(spd_context *ctx, int alone);

/* Ends all processes of the job with that exit status; does nothing for a process alone. */
SPD_API void spd_ranks_stop(spd_context *ctx, int code);

/* About how much memory a call may use, in bytes: a fit chooses by it what it keeps of each sample,
 * and a search how much it holds at once. 0, the default: three quarters of the least of the
 * machine's memory, the limit of the control group, and ulimit. spd_context_memory says what holds
 * now. */
SPD_API void spd_context_set_memory(spd_context *ctx, double bytes);
SPD_API double spd_context_memory(const spd_context *ctx);

/* Progress callback, NULL for none; user is handed to it. */
SPD_API void spd_context_set_progress(spd_context *ctx, spd_progress_fn fn, void *user);

/* The error or remark of the last call with this context. Never NULL, valid until the next call. */
SPD_API const spd_error *spd_context_error(const spd_context *ctx);

/* "0.1.0" */
SPD_API const char *spd_version(void);

/* A short text for a status: "not positive definite". */
SPD_API const char *spd_status_text(spd_status status);

/* Instruction set of the kernels in use: "avx512", "avx2", "baseline". The environment variable
 * SPDML_ISA, read once, forces one of those that the machine has; any other value is passed over,
 * and spd_isa_check tells. */
SPD_API const char *spd_isa_name(void);

/* SPD_EINVAL, with a message that lists the words, if SPDML_ISA is set to anything but a set that
 * this machine has. */
SPD_API spd_status spd_isa_check(spd_context *ctx);

/* A library beneath ours. */
typedef struct spd_library {
    size_t size;
    char name[32];    /* "zlib" */
    char version[64]; /* as it says when it runs: "1.2.13"; as of the build if it does not say */
    char detail[192]; /* what it is for; OpenBLAS: how it was built, and its kernels in use */
} spd_library;

/* *library (started with SPD_INIT) <- number `index`, from 0, of the libraries that libspdml stands
 * on. Returns 0, and leaves it untouched, if there are not so many. */
SPD_API int spd_library_at(size_t index, spd_library *library);

/* ---- sets that need not lie in memory ------------------------------------------------------ */

/* A set of matrices as a function goes through it: in memory as float64 or float32, or in files
 * that are read piece by piece, ahead of the work. All arithmetic is in double; the same numbers
 * give the same bits wherever they lie. A store may be used by several calls at once. */
typedef struct spd_store spd_store;

/* How the matrices of files are repaired as they are read. */
typedef struct spd_store_options {
    size_t size;
    int symmetrize;    /* X <- (X + X')/2 */
    double regularize; /* adds this times tr(X)/n to the diagonal */
    double ridge;      /* adds this to the diagonal */
} spd_store_options;

/* *store (new, freed with spd_store_free) <- `count` .npy files one after the other, each with p x
 * n x n matrices of float64 or float32 in C order, alike in n and type; or of complex128 or
 * complex64, whose real forms (spd_complex_embed) the store then has. Headers are read and
 * checked now, matrices when they are needed, and never mapped: a file that shrinks or changes
 * meanwhile ends the call with SPD_EIO. options NULL means all zero. */
SPD_API spd_status spd_store_open(spd_context *ctx, size_t count, const char *const *paths,
                                  const spd_store_options *options, spd_store **store);

/* The same around X (p x n x n), which stays the caller's and must outlive the store. */
SPD_API spd_status spd_store_lend(spd_context *ctx, size_t n, size_t p, const double *X,
                                  spd_store **store);
SPD_API spd_status spd_store_lend_float(spd_context *ctx, size_t n, size_t p, const float *X,
                                        spd_store **store);

/* *store <- a copy of another in memory, as float64 or, as_float, rounded to float32: half the
 * memory and half the traffic of a pass. */
SPD_API spd_status spd_store_load(spd_context *ctx, const spd_store *from, int as_float,
                                  spd_store **store);

/* Reads the part of a store of files that this process works on, of several that share a fit
 * (spd_ranks_join); alone, all of it. The rest stays where it is. In every process. */
SPD_API spd_status spd_store_hold(spd_context *ctx, spd_store *store);
SPD_API void spd_store_free(spd_store *store);

/* Size and number of the matrices; bytes as they are stored. */
SPD_API size_t spd_store_n(const spd_store *store);
SPD_API size_t spd_store_p(const spd_store *store);
SPD_API double spd_store_bytes(const spd_store *store);

/* Are the matrices real forms of complex ones, which its files hold? */
SPD_API int spd_store_hermitian(const spd_store *store);

/* X (count x n x n) <- matrices first .. first+count-1. */
SPD_API spd_status spd_store_read(spd_context *ctx, const spd_store *store, size_t first,
                                  size_t count, double *X);

/* ---- batched linear algebra on sets of small matrices ------------------------------------- */

/* SPD_ENOTFINITE, SPD_ENOTSYM or SPD_ENOTSPD for the first bad matrix of the set, in this order
 * of tests; SPD_OK if all p are finite, symmetric to |x_ij - x_ji| <= tolerance * max|x|, and
 * positive definite. tolerance 0 means 1e-10; n, p >= 1.
 *
 * Positive definite means, here and wherever matrices are given to a function that needs them so,
 * that with D the diagonal of X the smallest eigenvalue of D^-1/2 X D^-1/2 is above (n + 16) 2^-52:
 * above what rounding makes of zero, in any units of the rows (docs/math.md). Real forms of complex
 * matrices are judged as they stand, with n their own. */
SPD_API spd_status spd_check(spd_context *ctx, size_t n, size_t p, const double *X,
                             double tolerance);
SPD_API spd_status spd_check_store(spd_context *ctx, const spd_store *store, double tolerance);

/* X_i <- (X_i + X_i')/2 */
SPD_API void spd_symmetrize(size_t n, size_t p, double *X);

/* X_i <- X_i + (relative tr(X_i)/n + ridge) I */
SPD_API void spd_regularize(size_t n, size_t p, double *X, double relative, double ridge);

/* L (p x n x n) <- lower Cholesky factors, upper triangles zero. SPD_ENOTSPD: first index. */
SPD_API spd_status spd_cholesky(spd_context *ctx, size_t n, size_t p, const double *X, double *L);

/* logdet (p) <- ln det X_i. */
SPD_API spd_status spd_logdet(spd_context *ctx, size_t n, size_t p, const double *X,
                              double *logdet);

/* Xinv (p x n x n) <- inverses of SPD matrices. Xinv may be X. */
SPD_API spd_status spd_inverse(spd_context *ctx, size_t n, size_t p, const double *X, double *Xinv);

/* lambda (p x n) <- eigenvalues ascending; V (p x n x n, or NULL) <- eigenvectors as columns:
 * X_i = V_i diag(lambda_i) V_i'. X symmetric, any signs. */
SPD_API spd_status spd_eigh(spd_context *ctx, size_t n, size_t p, const double *X, double *lambda,
                            double *V);

/* Generalised problem X_i v = lambda Y_i v, Y_i SPD; V_i' Y_i V_i = I. V may be NULL. */
SPD_API spd_status spd_eigh_general(spd_context *ctx, size_t n, size_t p, const double *X,
                                    const double *Y, double *lambda, double *V);

/* The map of a model, W = model->W, applied to matrices: S (p x m x m) <- W' X_i W for one W (n x
 * m). 1 <= m <= n. A GPU reads the upper triangles of X. */
SPD_API spd_status spd_congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                                  const double *W, double *S);
SPD_API spd_status spd_congruence_store(spd_context *ctx, const spd_store *store, size_t m,
                                        const double *W, double *S);

/* ---- complex Hermitian matrices -------------------------------------------------------------- */

/* A complex n x n matrix is a real one of size 2n, its real form: each entry a + bi becomes the
 * block [a -b; b a]. Sums, products, inverses, factors, functions, means and geodesics of real
 * forms are real forms again, a Hermitian positive definite matrix has a symmetric positive
 * definite one, and so every function of this library works on Hermitian matrices. Every eigenvalue
 * appears twice, so traces, log-determinants and, in all metrics, squared distances are twice those
 * of the Hermitian matrices (docs/math.md, eq. 22). */

/* X (p x 2r x 2c) <- the real forms of complex matrices Z (p x r x c, each entry its real and then
 * its imaginary part). */
SPD_API void spd_complex_embed(size_t rows, size_t columns, size_t p, const double *Z, double *X);

/* Z (p x r x c complex) <- the matrices whose real forms are nearest to X (p x 2r x 2c): the two
 * copies of each number, which rounding may have set apart, are averaged. Z may be X. */
SPD_API void spd_complex_extract(size_t rows, size_t columns, size_t p, const double *X, double *Z);

/* ---- geometry ------------------------------------------------------------------------------ */

typedef enum spd_metric {
    SPD_AIRM = 0,          /* affine-invariant: d2 = sum log^2 lambda(X,Y)                 (1) */
    SPD_STEIN,             /* d2 = ln det((X+Y)/2) - (ln det X + ln det Y)/2               (2) */
    SPD_LOG_EUCLIDEAN,     /* d2 = |log X - log Y|_F^2 */
    SPD_JEFFREY,           /* d2 = tr(X^-1 Y + Y^-1 X)/2 - n */
    SPD_BURES_WASSERSTEIN, /* d2 = tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2 */
    SPD_LOG_CHOLESKY,      /* d2 = |low(Lx) - low(Ly)|_F^2 + |log diag Lx - log diag Ly|^2 */
    SPD_EUCLIDEAN,         /* d2 = |X - Y|_F^2 */
    SPD_METRICS            /* how many there are */
} spd_metric;

/* "airm", "stein", ... */
SPD_API const char *spd_metric_name(spd_metric metric);

/* pyRiemann's names (riemann, logdet, logeuclid, kullback_sym, wasserstein, logchol, euclid) are
 * understood too. */
SPD_API spd_status spd_metric_parse(spd_context *ctx, const char *name, spd_metric *metric);

/* *d2 <- squared distance between two matrices. */
SPD_API spd_status spd_distance2(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                                 const double *Y, double *d2);

/* D2 (p x q) <- squared distances between the p matrices X and the q matrices Y. With Y NULL
 * (q is then ignored): within X, D2 is p x p, symmetric, with exact zeros on the diagonal. To
 * save memory D2 is filled in place: after SPD_ECANCELLED or SPD_ENUMERIC it is incomplete. */
SPD_API spd_status spd_pairwise2(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                                 const double *X, size_t q, const double *Y, double *D2);

/* How neighbours are looked for. */
typedef enum spd_search {
    SPD_SEARCH_EXACT = 0,
    SPD_SEARCH_APPROXIMATE, /* in almost linear time; most are found, and how many is estimated */
    SPD_SEARCH_AUTO         /* approximate where the exact search would take more than about a
                               minute, by the operations counted */
} spd_search;
SPD_API const char *spd_search_name(spd_search search); /* "exact", ... */
SPD_API spd_status spd_search_parse(spd_context *ctx, const char *name, spd_search *search);

/* A search for neighbours: what is wanted, and what was found. */
typedef struct spd_neighbours {
    size_t size;
    size_t k;          /* how many neighbours of each */
    int64_t *index;    /* q x k, the caller's */
    double *d2;        /* q x k, the caller's: squared distances */
    int brute;         /* compute every distance: slower, with the same result */
    double pairs;      /* found: pairs of a query and a sample */
    double exact;      /* found: distances computed in full; an approximate search may need more
                          than there are pairs, those of its estimate among them */
    double pruned;     /* found: 1 - exact/pairs, the share decided by lower bounds (eq. 9) */
    spd_search search; /* in: how; out: which it was, exact or approximate. Up to 200 queries Q are
                          always searched exactly: the estimate would take as long */
    uint64_t seed;     /* of an approximate search */
    double recall;     /* found: the share of the true neighbours among those returned, estimated on
                          200 queries drawn at random, or all if there are fewer; 1 for an exact
                          search */
} spd_neighbours;

/* The k nearest of the p matrices X to each of the q matrices Q, nearest first, ties by lower
 * index, are written to neighbours->index and d2. With Q NULL (q is then ignored): neighbours
 * within X, where a sample is not its own neighbour. Exact, unless `search` says otherwise; memory
 * O(p n^2 + p k), never p x q. The same bits for any number of threads. */
SPD_API spd_status spd_nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                               const double *X, size_t q, const double *Q,
                               spd_neighbours *neighbours);

/* The same in a store; queries NULL: within it. Where one of the two does not lie in memory as
 * float64, queries are held as far as memory goes, and all samples stream by: no pair is pruned. */
SPD_API spd_status spd_nearest_store(spd_context *ctx, spd_metric metric, const spd_store *store,
                                     const spd_store *queries, spd_neighbours *neighbours);

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
 * the metric. options may be NULL: all zero. A mean has converged when the residual is at most tol,
 * or no longer shrinks and is at a level that rounding explains, given the condition of the
 * matrices. SPD_NOT_CONVERGED leaves the last iterate in M. info may be NULL. */
SPD_API spd_status spd_mean(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                            const double *X, const spd_mean_options *options, double *M,
                            spd_mean_info *info);
SPD_API spd_status spd_mean_store(spd_context *ctx, spd_metric metric, const spd_store *store,
                                  const spd_mean_options *options, double *M, spd_mean_info *info);

/* G (n x n) <- the point at t on the geodesic from X (t = 0) to Y (t = 1). Stein and Jeffrey
 * share AIRM's geodesic. With Bures-Wasserstein and Euclidean, t outside [0,1] may leave the
 * cone: SPD_ENOTSPD. */
SPD_API spd_status spd_geodesic(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                                const double *Y, double t, double *G);

/* G (p x n x n) <- the points at t[i] on the geodesics from X_i to Y_i, p of each; t has p numbers,
 * or one for all when steps is 1. G may be X or Y. SPD_ENOTSPD and the like name the first at
 * fault. */
SPD_API spd_status spd_geodesics(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                                 const double *X, const double *Y, size_t steps, const double *t,
                                 double *G);

typedef enum spd_function {
    SPD_LOG = 0, /* SPD to symmetric */
    SPD_EXP,     /* symmetric to SPD */
    SPD_SQRT,
    SPD_INVSQRT,
    SPD_POWER /* X^power */
} spd_function;
SPD_API const char *spd_function_name(spd_function f); /* "log", "exp", ... */
SPD_API spd_status spd_function_parse(spd_context *ctx, const char *name, spd_function *f);

/* F (p x n x n) <- f(X_i) through eigenvalues. F may be X. power is used by SPD_POWER only. */
SPD_API spd_status spd_apply(spd_context *ctx, spd_function f, double power, size_t n, size_t p,
                             const double *X, double *F);

typedef enum spd_kernel_kind {
    SPD_KERNEL_STEIN = 0,    /* exp(-beta d2_stein) */
    SPD_KERNEL_LOG_EUCLIDEAN /* tr(log X log Y); beta ignored */
} spd_kernel_kind;
SPD_API const char *spd_kernel_name(spd_kernel_kind kind); /* "stein", "log-euclidean" */
SPD_API spd_status spd_kernel_parse(spd_context *ctx, const char *name, spd_kernel_kind *kind);

/* K (p x q; p x p with Y NULL) <- kernel values. SPD_NOT_DEFINITE (a remark) when beta is
 * outside {1/2, ..., (n-1)/2} and not above (n-1)/2 (eq. 10). K is filled in place as by
 * spd_pairwise2. */
SPD_API spd_status spd_kernel(spd_context *ctx, spd_kernel_kind kind, double beta, size_t n,
                              size_t p, const double *X, size_t q, const double *Y, double *K);

/* ---- sets on a GPU --------------------------------------------------------------------------- */

/* Where arrays lie: in the memory of a CUDA device, as cudaMalloc gives it (managed memory will
 * do). What they hold may still be on its way in `stream`, which is waited for; calls return when
 * their results are there. */
typedef struct spd_device {
    size_t size;
    int number;   /* of the device, as CUDA counts them */
    void *stream; /* a cudaStream_t; NULL: the default stream */
} spd_device;

/* As spd_pairwise2, spd_nearest, spd_apply, spd_kernel and spd_congruence (whose W stays on the
 * host), of matrices and results (in spd_neighbours too) that lie on the device `at` (NULL: number
 * 0, default stream), whatever the engine of the context: nothing is copied through the host. What
 * the GPU has no kernels for (other metrics, larger n or m, more neighbours), and sets with a
 * matrix that is not good, which is then named, are brought to the host, done there, and the
 * results taken back. Neighbours are searched exactly. After a failure the results may be
 * incomplete, except those of spd_device_apply and spd_device_congruence. SPD_EDEVICE where there
 * is no GPU or no CUDA module, SPD_EINVAL for memory that is not the device's. For one process
 * alone. */
SPD_API spd_status spd_device_pairwise2(spd_context *ctx, const spd_device *at, spd_metric metric,
                                        size_t n, size_t p, const double *X, size_t q,
                                        const double *Y, double *D2);
SPD_API spd_status spd_device_nearest(spd_context *ctx, const spd_device *at, spd_metric metric,
                                      size_t n, size_t p, const double *X, size_t q,
                                      const double *Q, spd_neighbours *neighbours);
SPD_API spd_status spd_device_apply(spd_context *ctx, const spd_device *at, spd_function f,
                                    double power, size_t n, size_t p, const double *X, double *F);
SPD_API spd_status spd_device_kernel(spd_context *ctx, const spd_device *at, spd_kernel_kind kind,
                                     double beta, size_t n, size_t p, const double *X, size_t q,
                                     const double *Y, double *K);
SPD_API spd_status spd_device_congruence(spd_context *ctx, const spd_device *at, size_t n, size_t m,
                                         size_t p, const double *X, const double *W, double *S);

/* As spd_mean, of matrices that lie on the device; options with the weights, M (n x n) and info are
 * on the host, as the steps between the passes over the matrices are. Other metrics than AIRM,
 * Stein, log-Euclidean, Jeffrey and Euclidean, larger n, and sets with a matrix that is not good
 * are brought to the host. */
SPD_API spd_status spd_device_mean(spd_context *ctx, const spd_device *at, spd_metric metric,
                                   size_t n, size_t p, const double *X,
                                   const spd_mean_options *options, double *M, spd_mean_info *info);

/* Are all matrices on the device finite and symmetric, as spd_check has it? Whether they are
 * positive definite is not looked at. */
SPD_API spd_status spd_device_check(spd_context *ctx, const spd_device *at, size_t n, size_t p,
                                    const double *X, double tolerance);

/* ---- arrays in files --------------------------------------------------------------------- */

typedef enum spd_type { SPD_FLOAT64 = 0, SPD_INT64, SPD_TEXT, SPD_COMPLEX128 } spd_type;
SPD_API const char *spd_type_name(spd_type type); /* "float64", "int64", "text", "complex128" */

#define SPD_MAX_DIMS 8

/* A named array, row-major. Exactly one of f64, i64, text is set, by type, if count > 0. Callers
 * may fill one in to have it written; it will not change. */
typedef struct spd_array {
    const char *name; /* variable name within its file, or NULL */
    spd_type type;
    size_t ndim;
    size_t shape[SPD_MAX_DIMS];
    size_t count; /* product of shape */
    double *f64;  /* of SPD_COMPLEX128 2 count numbers: real and imaginary part of each */
    int64_t *i64;
    const char **text; /* count pointers to UTF-8 */
} spd_array;

/* Frees an array that the library has handed out, with all that it points to; never one that the
 * caller has filled in, or that is a member of another struct. */
SPD_API void spd_array_free(spd_array *array);

/* Writes length bytes, a text of any kind, to path; the file appears atomically, or not at all. */
SPD_API spd_status spd_text_write(spd_context *ctx, const char *path, const char *text,
                                  size_t length);

/* ---- learning the map ----------------------------------------------------------------------- */

/* An unordered pair of samples, i != j, each pair at most once. The affinity is
 * A_ij = within - between (eq. 3); within pairs are drawn together, between pairs apart. It will
 * not change. */
typedef struct spd_pair {
    uint32_t i, j;
    double within, between; /* >= 0, at most 1e50 */
} spd_pair;

typedef enum spd_objective {
    SPD_DIFFERENCE = 0, /* sum of A_ij d2 (eq. 3) */
    SPD_RATIO,          /* ln Sw - ln Sb (eq. 14) */
    /* Of the next two the pairs are candidates: what counts is how near they are after the map, and
     * weights do not matter */
    SPD_LOG_MARGIN,    /* per sample, how much nearer its own class is than others (eq. 15) */
    SPD_SOFTMAX,       /* per sample, how likely a near neighbour is of its own class (eq. 16) */
    SPD_OBJECTIVE_AUTO /* SPD_SOFTMAX; SPD_DIFFERENCE in the paper's setting, where the graph does
                          not come from labels, and under the approximate log-Euclidean cost */
} spd_objective;

/* What a fit under SPD_LOG_EUCLIDEAN minimises. */
typedef enum spd_log_cost {
    SPD_LOG_COST_APPROXIMATE = 0, /* d2 = |W'(log X_i - log X_j)W|_F^2 in place of the distance
                                     between mapped matrices: an approximation of eq. 3 */
    SPD_LOG_COST_EXACT            /* d2 = |log(W'X_iW) - log(W'X_jW)|_F^2: eq. 3 itself */
} spd_log_cost;

typedef enum spd_graph {
    SPD_GRAPH_OR = 0,  /* a pair counts if either is a neighbour of the other */
    SPD_GRAPH_DIRECTED /* a one-sided pair counts half: what the authors' program does */
} spd_graph;

typedef enum spd_learning {
    SPD_SUPERVISED =
        0,            /* by labels; samples without one take part through the unsupervised graph */
    SPD_UNSUPERVISED, /* near pairs stay near, far pairs far; labels are not used */
    SPD_MAXIMAL_VARIANCE, /* maximises sum d2(S_i, W'MW), M the mean; labels are not used */
    SPD_OWN_GRAPH         /* by the pairs in the options */
} spd_learning;

typedef enum spd_init {
    SPD_INIT_IDENTITY = 0, /* first m columns of the identity: the paper */
    SPD_INIT_MEAN,         /* leading eigenvectors of the arithmetic mean */
    SPD_INIT_RANDOM,
    SPD_INIT_GIVEN, /* W in the options */
    SPD_INIT_CSP,   /* generalised eigenvectors of the class means, as the map -csp, of Jeffrey
                       means; needs labels */
    SPD_INIT_AUTO,  /* SPD_INIT_MEAN or, where its cost is lower, SPD_INIT_CSP; under AIRM
                       SPD_INIT_STEIN; in the paper's setting SPD_INIT_IDENTITY */
    SPD_INIT_STEIN  /* where a fit under Stein of the same graph ends: near, and sooner there; not
                       for SPD_MAXIMAL_VARIANCE */
} spd_init;

/* The basis in which W moves. The cost under Stein, AIRM and Jeffrey is the same in every basis,
 * but a step is not: X is seen as M^-1/2 X M^-1/2 (eq. 17). W is returned in the original one. */
typedef enum spd_coordinates {
    SPD_COORDINATES_AUTO = 0, /* whichever is the best for metric and objective, by measurement */
    SPD_COORDINATES_PLAIN,    /* M = I: the paper, and the only ones under log-Euclidean */
    SPD_COORDINATES_MEAN,     /* M the Jeffrey mean, which is near the AIRM mean */
    SPD_COORDINATES_HARMONIC, /* M the harmonic mean */
    SPD_COORDINATES_WITHIN    /* M between the arithmetic mean and the scatter within classes */
} spd_coordinates;

typedef enum spd_solver {
    SPD_POLAK_RIBIERE = 0, /* conjugate gradient, PR+ */
    SPD_HESTENES_STIEFEL,  /* HS+ */
    SPD_FLETCHER_REEVES,
    SPD_HAGER_ZHANG,
    SPD_LBFGS,
    SPD_SOLVER_AUTO /* SPD_LBFGS; in the paper's setting SPD_POLAK_RIBIERE */
} spd_solver;

typedef enum spd_transport { SPD_TRANSPORT_PARALLEL = 0, SPD_TRANSPORT_PROJECTION } spd_transport;

typedef enum spd_stop {
    /* Converged: tolerance, gradient and line search. F is the larger of |cost| and of what it has
     * fallen since the start. */
    SPD_STOP_TOLERANCE = 0, /* five iterations running lowered the cost by less than tol F each */
    SPD_STOP_GRADIENT,      /* gradient norm below gtol F, or zero */
    SPD_STOP_ITERATIONS,    /* max_iter */
    SPD_STOP_TIME,          /* max_time */
    SPD_STOP_LINE_SEARCH,   /* no step along the gradient lowers the cost any further */
    SPD_STOP_CANCELLED,     /* by the progress callback; the model is the best so far */
    SPD_STOP_INVARIANT      /* W cannot leave the subspaces of its start, which no sample mixes: the
                               paper's identity for block-diagonal X */
} spd_stop;

/* "tolerance", "gradient", ...; likewise for the enumerations above. */
SPD_API const char *spd_stop_name(spd_stop stop);
SPD_API const char *spd_solver_name(spd_solver solver);
SPD_API const char *spd_objective_name(spd_objective objective);
SPD_API const char *spd_log_cost_name(spd_log_cost cost);
SPD_API const char *spd_graph_name(spd_graph graph);
SPD_API const char *spd_learning_name(spd_learning learning);
SPD_API const char *spd_init_name(spd_init init);
SPD_API const char *spd_transport_name(spd_transport transport);
SPD_API const char *spd_coordinates_name(spd_coordinates coordinates);

/* A solver may also be given by its short form: pr, hs, fr, hz. */
SPD_API spd_status spd_stop_parse(spd_context *ctx, const char *name, spd_stop *stop);
SPD_API spd_status spd_solver_parse(spd_context *ctx, const char *name, spd_solver *solver);
SPD_API spd_status spd_objective_parse(spd_context *ctx, const char *name,
                                       spd_objective *objective);
SPD_API spd_status spd_log_cost_parse(spd_context *ctx, const char *name, spd_log_cost *cost);
SPD_API spd_status spd_graph_parse(spd_context *ctx, const char *name, spd_graph *graph);
SPD_API spd_status spd_learning_parse(spd_context *ctx, const char *name, spd_learning *learning);
SPD_API spd_status spd_init_parse(spd_context *ctx, const char *name, spd_init *init);
SPD_API spd_status spd_transport_parse(spd_context *ctx, const char *name,
                                       spd_transport *transport);
SPD_API spd_status spd_coordinates_parse(spd_context *ctx, const char *name,
                                         spd_coordinates *coordinates);

/* Options of a fit. spd_fit_defaults fills them, with objective, start, coordinates and solver left
 * to choose; zero in nu_w or nu_b means the default of the objective, which they never change. */
typedef struct spd_fit_options {
    size_t size;
    size_t m;          /* size of the small matrices, 1 <= m < n */
    spd_metric metric; /* SPD_STEIN, SPD_AIRM, SPD_JEFFREY or SPD_LOG_EUCLIDEAN (see log_cost) */
    spd_learning learning;
    spd_objective objective;
    size_t nu_w, nu_b; /* neighbours within and between classes. Defaults: SPD_DIFFERENCE the
                          smallest class size, and the smaller of nu_w and 3; SPD_RATIO 5 and 5;
                          SPD_LOG_MARGIN and SPD_SOFTMAX, whose candidates they are, all, of more
                          than 500 samples the nearest 30 and 60 */
    spd_graph graph;
    double affinity_weight; /* scales the between graph; 1 is the paper, 1e50 the most */
    size_t pairs;           /* SPD_OWN_GRAPH: the number of own_pairs */
    const spd_pair *own_pairs;
    spd_init init;   /* a start that descent could never leave, since no sample mixes the subspaces
                        that it lies in, is turned by a little; not the paper's identity */
    const double *W; /* SPD_INIT_GIVEN: n x m, full rank */
    int restarts;    /* number of starts (the first by init, others random); the best is kept */
    uint64_t seed;
    spd_solver solver;
    spd_transport transport;
    double tol;            /* 1e-4; 0 turns it off */
    double gtol;           /* 1e-6 */
    int max_iter;          /* 1000 */
    double max_time;       /* seconds, the graph and all starts together; 0: no limit */
    spd_log_cost log_cost; /* SPD_LOG_EUCLIDEAN: which cost; others do not use it. The approximate
                              one has no SPD_MAXIMAL_VARIANCE */
    spd_coordinates coordinates;
    int rebuild_graph; /* SPD_SUPERVISED: after the starts, the graph is built anew from W'XW, and
                          minimisation goes on from W, this many times at most, 0 to 100; it ends
                          when the graph no longer changes. max_iter is for each time */
    int paper; /* non-zero, the paper's setting: whatever is left to choose of objective, start,
                  coordinates and solver is the difference, the identity, the plain ones and
                  SPD_POLAK_RIBIERE. Methods are tuned over m and nu_b <= nu_w, and no map is a size
                  like the others. A fit on its own does not tune: its nu_b is the default */
    spd_search search; /* of the neighbours in the graph; on return, how they were found */
    double recall;     /* on return: the share of true neighbours among them, estimated */
    size_t candidates; /* look for the neighbours of a sample among so many samples only, the same
                          for all, drawn by the seed; 0: among all. With labels only */
    int hermitian;     /* non-zero: the matrices are real forms (spd_complex_embed), and so shall W
                          be: the map of complex n/2 x n/2 to m/2 x m/2 matrices. n and m are even,
                          and the cost is that of the Hermitian distances */
} spd_fit_options;
SPD_API void spd_fit_defaults(spd_fit_options *options, size_t size);

/* An objective and a solver that are left to choose <- those that a fit takes; start and
 * coordinates only in the paper's setting, since otherwise they depend on the data. */
SPD_API void spd_fit_usual(spd_fit_options *options);

/* One line of a fit's history; entry 0 is the start, and each further one without probes the start
 * of a round with a new graph. It will not change. */
typedef struct spd_fit_step {
    double cost, gradient_norm, step, seconds;
    int probes;
} spd_fit_step;

/* A learned map and how it came about: the best of the starts that the fit made. Made by the
 * library, may grow. */
typedef struct spd_model {
    size_t n, m;
    double *W;                      /* n x m, W'W = I */
    const spd_fit_options *options; /* objective, init, nu_w, nu_b and coordinates as used;
                                       own_pairs and W are NULL */
    size_t pairs_within, pairs_between;
    double cost_start, cost, gradient_norm; /* the last two at W, the gradient's in the
                                               coordinates of the fit */
    int iterations;
    size_t data_passes; /* of all starts together */
    spd_stop stop;
    double seconds_graph, seconds_fit; /* of all starts together */
    size_t steps;                      /* iterations + 1 + rounds */
    spd_fit_step *history;
    const char *version; /* of the library that made it */
    int starts; /* that were made: fewer than options->restarts if time ran out, or the fit was
                   cancelled; 0 if unknown */
    int rounds; /* how often the graph was built anew, and differed */
    size_t pairs_changed; /* by the last of these: pairs that came, went or weigh otherwise; 0 if
                             the last graph was the one before, so that the rounds ended there */
    int passes_each; /* over the data in an iteration: 1, or 2 where memory allowed no more than
                        O(m^2) numbers to be kept of each sample; 0 if unknown */
} spd_model;

/* How much lower the cost of a fit might have become: an estimate, from how the cost fell in the
 * last round, and not a bound. 0 if the gradient was nearly zero or no step lowered the cost; NaN
 * if it is not known: the history is too short, or the stop is SPD_STOP_INVARIANT. */
SPD_API double spd_model_gain(const spd_model *model);

/* The pairs of the affinity that options ask for: *pairs (new, freed with spd_pairs_free) and
 * *count, sorted by (i, j), with i < j. label (p) holds class numbers >= 0, or -1 if unknown; NULL
 * if not used. between is multiplied by options->affinity_weight, so A is complete. On return
 * options->nu_w, nu_b, search and recall hold the values used; a class with fewer samples gives
 * what it has. More than 256 neighbours of a sample, or fewer than 513 samples, are searched
 * exactly.
 *   SPD_SUPERVISED    nu_w nearest of the same class, nu_b nearest of other classes; a sample
 *                     without a label: its nu_w nearest of all as within pairs, and nu_b drawn by
 *                     the seed as between pairs. A near pair is never far.
 *   SPD_UNSUPERVISED  within: the nu_w nearest (default 5); between: nu_b samples (default nu_w)
 *                     drawn by the seed from those not among the nearest max(10, 2 nu_w), in sets
 *                     too small for that not among the nearest half. A near pair is never far.
 *   SPD_OWN_GRAPH     a checked copy of own_pairs.
 * SPD_MAXIMAL_VARIANCE has no such pairs: SPD_EINVAL. */
SPD_API spd_status spd_affinity(spd_context *ctx, size_t n, size_t p, const double *X,
                                const int *label, spd_fit_options *options, spd_pair **pairs,
                                size_t *count);
SPD_API spd_status spd_affinity_store(spd_context *ctx, const spd_store *store, const int *label,
                                      spd_fit_options *options, spd_pair **pairs, size_t *count);
SPD_API void spd_pairs_free(spd_pair *pairs);

/* Everything a fit needs in order to continue; opaque, and stored in checkpoints. */
typedef struct spd_fit_state spd_fit_state;

/* Called after each iteration with the state so far, which is valid during the call; a non-zero
 * return cancels. The first call comes as soon as the graph exists, with iteration 0. */
typedef int (*spd_fit_fn)(void *user, const spd_fit_state *state, const spd_fit_step *last,
                          int iteration);

/* What accompanies a fit in addition to its options. */
typedef struct spd_fit_watch {
    size_t size;
    const spd_fit_state *resume; /* the fit to continue, or NULL */
    spd_fit_fn after;            /* or NULL */
    void *user;                  /* handed to after */
} spd_fit_watch;

/* Learns the map from p SPD matrices X (n x n). *model is new, freed with spd_model_free. watch may
 * be NULL. A resumed fit needs the X, label and options of the fit that it continues, apart from
 * tolerances and limits; max_iter counts from the original start. The result is bit-identical to
 * that of an undisturbed fit. After SPD_ECANCELLED by the callback *model is set too: the best so
 * far. */
SPD_API spd_status spd_fit(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                           const spd_fit_options *options, const spd_fit_watch *watch,
                           spd_model **model);

/* The same of a store. Per iteration one pass over it, and O(n m) numbers are kept of each sample;
 * two passes and O(m^2) where these do not fit into the memory of the context. The model is the
 * same, bit for bit, wherever the matrices lie, as long as as much is kept of them. The approximate
 * log-Euclidean cost needs them in memory as float64. */
SPD_API spd_status spd_fit_store(spd_context *ctx, const spd_store *store, const int *label,
                                 const spd_fit_options *options, const spd_fit_watch *watch,
                                 spd_model **model);

/* spd_fit of matrices that lie on the device `at` (as in spd_device_pairwise2); the engine of the
 * context must be SPD_ENGINE_CUDA or SPD_ENGINE_AUTO, which a context of NULL is taken for. What
 * the processor does in a fit needs a copy on the host, made once by the call; the sums run on X
 * where it lies, also where the GPU has no room to keep it packed as well, and then packs it anew
 * for every pass (spd_context_ran_on says so). The model has the bits of a fit of the copy. */
SPD_API spd_status spd_device_fit(spd_context *ctx, const spd_device *at, size_t n, size_t p,
                                  const double *X, const int *label, const spd_fit_options *options,
                                  const spd_fit_watch *watch, spd_model **model);

/* *cost and gradient (n x m, or NULL) <- the objective at options->W (n x m, full rank) for
 * options->own_pairs: D_W L of eq. 4, not projected. Of the other options only metric, log_cost,
 * objective, m and pairs matter. */
SPD_API spd_status spd_cost(spd_context *ctx, size_t n, size_t p, const double *X,
                            const spd_fit_options *options, double *cost, double *gradient);

/* What a map looks at, row by row of the matrices: rows are features, channels or coordinates.
 * Every array is the caller's, or NULL where it is not wanted. */
typedef struct spd_explanation {
    size_t size;
    double *weight;  /* n: squares of the rows of W, orthonormal; in [0,1], their sum is m. What the
                        map multiplies: a row of noise may get weight to be subtracted elsewhere */
    double *carried; /* n: the part of the variance M_ii that the m components carry */
    double *kept;    /* n: carried as a share of M_ii, in [0,1] */
    double *pattern; /* n x m: M W (W'MW)^-1, how components of variance 1 appear in the rows; the
                        entry of largest magnitude of a column is positive */
    double *variance; /* m: of the components, descending: eigenvalues of W'MW, W orthonormal */
} spd_explanation;

/* The patterns of a map (eq. 21) from W (n x m, full rank) and M (n x n), the arithmetic mean of
 * the matrices that it is used on. Apart from patterns, which are those of the principal axes of
 * W'MW, nothing depends on the basis of W. M NULL: the identity, so that all there is are weights:
 * what W multiplies, not what it finds. */
SPD_API spd_status spd_explain(spd_context *ctx, size_t n, size_t m, const double *W,
                               const double *M, spd_explanation *explanation);

SPD_API void spd_model_free(spd_model *model);

/* A .spdml file is an .npz with W.npy, history.npy and meta.json; it appears atomically, or not at
 * all. Where options->hermitian is set, the file's W is complex, n/2 x m/2, and so are its n and m.
 * A loaded model is new, freed with spd_model_free. */
SPD_API spd_status spd_model_save(spd_context *ctx, const spd_model *model, const char *path);
SPD_API spd_status spd_model_load(spd_context *ctx, const char *path, spd_model **model);

/* The same in memory; *bytes is new, freed with spd_bytes_free. */
SPD_API spd_status spd_model_pack(spd_context *ctx, const spd_model *model, unsigned char **bytes,
                                  size_t *size);
SPD_API spd_status spd_model_unpack(spd_context *ctx, const unsigned char *bytes, size_t size,
                                    spd_model **model);

/* Checkpoints: a state with its options and its graph, in one file. A loaded state is new, freed
 * with spd_fit_state_free. */
SPD_API spd_status spd_fit_state_save(spd_context *ctx, const spd_fit_state *state,
                                      const char *path);
SPD_API spd_status spd_fit_state_load(spd_context *ctx, const char *path, spd_fit_state **state);
SPD_API void spd_fit_state_free(spd_fit_state *state);

/* *options (started with spd_fit_defaults) <- those of the fit; own_pairs points into the state, W
 * is NULL. */
SPD_API void spd_fit_state_options(const spd_fit_state *state, spd_fit_options *options);

/* The name of the first option that differs from the fit's, so that the fit cannot continue with
 * these; NULL if there is none. Tolerances and limits may differ. */
SPD_API const char *spd_fit_state_differs(const spd_fit_state *state,
                                          const spd_fit_options *options);

/* *model <- the best so far, as spd_fit would hand it over if it were cancelled here; new, freed
 * with spd_model_free. Its stop is SPD_STOP_CANCELLED unless it comes from a start that had ended.
 */
SPD_API spd_status spd_fit_state_model(spd_context *ctx, const spd_fit_state *state,
                                       spd_model **model);

/* What a file contains, found with as little reading as possible: everything that is neither a
 * model, a checkpoint nor a trained method counts as data. */
typedef enum spd_kind {
    SPD_KIND_DATA = 0,
    SPD_KIND_MODEL,
    SPD_KIND_CHECKPOINT,
    SPD_KIND_METHOD /* spd_classifier_save */
} spd_kind;
SPD_API spd_kind spd_file_kind(const char *path);
SPD_API const char *spd_kind_name(spd_kind kind); /* "data", "model", "checkpoint", "method" */

/* ---- recognition ---------------------------------------------------------------------------- */

/* What decides. Each is one file of src/classify. */
typedef enum spd_classifier_kind {
    SPD_NN = 0,     /* nn: class of the nearest training sample, ties by lower index */
    SPD_KNN,        /* knn: majority of the k nearest, ties by the class seen nearer */
    SPD_MDM,        /* mdm: nearest class mean */
    SPD_RSR,        /* rsr: sparse coding with the Stein kernel, smallest class residual */
    SPD_CDL,        /* cdl: log-Euclidean kernel, kernel partial least squares */
    SPD_CDL_LDA,    /* cdl-lda: the same kernel, kernel discriminant analysis, nearest neighbour */
    SPD_PGA,        /* pga: principal geodesic analysis at the mean, nearest neighbour */
    SPD_LLE,        /* riemannian-lle: transductive, as the next two */
    SPD_HLLE,       /* riemannian-hessian-lle */
    SPD_LAPLACIAN,  /* riemannian-laplacian */
    SPD_KSVM,       /* ksvm: support vectors on the Stein or log-Euclidean kernel */
    SPD_TS_LDA,     /* ts-lda: tangent space at the mean, shrinkage discriminant analysis */
    SPD_SRC,        /* src: sparse coding of vectors over PCA-reduced training vectors */
    SPD_GSRC,       /* gsrc: the same on Gabor magnitudes, with an occlusion dictionary */
    SPD_COV3DJ,     /* cov3dj: linear support vectors on upper triangles of unit length */
    SPD_CLASSIFIERS /* how many there are */
} spd_classifier_kind;

/* What is done to the matrices first: W'XW with an n x m W learned from the training part. */
typedef enum spd_map {
    SPD_MAP_NONE = 0,
    SPD_MAP_ML,     /* -ml: the learned map, spd_fit */
    SPD_MAP_RANDOM, /* -random: random orthonormal */
    SPD_MAP_MEAN,   /* -mean: leading eigenvectors of the mean in the method's metric */
    SPD_MAP_CSP,    /* -csp: generalised eigenvectors of the class means */
    SPD_MAP_PCA,    /* pca-: PCA of the features: leading eigenvectors of the covariance of all
                       observations together; without their means (spd_samples) of the pooled
                       covariance, the arithmetic mean of the matrices */
    SPD_MAP_MULTI,  /* -multi: learned maps to several sizes, and the matrix itself, side by side */
    SPD_MAPS        /* how many there are */
} spd_map;

/* The numbers that a method may have; each is fixed, tuned, or left at its default. */
typedef enum spd_parameter {
    SPD_PARAM_M = 0, /* m: size after the map; m = n is the identity */
    SPD_PARAM_NU_W,  /* nu-w, nu-b: neighbours of the learned map */
    SPD_PARAM_NU_B,
    SPD_PARAM_K,          /* k: neighbours of knn and of the embeddings */
    SPD_PARAM_BETA,       /* beta: of the Stein kernel; takes precedence over beta-scale */
    SPD_PARAM_BETA_SCALE, /* beta-scale: beta times the median squared distance of training */
    SPD_PARAM_LAMBDA,     /* lambda: weight of the l1 term */
    SPD_PARAM_COMPONENTS, /* components: of kernel partial least squares */
    SPD_PARAM_DIMENSIONS, /* dimensions: of pga, of the embeddings, of PCA in src and gsrc */
    SPD_PARAM_COST,       /* cost: C of the support vector machines */
    SPD_PARAM_OBJECTIVE,  /* objective: what the learned map minimises, a number of spd_objective */
    SPD_PARAMETERS        /* how many there are */
} spd_parameter;

#define SPD_PARAMETER_ROOM 32 /* length of arrays by spd_parameter, for now and later */

/* A method: "nn-stein-ml" is SPD_NN with SPD_STEIN after SPD_MAP_ML. */
typedef struct spd_method {
    size_t size;
    spd_classifier_kind classifier;
    spd_map map;
    spd_metric metric;                /* of neighbours, means and map; ksvm: which kernel */
    int normalize_kernel;             /* rsr: columns of K and every k to unit length */
    double value[SPD_PARAMETER_ROOM]; /* by spd_parameter; NaN: not fixed */
    const spd_fit_options *fit; /* of the learned map; NULL: defaults. m, metric, nu and, where it
                                   is fixed, the objective come from above. An objective other than
                                   SPD_OBJECTIVE_AUTO counts as fixed */
    int no_occlusion; /* gsrc: without the occlusion dictionary, for images that nothing covers */
} spd_method;

#define SPD_METHOD_NAME 64 /* room for a name, for now and later */

/* The method of a joined name: [pca-]CLASSIFIER[-METRIC][-ml|-random|-mean|-csp|-multi]; the
 * metric by any name that spd_metric_parse understands, or the classifier's usual one. method is
 * started with SPD_INIT; no value is fixed afterwards. SPD_EINVAL, with a message that lists what
 * there is, for other names. */
SPD_API spd_status spd_method_parse(spd_context *ctx, const char *name, spd_method *method);

/* name (SPD_METHOD_NAME) <- the joined name. */
SPD_API void spd_method_name(const spd_method *method, char *name);

/* "rsr", "ml", "nu-b", ... */
SPD_API const char *spd_classifier_name(spd_classifier_kind kind);
SPD_API spd_status spd_classifier_parse(spd_context *ctx, const char *name,
                                        spd_classifier_kind *kind);
SPD_API const char *spd_map_name(spd_map map);
SPD_API spd_status spd_map_parse(spd_context *ctx, const char *name, spd_map *map);
SPD_API const char *spd_parameter_name(spd_parameter parameter);
SPD_API spd_status spd_parameter_parse(spd_context *ctx, const char *name,
                                       spd_parameter *parameter);

/* Does the method have this parameter? Does it read vectors instead of matrices? */
SPD_API int spd_method_uses(const spd_method *method, spd_parameter parameter);
SPD_API int spd_method_on_vectors(const spd_method *method);

/* A set of samples as SPD matrices, as vectors, or both: what the method needs must be there. */
typedef struct spd_samples {
    size_t size;
    size_t p;
    size_t n;
    const double *X;      /* p x n x n SPD matrices, or NULL */
    size_t height, width; /* of the images in V; features are images of height 1 */
    const double *V;      /* p x (height * width), or NULL */
    size_t classes;
    const int *label; /* p class numbers 0 .. classes-1, some may be empty; NULL for queries */
    int hermitian;    /* non-zero: X are real forms of Hermitian matrices (spd_complex_embed); m,
                         beta and scores are then meant of these, of size n/2 */
    /* Of the observations whose covariances X are, for SPD_MAP_PCA; NULL where they are not known.
     * X may have several blocks of one size on its diagonal, each with observations of its own. */
    size_t blocks;                 /* 0 counts as 1 */
    const double *mean;            /* p x n: their means, block after block */
    const double *observations;    /* p x blocks: how many there are */
    const char *const *class_name; /* classes texts, or NULL; a trained method keeps them */
} spd_samples;

/* *subset <- copies of the `count` samples with the numbers index (count, each below p), in that
 * order: matrices, vectors, labels and names, as far as there are any. New, freed with
 * spd_samples_free. */
SPD_API spd_status spd_samples_subset(spd_context *ctx, const spd_samples *samples, size_t count,
                                      const size_t *index, spd_samples **subset);
SPD_API void spd_samples_free(spd_samples *subset);

/* A trained method. It owns what it needs: training samples and model may be freed or changed. It
 * is never changed after training: several threads may use it at once. */
typedef struct spd_classifier spd_classifier;

/* *classifier <- the method, trained; new, freed with spd_classifier_free. Values that are not
 * fixed take their defaults. model (or NULL) is used as the map, in place of what the method says.
 * SPD_NOT_DEFINITE and SPD_NOT_CONVERGED are remarks. */
SPD_API spd_status spd_classifier_fit(spd_context *ctx, const spd_method *method,
                                      const spd_samples *train, const spd_model *model,
                                      spd_classifier **classifier);

/* label (queries->p) <- class numbers. */
SPD_API spd_status spd_classifier_predict(spd_context *ctx, const spd_classifier *classifier,
                                          const spd_samples *queries, int *label);

/* The same with what decides: score (queries->p x classes) <- a number for each class, distances,
 * residuals, votes or margins as spd_classifier_look says; NaN for a class without samples. label
 * may be NULL. It has the best score, ties and rounding aside. */
SPD_API spd_status spd_classifier_scores(spd_context *ctx, const spd_classifier *classifier,
                                         const spd_samples *queries, int *label, double *score);

/* The method with every value it uses; its fit is NULL. It belongs to the classifier. */
SPD_API const spd_method *spd_classifier_method(const spd_classifier *classifier);

/* The map that it has learned (SPD_MAP_ML), with the history of its fit; it belongs to the
 * classifier. NULL if there is none: another map, m = n, or a model given to spd_classifier_fit. */
SPD_API const spd_model *spd_classifier_model(const spd_classifier *classifier);
SPD_API void spd_classifier_free(spd_classifier *classifier);

/* What a trained method holds of the samples it was trained with. */
typedef enum spd_holding {
    SPD_HOLDS_NONE = 0, /* nothing of single samples: means, axes, discriminants */
    SPD_HOLDS_VECTORS,  /* their coordinates on a few axes */
    SPD_HOLDS_SAMPLES   /* matrices, after the map: all, or the support vectors */
} spd_holding;
SPD_API const char *spd_holding_name(spd_holding holding); /* "none", "vectors", "samples" */

typedef struct spd_classifier_facts {
    size_t size;
    size_t n, m;          /* of matrices, before and after the map */
    size_t height, width; /* of vectors, for methods that read them */
    size_t classes;
    size_t trained; /* samples that it was trained with */
    spd_holding holding;
    size_t held;       /* how many samples that is about */
    const char *score; /* what spd_classifier_scores gives, in words */
    int score_falls;   /* non-zero: the smaller a score, the better; else the larger */
    int hermitian;     /* matrices are real forms of Hermitian ones, as in spd_samples */
} spd_classifier_facts;
SPD_API spd_status spd_classifier_look(spd_context *ctx, const spd_classifier *classifier,
                                       spd_classifier_facts *facts);

/* S (p x m x m) <- the p matrices X (n x n) after the method's map; m as spd_classifier_look says.
 */
SPD_API spd_status spd_classifier_map(spd_context *ctx, const spd_classifier *classifier, size_t n,
                                      size_t p, const double *X, double *S);

/* The W (n x m, W'W = I) of its map; it belongs to the classifier. NULL where there is not one W:
 * no map, m = n, SPD_MAP_MULTI, and methods on vectors. */
SPD_API const double *spd_classifier_weights(const spd_classifier *classifier);

/* The samples that it was trained with, after the map, with their labels; NULL if it does not hold
 * all of them. They belong to the classifier. */
SPD_API const spd_samples *spd_classifier_held(const spd_classifier *classifier);

/* *other <- the same method with the same values behind a copy of the same map, trained on samples
 * that are mapped already, held ones and those of spd_classifier_map; new, freed with
 * spd_classifier_free. */
SPD_API spd_status spd_classifier_behind(spd_context *ctx, const spd_classifier *classifier,
                                         const spd_samples *mapped, spd_classifier **other);

/* What a trained method is told about its data and its tuning, so that its file says so. */
typedef struct spd_notes {
    size_t size;
    size_t classes;                /* of class_name, those of training; 0: they have no names */
    const char *const *class_name; /* or NULL */
    spd_type label_type;           /* what the labels were */
    const char *made;              /* how the matrices were made, JSON text, as in spd_data's meta;
                                      NULL: unknown */
    size_t settings;               /* as in spd_tuned; 0: it was not tuned */
    int folds;
    double accuracy, accuracy_no_map; /* NaN: unknown */
    const char *version; /* of the library that has written the file; set by loading alone */
    int unnamed;         /* non-zero: class_name are the numbers 0, 1, ..: the file has no names, so
                            other labels cannot be compared; set by loading alone */
} spd_notes;

/* Copies the notes to the classifier; not while others use it. spd_classifier_fit has noted the
 * class_name of its samples; they stay if the notes have none. */
SPD_API spd_status spd_classifier_note(spd_context *ctx, spd_classifier *classifier,
                                       const spd_notes *notes);

/* They belong to the classifier. */
SPD_API const spd_notes *spd_classifier_notes(const spd_classifier *classifier);

/* A trained method as a .spdml file: map, values, classes, notes and what it holds of its training
 * samples. Without class_name in samples or notes, classes are numbers there. It appears
 * atomically, or not at all. Loaded, it predicts the same, bit for bit; it is new, freed with
 * spd_classifier_free. */
SPD_API spd_status spd_classifier_save(spd_context *ctx, const spd_classifier *classifier,
                                       const char *path);
SPD_API spd_status spd_classifier_load(spd_context *ctx, const char *path,
                                       spd_classifier **classifier);

/* The same in memory; *bytes is new, freed with spd_bytes_free. */
SPD_API spd_status spd_classifier_pack(spd_context *ctx, const spd_classifier *classifier,
                                       unsigned char **bytes, size_t *size);
SPD_API spd_status spd_classifier_unpack(spd_context *ctx, const unsigned char *bytes, size_t size,
                                         spd_classifier **classifier);
SPD_API void spd_bytes_free(unsigned char *bytes);

/* Values that cross-validation tries. It will not change: it has room for further parameters. */
typedef struct spd_grid {
    size_t count[SPD_PARAMETER_ROOM]; /* by spd_parameter; 0: the method's own grid */
    const double *value[SPD_PARAMETER_ROOM];
} spd_grid;

typedef struct spd_tuning {
    size_t size;
    int folds; /* at most; fewer if a class has fewer samples, or if there are fewer groups */
    const int *group; /* p numbers >= 0: samples of one group share a fold; NULL: no groups */
    uint64_t seed;
    const spd_grid *grid; /* NULL: the method's own grid */
    int exhaustive;       /* non-zero: every map setting in every fold, fitted as finely as the
                             final map, about ten times slower; 0: a race, below */
} spd_tuning;

typedef struct spd_tuned {
    size_t size;
    size_t settings; /* how many combinations were tried; 1 if there was nothing to tune */
    int folds;       /* as used */
    double accuracy; /* of the chosen one, over the folds; NaN if there was nothing to tune */
    double seconds;
    double accuracy_no_map; /* of the best setting without a learned map; NaN if none was tried */
    size_t fits;            /* of learned maps that were made */
    size_t iterations;      /* of all these fits */
} spd_tuned;

/* Fixes the values of the method that are not fixed yet and have a grid, by cross-validation within
 * the training samples; those without a grid stay NaN, which means their default. The setting that
 * gets most samples right over all folds wins; ties go to the best mean over the setting and those
 * one step away in the grid, then to the smaller m, then to the smaller nu_b. A learned map must
 * beat no map (m = n, in the method's own grid) by more than one standard error of the difference
 * over the tested samples, b + c - (b - c)^2 / N for b and c samples that one of the two alone gets
 * right; otherwise m = n is chosen. A setting that fails is left out; if all fail, the first
 * failure is returned.
 *
 * Learned maps are raced, unless `exhaustive` says otherwise: folds are tested one after the other,
 * and between them m, nu and objectives leave that are clearly behind the best, or behind no map
 * (McNemar's statistic over the samples tested so far above 1.5 and 1), and all but the best half
 * of them, then quarter and so on, down to two; no map stays. Maps to choose by are fitted with at
 * most 15 to 40 iterations and a tolerance of 1e-3, those of AIRM from the map that Stein gives.
 * The choice does not depend on the number of threads.
 *
 * Folds are stratified by class; groups, if there are any, stay whole. tuned
 * may be NULL. */
SPD_API spd_status spd_tune(spd_context *ctx, spd_method *method, const spd_samples *train,
                            const spd_tuning *tuning, spd_tuned *tuned);

/* The same for several methods behind one map (map, metric, fit and what is fixed of m, nu-w, nu-b
 * and objective must agree): the map is fitted once for all of them. Each chooses what it would
 * alone. tuned (count, or NULL): the seconds are shared evenly. */
SPD_API spd_status spd_tune_together(spd_context *ctx, size_t count, spd_method *const *method,
                                     const spd_samples *train, const spd_tuning *tuning,
                                     spd_tuned *const *tuned);

/* train (p) <- 1 for training, 0 for test, each class split by itself: per_class samples of each
 * if it is not 0, else the fraction, rounded, at least 1 and never a whole class. Different
 * repeats of one seed are different splits. */
SPD_API spd_status spd_split(spd_context *ctx, size_t p, const int *label, double fraction,
                             size_t per_class, uint64_t seed, size_t repeat, char *train);

/* How good p predictions are: accuracy, balanced accuracy (the mean of the accuracies of the
 * classes that occur), and confusion (classes x classes, or NULL), with the true classes in rows.
 */
typedef struct spd_score {
    size_t size;
    size_t total, correct;
    double accuracy, balanced;
    double kappa;    /* Cohen's: (a - e) / (1 - e), a the accuracy and e what it would be by chance
                        with the same counts; NaN where e is 1, a single class */
    double macro_f1; /* mean of 2 tp / (2 tp + fp + fn) over the classes that occur or are
                        predicted */
} spd_score;
SPD_API spd_status spd_score_predictions(spd_context *ctx, size_t p, size_t classes,
                                         const int *truth, const int *predicted, spd_score *score,
                                         int64_t *confusion);

/* *auc <- the area under the ROC curve, one class against the rest, as the mean over the classes
 * that some but not all samples have. A sample is ranked by how much its score of the class is
 * better than its best score of another class; ties count half. score: p x classes, as of
 * spd_classifier_scores; falls: whether smaller is better. NaN scores are the worst. NaN where all
 * samples are of one class. */
SPD_API spd_status spd_auc(spd_context *ctx, size_t p, size_t classes, const int *truth,
                           const double *score, int falls, double *auc);

/* McNemar's exact two-sided test that two methods err equally often on the same samples. */
typedef struct spd_mcnemar_result {
    size_t size;
    size_t only_first, only_second; /* samples that only one of them got right */
    double p_value;
} spd_mcnemar_result;
SPD_API spd_status spd_mcnemar(spd_context *ctx, size_t p, const int *truth, const int *first,
                               const int *second, spd_mcnemar_result *result);

/* Wilcoxon's signed rank test, two-sided, that the differences first - second of paired numbers
 * are symmetric around 0. Differences of 0, up to rounding, are left out; equal ones share their
 * ranks. Exact for up to 200 differences, also with ties; beyond, by the normal distribution. */
typedef struct spd_wilcoxon_result {
    size_t size;
    size_t used;        /* differences that are not 0 */
    double plus, minus; /* sums of ranks of positive and of negative differences */
    double p_value;     /* 1 where none is used */
} spd_wilcoxon_result;
SPD_API spd_status spd_wilcoxon(spd_context *ctx, size_t count, const double *first,
                                const double *second, spd_wilcoxon_result *result);

/* adjusted (count) <- the p values of several tests, so corrected that the chance of any false
 * alarm is kept (Holm): the k-th smallest times count - k + 1, never below a smaller one's, at most
 * 1. NaN stays, and is not counted. adjusted may be p_value. */
SPD_API spd_status spd_holm(spd_context *ctx, size_t count, const double *p_value,
                            double *adjusted);

/* ---- methods compared under a protocol ------------------------------------------------------ */

/* Which samples train and which are tested. */
typedef enum spd_protocol {
    SPD_PROTOCOL_SPLITS = 0, /* random splits, each class by itself; a round each */
    SPD_PROTOCOL_GIVEN,      /* one round: the samples that the options name */
    SPD_PROTOCOL_LEAVE_OUT,  /* a round for each group: it is tested, all others train */
    SPD_PROTOCOL_FOLDS       /* samples are dealt out to folds, stratified by class or in whole
                                groups; a round for each fold: it is tested, all others train */
} spd_protocol;
SPD_API const char *spd_protocol_name(spd_protocol protocol);
SPD_API spd_status spd_protocol_parse(spd_context *ctx, const char *name, spd_protocol *protocol);

/* Whether the folds of tuning keep the samples of a group together. */
typedef enum spd_fold_rule {
    SPD_FOLDS_IF_SHARED = 0, /* if at least half of the training samples of the first round have a
                                class that occurs in several groups; otherwise folds would test
                                classes that they have never seen */
    SPD_FOLDS_GROUPED,       /* always */
    SPD_FOLDS_SINGLE         /* never */
} spd_fold_rule;
SPD_API const char *spd_fold_rule_name(spd_fold_rule rule);
SPD_API spd_status spd_fold_rule_parse(spd_context *ctx, const char *name, spd_fold_rule *rule);

typedef struct spd_evaluation spd_evaluation;

/* Called before each round with method SPD_NO_INDEX, and after each method of a round; `so_far` is
 * complete up to there, and valid during the call. A non-zero return cancels. */
typedef int (*spd_evaluate_fn)(void *user, const spd_evaluation *so_far, size_t round,
                               size_t method);

/* Filled by spd_evaluate_defaults; the caller then sets the methods and what the protocol needs. */
typedef struct spd_evaluate_options {
    size_t size;
    size_t methods;
    const spd_method *const *method; /* as many; values that are not fixed are tuned */
    spd_protocol protocol;
    size_t repeats;           /* SPLITS: how many; FOLDS: how often they are dealt anew; 10 */
    double fraction;          /* SPLITS: share of each class that trains; 0.5 */
    size_t per_class;         /* SPLITS: number of each class that trains; 0: by the fraction */
    const char *train, *test; /* GIVEN: p flags each, not both for one sample; one may be NULL:
                                 it is then what the other leaves */
    const int *group;         /* LEAVE_OUT: p numbers >= 0; FOLDS: the same, or NULL: no groups */
    int folds;                /* of tuning, within the training part; 5 */
    spd_fold_rule fold_rule;
    const int *fold_group; /* p numbers >= 0; NULL: LEAVE_OUT's and FOLDS' group, else none */
    const spd_grid *grid;  /* what tuning tries; NULL: the methods' own */
    uint64_t seed;         /* of splits and folds; 1 */
    spd_evaluate_fn after; /* or NULL */
    void *user;
    int exhaustive;  /* as in spd_tuning */
    int outer_folds; /* FOLDS: how many; 5 */
    int auc;         /* non-zero: also the areas under ROC curves; scores of all classes may take
                        longer than predictions, and are not in test_seconds */
} spd_evaluate_options;
SPD_API void spd_evaluate_defaults(spd_evaluate_options *options, size_t size);

/* What follows is made by the library, and may grow. */

typedef struct spd_round {
    int group; /* the one left out; -1 under the other protocols */
    size_t train_count, test_count;
    size_t *train, *test; /* numbers of samples, ascending */
} spd_round;

/* One method in one round. */
typedef struct spd_outcome {
    double value[SPD_PARAMETER_ROOM]; /* as used; NaN if there is none */
    size_t correct;                   /* of the round's test samples */
    double accuracy, balanced;        /* as in spd_score */
    size_t settings;                  /* tuning, as in spd_tuned */
    int folds;
    double cv_accuracy;
    double tune_seconds, fit_seconds, test_seconds;
    int *predicted;            /* a class for each test sample of the round */
    spd_model *model;          /* the learned map, of the first round only; NULL if there is none */
    double cv_accuracy_no_map; /* tuning, as in spd_tuned */
    size_t tune_fits, tune_iterations; /* fits and iterations of spd_tuned */
    double kappa, macro_f1;            /* as in spd_score */
    double auc;                        /* as of spd_auc; NaN if it was not asked for */
} spd_outcome;

/* One method over all rounds: means, and standard deviations, which are 0 for a single round. */
typedef struct spd_method_result {
    char name[SPD_METHOD_NAME];
    double accuracy, accuracy_deviation;
    double balanced, balanced_deviation;
    double tune_seconds, fit_seconds, test_seconds;
    int64_t *confusion;    /* classes x classes, true classes in rows, summed over the rounds */
    double *p_value;       /* methods: McNemar's test against each method; 1 against itself */
    spd_outcome **outcome; /* rounds */
    double kappa, kappa_deviation; /* over the rounds that have one; NaN if none has, so below */
    double macro_f1, macro_f1_deviation;
    double auc, auc_deviation;
} spd_method_result;

/* What the accuracies do not tell. */
typedef enum spd_remark_kind {
    SPD_REMARK_SINGLES = 0, /* `count` classes, `label` the first, have one sample: it trains and is
                               never tested */
    SPD_REMARK_ONE_CLASS,   /* all test samples of all rounds are of class `label` */
    SPD_REMARK_POOR_ROUNDS, /* `count` of `total` rounds test one class only: `label` in `round`,
                               the first */
    SPD_REMARK_UNSEEN, /* `count` of `total` test samples of `round` are of classes, as `label`,
                          without training samples: they can only be missed */
    SPD_REMARK_POOLED  /* SPD_MAP_PCA of a method, but the samples have no means: it takes the
                          pooled covariance */
} spd_remark_kind;
SPD_API const char *spd_remark_name(spd_remark_kind kind);
typedef struct spd_remark {
    spd_remark_kind kind;
    size_t round, count, total;
    int label;
} spd_remark;

struct spd_evaluation {
    size_t rounds, methods, classes;
    spd_round **round;          /* rounds */
    spd_method_result **method; /* methods */
    int repeats_samples; /* samples may be tested in several rounds: p values are then medians over
                            the rounds; otherwise all rounds are tested together */
    int folds_grouped;   /* whether folds kept groups together */
    int least_folds, most_folds; /* that tuning used; 0 if there was nothing to tune */
    size_t remarks;
    spd_remark **remark; /* remarks, in the order of the rounds */
};

/* Every method through every round: tuned within the training part, trained, tested, scored. Labels
 * of test samples are used for the score only. Methods that share a learned map are tuned together.
 * *evaluation is new, freed with spd_evaluation_free; it is untouched after SPD_ECANCELLED and
 * other failures. */
SPD_API spd_status spd_evaluate(spd_context *ctx, const spd_samples *samples,
                                const spd_evaluate_options *options, spd_evaluation **evaluation);
SPD_API void spd_evaluation_free(spd_evaluation *evaluation);

/* Y (p x n x n) <- M_g^-1/2 X_i M_g^-1/2, M_g the metric's mean of the group of i (p numbers >= 0):
 * every group is moved to the identity. Y may be X. */
SPD_API spd_status spd_recenter(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                                const double *X, const int *group, double *Y);

/* Coordinates of samples in a few dimensions, for plots and as input for other methods. */
typedef enum spd_embedding {
    SPD_EMBED_LLE = 0,     /* lle: Riemannian locally linear embedding (Goh and Vidal 2008) */
    SPD_EMBED_HESSIAN_LLE, /* hessian-lle: the same with Hessians; needs k >= 1 + d + d(d+1)/2 */
    SPD_EMBED_LAPLACIAN,   /* laplacian: Laplacian eigenmaps, weights exp(-d2/t) */
    SPD_EMBED_PGA,         /* pga: principal axes of the tangent space at the mean */
    SPD_EMBED_MDS,         /* mds: classical scaling of the distances */
    SPD_EMBED_TSNE,        /* tsne: t-SNE of the distances (van der Maaten and Hinton 2008), at most
                              3 dimensions */
    SPD_EMBEDDINGS         /* how many there are */
} spd_embedding;

/* "lle", "hessian-lle", ... */
SPD_API const char *spd_embedding_name(spd_embedding kind);
SPD_API spd_status spd_embedding_parse(spd_context *ctx, const char *name, spd_embedding *kind);

typedef struct spd_embed_options {
    size_t size;
    spd_embedding kind;
    spd_metric metric; /* lle and hessian-lle need log maps: SPD_AIRM and the flat metrics, which
                          are SPD_LOG_EUCLIDEAN, SPD_LOG_CHOLESKY and SPD_EUCLIDEAN */
    size_t k;          /* neighbours, 1 .. p-1; not used by pga, mds and tsne */
    size_t dimensions; /* d, 1 .. p-1 */
    double ridge;      /* lle: this times tr(G) is added to a neighbourhood's G; 0 means 1e-3 */
    double bandwidth;  /* laplacian: t; 0 means the mean d2 of all neighbours */
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
    double explained;  /* pga, mds: share of the variance that Y holds, in [0,1]; others: NaN */
    double bandwidth;  /* laplacian: t as used; others: NaN */
    double divergence; /* tsne: Kullback-Leibler, as far as theta tells; others: NaN */
    double perplexity; /* tsne: as used; others: NaN */
    double theta;      /* tsne: as used, 0 for all pairs; others: NaN */
    size_t iterations; /* tsne: that were made; others: 0 */
} spd_embed_info;

/* Y (p x d) <- coordinates; eigenvalue (d, or NULL) <- the eigenvalues of its columns: the smallest
 * above zero, ascending (lle, hessian-lle, laplacian), or the largest, descending (pga, mds). In
 * every column the entry of largest magnitude is positive. Columns have mean square 1 (lle,
 * hessian-lle; laplacian: weighted by degrees), or their eigenvalue as sum of squares (pga, mds). A
 * graph of neighbours that is not connected is refused, and with lle one in which several groups
 * have all their neighbours among themselves: SPD_EINVAL. Under tsne there are no eigenvalues
 * (NaN), and columns have mean 0. info may be NULL. */
SPD_API spd_status spd_embed(spd_context *ctx, const spd_embed_options *options, size_t n, size_t p,
                             const double *X, double *Y, double *eigenvalue, spd_embed_info *info);

/* ---- covariance matrices of observations ------------------------------------------------- */

typedef enum spd_shrinkage {
    SPD_SHRINK_NONE = 0,
    SPD_SHRINK_OAS,
    SPD_SHRINK_LEDOIT_WOLF,
    SPD_SHRINK_VALUE,
    SPD_SHRINKAGES /* how many there are */
} spd_shrinkage;

/* "none", "oas", "ledoit-wolf", "value" */
SPD_API const char *spd_shrinkage_name(spd_shrinkage shrinkage);
SPD_API spd_status spd_shrinkage_parse(spd_context *ctx, const char *name,
                                       spd_shrinkage *shrinkage);

/* From observations to a covariance matrix. All zero: the plain covariance, 1/(r-1). It is
 * embedded in other options, so it has a fixed length in place of `size`: new members will be taken
 * from `reserved`. */
typedef struct spd_covariance_options {
    spd_shrinkage shrinkage;
    double shrink;      /* SPD_SHRINK_VALUE: rho in [0, 1] */
    double regularize;  /* adds this times tr(C)/n to the diagonal; < 0: the descriptor's default */
    size_t m;           /* with W (n x m): observations are projected first (eq. 12), C is m x m */
    const double *W;    /* NULL: no projection */
    size_t n;           /* rows of W, checked against the observations; 0: not checked */
    double reserved[8]; /* 0 */
} spd_covariance_options;

/* C (n x n; m x m with W) <- covariance of the r observations in the rows of O (r x n), shrunk,
 * then regularised. Shrinkage works on the 1/r version, as its authors do. Stable if means are
 * far larger than deviations. SPD_EINVAL with remedies if r - 1 is below the size of C and the
 * options do not repair that. options NULL means all zero. */
SPD_API spd_status spd_covariance(spd_context *ctx, size_t r, size_t n, const double *O,
                                  const spd_covariance_options *options, double *C);

/* C (p x n x n) <- covariances of p recordings of n channels and r times each, O (p x n x r): the
 * observations are the columns. options->W must be NULL. The first recording at fault is named. */
SPD_API spd_status spd_covariances(spd_context *ctx, size_t p, size_t n, size_t r, const double *O,
                                   const spd_covariance_options *options, double *C);

#ifdef __cplusplus
}
#endif
#endif
