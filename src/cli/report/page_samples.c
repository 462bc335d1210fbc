/* page_samples.c - samples in two dimensions, before and after the map, with one legend; within the
 * page, and as a picture of its own. */
#include <math.h>

#include "cli/methods/groups.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define WIDTH  440.0
#define MARGIN 22.0
#define WORDS                                                                                      \
    "One marker per sample; colour and shape show the class, filled is test, hollow is training."

/* Of the picture that is a file of its own: headings, gaps, and the legend's lines and columns. */
#define HEADING 26.0
#define GAP     16.0
#define LINE    20.0
#define COLUMNS 3 /* below each cloud */

int page_class(const page *p, size_t place)
{
    return p->e->set.samples.label[p->index[p->place[place]]];
}

/* Each round of colours has its shapes moved on by one, so that no pair repeats for long. */
static int shape_of(int colour)
{
    return colour == SVG_GREY ? 0 : colour + colour / SVG_COLOURS;
}

/* middle and half (2 each) <- of the box around a cloud, with a little room. */
static void box_of(const page *p, const double *Y, double *middle, double *half)
{
    for (size_t axis = 0; axis < 2; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < p->placed; i++)
            svg_extend(&low, &high, Y[2 * i + axis]);
        middle[axis] = (low + high) / 2;
        half[axis] = 1.06 * (high - low) / 2;
    }
}

/* Height over width that fits all clouds, within reason. */
static double aspect_of(const page *p, double *const *clouds)
{
    double aspect = 0.6, middle[2], half[2];
    for (int part = 0; part < PAGE_PARTS; part++)
        if (clouds[part]) {
            box_of(p, clouds[part], middle, half);
            aspect = fmax(aspect, half[0] > 0 ? half[1] / half[0] : 1);
        }
    return fmin(aspect, 1);
}

/* One scale for both axes: distances on paper are distances. */
static svg_frame frame_of(FILE *f, const page *p, double *const *clouds, int part)
{
    double aspect = aspect_of(p, clouds), middle[2], half[2];
    svg_frame a = {.f = f, .left = MARGIN, .right = WIDTH - 4, .top = 6};
    box_of(p, clouds[part], middle, half);
    double wide = fmax(half[0], half[1] / aspect);
    wide = wide > 0 ? wide : 1;
    a.bottom = a.top + aspect * (a.right - a.left);
    a.x0 = middle[0] - wide;
    a.x1 = middle[0] + wide;
    a.y0 = middle[1] - aspect * wide;
    a.y1 = middle[1] + aspect * wide;
    return a;
}

/* The input that the sample came from, where the data say so. */
static const char *sample_name(const page *p, size_t sample)
{
    const spd_array *names = column_named(p->e->set.data, "name");
    return names && names->type == SPD_TYPE_TEXT && names->ndim == 1 && sample < names->count
               ? names->text[sample]
               : NULL;
}

static void put_mark(FILE *f, const page *p, size_t place, double x, double y)
{
    int label = page_class(p, place), colour = p->colour[label],
        trains = p->trains[p->place[place]] != 0;
    size_t sample = p->index[p->place[place]];
    const char *name = sample_name(p, sample);
    double radius = colour == SVG_GREY ? 2.2 : p->placed > 300 ? 3.6 : 4.4;
    html_print(f, "<g><title>%.40s, sample %zu, %s%s%.120s</title>",
               p->e->set.data->class_name[label], sample, trains ? "training" : "test",
               name ? ", " : "", name ? name : "");
    svg_mark(f, x, y, radius, colour, shape_of(colour), !trains);
    fputs("</g>\n", f);
}

/* Grey samples first, so that they lie below. */
void page_marks(const svg_frame *a, const page *p, const double *at)
{
    for (int grey = 1; grey >= 0; grey--)
        for (size_t i = 0; i < p->placed; i++)
            if ((p->colour[page_class(p, i)] == SVG_GREY) == grey && !isnan(at[2 * i]))
                put_mark(a->f, p, i, svg_x(a, at[2 * i]), svg_y(a, at[2 * i + 1]));
}

static void put_cloud(const svg_frame *a, const page *p, const double *Y)
{
    svg_axes(a, SVG_BARE, "first coordinate", SVG_BARE, "second coordinate");
    page_marks(a, p, Y);
}

static void cloud(FILE *f, const page *p, double *const *clouds, int part)
{
    svg_frame a = frame_of(f, p, clouds, part);
    int scaled = clouds == p->Y;
    const char *title = words_text("Samples in two dimensions%s%s%s", scaled ? "" : " by t-SNE",
                                   clouds[1] ? " " : "", clouds[1] ? page_part_name(part) : "");
    const char *id = words_text("%s-%s", scaled ? "samples" : "tsne", part ? "after" : "before");
    fprintf(f, "<div>\n<h3>%s%s: %zu \xC3\x97 %zu</h3>\n", scaled ? "" : "t-SNE. ",
            page_part_heading(p, part), p->size[part], p->size[part]);
    svg_open(f, id, WIDTH, a.bottom + MARGIN + 2, title, WORDS);
    put_cloud(&a, p, clouds[part]);
    svg_close(f);
    fputs("</div>\n", f);
}

