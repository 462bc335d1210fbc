/* motion_action.h - what people do, as curves of a few controls over the time of a clip.
 *
 * A curve goes through seven keys, evenly spaced in time t from 0 to 1, and a wave is added:
 *
 *   value(t) = spline(key)(t) + wave sin(2 pi (cycles t + phase))
 *
 * Angles are in degrees. Distances are in leg lengths. */
#ifndef SPD_SYNTH_MOTION_ACTION_H
#define SPD_SYNTH_MOTION_ACTION_H

#include <stddef.h>

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

#endif
