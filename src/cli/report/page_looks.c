/* page_looks.c - which joints, channels or features the map looks at, as `spdml explain` finds
 * them: a table in the section of the map. */
#include "cli/explain/explained.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define CELLS_LISTED 20

/* The arithmetic mean (n x n) of the training samples that are drawn, or NULL. */
static double *mean_of(const page *p)
{
    size_t n = p->size[0], count = 0;
    double *M = cli_alloc_table(n, n, sizeof *M, "entries of the mean");
    for (size_t i = 0; i < p->shown; i++) {
        if (!p->trains[i])
            continue;
        for (size_t e = 0; e < n * n; e++)
            M[e] += p->matrix[0][i * n * n + e];
        count++;
    }
    for (size_t e = 0; e < n * n && count > 0; e++)
        M[e] /= (double)count;
    return count > 0 ? M : NULL;
}

static void put_row(FILE *f, const explained *x, size_t cell)
{
    const panel *p = &x->rows.panel[0];
    html_print(f, "<tr><th scope=\"row\">%.60s</th><td data-v=\"%.6f\">", p->name[cell],
               explained_cell(x, p, cell, x->by));
    html_bar(f, explained_cell(x, p, cell, x->by), 0.0);
    fputs("</td>", f);
    for (size_t i = 0; i < MEASURES; i++)
        fprintf(f, "<td>%.2f</td>", 100.0 * explained_cell(x, p, cell, (measure)i));
    fputs("</tr>\n", f);
}

static void put_table(FILE *f, const explained *x)
{
    const panel *p = &x->rows.panel[0];
    size_t *order = cli_alloc(p->rows * p->columns, sizeof *order, "cells");
    size_t count = explained_order(x, p, order);
    html_table(f, "What the map looks at",
               words_text("%s|<%s|share %%|kept %%|weight %%", p->title, measure_name(x->by)));
    html_rows(f);
    for (size_t k = 0; k < count && k < CELLS_LISTED; k++)
        put_row(f, x, order[k]);
    html_table_close(f);
    html_print(f,
               "<p class=\"note\">%s%s share: of all variance that the map carries; kept: of the "
               "variance of the row itself; weight: of the squares of W. <code>spdml "
               "explain</code> draws them.</p>\n",
               count > CELLS_LISTED ? words_text("The first %d of %zu. ", CELLS_LISTED, count) : "",
               explained_caption(x));
}

void page_looks(FILE *f, const page *p)
{
    explained x = {.n = p->model->n, .m = p->model->m, .hermitian = p->model->options->hermitian};
    const words none = {0};
    double *M = mean_of(p);
    if (!M)
        return;
    spd_status status = explained_fill(NULL, p->model->W, M, &x);
    if (status == SPD_ENOMEM)
        cli_out_of_memory("the explanation of the map");
    if (status < 0)
        return;
    x.rows = layout_of(x.n, p->e->set.data->meta, &none, NULL);
    x.by = explained_usual(&x);
    fputs("<h3>What the map looks at</h3>\n", f);
    put_table(f, &x);
}
