/* usual.h - what a fit takes where its options leave it open: the one place that knows. */
#ifndef SPD_LEARN_USUAL_H
#define SPD_LEARN_USUAL_H

#include "base/classes.h"

/* objective, init, coordinates and solver that are left to choose <- the usual ones, or the
 * paper's. Start and coordinates may stay open: the fit chooses them when it knows its graph. */
void usual_choices(spd_fit_options *options);

/* nu_w and nu_b of supervised learning on p samples that are 0 <- the usual ones of the objective.
 * More than a class has means all of it. */
void usual_nu(size_t p, const classes *c, spd_fit_options *options);

/* The same for maps to choose settings by: softmax has fewer candidates. */
void usual_nu_roughly(spd_fit_options *options);

#endif
