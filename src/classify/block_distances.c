/* block_distances.c - squared Stein distances between samples, block by block.
 *
 * Where all matrices have the same blocks on their diagonals, as behind several maps, a squared
 * distance is the sum of those of the blocks: together as much work as the sum of the cubes of their
 * sizes, and not the cube of the sum. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "classify/samples.h"

/* end (n) <- where the block that begins at a row ends at least, by the entries of all samples. Stops
 * early when there is one block only. */
static void reach_of(const samples *s, size_t *end)
{
    size_t n = s->n;
    for (size_t k = 0; k < s->p && end[0] < n; k++)
        for (size_t i = 0; i < n; i++) {
            const double *row = s->X + (k * n + i) * n;
            size_t j = n;
            while (j > end[i] && fpclassify(row[j - 1]) == FP_ZERO)
                j--;
            end[i] = j > end[i] ? j : end[i];
        }
}

/* The end of the block that begins at `first`. */
static size_t block_end(const size_t *end, size_t first)
{
    size_t last = first + 1;
    for (size_t i = first; i < last; i++)
        last = end[i] > last ? end[i] : last;
    return last;
}

/* B (p x d x d) <- the blocks from row `first` on. */
static spd_set take_blocks(const samples *s, size_t first, size_t d, double *B)
{
    for (size_t k = 0; k < s->p; k++)
        for (size_t i = 0; i < d; i++)
            memcpy(B + (k * d + i) * d, s->X + (k * s->n + first + i) * s->n + first,
                   d * sizeof *B);
    return (spd_set){.size = sizeof(spd_set), .n = d, .p = s->p, .X = B};
}

static spd_status add_blocks(spd_context *ctx, const samples *a, const samples *b,
                             const size_t *end, double *D2)
{
    arena room = {0};
    size_t n = a->n, q = b ? b->p : a->p, most = 0;
    spd_status status = SPD_OK;
    for (size_t first = 0; first < n; first = block_end(end, first))
        most = larger(most, block_end(end, first) - first);
    double *A = arena_alloc(&room, a->p, most * most * sizeof *A);
    double *B = b ? arena_alloc(&room, b->p, most * most * sizeof *B) : NULL;
    double *part = arena_alloc(&room, a->p, q * sizeof *part);
    if (room.failed)
        status = ctx_nomem(ctx, "distances");
    memset(D2, 0, a->p * q * sizeof *D2);
    for (size_t first = 0, last; first < n && status == SPD_OK; first = last) {
        last = block_end(end, first);
        const spd_set X = take_blocks(a, first, last - first, A);
        const spd_set Y = b ? take_blocks(b, first, last - first, B) : X;
        status = spd_pairwise2(ctx, SPD_METRIC_STEIN, &X, b ? &Y : NULL, part);
        for (size_t e = 0; e < a->p * q && status == SPD_OK; e++)
            D2[e] += part[e];
    }
    arena_free(&room);
    return status;
}

spd_status samples_stein_to(spd_context *ctx, const samples *a, const samples *b, double *D2)
{
    arena room = {0};
    size_t *end = arena_zero(&room, a->n, sizeof *end);
    if (!end)
        return ctx_nomem(ctx, "distances");
    if (!a->hermitian) {
        reach_of(a, end);
        if (b)
            reach_of(b, end);
    }
    int whole = a->hermitian || block_end(end, 0) >= a->n;
    const spd_set X = samples_set(a), Y = b ? samples_set(b) : X;
    spd_status status = whole ? spd_pairwise2(ctx, SPD_METRIC_STEIN, &X, b ? &Y : NULL, D2)
                              : add_blocks(ctx, a, b, end, D2);
    arena_free(&room);
    return status;
}
