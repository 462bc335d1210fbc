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
    const spd_round *first = p->e->found->round[0];
    size_t count = p->e->set.samples.p;
    char *trains = cli_alloc(count, 1, "samples");
    lot *lots = cli_alloc(count, sizeof *lots, "samples");
    for (size_t i = 0; i < first->train_count; i++) {
        trains[first->train[i]] = 1;
        lots[p->available++] = (lot){ticket(p, first->train[i]), first->train[i]};
    }
    for (size_t i = 0; i < first->test_count; i++)
        lots[p->available++] = (lot){ticket(p, first->test[i]), first->test[i]};
    p->shown = p->available < SHOWN ? p->available : SHOWN;
    qsort(lots, p->available, sizeof *lots, by_ticket);
    qsort(lots, p->shown, sizeof *lots, by_sample);
    p->index = cli_alloc(p->shown, sizeof *p->index, "samples");
    p->trains = cli_alloc(p->shown, sizeof *p->trains, "samples");
    for (size_t i = 0; i < p->shown; i++) {
        p->index[i] = lots[i].sample;
        p->trains[i] = trains[lots[i].sample];
    }
    cli_free(trains);
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

/* The most accurate of those with a learned map (m = n chosen is none), ties to the first. */
static size_t choose_method(const page *p)
{
    size_t best = p->e->methods;
    double most = -1;
    for (size_t m = 0; m < p->e->methods; m++) {
        const spd_method_result *found = p->e->found->method[m];
        if (found->outcome[0]->model && found->accuracy > most) {
            best = m;
            most = found->accuracy;
        }
    }
    return best;
}

/* ---- matrices ---------------------------------------------------------------------------------
 */

static double *copies(size_t count, const size_t *which, size_t n, const double *from)
{
    double *X = cli_alloc_table(count, n * n, sizeof *X, "numbers");
    for (size_t i = 0; i < count; i++)
        memcpy(X + i * n * n, from + which[i] * n * n, n * n * sizeof *X);
    return X;
}

double *page_matrices(const page *p, int part, size_t count, const size_t *which)
{
    return copies(count, which, p->size[part], p->matrix[part]);
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

int page_prepare(session *s, const evaluation *e, page *p)
{
    *p = (page){.s = s, .e = e, .method = e->methods};
    draw_colours(p);
    draw_samples(p);
    if (!e->set.samples.X)
        return CLI_GOOD;
    spd_status status = SPD_OK;
    p->method = choose_method(p);
    p->matrix[0] = copies(p->shown, p->index, e->set.samples.n, e->set.samples.X);
    p->size[0] = e->set.samples.n;
    if (p->method < e->methods)
        p->model = e->found->method[p->method]->outcome[0]->model;
    if (p->model)
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
    cli_free(p->index);
    cli_free(p->trains);
    cli_free(p->colour);
    cli_free(p->place);
}
