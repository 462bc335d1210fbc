/* nn.c - nearest neighbours under any metric: `nn` and `knn`.
 *
 *   nn    class of the nearest training sample, ties by lower index
 *   knn   class that most of the k nearest have; of several, the one seen nearest
 *
 * The search is the exact, pruned one (spd_nearest). What queries and training have in common, the
 * ranking, does not depend on k: it is kept as far as the largest k that is usually asked for, and
 * made anew when k is larger still. nn is knn that keeps one neighbour. */
#include <math.h>

#include "classify/samples.h"

#define RANKED 9 /* neighbours that knn keeps: the most that its own grid asks for */

/* ---- parameters ----------------------------------------------------------------------------- */

static double most_neighbours(const samples *train)
{
    return (double)train->p;
}

/* Odd numbers, none beyond the training samples. */
static size_t odd_numbers(const samples *train, double *values)
{
    size_t count = 0;
    for (size_t k = 1; k <= RANKED && k <= train->p; k += 2)
        values[count++] = (double)k;
    return count;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Neighbours to keep of each query. */
static size_t columns_of(const training_state *c)
{
    size_t ranked = c->kind == &classifier_nn ? 1 : RANKED;
    return ranked < c->train.p ? ranked : c->train.p;
}

/* *index (queries x k) <- the k nearest training samples of each query, nearest first. */
static spd_status search(spd_context *ctx, const training_state *c, size_t k, arena *keep,
                         int64_t **index)
{
    size_t q = c->queries.p;
    arena room = {0};
    double *d2 = arena_alloc(&room, q, k * sizeof *d2);
    *index = arena_alloc(keep, q, k * sizeof **index);
    const spd_set X = samples_set(&c->train), Q = samples_set(&c->queries);
    spd_status status = d2 && *index
                            ? spd_nearest(ctx, c->method.metric, &X, &Q, k, NULL, *index, d2, NULL)
                            : ctx_nomem(ctx, "neighbours");
    arena_free(&room);
    return status;
}

static spd_status meet(spd_context *ctx, training_state *c)
{
    int64_t *index = NULL;
    spd_status status = search(ctx, c, columns_of(c), &c->meeting, &index);
    c->met = index;
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

/* c->score <- squared distances to the nearest sample of each class. */
static spd_status measure(spd_context *ctx, const training_state *c)
{
    size_t q = c->queries.p;
    classes of;
    arena room = {0};
    double *d2 = arena_alloc(&room, q, sizeof *d2);
    int64_t *index = arena_alloc(&room, q, sizeof *index);
    spd_status status = arena_status(&room, ctx, "distances");
    if (status == SPD_OK)
        status = classes_sort(ctx, c->train.p, c->train.label, &room, &of);
    for (size_t k = 0; status == SPD_OK && k < of.count; k++) {
        samples part = {0};
        arena own = {0};
        status =
            samples_part(ctx, &c->train, class_size(&of, k), of.order + of.first[k], &own, &part);
        const spd_set X = samples_set(&part), Q = samples_set(&c->queries);
        if (status == SPD_OK)
            status = spd_nearest(ctx, c->method.metric, &X, &Q, 1, NULL, index, d2, NULL);
        for (size_t i = 0; status == SPD_OK && i < q; i++)
            c->score[i * c->train.classes + (size_t)class_label(&of, k)] = d2[i];
        arena_free(&own);
    }
    arena_free(&room);
    return status;
}

/* score (classes) <- how many of k neighbours are of a class. */
static void count_votes(size_t classes_there, const int *label, size_t k, const int64_t *index,
                        double *score)
{
    for (size_t c = 0; c < classes_there; c++)
        score[c] = 0.0;
    for (size_t i = 0; i < k; i++)
        score[label[index[i]]] += 1.0;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    double wanted = c->kind == &classifier_nn ? 1.0 : floor(c->method.value[SPD_PARAMETER_K] + 0.5);
    if (!(wanted >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "k is %g: knn needs at least 1 neighbour", wanted);
    size_t k = wanted < (double)c->train.p ? (size_t)wanted : c->train.p, columns = columns_of(c);
    int64_t *index = c->met;
    arena room = {0};
    size_t *votes = arena_zero(&room, c->train.classes, sizeof *votes);
    spd_status status = arena_status(&room, ctx, "votes");
    if (status == SPD_OK && k > columns) { /* more neighbours than were kept */
        columns = k;
        status = search(ctx, c, k, &room, &index);
    }
    for (size_t i = 0; i < c->queries.p && status == SPD_OK; i++)
        label[i] = majority(c->train.label, k, index + i * columns, votes);
    if (status == SPD_OK && c->score && c->kind == &classifier_nn)
        status = measure(ctx, c);
    for (size_t i = 0; i < c->queries.p && status == SPD_OK && c->score; i++)
        if (c->kind == &classifier_knn)
            count_votes(c->train.classes, c->train.label, k, index + i * columns,
                        c->score + i * c->train.classes);
    arena_free(&room);
    return status;
}

const classifier classifier_nn = {
    .kind = SPD_CLASSIFIER_NN,
    .holds = SPD_HOLDING_SAMPLES,
    .scores = {"squared distance to the nearest sample of the class", 1, 0},
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 1},
    .meet = meet,
    .decide = decide,
};

const classifier classifier_knn = {
    .kind = SPD_CLASSIFIER_KNN,
    .holds = SPD_HOLDING_SAMPLES,
    .scores = {"samples of the class among the nearest", 0, 0},
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 1},
    .choices = {{SPD_PARAMETER_K, 5, .most = most_neighbours, .list = odd_numbers}},
    .meet = meet,
    .decide = decide,
};
