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

/* A line per placed sample that has numbers: two before the map and two after it. */
static void sample_lines(FILE *f, const page *p, double *const *values)
{
    for (size_t i = 0; i < p->placed; i++) {
        size_t sample = p->index[p->place[i]];
        if (isnan(values[0][2 * i]))
            continue;
        fprintf(f, "%zu,", sample);
        text_file_csv(f, p->e->set.data->class_name[p->e->set.samples.label[sample]]);
        fprintf(f, ",%s", p->trains[p->place[i]] ? "train" : "test");
        for (int part = 0; part < PAGE_PARTS; part++)
            if (values[part])
                fprintf(f, ",%.17g,%.17g", values[part][2 * i], values[part][2 * i + 1]);
        fputc('\n', f);
    }
}

void page_csv_embedding(FILE *f, const void *what)
{
    const page *p = what;
    fputs("index,class,part,before_1,before_2", f);
    fputs(p->Y[1] ? ",after_1,after_2\n" : "\n", f);
    sample_lines(f, p, p->Y);
}

void page_csv_margins(FILE *f, const void *what)
{
    const page *p = what;
    fputs("index,class,part,before_own,before_other", f);
    fputs(p->margin[1] ? ",after_own,after_other\n" : "\n", f);
    sample_lines(f, p, p->margin);
}
