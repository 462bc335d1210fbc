/* page_confusion.c - which classes are taken for which, a heat map per method. */
#include <stdlib.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/html.h"
#include "cli/report/page.h"
#include "cli/report/svg.h"

#define MOST_CLASSES 250 /* beyond, cells would be smaller than can be seen */
#define MOST_DRAWN   12  /* methods */
#define PAIRS        4   /* most frequent confusions */

typedef struct confusion {
    int64_t count;
    size_t truth, predicted;
} confusion;

/* Most frequent first, then in the order of the classes. */
static int by_count(const void *a, const void *b)
{
    const confusion *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->truth != y->truth)
        return x->truth > y->truth ? 1 : -1;
    return (x->predicted > y->predicted) - (x->predicted < y->predicted);
}

static void worst_pairs(FILE *f, const page *p, const int64_t *count)
{
    size_t classes = p->e->set.samples.classes, errors = 0;
    const char *const *name = p->e->set.data->class_name;
    for (size_t i = 0; i < classes * classes; i++)
        errors += count[i] && i / classes != i % classes;
    confusion *all = cli_alloc(errors, sizeof *all, "confusions");
    errors = 0;
    for (size_t i = 0; i < classes * classes; i++)
        if (count[i] && i / classes != i % classes)
            all[errors++] = (confusion){count[i], i / classes, i % classes};
    qsort(all, errors, sizeof *all, by_count);
    fputs(errors ? "<p class=\"note\">Most frequent errors: " : "<p class=\"note\">No errors", f);
    for (size_t i = 0; i < errors && i < PAIRS; i++) {
        fputs(i ? "; " : "", f);
        html_short(f, name[all[i].truth], 30);
        fputs(" \xE2\x86\x92 ", f);
        html_short(f, name[all[i].predicted], 30);
        fprintf(f, " (%lld)", (long long)all[i].count);
    }
    fputs(".</p>\n", f);
    cli_free(all);
}

static void one(FILE *f, const page *p, size_t method)
{
    const int64_t *count = p->e->found->method[method]->confusion;
    size_t classes = p->e->set.samples.classes;
    char id[40], title[SPD_METHOD_NAME + 40];
    snprintf(id, sizeof id, "confusion-%zu", method);
    snprintf(title, sizeof title, "Confusion matrix of %s", p->e->found->method[method]->name);
    fprintf(f, "<div>\n<h3>%s</h3>\n", p->e->found->method[method]->name);
    if (classes <= MOST_CLASSES)
        svg_heat(f, id, title, "Rows are true classes, columns predicted ones.", classes,
                 p->e->set.data->class_name, count);
    worst_pairs(f, p, count);
    fputs("</div>\n", f);
}

void page_confusions(FILE *f, const page *p)
{
    size_t classes = p->e->set.samples.classes;
    size_t drawn = p->e->methods < MOST_DRAWN ? p->e->methods : MOST_DRAWN;
    html_section(f, "confusion", "Confusion matrices");
    html_figure(f, "large");
    for (size_t m = 0; m < drawn; m++)
        one(f, p, m);
    html_figure_close(
        f,
        "Rows are true classes, columns predicted ones, counts over all rounds. Blue cells on "
        "the diagonal are right, orange cells off it are wrong; the stronger the colour, the "
        "larger the share of the row. Look for orange cells that mirror each other: two classes "
        "that the method confuses.%s%s",
        classes > MOST_CLASSES
            ? " With so many classes the tables are not drawn; they are in confusion.npz."
        : classes > SVG_HEAT_COUNTS
            ? " With so many classes, counts appear under the pointer and not every class is named."
            : "",
        drawn < p->e->methods ? " Further methods are in confusion.npz." : "");
    html_section_close(f);
}
