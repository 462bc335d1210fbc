/* cmd_embed.c - `spdml embed`: coordinates in a few dimensions, for pictures and further work. */
#include <math.h>

#include "cli/drawing/draw.h"
#include "cli/frame/session.h"
#include "cli/frame/words.h"

typedef struct embedding {
    spd_data *data;
    spd_embed_options options;
    double *Y;          /* p x d */
    double *eigenvalue; /* d */
    spd_embed_info info;
} embedding;

static void compute(session *s, embedding *e)
{
    size_t p = e->data->p;
    e->options = (spd_embed_options){.size = sizeof e->options,
                                     .kind = (spd_embedding)session_choice(s, "method"),
                                     .metric = session_metric(s),
                                     .k = (size_t)arguments_int(s->args, "k"),
                                     .dimensions = (size_t)arguments_int(s->args, "dimensions"),
                                     .perplexity = arguments_real(s->args, "perplexity"),
                                     .iterations = (size_t)arguments_int(s->args, "iterations"),
                                     .seed = (uint64_t)arguments_int(s->args, "seed")};
    e->info.size = sizeof e->info;
    /* More dimensions than matrices are refused below, without room for them. */
    size_t columns = e->options.dimensions < p ? e->options.dimensions : 1;
    e->Y = cli_alloc_table(p, columns, sizeof *e->Y, "coordinates");
    e->eigenvalue = cli_alloc_table(columns, 1, sizeof *e->eigenvalue, "eigenvalues");
    spd_status status =
        spd_embed(s->ctx, &e->options, e->data->n, p, e->data->X, e->Y, e->eigenvalue, &e->info);
    session_check_in(s, e->data->source, status);
    if (status > 0)
        session_remark(s, "%s: %s", e->data->source, advice_last(s->ctx).text);
    if (e->data->hermitian) {
        /* From coordinates of real forms to those of the complex matrices, whose squared distances
         * are half as large; those of other methods have a scale of their own. */
        int metric = e->options.kind == SPD_EMBEDDING_PGA || e->options.kind == SPD_EMBEDDING_MDS;
        size_t d = e->options.dimensions;
        for (size_t i = 0; metric && i < e->data->p * d; i++)
            e->Y[i] *= sqrt(0.5);
        for (size_t i = 0; metric && i < d; i++)
            e->eigenvalue[i] *= 0.5;
        e->info.bandwidth *= 0.5;
    }
    session_talk(s, "embedded %zu matrices", p);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* cell (d + 1, the last for the label) <- row i of the table, the header for 0. */
static void fill_row(const embedding *e, size_t i, const char **cell)
{
    size_t d = e->options.dimensions;
    for (size_t c = 0; c < d; c++)
        cell[c] = i ? words_text("%.17g", e->Y[(i - 1) * d + c]) : words_text("y%zu", c + 1);
    if (e->data->label)
        cell[d] = i ? e->data->class_name[e->data->label[i - 1]] : "label";
}

/* A table with a header: y1, y2, ... and, where known, label. */
static void write_csv(session *s, const embedding *e)
{
    size_t rows = e->data->p + 1, columns = e->options.dimensions + (e->data->label != NULL);
    const char **cell = cli_alloc_table(rows, columns, sizeof *cell, "cells");
    for (size_t i = 0; i < rows; i++)
        fill_row(e, i, cell + i * columns);
    const spd_array table = {.type = SPD_TYPE_TEXT,
                             .ndim = 2,
                             .shape = {rows, columns},
                             .count = rows * columns,
                             .text = cell};
    const spd_array *const list[] = {&table};
    session_write(s, 1, list);
}

/* Y, and where the format has room the eigenvalues and the labels as they were read. */
static void write_arrays(session *s, const embedding *e)
{
    size_t d = e->options.dimensions, count = 1;
    spd_array Y = session_array_f64("Y", e->data->p, d, e->Y), label;
    spd_array eigenvalue = session_array_f64("eigenvalue", d, 1, e->eigenvalue);
    const spd_array *list[3] = {&Y};
    eigenvalue.ndim = 1;
    int several = !session_output_is(s, ".npy");
    if (several && e->options.kind != SPD_EMBEDDING_TSNE)
        list[count++] = &eigenvalue;
    if (several && e->data->y) {
        label = *e->data->y;
        label.name = "y";
        list[count++] = &label;
    }
    session_write(s, count, list);
}

/* The first two coordinates, classes as colours. */
static void write_picture(session *s, const embedding *e)
{
    const spd_data *data = e->data;
    size_t classes = data->label ? data->classes : 0, d = e->options.dimensions;
    int *colour = cli_alloc(classes + 1, sizeof *colour, "colours");
    double *at = cli_alloc_table(data->p, 2, sizeof *at, "coordinates");
    cloud_colours(classes, colour);
    for (size_t i = 0; i < data->p; i++) {
        at[2 * i] = e->Y[i * d];
        at[2 * i + 1] = e->Y[i * d + 1];
    }
    const clouds c = {.count = data->p,
                      .label = data->label,
                      .colour = colour,
                      .classes = classes,
                      .name = data->class_name,
                      .at = {at},
                      .x_label = "first coordinate",
                      .y_label = "second coordinate"};
    figure picture = clouds_figure(&c, "embedding", "Samples in two dimensions");
    figure_write(&picture, session_output(s));
}

/* ---- telling --------------------------------------------------------------------------------- */

static void show_eigenvalues(sheet *r, const embedding *e)
{
    size_t d = e->options.dimensions;
    words shown = {0};
    for (size_t c = 0; c < d && c < 8; c++)
        words_take(&shown, words_text("%.6g", e->eigenvalue[c]));
    sheet_line(r, "eigenvalues", "%s%s", words_join(&shown, shown.count, ", "),
               d > 8 ? ", ..." : "");
    sheet_json(r, "eigenvalues", sheet_json_reals(d, e->eigenvalue));
}

static void show_tsne(sheet *r, const embedding *e)
{
    sheet_real(r, "perplexity", "perplexity", e->info.perplexity);
    sheet_real(r, "theta", NULL, e->info.theta);
    if (e->info.theta > 0.0)
        sheet_line(r, "forces", "by a tree, theta %g", e->info.theta);
    else
        sheet_line(r, "forces", "between all pairs");
    sheet_count(r, "iterations", "iterations", e->info.iterations, "");
    sheet_real(r, "divergence", "divergence", e->info.divergence);
}

static void show(session *s, const embedding *e)
{
    int tsne = e->options.kind == SPD_EMBEDDING_TSNE;
    int variance = e->options.kind == SPD_EMBEDDING_PGA || e->options.kind == SPD_EMBEDDING_MDS;
    int neighbours = !variance && !tsne;
    sheet *r = session_sheet(s);
    sheet_text(r, "method", "method", spd_name(SPD_ENUM_EMBEDDING, e->options.kind));
    sheet_text(r, "metric", "metric", spd_name(SPD_ENUM_METRIC, e->options.metric));
    sheet_count(r, "p", "matrices", e->data->p, "");
    sheet_size(r, shown_n(e->data), e->data->hermitian);
    sheet_count(r, "dimensions", "dimensions", e->options.dimensions, "");
    if (neighbours)
        sheet_count(r, "k", "neighbours", e->options.k, "each");
    if (e->options.kind == SPD_EMBEDDING_LAPLACIAN)
        sheet_real(r, "bandwidth", "bandwidth", e->info.bandwidth);
    if (tsne)
        show_tsne(r, e);
    else
        show_eigenvalues(r, e);
    if (variance) {
        sheet_real(r, "explained", NULL, e->info.explained);
        sheet_line(r, "explained", "%.1f %% of the variance", 100.0 * e->info.explained);
    }
    sheet_text(r, "output", "output", session_output(s));
    if (!session_output(s))
        sheet_matrix(r, "Y", e->data->p, e->options.dimensions, e->Y);
}

static int draws(const session *s)
{
    return session_output(s) && (session_output_is(s, ".svg") || session_output_is(s, ".pdf"));
}

static int run(session *s)
{
    if (draws(s) && arguments_int(s->args, "dimensions") < 2)
        cli_misuse("a picture needs two dimensions: -d 2");
    session_check_output(s);
    embedding e = {.data = session_load(s, s->args->operands[0], 0)};
    compute(s, &e);
    if (draws(s))
        write_picture(s, &e);
    else if (session_output(s))
        (session_output_is(s, ".csv") ? write_csv : write_arrays)(s, &e);
    show(s, &e);
    return CLI_GOOD;
}

static const option options[] = {
    {"method", 0, OPTION_CHOICE, "NAME", "pga", .names = SPD_ENUM_EMBEDDING, .common = 1,
     .help = "How"},
    OPTION_METRIC,
    {"dimensions", 'd', OPTION_INT, "N", "2", 1, 2147483647, .common = 1,
     .help = "Coordinates of each matrix"},
    {"k", 'k', OPTION_INT, "N", "10", 1, 2147483647, .common = 1,
     .help = "Neighbours of each matrix (lle, hessian-lle, laplacian)"},
    {"perplexity", 0, OPTION_REAL, "U", "0", 0, 1e9,
     .help = "t-SNE: effective number of neighbours of each matrix; 0 means 30, or a third of the "
             "others in small sets"},
    {"iterations", 0, OPTION_INT, "N", "1000", 1, 1000000,
     .help = "t-SNE: iterations of the gradient descent"},
    OPTION_ENGINE,
    OPTION_SEED,
    {OPTION_OUTPUT(OPTION_ARRAY_ENDINGS "|" FIGURE_ENDINGS,
                   "Write Y, eigenvalue and y (the labels, if known) to FILE; .csv has a column "
                   "per coordinate and the label, .npy has only Y; .svg and .pdf draw the first "
                   "two coordinates, classes as colours")},
    OPTION_END};

static const char *const paragraphs[] = {
    "Computes coordinates of every matrix of DATA in a few dimensions. pga: principal axes of the "
    "tangent space at the mean. mds: classical scaling of the distances. tsne: t-SNE of the "
    "distances, which keeps neighbours together and says little about far ones (van der Maaten and "
    "Hinton 2008); its random start depends on --seed. lle, hessian-lle and laplacian: manifold "
    "learning from the k nearest neighbours (Goh and Vidal 2008); their graph must be connected, "
    "and hessian-lle needs k of at least 1 + d + d(d+1)/2.",
    "lle and hessian-lle work in tangent spaces: airm, log-euclidean, log-cholesky or euclidean. "
    "The signs of coordinates are fixed: the entry of largest magnitude is positive.",
    NULL};

static const command_example examples[] = {
    {"spdml embed data.npz -o coordinates.csv", "Two coordinates and the label of each matrix."},
    {"spdml embed data.npz --method tsne -o picture.svg", "A picture, classes as colours."},
    {"spdml embed data.npz --method lle -k 12 -d 3 -o Y.npz", "Locally linear embedding."},
    {"spdml embed data.npz --method tsne --perplexity 20 -o coordinates.csv",
     "Clusters, by t-SNE."},
    {"spdml embed data.npz --method mds --metric stein --json", "How much two dimensions explain."},
    {NULL, NULL}};

COMMAND(embed, "coordinates in two or more dimensions: pga, t-SNE, ...", "DATA",
        .groups = {{"Options", options},
                   {"Reading data", options_data},
                   {"Common options", options_common}});
