/* relay.h - progress of a part, told to the caller as progress of the whole. */
#ifndef SPD_BASE_RELAY_H
#define SPD_BASE_RELAY_H

#include "base/context.h"

/* The progress of the whole, while its part is as far as `part` says. */
typedef spd_progress (*relay_whole)(const void *user, const spd_progress *part);

typedef struct relay {
    spd_context *ctx; /* NULL: nobody listens */
    relay_whole whole;
    const void *user;
    spd_progress_fn tell; /* the caller's callback, which the relay stands in for */
    void *tell_user;
    spd_progress told; /* last; task NULL: nothing yet */
    double told_at;
    int cancelled; /* by the caller, who is told nothing more */
} relay;

/* From here on what is reported in ctx, which may be NULL, is told as `whole` says, at most a few
 * times a second; until relay_close, which always follows. Relays may be nested. */
void relay_open(relay *r, spd_context *ctx, relay_whole whole, const void *user);
void relay_close(relay *r);

/* The share of the part that is done; 0 if its total is not known. */
double relay_share(const spd_progress *part);

#endif
