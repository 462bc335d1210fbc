/* history.c - a growing list of the steps of a fit. */
#include "learn/history.h"

#include <string.h>

#include "base/memory.h"

static spd_status make_room(history *h, size_t count)
{
    if (count <= h->room)
        return SPD_OK;
    size_t room = 2 * count + 64;
    spd_fit_step *grown = mem_grow(h->step, h->count * sizeof *grown, room * sizeof *grown);
    if (!grown)
        return SPD_ENOMEM;
    h->step = grown;
    h->room = room;
    return SPD_OK;
}

spd_status history_set(history *h, size_t at, const spd_fit_step *step)
{
    spd_status status = make_room(h, at + 1);
    if (status < 0)
        return status;
    h->step[at] = *step;
    h->count = at + 1;
    return SPD_OK;
}

spd_status history_copy(history *to, const history *from)
{
    spd_status status = make_room(to, from->count);
    if (status < 0)
        return status;
    if (from->count)
        memcpy(to->step, from->step, from->count * sizeof *to->step);
    to->count = from->count;
    return SPD_OK;
}

void history_free(history *h)
{
    mem_free(h->step);
    *h = (history){0};
}
