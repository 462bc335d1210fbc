/* page_spectrum.c - eigenvalues of the drawn matrices: quartiles by rank, before and after. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/page.h"

void page_spectrum_free(page_spectrum *a)
{
    cli_free(a->lower);
    cli_free(a->median);
    cli_free(a->upper);
}

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
static void fill(page_spectrum *a, size_t count, const double *lambda)
{
    size_t size = a->size;
    double *column = cli_alloc(count, sizeof *column, "eigenvalues");
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
    cli_free(column);
}

static spd_status one(session *s, page *p, int part)
{
    size_t size = p->size[part], count = p->shown;
    page_spectrum *a = &p->spectrum[part];
    double *lambda = cli_alloc_table(count, size, sizeof *lambda, "eigenvalues");
    spd_status status = spd_eigh(s->ctx, size, count, p->matrix[part], lambda, NULL);
    if (status >= 0) {
        a->size = size;
        a->lower = cli_alloc(size, sizeof *a->lower, "quartiles");
        a->median = cli_alloc(size, sizeof *a->median, "quartiles");
        a->upper = cli_alloc(size, sizeof *a->upper, "quartiles");
        fill(a, count, lambda);
    }
    cli_free(lambda);
    return status;
}

spd_status page_spectra(session *s, page *p)
{
    spd_status status = SPD_OK;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->size[part] && p->shown)
            status = one(s, p, part);
    return status;
}
