/* page_map.c - how the fit of the map went, and what it does to eigenvalues. */
#include <math.h>

#include "cli/methods/show_model.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define WIDTH  480.0
#define HEIGHT 320.0

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
                 "More iterations (<code>--max-iter</code>) might have lowered the cost by about "
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
        page_looks(f, p);
}
