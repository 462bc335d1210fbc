/* explained.c - sums over the rows of cells. */
#include "cli/explain/explained.h"

#include <math.h>

#include "cli/frame/cli_memory.h"

const char *measure_name(size_t i)
{
    static const char *const names[] = {"share", "kept", "weight"};
    return i < MEASURES ? names[i] : NULL;
}

/* From the real form to the complex map: what is known of its rows and components is there twice,
 * and the two rows of a pattern are the real and imaginary parts, up to a factor of absolute value
 * 1. */
static void halve(explained *x)
{
    size_t n = x->n /= 2, m = x->m /= 2;
    for (size_t i = 0; i < n; i++) {
        x->weight[i] = x->weight[2 * i];
        x->carried[i] = x->carried[2 * i];
        x->diagonal[i] = x->diagonal[2 * i];
        for (size_t k = 0; k < m; k++)
            x->pattern[i * m + k] =
                hypot(x->pattern[4 * i * m + 2 * k], x->pattern[(4 * i + 2) * m + 2 * k]);
    }
    for (size_t k = 0; k < m; k++)
        x->variance[k] = x->variance[2 * k];
    x->total /= 2;
}

spd_status explained_fill(spd_context *ctx, const double *W, const double *M, explained *x)
{
    size_t n = x->n, m = x->m;
    x->weight = cli_alloc(n, sizeof *x->weight, "weights");
    x->carried = cli_alloc(n, sizeof *x->carried, "variances");
    x->diagonal = cli_alloc(n, sizeof *x->diagonal, "variances");
    x->variance = cli_alloc(m, sizeof *x->variance, "variances");
    x->pattern = cli_alloc_table(n, m, sizeof *x->pattern, "entries of patterns");
    spd_explanation wanted = {.size = sizeof wanted,
                              .weight = x->weight,
                              .carried = x->carried,
                              .pattern = x->pattern,
                              .variance = x->variance};
    spd_status status = spd_explain(ctx, n, m, W, M, &wanted);
    for (size_t i = 0; i < n && status >= 0; i++) {
        x->diagonal[i] = M ? M[i * n + i] : 1.0;
        x->total += x->carried[i];
    }
    x->patterns = M != NULL;
    if (status >= 0 && x->hermitian)
        halve(x);
    return status;
}

measure explained_usual(const explained *x)
{
    if (!x->patterns)
        return MEASURE_WEIGHT;
    return x->rows.mixed ? MEASURE_KEPT : MEASURE_SHARE;
}

/* Numerator and denominator of a measure, summed over rows. */
typedef struct ratio {
    double above, below;
} ratio;

static ratio row_ratio(const explained *x, size_t i, measure which)
{
    if (which == MEASURE_WEIGHT)
        return (ratio){x->weight[i], 0.0};
    return (ratio){x->carried[i], which == MEASURE_KEPT ? x->diagonal[i] : 0.0};
}

static double value_of(const explained *x, ratio r, measure which)
{
    if (which == MEASURE_WEIGHT)
        return r.above / (double)x->m;
    return r.above / (which == MEASURE_KEPT ? r.below : x->total);
}

double explained_row(const explained *x, size_t i, measure which)
{
    return value_of(x, row_ratio(x, i, which), which);
}

double explained_cell(const explained *x, const panel *p, size_t cell, measure which)
{
    ratio sum = {0};
    size_t count = 0;
    for (size_t i = 0; i < x->n; i++) {
        if (p->of[i] != cell)
            continue;
        ratio r = row_ratio(x, i, which);
        sum.above += r.above;
        sum.below += r.below;
        count++;
    }
    return count ? value_of(x, sum, which) : (double)NAN;
}

/* Insertion: there are few cells, and equal ones stay in their order. */
size_t explained_order(const explained *x, const panel *p, size_t *order)
{
    size_t count = 0;
    for (size_t c = 0; c < p->rows * p->columns; c++) {
        double value = explained_cell(x, p, c, x->by);
        size_t at = count;
        if (isnan(value))
            continue;
        for (; at > 0 && explained_cell(x, p, order[at - 1], x->by) < value; at--)
            order[at] = order[at - 1];
        order[at] = c;
        count++;
    }
    return count;
}

words explained_lines(const char *text, size_t most)
{
    words lines = {0};
    size_t from = 0, at = 0;
    for (; text[from]; from = at) {
        size_t space = 0;
        for (at = from; text[at] && at - from < most; at++)
            if (text[at] == ' ')
                space = at;
        if (text[at] && space > from)
            at = space;
        words_take(&lines, cli_text(text + from, at - from));
        at += text[at] == ' ' ? 1 : 0;
    }
    return lines;
}

const char *explained_caption(const explained *x)
{
    if (x->patterns)
        return "Shown are patterns, M W (W'MW)^-1 with M the mean of the data, not W alone: a "
               "large weight may only subtract noise that a row shares with others, while the "
               "pattern says in which rows the components of the map appear (Haufe et al. 2014).";
    return "Shown are the squared weights of W alone: they say what the map multiplies, not where "
           "what it finds appears, since a large weight may only subtract noise; with the data "
           "(--data) the patterns M W (W'MW)^-1 are shown (Haufe et al. 2014).";
}