static void legend_entry(FILE *f, int colour, int shape, int full)
{
    fputs("<li><svg class=\"key\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">", f);
    svg_mark(f, 8, 8, 4.6, colour, shape, full);
    fputs("</svg>", f);
}

/* In HTML, where names wrap as the page is wide. */
static void legend(FILE *f, const page *p)
{
    size_t classes = p->e->set.samples.classes;
    fputs("<ul class=\"legend\">\n", f);
    for (size_t c = 0; c < classes; c++)
        if (p->colour[c] != SVG_GREY) {
            legend_entry(f, p->colour[c], shape_of(p->colour[c]), 1);
            html_print(f, "%.40s</li>\n", p->e->set.data->class_name[c]);
        }
    if (p->coloured < classes) {
        legend_entry(f, SVG_GREY, 0, 1);
        fprintf(f, "%zu other classes</li>\n", classes - p->coloured);
    }
    legend_entry(f, 6, 0, 0);
    fputs("training: hollow</li>\n", f);
    legend_entry(f, 6, 0, 1);
    fputs("test: filled</li>\n</ul>\n", f);
}

/* ---- a picture of its own -------------------------------------------------------------------- */

/* Where the legend's next entry goes. */
typedef struct shelf {
    FILE *f;
    double top, width;
    int columns, next;
} shelf;

static void put_name(shelf *at, int colour, int shape, int full, const char *name)
{
    int column = at->next % at->columns, line = at->next / at->columns;
    double x = column * at->width / at->columns + MARGIN, y = at->top + line * LINE;
    at->next++;
    svg_mark(at->f, x, y, 4.6, colour, shape, full);
    html_print(at->f, "<text x=\"%.1f\" y=\"%.1f\">%.17s</text>\n", x + 10, y + 4.5, name);
}

static void put_names(shelf *at, const page *p)
{
    size_t classes = p->e->set.samples.classes;
    for (size_t c = 0; c < classes; c++)
        if (p->colour[c] != SVG_GREY)
            put_name(at, p->colour[c], shape_of(p->colour[c]), 1, p->e->set.data->class_name[c]);
    if (p->coloured < classes)
        put_name(at, SVG_GREY, 0, 1, "other classes");
    put_name(at, 6, 0, 0, "hollow: training");
    put_name(at, 6, 0, 1, "filled: test");
}

static void put_heading(const svg_frame *a, const page *p, int part)
{
    fprintf(a->f, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">%s: %zu \xC3\x97 %zu</text>\n",
            a->left, a->top - 9, page_part_heading(p, part), p->size[part], p->size[part]);
}

void page_picture(FILE *f, const void *what)
{
    const page *p = what;
    int parts = p->Y[1] ? 2 : 1, columns = COLUMNS * parts, names = (int)p->coloured + 2;
    names += p->coloured < p->e->set.samples.classes;
    int lines = (names + columns - 1) / columns;
    double width = parts * WIDTH + (parts - 1) * GAP,
           below = frame_of(f, p, p->Y, 0).bottom + HEADING + MARGIN + 2,
           height = below + GAP + lines * LINE;
    svg_open_alone(f, "samples", width, height, "Samples in two dimensions", WORDS);
    for (int part = 0; part < parts; part++) {
        svg_frame a = frame_of(f, p, p->Y, part);
        a.left += part * (WIDTH + GAP);
        a.right += part * (WIDTH + GAP);
        a.top += HEADING;
        a.bottom += HEADING;
        put_heading(&a, p, part);
        put_cloud(&a, p, p->Y[part]);
    }
    put_names(&(shelf){f, below + GAP, width, columns, 0}, p);
    svg_close(f);
}

/* ---- within the page ------------------------------------------------------------------------- */

static void close_figure(FILE *f, const page *p)
{
    const char *sampled = "", *after = "";
    if (p->placed < p->available)
        sampled = words_text(
            " %zu of %zu samples are shown, drawn at random%s.", p->placed, p->available,
            p->coloured < p->e->set.samples.classes ? " after those of the coloured classes" : "");
    if (p->Y[1])
        after = words_text(" before the map and %.0f %% after it", 100 * p->explained[1]);
    html_figure_close(
        f,
        "The samples placed so that distances on paper follow their distances as matrices "
        "(classical scaling, %s; two dimensions hold %.0f %% of the variance%s). Labels were not "
        "used to place them.%s Where a class forms a cluster of its own, with test samples among "
        "training samples of the same colour, recognition is easy; classes that overlap here may "
        "still be separate in further dimensions.%s",
        p->embed_metric == SPD_METRIC_STEIN  ? "Stein divergence"
        : p->embed_metric == SPD_METRIC_AIRM ? "affine-invariant metric"
                                             : "log-Euclidean metric",
        100 * p->explained[0], after,
        p->Y[1] ? " The second picture is rotated to match the first; the map has seen only "
                  "training samples."
                : "",
        sampled);
}

static void tsne_figure(FILE *f, const page *p)
{
    if (!p->T[0])
        return;
    html_figure(f, "large");
    for (int part = 0; part < PAGE_PARTS; part++)
        if (p->T[part])
            cloud(f, p, p->T, part);
    html_figure_close(
        f,
        "The same samples by t-SNE of the same distances%s: neighbours stay together, so that "
        "classes stand out that overlap above. Sizes of groups and the gaps between them mean "
        "little, and groups may appear where there are none: trust what both pictures show.",
        p->T[1] ? ", before the map and after it" : "");
}

void page_samples(FILE *f, const page *p)
{
    if (!p->Y[0]) {
        html_print(f, "<p class=\"note\">No picture: %s.</p>\n", p->no_embedding);
        return;
    }
    legend(f, p);
    html_figure(f, "large");
    for (int part = 0; part < PAGE_PARTS; part++)
        if (p->Y[part])
            cloud(f, p, p->Y, part);
    close_figure(f, p);
    tsne_figure(f, p);
    page_margin_figure(f, p);
}
