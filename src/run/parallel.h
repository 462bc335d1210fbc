/* parallel.h - the only room that knows threads.
 *
 * Work is cut into chunks whose number does not depend on the number of threads, and every chunk
 * writes its own outputs: results are the same bits for any number of threads. While it runs,
 * BLAS is held to one thread. */
#ifndef SPD_RUN_PARALLEL_H
#define SPD_RUN_PARALLEL_H

#include "base/context.h"

/* Does chunk number `chunk`; `thread` (0 .. parallel_threads-1) picks scratch. It must not touch
 * the context: it reports faults through what user points to. One that takes long asks
 * (base/stop.h) whether to go on, and returns anything where not. */
typedef spd_status (*parallel_body)(void *user, size_t chunk, int thread);

/* Threads that parallel_for will use at most: scratch is allocated for so many. */
int parallel_threads(const spd_context *ctx);

/* Runs body for chunks 0 .. chunks-1. Returns the status of the lowest chunk that failed (< 0),
 * with its number in *failed (may be NULL), SPD_ECANCELLED with a message when the callback asked
 * to stop, else SPD_OK. task, unit and total describe progress; total is in units, spread evenly
 * over chunks; task NULL: what was told before is told again. */
spd_status parallel_for(spd_context *ctx, size_t chunks, parallel_body body, void *user,
                        const char *task, const char *unit, double total, size_t *failed);

/* The same for the chunks of this rank alone (ranks_first); *failed counts all chunks. The caller
 * makes its message, agrees with the other ranks (ranks_settle) and exchanges the results. */
spd_status parallel_split(spd_context *ctx, size_t chunks, parallel_body body, void *user,
                          const char *task, const char *unit, double total, size_t *failed);

#endif
