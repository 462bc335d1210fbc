/* trees.c - see trees.h. */
#include "search/trees.h"

#define DEPTH 64

spd_status leaves_new(spd_context *ctx, size_t count, size_t groups, size_t most, arena *keep,
                      leaves *l)
{
    /* A part that is cut has more than `most` vectors, so its halves have at least most / 2. */
    size_t room = groups + count / ((most + 1) / 2) + 1;
    l->count = 0;
    l->order = arena_alloc(keep, count, sizeof *l->order);
    l->first = arena_zero(keep, room + 1, sizeof *l->first);
    return l->order && l->first ? SPD_OK : ctx_nomem(ctx, "neighbours");
}

static double along(size_t d, const float *a, const float *b, const float *x)
{
    float sum[8] = {0.0F};
    for (size_t e = 0; e < d; e += 8)
        for (size_t l = 0; l < 8; l++)
            sum[l] += (a[e + l] - b[e + l]) * x[e + l];
    double total = 0.0;
    for (size_t l = 0; l < 8; l++)
        total += (double)sum[l];
    return total;
}

void leaves_cut(leaves *l, const sketches *s, size_t from, size_t count, size_t most, rng *r,
                double *work)
{
    struct {
        size_t from, count;
    } todo[DEPTH] = {{from, count}};
    size_t left = 1;
    while (left > 0) {
        size_t at = todo[--left].from, part = todo[left].count;
        size_t *order = l->order + at;
        if (part <= most || left + 2 > DEPTH) {
            l->first[l->count++] = at;
            l->first[l->count] = at + part;
            continue;
        }
        const float *a = s->V + order[rng_below(r, part)] * s->d;
        const float *b = s->V + order[rng_below(r, part)] * s->d;
        for (size_t i = 0; i < part; i++)
            work[order[i]] = along(s->d, a, b, s->V + order[i] * s->d);
        select_smallest(order, part, part / 2, work);
        todo[left].from = at + part / 2;
        todo[left++].count = part - part / 2;
        todo[left].from = at;
        todo[left++].count = part / 2;
    }
}
