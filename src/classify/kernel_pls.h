/* kernel_pls.h - kernel partial least squares (Rosipal and Trejo 2001), without iterations. */
#ifndef SPD_CLASSIFY_KERNEL_PLS_H
#define SPD_CLASSIFY_KERNEL_PLS_H

#include "base/arena.h"

/* Components of a run. The first few of many are those of a shorter run. */
typedef struct kernel_pls {
    size_t p, outputs; /* samples, columns of Y */
    size_t room;       /* components asked for */
    size_t count;      /* components found */
    int exhausted;     /* non-zero: there are no more, Y or the kernel is used up */
    double *U;         /* room x p, a row each */
    double *R;         /* room x room: T'KU, upper triangular */
    double *C;         /* room x outputs: T'Y */
} kernel_pls;

/* *pls <- at most `components` components of K (p x p, centred on both sides) and Y (p x outputs,
 * columns centred). */
spd_status kernel_pls_fit(spd_context *ctx, size_t p, size_t outputs, const double *K,
                          const double *Y, size_t components, arena *keep, kernel_pls *pls);

/* B (p x outputs) <- U (T'KU)^-1 T'Y of the first `components`, or of all when there are fewer:
 * predictions are K B for training, Kt B for the centred kernel between queries and training.
 * work: count x outputs doubles. */
void kernel_pls_coefficients(const kernel_pls *pls, size_t components, double *B, double *work);

#endif
