/* kissfft.c - stands in for gabor_bank.c in builds without KissFFT. */
#include "filters/gabor_bank.h"

const char *gabor_bank_version(void)
{
    return NULL;
}

spd_status gabor_bank_new(spd_context *ctx, size_t width, size_t height, size_t scales,
                          size_t orientations, double kmax, double spacing, double sigma,
                          gabor_bank **bank)
{
    (void)width, (void)height, (void)scales, (void)orientations, (void)kmax, (void)spacing,
        (void)sigma, (void)bank;
    return ctx_fail(ctx, SPD_EINVAL,
                    "this build has no Gabor filters: KissFFT was missing when it was built");
}

void gabor_bank_free(gabor_bank *bank)
{
    (void)bank;
}

/* Never reached: there is no bank. */
size_t gabor_bank_filters(const gabor_bank *bank)
{
    (void)bank;
    return 0;
}

size_t gabor_bank_work(const gabor_bank *bank)
{
    (void)bank;
    return 0;
}

void gabor_bank_apply(const gabor_bank *bank, const double *grey, double *magnitude, void *work)
{
    (void)bank, (void)grey, (void)magnitude, (void)work;
}
