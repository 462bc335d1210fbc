/* page_summary.c - what the data are. */
#include <stdlib.h>
#include <string.h>

#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define CLASSES_LISTED 60

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
    const char *aligned = results_alignment(p->e);
    html_print(f,
               "<dt>protocol</dt><dd>%s</dd>\n<dt>rounds</dt><dd>%zu</dd>\n"
               "<dt>parts</dt><dd>%zu train, %zu are tested%s</dd>\n",
               p->e->protocol.text, rounds, first->train_count, first->test_count,
               rounds > 1 ? " in the first round" : "");
    if (aligned)
        html_print(f, "<dt>alignment</dt><dd>%s</dd>\n", aligned);
}

static void release_path(void *path)
{
    free(path);
}

/* The real path, or NULL. */
static char *real_path(const char *path)
{
    char *found = realpath(path, NULL);
    if (found)
        cli_keep(found, release_path);
    return found;
}

/* The way from a folder to a file: "../data.npz"; both are real paths. */
static char *way(const char *folder, const char *file)
{
    size_t same = 0;
    words steps = {0};
    for (size_t i = 0; folder[i] == file[i] && folder[i]; i++)
        if (file[i] == '/')
            same = i + 1;
    size_t length = strlen(folder);
    if (strncmp(folder, file, length) == 0 && file[length] == '/')
        same = length + 1;
    for (const char *at = folder + (same < length ? same : length); *at;) {
        words_add(&steps, "..");
        at += strcspn(at, "/");
        at += *at == '/' ? 1 : 0;
    }
    words_add(&steps, file + same);
    return words_join(&steps, 0, steps.count, "/");
}

/* The data, as a link that holds as long as folder and file lie to each other as they do. */
static void file_item(FILE *f, const page *p)
{
    const char *source = p->e->set.data->source, *folder = session_output(p->s);
    char *from = folder ? real_path(folder) : NULL, *to = real_path(source);
    if (from && to)
        html_link(f, way(from, to), source);
    else
        html_text(f, source);
}

void page_summary(FILE *f, const page *p)
{
    const spd_samples *samples = &p->e->set.samples;
    size_t *size = cli_alloc(samples->classes, sizeof *size, "classes");
    for (size_t i = 0; i < samples->p; i++)
        size[samples->label[i]]++;
    fputs("<dl>\n<dt>file</dt><dd>", f);
    file_item(f, p);
    fprintf(f, "</dd>\n<dt>samples</dt><dd>%zu</dd>\n", samples->p);
    if (samples->X)
        fprintf(f, "<dt>matrices</dt><dd>%zu \xC3\x97 %zu%s</dd>\n", shown_n(p->e->set.data),
                shown_n(p->e->set.data), samples->hermitian ? ", complex" : "");
    if (samples->V)
        fprintf(f, "<dt>vectors</dt><dd>%zu \xC3\x97 %zu</dd>\n", samples->height, samples->width);
    class_item(f, samples, size);
    eigenvalue_items(f, p);
    protocol_items(f, p);
    fputs("</dl>\n", f);
    class_list(f, p, size);
}
