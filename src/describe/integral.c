/* integral.c - one row of integral images that sweeps down the image; see integral.h.
 *
 * The sums of a point are `entries` numbers: the products of features by rows of the lower
 * triangle, then the features themselves. */
#include "describe/integral.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

#define SHIFT_ROWS 64 /* rows whose mean is the point that features are taken about */
#define NONE       SIZE_MAX

typedef struct sweep {
    const integral_source *source;
    size_t entries; /* n (n + 1)/2 + n */
    size_t rects;
    const spd_rect *rect;
    double *O;     /* width x n: features of a row */
    double *shift; /* n */
    double *line;  /* entries: sums over this row up to a pixel */
    double *P;     /* (width + 1) x entries: sums over the band so far */
    double *sum;   /* rects x entries: sums over each rectangle so far */
    size_t *begin; /* height + 1: the first rectangle that begins at a row, or NONE */
    size_t *end;   /* height + 1: the first that ends before it */
    size_t *after; /* rects x 2: the next that begins, the next that ends there */
} sweep;

static void sweep_room(sweep *s, arena *room)
{
    const size_t width = s->source->width, height = s->source->height, n = s->source->n;
    s->O = arena_alloc(room, width, n * sizeof *s->O);
    s->shift = arena_zero(room, n, sizeof *s->shift);
    s->line = arena_alloc(room, s->entries, sizeof *s->line);
    s->P = arena_zero(room, width + 1, s->entries * sizeof *s->P);
    s->sum = arena_zero(room, s->rects, s->entries * sizeof *s->sum);
    s->begin = arena_alloc(room, height + 1, sizeof *s->begin);
    s->end = arena_alloc(room, height + 1, sizeof *s->end);
    s->after = arena_alloc(room, s->rects, 2 * sizeof *s->after);
}

/* Lists the rectangles by the rows where they begin and end. */
static void list_rects(sweep *s)
{
    for (size_t y = 0; y <= s->source->height; y++)
        s->begin[y] = s->end[y] = NONE;
    for (size_t k = 0; k < s->rects; k++) {
        const size_t top = s->rect[k].y, bottom = top + s->rect[k].height;
        s->after[2 * k] = s->begin[top];
        s->begin[top] = k;
        s->after[2 * k + 1] = s->end[bottom];
        s->end[bottom] = k;
    }
}

/* shift <- means over evenly spaced rows. For coordinates these are whole numbers or halves, so
 * that the sums of their products are exact. */
static void find_shift(sweep *s)
{
    const integral_source *from = s->source;
    const size_t n = from->n, step = (from->height + SHIFT_ROWS - 1) / SHIFT_ROWS;
    double rows = 0.0;
    for (size_t y = step / 2; y < from->height; y += step, rows += 1.0) {
        from->row(from->user, y, s->O);
        for (size_t x = 0; x < from->width; x++)
            for (size_t i = 0; i < n; i++)
                s->shift[i] += s->O[x * n + i];
    }
    for (size_t i = 0; i < n; i++)
        s->shift[i] /= rows * (double)from->width;
}

/* Adds row y to the sums. */
static void add_row(sweep *s, size_t y)
{
    const size_t n = s->source->n;
    s->source->row(s->source->user, y, s->O);
    memset(s->line, 0, s->entries * sizeof *s->line);
    for (size_t x = 0; x < s->source->width; x++) {
        double *o = s->O + x * n, *line = s->line, *P = s->P + (x + 1) * s->entries;
        for (size_t i = 0; i < n; i++)
            o[i] -= s->shift[i];
        for (size_t i = 0; i < n; line += ++i)
            for (size_t j = 0; j <= i; j++)
                line[j] += o[i] * o[j];
        for (size_t i = 0; i < n; i++)
            line[i] += o[i];
        for (size_t e = 0; e < s->entries; e++)
            P[e] += s->line[e];
    }
}

/* Adds what the band holds between the sides of rectangle k, times sign. */
static void collect(sweep *s, size_t k, double sign)
{
    const double *left = s->P + s->rect[k].x * s->entries;
    const double *right = left + s->rect[k].width * s->entries;
    double *sum = s->sum + k * s->entries;
    for (size_t e = 0; e < s->entries; e++)
        sum[e] += sign * (right[e] - left[e]);
}

/* Ends the band above row y: who goes on collects, and the sums start again. */
static void new_band(sweep *s, size_t y)
{
    for (size_t k = 0; k < s->rects; k++)
        if (s->rect[k].y < y && y < s->rect[k].y + s->rect[k].height)
            collect(s, k, 1.0);
    memset(s->P, 0, (s->source->width + 1) * s->entries * sizeof *s->P);
}

static void run(sweep *s)
{
    for (size_t y = 0; y <= s->source->height; y++) {
        for (size_t k = s->end[y]; k != NONE; k = s->after[2 * k + 1])
            collect(s, k, 1.0);
        if (y % INTEGRAL_BAND == 0)
            new_band(s, y);
        for (size_t k = s->begin[y]; k != NONE; k = s->after[2 * k])
            collect(s, k, -1.0);
        if (y < s->source->height)
            add_row(s, y);
    }
}

/* S (n x n) <- P - p p'/r, mean (n) <- p/r about the point */
static void scatter_of(size_t n, const double *sum, double r, const double *shift, double *S,
                       double *mean)
{
    const double *p = sum + n * (n + 1) / 2;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            S[i * n + j] = S[j * n + i] = *sum++ - p[i] * p[j] / r;
    for (size_t i = 0; i < n; i++)
        mean[i] = shift[i] + p[i] / r;
}

spd_status integral_scatters(spd_context *ctx, const integral_source *source, size_t rects,
                             const spd_rect *rect, double *S, double *mean)
{
    const size_t n = source->n;
    sweep s = {.source = source, .entries = n * (n + 3) / 2, .rects = rects, .rect = rect};
    arena room = {0};
    sweep_room(&s, &room);
    spd_status status = arena_status(&room, ctx, "integral images");
    if (status == SPD_OK) {
        list_rects(&s);
        find_shift(&s);
        run(&s);
    }
    for (size_t k = 0; k < rects && status == SPD_OK; k++)
        scatter_of(n, s.sum + k * s.entries, (double)rect[k].width * (double)rect[k].height,
                   s.shift, S + k * n * n, mean + k * n);
    arena_free(&room);
    return status;
}
