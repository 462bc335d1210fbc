/* gabor_bank.h - magnitudes of Gabor wavelets (Lee 1996) at every pixel of a grey image.
 *
 *   psi(z) = (k^2/s^2) exp(-k^2 |z|^2 / (2 s^2)) (exp(i k.z) - exp(-s^2/2)),   z = (x, y) in pixels
 *   k = k_v (cos phi_u, sin phi_u),   k_v = kmax / f^v,   phi_u = pi u / orientations
 *   magnitude_uv(z) = | sum_q I(q) psi_uv(z - q) |      over the pixels q of the image
 *
 * y grows downwards. Border rule: the image is zero outside. Then only offsets shorter than the
 * image count, and since the transforms are at least 2 width - 1 by 2 height - 1 long, nothing
 * wraps around and no wavelet is cut off, however wide it is.
 *
 * Transforms are in single precision (KissFFT): magnitudes are good to about 1e-6 of the largest
 * one of the filter. A bank is read only after it is made: threads share it, each with its own
 * work. */
#ifndef SPD_FILTERS_GABOR_BANK_H
#define SPD_FILTERS_GABOR_BANK_H

#include "base/context.h"

typedef struct gabor_bank gabor_bank;

/* The version of KissFFT, "" if unknown; NULL in a build without it, where no bank can be made. */
const char *gabor_bank_version(void);

/* *bank <- the filters for images of width x height pixels; new. f is the spacing, s is sigma.
 * SPD_EINVAL for wavelets that alias (kmax > pi), for equal scales (spacing <= 1 with several) and
 * for sizes of 0. */
spd_status gabor_bank_new(spd_context *ctx, size_t width, size_t height, size_t scales,
                          size_t orientations, double kmax, double spacing, double sigma,
                          gabor_bank **bank);
void gabor_bank_free(gabor_bank *bank);

/* scales * orientations */
size_t gabor_bank_filters(const gabor_bank *bank);

/* Bytes of scratch that gabor_bank_apply needs, from mem_alloc. */
size_t gabor_bank_work(const gabor_bank *bank);

/* magnitude (filters x height x width, filter u + orientations v) of grey (height x width). */
void gabor_bank_apply(const gabor_bank *bank, const double *grey, double *magnitude, void *work);

#endif
