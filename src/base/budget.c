/* budget.c - a lock that counts. */
#include "base/budget.h"

#include <time.h>

#include "base/stop.h"

#define PAUSE 50000000 /* nanoseconds between two questions whether to go on waiting */

void budget_begin(budget *b, size_t total)
{
    *b = (budget){.total = total};
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->given, NULL);
}

void budget_end(budget *b)
{
    pthread_cond_destroy(&b->given);
    pthread_mutex_destroy(&b->lock);
}

/* Waits for a part to be given back, a moment at most. */
static void pause_for(budget *b)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PAUSE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&b->given, &b->lock, &until);
}

int budget_take(budget *b, size_t part)
{
    int wanted = 1;
    pthread_mutex_lock(&b->lock);
    while (wanted && b->taken > 0 && (b->taken > b->total || part > b->total - b->taken)) {
        pause_for(b);
        pthread_mutex_unlock(&b->lock); /* a callback may take its time */
        wanted = !stop_wanted();
        pthread_mutex_lock(&b->lock);
    }
    b->taken += wanted ? part : 0;
    pthread_mutex_unlock(&b->lock);
    return wanted;
}

void budget_give(budget *b, size_t part)
{
    pthread_mutex_lock(&b->lock);
    b->taken -= part;
    pthread_cond_broadcast(&b->given);
    pthread_mutex_unlock(&b->lock);
}
