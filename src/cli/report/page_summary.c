/* page_summary.c - what the data are. */
#include "cli/report/html.h"
#include "cli/report/page.h"

#define CLASSES_LISTED 60
#define META_SHOWN     2000 /* characters */

static void class_item(FILE *f, const spd_samples *samples, const size_t *size)
{
    size_t least = samples->p, most = 0;
    for (size_t c = 0; c < samples->classes; c++) {
        least = size[c] < least ? size[c] : least;
        most = size[c] > most ? size[c] : most;
    }
    fprintf(f, "<dt>classes</dt><dd>%zu, of %zu", samples->classes, least);
    if (least < most)
        fprintf(f, " to %zu", most);
    fputs(least < most ? " samples</dd>\n" : " samples each</dd>\n", f);
}

static void class_list(FILE *f, const page *p, const size_t *size)
{
    size_t classes = p->e->set.samples.classes;
    if (classes > CLASSES_LISTED)
        return;
    fputs("<h3>Classes</h3>\n<ul class=\"classes\">\n", f);
    for (size_t c = 0; c < classes; c++)
        html_print(f, "<li>%.80s: %zu</li>\n", p->e->set.data->class_name[c], size[c]);
    fputs("</ul>\n", f);
}

static void eigenvalue_items(FILE *f, const page *p)
{
    const page_spectrum *a = &p->spectrum[0];
    if (a->size == 0)
        return;
    fprintf(f, "<dt>eigenvalues</dt><dd>%.4g to %.4g", a->least, a->largest);
    if (p->shown < p->e->set.samples.p)
        fprintf(f, " (in %zu of the matrices)", p->shown);
    fprintf(f, "</dd>\n<dt>largest condition</dt><dd>%.3g</dd>\n", a->condition);
}

static void protocol_items(FILE *f, const page *p)
{
    const spd_round *first = p->e->found->round[0];
    size_t rounds = p->e->found->rounds;
    const char *column = arguments_text(p->s->args, "recenter");
    html_print(f,
               "<dt>protocol</dt><dd>%s</dd>\n<dt>rounds</dt><dd>%zu</dd>\n"
               "<dt>parts</dt><dd>%zu train, %zu are tested%s</dd>\n",
               p->e->protocol.text, rounds, first->train_count, first->test_count,
               rounds > 1 ? " in the first round" : "");
    if (column)
        html_print(f, "<dt>recentred by</dt><dd>%s</dd>\n", column);
}

void page_summary(FILE *f, const page *p)
{
    const spd_data *data = p->e->set.data;
    const spd_samples *samples = &p->e->set.samples;
    size_t *size = cli_alloc(samples->classes, sizeof *size, "classes");
    for (size_t i = 0; i < samples->p; i++)
        size[samples->label[i]]++;
    html_print(f, "<dl>\n<dt>file</dt><dd>%s</dd>\n<dt>samples</dt><dd>%zu</dd>\n", data->source,
               samples->p);
    if (samples->X)
        fprintf(f, "<dt>matrices</dt><dd>%zu \xC3\x97 %zu</dd>\n", samples->n, samples->n);
    if (samples->V)
        fprintf(f, "<dt>vectors</dt><dd>%zu \xC3\x97 %zu</dd>\n", samples->height, samples->width);
    class_item(f, samples, size);
    eigenvalue_items(f, p);
    protocol_items(f, p);
    fputs("</dl>\n", f);
    class_list(f, p, size);
    if (data->meta) {
        fputs("<h3>How the matrices were made</h3>\n<pre>", f);
        html_lines(f, data->meta, META_SHOWN);
        fputs("</pre>\n", f);
    }
}
