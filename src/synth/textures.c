/* textures.c - colour images of materials, a folder per class: folder/class/class_NN.png.
 *
 * Image k of class c comes from (seed, c, k): asking for more images or classes adds to a set and
 * leaves what was there as it was. Colours of many classes are alike, so that they alone do not
 * tell the material. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "synth/noise.h"
#include "synth/synth.h"
#include "synth/texture.h"

/* ---- an image ------------------------------------------------------------------------------- */
/* plane      (u, v) = A (x, y) + middle: scale, slant and rotation
 *   light      I = a + (1 - a) max(0, n . l) / l_z,  n from the slopes of the heights
 *   colour     c = gain (1 + g . (x, y)) cast_k I ramp_k(tone)
 *   camera     blur, contrast, and normal noise, independent in R, G and B, so that colours have
 *              full rank */

#define PI 3.14159265358979323846

/* How much images of one material differ. */
#define SCALE_SPREAD  0.22 /* deviation of the logarithm */
#define TURN_SPREAD   0.25 /* radians */
#define SLANT_SPREAD  0.10
#define GAIN_SPREAD   0.18
#define SLOPE_SPREAD  0.25 /* of the light, from side to side */
#define CAST_SPREAD   0.05
#define NOISE_LOW     0.008
#define NOISE_HIGH    0.045
#define BLUR_HIGH     0.9
#define CONTRAST_LOW  0.6
#define CONTRAST_HIGH 1.15
#define LIGHT_LOW     0.45 /* height of the lamp, radians */
#define LIGHT_HIGH    1.2
#define AMBIENT       0.35
#define PLANE_SIDE    1000.0 /* images are cut from anywhere in so many units */

/* All that differs between two images of a material. */
typedef struct view {
    piece what;
    double A[4], middle[2];       /* from pixels about the middle to the plane */
    double lamp[3];               /* where light comes from, a unit vector */
    double ramp[3][3], accent[3]; /* colours after dye and cast */
    double gain, slope[2], contrast, noise, blur;
    double relief, unit; /* units of the plane in a pixel */
} view;

/* ---- drawing lots --------------------------------------------------------------------------- */

static void draw_plane(const material *m, size_t size, rng *r, view *v)
{
    const double scale = m->units / (double)size * exp(SCALE_SPREAD * rng_normal(r));
    const double turn = TURN_SPREAD * rng_normal(r), slant = exp(SLANT_SPREAD * rng_normal(r));
    const double c = cos(turn), s = sin(turn);
    v->A[0] = scale * c * slant;
    v->A[1] = -scale * s;
    v->A[2] = scale * s * slant;
    v->A[3] = scale * c;
    v->unit = scale;
    for (int k = 0; k < 2; k++)
        v->middle[k] = PLANE_SIDE * rng_uniform(r);
}

static void draw_light(const material *m, rng *r, view *v)
{
    const double around = 2.0 * PI * rng_uniform(r), up = rng_between(r, LIGHT_LOW, LIGHT_HIGH);
    v->lamp[0] = cos(around) * cos(up);
    v->lamp[1] = sin(around) * cos(up);
    v->lamp[2] = sin(up);
    v->relief = m->relief * rng_between(r, 0.6, 1.3);
    v->gain = exp(GAIN_SPREAD * rng_normal(r));
    v->slope[0] = SLOPE_SPREAD * rng_normal(r);
    v->slope[1] = SLOPE_SPREAD * rng_normal(r);
}

/* Channel k of 0xRRGGBB, in [0, 1]. */
static double channel(uint32_t colour, int k)
{
    return (double)(colour >> (16 - 8 * k) & 0xff) / 255.0;
}

static void draw_colours(const material *m, rng *r, view *v)
{
    for (int k = 0; k < 3; k++) {
        const double dye = exp(m->dye * rng_normal(r)), cast = exp(CAST_SPREAD * rng_normal(r));
        v->ramp[0][k] = cast * channel(m->dark, k);
        v->ramp[1][k] = cast * channel(m->middle, k) * dye;
        v->ramp[2][k] = cast * channel(m->light, k) * sqrt(dye);
        v->accent[k] = cast * channel(m->accent, k);
    }
}

