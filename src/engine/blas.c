/* blas.c - the hold on OpenBLAS's threads. Its state belongs to the process, so it stands in
 * libspdml alone, and libspdml-data calls it there. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/blas.h"

/* Present in OpenBLAS, absent in other BLAS libraries: hence weak. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

/* The number of BLAS's threads belongs to the process, so its holders are counted there: the first
 * saves it, the last gives it back. */
static struct {
    pthread_mutex_t lock;
    size_t holders;
    int threads; /* what BLAS had before the first holder */
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER, .threads = 1};

void spd_private_blas_hold(void)
{
    pthread_mutex_lock(&blas.lock);
    if (blas.holders++ == 0) {
        blas.threads = openblas_get_num_threads ? openblas_get_num_threads() : 1;
        if (blas.threads != 1)
            openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&blas.lock);
}

void spd_private_blas_release(void)
{
    pthread_mutex_lock(&blas.lock);
    if (--blas.holders == 0 && blas.threads != 1)
        openblas_set_num_threads(blas.threads);
    pthread_mutex_unlock(&blas.lock);
}

/* OpenBLAS puts the text together in memory of its own, anew each time. */
void blas_describe(char *text, size_t room)
{
    pthread_mutex_lock(&blas.lock);
    snprintf(text, room, "%s", openblas_get_config ? openblas_get_config() : "");
    pthread_mutex_unlock(&blas.lock);
}
