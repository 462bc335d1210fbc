/* wilcoxon.c - Wilcoxon's signed rank test, and Holm's correction for several tests.
 *
 * The sizes of the differences are ranked, equal ones sharing the mean of their ranks. If the signs
 * are by chance, the sum T of the ranks with a plus has the distribution of sum_i b_i r_i with
 * independent b_i = 0 or 1, each with probability 1/2. Twice the ranks are whole numbers, so that
 * distribution is made exactly, one difference after the other, for any ties; then
 *
 *   p = min(1, 2 min(P(T <= t), P(T >= t)))
 *
 * Beyond MOST_EXACT differences T counts as normal, with mean n (n + 1) / 4 and the variance
 * sum_i r_i^2 / 4, which counts ties in. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/sized.h"

#define MOST_EXACT 200
#define ROUNDING   1e-12 /* of the larger number: accuracies that are equal may differ by it */

typedef struct difference {
    double size;
    int plus;
    size_t twice; /* twice its rank */
} difference;

static int by_size(const void *a, const void *b)
{
    const difference *x = a, *y = b;
    return (x->size > y->size) - (x->size < y->size);
}

/* d <- the differences that are not 0, ranked; how many. */
static size_t rank(size_t count, const double *first, const double *second, difference *d)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        double gap = first[i] - second[i], scale = fmax(fabs(first[i]), fabs(second[i]));
        if (fabs(gap) > ROUNDING * scale)
            d[used++] = (difference){fabs(gap), gap > 0.0, 0};
    }
    if (used)
        qsort(d, used, sizeof *d, by_size);
    for (size_t from = 0, to; from < used; from = to) {
        for (to = from; to < used && d[to].size <= d[from].size * (1.0 + 1e-9); to++)
            ;
        for (size_t i = from; i < to; i++)
            d[i].twice = from + to + 1;
    }
    return used;
}

/* chance (up to twice the sum of all ranks) <- P(2T = k); it is zero but for its first, which is
 * 1. */
static void distribute(size_t used, const difference *d, double *chance)
{
    size_t reach = 0;
    for (size_t i = 0; i < used; i++) {
        reach += d[i].twice;
        for (size_t k = reach + 1; k-- > 0;)
            chance[k] = 0.5 * chance[k] + (k >= d[i].twice ? 0.5 * chance[k - d[i].twice] : 0.0);
    }
}

static spd_status exact(spd_context *ctx, size_t used, const difference *d, double plus, double *p)
{
    arena room = {0};
    size_t most = used * (used + 1), at = (size_t)(2.0 * plus + 0.5);
    double *chance = arena_zero(&room, most + 1, sizeof *chance), low = 0.0, high = 0.0;
    if (!chance)
        return ctx_nomem(ctx, "a test");
    chance[0] = 1.0;
    distribute(used, d, chance);
    for (size_t k = 0; k <= most; k++) {
        low += k <= at ? chance[k] : 0.0;
        high += k >= at ? chance[k] : 0.0;
    }
    *p = fmin(1.0, 2.0 * fmin(low, high));
    arena_free(&room);
    return SPD_OK;
}

static double by_normal(size_t used, const difference *d, double plus)
{
    double n = (double)used, squares = 0.0;
    for (size_t i = 0; i < used; i++)
        squares += 0.25 * (double)d[i].twice * (double)d[i].twice;
    double z = fabs(plus - n * (n + 1.0) / 4.0) / sqrt(squares / 4.0);
    return erfc(z / sqrt(2.0));
}

spd_status spd_wilcoxon(spd_context *ctx, size_t count, const double *first, const double *second,
                        spd_wilcoxon_result *result)
{
    ctx_clear(ctx);
    arena room = {0};
    spd_wilcoxon_result made = {.size = sizeof made, .p_value = 1.0};
    if (count == 0 || !first || !second || !result)
        return ctx_fail(ctx, SPD_EINVAL, "there are no pairs of numbers to compare");
    spd_status status = sized_check(ctx, "spd_wilcoxon_result", result);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        if (!isfinite(first[i]) || !isfinite(second[i]))
            status = ctx_fail_at(ctx, SPD_ENOTFINITE, i, 0.0, "pair %zu holds NaN or Inf", i);
    if (status < 0)
        return status;
    difference *d = arena_alloc(&room, count, sizeof *d);
    if (!d)
        return ctx_nomem(ctx, "a test");
    made.used = rank(count, first, second, d);
    for (size_t i = 0; i < made.used; i++)
        *(d[i].plus ? &made.plus : &made.minus) += 0.5 * (double)d[i].twice;
    if (made.used > MOST_EXACT)
        made.p_value = by_normal(made.used, d, made.plus);
    else if (made.used)
        status = exact(ctx, made.used, d, made.plus, &made.p_value);
    if (status == SPD_OK)
        sized_give(sizeof made, &made, result);
    arena_free(&room);
    return status;
}

/* ---- Holm ------------------------------------------------------------------------------------ */

typedef struct test {
    double p;
    size_t at;
} test;

static int by_p(const void *a, const void *b)
{
    const test *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

spd_status spd_holm(spd_context *ctx, size_t count, const double *p_value, double *adjusted)
{
    ctx_clear(ctx);
    arena room = {0};
    size_t known = 0;
    double last = 0.0;
    if (count == 0 || !p_value || !adjusted)
        return ctx_fail(ctx, SPD_EINVAL, "there are no p values to correct");
    test *t = arena_alloc(&room, count, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "p values");
    for (size_t i = 0; i < count; i++)
        if (!isnan(p_value[i]))
            t[known++] = (test){p_value[i], i};
    if (known)
        qsort(t, known, sizeof *t, by_p);
    for (size_t i = 0; i < count; i++)
        adjusted[i] = p_value[i];
    for (size_t k = 0; k < known; k++) {
        last = fmax(last, fmin(1.0, t[k].p * (double)(known - k)));
        adjusted[t[k].at] = last;
    }
    arena_free(&room);
    return SPD_OK;
}
