/* noise.h - random functions of the plane: the stuff that textures are made of.
 *
 * All are pure: a seed and a place give a number, whatever was asked before. One unit of x and y is
 * one cell of the lattice; scale the arguments for finer noise. */
#ifndef SPD_SYNTH_NOISE_H
#define SPD_SYNTH_NOISE_H

#include <stdint.h>

/* In [0, 1), for the lattice point (i, j). */
double noise_at(uint64_t seed, int64_t i, int64_t j);

/* The largest whole number <= x, for |x| < 2^62. */
int64_t noise_floor(double x);

/* Gradient noise (Perlin 1985) in about [-1, 1], 0 at the lattice points. */
double noise_perlin(uint64_t seed, double x, double y);

/* Sum of octaves, each twice as fine and half as strong, in about [-1, 1]. */
double noise_fractal(uint64_t seed, double x, double y, int octaves);

/* The same of 1 - 2 |noise|: sharp ridges, in about [-1, 1]. */
double noise_ridged(uint64_t seed, double x, double y, int octaves);

/* Cells about one random point per unit square (Worley 1996), of the nine squares about a place. */
typedef struct noise_cell {
    double near, next; /* distances to the nearest point and to the one after it */
    double x, y;       /* from the nearest point to here */
    double id;         /* of the nearest point: a number in [0, 1) */
} noise_cell;

/* jitter in [0, 1]: 0 puts the points on a square lattice. */
noise_cell noise_cells(uint64_t seed, double x, double y, double jitter);

/* 0 below low, 1 above high, smooth between. */
double noise_step(double low, double high, double x);

/* a + (b - a) t */
double noise_mix(double a, double b, double t);

#endif
