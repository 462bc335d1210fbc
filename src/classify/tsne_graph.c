/* tsne_graph.c - affinities of samples: how probable each neighbour is, and both ways together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classify/tsne.h"
#include "run/parallel.h"

#define HALVINGS 200
#define CHUNK    64

/* ---- one way --------------------------------------------------------------------------------- */

/* share (k) <- exp(-b (d2 - least) / scale), normalised; its entropy. */
static double fill_shares(size_t k, const double *d2, double least, double scale, double b,
                          double *share)
{
    double sum = 0.0, moment = 0.0;
    for (size_t j = 0; j < k; j++) {
        double gap = (d2[j] - least) / scale;
        share[j] = exp(-b * gap);
        sum += share[j];
        moment += share[j] * gap;
    }
    for (size_t j = 0; j < k; j++)
        share[j] /= sum;
    return sum > 0.0 ? log(sum) + b * moment / sum : 0.0;
}

/* share (k) <- with the entropy asked for, by halving the range of b; it falls from ln k to the
 * logarithm of how many are nearest. */
static void find_shares(size_t k, const double *d2, double entropy, double *share)
{
    double least = INFINITY, mean = 0.0, low = 0.0, high = INFINITY;
    for (size_t j = 0; j < k; j++) {
        least = fmin(least, d2[j]);
        mean += d2[j] / (double)k;
    }
    double b = 1.0, scale = mean > least ? mean - least : 1.0; /* whatever the unit of d2 */
    for (int i = 0; i < HALVINGS; i++) {
        double found = fill_shares(k, d2, least, scale, b, share);
        if (fabs(found - entropy) < 1e-10 || !(b > 1e-300) || !(b < 1e300))
            break;
        *(found > entropy ? &low : &high) = b;
        b = isinf(high) ? 2.0 * b : 0.5 * (low + high);
    }
}

typedef struct share_job {
    size_t p, k;
    const double *d2;
    double entropy;
    double *share; /* p x k */
} share_job;

static spd_status share_body(void *user, size_t chunk, int thread)
{
    const share_job *job = user;
    size_t end = (chunk + 1) * CHUNK < job->p ? (chunk + 1) * CHUNK : job->p;
    (void)thread;
    for (size_t i = chunk * CHUNK; i < end; i++)
        find_shares(job->k, job->d2 + i * job->k, job->entropy, job->share + i * job->k);
    return SPD_OK;
}

/* ---- both ways ------------------------------------------------------------------------------- */

typedef struct entry {
    size_t to;
    double value;
} entry;

static int by_sample(const void *a, const void *b)
{
    size_t x = ((const entry *)a)->to, y = ((const entry *)b)->to;
    return (x > y) - (x < y);
}

/* Every share stands in the rows of both samples: at[i] .. at[i + 1] of list. */
static void place_entries(size_t p, size_t k, const int64_t *index, const double *share, size_t *at,
                          entry *list)
{
    memset(at, 0, (p + 2) * sizeof *at);
    for (size_t e = 0; e < p * k; e++) {
        at[e / k + 2]++;
        at[(size_t)index[e] + 2]++;
    }
    for (size_t i = 2; i < p + 2; i++)
        at[i] += at[i - 1];
    for (size_t e = 0; e < p * k; e++) { /* at[i + 1] moves to the end of row i */
        size_t i = e / k, j = (size_t)index[e];
        list[at[i + 1]++] = (entry){j, share[e]};
        list[at[j + 1]++] = (entry){i, share[e]};
    }
}

/* Rows of g <- entries of one sample added up. */
static void merge_entries(size_t p, const size_t *at, entry *list, tsne_graph *g)
{
    size_t used = 0;
    for (size_t i = 0; i < p; i++) {
        size_t begin = used;
        g->first[i] = used;
        qsort(list + at[i], at[i + 1] - at[i], sizeof *list, by_sample);
        for (size_t e = at[i]; e < at[i + 1]; e++) {
            double half = list[e].value / (2.0 * (double)p);
            if (used > begin && g->to[used - 1] == list[e].to) {
                g->value[used - 1] += half;
            } else {
                g->to[used] = list[e].to;
                g->value[used++] = half;
            }
        }
    }
    g->first[p] = used;
}

spd_status tsne_affinities(spd_context *ctx, size_t p, size_t k, const int64_t *index,
                           const double *d2, double perplexity, arena *keep, tsne_graph *g)
{
    arena room = {0};
    double *share = arena_alloc(&room, p, k * sizeof *share);
    entry *list = arena_alloc(&room, p, 2 * k * sizeof *list);
    size_t *at = arena_alloc(&room, p + 2, sizeof *at);
    share_job job = {p, k, d2, log(perplexity), share};
    *g = (tsne_graph){.p = p,
                      .first = arena_alloc(keep, p + 1, sizeof *g->first),
                      .to = arena_alloc(keep, p, 2 * k * sizeof *g->to),
                      .value = arena_alloc(keep, p, 2 * k * sizeof *g->value)};
    spd_status status = arena_status(&room, ctx, "affinities");
    if (status == SPD_OK)
        status = arena_status(keep, ctx, "affinities");
    if (status == SPD_OK)
        status = parallel_for(ctx, (p + CHUNK - 1) / CHUNK, share_body, &job, "affinities",
                              "matrices", (double)p, NULL);
    if (status == SPD_OK) {
        place_entries(p, k, index, share, at, list);
        merge_entries(p, at, list, g);
    }
    arena_free(&room);
    return status;
}
