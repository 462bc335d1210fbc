/* race.h - which map settings leave the search before its end.
 *
 * After each fold a map setting leaves the race of a method when it is clearly behind: of the
 * samples tested so far, b are got right by a better map setting alone and c by this one alone,
 * each with the best of its classifier settings, and b - c exceeds a number of times sqrt(b + c),
 * the standard deviation if both were equally good (McNemar's test). No map never leaves: a learned
 * map must beat it in the end, so one that is behind no map has to be closer than one behind the
 * leader. Settings that failed leave too. Of a rival outside, which has been tested on all folds, the
 * same holds as of the leader, and then no map may leave as well.
 *
 * Of the others at most half of all map settings stay after the first fold, a quarter after the
 * second and so on, down to two: where so many are equally good, it matters little which. */
#ifndef SPD_EVALUATE_RACE_H
#define SPD_EVALUATE_RACE_H

#include "evaluate/trials.h"

/* Updates `out` after the first `done` folds. SPD_ENOMEM. */
spd_status race_drop(spd_context *ctx, const trial_shared *shared, size_t done);

/* Does a map setting wait in the first fold until those of the next smaller and the next larger size
 * have been tried? Every other one does, from the second largest down. */
int race_waits(const settings *s, size_t map);

/* Updates `out` when the first fold has been tested but for those that wait: one that is between two
 * that are clearly behind the leader will be behind too. SPD_ENOMEM. */
spd_status race_drop_between(spd_context *ctx, const trial_shared *shared);

/* sum (settings of a method) <- how many samples each got right in the first `done` folds, -1 where
 * it failed. Those that have left the race are taken to stay as far behind the best as they were.
 */
void race_sums(const trial_shared *shared, size_t method, size_t done, int64_t *sum);

/* How many map settings with a map there are places for after so many folds. */
size_t race_places(const settings *s, size_t done);

/* Is a map setting in the race of any method? */
int race_runs(const trial_shared *shared, size_t map_setting);

#endif
