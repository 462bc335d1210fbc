/* cmd_distance.c - `spdml distance`: all distances within a set or between two. */
#include <math.h>

#include "base/order.h"
#include "cli/frame/sets.h"

/* Moves the entries above the diagonal of a p x p matrix to its front; how many they are. */
static size_t take_upper(size_t p, double *D)
{
    size_t count = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t j = i + 1; j < p; j++)
            D[count++] = D[i * p + j];
    return count;
}

/* Distances D (p x q). Last of all: the range reorders D, within one set to its pairs. */
static void show(session *s, const spd_data *data, size_t q, int within, double *D)
{
    size_t p = data->p;
    int shown = !session_output(s) && sheet_is_small(p, q);
    sheet *r = session_sheet(s);
    sheet_text(r, "metric", "metric", arguments_text(s->args, "metric"));
    sheet_flag(r, "squared", "squared", arguments_flag(s->args, "squared"));
    sheet_count(r, "p", NULL, p, "");
    sheet_count(r, "q", NULL, q, "");
    sheet_size(r, shown_n(data), data->hermitian);
    sheet_line(r, "distances", "%zu x %zu", p, q);
    sheet_text(r, "output", "output", session_output(s));
    if (shown)
        sheet_matrix(r, "distance", p, q, D);
    if (!shown || r->object) {
        size_t count = within ? take_upper(p, D) : p * q;
        double least = NAN, largest = NAN; /* of none */
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, D[i]);
            largest = fmax(largest, D[i]);
        }
        sheet_real(r, "min", "least", least);
        sheet_real(r, "median", "median", count ? order_median(count, D) : (double)NAN);
        sheet_real(r, "max", "largest", largest);
    }
    if (!shown && !session_output(s))
        sheet_hint(r, p, q);
}

static spd_data *load(session *s, size_t i)
{
    return i < s->args->operand_count ? session_load_labels(s, s->args->operands[i], NULL, 0)
                                      : NULL;
}

static int run(session *s)
{
    session_check_output(s);
    spd_data *A = load(s, 0), *B = load(s, 1);
    if (B)
        session_same_size(A, B);
    size_t p = A->p, q = B ? B->p : A->p;
    double *D = cli_alloc_table(p, q, sizeof *D, "distances");
    const spd_set X = sets_view(A), Y = B ? sets_view(B) : X;
    spd_status status = spd_pairwise2(s->ctx, session_metric(s), &X, B ? &Y : NULL, D);
    if (status < 0) /* X is of the first file, Y of the second */
        session_fail_pair(s, A->source, B ? B->source : NULL, "Y", status);
    if (!arguments_flag(s->args, "squared"))
        session_distances(p * q, D);
    session_talk(s, "%zu x %zu distances", p, q);
    session_write_matrix(s, "D", p, q, D, 0);
    show(s, A, q, !B, D);
    return CLI_GOOD;
}

static const option options[] = {
    OPTION_METRIC,
    OPTION_ENGINE,
    {"squared", .help = "Compute squared distances"},
    {OPTION_OUTPUT(OPTION_ARRAY_ENDINGS, "Write the distances (float64, rows of DATA, columns of "
                                         "DATA2) to FILE; the array is called D")},
    OPTION_END};

static const char *const paragraphs[] = {
    "Distances between all matrices of DATA and all of DATA2, or within DATA: the result is then "
    "symmetric with zeros on the diagonal.",
    "Without -o, up to 12 x 12 distances are printed; for more, only the minimum, the median and "
    "the maximum (within one set, over its pairs).",
    NULL};

static const command_example examples[] = {
    {"spdml distance a.npz --metric airm -o D.npy", "All pairs of one set."},
    {"spdml distance train.npz test.npz --metric stein --squared -o D.npy",
     "Squared Stein divergences between two sets."},
    {NULL, NULL}};

COMMAND(distance, "distances within a set of matrices or between two", "DATA [DATA2]",
        .groups = {{"Options", options},
                   {NULL, options_ranks},
                   {"Reading data", options_matrices},
                   {"Common options", options_common}});
