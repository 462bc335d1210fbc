/* nearest.c - the public function for nearest neighbours. */
#include "base/sized.h"
#include "geometry/metric.h"
#include "search/search.h"
#include "sets/job.h"

static spd_status check(spd_context *ctx, const search_job *job)
{
    const spd_set *X = job->samples;
    size_t k = job->k[0], others = X->p - (job->queries == X ? 1 : 0);
    if (!metric_get(job->metric))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (k == 0 || k > others)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu neighbours requested, but there are only %zu other matrices", k,
                        others);
    if (!spd_name(SPD_ENUM_SEARCH, job->search))
        return ctx_fail(ctx, SPD_EINVAL, "there is no search number %d", (int)job->search);
    if (job->search == SPD_SEARCH_APPROXIMATE && job->queries != X)
        return ctx_fail(ctx, SPD_EINVAL,
                        "an approximate search finds neighbours within one set; search those of "
                        "other queries exactly");
    if (job->search == SPD_SEARCH_APPROXIMATE && !set_doubles(X) && !engine_of(X))
        return ctx_fail(ctx, SPD_EINVAL,
                        "an approximate search needs the matrices in memory, and they are read "
                        "piece by piece; allow more memory, or search exactly");
    return SPD_OK;
}

/* The processor's part of a job, and what is told of the search. */
typedef struct asked {
    search_job job;
    spd_nearest_info *info;
} asked;

/* Only now are the results touched. */
static void deliver(const search_result *found, const set_job *j, spd_nearest_info *info)
{
    int64_t *index = j->out[0];
    double *d2 = j->out[1];
    for (size_t i = 0; i < j->bytes[1] / sizeof *d2; i++) {
        index[i] = (int64_t)found->list[i].index;
        d2[i] = found->list[i].d2;
    }
    info->exact = found->exact;
    info->search = found->search;
    info->recall = found->recall;
}

static spd_status search_here(spd_context *ctx, const set_job *j)
{
    const asked *a = j->user;
    search_job job = a->job;
    search_result found;
    arena room = {0};
    job.samples = j->X;
    job.queries = j->Y ? j->Y : j->X;
    job.here = 1;
    if (engine_of(a->job.samples))
        job.search = SPD_SEARCH_EXACT;
    spd_status status = search_run(ctx, &job, &room, &found);
    if (status == SPD_OK)
        deliver(&found, j, a->info);
    arena_free(&room);
    return status;
}

/* a->info <- as of an exact search that computes all distances, unless those who do it know better.
 */
static spd_status run(spd_context *ctx, const asked *a, const spd_set *Q, int64_t *index,
                      double *d2)
{
    const spd_set *X = a->job.samples;
    size_t rows = a->job.queries->p, k = a->job.k[0];
    double pairs = (double)rows * (double)(X->p - (Q ? 0 : 1));
    const set_job j = {.of = search_approximates(&a->job) ? OPERATION_OTHER : OPERATION_NEAREST,
                       .task = "neighbours",
                       .unit = "pairs",
                       .X = X,
                       .Y = Q,
                       .metric = a->job.metric,
                       .k = {k},
                       .brute = a->job.brute,
                       .exact = &a->info->exact,
                       .out = {index, d2},
                       .bytes = {rows * k * sizeof *index, rows * k * sizeof *d2},
                       .share = set_share(X),
                       .shared = 1,
                       .streams = 1,
                       .here = search_here,
                       .user = a};
    *a->info = (spd_nearest_info){.size = sizeof *a->info,
                                  .pairs = pairs,
                                  .exact = pairs,
                                  .search = SPD_SEARCH_EXACT,
                                  .recall = 1.0};
    spd_status status = job_run(ctx, &j);
    if (a->info->search == SPD_SEARCH_EXACT)
        a->info->pruned = 1.0 - a->info->exact / pairs;
    return status;
}

spd_status spd_nearest(spd_context *ctx, spd_metric metric_id, const spd_set *given,
                       const spd_set *queries, size_t k, const spd_nearest_options *options,
                       int64_t *index, double *d2, spd_nearest_info *info)
{
    spd_nearest_options o = {.size = sizeof o, .search = SPD_SEARCH_EXACT};
    spd_nearest_info made;
    spd_set X = {0}, Q;
    const spd_set *second = NULL;
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_nearest_options", sizeof o, &o, options);
    if (status == SPD_OK)
        status = sized_check(ctx, "spd_nearest_info", info);
    if (status == SPD_OK && (!index || !d2))
        status = ctx_fail(ctx, SPD_EINVAL, "the output arrays for neighbours are missing");
    if (status == SPD_OK)
        status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK)
        status = set_take_second(ctx, "Q", queries, &X, &Q, &second);
    const asked a = {.job = {.metric = metric_id,
                             .samples = &X,
                             .queries = second ? second : &X,
                             .k = {k},
                             .search = o.search,
                             .brute = o.brute,
                             .seed = o.seed},
                     .info = &made};
    if (status == SPD_OK)
        status = check(ctx, &a.job);
    if (status < 0)
        return status;
    status = run(ctx, &a, second, index, d2);
    if (status == SPD_OK)
        sized_give(sizeof made, &made, info);
    return set_locate(ctx, &X, status);
}
