/* cmd_neighbours.c - `spdml neighbours`: the k nearest matrices, exactly. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/sheet.h"
#include "cli/frame/session.h"

#define QUERIES_SHOWN    10
#define NEIGHBOURS_SHOWN 5

typedef struct search {
    spd_data *samples, *queries; /* queries is NULL within one set */
    size_t q, k;
    int64_t *index;   /* q x k */
    double *distance; /* q x k */
    spd_nearest_info info;
} search;

/* Asked before q x k numbers are allocated. */
static int check_k(const search *n)
{
    size_t others = n->queries ? n->samples->p : n->samples->p - 1;
    if (n->k <= others)
        return CLI_GOOD;
    cli_error("%s: -k %zu neighbours asked for, but a matrix has %zu; use a smaller -k",
              n->samples->source, n->k, others);
    return CLI_FAILED;
}

static int load(session *s, search *n)
{
    const char *queries = arguments_text(s->args, "queries");
    int code = session_load(s, s->args->operands[0], 0, &n->samples);
    if (!code && queries)
        code = session_load(s, queries, 0, &n->queries);
    if (!code && n->queries)
        code = session_same_size(n->samples, n->queries);
    if (code)
        return code;
    n->q = n->queries ? n->queries->p : n->samples->p;
    n->k = (size_t)arguments_int(s->args, "k");
    code = check_k(n);
    if (code)
        return code;
    n->index = cli_alloc_table(n->q, n->k, sizeof *n->index, "indices of neighbours");
    n->distance = cli_alloc_table(n->q, n->k, sizeof *n->distance, "distances of neighbours");
    return CLI_GOOD;
}

/* A pair without a distance: X is of the file searched, Q of the queries'. */
static int fail(session *s, const search *n, spd_status status)
{
    return session_fail_pair(s, n->samples->source, n->queries ? n->queries->source : NULL, "Q",
                             status);
}

static int compute(session *s, search *n)
{
    spd_status status =
        spd_nearest(s->ctx, session_metric(s), n->samples->n, n->samples->p, n->samples->X, n->q,
                    n->queries ? n->queries->X : NULL, n->k, arguments_flag(s->args, "brute"),
                    n->index, n->distance, &n->info);
    if (status < 0)
        return fail(s, n, status);
    if (!arguments_flag(s->args, "squared"))
        for (size_t i = 0; i < n->q * n->k; i++)
            n->distance[i] = sqrt(fmax(n->distance[i], 0.0));
    session_talk(s, "%zu neighbours of %zu matrices", n->k, n->q);
    bar_clear(&s->bar);
    return CLI_GOOD;
}

static int write_output(session *s, const search *n)
{
    if (!arguments_text(s->args, "output"))
        return CLI_GOOD;
    spd_array index = session_array_i64("index", n->q, n->k, n->index);
    spd_array distance = session_array_f64("distance", n->q, n->k, n->distance);
    const spd_array *const list[] = {&index, &distance};
    return session_write(s, 2, list);
}

static void print_neighbours(const search *n)
{
    size_t shown = n->k < NEIGHBOURS_SHOWN ? n->k : NEIGHBOURS_SHOWN;
    printf("\n%8s", "matrix");
    for (size_t j = 0; j < shown; j++)
        printf("  %8s %10s", j ? "next" : "nearest", "distance");
    putchar('\n');
    for (size_t i = 0; i < n->q && i < QUERIES_SHOWN; i++) {
        printf("%8zu", i);
        for (size_t j = 0; j < shown; j++)
            printf("  %8" PRId64 " %10.6g", n->index[i * n->k + j], n->distance[i * n->k + j]);
        putchar('\n');
    }
    if (n->q > QUERIES_SHOWN || n->k > shown)
        printf("(-o FILE writes all %zu x %zu)\n", n->q, n->k);
}

static void show_neighbours(session *s, const search *n)
{
    const char *output = arguments_text(s->args, "output");
    sheet r;
    sheet_open(&r, arguments_flag(s->args, "json"));
    sheet_text(&r, "metric", "metric", arguments_text(s->args, "metric"));
    sheet_count(&r, "p", "searched", n->samples->p, "matrices");
    sheet_count(&r, "q", "queries", n->q, "matrices");
    sheet_count(&r, "k", "neighbours", n->k, "each");
    sheet_count(&r, "n", NULL, n->samples->n, "");
    sheet_flag(&r, "brute", NULL, arguments_flag(s->args, "brute"));
    sheet_flag(&r, "squared", NULL, arguments_flag(s->args, "squared"));
    sheet_count(&r, "pairs", "pairs", (size_t)n->info.pairs, "");
    sheet_count(&r, "exact", "computed in full", (size_t)n->info.exact, "");
    sheet_real(&r, "pruned", NULL, n->info.pruned);
    sheet_line(&r, "pruned", "%.1f %%", 100 * n->info.pruned);
    if (output)
        sheet_text(&r, "output", "output", output);
    else if (!r.object)
        print_neighbours(n);
    sheet_close(&r);
}

static int run(session *s)
{
    search n = {0};
    int code = session_check_output(s);
    if (!code)
        code = load(s, &n);
    if (!code)
        code = compute(s, &n);
    if (!code)
        code = write_output(s, &n);
    if (!code)
        show_neighbours(s, &n);
    cli_free(n.index);
    cli_free(n.distance);
    spd_data_free(n.samples);
    spd_data_free(n.queries);
    return code;
}

static const option options[] = {
    {"queries", 0, OPTION_FILE, "FILE",
     .help = "Data set whose neighbours in DATA are wanted; otherwise DATA itself, where a matrix "
             "is not its own neighbour"},
    {"k", 'k', OPTION_INT, "N", "1", 1, 2147483647, .help = "How many neighbours"},
    OPTION_METRIC,
    {"brute", .help = "Compute every distance instead of pruning by lower bounds"},
    OPTION_SQUARED,
    {OPTION_OUTPUT(option_arrays_endings,
                   "Write index (int64, from 0) and distance (float64), a row per query, to FILE")},
    OPTION_END};

static const char *const paragraphs[] = {
    "The k nearest matrices of DATA to every query, nearest first, ties by lower index. The search "
    "is exact: lower bounds only spare distances that cannot matter, and the share of pairs so "
    "pruned is reported.",
    "Without -o, the neighbours of the first ten queries are printed.", NULL};

static const command_example examples[] = {
    {"spdml neighbours a.npz -k 5 --metric airm -o nn.npz", "Five neighbours of each matrix."},
    {"spdml neighbours train.npz --queries test.npz -k 1 --metric stein --json",
     "Nearest training matrix of each test matrix; how much was pruned."},
    {NULL, NULL}};

const command command_neighbours = {
    .name = "neighbours",
    .alias = "neighbors",
    .summary = "k nearest neighbours, exactly",
    .operands = "DATA",
    .min_operands = 1,
    .max_operands = 1,
    .groups = COMMAND_DATA_GROUPS(options),
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
