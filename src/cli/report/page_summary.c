/* page_summary.c - what the data are. */
#include <stdarg.h>

#include "cli/report/html.h"
#include "cli/report/page.h"

#define CLASSES_LISTED 60
#define META_SHOWN     2000 /* characters */

static void item(FILE *f, const char *term, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Numbers and words of ours; what comes from outside goes through item_text. */
static void item(FILE *f, const char *term, const char *format, ...)
{
    va_list args;
    fprintf(f, "<dt>%s</dt><dd>", term);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fputs("</dd>\n", f);
}

static void item_text(FILE *f, const char *term, const char *text)
{
    html_print(f, "<dt>%s</dt><dd>%s</dd>\n", term, text);
}

static void class_items(FILE *f, const spd_samples *samples, const size_t *size)
{
    size_t least = samples->p, most = 0;
    for (size_t c = 0; c < samples->classes; c++) {
        least = size[c] < least ? size[c] : least;
        most = size[c] > most ? size[c] : most;
    }
    if (least == most)
        item(f, "classes", "%zu, of %zu samples each", samples->classes, least);
    else
        item(f, "classes", "%zu, of %zu to %zu samples", samples->classes, least, most);
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
    char among[60] = "";
    if (a->size == 0)
        return;
    if (p->shown < p->e->set.samples.p)
        snprintf(among, sizeof among, " (in %zu of the matrices)", p->shown);
    item(f, "eigenvalues", "%.4g to %.4g%s", a->least, a->largest, among);
    item(f, "largest condition", "%.3g", a->condition);
}

static void size_items(FILE *f, const page *p)
{
    const spd_samples *samples = &p->e->set.samples;
    item(f, "samples", "%zu", samples->p);
    if (samples->X)
        item(f, "matrices", "%zu \xC3\x97 %zu", samples->n, samples->n);
    if (samples->V)
        item(f, "vectors", "%zu \xC3\x97 %zu", samples->height, samples->width);
}

static void protocol_items(FILE *f, const page *p)
{
    const spd_round *first = p->e->found->round[0];
    size_t rounds = p->e->found->rounds;
    const char *column = arguments_text(p->s->args, "recenter");
    item_text(f, "protocol", p->e->protocol.text);
    item(f, "rounds", "%zu", rounds);
    item(f, "parts", "%zu train, %zu are tested%s", first->train_count, first->test_count,
         rounds > 1 ? " in the first round" : "");
    if (column)
        item_text(f, "recentred by", column);
}

void page_summary(FILE *f, const page *p)
{
    const spd_data *data = p->e->set.data;
    const spd_samples *samples = &p->e->set.samples;
    size_t *size = session_table(p->s, samples->classes, 1, sizeof *size, "classes");
    for (size_t i = 0; i < samples->p; i++)
        size[samples->label[i]]++;
    fputs("<dl>\n", f);
    item_text(f, "file", data->source);
    size_items(f, p);
    class_items(f, samples, size);
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
