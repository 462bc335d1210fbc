/* module.h - what libspdml and its CUDA module say to each other.
 *
 * The module is a library of its own, loaded when the CUDA engine is asked for (fit/cuda.c), so
 * that libspdml runs where CUDA is not. It is plain C: one function gives a table of functions.
 * Table and structs begin with their size; whoever reads a longer or shorter one than expected, or
 * another version, refuses it. All matrices are row-major float64. Functions return 0 or a fault,
 * with a sentence in `why` (WHY bytes). */
#ifndef SPD_CUDA_MODULE_H
#define SPD_CUDA_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "spdml.h"

#define CUDA_MODULE_VERSION 13
#define CUDA_MODULE_ENTRY   "spdml_cuda_module"
#define CUDA_WHY            256 /* room for a sentence */
#define CUDA_MAX_N          512
#define CUDA_MAX_M          128
#define CUDA_MAX_K          64 /* neighbours */

enum cuda_fault {
    CUDA_FAULT_NONE,
    CUDA_FAULT_NO_DEVICE, /* none there, or a driver that is too old */
    CUDA_FAULT_MEMORY,    /* the device's, or the machine's */
    CUDA_FAULT_SIZE,      /* n or m beyond what the kernels are made for */
    CUDA_FAULT_LIBRARY,   /* cuSOLVER is not there */
    CUDA_FAULT_GRAPH,     /* nothing to compare: no sample has near and far pairs */
    CUDA_FAULT_SAMPLE,    /* a matrix that is not positive definite, or too nearly */
    CUDA_FAULT_STOPPED,   /* the caller asked for it */
    CUDA_FAULT_READ,      /* samples could not be read */
    CUDA_FAULT_ELSEWHERE, /* another process failed */
    CUDA_FAULT_PLACE,     /* memory that is not the device's */
    CUDA_FAULT_DEVICE     /* lost, or anything else CUDA reports */
};

typedef struct cuda_device {
    size_t size;
    char name[128];
    size_t memory, free; /* bytes */
    int major, minor;    /* compute capability */
    int driver, runtime; /* versions as CUDA counts them: 1000 major + 10 minor */
} cuda_device;

/* Other processes that share the samples, each with a part of its own on one device. */
typedef struct cuda_peers {
    int count, rank; /* 1 and 0 where there are none */
    /* all (bytes, cut at the count + 1 places of `at`) <- the pieces of all; one's own is there.
     * Non-zero: another has failed, nothing was exchanged. */
    int (*collect)(void *user, const size_t *at, void *all);
    void *user;
} cuda_peers;

/* What an engine is made of. Samples that do not fit the device stay where they are and are read
 * for every pass; the rest is not needed afterwards. */
typedef struct cuda_input {
    size_t size;
    size_t n, m, p;
    const double *X; /* p x n x n, or NULL: */
    /* to <- `count` samples from number `first` on; from any thread; non-zero: they cannot be read
     */
    int (*read)(void *user, size_t first, size_t count, double *to);
    void *user;
    const double *extra; /* one more sample, number p, or NULL */
    spd_metric metric;
    spd_objective objective;
    size_t pairs;
    const spd_pair *pair; /* unordered: each counts twice */
    int device;           /* beyond the last one they begin anew */
    cuda_peers peers;
    int threads; /* of the host, that may copy */

    /* Of the device, 0 for what is good there: the most that may be used, and that matrices of
     * pairs may take. */
    size_t memory_bytes, buffer_bytes;

    int on_device; /* X is in the memory of that device, */
    void *stream;  /* written in this cudaStream_t, which is waited for */

    /* Non-zero: a pass over samples that are read for it shall end, with CUDA_FAULT_STOPPED, and
     * the engine is of no more use. Asked from any thread, now and then also from that of the call;
     * or NULL. */
    int (*stop)(void *user);
    void *stop_user;
} cuda_input;

/* What an engine has taken and done. */
typedef struct cuda_usage {
    size_t size;
    size_t bytes;   /* on the device */
    int streamed;   /* are samples sent to the device, and packed there, for every pass? */
    size_t sent;    /* bytes that a pass then sends; 0 of samples that lie there */
    double moved;   /* bytes of device memory that a pass over the samples reads and writes */
    double seconds; /* that the last one took */
    double peak; /* bytes per second that the memory could move, as the device describes itself; 0:
                    unknown */
} cuda_usage;

typedef struct cuda_engine cuda_engine;

