/* fit.h - what belongs to a fit beside the public functions. */
#ifndef SPD_LEARN_FIT_H
#define SPD_LEARN_FIT_H

#include "base/context.h"

/* Iterations between fresh starts of the engine, which wash rounding errors out. */
#define FIT_REFRESH 50

#endif
