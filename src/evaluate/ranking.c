/* ranking.c - the area under the ROC curve, one class against the rest.
 *
 * With margins v_i of a class, n of its samples and r of the others, and ranks with ties shared,
 *
 *   AUC = (sum of the ranks of its samples - n (n + 1) / 2) / (n r)
 *
 * the share of pairs of one of its samples and another one that are in the right order. The margin
 * of a sample is its score of the class less its best score of another class: a distance alone says
 * little, since a sample may be far from everything. For two classes it is the difference of both.
 */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/context.h"

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
