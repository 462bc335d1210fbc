/* motion_body.h - a person: a root and thirty bones, the tree that HDM05 has.
 *
 * At rest a body stands upright with hanging arms and looks along z; y is up, x to its left. The
 * frames of all bones are those of the world then, so that angles about x swing an arm or a leg
 * back, angles about z spread it to the left. */
#ifndef SPD_SYNTH_MOTION_BODY_H
#define SPD_SYNTH_MOTION_BODY_H

#include <stddef.h>
#include <stdint.h>

/* In the order of the .asf file; the joint of a bone is its far end. */
typedef enum body_bone {
    BODY_ROOT = 0,
    BODY_LHIPJOINT,
    BODY_LFEMUR,
    BODY_LTIBIA,
    BODY_LFOOT,
    BODY_LTOES,
    BODY_RHIPJOINT,
    BODY_RFEMUR,
    BODY_RTIBIA,
    BODY_RFOOT,
    BODY_RTOES,
    BODY_LOWERBACK,
    BODY_UPPERBACK,
    BODY_THORAX,
    BODY_LOWERNECK,
    BODY_UPPERNECK,
    BODY_HEAD,
    BODY_LCLAVICLE,
    BODY_LHUMERUS,
    BODY_LRADIUS,
    BODY_LWRIST,
    BODY_LHAND,
    BODY_LFINGERS,
    BODY_LTHUMB,
    BODY_RCLAVICLE,
    BODY_RHUMERUS,
    BODY_RRADIUS,
    BODY_RWRIST,
    BODY_RHAND,
    BODY_RFINGERS,
    BODY_RTHUMB,
    BODY_BONES
} body_bone;

/* Parts that grow together. */
typedef enum body_part { PART_LEG = 0, PART_HIP, PART_TRUNK, PART_HEAD, PART_ARM, PARTS } body_part;

typedef struct bone_plan {
    const char *name;
    body_bone parent;
    body_part part;
    double direction[3]; /* at rest, of unit length but for rounding */
    double length;       /* of a medium body, in the unit of HDM05: 1/0.45 inch */
    const char *turns;   /* axes it turns about: "xyz", "x", "" */
} bone_plan;

extern const bone_plan body_plan[BODY_BONES];

/* One person's bones. */
typedef struct body {
    double length[BODY_BONES];
} body;

/* The body of a subject; proportions and height are random. */
void body_draw(uint64_t seed, size_t subject, body *b);

/* The height of the root above the ground when the legs, at these angles in degrees, carry it:
 * swing forward, knee bent, for the left and the right leg. */
double body_height(const body *b, const double swing[2], const double knee[2]);

/* The same for one who lies on the back. */
double body_lying(const body *b);

/* Length of a leg: the scale of steps. */
double body_leg(const body *b);

#endif
