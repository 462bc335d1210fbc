/* region_features.c - see region_features.h. */
#include "describe/region_features.h"

#include <math.h>

#include "base/memory.h"
#include "describe/resize.h"

#define INTENSITY 255.0 /* of white */

spd_status region_features_new(spd_context *ctx, const image *in, int colours, region_features *f)
{
    const size_t pixels = in->width * in->height;
    double *grey = mem_alloc(pixels, sizeof *grey);
    if (!grey)
        return ctx_nomem(ctx, "features of an image");
    grey_of(in, grey);
    for (size_t p = 0; p < pixels; p++)
        grey[p] *= INTENSITY;
    const size_t channels = colours ? in->channels : 1;
    *f = (region_features){in, channels, 8 + channels, grey};
    return SPD_OK;
}

void region_features_free(region_features *f)
{
    mem_free(f->grey);
    f->grey = NULL;
}

/* o (n) <- features of a pixel */
static void write_pixel(const region_features *f, size_t x, size_t y, double *o)
{
    const size_t width = f->in->width, at = y * width + x;
    const double *grey = f->grey;
    const double left = grey[x > 0 ? at - 1 : at];
    const double right = grey[x + 1 < width ? at + 1 : at];
    const double above = grey[y > 0 ? at - width : at];
    const double below = grey[y + 1 < f->in->height ? at + width : at];
    const double Ix = fabs(right - left), Iy = fabs(below - above);
    *o++ = (double)x;
    *o++ = (double)y;
    if (f->channels == 1)
        *o++ = grey[at];
    else
        for (size_t c = 0; c < 3; c++)
            *o++ = INTENSITY * f->in->pixel[3 * at + c];
    o[0] = Ix;
    o[1] = Iy;
    o[2] = fabs(2.0 * grey[at] - left - right);
    o[3] = fabs(2.0 * grey[at] - above - below);
    o[4] = sqrt(Ix * Ix + Iy * Iy);
    o[5] = atan2(Iy, Ix);
}

void region_features_row(const region_features *f, size_t x, size_t y, size_t width, double *O)
{
    for (size_t i = 0; i < width; i++)
        write_pixel(f, x + i, y, O + i * f->n);
}

void region_features_rect(const region_features *f, const spd_rect *rect, double *O)
{
    for (size_t v = 0; v < rect->height; v++)
        region_features_row(f, rect->x, rect->y + v, rect->width, O + v * rect->width * f->n);
}
