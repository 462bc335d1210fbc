/* pool.c - worker threads: woken for a job, spinning a moment before they sleep. */
#include "base/pool.h"

#include "base/clock.h"

/* How long a worker looks for the next job before it sleeps, and the caller for the last worker
 * before it does. Loops follow each other within less; waking a sleeper costs about as much. */
#define SPIN_SECONDS 40e-6

/* Looks at *turn until it is no longer `seen`, for a moment only. */
static void spin(const atomic_uint *turn, unsigned seen)
{
    double end = clock_seconds() + SPIN_SECONDS;
    while (atomic_load_explicit(turn, memory_order_acquire) == seen && clock_seconds() < end)
        for (int i = 0; i < 64; i++)
            atomic_signal_fence(memory_order_seq_cst);
}

/* Takes part in the job that is open, if there is one. Called and left with the lock held. */
static void take_part(worker_pool *p, int thread)
{
    pool_job job = p->job;
    void *user = p->user;
    if (!job)
        return;
    p->busy++;
    pthread_mutex_unlock(&p->lock);
    job(user, thread);
    pthread_mutex_lock(&p->lock);
    if (--p->busy == 0)
        pthread_cond_signal(&p->done);
}

static void *worker_main(void *user)
{
    pool_worker *w = user;
    worker_pool *p = w->home;
    unsigned seen = 0;
    for (;;) {
        spin(&p->turn, seen);
        pthread_mutex_lock(&p->lock);
        while (!p->stop && atomic_load(&p->turn) == seen)
            pthread_cond_wait(&p->wake, &p->lock);
        seen = atomic_load(&p->turn);
        if (!p->stop)
            take_part(p, w->thread);
        int stop = p->stop;
        pthread_mutex_unlock(&p->lock);
        if (stop)
            return NULL;
    }
}

/* A child that was forked has this memory, but not the workers. Locks and conditions may be in any
 * state there, and to destroy them would be to wait for sleepers that do not exist. */
static void forget_inherited(worker_pool *p)
{
    if (p->workers > 0 && p->process != getpid())
        p->workers = 0;
}

/* Starts workers until there are `wanted`, or the system gives no more. */
static void start_workers(worker_pool *p, int wanted)
{
    if (p->workers == 0) {
        pthread_mutex_init(&p->lock, NULL);
        pthread_cond_init(&p->wake, NULL);
        pthread_cond_init(&p->done, NULL);
        p->job = NULL;
        p->busy = 0;
        p->stop = 0;
        p->process = getpid();
        atomic_store(&p->turn, 0);
    }
    while (p->workers < wanted) {
        pool_worker *w = &p->worker[p->workers];
        w->home = p;
        w->thread = p->workers + 1;
        if (pthread_create(&w->id, NULL, worker_main, w) != 0)
            break;
        p->workers++;
    }
}

static void open_job(worker_pool *p, pool_job job, void *user)
{
    pthread_mutex_lock(&p->lock);
    p->job = job;
    p->user = user;
    atomic_fetch_add(&p->turn, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

/* Lets nobody in any more and waits for those inside. */
static void close_job(worker_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->job = NULL;
    while (p->busy > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void pool_run(worker_pool *p, int threads, pool_job job, void *user)
{
    forget_inherited(p);
    int wanted = threads - 1 < POOL_WORKERS ? threads - 1 : POOL_WORKERS;
    if (wanted > 0 && p->workers != wanted) {
        pool_end(p);
        start_workers(p, wanted);
    }
    if (wanted <= 0 || p->workers == 0) {
        job(user, 0);
        return;
    }
    open_job(p, job, user);
    job(user, 0);
    close_job(p);
}

void pool_end(worker_pool *p)
{
    forget_inherited(p);
    if (p->workers == 0)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    atomic_fetch_add(&p->turn, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->workers; i++)
        pthread_join(p->worker[i].id, NULL);
    p->workers = 0;
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
}
