/* cmd_distance.c - `spdml distance`: all distances within a set or between two. */
#include <math.h>
#include <stdio.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/sheet.h"
#include "cli/frame/session.h"
#include "cli/frame/summary.h"

/* The sets, their distances D (p x q, or p x p without B), and how they are measured. */
typedef struct distances {
    spd_data *A, *B; /* B is NULL within one set */
    size_t rows, columns;
    double *D;
} distances;

static int load(session *s, distances *d)
{
    int code = session_load(s, s->args->operands[0], 0, &d->A);
    if (!code && s->args->operand_count > 1)
        code = session_load(s, s->args->operands[1], 0, &d->B);
    if (!code && d->B)
        code = session_same_size(d->A, d->B);
    if (code)
        return code;
    d->rows = d->A->p;
    d->columns = d->B ? d->B->p : d->A->p;
    d->D = cli_alloc_table(d->rows, d->columns, sizeof *d->D, "distances");
    return CLI_GOOD;
}

/* A pair without a distance: X is of the first file, Y of the second. */
static int fail(session *s, const distances *d, spd_status status)
{
    return session_fail_pair(s, d->A->source, d->B ? d->B->source : NULL, "Y", status);
}

static int compute(session *s, distances *d)
{
    spd_status status = spd_pairwise2(s->ctx, session_metric(s), d->A->n, d->A->p, d->A->X,
                                      d->columns, d->B ? d->B->X : NULL, d->D);
    if (status < 0)
        return fail(s, d, status);
    if (!arguments_flag(s->args, "squared"))
        for (size_t i = 0; i < d->rows * d->columns; i++)
            d->D[i] = sqrt(fmax(d->D[i], 0.0));
    session_talk(s, "%zu x %zu distances", d->rows, d->columns);
    bar_clear(&s->bar);
    return CLI_GOOD;
}

/* Reorders D. Within one set, over the pairs above the diagonal. */
static void show_range(sheet *r, distances *d)
{
    size_t count = d->B ? d->rows * d->columns : summary_upper(d->rows, d->D);
    summary range = summary_of(count, d->D);
    sheet_real(r, "min", "least", range.min);
    sheet_real(r, "median", "median", range.median);
    sheet_real(r, "max", "largest", range.max);
}

/* Last of all: the range reorders D. */
static void show_distances(session *s, distances *d)
{
    const char *output = arguments_text(s->args, "output");
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "metric", "metric", arguments_text(s->args, "metric"));
    sheet_flag(&r, "squared", "squared", arguments_flag(s->args, "squared"));
    sheet_count(&r, "p", NULL, d->rows, "");
    sheet_count(&r, "q", NULL, d->columns, "");
    sheet_count(&r, "n", NULL, d->A->n, "");
    sheet_line(&r, "distances", "%zu x %zu", d->rows, d->columns);
    if (output)
        sheet_text(&r, "output", "output", output);
    int shown = !output && sheet_is_small(d->rows, d->columns);
    if (shown)
        sheet_matrix(&r, "distance", d->rows, d->columns, d->D);
    if (!shown || r.object)
        show_range(&r, d);
    if (!shown && !output)
        sheet_hint(&r, d->rows, d->columns);
    sheet_close(&r);
}

static int run(session *s)
{
    distances d = {0};
    int code = session_check_output(s);
    if (!code)
        code = load(s, &d);
    if (!code)
        code = compute(s, &d);
    if (!code)
        code = session_write_matrix(s, "D", d.rows, d.columns, d.D);
    if (!code)
        show_distances(s, &d);
    cli_free(d.D);
    spd_data_free(d.A);
    spd_data_free(d.B);
    return code;
}

static const option options[] = {
    OPTION_METRIC,
    OPTION_SQUARED,
    {OPTION_OUTPUT(option_array_endings, "Write the distances (float64, rows of DATA, columns of "
                                         "DATA2) to FILE; the array is called D")},
    OPTION_END};

static const char *const paragraphs[] = {
    "Distances between all matrices of DATA and all of DATA2, or within DATA: the result is "
    "then symmetric with zeros on the diagonal.",
    "Without -o, up to 12 x 12 distances are printed; of more, only the least, the median and "
    "the largest (within one set, over its pairs).",
    NULL};

static const command_example examples[] = {
    {"spdml distance a.npz --metric airm -o D.npy", "All pairs of one set."},
    {"spdml distance train.npz test.npz --metric stein --squared -o D.npy",
     "Squared Stein divergences between two sets."},
    {NULL, NULL}};

const command command_distance = {
    .name = "distance",
    .summary = "distances within a set of matrices or between two",
    .operands = "DATA [DATA2]",
    .min_operands = 1,
    .max_operands = 2,
    .groups = COMMAND_DATA_GROUPS(options),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
