/* usual.h - what an objective takes where the options of a fit leave it open: the one place that
 * knows. */
#ifndef SPD_LEARN_USUAL_H
#define SPD_LEARN_USUAL_H

#include "base/classes.h"

/* nu_w and nu_b of supervised learning on p samples that are 0 <- the usual ones of the objective.
 * More than a class has means all of it. */
void usual_nu(size_t p, const classes *c, spd_fit_options *options);

#endif
