/* cusolver.c - what the CUDA module asks of cuSOLVER, by LAPACK on the processor: for where kernels are
 * emulated (emulate). */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);

int cusolverDnCreate(void **handle)
{
    static char nothing;
    return *handle = &nothing, 0;
}

int cusolverDnCreateParams(void **params)
{
    return cusolverDnCreate(params);
}

int cusolverDnSetStream(void *handle, void *stream)
{
    return (void)handle, (void)stream, 0;
}

/* Doubles, and integers behind them, that dsyevd_ wants. */
static int doubles_of(int n)
{
    return 1 + 6 * n + 2 * n * n;
}

int cusolverDnXsyevBatched_bufferSize(void *handle, void *params, int vectors, int side, int64_t n,
                                      int type, const void *A, int64_t ld, int values_type,
                                      const void *values, int compute, size_t *there, size_t *here,
                                      int64_t count)
{
    (void)handle, (void)params, (void)vectors, (void)side, (void)type, (void)A, (void)ld;
    (void)values_type, (void)values, (void)compute, (void)count;
    *there = 0;
    *here = (size_t)doubles_of((int)n) * 8 + (3 + 5 * (size_t)n) * sizeof(int);
    return 0;
}

int cusolverDnXsyevBatched(void *handle, void *params, int vectors, int side, int64_t n, int type,
                           void *A, int64_t ld, int values_type, void *values, int compute,
                           void *room, size_t there, void *host_room, size_t here, int *info,
                           int64_t count)
{
    (void)handle, (void)params, (void)side, (void)type, (void)ld, (void)values_type, (void)compute;
    (void)room, (void)there, (void)here;
    int rows = (int)n, doubles = doubles_of(rows), integers = 3 + 5 * rows;
    int *const iwork = (int *)((double *)host_room + doubles);
    for (int64_t i = 0; i < count; i++) {
        double *own = (double *)A + i * n * n, *w = (double *)values + i * n;
        double sum = 0.0;
        for (int64_t e = 0; e < n * n; e++)
            sum += own[e];
        info[i] = !isfinite(sum);
        if (!info[i] && sum != 0.0) /* the rest of a group is zero */
            dsyevd_(vectors ? "V" : "N", "L", &rows, own, &rows, w, host_room, &doubles, iwork,
                    &integers, &info[i]);
    }
    return 0;
}
