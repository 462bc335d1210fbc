/* twin_sift.h - pictures, and SIFT descriptors one after the other as they are defined. */
#ifndef SPD_TESTS_TWIN_SIFT_H
#define SPD_TESTS_TWIN_SIFT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "describe/sift.h"
#include "random_spd.h"

#define FULL_TURN 6.28318530717958647692

typedef struct picture {
    size_t width, height;
    double *grey; /* height x width */
} picture;

static picture random_picture(uint64_t seed, size_t width, size_t height)
{
    rng r;
    rng_seed(&r, seed);
    picture p = {width, height, block(width * height)};
    for (size_t e = 0; e < width * height; e++) {
        double x = (double)(e % width), y = (double)(e / width);
        p.grey[e] = 0.5 + 0.25 * sin(0.4 * x + 0.02 * y * y) + 0.2 * rng_uniform(&r);
    }
    return p;
}

static size_t clamp(long at, size_t side)
{
    return at < 0 ? 0 : at >= (long)side ? side - 1 : (size_t)at;
}

/* Central differences, one-sided at the border. */
static void gradient(const picture *p, size_t x, size_t y, double *gx, double *gy)
{
    size_t left = x ? x - 1 : 0, right = x + 1 < p->width ? x + 1 : x;
    size_t up = y ? y - 1 : 0, down = y + 1 < p->height ? y + 1 : y;
    *gx = (p->grey[y * p->width + right] - p->grey[y * p->width + left]) / (double)(right - left);
    *gy = (p->grey[down * p->width + x] - p->grey[up * p->width + x]) / (double)(down - up);
}

/* The arctangent by a cubic in each quarter turn: exact at its ends and middle only. */
static double rough_angle(double gx, double gy)
{
    double quarter = gx >= 0.0 ? 0.0 : 1.0, up = fabs(gy) + 1.1920929e-7;
    double r = gx >= 0.0 ? (gx - up) / (gx + up) : (gx + up) / (up - gx);
    double angle = FULL_TURN / 8.0 * (1.0 + 2.0 * quarter) + 0.1821 * r * r * r - 0.9675 * r;
    return gy < 0.0 ? -angle : angle;
}

/* Adds a gradient with a weight to two neighbouring orientations. */
static void vote(double gx, double gy, double weight, int rough, double *histogram)
{
    double angle = rough ? rough_angle(gx, gy) : atan2(gy, gx);
    double place = (angle < 0.0 ? angle + FULL_TURN : angle) * 8.0 / FULL_TURN;
    size_t low = (size_t)floor(place);
    double share = place - (double)low, size = weight * sqrt(gx * gx + gy * gy);
    if (gx * gx + gy * gy < 1e-8)
        return;
    histogram[low % 8] += (1.0 - share) * size;
    histogram[(low + 1) % 8] += share * size;
}

static void normalise(double *d)
{
    double sum = 0.0;
    for (size_t i = 0; i < SIFT_SIZE; i++)
        sum += d[i] * d[i];
    for (size_t i = 0; i < SIFT_SIZE; i++)
        d[i] /= sqrt(sum) + 1.1920929e-7;
}

/* d (128) <- the descriptor whose first bin is centred at (x, y). */
static void twin_sift(const picture *p, size_t bin, size_t x, size_t y, int rough, double *d)
{
    const long reach = (long)bin - 1;
    memset(d, 0, SIFT_SIZE * sizeof *d);
    for (size_t b = 0; b < 16; b++)
        for (long v = -reach; v <= reach; v++)
            for (long u = -reach; u <= reach; u++) {
                double side = (double)bin, gx, gy;
                double fx = (double)u + side * ((double)(b % 4) - 1.5); /* from the centre */
                double fy = (double)v + side * ((double)(b / 4) - 1.5);
                double window = exp(-(fx * fx + fy * fy) / (2.0 * 4.0 * side * side));
                double tent = (1.0 - (double)labs(u) / side) * (1.0 - (double)labs(v) / side);
                gradient(p, clamp((long)(x + b % 4 * bin) + u, p->width),
                         clamp((long)(y + b / 4 * bin) + v, p->height), &gx, &gy);
                vote(gx, gy, window * tent, rough, d + 8 * b);
            }
    normalise(d);
    for (size_t i = 0; i < SIFT_SIZE; i++)
        d[i] = fmin(d[i], 0.2);
    normalise(d);
}

#endif
