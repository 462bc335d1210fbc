/* parallel.c - OpenMP loop over chunks with progress, cancellation and ordered failure. */
#include "engine/parallel.h"

#include <omp.h>
#include <stdatomic.h>

/* Present in OpenBLAS, absent in other BLAS libraries: hence weak. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

#define SECONDS_BETWEEN_REPORTS 0.1

typedef struct loop {
    spd_context *ctx;
    size_t chunks;
    parallel_body body;
    void *user;
    const char *task, *unit;
    double total;
    atomic_size_t next, done, failed;
    atomic_int cancelled;
    spd_status status; /* of chunk `failed`; guarded by the critical section */
} loop;

int parallel_threads(const spd_context *ctx)
{
    int threads = ctx ? ctx->threads : 0;
    return threads > 0 ? threads : omp_get_num_procs();
}

static void note_failure(loop *l, size_t chunk, spd_status status)
{
#pragma omp critical(spd_parallel_failure)
    if (chunk < atomic_load(&l->failed)) {
        atomic_store(&l->failed, chunk);
        l->status = status;
    }
}

static void report(loop *l, double *last)
{
    double now = omp_get_wtime();
    if (now - *last < SECONDS_BETWEEN_REPORTS)
        return;
    *last = now;
    double share = (double)atomic_load(&l->done) / (double)l->chunks;
    if (ctx_progress(l->ctx, l->task, l->unit, share * l->total, l->total))
        atomic_store(&l->cancelled, 1);
}

/* Chunks are handed out in order, so every chunk below a failed one has been started. */
static void work(loop *l, int thread)
{
    double last = omp_get_wtime();
    while (!atomic_load(&l->cancelled)) {
        size_t chunk = atomic_fetch_add(&l->next, 1);
        if (chunk >= l->chunks || chunk > atomic_load(&l->failed))
            break;
        spd_status status = l->body(l->user, chunk, thread);
        if (status < 0)
            note_failure(l, chunk, status);
        atomic_fetch_add(&l->done, 1);
        if (thread == 0 && l->task)
            report(l, &last);
    }
}

int parallel_hold_blas(void)
{
    int threads = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (threads != 1)
        openblas_set_num_threads(1);
    return threads;
}

void parallel_release_blas(int threads)
{
    if (threads != 1)
        openblas_set_num_threads(threads);
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
              .failed = SIZE_MAX};
    int threads = parallel_threads(ctx);
    if ((size_t)threads > chunks)
        threads = chunks ? (int)chunks : 1;
    int blas_threads = parallel_hold_blas();
#pragma omp parallel num_threads(threads)
    work(&l, omp_get_thread_num());
    parallel_release_blas(blas_threads);
    if (failed)
        *failed = l.failed;
    if (l.cancelled)
        return ctx_fail(ctx, SPD_ECANCELLED, "%s cancelled", task);
    return l.failed == SIZE_MAX ? SPD_OK : l.status;
}
