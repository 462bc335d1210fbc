/* scale.c - matrices on another scale than those of training, in words. */
#include "cli/methods/scale.h"

/* Ratios from which matrices are on another scale than those of training, and from which their own
 * scales differ. */
#define APART  10.0
#define DIFFER 1.001

void scale_take(scale *s, size_t n, size_t p, const double *X)
{
    for (size_t i = 0; X && i < p; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < n; k++)
            sum += X[(i * n + k) * n + k] / (double)n;
        s->low = fmin(s->low, sum);
        s->high = fmax(s->high, sum);
    }
}

void scale_remark(session *s, const scale *found, const spd_classifier *c, const char *source)
{
    spd_classifier_facts f = SPD_STRUCT(spd_classifier_facts);
    const spd_method *method = spd_classifier_method(c);
    session_check(s, spd_classifier_info(s->ctx, c, &f));
    int apart = found->low > APART * f.scale_high || found->high * APART < f.scale_low;
    int equal = f.scale_high < DIFFER * f.scale_low && found->high > DIFFER * found->low;
    if (!(f.scale_low > 0.0) || method->normalize != SPD_NORMALIZATION_NONE ||
        method->recenter != SPD_RECENTERING_NONE || (!apart && !equal))
        return;
    session_remark(s,
                   "%s: the diagonals have means of %.3g to %.3g, but those of the training "
                   "matrices %.3g to %.3g: another unit, or only one of them is normalised? A "
                   "method trained with --normalize trace does not depend on it",
                   source, found->low, found->high, f.scale_low, f.scale_high);
}
