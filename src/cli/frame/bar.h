/* bar.h - the progress bar: on a terminal, once a task has taken two seconds, gone at its end.
 *
 *   distances  [############--------]  61 %  1.2e+06 pairs/s  0:03 left
 *   tuning  [######--------------]  31 %  26 of 84 fits  0:41 left */
#ifndef SPD_CLI_FRAME_BAR_H
#define SPD_CLI_FRAME_BAR_H

#include <stddef.h>

#include "spdml.h"

typedef struct bar {
    int allowed;    /* stderr is a terminal and talk is wanted */
    int shown;      /* there is a bar on the screen */
    char task[40];  /* what is timed now */
    double start;   /* seconds, when the task was first seen */
    char noted[40]; /* the task whose lines come through bar_note alone */
    double drawn;   /* seconds, when the screen was last written to */
} bar;

void bar_open(bar *b, int allowed);

/* Takes the bar off the screen, so that something else can be written. */
void bar_clear(bar *b);

/* A spd_progress_fn: user is the bar. Non-zero after Ctrl-C. */
int bar_progress(void *user, const spd_progress *progress);

/* Shows a line of its own making for a task, under the same rules. */
void bar_note(bar *b, const char *task, const char *line);

/* text <- "1:05", and "1:05 left" */
void bar_time(char *text, size_t size, double seconds);
void bar_left(char *text, size_t size, double seconds);

/* Seconds on a clock that only moves forward. */
double bar_clock(void);

#endif
