/* page_classes.c - how well each class is found, a table per method.
 *
 *   precision   of what was taken for the class, how much is of it
 *   recall      of the class, how much was found
 *   F1          their harmonic mean */
#include <math.h>

#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define MOST_METHODS 12
#define DASH         "\xE2\x80\x93"

/* Counts of one class. */
typedef struct tally {
    double own, taken, right; /* samples of the class, samples taken for it, both */
} tally;

static tally count_class(size_t classes, const int64_t *confusion, size_t c)
{
    tally t = {.right = (double)confusion[c * classes + c]};
    for (size_t k = 0; k < classes; k++) {
        t.own += (double)confusion[c * classes + k];
        t.taken += (double)confusion[k * classes + c];
    }
    return t;
}

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
        tally t = count_class(classes, confusion, c);
        html_print(f, "<tr><th scope=\"row\">%.80s</th><td>%.0f</td>",
                   p->e->set.data->class_name[c], t.own);
        put_share(f, share(t.right, t.taken));
        put_share(f, share(t.right, t.own));
        put_share(f, share(2 * t.right, t.own + t.taken));
        fputs("</tr>\n", f);
    }
}

static void one(FILE *f, const page *p, size_t method, int open)
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
    size_t methods = p->e->methods, shown = methods < MOST_METHODS ? methods : MOST_METHODS;
    size_t best = 0;
    for (size_t m = 1; m < shown; m++)
        if (p->e->found->method[m]->accuracy > p->e->found->method[best]->accuracy)
            best = m;
    for (size_t m = 0; m < shown; m++)
        one(f, p, m, m == best);
    fputs("<p class=\"note\">Over all rounds. Precision: of the samples that were taken for the "
          "class, the share that is of it. Recall: of the samples of the class, the share that was "
          "found. F1: the harmonic mean of both. " DASH ": there is nothing to take a share of.",
          f);
    if (shown < methods)
        fputs(" Further methods are in <a href=\"confusion.npz\">confusion.npz</a>.", f);
    fputs("</p>\n", f);
}
