/* blas.h - the hold on OpenBLAS's threads and on its memory.
 *
 * OpenBLAS has one number of threads for the whole process. Between hold and release it is 1, as it
 * must be for our own threads and for the same bits every time; the last of all holders sets it
 * back.
 *
 * Every thread that is within BLAS uses a buffer of its own, which OpenBLAS maps when it is needed
 * first and keeps; where that fails it tries again for ever. So callers reserve: the buffers are
 * mapped before, as many as there is memory for.
 *
 * libspdml exports these for libspdml-data, under the version SPDML_PRIVATE: they are not part of
 * the interface. */
#ifndef SPD_RUN_BLAS_H
#define SPD_RUN_BLAS_H

#include "spdml.h"

/* Bytes that a caller takes: OpenBLAS's largest buffer, and what else a thread needs. */
#define SPD_PRIVATE_BLAS_BUFFER ((size_t)144 << 20)

SPD_API void spd_private_blas_hold(void);
SPD_API void spd_private_blas_release(void);

/* Holds for that many callers at once; returns for how many there is memory, 1 to threads, or 0:
 * then nothing is held. They are given back with the number that was returned. */
SPD_API int spd_private_blas_reserve(int threads);
SPD_API void spd_private_blas_return(int threads);

/* text (room bytes) <- OpenBLAS's version, how it was built and the processor whose kernels it
 * runs: "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell"; "" for another BLAS. */
void blas_describe(char *text, size_t room);

#endif
