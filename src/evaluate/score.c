/* score.c - how predictions fare, and whether two methods differ.
 *
 * McNemar's exact test: of the b + c samples that only one of two methods gets right, each is won
 * by either with probability 1/2 if they err equally often; with s = min(b, c),
 *
 *   p = min(1, 2 sum_{i<=s} C(b+c, i) / 2^(b+c)) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/sized.h"
#include "evaluate/evaluation.h"

static spd_status check_classes(spd_context *ctx, size_t p, size_t classes, const int *truth,
                                const int *predicted)
{
    for (size_t i = 0; i < p; i++)
        if (truth[i] < 0 || (size_t)truth[i] >= classes || predicted[i] < 0 ||
            (size_t)predicted[i] >= classes)
            return ctx_fail_at(ctx, SPD_EINVAL, i, 0.0,
                               "sample %zu: class %d or prediction %d is not among the %zu classes",
                               i, truth[i], predicted[i], classes);
    return SPD_OK;
}

/* Of one class: how many samples, how many of them right, how often it is predicted. */
typedef struct tally {
    size_t size, right, predicted;
} tally;

/* Cohen's kappa of p predictions, from the tallies: both shares times p^2, which are whole numbers,
 * so that it is 1 where all are right. */
static double kappa_of(size_t p, size_t classes, const tally *t)
{
    double right = 0.0, chance = 0.0, all = (double)p;
    for (size_t c = 0; c < classes; c++) {
        right += (double)t[c].right * all;
        chance += (double)t[c].size * (double)t[c].predicted;
    }
    return chance < all * all ? (right - chance) / (all * all - chance) : (double)NAN;
}

/* 2 tp + fp + fn is how often a class occurs and how often it is predicted, added up. */
static double macro_f1_of(size_t classes, const tally *t)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t c = 0; c < classes; c++)
        if (t[c].size + t[c].predicted > 0) {
            sum += 2.0 * (double)t[c].right / (double)(t[c].size + t[c].predicted);
            count++;
        }
    return sum / (double)count;
}

/* tallies (classes, zero) <- of the predictions; score <- their sums, and the mean over the classes
 * that occur of the share that is right. */
static void add_up(size_t p, size_t classes, const int *truth, const int *predicted, tally *tallies,
                   spd_score *score)
{
    double shares = 0.0;
    size_t occur = 0, correct = 0;
    for (size_t i = 0; i < p; i++) {
        tallies[truth[i]].size++;
        tallies[truth[i]].right += truth[i] == predicted[i];
        tallies[predicted[i]].predicted++;
    }
    for (size_t c = 0; c < classes; c++) {
        correct += tallies[c].right;
        occur += tallies[c].size > 0;
        if (tallies[c].size > 0)
            shares += (double)tallies[c].right / (double)tallies[c].size;
    }
    *score = (spd_score){.size = sizeof *score,
                         .total = p,
                         .correct = correct,
                         .accuracy = (double)correct / (double)p,
                         .balanced = shares / (double)occur,
                         .kappa = kappa_of(p, classes, tallies),
                         .macro_f1 = macro_f1_of(classes, tallies)};
}

spd_status spd_score_predictions(spd_context *ctx, size_t p, size_t classes, const int *truth,
                                 const int *predicted, spd_score *score, int64_t *confusion)
{
    ctx_clear(ctx);
    if (p == 0 || classes == 0 || !truth || !predicted || !score)
        return ctx_fail(ctx, SPD_EINVAL, "there are no predictions to score");
    spd_status status = sized_check(ctx, "spd_score", score);
    if (status == SPD_OK)
        status = check_classes(ctx, p, classes, truth, predicted);
    if (status < 0)
        return status;
    spd_score made;
    tally *tallies = mem_zero(classes, sizeof *tallies);
    if (!tallies)
        return ctx_nomem(ctx, "a score");
    add_up(p, classes, truth, predicted, tallies, &made);
    sized_give(sizeof made, &made, score);
    mem_free(tallies);
    if (confusion)
        memset(confusion, 0, classes * classes * sizeof *confusion);
    for (size_t i = 0; confusion && i < p; i++)
        confusion[(size_t)truth[i] * classes + (size_t)predicted[i]]++;
    return SPD_OK;
}

/* Terms are taken from their logarithms: 2^(b+c) may overflow. */
double score_mcnemar(size_t b, size_t c)
{
    size_t few = b < c ? b : c;
    double all = (double)(b + c), term = -all * log(2.0), sum = 0.0;
    for (size_t i = 0; i <= few; i++) {
        sum += exp(term);
        term += log((all - (double)i) / ((double)i + 1.0));
    }
    return fmin(1.0, 2.0 * sum);
}

