/* spdml/base.h - status codes, errors, contexts, engines, processes, and the words of enumerations.
 * spdml.h explains the conventions of all headers. */
#ifndef SPDML_BASE_H
#define SPDML_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
template <typename type> inline type spd_struct_of()
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

/* spd_mean_info info = SPD_STRUCT(spd_mean_info); */
#ifdef __cplusplus
#define SPD_STRUCT(type) spd_struct_of<type>()
#else
#define SPD_STRUCT(type)                                                                           \
    {                                                                                              \
        .size = sizeof(type)                                                                       \
    }
#endif

#define SPD_VERSION_MAJOR 0
#define SPD_VERSION_MINOR 1
#define SPD_VERSION_PATCH 0

/* ---- status, errors, context ----------------------------------------------------------------- */

typedef enum spd_status {
    SPD_OK = 0,
    SPD_NOT_CONVERGED = 1, /* iteration limit reached; the result is the last iterate */
    SPD_NOT_DEFINITE = 2,  /* kernel computed, but not positive definite for all data (eq. 10) */
    SPD_ENOMEM = -1,       /* out of memory */
    SPD_EINVAL = -2,       /* an argument is out of range or has the wrong shape */
    SPD_ENOTSPD = -3,      /* a matrix is not positive definite, as defined at spd_check */
    SPD_ENOTSYM = -4,      /* a matrix is not symmetric */
    SPD_ENOTFINITE = -5,   /* a matrix contains NaN or Inf */
    SPD_EIO = -6,          /* the operating system failed to read or write */
    SPD_EFORMAT = -7,      /* a file is damaged or not in the expected format */
    SPD_ECANCELLED = -8,   /* the progress callback asked to stop */
    SPD_ENUMERIC = -9,     /* an iteration broke down (eigenvalues did not converge) */
    SPD_EDEVICE = -10      /* the requested engine is not available or failed */
} spd_status;

#define SPD_NO_INDEX SIZE_MAX

/* Remedies for a failure. Each front end words them in its own terms: an option of the command, an
 * argument of a Python function. */
typedef enum spd_remedy {
    SPD_REMEDY_NONE = 0,
    SPD_REMEDY_REGULARIZE = 1 << 0, /* add remedy_value tr(X)/n to the diagonal; above 0.5 the
                                       matrix is so far from definite that it may not be a
                                       covariance */
    SPD_REMEDY_REMOVE = 1 << 1,     /* it is not a covariance: remove it */
    SPD_REMEDY_SYMMETRIZE = 1 << 2,
    SPD_REMEDY_SHRINK = 1 << 3,         /* shrink the covariance, with oas */
    SPD_REMEDY_PROJECT = 1 << 4,        /* project the observations with a model's map */
    SPD_REMEDY_CHANNELS_FIRST = 1 << 5, /* if rows are channels, say so */
    SPD_REMEDY_WINDOW = 1 << 6,         /* give the length of the window */
    SPD_REMEDY_SIZE = 1 << 7,           /* give the size of the images */
    SPD_REMEDY_SIFT_STEP = 1 << 8,      /* use a larger step */
    SPD_REMEDY_NO_COLOR = 1 << 9,
    SPD_REMEDY_REGIONS = 1 << 10,     /* choose other regions */
    SPD_REMEDY_NAME_X = 1 << 11,      /* name the array of matrices */
    SPD_REMEDY_NAME_Y = 1 << 12,      /* name the labels */
    SPD_REMEDY_LABELS = 1 << 13,      /* pass the file as a file of labels */
    SPD_REMEDY_SKELETON = 1 << 14,    /* name the file of the skeleton */
    SPD_REMEDY_AUTO_ENGINE = 1 << 15, /* let the library choose an engine that is available */
    SPD_REMEDY_LEAVE_OUT = 1 << 16    /* leave out matrices with NaN or Inf */
} spd_remedy;

/* The error or remark of the last call. Made by the library, may grow. */
typedef struct spd_error {
    spd_status status;
    size_t index;      /* the sample at fault, or SPD_NO_INDEX */
    double value;      /* the offending value (an eigenvalue, an asymmetry), or 0 */
    char message[512]; /* one line, no newline; empty if status is SPD_OK */
    unsigned remedy;   /* possible remedies: values of spd_remedy, combined by | */
    double remedy_value;
} spd_error;

/* Progress of a long call. Made by the library, may grow; valid during the callback. The callback
 * runs in the calling thread, a few times a second at most. A non-zero return cancels the call,
 * which then returns SPD_ECANCELLED. */
typedef struct spd_progress {
    const char *task; /* "distances", "mean" */
    const char *unit; /* of done and total: "pairs", "iterations" */
    double done;
    double total; /* 0 if unknown */
} spd_progress;
typedef int (*spd_progress_fn)(void *user, const spd_progress *progress);

