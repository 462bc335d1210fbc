/* bar.c - rate and time left from the progress callback. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/bar.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/frame/signals.h"

#define SECONDS_BEFORE_BAR 2.0
#define SECONDS_BETWEEN    0.05
#define BAR_CELLS          20
#define FEW                10000 /* units are counted one by one */

double bar_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bar_open(bar *b, int allowed)
{
    *b = (bar){.allowed = allowed && isatty(STDERR_FILENO), .start = bar_clock()};
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

/* line <- the text of the bar after `seconds` of work. */
static void format(char *line, size_t size, const spd_progress *progress, double seconds)
{
    double rate = seconds > 0 ? progress->done / seconds : 0;
    if (progress->total <= 0) {
        snprintf(line, size, "%s  %.6g %s  %.3g %s/s", progress->task, progress->done,
                 progress->unit, rate, progress->unit);
        return;
    }
    double share = progress->done / progress->total;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    char cells[BAR_CELLS + 1], left[40] = "", pace[60];
    int full = (int)(share * BAR_CELLS);
    memset(cells, '-', BAR_CELLS);
    memset(cells, '#', (size_t)full);
    cells[BAR_CELLS] = '\0';
    if (rate > 0)
        bar_left(left, sizeof left, (progress->total - progress->done) / rate);
    if (progress->total < FEW)
        snprintf(pace, sizeof pace, "%.0f of %.0f %s", progress->done, progress->total,
                 progress->unit);
    else
        snprintf(pace, sizeof pace, "%.3g %s/s", rate, progress->unit);
    snprintf(line, size, "%s  [%s] %3.0f %%  %s  %s", progress->task, cells, 100 * share, pace,
             left);
}

/* Notes a new task; is it time to draw? */
static int is_due(bar *b, const char *task)
{
    double now = bar_clock();
    if (strncmp(b->task, task, sizeof b->task - 1) != 0) {
        snprintf(b->task, sizeof b->task, "%s", task);
        b->start = now;
    }
    return b->allowed && now - b->start >= SECONDS_BEFORE_BAR && now - b->drawn >= SECONDS_BETWEEN;
}

static void draw(bar *b, const char *line)
{
    fprintf(stderr, "\r%.79s\033[K", line);
    b->shown = 1;
    b->drawn = bar_clock();
}

void bar_note(bar *b, const char *task, const char *line)
{
    snprintf(b->noted, sizeof b->noted, "%s", task);
    if (is_due(b, task))
        draw(b, line);
}

int bar_progress(void *user, const spd_progress *progress)
{
    bar *b = user;
    if (is_due(b, progress->task) && strcmp(b->task, b->noted) != 0) {
        char line[160];
        format(line, sizeof line, progress, bar_clock() - b->start);
        draw(b, line);
    }
    return signals_interrupted();
}
