/* bounds.h - lower bounds, in levels of growing cost, that the neighbour search prunes
 * with (math.md, eq. 9):
 *
 *   Stein   0: Stein at about n/8        1: Stein at about n/3
 *   AIRM    0: 8 Stein at about n/8      1: AIRM at about n/3      2: 8 Stein at n  */
#ifndef SPD_SEARCH_BOUNDS_H
#define SPD_SEARCH_BOUNDS_H

#include "search/job.h"

#define MAX_LEVELS 3

typedef struct bounds bounds;

/* Operations per pair of a distance at size n. */
double bounds_exact_cost(const metric *m, size_t n);

/* Is there a bound for this metric, and is the search large enough to earn the preparation? */
int bounds_pay(const search *s);

/* Compresses samples and queries; all are SPD. *b stays as it was after SPD_OK when the matrices
 * are too ill-conditioned to be bounded. s must outlive them. */
spd_status bounds_new(spd_context *ctx, const search *s, arena *keep, bounds **b);

size_t bounds_levels(const bounds *b);

/* Operations per pair. */
double bounds_cost(const bounds *b, size_t level);

/* Scratch doubles of bounds_raise. */
size_t bounds_work(const bounds *b);

/* bound[c] <- the level's lower bound of d2(query, c), where that is larger, for the count
 * candidates c. */
void bounds_raise(const bounds *b, const kernels *k, size_t level, size_t query, size_t count,
                  const size_t *candidate, double *bound, double *work);

#endif