typedef struct spd_context spd_context;

/* A new context: all cores, the CPU, no callback. Freed with spd_context_free; NULL if out of
 * memory. */
SPD_API spd_context *spd_context_new(void);
SPD_API void spd_context_free(spd_context *ctx);

/* The number of threads of calls with this context; 0 means all cores. */
SPD_API void spd_context_set_threads(spd_context *ctx, int threads);

/* The number of threads in use, never 0. */
SPD_API int spd_context_threads(const spd_context *ctx);

/* The approximate memory limit of a call, in bytes: it decides how much a fit keeps per sample and
 * how much a search holds at once. 0, the default, means three quarters of the smallest of the
 * machine's memory, the control group's limit and ulimit. spd_context_memory returns the limit in
 * force. */
SPD_API void spd_context_set_memory(spd_context *ctx, double bytes);
SPD_API double spd_context_memory(const spd_context *ctx);

/* The progress callback, or NULL for none; it receives `user`. */
SPD_API void spd_context_set_progress(spd_context *ctx, spd_progress_fn fn, void *user);

/* The error or remark of the last call with this context. Never NULL, valid until the next call. */
SPD_API const spd_error *spd_context_error(const spd_context *ctx);

/* "0.1.0" */
SPD_API const char *spd_version(void);

/* A short text for a status: "not positive definite". */
SPD_API const char *spd_status_text(spd_status status);

/* ---- words of enumerations ------------------------------------------------------------------- */

/* The enumerations whose values have words, including those of spdml-data.h. */
typedef enum spd_enum {
    SPD_ENUM_ENGINE = 0,
    SPD_ENUM_REMEDY,
    SPD_ENUM_METRIC, /* pyRiemann's names are accepted too: riemann, logdet, logeuclid,
                        kullback_sym, wasserstein, logchol, euclid */
    SPD_ENUM_SEARCH,
    SPD_ENUM_FUNCTION,
    SPD_ENUM_KERNEL,
    SPD_ENUM_TYPE,
    SPD_ENUM_OBJECTIVE,
    SPD_ENUM_LOG_COST,
    SPD_ENUM_LEARNING,
    SPD_ENUM_INIT,
    SPD_ENUM_COORDINATES,
    SPD_ENUM_SOLVER,
    SPD_ENUM_STOP,
    SPD_ENUM_KIND,
    SPD_ENUM_CLASSIFIER,
    SPD_ENUM_MAP,
    SPD_ENUM_PARAMETER,
    SPD_ENUM_HOLDING,
    SPD_ENUM_PROTOCOL,
    SPD_ENUM_FOLD_RULE,
    SPD_ENUM_REMARK,
    SPD_ENUM_EMBEDDING,
    SPD_ENUM_SHRINKAGE,
    SPD_ENUM_DESCRIPTOR,
    SPD_ENUM_REGIONS,
    SPD_ENUM_SYNTH,
    SPD_ENUM_NORMALIZATION,
    SPD_ENUM_RECENTERING,
    SPD_ENUMS /* how many there are */
} spd_enum;

/* The word for a value, such as "airm" for SPD_ENUM_METRIC and SPD_METRIC_AIRM; NULL if it has
 * none. Combined remedies have none. */
SPD_API const char *spd_name(spd_enum of, unsigned value);

/* The value of a word, >= 0. SPD_EINVAL if the word is unknown: the message lists the known words
 * and suggests the nearest. */
SPD_API int spd_parse(spd_context *ctx, spd_enum of, const char *name);

/* ---- engines --------------------------------------------------------------------------------- */

/* The hardware that computes distances, neighbours (up to 64), kernels, matrix functions,
 * eigenvalues, means, maps of sets and the sums of a fit, and with them classification, tuning and
 * evaluation. Everything else, and cases without GPU kernels (some metrics, n above 512), runs on
 * the CPU. The engines agree up to rounding; each one gives the same bits on every run. */
typedef enum spd_engine {
    SPD_ENGINE_AUTO = 0, /* the GPU if there is one and the problem is large enough */
    SPD_ENGINE_CPU,      /* the engine of a new context */
    SPD_ENGINE_CUDA      /* an NVIDIA GPU. SPD_EDEVICE if none is available, and in spd_fit if n is
                            above 512 or m above 128 */
} spd_engine;

/* The engine of calls with this context. */
SPD_API void spd_context_set_engine(spd_context *ctx, spd_engine engine);

/* text (room bytes, truncated to fit) <- the hardware of an engine, such as the name of a GPU.
 * SPD_EDEVICE, with the reason, if the engine is not available. */
SPD_API spd_status spd_engine_device(spd_context *ctx, spd_engine engine, size_t room, char *text);

