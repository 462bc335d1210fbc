/* page.c - report.html put together, and the files beside it. */
#include "cli/report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/text_file.h"
#include "cli/drawing/html.h"

/* ---- files beside the page ------------------------------------------------------------------- */

static void print_convergence(FILE *f, const void *what)
{
    const page *p = what;
    fputs("iteration,cost,gradient_norm,step,probes\n", f);
    for (size_t i = 0; i < p->model->steps; i++) {
        const spd_fit_step *h = &p->model->history[i];
        fprintf(f, "%zu,%.17g,%.17g,%.17g,%d\n", i, h->cost, h->gradient_norm, h->step, h->probes);
    }
}

static void print_spectrum(FILE *f, const void *what)
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

static void write_extra(page *p, const char *name, text_file_fn print, const void *what)
{
    text_file_write(text_file_in(p->folder, name), print, what);
    words_add(p->extras, name);
}

/* Two numbers of each placed sample before the map and two after it, which have names; of samples
 * that have none NaN. */
typedef struct numbers {
    const page *p;
    double *const *values;
    const char *first, *second;
} numbers;

static void print_numbers(FILE *f, const void *what)
{
    const numbers *n = what;
    const page *p = n->p;
    fprintf(f, "index,class,part,before_%s,before_%s", n->first, n->second);
    if (n->values[1])
        fprintf(f, ",after_%s,after_%s", n->first, n->second);
    for (size_t i = 0; i < p->placed; i++) {
        size_t sample = p->index[p->place[i]];
        if (isnan(n->values[0][2 * i]))
            continue;
        fprintf(f, "\n%zu,", sample);
        text_file_csv(f, p->e->set.data->class_name[p->e->set.samples.label[sample]]);
        fprintf(f, ",%s", p->trains[p->place[i]] ? "train" : "test");
        for (int part = 0; part < PAGE_PARTS; part++)
            if (n->values[part])
                fprintf(f, ",%.17g,%.17g", n->values[part][2 * i], n->values[part][2 * i + 1]);
    }
    fputc('\n', f);
}

