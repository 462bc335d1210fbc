/* page_prepare.c - which samples are drawn, which map is shown, the eigenvalues of matrices
 * (quartiles by rank) and samples in two dimensions, before and after the map.
 *
 * Samples beyond SHOWN are left out evenly over the file: those with the smallest multiple of the
 * golden ratio are drawn, so that the choice is the same in every run and follows no order of the
 * file.
 *
 * Classical scaling of the distances between the drawn samples is a picture of the distances that
 * methods decide by, without looking at labels. AIRM's distances where they are quick, else Stein's,
 * which behave alike and are ten times cheaper; where even these would take long, fewer samples. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cli/frame/cli_memory.h"
#include "cli/report/page.h"
#include "cli/frame/signals.h"

#define SHOWN       600
#define SECONDS     4.0   /* of one core, about, for the distances */
#define AIRM_COST   1e-10 /* seconds of a distance over n^3 */
#define STEIN_COST  8e-12
#define FEWEST      60 /* samples to show anything */
#define ENOUGH      300
#define FEWEST_TSNE 20

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

/* ---- two dimensions ---------------------------------------------------------------------------- */

static size_t affordable(const page *p, double cost)
{
    double n = (double)p->size[0];
    double most = sqrt(2 * SECONDS / (cost * n * n * n));
    return most < (double)p->shown ? (size_t)most : p->shown;
}

/* The metric of the map where it pays. */
static void choose_metric(page *p)
{
    size_t enough = p->shown < ENOUGH ? p->shown : ENOUGH;
    spd_metric metric = p->model ? p->model->options->metric : SPD_METRIC_AIRM;
    p->embed_metric = metric == SPD_METRIC_LOG_EUCLIDEAN ? metric : SPD_METRIC_STEIN;
    p->placed = affordable(p, STEIN_COST);
    if (metric == SPD_METRIC_AIRM && affordable(p, AIRM_COST) >= enough) {
        p->embed_metric = SPD_METRIC_AIRM;
        p->placed = affordable(p, AIRM_COST);
    }
    if (p->placed < FEWEST)
        p->placed = p->shown < FEWEST ? p->shown : FEWEST;
}

/* Y[part] <- by that method; info (or NULL) as spd_embed. */
static spd_status place(page *p, int part, spd_embedding kind, double **to, spd_embed_info *info)
{
    spd_embed_options options = {.size = sizeof options,
                                 .kind = kind,
                                 .metric = p->embed_metric,
                                 .k = 1,
                                 .dimensions = 2,
                                 .seed = p->e->options.seed};
    double *X = page_matrices(p, part, p->placed, NULL);
    double *Y = cli_alloc_table(p->placed, 2, sizeof *Y, "coordinates");
    spd_status status = spd_embed(p->s->ctx, &options, p->size[part], p->placed, X, Y, NULL, info);
    cli_free(X);
    for (size_t e = 0; status >= 0 && kind == SPD_EMBEDDING_MDS && e < 2 * p->placed; e++)
        Y[e] *= sqrt(page_share(p));
    to[part] = status < 0 ? NULL : Y;
    return status;
}

static spd_status by_scaling(page *p, int part)
{
    spd_embed_info info = SPD_STRUCT(spd_embed_info);
    spd_status status = place(p, part, SPD_EMBEDDING_MDS, p->Y, &info);
    p->explained[part] = info.explained;
    return status;
}

/* Dot products of columns of two sets of points (placed x 2 each). */
static double product(const page *p, const double *a, size_t i, const double *b, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < p->placed; k++)
        sum += a[2 * k + i] * b[2 * k + j];
    return sum;
}

/* Turns and mirrors the points after the map so that they lie as near as possible to those before:
 * distances stay, and the eye can follow a class. With C = A'B (2 x 2), the best rotation has the
 * angle atan2(c01 - c10, c00 + c11); with a mirror first, the second row of C changes its sign. */
static void align(const page *p, const double *B, double *A)
{
    double c00 = product(p, A, 0, B, 0), c01 = product(p, A, 0, B, 1);
    double c10 = product(p, A, 1, B, 0), c11 = product(p, A, 1, B, 1);
    double plain = hypot(c00 + c11, c01 - c10), mirrored = hypot(c00 - c11, c01 + c10);
    double sign = mirrored > plain ? -1 : 1;
    double angle = atan2(c01 - sign * c10, c00 + sign * c11), c = cos(angle), s = sin(angle);
    for (size_t k = 0; k < p->placed; k++) {
        double x = A[2 * k], y = sign * A[2 * k + 1];
        A[2 * k] = c * x - s * y;
        A[2 * k + 1] = s * x + c * y;
    }
}

static spd_status embed(page *p)
{
    spd_status status = SPD_OK;
    if (p->shown < 4) {
        p->no_embedding = words_text("%zu samples are too few", p->shown);
        return SPD_OK;
    }
    choose_metric(p);
    /* Evenly spaced: the drawn samples are a random choice already, in the order of the file. */
    p->place = cli_alloc(p->placed, sizeof *p->place, "samples");
    for (size_t i = 0; i < p->placed; i++)
        p->place[i] = i * p->shown / p->placed;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->size[part])
            status = by_scaling(p, part);
    if (status < 0)
        p->no_embedding = words_text("%s", advice_last(p->s->ctx).text);
    else if (p->Y[1])
        align(p, p->Y[0], p->Y[1]);
    return status;
}

static spd_status embed_tsne(page *p)
{
    spd_status status = SPD_OK;
    if (!p->Y[0] || p->placed < FEWEST_TSNE)
        return SPD_OK;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->Y[part])
            status = place(p, part, SPD_EMBEDDING_TSNE, p->T, NULL);
    if (status < 0)
        p->T[0] = p->T[1] = NULL;
    else if (p->T[1])
        align(p, p->T[0], p->T[1]);
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
    static spd_status (*const steps[])(page * p) = {map_matrices, find_spectra, embed, embed_tsne,
                                                    page_margins};
    *p = (page){.s = s, .e = e};
    p->colour = cli_alloc(e->set.samples.classes, sizeof *p->colour, "colours");
    p->coloured = cloud_colours(e->set.samples.classes, p->colour);
    draw_samples(p);
    if (!e->set.samples.X)
        return;
    choose_model(p);
    const spd_samples *samples = &p->e->set.samples;
    size_t size = samples->n * samples->n;
    p->size[0] = samples->n;
    p->matrix[0] = cli_alloc_table(p->shown, size, sizeof *p->matrix[0], "numbers");
    for (size_t i = 0; i < p->shown; i++)
        memcpy(p->matrix[0] + i * size, samples->X + p->index[i] * size, size * sizeof *samples->X);
    spd_status status = SPD_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !is_fatal(status); i++)
        status = steps[i](p);
    bar_clear(&s->bar);
    if (is_fatal(status))
        session_fail(s, status);
}
