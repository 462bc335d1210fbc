/* test_context_fork.c - contexts in a process that was forked. */
#include "random_spd.h"
#include "test.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "run/parallel.h"

/* Two chunks that wait for each other; each has seen the other unless ten seconds are over. */
typedef struct meeting {
    atomic_int there, met;
} meeting;

static spd_status meet(void *user, size_t chunk, int thread)
{
    meeting *m = user;
    double until = clock_seconds() + 10.0;
    (void)chunk;
    (void)thread;
    atomic_fetch_add(&m->there, 1);
    while (atomic_load(&m->there) < 2 && clock_seconds() < until)
        ;
    if (atomic_load(&m->there) == 2)
        atomic_fetch_add(&m->met, 1);
    return SPD_OK;
}

/* What a forked child does with a context whose workers are the parent's: it goes on, or ends it.
 */
static int use_inherited(spd_context *ctx, int goes_on)
{
    meeting m = {0};
    alarm(60); /* that it would wait for ever without */
    if (goes_on && parallel_for(ctx, 2, meet, &m, NULL, NULL, 0.0, NULL) != SPD_OK)
        return 1;
    spd_context_free(ctx);
    return goes_on && m.met != 2 ? 2 : 0;
}

/* A context serves any thread; that of another thread is as the child's own, once that is idle. */
TEST(forked_children)
{
#ifndef __SANITIZE_THREAD__ /* which ends children that start threads */
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        spd_context *ctx = context_on(2);
        meeting m = {0};
        parallel_for(ctx, 2, meet, &m, NULL, NULL, 0.0, NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(use_inherited(ctx, goes_on));
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child, "no process");
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "goes on %d: status %d", goes_on,
              status);
        m = (meeting){0};
        parallel_for(ctx, 2, meet, &m, NULL, NULL, 0.0, NULL);
        CHECK(m.met == 2, "the parent has lost its workers");
    }
#endif
}
