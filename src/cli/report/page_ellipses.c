/* page_ellipses.c - matrices of size 2 or 3 as what they are: ellipses.
 *
 * A 2 x 2 matrix S is drawn as { v: v' S^-1 v = 1 }, whose half axes are the roots of its
 * eigenvalues. The shadow of a 3 x 3 matrix on the plane of two coordinates is the ellipse of that
 * 2 x 2 block. */
#include <math.h>
#include <string.h>

#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define PANEL   130.0
#define NAME    20.0 /* room above */
#define ROW     (NAME + PANEL + 18.0)
#define MEMBERS 12 /* ellipses of a class */

typedef struct gallery {
    drawing *d;
    const page *p;
    int part;
    size_t size;     /* 2 or 3 */
    double scale;    /* pixels per unit */
    double *members; /* MEMBERS + 1 x size x size */
} gallery;

/* members <- up to MEMBERS drawn samples of a class, how many; behind them their mean. */
static size_t take_class(gallery *g, size_t class)
{
    const page *p = g->p;
    size_t count = 0, size = g->size * g->size;
    for (size_t i = 0; i < p->shown && count < MEMBERS; i++)
        if (p->e->set.samples.label[p->index[i]] == (int)class)
            memcpy(g->members + count++ * size, p->matrix[g->part] + i * size,
                   size * sizeof *g->members);
    if (!count)
        return 0;
    spd_status status = spd_mean(p->s->ctx, SPD_METRIC_AIRM, SPD_SET(g->size, count, g->members),
                                 NULL, g->members + count * size, NULL);
    if (status == SPD_ENOMEM)
        cli_out_of_memory("a mean");
    return status < 0 ? 0 : count;
}

/* The class's ellipses in the plane of coordinates i and j, around (x, y). */
static void panel(const gallery *g, size_t count, size_t i, size_t j, double x, double y,
                  int colour)
{
    size_t n = g->size;
    for (size_t k = 0; k <= count; k++) {
        const double *S = g->members + k * n * n;
        draw_ellipse(g->d, x, y, g->scale, S[i * n + i], S[i * n + j], S[j * n + j], colour,
                     k < count);
    }
}

/* A class with its upper left corner there. */
static void put_class(gallery *g, size_t class, size_t count, double left, double top)
{
    static const size_t planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    size_t panels = g->size == 3 ? 3 : 1;
    draw_text(g->d, TEXT_BOLD, left + 2, top + 14, 16 * panels,
              g->p->e->set.data->class_name[class]);
    for (size_t k = 0; k < panels; k++) {
        double x = left + PANEL * (double)k, y = top + NAME;
        size_t i = planes[k][0], j = planes[k][1];
        draw_rect(g->d, (draw_ink){.look = LOOK_FIELD}, x + 2, y + 2, PANEL - 4, PANEL - 4);
        draw_text(g->d, TEXT_SOFT | TEXT_TINY | TEXT_MIDDLE, x + PANEL / 2, y + PANEL + 11, 0,
                  words_text("axes %zu and %zu", i + 1, j + 1));
        panel(g, count, i, j, x + PANEL / 2, y + PANEL / 2, g->p->colour[class]);
    }
}

int page_ellipse_part(const page *p)
{
    for (int part = PAGE_PARTS - 1; part >= 0; part--)
        if ((p->size[part] == 2 || p->size[part] == 3) && !p->e->set.samples.hermitian)
            return part;
    return -1;
}

/* Classes of 2 x 2 matrices stand four in a row. */
static void draw_gallery(drawing *d, const void *what)
{
    gallery g = *(const gallery *)what;
    size_t columns = g.size == 2 ? 4 : 1, next = 0;
    g.d = d;
    for (size_t c = 0; c < g.p->e->set.samples.classes; c++) {
        size_t count = g.p->colour[c] == DRAW_GREY ? 0 : take_class(&g, c);
        if (count) {
            size_t row = next / columns;
            put_class(&g, c, count, PANEL * (double)(next % columns), ROW * (double)row);
            next++;
        }
    }
    size_t rows = (next + columns - 1) / columns;
    d->height = ROW * (double)rows;
}

void page_ellipses(FILE *f, const page *p)
{
    int part = page_ellipse_part(p);
    gallery g = {.p = p, .part = part, .size = p->size[part]};
    g.members = cli_alloc_table(MEMBERS + 1, g.size * g.size, sizeof *g.members, "ellipses");
    /* The largest half axis of what is drawn fills a panel. */
    double largest = 0;
    for (size_t c = 0; c < g.p->e->set.samples.classes; c++) {
        size_t count = g.p->colour[c] == DRAW_GREY ? 0 : take_class(&g, c);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < g.size; i++)
                largest = fmax(largest, g.members[(k * g.size + i) * g.size + i]);
    }
    g.scale = largest > 0 ? (PANEL / 2 - 6) / sqrt(largest) : 1;
    html_figure(f, "large");
    page_figure(f, p,
                &(figure){"ellipses", "Ellipses of the classes",
                          "Thin ellipses are samples, the thick one is their mean.",
                          PANEL * (g.size == 2 ? 4 : 3), 0, draw_gallery, &g});
    html_figure_close(
        f,
        "Each %zu \xC3\x97 %zu matrix %s as the ellipse%s whose half axes are the square roots of "
        "its eigenvalues: up to %d samples of a class in thin lines, their mean in a thick one, "
        "all on one scale. Classes whose ellipses have the same size, shape and direction cannot "
        "be separated.%s",
        g.size, g.size, page_part_name(part),
        g.size == 3 ? "s of its projections onto three planes" : "", MEMBERS,
        p->coloured < p->e->set.samples.classes ? " Only some of the classes are shown." : "");
}
