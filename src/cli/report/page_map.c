/* page_map.c - how the fit of the map went, and what it does to eigenvalues. */
#include <math.h>

#include "cli/methods/show_model.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define WIDTH  480.0
#define HEIGHT 320.0

static svg_frame frame(FILE *f, double x0, double x1)
{
    return (svg_frame){.f = f,
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
static void history_chart(FILE *f, const page *p, int gradient)
{
    size_t steps = p->model->steps;
    svg_frame a = frame(f, 0, steps > 1 ? (double)(steps - 1) : 1);
    double *iteration = cli_alloc_table(2, steps, sizeof *iteration, "numbers of iterations");
    double *value = iteration + steps;
    for (size_t i = 0; i < steps; i++) {
        const spd_fit_step *step = &p->model->history[i];
        iteration[i] = (double)i;
        value[i] = gradient ? log10(step->gradient_norm) : step->cost;
        svg_extend(&a.y0, &a.y1, value[i]);
    }
    svg_room(&a.y0, &a.y1);
    svg_open(f, gradient ? "gradient" : "cost", WIDTH, HEIGHT,
             gradient ? "Norm of the gradient over the iterations"
                      : "Cost of the map over the iterations",
             "A line over the iterations of the fit.");
    svg_axes(&a, SVG_WHOLE, "iteration", gradient ? SVG_LOG10 : SVG_LINEAR,
             gradient ? "gradient norm" : "cost");
    svg_line(&a, 0, steps, iteration, value);
    svg_close(f);
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
    history_chart(f, p, 0);
    history_chart(f, p, 1);
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

static void spectrum_chart(FILE *f, const page *p)
{
    static const char *const names[] = {"original matrices", "after the map"};
    size_t size = p->spectrum[0].size;
    svg_frame a = frame(f, size > 1 ? 1 : 0.5, size > 1 ? (double)size : 1.5);
    double *rank = cli_alloc(size, sizeof *rank, "ranks");
    for (size_t i = 0; i < size; i++)
        rank[i] = (double)(i + 1);
    for (int part = 0; part < PAGE_PARTS; part++)
        for (size_t i = 0; i < p->spectrum[part].size; i++) {
            svg_extend(&a.y0, &a.y1, p->spectrum[part].lower[i]);
            svg_extend(&a.y0, &a.y1, p->spectrum[part].upper[i]);
        }
    svg_room(&a.y0, &a.y1);
    svg_open(
        f, "spectrum-drawing", WIDTH, HEIGHT, "Eigenvalues by rank",
        "Lines are medians over the matrices, bands reach from the lower to the upper quartile.");
    svg_axes(&a, SVG_WHOLE, "rank, largest first", SVG_LOG10, "eigenvalue");
    for (int part = 0; part < PAGE_PARTS; part++)
        if (p->spectrum[part].size) {
            const page_spectrum *b = &p->spectrum[part];
            svg_band(&a, part, b->size, rank, b->lower, b->upper);
            svg_line(&a, part, b->size, rank, b->median);
            svg_legend_line(f, a.right - 150, a.top + 16 + 18 * part, part, names[part]);
        }
    svg_close(f);
}

static void spectrum(FILE *f, const page *p)
{
    html_figure(f, "");
    spectrum_chart(f, p);
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
