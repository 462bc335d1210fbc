/* settings.h - the combinations of values that cross-validation tries.
 *
 * A setting is a map setting (m, objective, nu_w, nu_b) with a classifier setting (all other
 * parameters): number map * decisions + decision. The map is fitted once per map setting, so the
 * two are kept apart. Values are fixed by the method, or on the axis that the user gives, or on the
 * method's own:
 *
 *   m                      n/8, n/4, 3n/8, n/2, 3n/4 and n: no map, which has no other values
 *   objective              what a fit takes (learn/fit.h)
 *   nu_w                   the usual one of the objective
 *   nu_b                   of the difference 1, 2, 3, 5, 10, 20, 50 below nu_w, and nu_w; else the usual
 *   other                  what the classifier says
 *
 * NaN stands for a value that takes its default. */
#ifndef SPD_EVALUATE_SETTINGS_H
#define SPD_EVALUATE_SETTINGS_H

#include "classify/classifier.h"

typedef struct settings {
    size_t maps, decisions;
    size_t fitted; /* map settings with a map: maps, or one less where the last is no map */
    size_t ways;   /* to learn it: map setting k < fitted is the way k % ways, of size k / ways */
    double *value; /* maps * decisions x SPD_PARAMETERS */
    size_t *at;    /* the same: places on the axes */
} settings;

/* s <- the settings of a method for its training samples; grid may be NULL. Of several nu_b of the
 * difference those above nu_w are left out; by default it is `smallest`, of the classes in any part
 * that a map is learned from. SPD_EINVAL for values out of range. */
spd_status settings_make(spd_context *ctx, const spd_method *method, const samples *train,
                         const spd_grid *grid, size_t smallest, arena *keep, settings *s);

/* How many there are. */
size_t settings_count(const settings *s);

/* Values of the method <- those of a setting. */
void settings_use(const settings *s, size_t setting, spd_method *method);

/* The best of the settings from `first` up to `last` by right (all settings), how many samples each
 * got right, negative for those that failed: the highest count; ties go to the highest mean over
 * the setting and its neighbours on the axes (a step on j axes weighs 2^-j, failed ones count as
 * 0), then to the smaller m, then to the first. Those whose map setting is `out` (non-zero; maps,
 * or NULL) cannot be chosen, yet count as neighbours. SIZE_MAX when none is left. */
size_t settings_best(const settings *s, const int64_t *right, const size_t *out, size_t first,
                     size_t last);

#endif
