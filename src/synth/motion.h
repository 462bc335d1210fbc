/* motion.h - motion capture: actions, bodies, styles, and the clips that come of them. */
#ifndef SPD_SYNTH_MOTION_H
#define SPD_SYNTH_MOTION_H

#include "base/context.h"
#include "base/rng.h"

/* ---- actions: motion_action.c -------------------------------------------------------------------
 *
 * What people do, as curves of a few controls over the time of a clip. A curve goes through seven
 * keys, evenly spaced in time t from 0 to 1, and a wave is added:
 *
 *   value(t) = spline(key)(t) + wave sin(2 pi (cycles t + phase))
 *
 * Angles are in degrees. Distances are in leg lengths. */

enum { ACTIONS = 14, ACTION_KEYS = 7, ACTION_CURVES = 16 };

/* What an action moves. Those of a side come twice, LEFT first. */
typedef enum control {
    CONTROL_NONE = 0, /* ends a list of curves */
    WALK,             /* the way gone, along where the body looks */
    TURN,             /* of that direction, to the left */
    LIFT,             /* above what the legs carry */
    LIE,              /* 0: the legs carry the body; 1: the ground does */
    PITCH,            /* of the whole body, forward */
    BEND,             /* of the back: forward, to the left, and twisted to the left */
    LEAN,
    TWIST,
    NOD,
    LEFT_HIP, /* forward */
    RIGHT_HIP,
    LEFT_STRIDE, /* legs spread outward */
    RIGHT_STRIDE,
    LEFT_KNEE,
    RIGHT_KNEE,
    LEFT_ANKLE, /* toes down */
    RIGHT_ANKLE,
    LEFT_ARM, /* forward; 180 is up */
    RIGHT_ARM,
    LEFT_SPREAD, /* outward; 180 is up */
    RIGHT_SPREAD,
    LEFT_ROLL, /* about the upper arm, inward */
    RIGHT_ROLL,
    LEFT_ELBOW,
    RIGHT_ELBOW,
    CONTROLS
} control;

typedef struct curve {
    control control[2]; /* what follows it: one, or both sides; CONTROL_NONE: no other */
    double key[ACTION_KEYS];
    double wave, cycles, phase;
} curve;

typedef struct action {
    const char *name;
    double duration; /* 1: as long as the usual clip */
    curve curve[ACTION_CURVES];
} action;

extern const action actions[ACTIONS];

/* The keys of a curve at time t, which is cut to [0, 1]: a Catmull-Rom spline. */
double action_spline(const double key[ACTION_KEYS], double t);

/* ---- bodies: motion_action.c ----------------------------------------------------------------------
 *
 * A root and thirty bones, the tree that HDM05 has. At rest a body stands upright with hanging arms
 * and looks along z; y is up, x to its left. The frames of all bones are those of the world then,
 * so that angles about x swing an arm or a leg back, angles about z spread it to the left. */

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

/* ---- styles: motion_action.c ---------------------------------------------------------------------
 *
 * How a person does things, and how one repeat differs from another: drawn from seed, subject and
 * clip alone. */

#define STYLE_DEGREE (3.14159265358979323846 / 180.0)

/* What a random number is for; keeps the streams apart. */
enum { FOR_BODY = 1, FOR_STYLE, FOR_ACTION, FOR_CLIP, FOR_SWAY };

/* How one clip is performed; per control where it is an array. */
typedef struct style {
    double amplitude[CONTROLS]; /* factor of the curves */
    double posture[CONTROLS];   /* degrees added throughout */
    double lag[CONTROLS];       /* of the clip's time */
    double speed;               /* 1: as the action's duration says */
    double warp;                /* time t becomes t + warp sin(2 pi t): slow or quick beginnings */
    double rest[2];             /* share of the clip that is waiting, before and behind */
    double heading;             /* degrees */
    double place[2];            /* on the ground, in leg lengths */
    double sway;                /* slow wandering of all angles, degrees */
    double jitter;              /* sensor noise, degrees */
    uint64_t noise;             /* seed of the two */
} style;

/* Which clip. */
typedef struct clip_key {
    uint64_t seed;
    size_t subject, action, repeat;
} clip_key;

void style_draw(const clip_key *key, style *how);

/* Time of the action, in [0, 1], at time x of the clip, for a control. */
double style_time(const style *how, control c, double x);

/* ---- clips: motion_clip.c -------------------------------------------------------------------- */

#define CLIP_RATE 120 /* frames per second */

typedef struct pose {
    double place[3];             /* where the root is */
    double angle[BODY_BONES][3]; /* degrees about x, y, z */
} pose;

typedef struct clip {
    size_t frames;
    pose *pose; /* frames; new */
} clip;

/* Makes a clip of about `frames` frames, times the duration of the action; new. */
spd_status clip_make(spd_context *ctx, const clip_key *key, size_t frames, clip *made);

#endif
