/* nearest_levels.h - lower bounds, in levels of growing cost, that the neighbour search prunes
 * with (math.md, eq. 9):
 *
 *   Stein   0: Stein at about n/8        1: Stein at about n/3
 *   AIRM    0: 8 Stein at about n/8      1: AIRM at about n/3      2: 8 Stein at n  */
#ifndef SPD_ENGINE_NEAREST_LEVELS_H
#define SPD_ENGINE_NEAREST_LEVELS_H

#include "base/arena.h"
#include "geometry/metric.h"

#define MAX_LEVELS 3

typedef struct levels levels;

/* Samples and queries (the same arrays for neighbours within one set), as they came and prepared
 * for the metric. */
typedef struct level_input {
    const metric *metric;
    size_t n, p, q;
    const double *X, *Q; /* p x n x n, q x n x n */
    const double *F, *G; /* prepared: p x size, q x size */
    arena *keep;         /* where the levels live */
} level_input;

/* Operations per pair of a distance at size n. */
double levels_exact_cost(const metric *m, size_t n);

/* Is there a bound for this metric, and is the search large enough to earn the preparation? */
int levels_pay(const level_input *in);

/* Compresses samples and queries; all are SPD. *lv stays as it was after SPD_OK when the matrices
 * are too ill-conditioned to be bounded. The input must outlive the levels. */
spd_status levels_new(spd_context *ctx, const level_input *in, levels **lv);

size_t levels_count(const levels *lv);

/* Operations per pair. */
double levels_cost(const levels *lv, size_t level);

/* Scratch doubles of levels_bound. */
size_t levels_work(const levels *lv);

/* bound[c] <- the level's lower bound of d2(query, c), where that is larger, for the count
 * candidates c. */
void levels_bound(const levels *lv, const kernels *k, size_t level, size_t query, size_t count,
                  const size_t *candidate, double *bound, double *work);

#endif
