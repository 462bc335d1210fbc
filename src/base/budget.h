/* budget.h - memory that threads share: who wants a part of it waits until there is as much left.
 *
 * One who wants more than all of it gets it alone. So a thread must not wait while it holds a part:
 * two of them would wait for each other. */
#ifndef SPD_BASE_BUDGET_H
#define SPD_BASE_BUDGET_H

#include <pthread.h>
#include <stddef.h>

typedef struct budget {
    pthread_mutex_t lock;
    pthread_cond_t given;
    size_t total, taken; /* in any unit */
} budget;

void budget_begin(budget *b, size_t total);
void budget_end(budget *b);

/* Takes a part, after a while; zero when the work of this thread is no longer wanted (stop.h). */
int budget_take(budget *b, size_t part);
void budget_give(budget *b, size_t part);

#endif
