/* history.h - a growing list of the steps of a fit. */
#ifndef SPD_LEARN_HISTORY_H
#define SPD_LEARN_HISTORY_H

#include "spdml.h"

typedef struct history {
    size_t count, room;
    spd_fit_step *step;
} history;

/* Entry `at` <- step, and the list ends there; at <= count. SPD_ENOMEM leaves it as it was. */
spd_status history_set(history *h, size_t at, const spd_fit_step *step);

/* to <- a copy of from. */
spd_status history_copy(history *to, const history *from);

void history_free(history *h);

#endif