/* Where the last spd_fit of this context ran: devices, their memory in use, and how close a pass
 * over the samples came to the limits of the hardware. Empty if it ran on the CPU. */
SPD_API const char *spd_context_engine_info(const spd_context *ctx);

/* The number of operations that GPUs have done for this context so far; 0: all ran on the CPU. */
SPD_API size_t spd_context_device_calls(const spd_context *ctx);

/* The instruction set of the kernels in use: "avx512", "avx2" or "baseline". The environment
 * variable SPDML_ISA, read once, selects one that the machine has; other values are ignored. */
SPD_API const char *spd_isa_name(void);

/* SPD_EINVAL, with a message that lists the words, if SPDML_ISA is set to an instruction set that
 * does not exist or that this machine lacks. */
SPD_API spd_status spd_isa_check(spd_context *ctx);

/* A library that this one uses. */
typedef struct spd_library {
    size_t size;
    char name[32];    /* "zlib" */
    char version[64]; /* at run time: "1.2.13"; that of the build if the library does not tell */
    char detail[192]; /* its purpose; OpenBLAS: how it was built, and its kernels in use */
} spd_library;

/* *library (started with SPD_STRUCT) <- number `index`, from 0, of the libraries that libspdml
 * uses. Returns 0 and leaves *library unchanged if `index` is out of range. */
SPD_API int spd_library_at(size_t index, spd_library *library);

/* ---- several processes ----------------------------------------------------------------------- */

/* Processes started by MPI, the ranks, that work on one problem. After spd_ranks_join every rank
 * makes the same calls with the same arguments on the same data. The work of spd_fit, spd_cost,
 * spd_affinity, spd_nearest, spd_pairwise2, spd_mean, spd_congruence and spd_check, and the trials
 * of spd_tune and spd_evaluate, are divided among the ranks; every rank gets the result, with the
 * same bits as a single process. A rank may hold only its part of a set in files (spd_set_hold). If
 * a call fails in one rank only, that rank must end the job with spd_ranks_stop, because the others
 * wait for it. */
typedef struct spd_ranks {
    size_t size;
    int rank, ranks;        /* 0 and 1 in a single process */
    double bytes, messages; /* sent by this rank */
    double seconds;         /* CPU time of the communication, including waiting */
} spd_ranks;

/* Joins the processes of the job, and starts MPI if necessary. Collective: every process calls it,
 * in one thread, for one context; freeing that context ends MPI if the call has started it.
 * SPD_EDEVICE if the module libspdml-mpi.so or MPI is not available; SPD_EINVAL, in all ranks, if
 * the version, the instruction set or the BLAS of a rank differs from that of rank 0. */
SPD_API spd_status spd_ranks_join(spd_context *ctx);
SPD_API void spd_ranks_info(const spd_context *ctx, spd_ranks *about);

/* text (room bytes) <- the MPI library that spd_ranks_join would use, "Open MPI v4.1.4, ...".
 * SPD_EDEVICE, with a message, if there is none. Starts nothing. */
SPD_API spd_status spd_ranks_library(spd_context *ctx, size_t room, char *text);

/* Non-zero if `here` is non-zero on any rank. Collective: every rank must call it. */
SPD_API int spd_ranks_any(spd_context *ctx, int here);

/* Non-zero: from now on, calls with this context involve this process alone; zero: work is shared
 * again. */
SPD_API void spd_ranks_pause(spd_context *ctx, int alone);

/* Ends all processes of the job with this exit status; does nothing in a single process. */
SPD_API void spd_ranks_stop(spd_context *ctx, int code);

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef enum spd_type {
    SPD_TYPE_FLOAT64 = 0,
    SPD_TYPE_INT64,
    SPD_TYPE_TEXT,
    SPD_TYPE_COMPLEX128,
    SPD_TYPE_FLOAT32 /* of sets only */
} spd_type;

#define SPD_MAX_DIMS 8

/* A named array, row-major. If count > 0, exactly one of f64, i64 and text is set, according to the
 * type. Callers may fill one in to have it written; it will not change. */
typedef struct spd_array {
    const char *name; /* variable name within its file, or NULL */
    spd_type type;
    size_t ndim;
    size_t shape[SPD_MAX_DIMS];
    size_t count; /* product of shape */
    double *f64;  /* SPD_TYPE_COMPLEX128: 2 count numbers, real and imaginary part of each */
    int64_t *i64;
    const char **text; /* count pointers to UTF-8 */
} spd_array;

/* Frees an array made by the library, with everything it points to; not one that the caller has
 * filled in, or that is a member of another struct. */
SPD_API void spd_array_free(spd_array *array);

/* Writes length bytes of text to path. The file appears atomically, or not at all. */
SPD_API spd_status spd_text_write(spd_context *ctx, const char *path, const char *text,
                                  size_t length);

#ifdef __cplusplus
}
#endif
#endif
