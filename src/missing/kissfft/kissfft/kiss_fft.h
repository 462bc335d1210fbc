/* kiss_fft.h - stands in for KissFFT's header in builds without it: the part of its interface that
 * spdml uses. */
#ifndef SPD_MISSING_KISS_FFT_H
#define SPD_MISSING_KISS_FFT_H

#include <stddef.h>

typedef struct kiss_fft_cpx {
    float r, i;
} kiss_fft_cpx;

typedef struct kiss_fft_state *kiss_fft_cfg;

/* A plan in `memory`, *bytes long; NULL, and *bytes <- what it needs, where that does not do. */
kiss_fft_cfg kiss_fft_alloc(int length, int inverse, void *memory, size_t *bytes);

/* out (length) <- the transform of in, whose items are `stride` apart; not divided by length. */
void kiss_fft_stride(kiss_fft_cfg plan, const kiss_fft_cpx *in, kiss_fft_cpx *out, int stride);
void kiss_fft(kiss_fft_cfg plan, const kiss_fft_cpx *in, kiss_fft_cpx *out);

/* The next length that is a product of 2, 3 and 5. */
int kiss_fft_next_fast_size(int length);

#endif
