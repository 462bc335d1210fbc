/* test_callers.c - several threads that call the library at once, each with a context of its own:
 * the hold on BLAS's threads counts its holders, and every caller gets the bits that it gets alone.
 * Matrices are large enough for LAPACK. Where BLAS is not OpenBLAS there is nothing to hold. */
#include "run/blas.h"
#include "run/parallel.h"
#include "random_spd.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

enum { BLAS_THREADS = 3, CALLERS = 8, CALLS = 6, N = 200, P = 3 };

static int blas_threads(void)
{
    return openblas_get_num_threads ? openblas_get_num_threads() : 1;
}

/* What BLAS has when it is not held: one where it cannot have more. */
static int ask_for_threads(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(BLAS_THREADS);
    return blas_threads();
}

typedef struct second_holder {
    pthread_barrier_t step;
    int alone, after; /* BLAS's threads while this one holds alone, and after it has let go */
} second_holder;

static void *hold_second(void *user)
{
    second_holder *h = user;
    pthread_barrier_wait(&h->step); /* the first holds */
    spd_private_blas_hold();
    pthread_barrier_wait(&h->step); /* both hold */
    pthread_barrier_wait(&h->step); /* the first has let go */
    h->alone = blas_threads();
    spd_private_blas_release();
    h->after = blas_threads();
    return NULL;
}

/* The one that began lets go first: a saved count of one's own would free BLAS too early, and then
 * leave it at one thread for good. */
TEST(two_holders_overlap)
{
    int free_threads = ask_for_threads();
    second_holder h = {.alone = 0};
    pthread_t other;
    pthread_barrier_init(&h.step, NULL, 2);
    CHECK(pthread_create(&other, NULL, hold_second, &h) == 0, " ");
    spd_private_blas_hold();
    CHECK(blas_threads() == 1, "%d", blas_threads());
    pthread_barrier_wait(&h.step);
    pthread_barrier_wait(&h.step);
    spd_private_blas_release();
    pthread_barrier_wait(&h.step);
    pthread_join(other, NULL);
    CHECK(h.alone == 1, "%d threads while one still holds", h.alone);
    CHECK(h.after == free_threads, "%d threads after the last, %d before", h.after, free_threads);
    pthread_barrier_destroy(&h.step);
}

TEST(holds_nest)
{
    int free_threads = ask_for_threads();
    spd_private_blas_hold();
    spd_private_blas_hold();
    spd_private_blas_release();
    CHECK(blas_threads() == 1, "%d", blas_threads());
    spd_private_blas_release();
    CHECK(blas_threads() == free_threads, "%d", blas_threads());
}

typedef struct caller {
    int number;
    const double *X, *lambda, *V, *M; /* the set, and what one caller alone gets from it */
    atomic_int *failed, *differ;
} caller;

static void results(spd_context *ctx, const double *X, double *lambda, double *V, double *M,
                    atomic_int *failed)
{
    if (spd_eigh(ctx, SPD_SET(N, P, X), lambda, V) != SPD_OK ||
        spd_mean(ctx, SPD_METRIC_JEFFREY, SPD_SET(N, P, X), NULL, M, NULL) != SPD_OK)
        atomic_fetch_add(failed, 1);
}

static void *call_often(void *user)
{
    SCOPE;
    const caller *c = user;
    double *lambda = block(P * N), *V = block(P * N * N), *M = block(N * N);
    spd_context *ctx = context_on(1 + c->number % 3);
    for (int i = 0; i < CALLS; i++) {
        results(ctx, c->X, lambda, V, M, c->failed);
        if (memcmp(lambda, c->lambda, P * N * sizeof *V) ||
            memcmp(V, c->V, P * N * N * sizeof *V) || memcmp(M, c->M, N * N * sizeof *M))
            atomic_fetch_add(c->differ, 1);
    }
    return NULL;
}

TEST(callers_get_the_same_bits)
{
    int free_threads = ask_for_threads();
    atomic_int failed = 0, differ = 0;
    rng r = seeded(1);
    double *X = random_set(&r, N, P, 100.0);
    double *lambda = block(P * N), *V = block(P * N * N), *M = block(N * N);
    results(NULL, X, lambda, V, M, &failed);
    pthread_t thread[CALLERS];
    caller c[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        c[i] = (caller){i, X, lambda, V, M, &failed, &differ};
        CHECK(pthread_create(&thread[i], NULL, call_often, &c[i]) == 0, " ");
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(thread[i], NULL);
    CHECK(failed == 0, "%d calls failed", (int)failed);
    CHECK(differ == 0, "%d of %d results differ", (int)differ, CALLERS * CALLS);
    CHECK(blas_threads() == free_threads, "%d threads after, %d before", blas_threads(),
          free_threads);
}
