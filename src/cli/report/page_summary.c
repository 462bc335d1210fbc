/* page_summary.c - what the data are, and how to run it again. */
#include <stdarg.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/html.h"
#include "cli/report/page.h"
#include "cli/frame/shell_word.h"

#define CLASSES_LISTED 60
#define META_SHOWN     2000 /* characters */

/* ---- data -------------------------------------------------------------------------------------
 */

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
    fprintf(f, "<dt>%s</dt><dd>", term);
    html_text(f, text);
    fputs("</dd>\n", f);
}

static size_t *class_sizes(const spd_samples *samples)
{
    size_t *size = cli_alloc(samples->classes, sizeof *size, "classes");
    for (size_t i = 0; i < samples->p; i++)
        size[samples->label[i]]++;
    return size;
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
    for (size_t c = 0; c < classes; c++) {
        fputs("<li>", f);
        html_short(f, p->e->set.data->class_name[c], 80);
        fprintf(f, ": %zu</li>\n", size[c]);
    }
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
    size_t *size = class_sizes(&p->e->set.samples);
    html_section(f, "data", "Data");
    fputs("<dl>\n", f);
    item_text(f, "file", data->source);
    size_items(f, p);
    class_items(f, &p->e->set.samples, size);
    eigenvalue_items(f, p);
    protocol_items(f, p);
    fputs("</dl>\n", f);
    class_list(f, p, size);
    if (data->meta) {
        fputs("<h3>How the matrices were made</h3>\n<pre>", f);
        html_lines(f, data->meta, META_SHOWN);
        fputs("</pre>\n", f);
    }
    html_section_close(f);
    cli_free(size);
}

/* ---- command ----------------------------------------------------------------------------------
 */

static void put_word(FILE *f, const char *word)
{
    char *quoted = shell_word(word);
    html_word(f, quoted);
    cli_free(quoted);
}

static void put_files(FILE *f, const page *p)
{
    fputs("<p>In the same folder, for your own plots: <code>results.csv</code>, "
          "<code>rounds.csv</code>, <code>results.json</code>, <code>predictions.npz</code>, "
          "<code>confusion.npz</code>",
          f);
    if (p->model)
        fputs(", <code>convergence.csv</code>", f);
    if (p->spectrum[0].size)
        fputs(", <code>spectrum.csv</code>", f);
    if (p->Y[0])
        fputs(", <code>embedding.csv</code>, <code>samples.svg</code>", f);
    if (p->margin[0])
        fputs(", <code>margins.csv</code>", f);
    fputs(".</p>\n", f);
}

void page_command(FILE *f, const page *p)
{
    const arguments *args = p->s->args;
    html_section(f, "again", "To run it again");
    fputs("<pre><code>spdml ", f);
    html_text(f, args->command->name);
    for (int i = 0; i < args->words; i++) {
        fputc(' ', f);
        put_word(f, args->word[i]);
    }
    fprintf(f,
            "</code></pre>\n<p>spdml %s with seed %llu gives the same numbers, whatever the "
            "number of threads; only seconds differ.</p>\n",
            spd_version(), (unsigned long long)p->e->options.seed);
    put_files(f, p);
    html_section_close(f);
}
