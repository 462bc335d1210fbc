/* bar.c - rate and time left from the progress callback. */
#define _DEFAULT_SOURCE /* TIOCGWINSZ */

#include "cli/frame/bar.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/frame/signals.h"

#define SECONDS_BEFORE_BAR 1.0
#define SECONDS_BETWEEN    0.05
#define SECONDS_TO_SEE     3.0  /* and */
#define SHARE_TO_SEE       0.05 /* before a rate is trusted: what comes first may be slow */
#define WEIGHT_OF_OLD      0.3  /* of the end that was foreseen, in the next */
#define BAR_CELLS          20
#define CELLS_IN_WHOLE     10
#define ROOM_FOR_CELLS     100   /* columns, for a part of the whole */
#define FEW                10000 /* units are counted one by one */
#define USUAL_WIDTH        80
#define LINE               400
#define LIMITED            "learning" /* its total is a limit that it seldom reaches */

double bar_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bar_open(bar *b, int allowed)
{
    *b = (bar){.allowed = allowed && isatty(STDERR_FILENO)};
}

void bar_clear(bar *b)
{
    if (b->shown)
        fputs("\r\033[K", stderr);
    b->shown = 0;
}

void bar_time(char *text, size_t size, double seconds)
{
    long whole = (long)(seconds < 360000 ? seconds + 0.5 : 0);
    if (seconds >= 360000)
        snprintf(text, size, "%.0f days", seconds / 86400);
    else if (whole < 3600)
        snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
    else
        snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

void bar_left(char *text, size_t size, double seconds)
{
    char time[30];
    bar_time(time, sizeof time, seconds);
    snprintf(text, size, "%s left", time);
}

/* ---- how long it takes ----------------------------------------------------------------------- */

double bar_pace_left(bar_pace *pace, double share)
{
    double now = bar_clock(), elapsed = now - pace->began;
    if (share > pace->share && share >= SHARE_TO_SEE && elapsed >= SECONDS_TO_SEE) {
        double ends = now + elapsed * (1.0 - share) / share;
        pace->ends =
            pace->ends > now ? WEIGHT_OF_OLD * pace->ends + (1.0 - WEIGHT_OF_OLD) * ends : ends;
    }
    pace->share = share > pace->share ? share : pace->share;
    return pace->ends > now ? pace->ends - now : -1.0;
}

/* Columns of a line on the terminal. */
static int width(void)
{
    struct winsize size = {0};
    int known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return (known ? size.ws_col : USUAL_WIDTH) - 1;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* text <- "5990", "1.2 million" */
static void count_words(char *text, size_t size, double count)
{
    if (count >= 1e6)
        snprintf(text, size, "%.*f million", count < 1e7 ? 2 : count < 1e8 ? 1 : 0, 1e-6 * count);
    else
        snprintf(text, size, "%.*f", count < 10 ? 1 : 0, count);
}

static double share_of(const spd_progress *progress)
{
    double share = progress->total > 0 ? progress->done / progress->total : 0;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* text <- how much is done: "8 of 19 fits", or how fast: "5990 pairs/s" */
static void amount(char *text, size_t size, const spd_progress *progress, double seconds)
{
    char done[40], rate[40];
    count_words(rate, sizeof rate, seconds > 0 ? progress->done / seconds : 0);
    if (strcmp(progress->task, LIMITED) == 0)
        snprintf(text, size, "iteration %.0f, at most %.0f", progress->done, progress->total);
    else if (progress->total >= FEW)
        snprintf(text, size, "%s %s/s", rate, progress->unit);
    else if (progress->total > 0)
        snprintf(text, size, "%.0f of %.0f %s", progress->done, progress->total, progress->unit);
    else {
        count_words(done, sizeof done, progress->done);
        snprintf(text, size, "%s %s", done, progress->unit);
    }
}

/* text <- "[####------]", or nothing when the end is not known */
static void cells_of(char *text, const spd_progress *progress, int cells)
{
    int full = (int)(share_of(progress) * cells);
    text[0] = '\0';
    if (progress->total <= 0 || strcmp(progress->task, LIMITED) == 0)
        return;
    *text++ = '[';
    for (int i = 0; i < cells; i++)
        *text++ = i < full ? '#' : '-';
    *text++ = ']';
    *text = '\0';
}

/* line <- of a task that is a part of nothing larger. */
static void format_alone(bar *b, char *line, size_t size, const spd_progress *progress)
{
    char cells[BAR_CELLS + 3], left[40] = "", done[120], percent[20] = "";
    double seconds = bar_pace_left(&b->pace, share_of(progress));
    cells_of(cells, progress, BAR_CELLS);
    amount(done, sizeof done, progress, bar_clock() - b->pace.began);
    if (cells[0])
        snprintf(percent, sizeof percent, " %3.0f %%  ", 100 * share_of(progress));
    if (cells[0] && seconds >= 0)
        bar_left(left, sizeof left, seconds);
    snprintf(line, size, "%s  %s%s%s  %s", progress->task, cells, percent, done, left);
}

/* line <- of a part of the whole; progress NULL: none is at hand. The time left is that of the
 * whole, or else that of the part. */
static void format_part(bar *b, char *line, size_t size, const spd_progress *progress)
{
    char cells[CELLS_IN_WHOLE + 4] = "", left[60] = "", time[40], done[120] = "";
    const char *task = progress ? progress->task : "";
    double now = bar_clock();
    double part = progress ? bar_pace_left(&b->pace, share_of(progress)) : -1.0;
    if (progress && width() >= ROOM_FOR_CELLS)
        cells_of(cells, progress, CELLS_IN_WHOLE);
    else if (progress && progress->total >= FEW)
        snprintf(cells, sizeof cells, "%.0f %%", 100 * share_of(progress));
    if (progress)
        amount(done, sizeof done, progress, now - b->pace.began);
    if (b->ends > now) {
        bar_left(time, sizeof time, b->ends - now);
        snprintf(left, sizeof left, "  %s in all", time);
    } else if (progress && part >= 0 && progress->total > 0 && strcmp(task, LIMITED) != 0) {
        bar_left(time, sizeof time, part);
        snprintf(left, sizeof left, ", %s", time);
    }
    snprintf(line, size, "%s  %s %s%s%s%s%s%s", b->whole, task, cells, cells[0] ? " " : "", done,
             left, b->last[0] ? "  " : "", b->last);
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* Notes a new task; is it time to draw? */
static int is_due(bar *b, const char *task)
{
    double now = bar_clock();
    if (strncmp(b->task, task, sizeof b->task - 1) != 0) {
        snprintf(b->task, sizeof b->task, "%s", task);
        b->pace = (bar_pace){.began = now};
    }
    double since = b->whole[0] ? b->since : b->pace.began;
    return b->allowed && now - since >= SECONDS_BEFORE_BAR && now - b->drawn >= SECONDS_BETWEEN;
}

static void draw(bar *b, const char *line)
{
    fprintf(stderr, "\r%.*s\033[K", width(), line);
    b->shown = 1;
    b->drawn = bar_clock();
}

/* A task that is over is not shown any longer; the whole is. */
static void end_task(bar *b)
{
    char line[LINE];
    b->task[0] = '\0';
    if (b->shown && b->whole[0]) {
        format_part(b, line, sizeof line, NULL);
        draw(b, line);
    } else
        bar_clear(b);
}

void bar_note(bar *b, const char *task, const char *line)
{
    snprintf(b->noted, sizeof b->noted, "%s", task);
    if (is_due(b, task))
        draw(b, line);
}

void bar_whole(bar *b, const char *whole, const char *last, double ends)
{
    if (!b->whole[0]) {
        b->since = bar_clock();
        b->last[0] = '\0';
    }
    snprintf(b->whole, sizeof b->whole, "%s", whole ? whole : "");
    if (last)
        snprintf(b->last, sizeof b->last, "%s", last);
    b->ends = ends;
    end_task(b);
}

int bar_progress(void *user, const spd_progress *progress)
{
    bar *b = user;
    char line[LINE];
    if (progress->total > 0 && progress->done >= progress->total) {
        if (strcmp(b->task, progress->task) == 0)
            end_task(b);
    } else if (is_due(b, progress->task) && strcmp(b->task, b->noted) != 0) {
        if (b->whole[0])
            format_part(b, line, sizeof line, progress);
        else
            format_alone(b, line, sizeof line, progress);
        draw(b, line);
    }
    return signals_interrupted();
}
