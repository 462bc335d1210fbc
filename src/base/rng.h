/* rng.h - a small, fast, seedable generator (xoshiro256**, Blackman and Vigna 2018), so that
 * equal seeds give equal numbers on every machine. */
#ifndef SPD_BASE_RNG_H
#define SPD_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state[4];
} rng;

/* Any seed is good, zero too. */
void rng_seed(rng *r, uint64_t seed);
uint64_t rng_next(rng *r);

/* A seed of its own for each (seed, a, b): streams that have nothing to do with each other, for the
 * b-th thing of purpose a, say. */
uint64_t rng_key(uint64_t seed, uint64_t a, uint64_t b);

/* In [0, 1). */
double rng_uniform(rng *r);

/* In [low, high). */
double rng_between(rng *r, double low, double high);

/* Standard normal. */
double rng_normal(rng *r);

/* In 0 .. bound-1, without bias; bound > 0. */
size_t rng_below(rng *r, size_t bound);

/* Puts `count` of the `size` items, drawn at random, in front. */
void rng_draw(rng *r, size_t count, size_t size, size_t *item);

#endif
