/* motion_clip.c - from the curves of an action to the angles of all bones.
 *
 * Per frame: the controls follow the action's curves at the time, the strength and with the posture
 * of the style; every control turns the bones it is linked to; slow sway and sensor noise are added
 * to every angle. The root stands as high as the legs carry it, walks along where it looks, and
 * looks where the clip's heading and the action's turn say. */
#include "synth/motion.h"

#include <math.h>

#include "base/memory.h"
#include "synth/noise.h"

#define TWO_PI      6.28318530717958647692
#define SWAY_PER_S  0.9 /* lattice cells of the sway a second */
#define SHORTEST    0.4 /* of the usual clip */
#define LONGEST     2.0
#define PLACE_NOISE 0.02
#define RELAXED     0.8

enum { X = 0, Y, Z };

/* Which control turns which bone. */
static const struct {
    control from;
    body_bone bone;
    size_t axis;
    double factor;
} links[] = {
    {BEND, BODY_LOWERBACK, X, 0.35},       {BEND, BODY_UPPERBACK, X, 0.35},
    {BEND, BODY_THORAX, X, 0.3},           {LEAN, BODY_LOWERBACK, Z, -0.35},
    {LEAN, BODY_UPPERBACK, Z, -0.35},      {LEAN, BODY_THORAX, Z, -0.3},
    {TWIST, BODY_LOWERBACK, Y, 0.35},      {TWIST, BODY_UPPERBACK, Y, 0.35},
    {TWIST, BODY_THORAX, Y, 0.3},          {NOD, BODY_LOWERNECK, X, 0.3},
    {NOD, BODY_UPPERNECK, X, 0.4},         {NOD, BODY_HEAD, X, 0.3},
    {LEFT_HIP, BODY_LFEMUR, X, -1.0},      {RIGHT_HIP, BODY_RFEMUR, X, -1.0},
    {LEFT_STRIDE, BODY_LFEMUR, Z, 1.0},    {RIGHT_STRIDE, BODY_RFEMUR, Z, -1.0},
    {LEFT_KNEE, BODY_LTIBIA, X, 1.0},      {RIGHT_KNEE, BODY_RTIBIA, X, 1.0},
    {LEFT_ANKLE, BODY_LFOOT, X, 1.0},      {RIGHT_ANKLE, BODY_RFOOT, X, 1.0},
    {LEFT_ANKLE, BODY_LTOES, X, -0.5},     {RIGHT_ANKLE, BODY_RTOES, X, -0.5},
    {LEFT_ARM, BODY_LHUMERUS, X, -1.0},    {RIGHT_ARM, BODY_RHUMERUS, X, -1.0},
    {LEFT_SPREAD, BODY_LHUMERUS, Z, 1.0},  {RIGHT_SPREAD, BODY_RHUMERUS, Z, -1.0},
    {LEFT_SPREAD, BODY_LCLAVICLE, Z, 0.1}, {RIGHT_SPREAD, BODY_RCLAVICLE, Z, -0.1},
    {LEFT_ROLL, BODY_LHUMERUS, Y, -1.0},   {RIGHT_ROLL, BODY_RHUMERUS, Y, 1.0},
    {LEFT_ELBOW, BODY_LRADIUS, X, -1.0},   {RIGHT_ELBOW, BODY_RRADIUS, X, -1.0},
    {LEFT_ELBOW, BODY_LHAND, X, -0.1},     {RIGHT_ELBOW, BODY_RHAND, X, -0.1},
};

typedef struct performance {
    const action *action;
    style style;
    body body;
    rng jitter;
    double walked, heading; /* at the last frame */
    double ground[2];       /* x, z */
} performance;

/* How strongly a control performs its curve. A whole turn stays a whole turn. */
static double strength(const style *how, control which, const curve *c)
{
    return fabs(c->key[ACTION_KEYS - 1] - c->key[0]) > 180.0 ? 1.0 : how->amplitude[which];
}