static void draw_view(const material *m, size_t size, rng *r, view *v)
{
    v->what.seed = rng_next(r);
    for (int k = 0; k < TEXTURE_KNOBS; k++)
        v->what.knob[k] = rng_uniform(r);
    draw_plane(m, size, r, v);
    draw_light(m, r, v);
    draw_colours(m, r, v);
    v->contrast = rng_between(r, CONTRAST_LOW, CONTRAST_HIGH);
    v->noise = NOISE_LOW * pow(NOISE_HIGH / NOISE_LOW, rng_uniform(r));
    v->blur = BLUR_HIGH * rng_uniform(r);
}

/* ---- painting ------------------------------------------------------------------------------- */

/* spots (size x size) <- the material at every pixel. */
static void lay_out(const material *m, const view *v, size_t size, spot *spots)
{
    const double middle = 0.5 * (double)(size - 1);
    for (size_t j = 0; j < size; j++)
        for (size_t i = 0; i < size; i++) {
            const double x = (double)i - middle, y = (double)j - middle;
            spots[j * size + i] = m->look(&v->what, v->middle[0] + v->A[0] * x + v->A[1] * y,
                                          v->middle[1] + v->A[2] * x + v->A[3] * y);
        }
}

/* Light on a pixel, 1 where the surface is flat. */
static double light_at(const view *v, const spot *spots, size_t size, size_t i, size_t j)
{
    const size_t left = i ? i - 1 : i, right = i + 1 < size ? i + 1 : i;
    const size_t above = j ? j - 1 : j, below = j + 1 < size ? j + 1 : j;
    const double slope = 0.5 * v->relief / v->unit;
    const double dx = slope * (spots[j * size + right].height - spots[j * size + left].height);
    const double dy = slope * (spots[below * size + i].height - spots[above * size + i].height);
    const double facing = v->lamp[2] - dx * v->lamp[0] - dy * v->lamp[1];
    const double lambert = facing / (v->lamp[2] * sqrt(1.0 + dx * dx + dy * dy));
    return AMBIENT + (1.0 - AMBIENT) * (lambert > 0.0 ? lambert : 0.0);
}

/* colour <- of the spot, in even light. */
static void colour_of(const view *v, const spot *s, double *colour)
{
    const double tone = 2.0 * (s->tone < 0.0 ? 0.0 : s->tone > 1.0 ? 1.0 : s->tone);
    const int half = tone >= 1.0;
    const double t = half ? tone - 1.0 : tone;
    /* The accent keeps some of the surface's light and dark. */
    const double shade = 0.6 + 0.4 * tone;
    for (int k = 0; k < 3; k++) {
        const double plain = noise_mix(v->ramp[half][k], v->ramp[half + 1][k], t);
        colour[k] = noise_mix(plain, shade * v->accent[k], s->accent);
    }
}

static void paint(const view *v, const spot *spots, image *picture)
{
    const size_t size = picture->width;
    for (size_t j = 0; j < size; j++)
        for (size_t i = 0; i < size; i++) {
            const double x = (double)i / (double)size - 0.5, y = (double)j / (double)size - 0.5;
            const double lit = v->gain * (1.0 + v->slope[0] * x + v->slope[1] * y) *
                               light_at(v, spots, size, i, j);
            double *pixel = picture->pixel + 3 * (j * size + i);
            colour_of(v, &spots[j * size + i], pixel);
            for (int k = 0; k < 3; k++)
                pixel[k] = 0.5 + v->contrast * (lit * pixel[k] - 0.5);
        }
}

/* ---- the camera ----------------------------------------------------------------------------- */

