/* tuning.c - words about a tuning, from the progress callback. */
#include "cli/frame/tuning.h"

#include <stdio.h>
#include <string.h>

#define SECONDS_THAT_LAST  60.0 /* what is said to take long */
#define SECONDS_OF_SILENCE 10.0

/* Notes what there is; is it a tuning that was not seen before? */
static int is_new(tuning_watch *t)
{
    int fresh = t->pace.began <= 0.0;
    if (fresh) {
        t->talked = bar_clock();
        t->pace = (bar_pace){.began = t->talked};
    }
    return fresh;
}

static void remark(tuning_watch *t, const spd_progress *progress, double whole)
{
    char takes[40], rounds[60] = "";
    int can_choose = command_option_named(t->s->args->command, "grid", 4) != NULL;
    bar_time(takes, sizeof takes, whole);
    if (t->rounds > 1)
        snprintf(rounds, sizeof rounds, ", in each of %zu rounds", t->rounds);
    session_remark(t->s, "tuning takes a while: at most %.0f fits, about %s%s%s", progress->total,
                   takes, rounds,
                   can_choose ? "; a shorter --grid or fewer folds (--cv) take less" : "");
    t->remarked = 1;
}

static void tell(tuning_watch *t, const spd_progress *progress)
{
    char left[40] = "", about[60] = "";
    int fresh = is_new(t);
    double now = bar_clock();
    double seconds = bar_pace_left(&t->pace, progress->done / progress->total);
    double whole = seconds >= 0.0 ? now - t->pace.began + seconds : 0.0;
    if (fresh)
        session_talk(t->s, "tuning: at most %.0f fits", progress->total);
    if (!t->remarked && whole * (double)t->rounds >= SECONDS_THAT_LAST)
        remark(t, progress, whole);
    if (now - t->talked < SECONDS_OF_SILENCE)
        return;
    t->talked = now;
    bar_left(left, sizeof left, seconds);
    if (seconds >= 0.0)
        snprintf(about, sizeof about, ", about %s", left);
    session_talk(t->s, "tuning: %.0f of at most %.0f fits done%s", progress->done, progress->total,
                 about);
}

static int watch(void *user, const spd_progress *progress)
{
    tuning_watch *t = user;
    int over = progress->done >= progress->total;
    if (strcmp(progress->task, "tuning") != 0 || over)
        t->pace.began = 0.0;
    else if (progress->total > 1.0)
        tell(t, progress);
    return bar_progress(&t->s->bar, progress);
}

void tuning_open(tuning_watch *t, session *s)
{
    *t = (tuning_watch){.s = s, .rounds = 1};
    spd_context_set_progress(s->ctx, watch, t);
}

void tuning_close(tuning_watch *t)
{
    spd_context_set_progress(t->s->ctx, bar_progress, &t->s->bar);
}

double tuning_run(session *s, spd_method *method, const spd_samples *samples,
                  const spd_tune_options *tuning, const char *source, spd_tune_info *tuned,
                  spd_league **league)
{
    double start = bar_clock();
    tuning_watch watch;
    tuning_open(&watch, s);
    spd_status status = method->automatic
                            ? spd_tune_auto(s->ctx, method, samples, tuning, tuned, league)
                            : spd_tune(s->ctx, method, samples, tuning, tuned);
    tuning_close(&watch);
    session_check_in(s, source, status);
    keep_league(*league);
    session_talk(s, "chose among %zu settings", tuned->settings);
    return bar_clock() - start;
}
