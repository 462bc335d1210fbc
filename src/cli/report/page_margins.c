/* page_margins.c - how far each test sample is from its own class and from the others.
 *
 * For a test sample, d_own is its distance to the nearest training sample of its class, d_other to
 * the nearest of any other class. Above the line d_own = d_other the nearest neighbour is right.
 * Nothing is lost to a projection here. */
#include <math.h>

#include "cli/frame/cli_memory.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define WIDTH  440.0
#define HEIGHT 400.0

/* ---- computing ------------------------------------------------------------------------------- */

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

/* Matrices of a part as a set. */
static spd_set page_set(const page *p, int part, size_t count, const double *X)
{
    return (spd_set){.size = sizeof(spd_set),
                     .n = p->size[part],
                     .p = count,
                     .X = X,
                     .hermitian = p->e->set.samples.hermitian};
}

static spd_status one(page *p, int part)
{
    size_t count[2] = {0}, *list[2]; /* of the test samples, of the training samples */
    for (int k = 0; k < 2; k++)
        list[k] = cli_alloc(p->placed, sizeof *list[k], "samples");
    for (size_t i = 0; i < p->placed; i++) {
        int trains = p->trains[p->place[i]] != 0;
        list[trains][count[trains]++] = i;
    }
    if (!count[0] || !count[1])
        return SPD_EINVAL;
    double *Q = page_matrices(p, part, count[0], list[0]);
    double *X = page_matrices(p, part, count[1], list[1]);
    double *D2 = cli_alloc_table(count[0], count[1], sizeof *D2, "distances");
    const spd_set queries = page_set(p, part, count[0], Q),
                  searched = page_set(p, part, count[1], X);
    spd_status status = spd_pairwise2(p->s->ctx, p->embed_metric, &queries, &searched, D2);
    cli_free(Q);
    cli_free(X);
    if (status < 0)
        return status;
    p->margin[part] = cli_alloc_table(p->placed, 2, sizeof *p->margin[part], "distances");
    for (size_t i = 0; i < 2 * p->placed; i++)
        p->margin[part][i] = NAN;
    for (size_t i = 0; i < count[0]; i++)
        nearest(p, list[0][i], count[1], list[1], D2 + i * count[1],
                p->margin[part] + 2 * list[0][i]);
    return status;
}

spd_status page_margins(page *p)
{
    spd_status status = SPD_OK;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->Y[part])
            status = one(p, part);
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int has_logarithm(double distance)
{
    return isfinite(distance) && distance > 0;
}

/* at (placed x 2) <- where the margins lie in the chart, whose axes have the same range, so that
 * the line is the diagonal. Distances without a logarithm lie on the edge: of nothing, or to a
 * class that is not there. Training samples have no margin, but NaN. */
static draw_frame frame_of(drawing *d, const page *p, const double *margin, double *at)
{
    draw_frame a = {.d = d, .left = 66, .right = WIDTH - 10, .top = 8, .bottom = HEIGHT - 46};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < 2 * p->placed; i++) {
        at[i] = log10(margin[i]);
        draw_extend(&low, &high, at[i]);
    }
    draw_room(&low, &high);
    for (size_t i = 0; i < 2 * p->placed; i++)
        if (!isnan(at[i]))
            at[i] = fmin(fmax(at[i], low), high);
    a.x0 = a.y0 = low;
    a.x1 = a.y1 = high;
    return a;
}

/* How many samples were tested; *above <- of those, how many are nearer to their own class, *edge
 * <- how many lie on an edge. */
static size_t count_tested(const page *p, const double *margin, size_t *above, size_t *edge)
{
    size_t count = 0;
    *above = *edge = 0;
    for (size_t i = 0; i < p->placed; i++) {
        const double *m = margin + 2 * i;
        if (isnan(m[0]))
            continue;
        count++;
        *above += m[0] < m[1];
        *edge += !has_logarithm(m[0]) || !has_logarithm(m[1]);
    }
    return count;
}

/* Of one part. */
typedef struct margins {
    const page *p;
    int part;
} margins;

static void draw_margins(drawing *d, const void *what)
{
    const margins *m = what;
    double *at = cli_alloc_table(m->p->placed, 2, sizeof *at, "distances");
    draw_frame a = frame_of(d, m->p, m->p->margin[m->part], at);
    clouds samples = page_clouds(m->p);
    draw_axes(&a, DRAW_LOG10, "to its own class", DRAW_LOG10, "to another class");
    draw_line(d, (draw_ink){.look = LOOK_AXIS}, a.left, a.bottom, a.right, a.top);
    cloud_marks(&a, &samples, at);
}

static void chart(FILE *f, const page *p, int part)
{
    size_t above, edge, count = count_tested(p, p->margin[part], &above, &edge);
    const margins m = {p, part};
    fprintf(f, "<div>\n<h3>%s: %zu of %zu above the line</h3>\n", page_part_heading(p, part), above,
            count);
    page_figure(f, p,
                &(figure){part ? "margins-after" : "margins-before",
                          words_text("Distances to a sample's own class and to other classes %s",
                                     page_part_name(part)),
                          "One marker per test sample; above the line its own class is nearer.",
                          WIDTH, HEIGHT, draw_margins, &m});
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
        "Each test sample by its distance to the nearest training sample of its own class and of "
        "any other. Above the line the nearest neighbour is right; the further above, the safer. "
        "Unlike in two dimensions, nothing is lost here.%s%s%s",
        p->margin[1] ? " A map that helps lifts the samples." : "",
        edges ? " On the edges: equal matrices, and classes without a training sample." : "",
        p->placed < p->available
            ? " Neighbours are those among the samples shown; the methods used all samples."
            : "");
}
