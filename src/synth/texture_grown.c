/* texture_grown.c - patterns of what has grown: bark, wood, fur, skin. */
#include <math.h>

#include "synth/noise.h"
#include "synth/texture.h"

/* Furrows along y, torn by slow noise, between scaly plates; moss in places. */
spot pattern_bark(const piece *p, double x, double y)
{
    const double bend = 0.35 + 0.3 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 1, 0.8 * x, 0.4 * y, 4);
    const double ridge = noise_ridged(p->seed + 2, 1.3 * u, 0.32 * y, 4);
    const double plate = noise_ridged(p->seed + 3, 0.7 * u, 1.1 * y, 3);
    const double fine = noise_fractal(p->seed + 4, 5.0 * u, 2.0 * y, 3);
    const double high = noise_step(-0.3, 0.75, ridge + 0.2 * plate);
    return (spot){.height = 0.45 * high + 0.07 * fine,
                  .tone = 0.08 + 0.6 * high + 0.25 * fine + 0.1 * plate,
                  .accent = p->knob[1] *
                            noise_step(0.15, 0.5, noise_fractal(p->seed + 5, 0.5 * x, 0.5 * y, 4))};
}

/* Rings cut along the trunk, which flow around knots, and pores along the grain. */
spot pattern_wood(const piece *p, double x, double y)
{
    const noise_cell knot = noise_cells(p->seed + 1, 0.22 * x, 0.1 * y, 0.9);
    const double swell = knot.id < 0.35 ? exp(-18.0 * knot.near * knot.near) : 0.0;
    const double bend = 0.6 + 0.8 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 2, 0.5 * x, 0.09 * y, 3) + 2.2 * swell;
    const double ring = u - (double)noise_floor(u);
    const double late = noise_step(0.15, 0.85, ring) * (1.0 - noise_step(0.93, 1.0, ring));
    const double pore = noise_perlin(p->seed + 3, 16.0 * x, 0.9 * y);
    const double fibre = noise_perlin(p->seed + 4, 7.0 * u, 0.3 * y);
    return (spot){
        .height = 0.02 * late - 0.03 * noise_step(0.3, 0.6, pore),
        .tone = 0.75 - 0.4 * late + 0.14 * fibre - 0.22 * noise_step(0.25, 0.6, pore) - 0.3 * swell,
        .accent = 0.4 * noise_step(-0.2, 0.7, noise_perlin(p->seed + 5, 0.4 * x, 0.08 * y))};
}

/* Hairs along a direction that drifts, in tufts; dark at the roots. */
spot pattern_fur(const piece *p, double x, double y)
{
    const double bend = 0.4 + 0.5 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 1, 0.35 * x, 0.35 * y, 3);
    const double v = y + bend * noise_fractal(p->seed + 2, 0.35 * x, 0.35 * y, 2);
    const double hair = noise_perlin(p->seed + 3, 12.0 * u, 1.1 * v);
    const double fine = noise_perlin(p->seed + 4, 20.0 * u, 1.8 * v);
    const double tuft = noise_fractal(p->seed + 5, 2.2 * u, 0.5 * v, 3);
    const double spots = noise_fractal(p->seed + 6, 0.45 * x, 0.45 * y, 2);
    return (spot){.height = 0.05 * hair + 0.025 * fine + 0.2 * tuft,
                  .tone = 0.45 + 0.3 * hair + 0.18 * fine + 0.4 * tuft,
                  .accent = p->knob[1] * noise_step(0.05, 0.25, spots)};
}

/* Pebbled grain: cells with creases between, folds, pores. */
spot pattern_leather(const piece *p, double x, double y)
{
    const double dx = 0.35 * noise_perlin(p->seed + 1, 0.9 * x, 0.9 * y);
    const double dy = 0.35 * noise_perlin(p->seed + 2, 0.9 * x, 0.9 * y);
    const noise_cell cell = noise_cells(p->seed + 3, x + dx, y + dy, 0.85);
    const double crease = noise_step(0.0, 0.25 + 0.3 * p->knob[0], cell.next - cell.near);
    const double fold = noise_ridged(p->seed + 4, 0.22 * x, 0.22 * y, 3);
    const double fine = noise_fractal(p->seed + 5, 4.0 * x, 4.0 * y, 2);
    return (spot){.height =
                      0.16 * crease - 0.3 * noise_step(0.5, 0.9, fold) * p->knob[1] + 0.015 * fine,
                  .tone = 0.3 + 0.24 * crease + 0.12 * (cell.id - 0.5) + 0.1 * fine - 0.1 * fold,
                  .accent = 0.5 * noise_step(0.2, 0.9, fold)};
}
