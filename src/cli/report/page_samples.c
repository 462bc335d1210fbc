/* page_samples.c - samples in two dimensions, before and after the map, with one legend; within the
 * page, and as a picture of its own. */
#include <math.h>

#include "cli/methods/groups.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

int page_class(const page *p, size_t place)
{
    return p->e->set.samples.label[p->index[p->place[place]]];
}

/* What the pointer tells of a placed sample: class, number, part, and the input that it came from
 * where the data say so. */
static const char *tip_of(const page *p, size_t place)
{
    const spd_array *names = column_named(p->e->set.data, "name");
    size_t sample = p->index[p->place[place]];
    int named = names && names->type == SPD_TYPE_TEXT && names->ndim == 1 && sample < names->count;
    return words_text("%s, sample %zu, %s%s%s",
                      html_short(p->e->set.data->class_name[page_class(p, place)], 40), sample,
                      p->trains[p->place[place]] ? "training" : "test", named ? ", " : "",
                      named ? html_short(names->text[sample], 120) : "");
}

clouds page_clouds(const page *p)
{
    int *label = cli_alloc(p->placed, sizeof *label, "classes");
    char *hollow = cli_alloc(p->placed, 1, "markers");
    const char **tip = cli_alloc(p->placed, sizeof *tip, "markers");
    for (size_t i = 0; i < p->placed; i++) {
        label[i] = page_class(p, i);
        hollow[i] = p->trains[p->place[i]];
        tip[i] = tip_of(p, i);
    }
    return (clouds){.count = p->placed,
                    .label = label,
                    .hollow = hollow,
                    .tip = tip,
                    .colour = p->colour,
                    .classes = p->e->set.samples.classes,
                    .name = p->e->set.data->class_name,
                    .x_label = "first coordinate",
                    .y_label = "second coordinate"};
}

/* Side by side in the page, whose legend is in HTML; as files with their legend. */
static void put_clouds(FILE *f, const page *p, double *const *Y, const char *id)
{
    clouds c = page_clouds(p);
    const char *title = words_text("Samples in two dimensions%s", Y == p->Y ? "" : " by t-SNE");
    html_figure(f, "large");
    for (int part = 0; part < PAGE_PARTS && Y[part]; part++) {
        clouds one = c;
        c.at[part] = one.at[0] = Y[part];
        one.at[1] = Y[1 - part]; /* both have one height */
        c.heading[part] = words_text("%s%s: %zu \xC3\x97 %zu", Y == p->Y ? "" : "t-SNE. ",
                                     page_part_heading(p, part), p->size[part], p->size[part]);
        figure g = cloud_figure(
            &one, words_text("%s-%s", id, part ? "after" : "before"),
            words_text("%s%s%s", title, Y[1] ? " " : "", Y[1] ? page_part_name(part) : ""));
        fprintf(f, "<div>\n<h3>%s</h3>\n", c.heading[part]);
        figure_inline(f, &g);
        fputs("</div>\n", f);
    }
    figure both = clouds_figure(&c, id, title);
    page_figure(NULL, p, &both);
}

static void legend_entry(FILE *f, int colour, int shape, int full)
{
    drawing d = {.f = f};
    fputs("<li><svg class=\"key\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">", f);
    draw_mark(&d, 8, 8, 4.6, colour, shape, full);
    fputs("</svg>", f);
}

/* In HTML, where names wrap as the page is wide. */
static void legend(FILE *f, const page *p)
{
    size_t classes = p->e->set.samples.classes;
    fputs("<ul class=\"legend\">\n", f);
    for (size_t c = 0; c < classes; c++)
        if (p->colour[c] != DRAW_GREY) {
            legend_entry(f, p->colour[c], cloud_shape(p->colour[c]), 1);
            html_print(f, "%.40s</li>\n", p->e->set.data->class_name[c]);
        }
    if (p->coloured < classes) {
        legend_entry(f, DRAW_GREY, 0, 1);
        fprintf(f, "%zu other classes</li>\n", classes - p->coloured);
    }
    legend_entry(f, 6, 0, 0);
    fputs("training: hollow</li>\n", f);
    legend_entry(f, 6, 0, 1);
    fputs("test: filled</li>\n</ul>\n", f);
}

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
    put_clouds(f, p, p->T, "tsne");
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
    put_clouds(f, p, p->Y, "samples");
    close_figure(f, p);
    tsne_figure(f, p);
    page_margin_figure(f, p);
}
