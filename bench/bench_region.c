/* bench_region.c - covariances of 1000 rectangles of one image: by integral images, and by summing
 * over the pixels of each rectangle. The features are computed once for either. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench.h"
#include "ops/covariance.h"
#include "describe/integral.h"
#include "describe/region_features.h"
#include "random_spd.h"

#define RECTS 1000

typedef struct scene {
    size_t width, height, n;
    double *F; /* height x width x n */
    spd_rect rect[RECTS];
    double *C; /* RECTS x n x n */
} scene;

static void stored_row(const void *user, size_t y, double *O)
{
    const scene *s = user;
    memcpy(O, s->F + y * s->width * s->n, s->width * s->n * sizeof *O);
}

static scene *make_scene(size_t width, size_t height)
{
    rng r;
    image *in = NULL;
    region_features f;
    scene *s = malloc(sizeof *s);
    rng_seed(&r, 1);
    if (!s || image_new(NULL, width, height, 3, &in) < 0)
        abort();
    for (size_t i = 0; i < width * height * 3; i++)
        in->pixel[i] = rng_uniform(&r);
    if (region_features_new(NULL, in, 1, &f) < 0)
        abort();
    s->width = width;
    s->height = height;
    s->n = f.n;
    s->F = block(width * height * f.n);
    s->C = block(RECTS * f.n * f.n);
    region_features_rect(&f, &(spd_rect){0, 0, width, height}, s->F);
    region_features_free(&f);
    image_free(in);
    for (size_t k = 0; k < RECTS; k++) { /* sides of an eighth to a half of the image's */
        const size_t w = width / 8 + rng_below(&r, width * 3 / 8);
        const size_t h = height / 8 + rng_below(&r, height * 3 / 8);
        s->rect[k] = (spd_rect){rng_below(&r, width - w), rng_below(&r, height - h), w, h};
    }
    return s;
}

static void by_integral(spd_context *ctx, scene *s)
{
    const integral_source source = {s->width, s->height, s->n, stored_row, s};
    if (integral_scatters(ctx, &source, RECTS, s->rect, s->C, NULL) < 0)
        abort();
}

static void by_pixels(spd_context *ctx, scene *s)
{
    const spd_covariance_options plain = {0};
    double *O = block(s->width * s->height * s->n);
    for (size_t k = 0; k < RECTS; k++) {
        const spd_rect *rect = &s->rect[k];
        const observations rows = {rect->width * rect->height, s->n, O};
        for (size_t v = 0; v < rect->height; v++)
            memcpy(O + v * rect->width * s->n, s->F + ((rect->y + v) * s->width + rect->x) * s->n,
                   rect->width * s->n * sizeof *O);
        if (covariance_blocks(ctx, &plain, 1, &rows, s->C + k * s->n * s->n) < 0)
            abort();
    }
    free(O);
}

static void report(size_t width, size_t height)
{
    spd_context *ctx = spd_context_new();
    scene *s = make_scene(width, height);
    spd_context_set_threads(ctx, 1);
    bench fast = bench_start(0.5), slow = bench_start(0.5);
    while (bench_more(&fast))
        by_integral(ctx, s);
    while (bench_more(&slow))
        by_pixels(ctx, s);
    printf(
        "%4zu x %-4zu  n = %zu  %d rectangles: integral %8.2f ms (spread %.0f %%), pixels %8.1f ms "
        "(spread %.0f %%), ratio %.1f\n",
        width, height, s->n, RECTS, 1e3 * fast.best, bench_spread(&fast), 1e3 * slow.best,
        bench_spread(&slow), slow.best / fast.best);
    free(s->F);
    free(s->C);
    free(s);
    spd_context_free(ctx);
}

int main(void)
{
    report(160, 120);
    report(320, 240);
    report(640, 480);
    return 0;
}