/* value (CONTROLS) <- all controls at time x of the clip. */
static void controls_at(const performance *p, double x, double *value)
{
    const style *how = &p->style;
    for (size_t c = 0; c < CONTROLS; c++)
        value[c] = how->posture[c];
    for (const curve *c = p->action->curve; c->control[0] != CONTROL_NONE; c++)
        for (size_t side = 0; side < 2 && c->control[side] != CONTROL_NONE; side++) {
            const control which = c->control[side];
            const double t = style_time(how, which, x);
            value[which] +=
                strength(how, which, c) *
                (action_spline(c->key, t) + c->wave * sin(TWO_PI * (c->cycles * t + c->phase)));
        }
    value[LIE] = value[LIE] < 0.0 ? 0.0 : value[LIE] > 1.0 ? 1.0 : value[LIE];
    for (size_t c = 0; c < CONTROLS; c++) /* who lies down relaxes */
        value[c] -= RELAXED * value[LIE] * how->posture[c];
}

/* Knees and elbows bend one way. */
static void respect_joints(double *value)
{
    static const control hinges[] = {LEFT_KNEE, RIGHT_KNEE, LEFT_ELBOW, RIGHT_ELBOW};
    for (size_t i = 0; i < sizeof hinges / sizeof *hinges; i++)
        if (value[hinges[i]] < 0.0)
            value[hinges[i]] = 0.0;
}

/* Slow wandering and white noise, where a bone turns at all. */
static void disturb(performance *p, double seconds, double (*angle)[3])
{
    for (size_t b = 0; b < BODY_BONES; b++)
        for (const char *turn = body_plan[b].turns; *turn; turn++) {
            const size_t axis = (size_t)(*turn - 'x');
            const double row = (double)(3 * b + axis) + 0.5;
            angle[b][axis] +=
                p->style.sway * noise_perlin(p->style.noise, SWAY_PER_S * seconds, row) +
                p->style.jitter * rng_normal(&p->jitter);
        }
}

static void move_root(performance *p, const double *value, double *place, double *angle)
{
    const double leg = body_leg(&p->body), step = (value[WALK] - p->walked) * leg;
    const double swing[2] = {value[LEFT_HIP], value[RIGHT_HIP]};
    const double knee[2] = {value[LEFT_KNEE], value[RIGHT_KNEE]};
    const double stand = body_height(&p->body, swing, knee) + value[LIFT] * leg;
    p->heading = p->style.heading + value[TURN];
    p->walked = value[WALK];
    p->ground[0] += step * sin(p->heading * STYLE_DEGREE);
    p->ground[1] += step * cos(p->heading * STYLE_DEGREE);
    place[X] = p->ground[0];
    place[Y] = stand + value[LIE] * (body_lying(&p->body) - stand);
    place[Z] = p->ground[1];
    for (size_t i = 0; i < 3; i++)
        place[i] += PLACE_NOISE * rng_normal(&p->jitter);
    angle[X] = value[PITCH];
    angle[Y] = p->heading;
}

static void start(performance *p, const clip_key *key)
{
    double value[CONTROLS];
    p->action = &actions[key->action];
    body_draw(key->seed, key->subject, &p->body);
    style_draw(key, &p->style);
    rng_seed(&p->jitter, rng_key(p->style.noise, FOR_SWAY, 0));
    controls_at(p, 0.0, value);
    p->walked = value[WALK];
    for (size_t i = 0; i < 2; i++)
        p->ground[i] = p->style.place[i] * body_leg(&p->body);
}

spd_status clip_make(spd_context *ctx, const clip_key *key, size_t frames, clip *made)
{
    performance p = {0};
    start(&p, key);
    const double share = fmin(fmax(p.action->duration / p.style.speed, SHORTEST), LONGEST);
    clip fresh = {.frames = (size_t)(share * (double)frames + 0.5)};
    fresh.pose = mem_zero(fresh.frames, sizeof *fresh.pose);
    if (!fresh.pose)
        return ctx_nomem(ctx, "a motion clip");
    for (size_t f = 0; f < fresh.frames; f++) {
        double value[CONTROLS];
        pose *now = &fresh.pose[f];
        controls_at(&p, (double)f / (double)(fresh.frames - 1), value);
        respect_joints(value);
        for (size_t i = 0; i < sizeof links / sizeof *links; i++)
            now->angle[links[i].bone][links[i].axis] += links[i].factor * value[links[i].from];
        move_root(&p, value, now->place, now->angle[BODY_ROOT]);
        disturb(&p, (double)f / CLIP_RATE, now->angle);
    }
    *made = fresh;
    return SPD_OK;
}
