/* blas.h - the hold on OpenBLAS's threads.
 *
 * OpenBLAS has one number of threads for the whole process. Between hold and release it is 1, as it
 * must be for our own threads and for the same bits every time; the last of all holders sets it
 * back. libspdml exports these two for libspdml-data, under the version SPDML_PRIVATE: they are not
 * part of the interface. */
#ifndef SPD_ENGINE_BLAS_H
#define SPD_ENGINE_BLAS_H

#include "spdml.h"

SPD_API void spd_private_blas_hold(void);
SPD_API void spd_private_blas_release(void);

/* text (room bytes) <- OpenBLAS's version, how it was built and the processor whose kernels it
 * runs: "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell"; "" for another BLAS. */
void blas_describe(char *text, size_t room);

#endif
