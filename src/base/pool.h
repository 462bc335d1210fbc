/* pool.h - the worker threads of a context.
 *
 * A job is a function that takes work until there is none left. The caller works too, and at the
 * end waits only for workers that are in the middle of something: one that the system has not
 * woken yet is not waited for. On a busy machine a loop thus never takes longer than on one
 * thread, which OpenMP's barriers do not promise. */
#ifndef SPD_BASE_POOL_H
#define SPD_BASE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define POOL_WORKERS 255 /* at most, beside the caller */

typedef void (*pool_job)(void *user, int thread);

typedef struct worker_pool worker_pool;

typedef struct pool_worker {
    worker_pool *home;
    int thread; /* 1, 2, ... */
    pthread_t id;
} pool_worker;

struct worker_pool {
    int workers;   /* running; 0: the pool is asleep and holds nothing */
    pid_t process; /* that they run in: a forked child has none of them */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pool_job job; /* NULL: none, or no longer open to newcomers */
    void *user;
    int busy; /* workers inside the job */
    int stop;
    atomic_uint turn; /* counts jobs, so that a worker can look without the lock */
    pool_worker worker[POOL_WORKERS];
};

/* Runs job(user, t) on the caller (t = 0) and on up to threads - 1 workers (t = 1 ...), which are
 * started when they are not there. p is all zeros before the first call. */
void pool_run(worker_pool *p, int threads, pool_job job, void *user);

/* Ends the workers; p is then as before the first call. */
void pool_end(worker_pool *p);

#endif
