/* engine.h - the seam: where the heavy sums of learning run.
 *
 * An engine holds the samples X_i, the pairs and the current point W, and serves the five calls
 * that the optimiser needs (optim/problem.h says what they mean). Everything that depends on n is
 * paid once per iteration, in aim (math.md, eq. 8). Another back end - several machines, a GPU -
 * is another file with the same functions and its own engine_*_new. */
#ifndef SPD_ENGINE_ENGINE_H
#define SPD_ENGINE_ENGINE_H

#include "base/context.h"
#include "geometry/pairs.h"

typedef struct engine engine;

typedef struct engine_calls {
    const char *name;
    spd_status (*start)(engine *e, const double *W);
    spd_status (*cost_grad)(engine *e, double *f, double *G);
    spd_status (*aim)(engine *e, const double *U, const double *sigma, const double *V);
    spd_status (*probe)(engine *e, double t, double *f, double *df);
    spd_status (*step)(engine *e, double t);
    void (*free)(engine *e);
} engine_calls;

struct engine {
    const engine_calls *calls;
    size_t data_passes; /* how often all of X was read */
};

/* What an engine is given; the memory stays the caller's and must outlive the engine. */
typedef struct engine_input {
    size_t n, m, p;
    const double *X;     /* p x n x n */
    const double *extra; /* one more sample, number p, or NULL */
    spd_metric metric;
    spd_objective objective;
    size_t pairs;
    const spd_pair *pair;
} engine_input;

/* The CPU engine. Memory: 2 n PASS_LD(m) + about 4 m^2 doubles per sample beside X. */
spd_status engine_cpu_new(spd_context *ctx, const engine_input *in, engine **e);

/* Frees any engine; NULL is fine. */
void engine_free(engine *e);

#endif