/* x <- (b, 1, b) / (1 + 2 b) over count values a stride apart; ends are repeated. */
static void blur_line(size_t count, size_t stride, double b, double *x)
{
    const double weight = 1.0 / (1.0 + 2.0 * b);
    double before = x[0];
    for (size_t i = 0; i < count; i++) {
        const double here = x[i * stride], after = i + 1 < count ? x[(i + 1) * stride] : here;
        x[i * stride] = weight * (here + b * (before + after));
        before = here;
    }
}

static void blur(double b, image *picture)
{
    const size_t size = picture->width, row = 3 * size;
    for (size_t j = 0; j < size; j++)
        for (size_t k = 0; k < 3; k++)
            blur_line(size, 3, b, picture->pixel + j * row + k);
    for (size_t i = 0; i < row; i++)
        blur_line(size, row, b, picture->pixel + i);
}

/* Nearly normal: the sum of four uniform numbers of 16 bits, which is quick. */
static double grain(rng *r)
{
    const uint64_t bits = rng_next(r);
    const double sum =
        (double)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)) *
        0x1p-16;
    return (sum - 2.0) * 1.7320508075688772;
}

/* *picture <- a new image, size x size, of a piece of the material in some light: textures.c.
 * All that is random comes from r. */
static spd_status texture_render(spd_context *ctx, const material *m, size_t size, rng *r,
                                 image **picture)
{
    view v = {0};
    image *made = NULL;
    spd_status status = image_new(ctx, size, size, 3, &made);
    if (status < 0)
        return status;
    spot *spots = mem_alloc(size * size, sizeof *spots);
    if (!spots) {
        image_free(made);
        return ctx_nomem(ctx, "a texture");
    }
    draw_view(m, size, r, &v);
    lay_out(m, &v, size, spots);
    paint(&v, spots, made);
    blur(v.blur, made);
    for (size_t e = 0; e < 3 * size * size; e++)
        made->pixel[e] += v.noise * grain(r);
    mem_free(spots);
    *picture = made;
    return SPD_OK;
}

/* ---- the folder ----------------------------------------------------------------------------- */

#define SMALLEST     16
#define LARGEST      4096
#define MOST_SAMPLES 100000
#define TEXTURE_SALT 0x7e87 /* apart from the other kinds of the same seed */

static spd_status textures_check(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > MATERIALS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu classes of textures; expected 1 to %d", o->classes,
                        MATERIALS);
    if (o->samples < 1 || o->samples > MOST_SAMPLES)
        return ctx_fail(ctx, SPD_EINVAL, "%zu textures per class; expected 1 to %d", o->samples,
                        MOST_SAMPLES);
    if (o->side < SMALLEST || o->side > LARGEST)
        return ctx_fail(ctx, SPD_EINVAL, "textures of %zu x %zu pixels; sides must be %d to %d",
                        o->side, o->side, SMALLEST, LARGEST);
    return SPD_OK;
}

static size_t textures_files(const spd_synth_options *o)
{
    return o->classes * o->samples;
}

static void textures_name(const spd_synth_options *o, size_t i, char *name)
{
    const char *kind = materials[i / o->samples].name;
    snprintf(name, SYNTH_NAME, "%s/%s_%02zu.png", kind, kind, i % o->samples + 1);
}

static spd_status textures_write(spd_context *ctx, const spd_synth_options *o, const char *path,
                                 size_t i)
{
    const size_t kind = i / o->samples;
    image *picture = NULL;
    rng r;
    rng_seed(&r, rng_key(o->seed ^ TEXTURE_SALT, kind, i % o->samples));
    spd_status status = texture_render(ctx, &materials[kind], o->side, &r, &picture);
    if (status >= 0)
        status = image_write(ctx, path, picture);
    image_free(picture);
    return status;
}

const generator generator_textures = {.usual = {.classes = 18, .samples = 12, .side = 400},
                                      .check = textures_check,
                                      .files = textures_files,
                                      .name_file = textures_name,
                                      .write = textures_write};
