/* page_map.c - how the fit of the map went, what it does to eigenvalues, and which joints, channels
 * or features it looks at, as `spdml explain` finds them. */
#include <math.h>

#include "cli/methods/show_model.h"
#include "cli/drawing/html.h"
#include "cli/explain/explained.h"
#include "cli/report/page.h"

#define WIDTH  480.0
#define HEIGHT 320.0

#define CELLS_LISTED 20

static draw_frame frame(drawing *d, double x0, double x1)
{
    return (draw_frame){.d = d,
                        .left = 72,
                        .right = WIDTH - 14,
                        .top = 14,
                        .bottom = HEIGHT - 46,
                        .x0 = x0,
                        .x1 = x1,
                        .y0 = INFINITY,
                        .y1 = -INFINITY};
}

/* ---- convergence ----------------------------------------------------------------------------- */

/* The cost or the gradient's norm over the iterations. */
static void draw_history(drawing *d, const page *p, int gradient)
{
    size_t steps = p->model->steps;
    draw_frame a = frame(d, 0, steps > 1 ? (double)(steps - 1) : 1);
    double *iteration = cli_alloc_table(2, steps, sizeof *iteration, "numbers of iterations");
    double *value = iteration + steps;
    for (size_t i = 0; i < steps; i++) {
        const spd_fit_step *step = &p->model->history[i];
        iteration[i] = (double)i;
        value[i] = gradient ? log10(step->gradient_norm) : step->cost;
        draw_extend(&a.y0, &a.y1, value[i]);
    }
    draw_room(&a.y0, &a.y1);
    draw_axes(&a, DRAW_WHOLE, "iteration", gradient ? DRAW_LOG10 : DRAW_LINEAR,
              gradient ? "gradient norm" : "cost");
    draw_series(&a, 0, steps, iteration, value);
}

static void draw_cost(drawing *d, const void *what)
{
    draw_history(d, what, 0);
}

static void draw_gradient(drawing *d, const void *what)
{
    draw_history(d, what, 1);
}

static void convergence(FILE *f, const page *p)
{
    const spd_model *model = p->model;
    char outlook[200] = "The cost falls at every step.";
    if (!show_converged(model->stop))
        snprintf(outlook, sizeof outlook,
                 "More iterations might have lowered the cost by about "
                 "%.2g, by how it fell so far.",
                 spd_model_gain(model));
    html_figure(f, "");
    page_figure(f, p,
                &(figure){"cost", "Cost of the map over the iterations",
                          "A line over the iterations of the fit.", WIDTH, HEIGHT, draw_cost, p});
    page_figure(f, p,
                &(figure){"gradient", "Norm of the gradient over the iterations",
                          "A line over the iterations of the fit.", WIDTH, HEIGHT, draw_gradient,
                          p});
    html_figure_close(
        f,
        "Cost and norm of its gradient while the map of %s was learned from the training part%s "
        "(%zu to %zu dimensions, %s metric, \xCE\xBD<sub>w</sub> %zu, \xCE\xBD<sub>b</sub> %zu): "
        "%d iterations; it stopped there: %s. %s",
        p->method, p->e->found->rounds > 1 ? " of the first round" : "", shown_map_n(model),
        shown_map_m(model), spd_name(SPD_ENUM_METRIC, model->options->metric), model->options->nu_w,
        model->options->nu_b, model->iterations, show_stop_reason(model->stop), outlook);
}

/* ---- spectra --------------------------------------------------------------------------------- */

static void draw_spectrum(drawing *d, const void *what)
{
    const page *p = what;
    static const char *const names[] = {"original matrices", "after the map"};
    size_t size = p->spectrum[0].size;
    draw_frame a = frame(d, size > 1 ? 1 : 0.5, size > 1 ? (double)size : 1.5);
    double *rank = cli_alloc(size, sizeof *rank, "ranks");
    for (size_t i = 0; i < size; i++)
        rank[i] = (double)(i + 1);
    for (int part = 0; part < PAGE_PARTS; part++)
        for (size_t i = 0; i < p->spectrum[part].size; i++) {
            draw_extend(&a.y0, &a.y1, p->spectrum[part].lower[i]);
            draw_extend(&a.y0, &a.y1, p->spectrum[part].upper[i]);
        }
    draw_room(&a.y0, &a.y1);
    draw_axes(&a, DRAW_WHOLE, "rank, largest first", DRAW_LOG10, "eigenvalue");
    for (int part = 0; part < PAGE_PARTS; part++)
        if (p->spectrum[part].size) {
            const page_spectrum *b = &p->spectrum[part];
            draw_band(&a, part, b->size, rank, b->lower, b->upper);
            draw_series(&a, part, b->size, rank, b->median);
            draw_legend_line(d, a.right - 150, a.top + 16 + 18 * part, part, names[part]);
        }
}

static void spectrum(FILE *f, const page *p)
{
    html_figure(f, "");
    page_figure(f, p,
                &(figure){"spectrum", "Eigenvalues by rank",
                          "Lines are medians over the matrices, bands reach from the lower to the "
                          "upper quartile.",
                          WIDTH, HEIGHT, draw_spectrum, p});
    html_figure_close(f,
                      "Eigenvalues of %zu matrices by rank: medians, and bands from the lower to "
                      "the upper quartile. A long fall to the right means ill-conditioned matrices "
                      "(here up to %.3g), whose smallest eigenvalues, often noise, weigh as much "
                      "as the largest in every Riemannian distance.%s",
                      p->shown, p->spectrum[0].condition,
                      p->spectrum[1].size ? " After the map the fall should be shorter: it keeps "
                                            "the directions that separate the classes."
                                          : "");
}

/* ---- what it looks at ------------------------------------------------------------------------- */

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

/* Nothing where there is no mean. */
static void looks(FILE *f, const page *p)
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

/* ---- all ------------------------------------------------------------------------------------- */

static const char *why_no_map(const page *p)
{
    for (size_t m = 0; m < p->e->methods; m++)
        if (p->e->method[m].map == SPD_MAP_ML)
            return "Cross-validation chose m equal to n, so the map is off.";
    return "No method here learns a map; add one that ends with <code>-ml</code> to see what it "
           "does.";
}

void page_map(FILE *f, const page *p)
{
    if (p->model)
        convergence(f, p);
    else
        fprintf(f, "<p class=\"note\">%s</p>\n", why_no_map(p));
    spectrum(f, p);
    if (p->model)
        looks(f, p);
}
