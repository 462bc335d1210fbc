/* nearest_levels.h - the two levels of lower bounds that the neighbour search prunes with. */
#ifndef SPD_ENGINE_NEAREST_LEVELS_H
#define SPD_ENGINE_NEAREST_LEVELS_H

#include "base/context.h"
#include "geometry/metric.h"

typedef struct levels levels;

/* Operations per pair of an exact distance at size n. */
double levels_cost(const metric *m, size_t n);

/* Is there a bound for this metric, and is the search large enough to earn the preparation? */
int levels_pay(const metric *m, size_t n, size_t p, size_t q);

/* Compresses and prepares samples X (p) and queries Q (q; NULL: the samples themselves), all SPD. */
spd_status levels_new(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                      size_t q, const double *Q, levels **lv);
void levels_free(levels *lv);

/* Scratch doubles of scan and refine. */
size_t levels_work(const levels *lv);

/* Operations per pair of either level. */
double levels_cost1(const levels *lv);
double levels_cost2(const levels *lv);

/* bound (p) <- level 1 for all samples. */
void levels_scan(const levels *lv, const kernels *k, size_t query, double *bound, double *work);

/* bound[candidate[i]] <- level 2, where that is larger, for the count candidates. */
void levels_refine(const levels *lv, const kernels *k, size_t query, size_t count,
                   const size_t *candidate, double *bound, double *work);

#endif
