/* face_person.c - people at random, and the shape of their heads: Gaussian bumps on an ellipsoid.
 */
#include <math.h>

#include "synth/face.h"
#include "synth/noise.h"

#define DIVERSITY    1.2 /* how much people differ: factor of all deviations below */
#define LARGEST_DRAW 2.0 /* deviations: nobody is a caricature */

static double about(rng *r, double mean, double deviation)
{
    double z;
    do
        z = rng_normal(r);
    while (fabs(z) > LARGEST_DRAW);
    return mean + DIVERSITY * deviation * z;
}

static void draw_features(rng *r, person *p)
{
    p->eye_apart = about(r, 0.37, 0.025);
    p->eye_v = about(r, 0.06, 0.025);
    p->eye_width = about(r, 0.155, 0.014);
    p->eye_height = about(r, 0.06, 0.009);
    p->eye_tilt = about(r, 0.0, 0.08);
    p->socket = about(r, 0.06, 0.015);
    p->iris_tone = about(r, 0.18, 0.07);
    p->brow_v = about(r, 0.17, 0.02);
    p->brow_width = about(r, 0.22, 0.02);
    p->brow_thick = about(r, 0.034, 0.009);
    p->brow_tilt = about(r, 0.05, 0.1);
    p->brow_dark = about(r, 0.55, 0.17);
    p->nose_width = about(r, 0.12, 0.016);
    p->nose_v = about(r, -0.24, 0.03);
    p->nose_height = about(r, 0.17, 0.03);
    p->bridge = about(r, 0.07, 0.02);
    p->mouth_v = about(r, -0.53, 0.03);
    p->mouth_width = about(r, 0.25, 0.028);
    p->lip = about(r, 0.055, 0.012);
    p->lip_tone = about(r, 0.66, 0.08);
}

void face_draw(rng *r, person *p)
{
    p->seed = rng_next(r);
    p->half_width = about(r, 0.70, 0.03);
    p->half_height = about(r, 0.94, 0.03);
    p->half_depth = about(r, 0.86, 0.03);
    p->jaw = about(r, 0.22, 0.07);
    p->cheek = about(r, 0.03, 0.012);
    p->chin = about(r, 0.04, 0.015);
    draw_features(r, p);
    p->hairline = about(r, 0.60, 0.08);
    p->temple = about(r, 1.22, 0.12);
    p->hair_end = about(r, -0.15, 0.3);
    p->parting = about(r, 0.0, 0.25);
    p->hair_tone = about(r, 0.32, 0.13);
    p->hair_volume = about(r, 0.07, 0.025);
    p->skin_tone = about(r, 0.66, 0.08);
    p->blotches = about(r, 0.075, 0.03);
    p->blotch_size = about(r, 0.25, 0.08);
    p->strands = about(r, 0.45, 0.2);
    p->beard = rng_uniform(r) < 0.2 ? about(r, 0.35, 0.12) : 0.0;
    p->glasses = rng_uniform(r) < 0.12 ? about(r, 0.6, 0.1) : 0.0;
}

/* ---- shape ---------------------------------------------------------------------------------- */

/* A bump of height 1 and these deviations. */
static double bump(double x, double y, double width, double height)
{
    const double a = x / width, b = y / height;
    return exp(-0.5 * (a * a + b * b));
}

/* The bridge between the eyes widens to the tip and its wings. */
static double nose(const person *p, double u, double v)
{
    const double length = p->eye_v - p->nose_v, t = (p->eye_v - v) / length;
    if (t < -0.6 || t > 1.6)
        return 0.0;
    const double along = t < 1.0 ? (t > 0.0 ? t : 0.0) : 1.0;
    const double ridge = p->bridge + (p->nose_height - p->bridge) * along;
    const double end = t > 1.0 ? bump(t - 1.0, 0.0, 0.16, 1.0) : 1.0;
    const double start = t < 0.0 ? bump(t, 0.0, 0.3, 1.0) : 1.0;
    const double width = (0.42 + 0.2 * along) * p->nose_width;
    const double wings =
        bump(fabs(u) - 0.75 * p->nose_width, v - p->nose_v - 0.01, 0.4 * p->nose_width, 0.05);
    return ridge * start * end * bump(u, 0.0, width, 1.0) + 0.3 * p->nose_height * wings;
}

static double lips(const person *p, const expression *e, double u, double v)
{
    const double width = p->mouth_width * (1.0 + e->wide), x = u / width;
    const double middle = p->mouth_v + e->smile * x * x;
    const double parted = p->lip + e->open;
    return 0.25 * p->lip * bump(x, 0.0, 0.7, 1.0) *
           (bump(0.0, v - middle - 0.6 * parted, 1.0, 0.5 * p->lip) +
            bump(0.0, v - middle + 0.7 * parted, 1.0, 0.6 * p->lip));
}

/* Hair stands out above the line of the forehead and behind the temples, down to where it ends. */
static double hair(const person *p, double turn, double v)
{
    const double crown = noise_step(p->hairline, p->hairline + 0.2, v);
    const double side = noise_step(p->temple, p->temple + 0.3, turn) *
                        noise_step(p->hair_end - 0.05, p->hair_end + 0.15, v);
    return p->hair_volume * (crown > side ? crown : side);
}

double face_height(const person *p, const expression *e, double lon, double lat)
{
    const double u = cos(lat) * sin(lon), v = sin(lat), side = fabs(u), turn = fabs(lon);
    const double front = noise_step(0.0, 0.3, cos(lon));
    const double h = 0.1 * bump(turn - EAR_LON, v - EAR_V, 0.09, 0.12) + hair(p, turn, v);
    if (front == 0.0)
        return h;
    double face = nose(p, u, v) + lips(p, e, u, v);
    face -= p->socket * bump(side - p->eye_apart, v - p->eye_v, 0.16, 0.09);
    face += 0.6 * p->socket * bump(side - p->eye_apart, v - p->eye_v - p->brow_v, 0.2, 0.06);
    face += (p->cheek + 0.4 * e->smile) * bump(side - 0.45, v + 0.25, 0.17, 0.14);
    face += p->chin * bump(u, v + 0.82, 0.18, 0.1);
    return h + front * face;
}
