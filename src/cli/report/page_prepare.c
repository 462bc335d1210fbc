/* page_prepare.c - which samples are drawn, which map is shown, and the eigenvalues of matrices:
 * quartiles by rank, before and after.
 *
 * Samples beyond SHOWN are left out evenly over the file: those with the smallest multiple of the
 * golden ratio are drawn, so that the choice is the same in every run and follows no order of the
 * file. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cli/frame/cli_memory.h"
#include "cli/report/page.h"
#include "cli/frame/signals.h"

#define SHOWN 600

const char *page_part_name(int part)
{
    return part ? "after the map" : "before the map";
}

const char *page_part_heading(const page *p, int part)
{
    if (!p->Y[1])
        return "The samples";
    return part ? "After the map" : "Before the map";
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Multiples of the golden ratio (times 2^64) spread the samples chosen evenly over the file. */
static uint64_t ticket(const page *p, size_t sample)
{
    int grey = p->colour[p->e->set.samples.label[sample]] == DRAW_GREY;
    return (uint64_t)sample * UINT64_C(0x9E3779B97F4A7C15) >> 1 | (uint64_t)grey << 63;
}

static int by_ticket(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Among the samples that the first round trains with or tests, those with the smallest tickets, all
 * of which differ; classes in colour come first. */
static void draw_samples(page *p)
{
    const spd_round *first = p->e->found->round[0];
    size_t count = p->e->set.samples.p;
    enum { TESTS = 1, TRAINS };
    char *part = cli_alloc(count, 1, "samples");
    uint64_t *tickets = cli_alloc(count, sizeof *tickets, "samples");
    for (size_t i = 0; i < first->test_count; i++)
        part[first->test[i]] = TESTS;
    for (size_t i = 0; i < first->train_count; i++)
        part[first->train[i]] = TRAINS;
    for (size_t i = 0; i < count; i++)
        if (part[i])
            tickets[p->available++] = ticket(p, i);
    qsort(tickets, p->available, sizeof *tickets, by_ticket);
    size_t room = p->available < SHOWN ? p->available : SHOWN;
    p->index = cli_alloc(room, sizeof *p->index, "samples");
    p->trains = cli_alloc(room, sizeof *p->trains, "samples");
    for (size_t i = 0; i < count; i++)
        if (part[i] && ticket(p, i) <= tickets[room - 1]) {
            p->trains[p->shown] = part[i] == TRAINS;
            p->index[p->shown++] = i;
        }
}

/* ---- the map --------------------------------------------------------------------------------- */

/* The most accurate of those with a learned map (m = n chosen is none), ties to the first. */
static void choose_model(page *p)
{
    double most = -1;
    for (size_t m = 0; m < p->e->methods; m++) {
        const spd_method_result *found = p->e->found->method[m];
        if (found->outcome[0]->model && found->accuracy > most) {
            p->method = found->name;
            p->model = found->outcome[0]->model;
            most = found->accuracy;
        }
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

double *page_matrices(const page *p, int part, size_t count, const size_t *list)
{
    size_t size = p->size[part] * p->size[part];
    double *X = cli_alloc_table(count, size, sizeof *X, "numbers");
    for (size_t i = 0; i < count; i++)
        memcpy(X + i * size, p->matrix[part] + p->place[list ? list[i] : i] * size,
               size * sizeof *X);
    return X;
}

double page_share(const page *p)
{
    return p->e->set.samples.hermitian ? 0.5 : 1.0;
}

static void copy_matrices(page *p)
{
    const spd_samples *samples = &p->e->set.samples;
    size_t size = samples->n * samples->n;
    p->size[0] = samples->n;
    p->matrix[0] = cli_alloc_table(p->shown, size, sizeof *p->matrix[0], "numbers");
    for (size_t i = 0; i < p->shown; i++)
        memcpy(p->matrix[0] + i * size, samples->X + p->index[i] * size, size * sizeof *samples->X);
}

static spd_status map_matrices(page *p)
{
    if (!p->model)
        return SPD_OK;
    size_t m = p->model->m;
    p->matrix[1] = cli_alloc_table(p->shown, m * m, sizeof *p->matrix[1], "numbers");
    spd_status status = spd_congruence(p->s->ctx, SPD_SET(p->model->n, p->shown, p->matrix[0]), m,
                                       p->model->W, p->matrix[1]);
    p->size[1] = status < 0 ? 0 : m;
    return status;
}

/* ---- spectra --------------------------------------------------------------------------------- */

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
        qsort(column, count, sizeof *column, order_ascending);
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

/* The spectrum of a part <- from lambda (count x size), which real forms of complex matrices have
 * twice each. */
static void take_spectrum(page *p, int part, double *lambda, double *column)
{
    size_t own = p->size[part], each = p->e->set.samples.hermitian ? 2 : 1, size = own / each;
    double *quartile = cli_alloc_table(3, size, sizeof *quartile, "quartiles");
    for (size_t e = 0; e < p->shown * size; e++)
        lambda[e] = lambda[e * each];
    p->spectrum[part] = (page_spectrum){
        .size = size, .lower = quartile, .median = quartile + size, .upper = quartile + 2 * size};
    fill(&p->spectrum[part], p->shown, lambda, column);
}

static spd_status find_spectra(page *p)
{
    spd_status status = SPD_OK;
    size_t count = p->shown;
    double *column = cli_alloc(count, sizeof *column, "eigenvalues");
    for (int part = 0; part < PAGE_PARTS && p->size[part] && count && status >= 0; part++) {
        size_t size = p->size[part];
        double *lambda = cli_alloc_table(count, size, sizeof *lambda, "eigenvalues");
        status = spd_eigh(p->s->ctx, SPD_SET(size, count, p->matrix[part]), lambda, NULL);
        if (status >= 0)
            take_spectrum(p, part, lambda, column);
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What fails for numerical reasons is left out; what is no fault of the data ends the page. */
static int is_fatal(spd_status status)
{
    return status == SPD_ENOMEM || status == SPD_ECANCELLED || signals_interrupted();
}

void page_prepare(session *s, const results *e, page *p)
{
    static spd_status (*const steps[])(page * p) = {map_matrices, find_spectra, page_embed,
                                                    page_tsne, page_margins};
    *p = (page){.s = s, .e = e};
    p->colour = cli_alloc(e->set.samples.classes, sizeof *p->colour, "colours");
    p->coloured = cloud_colours(e->set.samples.classes, p->colour);
    draw_samples(p);
    if (!e->set.samples.X)
        return;
    choose_model(p);
    copy_matrices(p);
    spd_status status = SPD_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !is_fatal(status); i++)
        status = steps[i](p);
    bar_clear(&s->bar);
    if (is_fatal(status))
        session_fail(s, status);
}
