/* engine.h - the seam: where the heavy sums of learning run.
 *
 * An engine holds the samples X_i, the pairs and the current point W, and is a problem for the
 * optimiser (optim/problem.h). Everything that depends on n is paid once per iteration, in aim
 * (math.md, eq. 8). Another back end - several machines, a GPU - is another file with an
 * engine_*_new of its own. */
#ifndef SPD_FIT_ENGINE_H
#define SPD_FIT_ENGINE_H

#include "run/engine.h"
#include "sets/walk.h"
#include "geometry/pairs.h"
#include "optim/problem.h"

/* What an engine is given; the memory stays the caller's and must outlive the engine. */
typedef struct engine_input {
    size_t n, m, p;
    const double *X;     /* p x n x n */
    const double *extra; /* one more sample, number p, or NULL */
    spd_metric
        metric; /* one of fits, or SPD_METRIC_EUCLIDEAN, for which X is any symmetric matrices */
    spd_objective objective;
    size_t pairs;
    const spd_pair *pair;
    const spd_set *set;   /* the p samples where X is NULL: as float32, or in files */
    const spd_set *there; /* the same p samples on a GPU, for an engine that runs there; or NULL */
    int yields;           /* the processor does what a GPU asked for by name has no kernels for */
} engine_input;

/* The samples of an input: its set, or *lent around its X. */
const spd_set *engine_set(const engine_input *in, spd_set *lent);

/* Bytes that each thread's walk through the samples reads at once, if there is room. */
#define ENGINE_PIECE ((size_t)4 << 20)

/* *small <- must an engine keep O(m^2) instead of O(n m) numbers of each sample, so that the
 * gradient is a pass of its own? By the memory of the context. SPD_ENOMEM, with what is needed,
 * where a limit that was given is too small for either. */
spd_status engine_choose_room(spd_context *ctx, const engine_input *in, const spd_set *set,
                              int *small);

/* The engine that the context asks for (spd_context_set_engine). */
spd_status engine_new(spd_context *ctx, const engine_input *in, problem **engine);

/* The CPU engine. Memory: 2 n PASS_LD(m) + about 4 m^2 doubles per sample in addition to X, or only
 * the latter (engine_choose_room). */
spd_status engine_cpu_new(spd_context *ctx, const engine_input *in, problem **engine);

/* How the CUDA engine is to go about it; zeros for what is good. */
typedef struct engine_room {
    size_t buffer_bytes; /* most that matrices of pairs may take on a device at once */
    size_t memory_bytes; /* most that may be used of the device */
} engine_room;

/* The CUDA engine, or SPD_EDEVICE with the reason why it cannot be had: no module, no device, a
 * metric or a size it is not made for. room may be NULL. */
spd_status engine_cuda_new(spd_context *ctx, const engine_input *in, const engine_room *room,
                           problem **engine);

/* Notes what an engine says of itself for spd_context_engine_info; NULL is fine. */
void engine_tell(spd_context *ctx, problem *engine);

/* Frees any engine; NULL is fine. */
void engine_free(problem *engine);

/* What every engine says when the cost at the start is not finite. */
spd_status engine_no_cost(spd_context *ctx);

#endif
