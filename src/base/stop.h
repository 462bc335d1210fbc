/* stop.h - long work asks now and then whether it is still wanted.
 *
 * Whoever runs work in a thread (run/parallel.c) says there whom to ask; kernels and loops ask
 * with stop_wanted, and leave when the answer is yes, with whatever they have: nobody looks at the
 * result of work that was stopped. Without anybody to ask the answer is no. */
#ifndef SPD_BASE_STOP_H
#define SPD_BASE_STOP_H

#include <stddef.h>

typedef struct stop_source {
    int (*ask)(void *user); /* NULL: nobody */
    void *user;
} stop_source;

/* Sets whom this thread asks from now on; returns whom it asked before. */
stop_source stop_swap(stop_source source);

/* Non-zero: leave. */
int stop_wanted(void);

/* Matrices from this size on are worth a question for each of their rows: what comes between two
 * of them takes less than 50 ms up to n = 1000. */
#define STOP_FROM 128

/* The question for kernels on n x n matrices. */
static inline int stop_within(size_t n)
{
    return n >= STOP_FROM && stop_wanted();
}

#endif
