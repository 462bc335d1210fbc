/* blas.c - the hold on OpenBLAS's threads and memory. Its state belongs to the process, so it
 * stands in libspdml alone, and libspdml-data calls it there. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/limits.h"
#include "run/blas.h"

#define RESERVED 64 /* buffers at most where memory is limited */

/* Present in OpenBLAS, absent in other BLAS libraries: hence weak. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern void *blas_memory_alloc(int where) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* The number of BLAS's threads belongs to the process, so its holders are counted there: the first
 * saves it, the last gives it back. */
static struct {
    pthread_mutex_t lock;
    size_t holders;
    int threads; /* what BLAS had before the first holder */
    int ready;   /* buffers that are there, or cannot be refused */
    int callers; /* threads that may be within BLAS */
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER, .threads = 1};

static void hold(void)
{
    if (blas.holders++ == 0) {
        blas.threads = openblas_get_num_threads ? openblas_get_num_threads() : 1;
        if (blas.threads != 1)
            openblas_set_num_threads(1);
    }
}

static void release(void)
{
    if (--blas.holders == 0 && blas.threads != 1)
        openblas_set_num_threads(blas.threads);
}

void spd_private_blas_hold(void)
{
    pthread_mutex_lock(&blas.lock);
    hold();
    pthread_mutex_unlock(&blas.lock);
}

void spd_private_blas_release(void)
{
    pthread_mutex_lock(&blas.lock);
    release();
    pthread_mutex_unlock(&blas.lock);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static int could_map(size_t bytes)
{
    void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return 0;
    munmap(probe, bytes);
    return 1;
}

/* Lets OpenBLAS map buffers until it has `wanted`, all in use at once; returns how many it has. The
 * first is needed; a further one, for speed alone, may take a quarter of what is left. Given back,
 * they stay mapped. */
static int map_buffers(int wanted)
{
    void *buffer[RESERVED];
    int count = 0;
    while (count < wanted && count < RESERVED &&
           (count < blas.ready || could_map((count ? 4 : 1) * SPD_PRIVATE_BLAS_BUFFER)))
        buffer[count++] = blas_memory_alloc(0);
    for (int i = 0; i < count; i++)
        blas_memory_free(buffer[i]);
    return count;
}

int spd_private_blas_reserve(int threads)
{
    pthread_mutex_lock(&blas.lock);
    int wanted = blas.callers + threads;
    if (wanted > blas.ready) {
        int may_fail = blas_memory_alloc && blas_memory_free && limits_refuse();
        blas.ready = may_fail ? map_buffers(wanted) : wanted;
    }
    int granted = blas.ready - blas.callers;
    if (granted < 1)
        granted = blas.ready > 0; /* a loop within a loop: its caller has a buffer */
    granted = granted < threads ? granted : threads;
    blas.callers += granted;
    if (granted)
        hold();
    pthread_mutex_unlock(&blas.lock);
    return granted;
}

void spd_private_blas_return(int threads)
{
    pthread_mutex_lock(&blas.lock);
    blas.callers -= threads;
    release();
    pthread_mutex_unlock(&blas.lock);
}

/* OpenBLAS puts the text together in memory of its own, anew each time. */
void blas_describe(char *text, size_t room)
{
    pthread_mutex_lock(&blas.lock);
    snprintf(text, room, "%s", openblas_get_config ? openblas_get_config() : "");
    pthread_mutex_unlock(&blas.lock);
}
