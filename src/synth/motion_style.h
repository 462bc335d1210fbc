/* motion_style.h - how a person does things, and how one repeat differs from another.
 *
 * Everything is drawn from seed, subject and clip alone. */
#ifndef SPD_SYNTH_MOTION_STYLE_H
#define SPD_SYNTH_MOTION_STYLE_H

#include "base/rng.h"
#include "synth/motion_action.h"

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

/* Uniform in [low, high). */
double style_between(rng *r, double low, double high);

/* Time of the action, in [0, 1], at time x of the clip, for a control. */
double style_time(const style *how, control c, double x);

#endif
