/* texture_layers.c - patterns of things over each other (leaves, blades) and of what shines. */
#include <math.h>

#include "synth/noise.h"
#include "synth/texture.h"

#define PI     3.14159265358979323846
#define LAYERS 6

/* ---- leaves --------------------------------------------------------------------------------- */

/* A leaf seen at (x, y) from its middle; along and across are in units of its length. */
static int leaf_at(const piece *p, int64_t i, int64_t j, double x, double y, spot *s)
{
    const double turn = 2.0 * PI * noise_at(p->seed + 11, i, j);
    const double length = 0.7 + 0.5 * noise_at(p->seed + 12, i, j);
    const double c = cos(turn), d = sin(turn);
    const double along = (c * x + d * y) / length, across = (c * y - d * x) / length;
    const double width = (0.35 + 0.25 * p->knob[0]) * (1.0 - along * along) * (1.0 - 0.3 * along);
    if (fabs(along) >= 1.0 || fabs(across) >= width)
        return 0;
    const double side = fabs(across), vein = fabs(sin(PI * 4.0 * (along + 1.3 * side)));
    const double rib = 1.0 - noise_step(0.01, 0.04, side);
    const double edge = noise_step(0.0, 0.12, width - side);
    s->height = 0.25 * edge * (1.0 - 0.5 * side) - 0.06 * rib + 0.03 * vein;
    s->tone = 0.3 + 0.35 * noise_at(p->seed + 13, i, j) + 0.1 * vein + 0.25 * rib;
    s->accent = noise_at(p->seed + 14, i, j) < 0.5 * p->knob[1] ? 0.7 : 0.0;
    return 1;
}

/* The topmost leaf of those that reach here; leaves are dealt out over the lattice in layers. */
spot pattern_foliage(const piece *p, double x, double y)
{
    spot s = {0.02, -0.3, 0.0}, seen;
    double top = -1.0;
    for (int layer = 0; layer < 2; layer++) {
        const piece own = {p->seed + 64 * (uint64_t)layer, {p->knob[0], p->knob[1], p->knob[2]}};
        const double u = x + 0.5 * layer, v = y + 0.5 * layer;
        const int64_t i = noise_floor(u), j = noise_floor(v);
        for (int64_t b = j - 1; b <= j + 1; b++)
            for (int64_t a = i - 1; a <= i + 1; a++) {
                const double depth = noise_at(own.seed + 15, a, b);
                if (depth <= top ||
                    !leaf_at(&own, a, b, u - (double)a - 0.5, v - (double)b - 0.5, &seen))
                    continue;
                top = depth;
                s = seen;
                s.tone *= 0.45 + 0.55 * depth; /* what lies below lies in the shade */
                s.height += 0.5 * depth;
            }
    }
    s.tone += 0.1 * noise_perlin(p->seed + 1, 9.0 * x, 9.0 * y);
    return s;
}

/* ---- blades --------------------------------------------------------------------------------- */

/* Blades of one layer lean the same way, more or less; each is a lens with its tip up. */
static int blade_at(const piece *p, int layer, double x, double y, spot *s)
{
    const uint64_t seed = p->seed + 32 * (uint64_t)layer;
    const double lean = (noise_at(seed + 1, 0, 0) - 0.5) * (0.6 + 1.2 * p->knob[0]);
    const double curve = 0.25 * noise_perlin(seed + 2, 0.5 * x, 0.5 * y);
    const double u = 3.2 * (x + lean * y + curve);
    const int64_t i = noise_floor(u);
    const double v = 0.45 * y + noise_at(seed + 3, i, 0);
    const int64_t j = noise_floor(v);
    const double down = v - (double)j, off = fabs(u - (double)i - 0.5);
    const double width = 0.48 * sqrt(down) * noise_step(0.0, 0.25, 1.0 - down);
    if (noise_at(seed + 4, i, j) > 0.6 || off > width)
        return 0;
    const double round = 1.0 - off / width;
    s->height = 0.1 * layer + 0.1 * sqrt(round);
    s->tone = (0.35 + 0.1 * layer) * (0.35 + 0.3 * round + 0.5 * noise_at(seed + 5, i, j));
    s->accent = noise_at(seed + 6, i, j) < 0.3 * p->knob[1] ? 0.8 : 0.1;
    return 1;
}

spot pattern_grass(const piece *p, double x, double y)
{
    spot s = {0.05, 0.0, 0.3};
    for (int layer = LAYERS - 1; layer >= 0; layer--)
        if (blade_at(p, layer, x, y, &s))
            break;
    s.tone += 0.08 * noise_perlin(p->seed + 1, 12.0 * x, 5.0 * y);
    return s;
}

/* ---- what shines ---------------------------------------------------------------------------- */

/* Waves of several directions, bent by slow noise; crests catch the sky. */
spot pattern_water(const piece *p, double x, double y)
{
    double height = 0.0, weight = 0.5;
    const double u = x + 0.8 * noise_perlin(p->seed + 1, 0.4 * x, 0.4 * y);
    const double v = y + 0.8 * noise_perlin(p->seed + 2, 0.4 * x, 0.4 * y);
    const double wind = 0.5 * p->knob[0];
    for (int k = 0; k < 5; k++, weight *= 0.62) {
        const double turn = 1.57 + (noise_at(p->seed + 3, k, 0) - 0.5) * (0.8 + 2.0 * wind);
        const double pace = (0.6 + 0.35 * k) * (cos(turn) * u + sin(turn) * v);
        height += weight * sin(2.0 * PI * (pace + noise_at(p->seed + 4, k, 0)));
    }
    height += 0.35 * noise_ridged(p->seed + 5, 0.9 * u, 1.8 * v, 3);
    return (spot){.height = (0.12 + 0.12 * p->knob[1]) * height,
                  .tone = 0.35 + 0.22 * height,
                  .accent = noise_step(0.75, 1.5, height)};
}

/* Scratches along x of all lengths, in the broad reflections of a room. */
spot pattern_metal(const piece *p, double x, double y)
{
    const double fine = noise_perlin(p->seed + 1, 0.35 * x, 20.0 * y);
    const double broad = noise_perlin(p->seed + 2, 0.2 * x, 7.0 * y);
    const double room = noise_fractal(p->seed + 3, 0.1 * x, 0.35 * y, 3);
    const double bent = y + 0.3 * noise_perlin(p->seed + 4, 0.2 * x, 0.2 * y);
    const double scratch = noise_perlin(p->seed + 5, 0.25 * x, 11.0 * bent);
    return (spot){.height = 0.01 * fine + 0.01 * broad,
                  .tone = 0.55 + 0.22 * fine + 0.16 * broad + 0.45 * room +
                          (0.15 + 0.3 * p->knob[0]) * noise_step(0.45, 0.8, scratch),
                  .accent = p->knob[1] * noise_step(0.0, 0.6, room)};
}
