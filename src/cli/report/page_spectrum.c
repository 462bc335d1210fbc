/* page_spectrum.c - eigenvalues of the drawn matrices: quartiles by rank, before and after. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cli/report/page.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two nearest of count sorted values, share in [0, 1]. */
static double quantile(size_t count, const double *sorted, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* Eigenvalue i of one matrix (ascending): one that rounding has taken is shown where rounding is.
 */
static double shown(size_t size, const double *lambda, size_t i)
{
    return fmax(lambda[i], fmax(DBL_EPSILON * lambda[size - 1], DBL_MIN));
}

/* lambda (count x size, ascending). */
static void fill(page_spectrum *a, size_t count, const double *lambda, double *column)
{
    size_t size = a->size;
    a->least = INFINITY;
    for (size_t rank = 0; rank < size; rank++) {
        for (size_t i = 0; i < count; i++)
            column[i] = log10(shown(size, lambda + i * size, size - 1 - rank));
        qsort(column, count, sizeof *column, ascending);
        a->lower[rank] = quantile(count, column, 0.25);
        a->median[rank] = quantile(count, column, 0.5);
        a->upper[rank] = quantile(count, column, 0.75);
    }
    for (size_t i = 0; i < count; i++) {
        double least = lambda[i * size], largest = lambda[i * size + size - 1];
        a->least = fmin(a->least, least);
        a->largest = fmax(a->largest, largest);
        a->condition = fmax(a->condition, largest / shown(size, lambda + i * size, 0));
    }
}

spd_status page_spectra(page *p)
{
    spd_status status = SPD_OK;
    size_t count = p->shown;
    double *column = session_table(p->s, count, 1, sizeof *column, "eigenvalues");
    for (int part = 0; part < PAGE_PARTS && p->size[part] && count && status >= 0; part++) {
        size_t size = p->size[part];
        double *lambda = session_table(p->s, count, size, sizeof *lambda, "eigenvalues");
        double *quartile = session_table(p->s, 3, size, sizeof *quartile, "quartiles");
        status = spd_eigh(p->s->ctx, size, count, p->matrix[part], lambda, NULL);
        if (status >= 0) {
            p->spectrum[part] = (page_spectrum){.size = size,
                                                .lower = quartile,
                                                .median = quartile + size,
                                                .upper = quartile + 2 * size};
            fill(&p->spectrum[part], count, lambda, column);
        }
    }
    return status;
}