spd_status spd_mcnemar(spd_context *ctx, size_t p, const int *truth, const int *first,
                       const int *second, spd_mcnemar_result *result)
{
    ctx_clear(ctx);
    if (p == 0 || !truth || !first || !second || !result)
        return ctx_fail(ctx, SPD_EINVAL, "there are no predictions to compare");
    spd_status status = sized_check(ctx, "spd_mcnemar_result", result);
    if (status < 0)
        return status;
    size_t b = 0, c = 0;
    for (size_t i = 0; i < p; i++) {
        b += first[i] == truth[i] && second[i] != truth[i];
        c += first[i] != truth[i] && second[i] == truth[i];
    }
    spd_mcnemar_result made = {sizeof made, b, c, score_mcnemar(b, c)};
    sized_give(sizeof made, &made, result);
    return SPD_OK;
}

/* ---- the area under the ROC curve ----------------------------------------------------------- */
/* With margins v_i of a class, n of its samples and r of the others, and ranks with ties shared,
 *
 *   AUC = (sum of the ranks of its samples - n (n + 1) / 2) / (n r)
 *
 * the share of pairs of one of its samples and another one that are in the right order. The margin
 * of a sample is its score of the class less its best score of another class: a distance alone says
 * little, since a sample may be far from everything. For two classes it is the difference of both. */

typedef struct ranked {
    double margin;
    int own; /* is the sample of the class? */
} ranked;

/* A score so that larger is better; what is not known is the worst. */
static double worth(double score, int falls)
{
    return isnan(score) ? -INFINITY : falls ? -score : score;
}

/* v (p) <- margins of a class. Where all is unknown, it is 0: nothing is said. */
static void put_margins(size_t p, size_t classes, const int *truth, const double *score, int falls,
                        size_t class, ranked *v)
{
    for (size_t i = 0; i < p; i++) {
        const double *s = score + i * classes;
        double own = worth(s[class], falls), other = -INFINITY;
        for (size_t c = 0; c < classes; c++)
            if (c != class)
                other = fmax(other, worth(s[c], falls));
        double margin = own - other;
        v[i] = (ranked){isnan(margin) ? 0.0 : margin, (size_t)truth[i] == class};
    }
}

static int by_margin(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return (x->margin > y->margin) - (x->margin < y->margin);
}

/* The area of a class; NaN where all samples are of it, or none. v (p) is sorted. */
static double area(size_t p, ranked *v)
{
    double places = 0.0, own = 0.0, all = (double)p;
    qsort(v, p, sizeof *v, by_margin);
    for (size_t from = 0, to; from < p; from = to) {
        size_t here = 0;
        for (to = from; to < p && !(v[to].margin > v[from].margin); to++)
            here += v[to].own != 0;
        places += (double)here * ((double)(from + to) + 1.0) / 2.0;
        own += (double)here;
    }
    return (places - own * (own + 1.0) / 2.0) / (own * (all - own));
}

spd_status spd_auc(spd_context *ctx, size_t p, size_t classes, const int *truth,
                   const double *score, int falls, double *auc)
{
    ctx_clear(ctx);
    arena room = {0};
    double sum = 0.0;
    size_t count = 0;
    if (p == 0 || classes == 0 || !truth || !score || !auc)
        return ctx_fail(ctx, SPD_EINVAL, "there are no scores to rank by");
    for (size_t i = 0; i < p; i++)
        if (truth[i] < 0 || (size_t)truth[i] >= classes)
            return ctx_fail_at(ctx, SPD_EINVAL, i, 0.0,
                               "sample %zu: class %d is not among the %zu classes", i, truth[i],
                               classes);
    ranked *v = arena_alloc(&room, p, sizeof *v);
    if (!v)
        return ctx_nomem(ctx, "scores");
    for (size_t c = 0; c < classes; c++) {
        put_margins(p, classes, truth, score, falls, c, v);
        double here = area(p, v);
        if (!isnan(here)) {
            sum += here;
            count++;
        }
    }
    *auc = count ? sum / (double)count : (double)NAN;
    arena_free(&room);
    return SPD_OK;
}

/* ---- Wilcoxon's test, and Holm's correction ------------------------------------------------- */
/* The sizes of the differences are ranked, equal ones sharing the mean of their ranks. If the signs
 * are by chance, the sum T of the ranks with a plus has the distribution of sum_i b_i r_i with
 * independent b_i = 0 or 1, each with probability 1/2. Twice the ranks are whole numbers, so that
 * distribution is made exactly, one difference after the other, for any ties; then
 *
 *   p = min(1, 2 min(P(T <= t), P(T >= t)))
 *
 * Beyond MOST_EXACT differences T counts as normal, with mean n (n + 1) / 4 and the variance
 * sum_i r_i^2 / 4, which counts ties in. */

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
