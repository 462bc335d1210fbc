/* page_prepare.c - which samples are drawn, which map is shown, and its fit.
 *
 * Samples beyond SHOWN are left out evenly over the file: those with the smallest multiple of the
 * golden ratio are drawn, so that the choice is the same in every run and follows no order of the
 * file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/page.h"
#include "cli/frame/signals.h"
#include "cli/report/svg.h"

#define SHOWN    600
#define COLOURED 16 /* classes; of more, HEAD are in colour and the others grey */
#define HEAD     12

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

/* ---- samples ----------------------------------------------------------------------------------
 */

typedef struct lot {
    uint64_t ticket;
    size_t sample;
} lot;

/* Multiples of the golden ratio (times 2^64) spread the samples chosen evenly over the file. */
static uint64_t ticket(const page *p, size_t sample)
{
    int grey = p->colour[p->e->set.samples.label[sample]] == SVG_GREY;
    return (uint64_t)sample * UINT64_C(0x9E3779B97F4A7C15) >> 1 | (uint64_t)grey << 63;
}

static int by_ticket(const void *a, const void *b)
{
    const lot *x = a, *y = b;
    return (x->ticket > y->ticket) - (x->ticket < y->ticket);
}

static int by_sample(const void *a, const void *b)
{
    const lot *x = a, *y = b;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

/* Among the samples that the first round trains with or tests; classes in colour come first. */
static void draw_samples(page *p)
{
    const protocol *rule = &p->e->protocol;
    size_t count = p->e->set.samples.p;
    lot *lots = cli_alloc(count, sizeof *lots, "samples");
    for (size_t i = 0; i < count; i++)
        if (rule->train[i] || rule->test[i])
            lots[p->available++] = (lot){ticket(p, i), i};
    p->shown = p->available < SHOWN ? p->available : SHOWN;
    qsort(lots, p->available, sizeof *lots, by_ticket);
    qsort(lots, p->shown, sizeof *lots, by_sample);
    p->index = cli_alloc(p->shown, sizeof *p->index, "samples");
    p->trains = cli_alloc(p->shown, sizeof *p->trains, "samples");
    for (size_t i = 0; i < p->shown; i++) {
        p->index[i] = lots[i].sample;
        p->trains[i] = rule->train[lots[i].sample];
    }
    cli_free(lots);
}

/* With too many classes for colours, every so many has one. */
static void draw_colours(page *p)
{
    size_t classes = p->e->set.samples.classes;
    size_t step = classes <= COLOURED ? 1 : (classes + HEAD - 1) / HEAD;
    p->colour = cli_alloc(classes, sizeof *p->colour, "colours");
    for (size_t c = 0; c < classes; c++)
        p->colour[c] = c % step ? SVG_GREY : (int)p->coloured++;
}

/* ---- the map ----------------------------------------------------------------------------------
 */

static const outcome *first_outcome(const page *p, size_t method)
{
    return &p->e->outcome[method * p->e->protocol.rounds];
}

/* m = n chosen is no map. */
static int has_map(const page *p, size_t method)
{
    const spd_method *chosen = &first_outcome(p, method)->method;
    return chosen->map == SPD_MAP_ML && !spd_method_on_vectors(chosen) &&
           chosen->value[SPD_PARAM_M] >= 1 &&
           chosen->value[SPD_PARAM_M] < (double)p->e->set.samples.n;
}

/* The most accurate of those with a learned map, ties to the first. */
static size_t choose_method(const page *p)
{
    size_t best = p->e->methods;
    double most = -1, mean, deviation;
    for (size_t m = 0; m < p->e->methods; m++) {
        evaluation_accuracy(p->e, m, 0, &mean, &deviation);
        if (has_map(p, m) && mean > most) {
            best = m;
            most = mean;
        }
    }
    return best;
}

static size_t count_of(double value)
{
    return value >= 1 ? (size_t)value : 0;
}

/* The same map as the evaluation's in its first round: same data, same options. */
static spd_status fit_map(session *s, page *p)
{
    const spd_samples *all = &p->e->set.samples;
    size_t size = all->n * all->n, count = protocol_count(&p->e->protocol, p->e->protocol.train, 0);
    const spd_method *chosen = &first_outcome(p, p->method)->method;
    spd_fit_options options = p->e->fit;
    options.m = count_of(chosen->value[SPD_PARAM_M]);
    options.nu_w = count_of(chosen->value[SPD_PARAM_NU_W]);
    options.nu_b = count_of(chosen->value[SPD_PARAM_NU_B]);
    options.metric = chosen->metric;
    double *X = cli_alloc_table(count, size, sizeof *X, "numbers");
    int *label = cli_alloc(count, sizeof *label, "labels");
    for (size_t i = 0, at = 0; i < all->p; i++)
        if (p->e->protocol.train[i]) {
            memcpy(X + at * size, all->X + i * size, size * sizeof *X);
            label[at++] = all->label[i];
        }
    spd_status status = spd_fit(s->ctx, all->n, count, X, label, &options, NULL, &p->model);
    cli_free(X);
    cli_free(label);
    return status;
}

/* ---- matrices ---------------------------------------------------------------------------------
 */

static void take_matrices(page *p)
{
    const spd_samples *all = &p->e->set.samples;
    size_t size = all->n * all->n;
    double *X = cli_alloc_table(p->shown, size, sizeof *X, "numbers");
    for (size_t i = 0; i < p->shown; i++)
        memcpy(X + i * size, all->X + p->index[i] * size, size * sizeof *X);
    p->matrix[0] = X;
    p->size[0] = all->n;
}

static spd_status map_matrices(session *s, page *p)
{
    size_t m = p->model->m;
    double *S = cli_alloc_table(p->shown, m * m, sizeof *S, "numbers");
    spd_status status =
        spd_congruence(s->ctx, p->model->n, m, p->shown, p->matrix[0], p->model->W, S);
    p->matrix[1] = S;
    p->size[1] = status < 0 ? 0 : m;
    return status;
}

/* What fails for numerical reasons is left out; what is no fault of the data ends the page. */
static int is_fatal(spd_status status)
{
    return status == SPD_ENOMEM || status == SPD_ECANCELLED || signals_interrupted();
}

int page_prepare(session *s, const evaluation *e, const double *p_value, page *p)
{
    *p = (page){.s = s, .e = e, .p_value = p_value, .method = e->methods};
    draw_colours(p);
    draw_samples(p);
    if (!e->set.samples.X)
        return CLI_GOOD;
    spd_status status = SPD_OK;
    p->method = choose_method(p);
    take_matrices(p);
    if (p->method < e->methods)
        status = fit_map(s, p);
    if (status >= 0 && p->model)
        status = map_matrices(s, p);
    if (!is_fatal(status))
        status = page_spectra(s, p);
    if (!is_fatal(status))
        status = page_embed(s, p);
    if (!is_fatal(status))
        status = page_margins(s, p);
    bar_clear(&s->bar);
    return is_fatal(status) ? session_fail(s, status) : CLI_GOOD;
}

void page_free(page *p)
{
    for (int part = 0; part < PAGE_PARTS; part++) {
        cli_free(p->matrix[part]);
        cli_free(p->Y[part]);
        cli_free(p->margin[part]);
        page_spectrum_free(&p->spectrum[part]);
    }
    spd_model_free(p->model);
    cli_free(p->index);
    cli_free(p->trains);
    cli_free(p->colour);
    cli_free(p->place);
}
