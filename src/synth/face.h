/* face.h - parametric heads: a person's shape and colours, and how he or she is seen.
 *
 * The head is an ellipsoid with bumps. A point of it is given by longitude (0 in front, positive to
 * its right in the image) and latitude; u = cos(lat) sin(lon) and v = sin(lat) are where it is seen
 * from the front, both in [-1, 1]. */
#ifndef SPD_SYNTH_FACE_H
#define SPD_SYNTH_FACE_H

#include <stdint.h>

#include "base/rng.h"
#include "formats/image.h"

#define EAR_LON 1.6
#define EAR_V   0.0

/* A person. Lengths are in u and v, tones in [0, 1] from black to white. */
typedef struct person {
    uint64_t seed;                              /* of skin and hair */
    double half_width, half_height, half_depth; /* of the head, in units of the image */
    double jaw, cheek, chin;                    /* narrowing below, bumps */
    double eye_apart, eye_v, eye_width, eye_height, eye_tilt, socket;
    double iris_tone;
    double brow_v, brow_width, brow_thick, brow_tilt, brow_dark; /* v above the eye */
    double nose_width, nose_v, nose_height, bridge;
    double mouth_v, mouth_width, lip, lip_tone;
    double hairline, temple, hair_end, parting, hair_tone, hair_volume;
    double skin_tone, blotches, blotch_size, strands, beard, glasses;
} person;

/* What changes with the mood. */
typedef struct expression {
    double smile, open, wide, brow; /* 0: at rest */
} expression;

/* How an image is taken. */
typedef struct shot {
    expression mood;
    double yaw, pitch, roll; /* radians */
    double scale, shift[2];  /* of the head in the image */
    double lamp[3], ambient; /* direction to the light, not of unit length */
    double gain, noise, backdrop;
} shot;

/* A person at random: faces.c */
void face_draw(rng *r, person *p);

/* *picture <- a new grey image, size x size; noise comes from r: faces.c */
spd_status face_render(spd_context *ctx, const person *p, const shot *s, size_t size, rng *r,
                       image **picture);

#endif
