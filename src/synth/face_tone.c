/* face_tone.c - what is painted on a head: skin, brows, eyes, nostrils, lips, hair, beard. Each
 * layer covers the ones before it by a share in [0, 1]. */
#include <math.h>

#include "synth/face.h"
#include "synth/noise.h"

#define SOFT 0.012 /* width of an edge */

/* 1 inside, 0 outside, where x is the distance to the edge, positive inside. */
static double inside(double x)
{
    return noise_step(-SOFT, SOFT, x);
}

static void cover(double *tone, double with, double share)
{
    *tone = noise_mix(*tone, with, share);
}

/* The left and the right eye are mirrored: x runs outwards from the middle of the eye. */
static void paint_eye(const person *p, const expression *e, double side, double v, double *tone)
{
    const double x = side - p->eye_apart, y = v - p->eye_v - p->eye_tilt * x;
    const double t = x / p->eye_width;
    const double tall = p->eye_height * (1.0 - 2.0 * e->smile) * (1.0 - t * t);
    const double lid = y - tall;
    if (fabs(t) > 1.3 || fabs(y) > 0.2)
        return;
    cover(tone, 0.55 * *tone, 0.6 * exp(-1200.0 * (lid - 0.035) * (lid - 0.035)) * (fabs(t) < 1.0));
    if (fabs(t) < 1.0) {
        const double eye = inside(tall - fabs(y)), far = sqrt(x * x + y * y);
        cover(tone, 0.85, eye);
        cover(tone, p->iris_tone, eye * inside(0.95 * p->eye_height - far));
        cover(tone, 0.04, eye * inside(0.4 * p->eye_height - far));
        cover(tone, 0.12, 0.85 * inside(0.017 - fabs(lid)));
        cover(tone, 0.3, 0.35 * inside(0.008 - fabs(y + tall)));
    }
}

static void paint_brow(const person *p, const expression *e, double side, double v, double *tone)
{
    const double x = (side - p->eye_apart) / p->brow_width;
    const double arch =
        p->eye_v + p->brow_v + e->brow + 0.05 * (0.4 - x * x) - p->brow_tilt * 0.3 * x;
    const double thick = p->brow_thick * (1.0 - 0.5 * x) * (1.0 - x * x * x * x);
    if (fabs(x) < 1.0)
        cover(tone, 0.7 * p->hair_tone, p->brow_dark * inside(thick - fabs(v - arch)));
}

static void paint_glasses(const person *p, double side, double v, double *tone)
{
    const double x = (side - p->eye_apart) / 0.25, y = (v - p->eye_v + 0.01) / 0.17;
    const double ring = fabs(sqrt(sqrt(x * x * x * x + y * y * y * y)) - 1.0);
    const double bar = fabs(v - p->eye_v - 0.04);
    cover(tone, 0.12, p->glasses * inside(0.012 - 0.2 * ring + 0.012));
    if (side < p->eye_apart - 0.24 || side > p->eye_apart + 0.24)
        cover(tone, 0.12, p->glasses * inside(0.018 - bar));
}

static void paint_mouth(const person *p, const expression *e, double u, double v, double *tone)
{
    const double x = u / (p->mouth_width * (1.0 + e->wide)), shape = 1.0 - x * x;
    const double y = v - p->mouth_v - e->smile * (x * x - 0.3);
    if (shape <= 0.0)
        return;
    const double gap = e->open * shape, bow = 1.0 - 0.35 * exp(-40.0 * x * x);
    const double upper = gap + 0.8 * p->lip * shape * bow, lower = gap + 1.2 * p->lip * sqrt(shape);
    cover(tone, p->lip_tone * *tone, inside(upper - y) * inside(lower + y));
    cover(tone, 0.1, inside(gap + 0.009 - fabs(y)) * 0.85);
    if (e->open > 0.03) /* the upper teeth */
        cover(tone, 0.85, inside(gap - fabs(y)) * inside(y - 0.25 * gap) * (fabs(x) < 0.75));
}

static double skin_at(const person *p, double u, double v, double lon)
{
    const double blotch = noise_fractal(p->seed, lon / p->blotch_size, v / p->blotch_size, 4);
    const double crease = fabs(u) - p->nose_width - 0.5 * (p->nose_v - v) - 0.03;
    double tone = p->skin_tone + p->blotches * blotch;
    if (v < p->nose_v && v > p->mouth_v)
        cover(&tone, 0.7 * tone, 0.4 * exp(-2500.0 * crease * crease));
    const double nostril_u = fabs(u) - 0.55 * p->nose_width, nostril_v = v - p->nose_v + 0.035;
    cover(&tone, 0.15,
          0.8 * exp(-0.5 * (nostril_u * nostril_u / 0.0009 + nostril_v * nostril_v / 0.0002)));
    return tone;
}

/* The line above which hair begins falls from the middle to the temples; behind them it goes down
 * to where it ends, but for the ears of those whose hair is short. */
static double hair_share(const person *p, double lon, double v)
{
    const double wave = 0.06 * noise_fractal(p->seed + 9, 3.0 * lon, 3.0 * v, 3);
    const double off = lon - p->parting, turn = fabs(lon);
    const double above = v - p->hairline - wave + 0.1 * off * off;
    const double beside = turn - p->temple - wave, end = v - p->hair_end - wave;
    const double a = (turn - EAR_LON) / 0.18, b = (v - EAR_V) / 0.17;
    const double ear = p->hair_end > -0.3 ? inside(0.15 * (1.0 - a * a - b * b)) : 0.0;
    const double behind = noise_step(-0.02, 0.05, beside) * noise_step(-0.02, 0.05, end);
    const double crown = noise_step(-0.02, 0.05, above);
    return (crown > behind ? crown : behind) * (1.0 - ear);
}

double face_tone(const person *p, const expression *e, double lon, double lat)
{
    const double u = cos(lat) * sin(lon), v = sin(lat), side = fabs(u);
    double tone = skin_at(p, u, v, lon);
    if (cos(lon) > 0.0) {
        const double chin = noise_step(-0.35, -0.5, v) * noise_step(1.35, 1.1, fabs(lon));
        const double stubble = noise_perlin(p->seed + 5, 30.0 * lon, 30.0 * v);
        cover(&tone, p->hair_tone, p->beard * chin * (0.8 + 0.3 * stubble));
        paint_mouth(p, e, u, v, &tone);
        paint_eye(p, e, side, v, &tone);
        paint_brow(p, e, side, v, &tone);
        paint_glasses(p, side, v, &tone);
    }
    const double strand = noise_perlin(p->seed + 6, 16.0 * lon, 2.5 * v);
    cover(&tone, p->hair_tone * (1.0 + p->strands * strand) + 0.03 * strand, hair_share(p, lon, v));
    return tone;
}
