/* cmd_neighbours.c - `spdml neighbours`: the k nearest matrices. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/frame/sets.h"

#define QUERIES_SHOWN    10
#define NEIGHBOURS_SHOWN 5

typedef struct search {
    large_set searched, asked;
    spd_data *samples, *queries; /* of these; queries is NULL within one set */
    size_t q, k;
    int64_t *index;   /* q x k */
    double *distance; /* q x k */
    spd_nearest_info found;
} search;

static void load(session *s, search *n)
{
    const char *queries = arguments_text(s->args, "queries");
    session_check_output(s);
    sets_load(s, s->args->operands[0], NULL, &n->searched);
    sets_check(s, &n->searched);
    n->samples = n->searched.data;
    if (queries) {
        sets_load(s, queries, NULL, &n->asked);
        n->queries = n->asked.data;
        session_same_size(n->samples, n->queries);
        sets_check(s, &n->asked);
    }
    size_t others = n->queries ? n->samples->p : n->samples->p - 1;
    n->q = n->queries ? n->queries->p : n->samples->p;
    n->k = (size_t)arguments_int(s->args, "k");
    if (n->k > others) { /* asked before q x k numbers are allocated */
        cli_fail("%s: -k %zu neighbours requested, but a matrix has only %zu; use a smaller -k",
                 n->samples->source, n->k, others);
    }
    n->index = cli_alloc_table(n->q, n->k, sizeof *n->index, "indices of neighbours");
    n->distance = cli_alloc_table(n->q, n->k, sizeof *n->distance, "distances of neighbours");
}

static void compute(session *s, search *n)
{
    const spd_nearest_options how = {.size = sizeof how,
                                     .search = (spd_search)session_choice(s, "search"),
                                     .seed = (uint64_t)arguments_int(s->args, "seed")};
    n->found.size = sizeof n->found;
    spd_status status =
        spd_nearest(s->ctx, session_metric(s), &n->searched.X, n->queries ? &n->asked.X : NULL,
                    n->k, &how, n->index, n->distance, &n->found);
    if (status < 0) /* X is of the file searched, Q of the queries' */
        session_fail_pair(s, n->samples->source, n->queries ? n->queries->source : NULL, "Q",
                          status);
    session_distances(n->q * n->k, n->distance);
    session_talk(s, "%zu neighbours of %zu matrices", n->k, n->q);
    spd_array index = session_array_i64("index", n->q, n->k, n->index);
    spd_array distance = session_array_f64("distance", n->q, n->k, n->distance);
    const spd_array *const list[] = {&index, &distance};
    if (session_output(s))
        session_write(s, 2, list);
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

static int run(session *s)
{
    search n = {0};
    load(s, &n);
    compute(s, &n);
    sheet *r = session_sheet(s);
    sheet_text(r, "metric", "metric", arguments_text(s->args, "metric"));
    sheet_count(r, "p", "searched", n.samples->p, "matrices");
    sheet_count(r, "q", "queries", n.q, "matrices");
    sheet_count(r, "k", "neighbours", n.k, "each");
    sheet_size(r, shown_n(n.samples), n.samples->hermitian);
    sheet_count(r, "pairs", "pairs", (size_t)n.found.pairs, "");
    sheet_count(r, "exact", "computed in full", (size_t)n.found.exact, "");
    sheet_real(r, "pruned", NULL, n.found.pruned);
    sheet_text(r, "search", "search", spd_name(SPD_ENUM_SEARCH, n.found.search));
    sheet_real(r, "recall", NULL, n.found.recall);
    if (n.found.search == SPD_SEARCH_EXACT)
        sheet_line(r, "pruned", "%.1f %%", 100 * n.found.pruned);
    else
        sheet_line(r, "recall", "%.1f %% of the true neighbours, estimated", 100 * n.found.recall);
    if (n.searched.streams || n.asked.streams)
        sets_show_memory(s, r);
    sheet_text(r, "output", "output", session_output(s));
    if (!session_output(s) && !r->object)
        print_neighbours(&n);
    return CLI_GOOD;
}

static const option options[] = {
    {"queries", 0, OPTION_FILE, "FILE", .common = 1,
     .help = "Data set whose neighbours in DATA to find; by default DATA itself, where a matrix is "
             "not its own neighbour"},
    {"k", 'k', OPTION_INT, "N", "1", 1, 2147483647, .common = 1, .help = "How many neighbours"},
    OPTION_METRIC,
    OPTION_ENGINE,
    {"search", 0, OPTION_CHOICE, "NAME", "exact", .names = SPD_ENUM_SEARCH,
     .help = "exact; approximate: in almost linear time, and the share of true neighbours found is "
             "estimated; auto: approximate if exact would take more than about a minute. "
             "--queries are always searched exactly"},
    OPTION_SEED,
    {OPTION_OUTPUT(OPTION_ARRAYS_ENDINGS,
                   "Write index (int64, from 0) and distance (float64), a row per query, to FILE")},
    OPTION_END};

static const char *const paragraphs[] = {
    "The k nearest matrices of DATA to every query, nearest first, ties by lower index. The search "
    "is exact: lower bounds only skip distances that cannot matter, and the share of pairs pruned "
    "in this way is reported. For tens of thousands of matrices see --search.",
    "Without -o, the neighbours of the first ten queries are printed.", NULL};

static const command_example examples[] = {
    {"spdml neighbours a.npz -k 5 --metric airm -o nn.npz", "Five neighbours of each matrix."},
    {"spdml neighbours train.npz --queries test.npz -k 1 --metric stein --json",
     "Nearest training matrix of each test matrix; how much was pruned."},
    {NULL, NULL}};

COMMAND(neighbours, "k nearest neighbours", "DATA", .alias = "neighbors",
        .groups = COMMAND_LARGE_GROUPS(options));
