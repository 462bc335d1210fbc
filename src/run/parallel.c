/* parallel.c - a loop over chunks on the context's workers, with progress, cancellation and
 * ordered failure. */
#include "run/parallel.h"

#include "base/limits.h"
#include "base/stop.h"
#include "run/blas.h"

typedef struct loop {
    spd_context *ctx;
    size_t chunks;
    parallel_body body;
    void *user;
    const char *task, *unit;
    double total;
    stop_source outer; /* whom the calling thread asks: the loop that this one is in */
    atomic_size_t next, done, failed;
    atomic_int cancelled;
    pthread_mutex_t lock;
    spd_status status; /* of chunk `failed`; guarded by the lock */
} loop;

int parallel_threads(const spd_context *ctx)
{
    return ctx_threads(ctx);
}

int spd_context_threads(const spd_context *ctx)
{
    return parallel_threads(ctx);
}

static void note_failure(loop *l, size_t chunk, spd_status status)
{
    pthread_mutex_lock(&l->lock);
    if (chunk < atomic_load(&l->failed)) {
        atomic_store(&l->failed, chunk);
        l->status = status;
    }
    pthread_mutex_unlock(&l->lock);
}

/* Thread 0 tells the caller and hears whether to go on. A loop without a task repeats what was told
 * before; not among ranks, which would not all hear the same answer. */
static void report(loop *l)
{
    ranks_poll(l->ctx);
    double share = (double)atomic_load(&l->done) / (double)l->chunks;
    int stop = l->task            ? ctx_report(l->ctx, l->task, l->unit, share * l->total, l->total)
               : ranks_of(l->ctx) ? 0
                                  : ctx_report_again(l->ctx);
    if (stop || (l->outer.ask && l->outer.ask(l->outer.user)))
        atomic_store(&l->cancelled, 1);
}

/* What bodies and kernels are answered. */
static int asked(void *user)
{
    loop *l = user;
    return atomic_load(&l->cancelled);
}

static int asked_first(void *user)
{
    report(user);
    return asked(user);
}

/* Chunks are handed out in order, so every chunk below a failed one has been started. */
static void work(void *user, int thread)
{
    loop *l = user;
    const stop_source own = {thread == 0 ? asked_first : asked, l};
    const stop_source before = stop_swap(own);
    while (!atomic_load(&l->cancelled)) {
        size_t chunk = atomic_fetch_add(&l->next, 1);
        if (chunk >= l->chunks || chunk > atomic_load(&l->failed))
            break;
        spd_status status = l->body(l->user, chunk, thread);
        if (status < 0)
            note_failure(l, chunk, status);
        atomic_fetch_add(&l->done, 1);
        if (thread == 0)
            report(l);
    }
    stop_swap(before);
}

static spd_status no_buffer(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_ENOMEM,
                    "out of memory for BLAS, which needs %.2g GB of address space for each thread, "
                    "and %.2g GB are left; raise the limit of the process (ulimit -v)",
                    1e-9 * SPD_PRIVATE_BLAS_BUFFER, 1e-9 * limits_left());
}

static void run(loop *l, int threads)
{
    worker_pool own = {0};
    if (l->chunks > 1) {
        pool_run(l->ctx ? &l->ctx->workers : &own, threads, work, l);
        pool_end(&own);
    } else {
        work(l, 0);
    }
}

spd_status parallel_for(spd_context *ctx, size_t chunks, parallel_body body, void *user,
                        const char *task, const char *unit, double total, size_t *failed)
{
    loop l = {.ctx = ctx,
              .chunks = chunks,
              .body = body,
              .user = user,
              .task = task,
              .unit = unit,
              .total = total,
              .outer = stop_swap((stop_source){0}),
              .failed = SIZE_MAX,
              .lock = PTHREAD_MUTEX_INITIALIZER};
    int threads = spd_private_blas_reserve(chunks > 1 ? parallel_threads(ctx) : 1);
    if (threads) {
        run(&l, threads);
        spd_private_blas_return(threads);
    }
    stop_swap(l.outer);
    pthread_mutex_destroy(&l.lock);
    if (failed)
        *failed = l.failed;
    if (!threads)
        return no_buffer(ctx);
    int complete = !l.cancelled && l.failed == SIZE_MAX;
    if (l.cancelled || (complete && task && ctx_finish(ctx, task, total)))
        return ctx_fail(ctx, SPD_ECANCELLED, "%s cancelled", task ? task : "work");
    return l.failed == SIZE_MAX ? SPD_OK : l.status;
}

/* A loop whose chunks count from somewhere. */
typedef struct part {
    parallel_body body;
    void *user;
    size_t first;
} part;

static spd_status run_part(void *user, size_t chunk, int thread)
{
    const part *s = user;
    return s->body(s->user, s->first + chunk, thread);
}

spd_status parallel_split(spd_context *ctx, size_t chunks, parallel_body body, void *user,
                          const char *task, const char *unit, double total, size_t *failed)
{
    ranks *r = ranks_of(ctx);
    part s = {body, user, ranks_first(r, ranks_rank(r), chunks)};
    size_t own = ranks_first(r, ranks_rank(r) + 1, chunks) - s.first;
    double share = chunks ? (double)own / (double)chunks : 0.0;
    spd_status status = parallel_for(ctx, own, run_part, &s, task, unit, total * share, failed);
    if (failed && *failed != SIZE_MAX)
        *failed += s.first;
    return status;
}
