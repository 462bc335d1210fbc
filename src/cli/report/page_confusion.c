/* page_confusion.c - which classes are taken for which, a heat map per method. */
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define MOST_CLASSES 250 /* beyond, cells would be smaller than can be seen */
#define MOST_DRAWN   12  /* methods */
#define PAIRS        4   /* most frequent confusions */

/* Does cell i come after the cell `last`? */
static int comes_later(const int64_t *count, size_t i, size_t last)
{
    return count[i] == count[last] ? i > last : count[i] < count[last];
}

/* The most frequent of the errors (cells off the diagonal) that come after the cell `last` in the
 * order of their counts, then of the classes; last (classes^2) begins it, and where there is none
 * it is what comes back. */
static size_t next_error(size_t classes, const int64_t *count, size_t last)
{
    size_t cells = classes * classes, best = cells;
    for (size_t i = 0; i < cells; i++) {
        int later = last == cells || comes_later(count, i, last);
        if (count[i] && i / classes != i % classes && later &&
            (best == cells || count[i] > count[best]))
            best = i;
    }
    return best;
}

static void worst_pairs(FILE *f, const page *p, const int64_t *count)
{
    size_t classes = p->e->set.samples.classes, none = classes * classes;
    size_t at = next_error(classes, count, none);
    const char *const *name = p->e->set.data->class_name;
    fputs(at < none ? "<p class=\"note\">Most frequent errors: " : "<p class=\"note\">No errors",
          f);
    for (int i = 0; i < PAIRS && at < none; i++, at = next_error(classes, count, at))
        html_print(f, "%s%.30s \xE2\x86\x92 %.30s (%zu)", i ? "; " : "", name[at / classes],
                   name[at % classes], (size_t)count[at]);
    fputs(".</p>\n", f);
}

static void put_heat(FILE *f, const page *p, const char *name, const int64_t *count)
{
    heat h = {p->e->set.samples.classes, p->e->set.data->class_name, count};
    figure g = heat_figure(&h, words_text("confusion-%s", name),
                           words_text("Confusion matrix of %s", name));
    page_figure(f, p, &g);
}

static void one(FILE *f, const page *p, size_t method)
{
    const int64_t *count = p->e->found->method[method]->confusion;
    size_t classes = p->e->set.samples.classes;
    const char *name = p->e->found->method[method]->name;
    fprintf(f, "<div>\n<h3>%s</h3>\n", name);
    if (classes <= MOST_CLASSES)
        put_heat(f, p, name, count);
    worst_pairs(f, p, count);
    fputs("</div>\n", f);
}

void page_confusions(FILE *f, const page *p)
{
    size_t classes = p->e->set.samples.classes;
    size_t drawn = p->e->methods < MOST_DRAWN ? p->e->methods : MOST_DRAWN;
    html_figure(f, "large");
    for (size_t m = 0; m < drawn; m++)
        one(f, p, m);
    html_figure_close(
        f,
        "Rows are true classes, columns predicted ones, counts over all rounds. Blue cells on the "
        "diagonal are right, orange cells off it are wrong; the stronger the colour, the larger "
        "the share of the row. Look for orange cells that mirror each other: two classes that the "
        "method confuses.%s%s",
        classes > MOST_CLASSES
            ? " With so many classes the tables are not drawn; they are in confusion.npz."
        : classes > DRAW_HEAT_COUNTS
            ? " With so many classes, counts appear under the pointer and not every class is named."
            : "",
        drawn < p->e->methods ? " Further methods are in confusion.npz." : "");
}
