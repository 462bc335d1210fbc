/* rng.c - xoshiro256** seeded by splitmix64; normal numbers by Marsaglia's polar method. */
#include "base/rng.h"

#include <math.h>

#define STEP UINT64_C(0x9e3779b97f4a7c15) /* of splitmix64 */

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* The number that splitmix64 makes of the state z: every bit depends on every bit. */
static uint64_t scramble(uint64_t z)
{
    z += STEP;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_seed(rng *r, uint64_t seed)
{
    for (uint64_t i = 0; i < 4; i++)
        r->state[i] = scramble(seed + i * STEP);
}

uint64_t rng_key(uint64_t seed, uint64_t a, uint64_t b)
{
    return scramble(scramble(scramble(seed) + a) + b);
}

uint64_t rng_next(rng *r)
{
    uint64_t *s = r->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double rng_uniform(rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

double rng_between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

double rng_normal(rng *r)
{
    double u, v, q;
    do {
        u = 2.0 * rng_uniform(r) - 1.0;
        v = 2.0 * rng_uniform(r) - 1.0;
        q = u * u + v * v;
    } while (q >= 1.0 || q <= 0.0);
    return u * sqrt(-2.0 * log(q) / q);
}

size_t rng_below(rng *r, size_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t x;
    do
        x = rng_next(r);
    while (x >= limit);
    return (size_t)(x % bound);
}

void rng_draw(rng *r, size_t count, size_t size, size_t *item)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = i + rng_below(r, size - i), other = item[j];
        item[j] = item[i];
        item[i] = other;
    }
}
