/* texture.h - materials: what a surface looks like at a point, and what makes an image of it.
 *
 * A pattern is a function of the plane of the material. Its unit is about the size of what the
 * material is made of (a brick, a strand, a stone); rendering decides how many units are seen,
 * from where and in what light. */
#ifndef SPD_SYNTH_TEXTURE_H
#define SPD_SYNTH_TEXTURE_H

#include <stdint.h>

#include "base/rng.h"
#include "formats/image.h"

#define TEXTURE_KNOBS 3
#define MATERIALS     20

/* One piece of a material: its noise, and what differs from piece to piece. */
typedef struct piece {
    uint64_t seed;
    double knob[TEXTURE_KNOBS]; /* in [0, 1); each pattern has its own use for them */
} piece;

/* A surface at one point. */
typedef struct spot {
    double tone;   /* where on the way from dark to light, about [0, 1] */
    double height; /* in units of the plane */
    double accent; /* how much of the accent colour, [0, 1] */
} spot;

typedef spot (*pattern)(const piece *p, double x, double y);

/* A kind of material; colours are 0xRRGGBB. */
typedef struct material {
    const char *name;
    pattern look;
    double units;  /* on a side of an image, usually */
    double relief; /* how much heights count in the light */
    double dye;    /* how much the colours differ from piece to piece */
    uint32_t dark, middle, light, accent;
} material;

extern const material materials[MATERIALS]; /* texture_patterns.c */

#endif
