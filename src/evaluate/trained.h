/* trained.h - what an evaluation takes out of a trained method. */
#ifndef SPD_EVALUATE_TRAINED_H
#define SPD_EVALUATE_TRAINED_H

#include "base/context.h"

/* The learned map, now the caller's, or NULL; the classifier may only be freed afterwards. */
spd_model *trained_take_model(spd_classifier *classifier);

#endif
