/* tuning.h - words about a tuning while it runs: how many fits there are and about how long it
 * takes. Together with the progress bar.
 *
 *   remark   once, when the whole is going to take more than a minute, as soon as that is seen
 *   talk     (-v) at the beginning of each tuning, and then every ten seconds */
#ifndef SPD_CLI_FRAME_TUNING_H
#define SPD_CLI_FRAME_TUNING_H

#include "cli/frame/session.h"

typedef struct tuning_watch {
    session *s;
    size_t rounds; /* in which there is one like this, each with training samples of its own */
    bar_pace pace; /* of the running one; began 0: none is running */
    double talked; /* seconds, when it was last talked about */
    int remarked;  /* it takes long, and that was said */
} tuning_watch;

/* From here on the session's progress is watched, until tuning_close. */
void tuning_open(tuning_watch *t, session *s);
void tuning_close(tuning_watch *t);

/* method's values that are not given <- the best, by cross-validation; watched. Returns the seconds
 * that took. *league <- of auto; else it stays. A failure is one of the samples' file, `source`, and ends the command. */
double tuning_run(session *s, spd_method *method, const spd_samples *samples,
                  const spd_tune_options *tuning, const char *source, spd_tune_info *tuned,
                  spd_league **league);

#endif
