/* score.c - how predictions fare, and whether two methods differ.
 *
 * McNemar's exact test: of the b + c samples that only one of two methods gets right, each is won
 * by either with probability 1/2 if they err equally often; with s = min(b, c),
 *
 *   p = min(1, 2 sum_{i<=s} C(b+c, i) / 2^(b+c)) */
#include "evaluate/evaluation.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"

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
