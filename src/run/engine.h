/* engine.h - who computes: what an operation on sets asks for, and the engines that may do it.
 *
 * The processor's functions come with the job. Another engine is one file with one table of what it
 * can do (cuda.c); choose.c says, by one model of costs, whether it is worth asking. One that
 * cannot do a job declines, and the job is done on the host (sets/job.h). */
#ifndef SPD_RUN_ENGINE_H
#define SPD_RUN_ENGINE_H

#include "base/context.h"

/* Let the processor do it, and name what is wrong; never seen by callers of the library. */
#define SPD_DECLINED ((spd_status)-1000)

typedef enum operation {
    OPERATION_OTHER, /* the processor's alone */
    OPERATION_CHECK, /* of sets in the engine's own memory: *out[0] (a size_t) <- the first matrix
                        that is not finite or not symmetric, or p */
    OPERATION_PAIRWISE, /* out[0] (p x q) <- squared distances; within X without a Y, so below */
    OPERATION_PRODUCTS, /* out[0] (p x q) <- tr(log X_i log Y_j) */
    OPERATION_NEAREST, /* out[0], out[1] (q x k[0], then q x k[1]) <- numbers and squared distances;
                          Y: the queries */
    OPERATION_APPLY,   /* out[0] (p x n x n) <- f(X_i) */
    OPERATION_EIGEN,   /* out[0] (p x n), out[1] (p x n x n, or NULL) <- eigenvalues and vectors */
    OPERATION_MEAN,    /* its passes: see below */
    OPERATIONS
} operation;

/* One operation on one or two sets. Results lie where the sets do. */
typedef struct set_job set_job;
struct set_job {
    operation of;
    const char *task, *unit; /* of progress */
    const spd_set *X, *Y;    /* alike in n and place; Y may be NULL */
    spd_metric metric;
    spd_function f;
    double power, tolerance;
    const double *W; /* n x m, on the host */
    size_t m;
    size_t k[2];      /* neighbours in the lists of a query */
    const int *label; /* p, on the host, of X: neighbours in two lists (search/lists.h); or NULL */
    int brute;        /* they are found by all distances */
    double *exact;    /* how many distances an engine has computed for them; or NULL */
    void *out[2];
    size_t bytes[2]; /* of the results */
    double share;    /* a result is multiplied by it in the end; 0: none is */
    int shared;      /* which */
    int streams;     /* the processor takes any set on the host; else only float64 in memory */
    spd_status (*here)(spd_context *ctx,
                       const set_job *j); /* the processor's, on the host; or NULL */
    const void *user;                     /* its own */
};

/* The passes of a mean (geometry/mean.h) over the samples of a job and their weights, which the
 * engine then holds. */
typedef struct engine_passes engine_passes;

typedef struct engine_table {
    /* Each returns SPD_DECLINED for what it has no kernels for and for sets with a matrix that is
     * not good. */
    spd_status (*run[OPERATIONS])(spd_context *ctx, const set_job *j);

    /* sum (terms) <- what a pass of the rule sums up at the frame. */
    spd_status (*mean_open)(spd_context *ctx, const set_job *j, const double *weight,
                            engine_passes **passes);
    spd_status (*mean_sum)(engine_passes *passes, spd_metric rule, const double *frame,
                           size_t terms, double *sum);
    void (*mean_close)(engine_passes *passes);

    /* Of sets in its own memory, where `at` lies: to <- bytes, from the host or to it; K (count) <-
     * exp(-beta K) or factor K. */
    spd_status (*copy)(spd_context *ctx, const spd_set *at, const void *from, size_t bytes,
                       void *to);
    spd_status (*exponentials)(spd_context *ctx, const spd_set *at, double beta, size_t count,
                               double *K);
    spd_status (*scale)(spd_context *ctx, const spd_set *at, double factor, size_t count,
                        double *K);
} engine_table;

extern const engine_table engine_cuda;

/* The engine that is to do a job, NULL for the processor: that in whose memory the sets lie, else
 * the one that the context asks for, if it gains. */
const engine_table *engine_for(const spd_context *ctx, const set_job *j);

/* The engine in whose memory a set lies; NULL on the host. */
const engine_table *engine_of(const spd_set *X);

/* The sums of a fit. */
typedef struct fit_work {
    size_t n, m, p, pairs;
    spd_metric metric;
    int there; /* the samples lie on the GPU, which is open */
} fit_work;

/* Has the GPU kernels for such a fit? Would it gain? */
int engine_fits(const fit_work *w);
int engine_gains(const spd_context *ctx, const fit_work *w);

/* Notes for spd_context_engine_info what ran the last fit; "" for the processor. */
void engine_note(spd_context *ctx, const char *text);

#endif
