/* resize.c - separable resampling with a triangle filter.
 *
 * Output pixel i of a line has its centre at c = (i + 1/2) s of the input, s = in / out, and is
 *
 *   out_i = sum_j w_ij in_j / sum_j w_ij,     w_ij = max(0, 1 - |j + 1/2 - c| / max(s, 1))
 *
 * over the pixels j that exist: bilinear interpolation when growing, and when shrinking the same
 * triangle stretched by s, so that every input pixel counts (no aliasing). The weights are not
 * negative: no ringing, no value outside the input's range. The two directions are done one after
 * the other, first the one that leaves fewer values in between; these are never more than the
 * larger of the two images has, since (h W)(H w) = (h w)(H W). With s = 1 the only weight that is
 * not zero is 1: a side that stays is copied exactly. */
#include "describe/resize.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

#define ROUNDING 1e-9 /* a step of 16 bits is 1.5e-5; resizing errs by 1e-15 */

/* How the outputs of a line are made of its inputs. */
typedef struct filter {
    size_t from, to; /* pixels of a line before and after */
    size_t taps;     /* most weights of an output */
    size_t *first;   /* to: first input that counts */
    size_t *count;   /* to: how many do */
    double *weight;  /* to x taps */
} filter;

/* Weights of output i. */
static void fill_output(filter *f, size_t i)
{
    const double scale = (double)f->from / (double)f->to, reach = fmax(scale, 1.0);
    const double centre = ((double)i + 0.5) * scale;
    double *weight = f->weight + i * f->taps, sum = 0.0;
    /* the first pixel whose centre lies inside the triangle */
    const double start = floor(centre - reach + 0.5);
    size_t j = start > 0.0 ? (size_t)start : 0;
    f->first[i] = j;
    f->count[i] = 0;
    for (; j < f->from && f->count[i] < f->taps && (double)j + 0.5 < centre + reach; j++) {
        const double w = fmax(0.0, 1.0 - fabs((double)j + 0.5 - centre) / reach);
        weight[f->count[i]++] = w;
        sum += w;
    }
    for (size_t k = 0; k < f->count[i]; k++)
        weight[k] /= sum;
}

static spd_status filter_new(spd_context *ctx, size_t from, size_t to, arena *keep, filter *f)
{
    const double reach = fmax((double)from / (double)to, 1.0);
    *f = (filter){.from = from, .to = to, .taps = (size_t)(2.0 * reach) + 2};
    f->first = arena_zero(keep, to, sizeof *f->first);
    f->count = arena_zero(keep, to, sizeof *f->count);
    f->weight = arena_alloc(keep, to, f->taps * sizeof *f->weight);
    spd_status status = arena_status(keep, ctx, "the weights of a resized image");
    for (size_t i = 0; i < to && status == SPD_OK; i++)
        fill_output(f, i);
    return status;
}

/* out (lines x to x inner) <- in (lines x from x inner), filtered along the middle. */
static void apply(const filter *f, size_t lines, size_t inner, const double *in, double *out)
{
    for (size_t l = 0; l < lines; l++)
        for (size_t i = 0; i < f->to; i++) {
            double *to = out + (l * f->to + i) * inner;
            const double *from = in + (l * f->from + f->first[i]) * inner;
            memset(to, 0, inner * sizeof *to);
            for (size_t k = 0; k < f->count[i]; k++) {
                const double w = f->weight[i * f->taps + k];
                for (size_t e = 0; e < inner; e++)
                    to[e] += w * from[k * inner + e];
            }
        }
}

/* *out <- in with another height, or with another width. */
static spd_status change_side(spd_context *ctx, const image *in, int height, size_t to, image **out)
{
    arena room = {0};
    filter f;
    spd_status status = filter_new(ctx, height ? in->height : in->width, to, &room, &f);
    if (status == SPD_OK)
        status =
            image_new(ctx, height ? in->width : to, height ? to : in->height, in->channels, out);
    if (status == SPD_OK && height)
        apply(&f, 1, in->width * in->channels, in->pixel, (*out)->pixel);
    else if (status == SPD_OK)
        apply(&f, in->height, in->channels, in->pixel, (*out)->pixel);
    arena_free(&room);
    return status;
}

spd_status resize_image(spd_context *ctx, const image *in, size_t width, size_t height, image **out)
{
    image *half = NULL, *whole = NULL;
    width = width ? width : in->width;
    height = height ? height : in->height;
    spd_status status = image_check(ctx, width, height, in->channels);
    if (status < 0)
        return status;
    int height_first = in->height * width > height * in->width;
    status = change_side(ctx, in, height_first, height_first ? height : width, &half);
    if (status == SPD_OK)
        status = change_side(ctx, half, !height_first, height_first ? width : height, &whole);
    image_free(half);
    if (status == SPD_OK)
        *out = whole;
    return status;
}

/* ---- grey ------------------------------------------------------------------------------------ */

void grey_of(const image *in, double *grey)
{
    const size_t pixels = in->width * in->height;
    if (in->channels == 1) {
        memcpy(grey, in->pixel, pixels * sizeof *grey);
        return;
    }
    for (size_t p = 0; p < pixels; p++) {
        const double *colour = in->pixel + 3 * p;
        grey[p] = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    }
}

int grey_is_uniform(size_t count, size_t stride, const double *value)
{
    for (size_t i = 1; i < count; i++)
        if (fabs(value[i * stride] - value[0]) > ROUNDING)
            return 0;
    return 1;
}

spd_status resize_grey(spd_context *ctx, const image *in, size_t width, size_t height, image **out)
{
    image *grey = NULL;
    spd_status status = image_new(ctx, in->width, in->height, 1, &grey);
    if (status < 0)
        return status;
    grey_of(in, grey->pixel);
    status = resize_image(ctx, grey, width, height, out);
    image_free(grey);
    return status;
}
