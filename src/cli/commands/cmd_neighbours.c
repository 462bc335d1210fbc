/* cmd_neighbours.c - `spdml neighbours`: the k nearest matrices. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/frame/keep.h"
#include "cli/frame/sets.h"

#define QUERIES_SHOWN    10
#define NEIGHBOURS_SHOWN 5
#define ESTIMATED        200 /* queries that a recall is estimated on, at most: spdml.h */

typedef struct search {
    large_set searched, asked;
    spd_data *samples, *queries; /* of these; queries is NULL within one set */
    size_t q, k;
    int64_t *index;   /* q x k */
    double *distance; /* q x k */
    spd_nearest_info found;
    spd_index *by; /* of --index, or NULL */
} search;

static void load(session *s, search *n)
{
    const char *queries = arguments_text(s->args, "queries");
    const char *labels = arguments_text(s->args, "labels");
    session_check_output(s);
    sets_load(s, s->args->operands[0], labels, &n->searched);
    sets_check(s, &n->searched);
    n->samples = n->searched.data;
    if (queries) {
        sets_load(s, queries, labels, &n->asked);
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

/* --index FILE is read, or made and written if it is not there. */
static void take_index(session *s, search *n)
{
    const char *path = arguments_text(s->args, "index");
    if (!path)
        return;
    if (spd_ranks_any(s->ctx, access(path, F_OK) == 0)) { /* before any of them writes it */
        spd_status loaded = spd_index_load(s->ctx, path, &n->by);
        keep_index(n->by);
        session_check(s, loaded);
        return;
    }
    spd_status status = spd_index_make(s->ctx, session_metric(s), &n->searched.X,
                                       (uint64_t)arguments_int(s->args, "seed"), &n->by);
    keep_index(n->by);
    session_check_in(s, n->samples->source, status);
    if (!session_follows(s))
        session_check(s, spd_index_save(s->ctx, n->by, path));
    session_talk(s, "wrote the index %s", path);
}

/* What --recall and --index are for is an approximate search, unless another is asked for. */
static spd_search which_search(const session *s)
{
    int roughly = !arguments_count(s->args, "search") &&
                  (arguments_count(s->args, "recall") || arguments_text(s->args, "index"));
    return roughly ? SPD_SEARCH_APPROXIMATE : (spd_search)session_choice(s, "search");
}

static void compute(session *s, search *n)
{
    take_index(s, n);
    const spd_nearest_options how = {.size = sizeof how,
                                     .search = which_search(s),
                                     .brute = arguments_flag(s->args, "brute"),
                                     .recall = arguments_real(s->args, "recall"),
                                     .index = n->by,
                                     .seed = (uint64_t)arguments_int(s->args, "seed")};
    n->found.size = sizeof n->found;
    spd_status status =
        spd_nearest(s->ctx, session_metric(s), &n->searched.X, n->queries ? &n->asked.X : NULL,
                    n->k, &how, n->index, n->distance, &n->found);
    if (status < 0) /* X is of the file searched, Q of the queries' */
        session_fail_pair(s, n->samples->source, n->queries ? n->queries->source : NULL, "Q",
                          status);
    session_distances(s, n->q * n->k, n->distance);
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

static size_t estimated_on(const session *s, size_t q)
{
    size_t most = q < ESTIMATED ? q : ESTIMATED, tenth = q / 10 > 10 ? q / 10 : 10;
    return arguments_text(s->args, "index") && tenth < most ? tenth : most;
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
    sheet_flag(r, "brute", NULL, arguments_flag(s->args, "brute"));
    sheet_flag(r, "squared", NULL, arguments_flag(s->args, "squared"));
    sheet_count(r, "pairs", "pairs", (size_t)n.found.pairs, "");
    sheet_count(r, "exact", "computed in full", (size_t)n.found.exact, "");
    sheet_real(r, "pruned", NULL, n.found.pruned);
    sheet_text(r, "search", "search", spd_name(SPD_ENUM_SEARCH, n.found.search));
    sheet_real(r, "recall", NULL, n.found.recall);
    if (n.found.search == SPD_SEARCH_EXACT)
        sheet_line(r, "pruned", "%.1f %%", 100 * n.found.pruned);
    else
        sheet_line(r, "recall", "%.1f %% of the true neighbours, by %zu of the queries",
                   100 * n.found.recall, estimated_on(s, n.q));
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
             "estimated; auto: approximate if exact would take more than about a minute. Up to "
             "200 --queries (10 with --index) are always searched exactly"},
    {"recall", 0, OPTION_REAL, "R", "0", 0.0, 1.0,
     .help =
         "Of an approximate search: this share of the true neighbours is wished for. The search "
         "is repeated with more effort until the estimate says so, and is exact in the end"},
    {"index", 0, OPTION_FILE, "FILE", .writes = 1, .choice = ".npz",
     .help = "Search the queries by the index of DATA in FILE, which is made if it is not there: "
             "for many --queries, now or later"},
    {"brute", .help = "Compute every distance instead of pruning by lower bounds"},
    OPTION_SQUARED,
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
    {"spdml neighbours a.npz --queries b.npz --index i.npz --recall 0.99",
     "99 % of the neighbours of many queries; the next ones find the index there."},
    {NULL, NULL}};

COMMAND(neighbours, "k nearest neighbours", "DATA", .alias = "neighbors",
        .groups = COMMAND_LARGE_GROUPS(options));
