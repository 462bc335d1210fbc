/* page_classes.c - which classes are taken for which, a heat map per method, and how well each is
 * found, a table per method.
 *
 *   precision   of what was taken for the class, how much is of it
 *   recall      of the class, how much was found
 *   F1          their harmonic mean */
#include <math.h>

#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define MOST_CLASSES 250 /* beyond, cells would be smaller than can be seen */
#define MOST_SHOWN   12  /* methods */
#define PAIRS        4   /* most frequent confusions */
#define DASH         "\xE2\x80\x93"

/* The most frequent of the errors (cells off the diagonal) that come after the cell `last` in the
 * order of their counts, then of the classes; last (classes^2) begins it, and where there is none
 * it is what comes back. */
static size_t next_error(size_t classes, const int64_t *count, size_t last)
{
    size_t cells = classes * classes, best = cells;
    for (size_t i = 0; i < cells; i++) {
        /* Does cell i come after the cell `last`? */
        int later = last == cells || (count[i] == count[last] ? i > last : count[i] < count[last]);
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

static void confusion(FILE *f, const page *p, size_t method)
{
    const int64_t *count = p->e->found->method[method]->confusion;
    size_t classes = p->e->set.samples.classes;
    const char *name = p->e->found->method[method]->name;
    fprintf(f, "<div>\n<h3>%s</h3>\n", name);
    if (classes <= MOST_CLASSES) {
        heat h = {classes, p->e->set.data->class_name, count};
        figure g = heat_figure(&h, words_text("confusion-%s", name),
                               words_text("Confusion matrix of %s", name));
        page_figure(f, p, &g);
    }
    worst_pairs(f, p, count);
    fputs("</div>\n", f);
}

void page_confusions(FILE *f, const page *p)
{
    size_t classes = p->e->set.samples.classes;
    size_t drawn = p->e->methods < MOST_SHOWN ? p->e->methods : MOST_SHOWN;
    html_figure(f, "large");
    for (size_t m = 0; m < drawn; m++)
        confusion(f, p, m);
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

/* ---- classes --------------------------------------------------------------------------------- */

/* NaN of nothing. */
static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static void put_share(FILE *f, double value)
{
    if (isnan(value))
        fputs("<td>" DASH "</td>", f);
    else
        fprintf(f, "<td>%.1f</td>", 100.0 * value);
}

static void class_rows(FILE *f, const page *p, const int64_t *confusion)
{
    size_t classes = p->e->set.samples.classes;
    for (size_t c = 0; c < classes; c++) {
        /* Samples of the class, samples taken for it, both. */
        double own = 0, taken = 0, right = (double)confusion[c * classes + c];
        for (size_t k = 0; k < classes; k++) {
            own += (double)confusion[c * classes + k];
            taken += (double)confusion[k * classes + c];
        }
        html_print(f, "<tr><th scope=\"row\">%.80s</th><td>%.0f</td>",
                   p->e->set.data->class_name[c], own);
        put_share(f, share(right, taken));
        put_share(f, share(right, own));
        put_share(f, share(2 * right, own + taken));
        fputs("</tr>\n", f);
    }
}

static void class_table(FILE *f, const page *p, size_t method, int open)
{
    fprintf(f, "<details%s>\n<summary>%s</summary>\n", open ? " open" : "",
            p->e->found->method[method]->name);
    html_table(f, "Precision, recall and F1 of each class",
               "class|tested|precision %|recall %|F1 %");
    html_rows(f);
    class_rows(f, p, p->e->found->method[method]->confusion);
    html_table_close(f);
    fputs("</details>\n", f);
}

void page_classes(FILE *f, const page *p)
{
    size_t methods = p->e->methods, shown = methods < MOST_SHOWN ? methods : MOST_SHOWN;
    size_t best = 0;
    for (size_t m = 1; m < shown; m++)
        if (p->e->found->method[m]->accuracy > p->e->found->method[best]->accuracy)
            best = m;
    for (size_t m = 0; m < shown; m++)
        class_table(f, p, m, m == best);
    fputs("<p class=\"note\">Over all rounds. Precision: of the samples that were taken for the "
          "class, the share that is of it. Recall: of the samples of the class, the share that was "
          "found. F1: the harmonic mean of both. " DASH ": there is nothing to take a share of.",
          f);
    if (shown < methods)
        fputs(" Further methods are in <a href=\"confusion.npz\">confusion.npz</a>.", f);
    fputs("</p>\n", f);
}
