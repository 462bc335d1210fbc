/* noise.c - hashing of lattice points, gradient noise and its sums, Worley's cells. */
#include "synth/noise.h"

#include <math.h>

#define DIRECTIONS 16
#define D1         0.92387953251128674 /* cos(pi/8) */
#define D2         0.70710678118654752 /* cos(pi/4) */
#define D3         0.38268343236508977 /* cos(3 pi/8) */

/* Unit vectors, every 22.5 degrees. */
static const double direction[DIRECTIONS][2] = {
    {1.0, 0.0},  {D1, D3},   {D2, D2},   {D3, D1},   {0.0, 1.0},  {-D3, D1}, {-D2, D2}, {-D1, D3},
    {-1.0, 0.0}, {-D1, -D3}, {-D2, -D2}, {-D3, -D1}, {0.0, -1.0}, {D3, -D1}, {D2, -D2}, {D1, -D3}};

/* ---- hashing -------------------------------------------------------------------------------- */

/* One round is enough for what is looked at. */
static uint64_t hash(uint64_t seed, int64_t i, int64_t j)
{
    uint64_t z = seed ^ ((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)) ^
                 ((uint64_t)j * UINT64_C(0xc2b2ae3d27d4eb4f));
    z = (z ^ (z >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 32);
}

double noise_at(uint64_t seed, int64_t i, int64_t j)
{
    return (double)(hash(seed, i, j) & 0xffffffff) * 0x1p-32;
}

int64_t noise_floor(double x)
{
    const int64_t i = (int64_t)x;
    return i - ((double)i > x);
}

/* ---- gradient noise ------------------------------------------------------------------------- */

/* The slope at a lattice point, times the way from it. */
static double slope(uint64_t seed, int64_t i, int64_t j, double dx, double dy)
{
    const double *d = direction[hash(seed, i, j) % DIRECTIONS];
    return d[0] * dx + d[1] * dy;
}

/* 6 t^5 - 15 t^4 + 10 t^3: first and second derivative vanish at both ends. */
static double fade(double t)
{
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0);
}

double noise_mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

double noise_perlin(uint64_t seed, double x, double y)
{
    const int64_t i = noise_floor(x), j = noise_floor(y);
    const double dx = x - (double)i, dy = y - (double)j, u = fade(dx);
    const double low = noise_mix(slope(seed, i, j, dx, dy), slope(seed, i + 1, j, dx - 1.0, dy), u);
    const double high = noise_mix(slope(seed, i, j + 1, dx, dy - 1.0),
                                  slope(seed, i + 1, j + 1, dx - 1.0, dy - 1.0), u);
    return 1.414 * noise_mix(low, high, fade(dy));
}

/* The sum of octaves: of the noise, or of what makes ridges of it. */
static double octave_sum(uint64_t seed, double x, double y, int octaves, int ridged)
{
    double sum = 0.0, weight = 0.5;
    for (int k = 0; k < octaves; k++) {
        const double noise = noise_perlin(seed + (uint64_t)k, x, y);
        sum += weight * (ridged ? 1.0 - 2.5 * fabs(noise) : noise);
        x *= 2.0;
        y *= 2.0;
        weight *= 0.5;
    }
    return sum;
}

double noise_fractal(uint64_t seed, double x, double y, int octaves)
{
    return 1.5 * octave_sum(seed, x, y, octaves, 0);
}

double noise_ridged(uint64_t seed, double x, double y, int octaves)
{
    return octave_sum(seed, x, y, octaves, 1);
}

/* ---- cells ---------------------------------------------------------------------------------- */

noise_cell noise_cells(uint64_t seed, double x, double y, double jitter)
{
    const int64_t i = noise_floor(x), j = noise_floor(y);
    double near = HUGE_VAL, next = HUGE_VAL;
    noise_cell cell = {0};
    for (int64_t b = j - 1; b <= j + 1; b++)
        for (int64_t a = i - 1; a <= i + 1; a++) {
            const uint64_t h = hash(seed, a, b);
            const double px = (double)(h & 0xfffff) * 0x1p-20 - 0.5;
            const double py = (double)(h >> 20 & 0xfffff) * 0x1p-20 - 0.5;
            const double dx = x - ((double)a + 0.5 + jitter * px);
            const double dy = y - ((double)b + 0.5 + jitter * py);
            const double d2 = dx * dx + dy * dy;
            if (d2 < near) {
                next = near;
                near = d2;
                cell.x = dx;
                cell.y = dy;
                cell.id = (double)(h >> 40) * 0x1p-24;
            } else if (d2 < next) {
                next = d2;
            }
        }
    cell.near = sqrt(near);
    cell.next = sqrt(next);
    return cell;
}

double noise_step(double low, double high, double x)
{
    const double t = (x - low) / (high - low);
    if (t <= 0.0)
        return 0.0;
    return t < 1.0 ? t * t * (3.0 - 2.0 * t) : 1.0;
}
