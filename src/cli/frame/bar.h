/* bar.h - the progress bar: on a terminal, once the work has taken a second, gone at its end.
 *
 *   distances  [############--------]  61 %  1.2 million pairs/s  0:03 left
 *   round 2 of 10, rsr-ml  tuning [####------] 8 of 19 fits  3:20 left  nn-stein 96.3 % */
#ifndef SPD_CLI_FRAME_BAR_H
#define SPD_CLI_FRAME_BAR_H

#include <stddef.h>

#include "spdml.h"

/* How fast work is done. The time left is not told until enough is done to tell it, and grows only
 * when something is done that says so. */
typedef struct bar_pace {
    double began; /* seconds */
    double share; /* of the work, when it last changed */
    double ends;  /* seconds, when all will be done as far as that tells; 0: unknown */
} bar_pace;

typedef struct bar {
    int allowed;     /* stderr is a terminal and talk is wanted */
    int shown;       /* there is a bar on the screen */
    char task[40];   /* what is timed now; "": nothing */
    bar_pace pace;   /* of the task */
    char noted[40];  /* the task whose lines come through bar_note alone */
    double drawn;    /* seconds, when the screen was last written to */
    char whole[120]; /* what the task is a part of, "round 2 of 10, rsr-ml"; "": nothing */
    char last[60];   /* what came out of the part before, "nn-stein 96.3 %" */
    double since;    /* seconds, when the whole began */
    double ends;     /* seconds, when it will end; 0: unknown */
} bar;

void bar_open(bar *b, int allowed);

/* Takes the bar off the screen, so that something else can be written. */
void bar_clear(bar *b);

/* A spd_progress_fn: user is the bar. Non-zero after Ctrl-C. */
int bar_progress(void *user, const spd_progress *progress);

/* Shows a line of its own making for a task, under the same rules. */
void bar_note(bar *b, const char *task, const char *line);

/* From here on tasks are parts of a whole; NULL: no longer. last is what came before, or NULL to
 * leave it. ends: when the whole will end, by bar_clock; 0: unknown. */
void bar_whole(bar *b, const char *whole, const char *last, double ends);

/* Seconds left when `share` of the work is done; below 0: not known yet. */
double bar_pace_left(bar_pace *pace, double share);

/* text <- "1:05", and "1:05 left" */
void bar_time(char *text, size_t size, double seconds);
void bar_left(char *text, size_t size, double seconds);

/* Seconds on a clock that only moves forward. */
double bar_clock(void);

#endif
