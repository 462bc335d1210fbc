/* bench.h - timing for the benchmarks: repeat, take the best, show the spread.
 *
 *   bench t = bench_start(0.2);
 *   while (bench_more(&t)) { work(); }
 *   printf("%.1f us, spread %.0f %%", t.best * 1e6, bench_spread(&t)); */
#ifndef SPD_BENCH_H
#define SPD_BENCH_H

#include <stdio.h>
#include <time.h>

#define BENCH_ROUNDS 64

typedef struct bench {
    double best, started, seconds, last;
    int rounds;
    double times[BENCH_ROUNDS]; /* ascending */
} bench;

__attribute__((unused)) static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rounds go on for so many seconds, at least 3 and at most 64 of them. */
__attribute__((unused)) static bench bench_start(double seconds)
{
    bench b = {.seconds = seconds};
    return b;
}

/* Ends the current round, if one runs, and says whether there shall be another. */
__attribute__((unused)) static int bench_more(bench *b)
{
    double now = bench_now();
    if (b->last > 0.0) {
        int at = b->rounds++;
        for (; at > 0 && b->times[at - 1] > now - b->last; at--)
            b->times[at] = b->times[at - 1];
        b->times[at] = now - b->last;
        b->best = b->times[0];
    } else {
        b->started = now;
    }
    if (b->rounds == BENCH_ROUNDS || (b->rounds >= 3 && now - b->started > b->seconds))
        return 0;
    b->last = bench_now();
    return 1;
}

/* How far the median round lies above the best, in per cent. */
__attribute__((unused)) static double bench_spread(const bench *b)
{
    return 100.0 * (b->times[b->rounds / 2] / b->best - 1.0);
}

#endif
