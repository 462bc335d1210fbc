/* page_margins.c - how far each test sample is from its own class and from the others.
 *
 * For a test sample, d_own is its distance to the nearest training sample of its class, d_other to
 * the nearest of any other class. Above the line d_own = d_other the nearest neighbour is right.
 * Nothing is lost to a projection here. */
#include <math.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/html.h"
#include "cli/report/page.h"
#include "cli/report/svg.h"

#define WIDTH  440.0
#define HEIGHT 400.0

/* ---- computing --------------------------------------------------------------------------------
 */

/* chosen (placed) <- which of placed train (1) or are tested (0); how many. */
static size_t choose(const page *p, int trains, size_t *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < p->placed; i++)
        if ((p->trains[p->place[i]] != 0) == trains)
            chosen[count++] = i;
    return count;
}

static double *take(const page *p, int part, size_t count, const size_t *chosen)
{
    size_t *which = cli_alloc(count, sizeof *which, "samples");
    for (size_t i = 0; i < count; i++)
        which[i] = p->place[chosen[i]];
    double *X = page_matrices(p, part, count, which);
    cli_free(which);
    return X;
}

/* margin (2) <- d_own and d_other of one test sample; D2 (trains) its squared distances. */
static void nearest(const page *p, size_t test, size_t trains, const size_t *train,
                    const double *D2, double *margin)
{
    margin[0] = margin[1] = INFINITY;
    for (size_t j = 0; j < trains; j++) {
        int other = page_class(p, train[j]) != page_class(p, test);
        margin[other] = fmin(margin[other], sqrt(fmax(D2[j], 0)));
    }
}

static spd_status one(session *s, page *p, int part)
{
    size_t *test = cli_alloc(2 * p->placed, sizeof *test, "samples"), *train = test + p->placed;
    size_t tests = choose(p, 0, test), trains = choose(p, 1, train);
    double *Q = take(p, part, tests, test), *X = take(p, part, trains, train);
    double *D2 = cli_alloc_table(tests, trains, sizeof *D2, "distances");
    spd_status status = SPD_EINVAL;
    if (tests > 0 && trains > 0)
        status = spd_pairwise2(s->ctx, p->embed_metric, p->size[part], tests, Q, trains, X, D2);
    if (status >= 0) {
        p->margin[part] = cli_alloc_table(p->placed, 2, sizeof *p->margin[part], "distances");
        for (size_t i = 0; i < 2 * p->placed; i++)
            p->margin[part][i] = NAN;
        for (size_t i = 0; i < tests; i++)
            nearest(p, test[i], trains, train, D2 + i * trains, p->margin[part] + 2 * test[i]);
    }
    cli_free(test);
    cli_free(Q);
    cli_free(X);
    cli_free(D2);
    return status;
}

spd_status page_margins(session *s, page *p)
{
    spd_status status = SPD_OK;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->Y[part])
            status = one(s, p, part);
    return status;
}

/* ---- drawing ----------------------------------------------------------------------------------
 */

/* Training samples have no margin. */
static int is_tested(const double *margin)
{
    return !isnan(margin[0]);
}

static int has_logarithm(double distance)
{
    return isfinite(distance) && distance > 0;
}

/* The same range on both axes, so that the line is the diagonal. */
static svg_frame frame_of(FILE *f, const page *p, const double *margin)
{
    svg_frame a = {.f = f, .left = 66, .right = WIDTH - 10, .top = 8, .bottom = HEIGHT - 46};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < 2 * p->placed; i++)
        if (has_logarithm(margin[i])) {
            low = fmin(low, log10(margin[i]));
            high = fmax(high, log10(margin[i]));
        }
    svg_room(&low, &high);
    a.x0 = a.y0 = low;
    a.x1 = a.y1 = high;
    return a;
}

/* Distances without a logarithm lie on the edge: of nothing, or to a class that is not there. */
static double place(const svg_frame *a, double distance)
{
    return has_logarithm(distance) ? log10(distance) : distance > 0 ? a->x1 : a->x0;
}

/* How many samples were tested; *above <- of those, how many are nearer to their own class, *edge
 * <- how many lie on an edge. */
static size_t count_tested(const page *p, const double *margin, size_t *above, size_t *edge)
{
    size_t count = 0;
    *above = *edge = 0;
    for (size_t i = 0; i < p->placed; i++) {
        const double *m = margin + 2 * i;
        if (!is_tested(m))
            continue;
        count++;
        *above += m[0] < m[1];
        *edge += !has_logarithm(m[0]) || !has_logarithm(m[1]);
    }
    return count;
}

static void chart(FILE *f, const page *p, int part)
{
    static const char *const ids[] = {"margins-before", "margins-after"};
    const double *margin = p->margin[part];
    size_t above, edge, count = count_tested(p, margin, &above, &edge);
    char title[80];
    svg_frame a = frame_of(f, p, margin);
    snprintf(title, sizeof title, "Distances to a sample's own class and to other classes %s",
             page_part_name(part));
    fprintf(f, "<div>\n<h3>%s: %zu of %zu above the line</h3>\n", page_part_heading(p, part), above,
            count);
    svg_open(f, ids[part], WIDTH, HEIGHT, title,
             "One marker per test sample; above the line its own class is nearer.");
    svg_axes(&a, SVG_LOG10, "to its own class", SVG_LOG10, "to another class");
    fprintf(f, "<path class=\"axis\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a.left, a.bottom, a.right,
            a.top);
    for (int grey = 1; grey >= 0; grey--)
        for (size_t i = 0; i < p->placed; i++)
            if ((p->colour[page_class(p, i)] == SVG_GREY) == grey && is_tested(margin + 2 * i))
                page_mark(f, p, i, svg_x(&a, place(&a, margin[2 * i])),
                          svg_y(&a, place(&a, margin[2 * i + 1])));
    svg_close(f);
    fputs("</div>\n", f);
}

void page_margin_figure(FILE *f, const page *p)
{
    size_t above, edges = 0;
    if (!p->margin[0] || count_tested(p, p->margin[0], &above, &edges) == 0)
        return;
    html_figure(f, "large");
    for (int part = 0; part < PAGE_PARTS; part++)
        if (p->margin[part])
            chart(f, p, part);
    html_figure_close(
        f,
        "Each test sample by its distance to the nearest training sample of its own class and "
        "of any other. Above the line the nearest neighbour is right; the further above, the "
        "safer. Unlike in two dimensions, nothing is lost here.%s%s%s",
        p->margin[1] ? " A map that helps lifts the samples." : "",
        edges ? " On the edges: equal matrices, and classes without a training sample." : "",
        p->placed < p->available
            ? " Neighbours are those among the samples shown; the methods used all samples."
            : "");
}
