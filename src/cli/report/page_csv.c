/* page_csv.c - the numbers of the page's figures as csv files. */
#include <math.h>

#include "cli/report/page.h"
#include "cli/frame/text_file.h"

void page_csv_convergence(FILE *f, const void *what)
{
    const page *p = what;
    fputs("iteration,cost,gradient_norm,step,probes\n", f);
    for (size_t i = 0; i < p->model->steps; i++) {
        const spd_fit_step *h = &p->model->history[i];
        fprintf(f, "%zu,%.17g,%.17g,%.17g,%d\n", i, h->cost, h->gradient_norm, h->step, h->probes);
    }
}

void page_csv_spectrum(FILE *f, const void *what)
{
    const page *p = what;
    fputs("part,rank,log10_lower_quartile,log10_median,log10_upper_quartile\n", f);
    for (int part = 0; part < PAGE_PARTS; part++) {
        const page_spectrum *a = &p->spectrum[part];
        for (size_t i = 0; i < a->size; i++)
            fprintf(f, "%s,%zu,%.17g,%.17g,%.17g\n", part ? "after" : "before", i + 1, a->lower[i],
                    a->median[i], a->upper[i]);
    }
}

/* A line per placed sample that has numbers: two before the map and two after it, with names. */
static void sample_lines(FILE *f, const page *p, double *const *values, const char *first,
                         const char *second)
{
    fprintf(f, "index,class,part,before_%s,before_%s", first, second);
    if (values[1])
        fprintf(f, ",after_%s,after_%s", first, second);
    for (size_t i = 0; i < p->placed; i++) {
        size_t sample = p->index[p->place[i]];
        if (isnan(values[0][2 * i]))
            continue;
        fprintf(f, "\n%zu,", sample);
        text_file_csv(f, p->e->set.data->class_name[p->e->set.samples.label[sample]]);
        fprintf(f, ",%s", p->trains[p->place[i]] ? "train" : "test");
        for (int part = 0; part < PAGE_PARTS; part++)
            if (values[part])
                fprintf(f, ",%.17g,%.17g", values[part][2 * i], values[part][2 * i + 1]);
    }
    fputc('\n', f);
}

void page_csv_embedding(FILE *f, const void *what)
{
    const page *p = what;
    sample_lines(f, p, p->Y, "1", "2");
}

void page_csv_margins(FILE *f, const void *what)
{
    const page *p = what;
    sample_lines(f, p, p->margin, "own", "other");
}
