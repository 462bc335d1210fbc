/* regression.c - methods trained on numbers in place of classes.
 *
 * To all other parts the samples are of one class, whose score is the number that is predicted. */
#include <math.h>
#include <string.h>

#include "classify/samples.h"
#include "evaluate/method.h"
#include "evaluate/trained.h"

static const spd_classifier_kind kinds[] = {SPD_CLASSIFIER_KRR_BOTH, SPD_CLASSIFIER_KRR,
                                            SPD_CLASSIFIER_KRR_TANGENT};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Squares of numbers beyond this, or of all below one over it, are not represented. */
#define LARGEST 1e150

static spd_status check_numbers(spd_context *ctx, const samples *train)
{
    double most = 0.0;
    for (size_t i = 0; i < train->p; i++) {
        if (!isfinite(train->target[i]))
            return ctx_fail_at(
                ctx, SPD_EINVAL, i, train->target[i],
                "the number of sample %zu is %g; give it one, or leave the sample out", i,
                train->target[i]);
        most = fmax(most, fabs(train->target[i]));
    }
    if (most > LARGEST || (most > 0.0 && most < 1.0 / LARGEST))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the largest of the numbers to be predicted is %.2g, and its square leaves "
                        "the range of numbers; bring them to a scale near 1",
                        most);
    return SPD_OK;
}

static spd_status check(spd_context *ctx, const spd_method *method, const samples *train)
{
    const int labels = method_learns_map(method) || method->map == SPD_MAP_CSP;
    size_t kind = 0;
    while (kind < KINDS && method->classifier != kinds[kind])
        kind++;
    if (kind == KINDS)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%s tells classes apart; numbers are for krr, krr-tangent, "
                        "krr-both and auto",
                        spd_name(SPD_ENUM_CLASSIFIER, method->classifier));
    if (labels)
        return ctx_fail(
            ctx, SPD_EINVAL,
            "%s is learned from classes, and there are numbers in their place; leave it "
            "out",
            spd_name(SPD_ENUM_MAP, method->map));
    return check_numbers(ctx, train);
}

spd_status regression_take(spd_context *ctx, const spd_method *method, arena *room, samples *train)
{
    if (!train->target)
        return SPD_OK;
    spd_status status = check(ctx, method, train);
    int *label = arena_zero(room, train->p, sizeof *label);
    train->label = label;
    train->classes = 1;
    train->class_name = NULL;
    return status == SPD_OK && !label ? ctx_nomem(ctx, "labels") : status;
}

void regression_note(spd_classifier *c, const double *y)
{
    const double *left = c->state.left;
    double mean = 0.0, error = 0.0, all = 0.0;
    c->regression = y != NULL;
    c->missed = c->state.missed;
    if (!y || !left)
        return;
    for (size_t i = 0; i < c->learned; i++)
        mean += y[i] / (double)c->learned;
    for (size_t i = 0; i < c->learned; i++) {
        error += (y[i] - left[i]) * (y[i] - left[i]);
        all += (y[i] - mean) * (y[i] - mean);
    }
    c->error = sqrt(error / (double)c->learned);
    c->r2 = all > 0.0 ? 1.0 - error / all : 0.0;
}

spd_status regression_choose(spd_context *ctx, const spd_method *method, const spd_samples *train,
                             spd_classifier **out)
{
    spd_classifier *best = NULL;
    spd_status status = SPD_OK, remark = SPD_OK;
    for (size_t k = 0; k < KINDS && status >= 0; k++) {
        spd_method own = *method;
        spd_classifier *c = NULL;
        own.automatic = 0;
        own.classifier = kinds[k];
        own.metric = classifier_of(kinds[k])->metrics.usual;
        status = spd_classifier_fit(ctx, &own, train, NULL, &c);
        if (status >= 0 && (!best || c->error < best->error)) {
            spd_classifier *worse = best;
            best = c;
            c = worse;
            remark = status;
        }
        spd_classifier_free(c);
    }
    if (status >= 0)
        *out = best;
    else
        spd_classifier_free(best);
    return status < 0 ? status : remark;
}

spd_status spd_classifier_left_out(spd_context *ctx, const spd_classifier *c, double *score)
{
    ctx_clear(ctx);
    if (!c || !score)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the classifier or the output array for scores is missing");
    if (!c->state.left)
        return ctx_fail(ctx, SPD_EINVAL,
                        "what %s predicts for samples left out is not known: only krr, krr-tangent "
                        "and krr-both know it, and files do not hold it",
                        spd_name(SPD_ENUM_CLASSIFIER, c->state.kind->kind));
    memcpy(score, c->state.left, c->learned * c->state.train.classes * sizeof *score);
    return SPD_OK;
}
