/* fit_watch.c - the progress line, checkpoints, and an ear for Ctrl-C. */
#define _POSIX_C_SOURCE 200809L

#include "cli/commands/fit_watch.h"

#include <stdio.h>
#include <time.h>

#include "cli/frame/signals.h"

#define TASK     "learning" /* as the library calls it */
#define PATIENCE 10.0       /* seconds that an iteration may go on after Ctrl-C */

/* With a checkpoint, an iteration that has begun goes on to its end after Ctrl-C, so that the
 * checkpoint is of the same one as the model; not one that takes long. */
static int hear(void *user, const spd_progress *progress)
{
    fit_watch *w = user;
    double now = bar_clock();
    int stop = bar_progress(&w->s->bar, progress);
    if (!stop || !w->begun)
        return stop;
    if (w->asked == 0.0)
        w->asked = now;
    return now - w->asked > PATIENCE;
}

void fit_watch_open(fit_watch *w, session *s, const spd_fit_options *options,
                    const char *checkpoint, double every)
{
    *w = (fit_watch){.s = s,
                     .checkpoint = checkpoint,
                     .every = every,
                     .max_iter = options->max_iter,
                     .max_time = options->max_time,
                     .sent = SPD_STRUCT(spd_ranks)};
    w->ctx = spd_context_new();
    if (!w->ctx)
        cli_out_of_memory("a context");
    if (checkpoint)
        spd_context_set_progress(s->ctx, hear, w);
}

static double processor_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What an iteration took, and what this process has sent to others in it. */
static void tell_effort(const fit_watch *w)
{
    spd_ranks now = SPD_STRUCT(spd_ranks);
    double iterations = w->last - w->first, busy = processor_seconds() - w->busy;
    spd_ranks_info(w->s->ctx, &now);
    if (iterations > 0)
        session_talk(w->s, "%.4g s of processor time per iteration", busy / iterations);
    if (w->s->ranks > 1 && iterations > 0)
        session_talk(w->s,
                     "sent %.4g MB in %.0f messages per iteration and process, %.4g s of that time",
                     1e-6 * (now.bytes - w->sent.bytes) / iterations,
                     (now.messages - w->sent.messages) / iterations,
                     (now.seconds - w->sent.seconds) / iterations);
}

void fit_watch_close(fit_watch *w)
{
    spd_context_set_progress(w->s->ctx, bar_progress, &w->s->bar);
    bar_clear(&w->s->bar);
    tell_effort(w);
    spd_context_free(w->ctx);
    w->ctx = NULL;
}

int fit_watch_after(void *user, const spd_fit_state *state, const spd_fit_step *last, int iteration)
{
    fit_watch *w = user;
    double now = bar_clock();
    int ending = spd_ranks_any(w->s->ctx, signals_interrupted());
    if (!w->begun || iteration < w->first) { /* the first iteration of a start */
        w->start = now;
        w->first = iteration;
        w->begun = 1;
        spd_ranks_info(w->s->ctx, &w->sent);
        w->busy = processor_seconds();
    }
    /* At the start, when it is time, and before the fit ends by what is known here. */
    if (w->checkpoint &&
        (iteration == 0 || now - w->written >= w->every || iteration >= w->max_iter || ending)) {
        spd_status status = spd_fit_state_save(w->ctx, state, w->checkpoint);
        w->written = bar_clock();
        if (status == SPD_OK)
            session_talk(w->s, "wrote %s at iteration %d", w->checkpoint, iteration);
        else if (!w->failed)
            session_remark(w->s, "%s; the fit continues without it", advice_last(w->ctx).text);
        w->failed = status < 0;
    }
    /* When it converges is not known: the only time left that can be told is that of --max-time. */
    char line[200], left[40] = "";
    if (w->max_time > last->seconds)
        bar_left(left, sizeof left, w->max_time - last->seconds);
    snprintf(line, sizeof line, TASK "  iteration %d, at most %d  cost %.8g  gradient %.1e%s%s",
             iteration, w->max_iter, last->cost, last->gradient_norm, left[0] ? "  at most " : "",
             left);
    bar_note(&w->s->bar, TASK, line);
    w->last = iteration;
    return ending;
}
