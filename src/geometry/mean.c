/* mean.c - the table of means, and the stopping rule they share. */
#include "geometry/mean.h"

#include <math.h>

/* Advances without a residual smaller by this factor than the best so far: rounding, when the
 * residual is small already. Slow convergence still passes: 0.996^12 = 0.95. Where the condition
 * lets rounding be large it takes more of them. */
#define PATIENCE      12
#define MORE_PATIENCE 24
#define PROGRESS      0.95
#define ROUNDING      1e-8

static const mean_rule *const table[SPD_METRICS] = {
    [SPD_METRIC_AIRM] = &mean_airm,
    [SPD_METRIC_STEIN] = &mean_stein,
    [SPD_METRIC_LOG_EUCLIDEAN] = &mean_log_euclidean,
    [SPD_METRIC_JEFFREY] = &mean_jeffrey,
    [SPD_METRIC_BURES_WASSERSTEIN] = &mean_bures_wasserstein,
    [SPD_METRIC_LOG_CHOLESKY] = &mean_log_cholesky,
    [SPD_METRIC_EUCLIDEAN] = &mean_euclidean,
};

const mean_rule *mean_get(spd_metric metric)
{
    return (unsigned)metric < SPD_METRICS ? table[metric] : NULL;
}

void mean_judge(mean_state *s, double residual, double rounding)
{
    s->residual = residual;
    if (s->iterations == 0 || residual < PROGRESS * s->best) {
        s->best = residual;
        s->stalled = 0;
    } else {
        s->stalled++;
    }
    s->done = residual <= s->tol || (s->stalled >= PATIENCE && residual <= ROUNDING);
    if (!s->done && s->stalled >= MORE_PATIENCE && s->best <= rounding) {
        s->residual = fmin(s->best, residual);
        s->done = 1;
    }
}
