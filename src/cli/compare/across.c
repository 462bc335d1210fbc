/* across.c - methods compared over several data sets, as papers do (Demsar, JMLR 7, 2006).
 *
 * On each set the methods are ranked by their mean accuracy, the best first, equals sharing the mean
 * of their ranks. Friedman's statistic of k methods on N sets with mean ranks R_j,
 *
 *   (12 N / (k (k + 1)) sum R_j^2 - 3 N (k + 1)) / (1 - sum (t^3 - t) / (N k (k^2 - 1)))
 *
 * where t goes over the groups of equals, is taken for chi-squared with k - 1 degrees of freedom.
 * Wilcoxon's signed rank test compares the accuracies of each method with those of the first. */
#include <math.h>
#include <string.h>

#include "cli/compare/compare.h"

/* ---- chi-squared ----------------------------------------------------------------------------- */

/* The upper tail of the gamma distribution of shape a > 0 at x >= 0: by the series of the lower one
 * up to a + 1, beyond by the continued fraction (Abramowitz and Stegun 6.5.29, 6.5.31). */
static double upper_gamma(double a, double x)
{
    double front = exp(a * log(x) - x - lgamma(a));
    if (x <= 0.0)
        return 1.0;
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (double k = a + 1.0; term > 1e-17 * sum; k += 1.0)
            sum += term *= x / k;
        return fmax(0.0, 1.0 - front * sum);
    }
    double b = x + 1.0 - a, d = 1.0 / b, h = d, c = INFINITY, step = 0.0; /* Lentz */
    for (int k = 1; k < 10000 && fabs(step - 1.0) > 1e-15; k++) {
        double n = -k * (k - a);
        b += 2.0;
        d = 1.0 / (n * d + b);
        c = b + n / c;
        step = c * d;
        h *= step;
    }
    return front * h;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Adds the ranks on one set to sum (methods); *ties += t^3 - t of each group of equals. */
static void add_ranks(size_t methods, const double *accuracy, double *sum, double *ties)
{
    for (size_t i = 0; i < methods; i++) {
        double better = 0.0, equal = 0.0;
        for (size_t j = 0; j < methods; j++) {
            better += accuracy[j] > accuracy[i];
            equal += !(accuracy[j] > accuracy[i]) && !(accuracy[j] < accuracy[i]);
        }
        sum[i] += better + (equal + 1.0) / 2.0;
        *ties += equal * equal - 1.0; /* t of them, each t^2 - 1 */
    }
}

static void test_ranks(across *a, double ties)
{
    double k = (double)a->methods, N = (double)a->sets, squares = 0.0;
    double share = 1.0 - ties / (N * k * (k * k - 1.0));
    for (size_t m = 0; m < a->methods; m++)
        squares += a->rank[m] * a->rank[m];
    a->friedman_p = 1.0;
    if (!(share > 0.0)) /* on every set all are equal */
        return;
    a->friedman = (12.0 * N / (k * (k + 1.0)) * squares - 3.0 * N * (k + 1.0)) / share;
    a->friedman_p = upper_gamma((k - 1.0) / 2.0, a->friedman / 2.0);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The mean accuracy of a method in a run; NaN if it is not there. */
static double accuracy_in(const comparison *c, size_t run, const char *method)
{
    for (size_t i = 0; i < c->entries; i++)
        if (c->entry[i].run == c->run[run] && strcmp(c->entry[i].method, method) == 0)
            return c->entry[i].mean[0];
    return (double)NAN;
}

/* Methods that all runs have, in the order of the first. */
static void take_methods(const comparison *c, across *a)
{
    a->method = cli_alloc(c->entries, sizeof *a->method, "methods");
    a->accuracy = cli_alloc_table(c->entries, c->runs, sizeof *a->accuracy, "accuracies");
    for (size_t i = 0; i < c->entries && c->entry[i].run == c->run[0]; i++) {
        int everywhere = 1;
        for (size_t r = 0; r < c->runs; r++) {
            double found = accuracy_in(c, r, c->entry[i].method);
            everywhere &= !isnan(found);
            a->accuracy[a->methods * c->runs + r] = found;
        }
        if (everywhere)
            a->method[a->methods++] = c->entry[i].method;
    }
    if (c->runs < 2 || a->methods < 2)
        cli_fail(
            "--tests across needs two runs or more, each on another data set, with two methods or "
            "more that all have; here %zu of %s are in all",
            a->methods, c->runs < 2 ? "one run" : "the methods");
}

void comparison_across(session *s, comparison *c)
{
    across *a = c->across = cli_alloc(1, sizeof *a, "ranks");
    double ties = 0.0;
    take_methods(c, a);
    a->sets = c->runs;
    a->rank = cli_alloc(a->methods, sizeof *a->rank, "ranks");
    a->wilcoxon = cli_alloc(a->methods, sizeof *a->wilcoxon, "p values");
    a->holm = cli_alloc(a->methods, sizeof *a->holm, "p values");
    double *column = cli_alloc(a->methods, sizeof *column, "accuracies");
    for (size_t r = 0; r < a->sets; r++) {
        for (size_t m = 0; m < a->methods; m++)
            column[m] = a->accuracy[m * a->sets + r];
        add_ranks(a->methods, column, a->rank, &ties);
    }
    for (size_t m = 0; m < a->methods; m++)
        a->rank[m] /= (double)a->sets;
    test_ranks(a, ties);
    for (size_t m = 1; m < a->methods; m++) {
        spd_wilcoxon_result result = SPD_STRUCT(spd_wilcoxon_result);
        session_check(
            s, spd_wilcoxon(s->ctx, a->sets, a->accuracy + m * a->sets, a->accuracy, &result));
        a->wilcoxon[m] = result.p_value;
    }
    a->wilcoxon[0] = (double)NAN;
    session_check(s, spd_holm(s->ctx, a->methods, a->wilcoxon, a->holm));
}
