/* texture_stone.c - patterns of stone, from bricks to sand. */
#include <math.h>

#include "synth/noise.h"
#include "synth/texture.h"

#define PI 3.14159265358979323846

/* A number in [0, 1) from another one: further properties of a cell. */
static double again(double id, double times)
{
    const double t = id * times;
    return t - (double)noise_floor(t);
}

/* Running bond: rows one unit high, each shifted by half a brick, with mortar between. */
spot pattern_brick(const piece *p, double x, double y)
{
    const double rough = noise_fractal(p->seed + 1, 3.0 * x, 3.0 * y, 4);
    const double length = 2.0 + 0.8 * p->knob[0], joint = 0.05 + 0.05 * p->knob[1];
    y += 0.05 * noise_perlin(p->seed + 2, 0.8 * x, 0.8 * y);
    const int64_t row = noise_floor(y);
    const double u = (x + 0.06 * noise_at(p->seed + 3, 0, row)) / length + 0.5 * (double)(row & 1);
    const int64_t column = noise_floor(u);
    const double dx = length * (0.5 - fabs(u - (double)column - 0.5));
    const double dy = 0.5 - fabs(y - (double)row - 0.5);
    const double brick = noise_step(joint, joint + 0.05, (dx < dy ? dx : dy) + 0.05 * rough);
    const double fired = noise_at(p->seed + 4, column, row);
    return (spot){.height = brick * (0.18 + 0.03 * fired) + 0.04 * rough,
                  .tone = 0.25 + 0.5 * fired + 0.3 * rough,
                  .accent = 1.0 - brick};
}

/* Pebbles of two sizes. */
spot pattern_gravel(const piece *p, double x, double y)
{
    const double dx = 0.3 * noise_perlin(p->seed + 1, 1.3 * x, 1.3 * y);
    const noise_cell large = noise_cells(p->seed + 2, x + dx, y - dx, 0.95);
    const noise_cell small = noise_cells(p->seed + 3, 2.2 * x, 2.2 * y + dx, 0.95);
    const int top = again(large.id, 13.0) < 0.4 + 0.4 * p->knob[0];
    const noise_cell *c = top ? &large : &small;
    const double gap = c->next - c->near, dome = noise_step(0.02, 0.45, gap);
    const double rough = noise_fractal(p->seed + 4, 5.0 * x, 5.0 * y, 3);
    return (spot){.height = (top ? 0.6 : 0.3) * sqrt(dome) + 0.02 * rough,
                  .tone =
                      noise_step(0.0, 0.2, gap) * (0.2 + 0.6 * again(c->id, 5.0) + 0.25 * rough),
                  .accent = again(c->id, 29.0) < 0.35 ? 0.7 : 0.0};
}

/* One set of veins: where a warped coordinate passes through whole numbers. */
static double veins(uint64_t seed, double x, double y, double bend, double sharp)
{
    const double t = x + bend * noise_fractal(seed, x, y, 5);
    return pow(fabs(cos(PI * t)), sharp);
}

spot pattern_marble(const piece *p, double x, double y)
{
    const double cloud = noise_fractal(p->seed + 1, 0.6 * x, 0.6 * y, 5);
    const double bend = 1.0 + 1.2 * p->knob[0];
    const double broad = veins(p->seed + 2, 0.5 * x + 0.2 * y, 0.5 * y, bend, 6.0);
    const double thin = veins(p->seed + 8, 0.9 * y - 0.4 * x, 0.8 * x, 1.6 * bend, 25.0);
    return (spot){.height = 0.0,
                  .tone = 0.78 + 0.35 * cloud - 0.45 * broad - 0.4 * thin * (0.3 + p->knob[1]),
                  .accent = 0.5 * broad * noise_step(-0.2, 0.4, cloud)};
}

/* Crystals of three minerals, the grains of each with a tone of its own. */
spot pattern_granite(const piece *p, double x, double y)
{
    const double dx = 0.4 * noise_perlin(p->seed + 1, 1.5 * x, 1.5 * y);
    const noise_cell c = noise_cells(p->seed + 2, x + dx, y + dx, 1.0);
    const noise_cell fine = noise_cells(p->seed + 3, 2.7 * x, 2.7 * y - dx, 1.0);
    const double mica = 0.15 + 0.2 * p->knob[0], spar = 0.3 + 0.3 * p->knob[1];
    const double kind = 0.7 * c.id + 0.3 * fine.id;
    return (spot){.height = 0.02 * fine.id,
                  .tone = kind < mica ? 0.05 + 0.2 * fine.id
                                      : 0.45 + 0.35 * again(c.id, 7.0) + 0.2 * fine.id,
                  .accent = again(c.id, 17.0) < spar && kind >= mica ? 0.75 : 0.0};
}

/* Slabs of dry, split ground: wide cracks about large pieces, fine ones within. */
spot pattern_stone(const piece *p, double x, double y)
{
    const double bend = 0.25 + 0.2 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 1, x, y, 4);
    const double v = y + bend * noise_fractal(p->seed + 2, x, y, 4);
    const noise_cell slab = noise_cells(p->seed + 3, 0.8 * u, 0.8 * v, 0.95);
    const noise_cell chip = noise_cells(p->seed + 4, 2.1 * u, 2.1 * v, 0.95);
    const double wide = noise_step(0.02, 0.11, slab.next - slab.near);
    const double fine = noise_step(0.0, 0.07, chip.next - chip.near);
    const double rough = noise_fractal(p->seed + 5, 3.0 * x, 3.0 * y, 5);
    const double cracked = again(slab.id, 11.0) < 0.3 + 0.5 * p->knob[1] ? fine : 1.0;
    return (spot){.height =
                      0.25 * wide + 0.08 * cracked + 0.1 * rough + 0.15 * slab.x * (slab.id - 0.5),
                  .tone = wide * (0.35 + 0.15 * cracked + 0.25 * (slab.id - 0.5) + 0.4 * rough),
                  .accent = 0.6 * noise_step(0.1, 0.6, rough + 0.4 * slab.id)};
}

/* Grains on the ripples that wind leaves. */
spot pattern_sand(const piece *p, double x, double y)
{
    const double drift = noise_fractal(p->seed + 1, 0.5 * x, 0.5 * y, 4);
    const double ripple = sin(2.0 * PI * (y + (0.6 + 0.8 * p->knob[0]) * drift));
    const double grain = noise_perlin(p->seed + 2, 11.0 * x, 11.0 * y);
    const double coarse = noise_perlin(p->seed + 3, 5.0 * x, 5.0 * y);
    const noise_cell dark = noise_cells(p->seed + 4, 3.0 * x, 3.0 * y, 1.0);
    const double speck = dark.id < 0.25 && dark.near < 0.2 ? 1.0 : 0.0;
    return (spot){.height = (0.03 + 0.06 * p->knob[1]) * ripple + 0.012 * grain + 0.02 * coarse +
                            0.05 * drift,
                  .tone = 0.55 + 0.1 * ripple + 0.2 * grain + 0.14 * coarse - 0.35 * speck,
                  .accent = 0.4 * noise_step(0.2, 0.8, grain)};
}
