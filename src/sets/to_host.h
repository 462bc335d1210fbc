/* to_host.h - a set, wherever it lies, on the host as float64. */
#ifndef SPD_SETS_TO_HOST_H
#define SPD_SETS_TO_HOST_H

#include "sets/set.h"

/* *host <- X itself, if it is on the host as float64, else a copy in `room`. SPD_ENOMEM, before
 * anything is read, if there is not enough memory. X may be NULL, and *host is then untouched. */
spd_status set_to_host(spd_context *ctx, const spd_set *X, arena *room, spd_set *host);

#endif
