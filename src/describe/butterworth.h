/* butterworth.h - band pass filters without a shift in time, as cascades of second order sections.
 *
 * Design. The N poles of the analogue low pass lie evenly on the left half of the unit circle.
 * With the edges bent as the bilinear map bends them, w = 2 f tan(pi edge/f), B = w2 - w1,
 * w0^2 = w1 w2, each pole p becomes the two roots of s^2 - B p s + w0^2 = 0, and each root s the
 * pole z = (2f + s)/(2f - s). All sections have zeros at z = 1 and z = -1, and gain 1 at the
 * centre.
 *
 * Use. Forwards, then backwards: the phases cancel, the magnitude is squared. The signal is
 * continued at both ends by its point reflection, and the sections start in the state that a
 * constant signal leaves them in. */
#ifndef SPD_DESCRIBE_BUTTERWORTH_H
#define SPD_DESCRIBE_BUTTERWORTH_H

#include "base/context.h"

#define BUTTERWORTH_MOST 16 /* largest order */

/* y_k = b (x_k - x_{k-2}) - a1 y_{k-1} - a2 y_{k-2} */
typedef struct biquad {
    double b, a1, a2;
} biquad;

/* section (order of them) <- the band pass from low to high, Hz, at `rate` samples per second.
 * SPD_EINVAL unless 0 < low < high < rate/2 and 1 <= order <= BUTTERWORTH_MOST. */
spd_status butterworth_design(spd_context *ctx, size_t order, double low, double high, double rate,
                              biquad *section);

/* Samples by which a signal is continued at either end; it must be longer than that. */
size_t butterworth_edge(size_t order);

/* y (length values, y_stride apart) <- x (x_stride apart) filtered both ways. work holds length +
 * 2 butterworth_edge doubles. y may be x. */
void butterworth_apply(size_t order, const biquad *section, size_t length, const double *x,
                       size_t x_stride, double *y, size_t y_stride, double *work);

#endif
