/* module.h - what libspdml and its CUDA module say to each other.
 *
 * The module is a library of its own, loaded when the CUDA engine is asked for (engine/cuda.c), so
 * that libspdml runs where CUDA is not. It is plain C: one function gives a table of functions.
 * Table and structs begin with their size; whoever reads a longer or shorter one than expected, or
 * another version, refuses it. All matrices are row-major float64. Functions return 0 or a fault,
 * with a sentence in `why` (WHY bytes). */
#ifndef SPD_ENGINE_CUDA_MODULE_H
#define SPD_ENGINE_CUDA_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_MODULE_VERSION 4
#define CUDA_MODULE_ENTRY   "spdml_cuda_module"
#define CUDA_WHY            256 /* room for a sentence */
#define CUDA_MAX_N          512
#define CUDA_MAX_M          128 /* also of sets whose distances are wanted */
#define CUDA_MAX_K          64  /* neighbours */

enum cuda_fault {
    CUDA_FAULT_NONE,
    CUDA_FAULT_NO_DEVICE, /* none there, or a driver that is too old */
    CUDA_FAULT_MEMORY,    /* the device's, or the machine's */
    CUDA_FAULT_SIZE,      /* n or m beyond what the kernels are made for */
    CUDA_FAULT_GRAPH,     /* nothing to compare: no sample has near and far pairs */
    CUDA_FAULT_SAMPLE,    /* a matrix that is not positive definite, or too nearly */
    CUDA_FAULT_STOPPED,   /* the caller asked for it */
    CUDA_FAULT_DEVICE     /* lost, or anything else CUDA reports */
};

enum cuda_metric { CUDA_STEIN, CUDA_AIRM };

/* Of sums, then of samples (objective/objective.h). */
enum cuda_objective { CUDA_DIFFERENCE, CUDA_RATIO, CUDA_SOFTMAX, CUDA_LOG_MARGIN };

typedef struct cuda_device {
    size_t size;
    char name[128];
    size_t memory, free; /* bytes */
    int major, minor;    /* compute capability */
    int driver, runtime; /* versions as CUDA counts them: 1000 major + 10 minor */
} cuda_device;

/* As spd_pair: an unordered pair, which counts twice. */
typedef struct cuda_pair {
    uint32_t i, j;
    double within, between;
} cuda_pair;

/* What an engine is made of; the memory is the caller's and is not needed afterwards. */
typedef struct cuda_input {
    size_t size;
    size_t n, m, p;
    const double *X;       /* p x n x n */
    const double *extra;   /* one more sample, number p, or NULL */
    int metric, objective; /* a cuda_metric, a cuda_objective */
    size_t pairs;
    const cuda_pair *pair;
    size_t buffer_bytes; /* most that matrices of pairs may take at once; 0: chosen by the module */
    int device;
    int threads; /* of the host, that may copy */
} cuda_input;

typedef struct cuda_engine cuda_engine;

/* Sets whose distances are wanted. tell, or NULL, hears of pairs done and asks to stop by non-zero.
 */
typedef struct cuda_sets {
    size_t size;
    size_t n, p, q;
    const double *X; /* p x n x n */
    const double *Q; /* q x n x n, or NULL: within X */
    int metric;      /* a cuda_metric */
    int device;
    int (*tell)(void *user, double done, double total);
    void *user;
} cuda_sets;

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
    size_t (*memory)(const cuda_engine *e); /* bytes on the device */
    void (*close)(cuda_engine *e);

    /* D2 (q x p) <- squared distances of the queries to the samples. index, d2 (q x k) <- the
     * nearest, ties by the lower number; within one set nobody is its own neighbour. */
    int (*pairwise)(const cuda_sets *in, double *D2, char *why);
    int (*neighbours)(const cuda_sets *in, size_t k, int64_t *index, double *d2, char *why);
} cuda_module;

typedef const cuda_module *(*cuda_module_entry)(void);

#endif
