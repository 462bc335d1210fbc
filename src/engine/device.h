/* device.h - a call on sets that lie in the memory of a GPU. */
#ifndef SPD_ENGINE_DEVICE_H
#define SPD_ENGINE_DEVICE_H

#include "base/context.h"

typedef struct device_stay {
    spd_context *ctx, *own; /* own: made here, for a caller without one */
    spd_device at;
    spd_status status;
} device_stay;

/* The context remembers until device_leave that the sets of the call lie there. Where s->status is
 * a failure there is nothing to leave. */
void device_enter(device_stay *s, spd_context *ctx, const spd_device *at);
spd_status device_leave(device_stay *s, spd_status status); /* returns status */

#endif