/* Sets of matrices. progress, or NULL, hears of pairs or matrices done and asks to stop by non-zero. */
typedef struct cuda_sets {
    size_t size;
    size_t n, p, q;
    const double *X; /* p x n x n */
    const double *Q; /* q x n x n, or NULL: within X */
    const int
        *label; /* p, on the host, of neighbours within X in two lists (search/lists.h); or NULL */
    spd_metric metric;
    int brute; /* neighbours by all distances, none left out by bounds */
    int device;
    int threads; /* of the host, that may copy */
    int (*progress)(void *user, double done, double total);
    void *user;
    int on_device; /* X, Q and the results are in the device's memory, */
    void *stream;  /* written in this cudaStream_t, which is waited for */
} cuda_sets;

typedef struct cuda_mean cuda_mean; /* samples and weights, on the device */

/* The table. The functions of an engine are those of optim/problem.h; *f is NaN where the cost
 * does not exist. */
typedef struct cuda_module {
    size_t size;
    int version;
    int (*count)(int *devices, char *why);
    int (*describe)(int device, cuda_device *about, char *why);
    int (*open)(const cuda_input *in, cuda_engine **engine, char *why);
    int (*start)(cuda_engine *e, const double *W, double *f, char *why);
    int (*cost_grad)(cuda_engine *e, double *f, double *G, char *why);
    int (*aim)(cuda_engine *e, const double *U, const double *sigma, const double *V, char *why);
    int (*probe)(cuda_engine *e, double t, double *f, double *df, char *why);
    int (*step)(cuda_engine *e, double t, char *why);
    void (*usage)(const cuda_engine *e, cuda_usage *used);
    void (*close)(cuda_engine *e);

    /* D2 (q x p) <- squared distances of the queries to the samples. index, d2 (q x k[0], then q x
     * k[1]) <- the nearest, ties by the lower number; within one set nobody is its own neighbour.
     * List 1 is that of sets with labels; where a list is shorter, d2 is NaN. *exact <- how many
     * distances were computed. */
    int (*pairwise)(const cuda_sets *in, double *D2, char *why);
    int (*neighbours)(const cuda_sets *in, const size_t *k, int64_t *index, double *d2,
                      double *exact, char *why);

    /* Of the matrices in X: F (p x n x n) <- f(X_i), which may be X; lambda (p x n, ascending) and
     * V (p x n x n, in columns, or NULL) <- eigenvalues and vectors. Nothing is written where one
     * of them has none. */
    int (*apply)(const cuda_sets *in, spd_function f, double power, double *F, char *why);
    int (*eigen)(const cuda_sets *in, double *lambda, double *V, char *why);

    /* K (q x p) <- inner products of what a flat metric compares. */
    int (*products)(const cuda_sets *in, double *K, char *why);

    /* Of sets on the device: to <- bytes, from the host or to it; *bad <- the first matrix of X
     * that is not finite, or whose entries ij and ji differ by more than tolerance times the
     * largest, else p; K (count) <- exp(-beta K) or factor K. */
    int (*copy)(const cuda_sets *in, const void *from, size_t bytes, void *to, char *why);
    int (*inspect)(const cuda_sets *in, double tolerance, size_t *bad, char *why);
    int (*exponentials)(const cuda_sets *in, double beta, size_t count, double *K, char *why);
    int (*scale)(const cuda_sets *in, double factor, size_t count, double *K, char *why);

    /* For a mean of the matrices in X by in->metric. sum <- w_1 T(X_1) + .., where T is, by the
     * metric of the pass, which is the mean's own or, unless that is a flat one, Jeffrey's:
     *   AIRM, log-Euclidean: with `at` L (n x n, lower) and C = L^-1 X L^-T, log C, then half its
     *     squared norm, then (x/2) coth(x/2) of the logarithm x of C's condition, or of a bound
     *   Stein: with `at` M (n x n), ((M + X)/2)^-1, then ln det((M + X)/2) - ln det(X)/2
     *   Jeffrey: X, then X^-1
     *   Euclidean: X, all n x n of it
     * symmetric matrices as lower triangles by rows. Matrices on the device stay where they are,
     * sum and `at` are on the host. progress hears of a pass's samples. */
    int (*mean_open)(const cuda_sets *in, const double *weight, cuda_mean **mean, char *why);
    int (*mean_sum)(cuda_mean *mean, spd_metric metric, const double *at, double *sum, char *why);
    void (*mean_close)(cuda_mean *mean);

    /* The next probe will be at t: it is begun. */
    int (*ahead)(cuda_engine *e, double t, char *why);

    /* The device that CUDA's calls of this thread are for, -1 where there is none; then it is
     * `device`, unless that is negative. */
    int (*choose)(int device);
} cuda_module;

typedef const cuda_module *(*cuda_module_entry)(void);

#endif