/* Writes the files with the numbers of the figures that there are. */
static void write_extras(page *p)
{
    const numbers tables[] = {
        {p, p->Y, "1", "2"}, {p, p->T, "1", "2"}, {p, p->margin, "own", "other"}};
    static const char *const names[] = {"embedding.csv", "tsne.csv", "margins.csv"};
    if (p->model)
        write_extra(p, "convergence.csv", print_convergence, p);
    if (p->spectrum[0].size)
        write_extra(p, "spectrum.csv", print_spectrum, p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tables[i].values[0])
            write_extra(p, names[i], print_numbers, &tables[i]);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void file_link(FILE *f, const char *before, const char *name)
{
    fprintf(f, "%s<code>", before);
    html_link(f, name, name);
    fputs("</code>", f);
}

/* To run it again. */
static void command_line(FILE *f, const page *p)
{
    static const char *const always[] = {"results.csv", "rounds.csv", "results.json",
                                         "predictions.npz", "confusion.npz"};
    const arguments *args = p->s->args;
    html_print(f, "<pre><code>spdml %s", args->command->name);
    for (int i = 0; i < args->words; i++) {
        fputc(' ', f);
        html_word(f, shell_word(args->word[i]));
    }
    fprintf(f,
            "</code></pre>\n<p>spdml %s with seed %llu gives the same numbers, whatever the number "
            "of threads; only seconds differ.</p>\n"
            "<p>In the same folder, for your own plots:",
            spd_version(), (unsigned long long)p->e->options.seed);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        file_link(f, i ? ", " : " ", always[i]);
    for (size_t i = 0; i < p->extras->count; i++)
        file_link(f, ", ", p->extras->word[i]);
    fputs(".</p>\n<p>The figures as drawings (SVG) and for LaTeX (PDF):", f);
    for (size_t i = 0; i < p->files->count; i++) {
        file_link(f, i ? ", " : " ", words_text("%s.svg", p->files->word[i]));
        file_link(f, " ", words_text("%s.pdf", p->files->word[i]));
    }
    fputs(".</p>\n", f);
}

void page_figure(FILE *f, const page *p, const figure *g)
{
    if (f)
        figure_inline(f, g);
    figure_files(g, p->folder);
    words_add(p->files, g->id);
}

/* The method without a map that this one has a map before; NULL: there is none. */
static const spd_method_result *without_map(const page *p, const spd_method_result *mapped)
{
    size_t length = strlen(mapped->name);
    if (length < 4 || strcmp(mapped->name + length - 3, "-ml") != 0)
        return NULL;
    for (size_t m = 0; m < p->e->methods; m++)
        if (strlen(p->e->found->method[m]->name) == length - 3 &&
            strncmp(p->e->found->method[m]->name, mapped->name, length - 3) == 0)
            return p->e->found->method[m];
    return NULL;
}

/* What came out, in one sentence: what the map does to a method, of several to that which it
 * changes most, and the best one. */
static void headline(FILE *f, const page *p)
{
    const spd_method_result *best = p->e->found->method[0], *before = NULL, *after = NULL;
    for (size_t m = 0; m < p->e->methods; m++) {
        const spd_method_result *found = p->e->found->method[m], *bare = without_map(p, found);
        best = found->accuracy > best->accuracy ? found : best;
        if (bare && (!before || fabs(found->accuracy - bare->accuracy) >
                                    fabs(after->accuracy - before->accuracy))) {
            before = bare;
            after = found;
        }
    }
    fputs("<p class=\"headline\">", f);
    if (before && 1000 * fabs(after->accuracy - before->accuracy) < 0.5)
        fprintf(f, "The map leaves %s at %.1f %%; best: ", before->name, 100 * before->accuracy);
    else if (before)
        fprintf(f, "The map %s %s from %.1f to %.1f %%; best: ",
                after->accuracy > before->accuracy ? "lifts" : "lowers", before->name,
                100 * before->accuracy, 100 * after->accuracy);
    else
        fputs(p->e->methods > 1 ? "Best: " : "Accuracy: ", f);
    fprintf(f, "%s %.1f %%.</p>\n", best->name, 100 * best->accuracy);
}

static void lead(FILE *f, const page *p)
{
    const spd_samples *samples = &p->e->set.samples;
    html_print(f, "<p class=\"lead\">%zu method%s, %zu samples of %zu classes; %s.</p>\n",
               p->e->methods, p->e->methods > 1 ? "s" : "", samples->p, samples->classes,
               p->e->protocol.text);
}

typedef struct section {
    const char *id, *link, *heading;
    void (*print)(FILE *f, const page *p);
    int shown;
} section;

static void print_page(FILE *f, const void *what)
{
    const page *p = what;
    const section sections[] = {
        {"results", "Results", "Results", page_results, 1},
        {"confusion", "Confusion matrices", "Confusion matrices", page_confusions, 1},
        {"classes", "Classes", "Classes", page_classes, 1},
        {"map", "The map", "The map", page_map, p->spectrum[0].size > 0},
        {"samples", "The samples", "The samples", page_samples, p->size[0] > 0},
        {"ellipses", "Ellipses", "The matrices as ellipses", page_ellipses,
         page_ellipse_part(p) >= 0},
        {"data", "Data", "Data", page_summary, 1},
        {"rounds", "Rounds", "Rounds", page_rounds, p->e->found->rounds > 1},
        {"parameters", "Parameters", "Parameters", page_parameters, 1},
        {"again", "To run it again", "To run it again", command_line, 1}};
    const section *end = sections + sizeof sections / sizeof *sections;
    const char *source = p->e->set.data->source, *slash = strrchr(source, '/');
    html_open(f, words_text("Recognition on %s", slash && slash[1] ? slash + 1 : source));
    headline(f, p);
    lead(f, p);
    fputs("<nav aria-label=\"Contents\"><ul>\n", f);
    for (const section *s = sections; s < end; s++)
        if (s->shown)
            fprintf(f, "<li><a href=\"#%s\">%s</a></li>\n", s->id, s->link);
    fputs("</ul></nav>\n", f);
    for (const section *s = sections; s < end; s++)
        if (s->shown) {
            html_section(f, s->id, s->heading);
            s->print(f, p);
            html_section_close(f);
        }
    html_close(f);
}

void page_write(const page *p, const char *folder)
{
    words files = {0}, extras = {0};
    page own = *p; /* with lists that end here */
    own.folder = folder;
    own.files = &files;
    own.extras = &extras;
    write_extras(&own);
    text_file_write(text_file_in(folder, "report.html"), print_page, &own);
}
