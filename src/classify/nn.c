/* nn.c - nearest neighbours under any metric: `nn` and `knn`.
 *
 *   nn    class of the nearest training sample, ties by lower index
 *   knn   class that most of the k nearest have; of several, the one seen nearest
 *
 * The search is the exact, pruned one (spd_nearest). What queries and training have in common, the
 * ranking, does not depend on k: it is kept as far as the largest k that is usually asked for, and
 * made anew when k is larger still. nn is knn that keeps one neighbour. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/classifier.h"

#define RANKED 9 /* neighbours that knn keeps: the most that its own grid asks for */

typedef struct neighbours {
    samples train;
    spd_metric metric;
    size_t ranked; /* neighbours to keep of each query */
} neighbours;

typedef struct ranking {
    samples queries;
    int64_t *index; /* q x ranked, nearest first */
} ranking;

/* ---- parameters ----------------------------------------------------------------------------- */

static double standard(const samples *train, spd_parameter parameter)
{
    (void)parameter;
    return train->p < 5 ? (double)train->p : 5.0;
}

static size_t grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    static const size_t all[] = {1, 3, 5, 7, RANKED};
    size_t count = 0;
    (void)parameter;
    for (size_t i = 0; i < sizeof all / sizeof *all && count < room; i++)
        if (all[i] <= train->p)
            values[count++] = (double)all[i];
    return count;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static spd_status prepare_ranked(spd_context *ctx, const spd_method *method, const samples *train,
                                 size_t ranked, void **prepared)
{
    neighbours *s = mem_alloc(1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "neighbours");
    *s = (neighbours){.train = *train, .metric = method->metric};
    s->ranked = ranked < train->p ? ranked : train->p;
    *prepared = s;
    return SPD_OK;
}

static spd_status prepare_one(spd_context *ctx, const spd_method *method, const samples *train,
                              void **prepared)
{
    return prepare_ranked(ctx, method, train, 1, prepared);
}

static spd_status prepare_several(spd_context *ctx, const spd_method *method, const samples *train,
                                  void **prepared)
{
    return prepare_ranked(ctx, method, train, RANKED, prepared);
}

/* index (q x k) <- the k nearest training samples of each query. */
static spd_status search(spd_context *ctx, const neighbours *s, const samples *queries, size_t k,
                         int64_t *index)
{
    double *d2 = mem_alloc(queries->p, k * sizeof *d2);
    if (!d2)
        return ctx_nomem(ctx, "distances of neighbours");
    spd_status status = spd_nearest(
        ctx, s->metric, s->train.n, s->train.p, s->train.X, queries->p, queries->X,
        &(spd_neighbours){.size = sizeof(spd_neighbours), .k = k, .index = index, .d2 = d2});
    mem_free(d2);
    return status;
}

static void release_ranking(void *met)
{
    ranking *r = met;
    if (r)
        mem_free(r->index);
    mem_free(r);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const neighbours *s = prepared;
    ranking *r = mem_zero(1, sizeof *r);
    spd_status status = SPD_OK;
    if (r)
        r->index = mem_alloc(queries->p, s->ranked * sizeof *r->index);
    if (!r || !r->index)
        status = ctx_nomem(ctx, "neighbours");
    else
        status = search(ctx, s, queries, s->ranked, r->index);
    if (status < 0) {
        release_ranking(r);
        return status;
    }
    r->queries = *queries;
    *met = r;
    return status;
}

/* The class that most of k neighbours (nearest first) have. votes (classes) is zero, and so it is
 * left. */
static int majority(const int *label, size_t k, const int64_t *index, size_t *votes)
{
    size_t most = 0;
    int winner = 0;
    for (size_t i = 0; i < k; i++)
        if (++votes[label[index[i]]] > most)
            most = votes[label[index[i]]];
    for (size_t i = k; i-- > 0;) /* backwards: the nearest comes last and stays */
        if (votes[label[index[i]]] == most)
            winner = label[index[i]];
    for (size_t i = 0; i < k; i++)
        votes[label[index[i]]] = 0;
    return winner;
}

/* `columns` neighbours of each query are in index, the first k vote. */
static spd_status vote(spd_context *ctx, const neighbours *s, size_t q, size_t k, size_t columns,
                       const int64_t *index, int *label)
{
    size_t *votes = mem_zero(s->train.classes, sizeof *votes);
    if (!votes)
        return ctx_nomem(ctx, "votes");
    for (size_t i = 0; i < q; i++)
        label[i] = majority(s->train.label, k, index + i * columns, votes);
    mem_free(votes);
    return SPD_OK;
}

/* More neighbours than were kept. */
static spd_status vote_anew(spd_context *ctx, const neighbours *s, const samples *queries, size_t k,
                            int *label)
{
    int64_t *index = mem_alloc(queries->p, k * sizeof *index);
    spd_status status = index ? search(ctx, s, queries, k, index) : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK)
        status = vote(ctx, s, queries->p, k, k, index, label);
    mem_free(index);
    return status;
}

static spd_status decide_one(spd_context *ctx, const void *prepared, const void *trained,
                             const void *met, const spd_method *method, int *label)
{
    const neighbours *s = prepared;
    const ranking *r = met;
    (void)ctx;
    (void)trained;
    (void)method;
    for (size_t i = 0; i < r->queries.p; i++)
        label[i] = s->train.label[r->index[i]];
    return SPD_OK;
}

static spd_status decide_several(spd_context *ctx, const void *prepared, const void *trained,
                                 const void *met, const spd_method *method, int *label)
{
    const neighbours *s = prepared;
    const ranking *r = met;
    double wanted = floor(method->value[SPD_PARAM_K] + 0.5);
    (void)trained;
    if (!(wanted >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "k is %g: knn needs at least 1 neighbour", wanted);
    size_t k = wanted < (double)s->train.p ? (size_t)wanted : s->train.p;
    if (k > s->ranked)
        return vote_anew(ctx, s, &r->queries, k, label);
    return vote(ctx, s, r->queries.p, k, s->ranked, r->index, label);
}

const classifier classifier_nn = {
    .kind = SPD_NN,
    .prepare = prepare_one,
    .meet = meet,
    .decide = decide_one,
    .release_met = release_ranking,
    .release_prepared = mem_free,
};

const classifier classifier_knn = {
    .kind = SPD_KNN,
    .uses = USES(SPD_PARAM_K),
    .standard = standard,
    .grid = grid,
    .prepare = prepare_several,
    .meet = meet,
    .decide = decide_several,
    .release_met = release_ranking,
    .release_prepared = mem_free,
};
