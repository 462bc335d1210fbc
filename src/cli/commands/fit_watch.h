/* fit_watch.h - what happens between the iterations of a fit. */
#ifndef SPD_CLI_COMMANDS_FIT_WATCH_H
#define SPD_CLI_COMMANDS_FIT_WATCH_H

#include "cli/frame/session.h"

/* After each iteration come the progress line, checkpoints, and an ear for Ctrl-C. A checkpoint
 * that cannot be written does not end the fit: that is said once, and tried again. */
typedef struct fit_watch {
    session *s;
    const char *checkpoint; /* path, or NULL */
    double every;           /* seconds between checkpoints */
    spd_context *ctx;       /* for checkpoints: the session's is busy with the fit */
    double written;         /* when the last one was written */
    int failed;             /* the last one could not be written */
    int max_iter;
    double max_time;
    double start; /* when the first iteration was seen, and its number */
    int first, last;
    int begun;
    spd_ranks sent; /* at that time, and the processor time then */
    double busy;
    double asked; /* when Ctrl-C was first heard; 0: not yet */
} fit_watch;

/* Options hold the limits that the time left is told from. */
void fit_watch_open(fit_watch *w, session *s, const spd_fit_options *options,
                    const char *checkpoint, double every);
void fit_watch_close(fit_watch *w);

/* A spd_fit_fn: user is the fit_watch. */
int fit_watch_after(void *user, const spd_fit_state *state, const spd_fit_step *last,
                    int iteration);

#endif
