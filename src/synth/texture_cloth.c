/* texture_cloth.c - patterns of threads: periodic, with jitter. */
#include <math.h>

#include "synth/noise.h"
#include "synth/texture.h"

#define PI 3.14159265358979323846

/* The way within a cell of the lattice, [0, 1). */
static double within(double x)
{
    return x - (double)noise_floor(x);
}

/* Threads are never quite straight. */
static void pull(const piece *p, double amount, double *x, double *y)
{
    const double dx = noise_fractal(p->seed + 101, 0.7 * *x, 0.7 * *y, 2);
    const double dy = noise_fractal(p->seed + 102, 0.7 * *x, 0.7 * *y, 2);
    *x += amount * dx;
    *y += amount * dy;
}

/* Basket weave: strands one unit wide go over and under each other in turn. */
spot pattern_weave(const piece *p, double x, double y)
{
    pull(p, 0.12, &x, &y);
    const int64_t i = noise_floor(x), j = noise_floor(y);
    const int upright = (int)((i + j) & 1);
    const double along = upright ? within(y) : within(x), across = upright ? within(x) : within(y);
    const double width = 0.06 + 0.1 * p->knob[0];
    const double round = sin(PI * across), lift = sin(PI * along);
    const double strand = noise_step(0.0, width, across) * noise_step(0.0, width, 1.0 - across);
    const double fibre = upright ? noise_perlin(p->seed + 1, 14.0 * x, 1.5 * y)
                                 : noise_perlin(p->seed + 2, 1.5 * x, 14.0 * y);
    const double dyed = upright ? noise_at(p->seed + 3, i, 0) : noise_at(p->seed + 3, 0, j);
    return (spot){.height =
                      strand * (0.15 + 0.35 * sqrt(round) * (0.35 + 0.65 * lift)) + 0.02 * fibre,
                  .tone = strand * (0.3 + 0.2 * dyed + 0.35 * lift * round + 0.16 * fibre),
                  .accent = upright ? p->knob[1] * 0.5 : 0.0};
}

/* Bands of a tartan along one direction: broad ones and thin lines, four units to a repeat. */
static double bands(const piece *p, double u)
{
    const double t = within(0.25 * u), wide = 0.3 + 0.25 * p->knob[0];
    const double broad = noise_step(0.05, 0.07, t) * (1.0 - noise_step(wide, wide + 0.02, t));
    const double inner = noise_step(0.75, 0.77, t) * (1.0 - noise_step(0.83, 0.85, t));
    return broad + 0.6 * inner;
}

static double line(double u, double at)
{
    const double t = within(0.25 * u);
    return noise_step(at, at + 0.01, t) * (1.0 - noise_step(at + 0.03, at + 0.04, t));
}

/* Tartan: the same bands both ways, mixed by the diagonal ribs of a twill. */
spot pattern_plaid(const piece *p, double x, double y)
{
    pull(p, 0.1, &x, &y);
    const double rib = 0.5 + 0.5 * sin(2.0 * PI * 5.0 * (x + y));
    const double fibre = noise_perlin(p->seed + 1, 12.0 * x, 12.0 * y);
    const double at = 0.6 + 0.08 * p->knob[1];
    return (spot){.tone = 0.2 + 0.6 * noise_mix(bands(p, x), bands(p, y), rib) + 0.1 * fibre,
                  .accent = noise_mix(line(x, at), line(y, at), 0.3 + 0.4 * rib),
                  .height = 0.025 * rib + 0.01 * fibre};
}

/* Stockinette: columns of V, each stitch two slanting legs of yarn. */
spot pattern_knit(const piece *p, double x, double y)
{
    pull(p, 0.15, &x, &y);
    const int64_t column = noise_floor(x);
    const double u = within(x) - 0.5, leg = fabs(u), slant = 1.0 + 0.6 * p->knob[0];
    const double v = 1.25 * y + slant * leg;
    const int64_t row = noise_floor(v);
    const double round = sin(2.0 * PI * leg) * sqrt(sin(PI * within(v)));
    const double fibre = noise_perlin(p->seed + 1, 9.0 * (x + (u > 0.0 ? y : -y)), 3.0 * y);
    const double stripe = noise_step(0.72, 0.75, noise_at(p->seed + 3, row / 6, 0)) * p->knob[1];
    return (spot){.height = 0.45 * round + 0.03 * fibre,
                  .tone =
                      0.1 + 0.6 * round + 0.13 * fibre + 0.08 * noise_at(p->seed + 2, column, row),
                  .accent = stripe};
}

/* Ribs one unit wide with a pile across them, worn here and there. */
spot pattern_corduroy(const piece *p, double x, double y)
{
    x += 0.5 * noise_fractal(p->seed + 101, 0.15 * x, 0.1 * y, 2);
    const double rib = fabs(sin(PI * x)), valley = noise_step(0.05, 0.5 + 0.3 * p->knob[0], rib);
    const double pile = noise_perlin(p->seed + 1, 6.0 * x, 9.0 * y);
    const double fine = noise_perlin(p->seed + 2, 16.0 * x, 18.0 * y);
    const double worn = noise_fractal(p->seed + 3, 0.25 * x, 0.25 * y, 3);
    return (spot){.height = 0.3 * valley + 0.05 * valley * pile,
                  .tone = 0.12 + 0.5 * valley + 0.14 * valley * pile + 0.08 * fine + 0.2 * worn,
                  .accent = noise_step(0.1, 0.7, worn) * 0.5 * p->knob[1]};
}

/* Tufts, some of another colour, with footprints of light and dark. */
spot pattern_carpet(const piece *p, double x, double y)
{
    const noise_cell tuft = noise_cells(p->seed, x, y, 0.9);
    const double dome = 1.0 - noise_step(0.1, 0.75, tuft.near);
    const double fibre = noise_perlin(p->seed + 1, 3.5 * x, 3.5 * y);
    const double trodden = noise_fractal(p->seed + 2, 0.12 * x, 0.12 * y, 3);
    const double share = 0.05 + 0.4 * p->knob[0];
    return (spot){.height = 0.35 * dome + 0.2 * fibre,
                  .tone = 0.2 + 0.32 * dome + 0.25 * (tuft.id - 0.5) + 0.25 * fibre + 0.3 * trodden,
                  .accent = tuft.id * 7.0 - (double)noise_floor(tuft.id * 7.0) < share ? 0.8 : 0.0};
}

/* A twill of dyed warp and white weft; every thread has its own thickness. */
spot pattern_denim(const piece *p, double x, double y)
{
    pull(p, 0.2, &x, &y);
    const double warp = x + 0.25 * noise_perlin(p->seed + 1, 2.0 * x, 0.2 * y);
    const int64_t thread = noise_floor(warp);
    const double shift = within(0.333 * (y + (double)thread)); /* the twill's diagonal */
    const double over = noise_step(0.0, 0.15, shift) * (1.0 - noise_step(0.62, 0.8, shift));
    const double round = sin(PI * within(warp)) * (0.5 + 0.5 * over);
    const double slub = noise_perlin(p->seed + 2, 1.0 * x, 0.12 * y);
    const double worn = noise_fractal(p->seed + 3, 0.08 * x, 0.08 * y, 4);
    return (spot){.height = 0.3 * round,
                  .tone = 0.15 + 0.4 * round + 0.2 * noise_at(p->seed + 4, thread, 0) +
                          0.12 * slub + 0.3 * worn,
                  .accent = (1.0 - over) * (0.5 + 0.4 * p->knob[0])};
}
