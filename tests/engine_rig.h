/* engine_rig.h - a random problem for an engine: samples, pairs, a point and a direction. */
#ifndef SPD_TEST_ENGINE_RIG_H
#define SPD_TEST_ENGINE_RIG_H

#include "fit/engine.h"
#include "random_spd.h"

typedef struct rig {
    engine_input in;
    double *X, *extra, *W, *U, *V, *sigma;
    spd_pair *pair;
} rig;

/* A random problem under Stein; W'W = I, and U orthogonal to W where there is room; V any rotation.
 */
HELPER rig rig_make(rng *r, size_t n, size_t m, size_t p, size_t pairs, double condition, int extra)
{
    rig g = {.in = {.n = n,
                    .m = m,
                    .p = p,
                    .metric = SPD_METRIC_STEIN,
                    .objective = SPD_OBJECTIVE_DIFFERENCE,
                    .pairs = pairs}};
    double *Q = block(n * n);
    g.X = random_set(r, n, p, condition);
    g.extra = extra ? random_set(r, n, 1, condition) : NULL;
    g.W = block(n * m);
    g.U = block(n * m);
    g.V = block(m * m);
    g.sigma = block(m);
    g.pair = take(pairs * sizeof *g.pair);
    for (size_t i = 0; i < pairs; i++) {
        size_t a = rng_below(r, p), b = (a + 1 + rng_below(r, p - 1)) % p;
        if (extra && i % 5 == 0)
            b = p;
        g.pair[i] = (spd_pair){(uint32_t)a, (uint32_t)b, 0.0, 0.0};
        *(i % 3 ? &g.pair[i].within : &g.pair[i].between) = 0.5 + rng_uniform(r);
    }
    random_orthogonal(r, n, Q);
    random_orthogonal(r, m, g.V);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m; c++) {
            g.W[i * m + c] = Q[i * n + c];
            g.U[i * m + c] = Q[i * n + (m + c) % n];
        }
    for (size_t c = 0; c < m; c++) /* columns that wrap around W must not move */
        g.sigma[c] = m + c < n ? 0.3 + rng_uniform(r) : 0.0;
    g.in.X = g.X;
    g.in.extra = g.extra;
    g.in.pair = g.pair;
    return g;
}

HELPER void rig_free(rig *g)
{
    free(g->X);
    free(g->extra);
    free(g->W);
    free(g->U);
    free(g->V);
    free(g->sigma);
    free(g->pair);
}

#endif
