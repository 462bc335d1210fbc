/* samples.h - sets of samples as callers give them, and parts of such sets. */
#ifndef SPD_CLASSIFY_SAMPLES_H
#define SPD_CLASSIFY_SAMPLES_H

#include "base/classes.h"
#include "classify/classifier.h"

/* *mine <- the caller's samples, which may be of another version; SPD_EINVAL when they have no
 * size. given NULL: no samples. */
spd_status samples_take(spd_context *ctx, const spd_samples *given, samples *mine);

/* SPD_EINVAL, naming the first, when a label is no class number. */
spd_status samples_check_labels(spd_context *ctx, const samples *s);

/* to (count rows) <- the rows index (count) of from, each of `bytes`. */
void samples_rows(size_t count, const size_t *index, size_t bytes, const void *from, void *to);

/* *part <- some of the samples, copied together: those with the numbers index (count). */
spd_status samples_part(spd_context *ctx, const samples *all, size_t count, const size_t *index,
                        arena *keep, samples *part);

#endif
