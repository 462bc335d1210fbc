/* motion_action.c - the actions of the paper's motion experiment, the people who do them, and their styles. */
#include <math.h>

#include "synth/motion.h"
#include "synth/noise.h"

/* ---- bodies --------------------------------------------------------------------------------- */

const bone_plan body_plan[BODY_BONES] = {
    {"root", BODY_ROOT, PART_HIP, {0.0, 0.0, 0.0}, 0.0, "xyz"},
    {"lhipjoint", BODY_ROOT, PART_HIP, {0.6, -0.76, 0.25}, 2.3, ""},
    {"lfemur", BODY_LHIPJOINT, PART_LEG, {0.06, -0.998, 0.0}, 7.3, "xyz"},
    {"ltibia", BODY_LFEMUR, PART_LEG, {0.02, -1.0, 0.0}, 7.0, "x"},
    {"lfoot", BODY_LTIBIA, PART_LEG, {0.1, -0.38, 0.92}, 2.4, "xz"},
    {"ltoes", BODY_LFOOT, PART_LEG, {0.0, 0.0, 1.0}, 1.2, "x"},
    {"rhipjoint", BODY_ROOT, PART_HIP, {-0.6, -0.76, 0.25}, 2.3, ""},
    {"rfemur", BODY_RHIPJOINT, PART_LEG, {-0.06, -0.998, 0.0}, 7.3, "xyz"},
    {"rtibia", BODY_RFEMUR, PART_LEG, {-0.02, -1.0, 0.0}, 7.0, "x"},
    {"rfoot", BODY_RTIBIA, PART_LEG, {-0.1, -0.38, 0.92}, 2.4, "xz"},
    {"rtoes", BODY_RFOOT, PART_LEG, {0.0, 0.0, 1.0}, 1.2, "x"},
    {"lowerback", BODY_ROOT, PART_TRUNK, {0.0, 0.999, -0.04}, 2.2, "xyz"},
    {"upperback", BODY_LOWERBACK, PART_TRUNK, {0.0, 0.997, -0.07}, 2.2, "xyz"},
    {"thorax", BODY_UPPERBACK, PART_TRUNK, {0.0, 0.998, -0.06}, 2.2, "xyz"},
    {"lowerneck", BODY_THORAX, PART_HEAD, {0.0, 0.99, 0.1}, 1.7, "xyz"},
    {"upperneck", BODY_LOWERNECK, PART_HEAD, {0.0, 0.99, 0.1}, 1.7, "xyz"},
    {"head", BODY_UPPERNECK, PART_HEAD, {0.0, 1.0, 0.0}, 1.8, "xyz"},
    {"lclavicle", BODY_THORAX, PART_TRUNK, {0.95, 0.24, -0.2}, 3.7, "yz"},
    {"lhumerus", BODY_LCLAVICLE, PART_ARM, {0.1, -0.995, 0.0}, 4.8, "xyz"},
    {"lradius", BODY_LHUMERUS, PART_ARM, {0.04, -0.99, 0.1}, 3.0, "x"},
    {"lwrist", BODY_LRADIUS, PART_ARM, {0.04, -0.99, 0.1}, 1.5, "y"},
    {"lhand", BODY_LWRIST, PART_ARM, {0.0, -1.0, 0.05}, 1.3, "xz"},
    {"lfingers", BODY_LHAND, PART_ARM, {0.0, -1.0, 0.05}, 1.0, "x"},
    {"lthumb", BODY_LWRIST, PART_ARM, {-0.2, -0.7, 0.69}, 1.4, "xz"},
    {"rclavicle", BODY_THORAX, PART_TRUNK, {-0.95, 0.24, -0.2}, 3.7, "yz"},
    {"rhumerus", BODY_RCLAVICLE, PART_ARM, {-0.1, -0.995, 0.0}, 4.8, "xyz"},
    {"rradius", BODY_RHUMERUS, PART_ARM, {-0.04, -0.99, 0.1}, 3.0, "x"},
    {"rwrist", BODY_RRADIUS, PART_ARM, {-0.04, -0.99, 0.1}, 1.5, "y"},
    {"rhand", BODY_RWRIST, PART_ARM, {0.0, -1.0, 0.05}, 1.3, "xz"},
    {"rfingers", BODY_RHAND, PART_ARM, {0.0, -1.0, 0.05}, 1.0, "x"},
    {"rthumb", BODY_RWRIST, PART_ARM, {0.2, -0.7, 0.69}, 1.4, "xz"},
};

void body_draw(uint64_t seed, size_t subject, body *b)
{
    double scale[PARTS];
    rng r;
    rng_seed(&r, rng_key(seed, FOR_BODY, subject));
    const double height = rng_between(&r, 0.88, 1.12);
    for (size_t part = 0; part < PARTS; part++)
        scale[part] = height * rng_between(&r, 0.9, 1.1);
    for (size_t i = 0; i < BODY_BONES; i++)
        b->length[i] = body_plan[i].length * scale[body_plan[i].part] * rng_between(&r, 0.98, 1.02);
}

/* Length times the part of a bone's direction that points down. */
static double drop(const body *b, body_bone bone)
{
    return -body_plan[bone].direction[1] * b->length[bone];
}

double body_height(const body *b, const double swing[2], const double knee[2])
{
    static const body_bone hip[2] = {BODY_LHIPJOINT, BODY_RHIPJOINT};
    double height = 0.0;
    for (size_t side = 0; side < 2; side++) {
        const double s = swing[side] * STYLE_DEGREE, k = knee[side] * STYLE_DEGREE;
        const double reach = drop(b, hip[side]) + drop(b, hip[side] + 1) * cos(s) +
                             drop(b, hip[side] + 2) * cos(k - s) + drop(b, hip[side] + 3);
        height = reach > height ? reach : height;
    }
    return height;
}

double body_lying(const body *b)
{
    return 0.6 * b->length[BODY_LCLAVICLE];
}

double body_leg(const body *b)
{
    return b->length[BODY_LFEMUR] + b->length[BODY_LTIBIA];
}

/* ---- styles --------------------------------------------------------------------------------- */

#define TURN_ALL  360.0
#define WEAKEST   0.55
#define STRONGEST 1.5
#define TWO_PI    6.28318530717958647692

/* Is it a control of one side? LEFT_HIP and what follows come in pairs, the left one first. */
static int is_sided(size_t c)
{
    return c >= LEFT_HIP;
}

/* Adds one layer: spread of amplitudes (as logarithms), degrees and times. A pair of controls
 * shares most of it; what is left is asymmetry. */
static void add_layer(rng *r, double amplitude, double posture, double lag, style *how)
{
    double shared[3] = {0};
    for (size_t c = 1; c < CONTROLS; c++) {
        if (!is_sided(c) || (c - LEFT_HIP) % 2 == 0)
            for (size_t i = 0; i < 3; i++)
                shared[i] = rng_normal(r);
        const double own = is_sided(c) ? 0.5 : 0.0;
        how->amplitude[c] *= exp(amplitude * (shared[0] + own * rng_normal(r)));
        how->posture[c] += posture * (shared[1] + own * rng_normal(r));
        how->lag[c] += lag * (shared[2] + own * rng_normal(r));
    }
}

/* Nobody moves twice as far as others. What must not vary: nobody lies down half, and the whole
 * body is not tilted by posture. */
static void tame(style *how)
{
    for (size_t c = 0; c < CONTROLS; c++)
        how->amplitude[c] = fmin(fmax(how->amplitude[c], WEAKEST), STRONGEST);
    how->amplitude[LIE] = how->amplitude[PITCH] = 1.0;
    how->lag[LIE] = how->lag[PITCH] = how->lag[WALK] = 0.0;
    how->posture[PITCH] = how->posture[TURN] = 0.0;
    how->posture[WALK] = how->posture[LIFT] = how->posture[LIE] = 0.0;
}

void style_draw(const clip_key *key, style *how)
{
    rng habit, manner, now;
    rng_seed(&habit, rng_key(key->seed, FOR_STYLE, key->subject));
    rng_seed(&manner, rng_key(rng_key(key->seed, FOR_ACTION, key->subject), key->action, 0));
    rng_seed(&now,
             rng_key(rng_key(key->seed, FOR_CLIP, key->subject), key->action, key->repeat + 1));
    *how = (style){.speed = 1.0};
    for (size_t c = 0; c < CONTROLS; c++)
        how->amplitude[c] = 1.0;
    add_layer(&habit, 0.18, 5.0, 0.02, how);
    add_layer(&manner, 0.26, 8.0, 0.03, how);
    add_layer(&now, 0.12, 3.0, 0.02, how);
    tame(how);
    how->speed =
        exp(0.15 * rng_normal(&habit) + 0.1 * rng_normal(&manner) + 0.08 * rng_normal(&now));
    how->warp = 0.04 * rng_normal(&habit) + 0.03 * rng_normal(&now);
    how->rest[0] = rng_between(&now, 0.0, 0.15);
    how->rest[1] = rng_between(&now, 0.0, 0.15);
    how->heading = rng_between(&now, 0.0, TURN_ALL);
    how->place[0] = rng_between(&now, -3.0, 3.0);
    how->place[1] = rng_between(&now, -3.0, 3.0);
    how->sway = rng_between(&now, 3.0, 7.0);
    how->jitter = rng_between(&now, 0.1, 0.3);
    how->noise = rng_next(&now);
}

double style_time(const style *how, control c, double x)
{
    double t = (x - how->rest[0]) / (1.0 - how->rest[0] - how->rest[1]) - how->lag[c];
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return t + how->warp * sin(TWO_PI * t);
}

/* ---- actions -------------------------------------------------------------------------------- */

/* The same key throughout. */
#define HOLD(v)                                                                                    \
    {                                                                                              \
        v, v, v, v, v, v, v                                                                        \
    }

const action actions[ACTIONS] = {
    {"clapAboveHead",
     0.9,
     {{{LEFT_SPREAD, RIGHT_SPREAD}, {10, 70, 150, 172, 150, 70, 10}, 0, 0, 0},
      {{LEFT_ELBOW, RIGHT_ELBOW}, {10, 20, 30, 45, 30, 20, 10}, 0, 0, 0},
      {{NOD}, {0, 0, -5, -8, -5, 0, 0}, 0, 0, 0}}},
    {"depositFloor",
     1.3,
     {{{BEND}, {0, 18, 60, 78, 58, 16, 0}, 0, 0, 0},
      {{LEFT_HIP, RIGHT_HIP}, {0, 25, 60, 72, 50, 20, 0}, 0, 0, 0},
      {{LEFT_KNEE, RIGHT_KNEE}, {0, 28, 70, 84, 62, 22, 0}, 0, 0, 0},
      {{RIGHT_ARM}, {10, 32, 62, 70, 50, 20, 5}, 0, 0, 0},
      {{RIGHT_ELBOW}, {65, 45, 15, 5, 10, 20, 10}, 0, 0, 0},
      {{LEFT_ARM}, {0, 6, 22, 26, 16, 5, 0}, 0, 0, 0},
      {{WALK}, {0, 0.15, 0.2, 0.2, 0.2, 0.1, 0}, 0, 0, 0}}},
    {"elbowToKnee",
     1.2,
     {{{RIGHT_HIP}, {0, 42, 95, 42, 0, 0, 0}, 0, 0, 0},
      {{RIGHT_KNEE}, {0, 60, 112, 60, 0, 0, 0}, 0, 0, 0},
      {{LEFT_HIP}, {0, 0, 0, 0, 50, 95, 10}, 0, 0, 0},
      {{LEFT_KNEE}, {0, 0, 0, 0, 62, 112, 10}, 0, 0, 0},
      {{TWIST}, {0, -15, -35, -10, 15, 35, 5}, 0, 0, 0},
      {{BEND}, {0, 15, 40, 12, 18, 40, 5}, 0, 0, 0},
      {{LEFT_ARM, RIGHT_ARM}, HOLD(120), 0, 0, 0},
      {{LEFT_ELBOW, RIGHT_ELBOW}, HOLD(125), 0, 0, 0}}},
    {"grabHigh",
     1.0,
     {{{RIGHT_ARM}, {0, 45, 125, 165, 120, 40, 0}, 0, 0, 0},
      {{RIGHT_ELBOW}, {10, 55, 42, 5, 45, 45, 10}, 0, 0, 0},
      {{LIFT}, {0, 0, 0.02, 0.06, 0.02, 0, 0}, 0, 0, 0},
      {{LEFT_ANKLE, RIGHT_ANKLE}, {0, 0, 10, 28, 10, 0, 0}, 0, 0, 0},
      {{LEAN}, {0, 2, 7, 10, 6, 2, 0}, 0, 0, 0},
      {{NOD}, {0, -8, -15, -18, -12, -4, 0}, 0, 0, 0},
      {{WALK}, {0, 0.1, 0.2, 0.22, 0.2, 0.08, 0}, 0, 0, 0}}},
    {"hopBothLegs",
     0.7,
     {{{LEFT_KNEE, RIGHT_KNEE}, {5, 55, 12, 20, 45, 12, 5}, 0, 0, 0},
      {{LEFT_HIP, RIGHT_HIP}, {3, 38, 6, 14, 30, 6, 3}, 0, 0, 0},
      {{LIFT}, {0, 0, 0.15, 0.25, 0.05, 0, 0}, 0, 0, 0},
      {{WALK}, {0, 0, 0.2, 0.5, 0.7, 0.72, 0.72}, 0, 0, 0},
      {{LEFT_ARM, RIGHT_ARM}, {0, -35, 40, 60, 20, 5, 0}, 0, 0, 0},
      {{BEND}, {5, 25, 8, 5, 15, 8, 5}, 0, 0, 0}}},
    {"jog",
     1.1,
     {{{WALK}, {0, 0.7, 1.4, 2.1, 2.8, 3.5, 4.2}, 0, 0, 0},
      {{TURN}, {0, 20, 40, 60, 80, 100, 120}, 0, 0, 0},
      {{LEFT_HIP}, HOLD(18), 36, 2, 0},
      {{RIGHT_HIP}, HOLD(18), 36, 2, 0.5},
      {{LEFT_KNEE}, HOLD(52), 40, 2, 0.8},
      {{RIGHT_KNEE}, HOLD(52), 40, 2, 0.3},
      {{LEFT_ARM}, HOLD(0), 34, 2, 0.5},
      {{RIGHT_ARM}, HOLD(0), 34, 2, 0},
      {{LEFT_ELBOW}, HOLD(85), 12, 2, 0.5},
      {{RIGHT_ELBOW}, HOLD(85), 12, 2, 0},
      {{TWIST}, HOLD(0), 9, 2, 0},
      {{LIFT}, HOLD(0.03), 0.03, 4, 0.1},
      {{BEND}, HOLD(12), 0, 0, 0}}},
    {"kickForward",
     0.9,
     {{{LEFT_HIP}, {0, -18, -28, 55, 88, 30, 0}, 0, 0, 0},
      {{LEFT_KNEE}, {0, 30, 62, 22, 5, 22, 0}, 0, 0, 0},
      {{RIGHT_KNEE}, {0, 10, 16, 12, 14, 8, 0}, 0, 0, 0},
      {{RIGHT_HIP}, {0, 5, 10, -4, -8, 0, 0}, 0, 0, 0},
      {{RIGHT_ARM}, {0, 5, -8, 30, 42, 20, 0}, 0, 0, 0},
      {{LEFT_ARM}, {0, 8, 22, -18, -32, -10, 0}, 0, 0, 0},
      {{BEND}, {0, 4, 8, -4, -14, -4, 0}, 0, 0, 0},
      {{WALK}, {0, 0.1, 0.2, 0.3, 0.32, 0.3, 0.25}, 0, 0, 0}}},
    {"lieDownFloor",
     1.8,
     {{{LIE}, {0, 0, 0.2, 0.6, 0.9, 1, 1}, 0, 0, 0},
      {{PITCH}, {0, 0, -8, -28, -60, -85, -90}, 0, 0, 0},
      {{LEFT_HIP, RIGHT_HIP}, {0, 42, 90, 96, 80, 38, 5}, 0, 0, 0},
      {{LEFT_KNEE, RIGHT_KNEE}, {0, 45, 105, 112, 90, 40, 5}, 0, 0, 0},
      {{BEND}, {0, 22, 42, 36, 26, 10, 0}, 0, 0, 0},
      {{RIGHT_ARM}, {0, 5, -20, -38, -20, 0, 0}, 0, 0, 0},
      {{LEFT_ARM}, {0, 15, 30, 25, 15, 5, 0}, 0, 0, 0},
      {{WALK}, {0, 0, -0.1, -0.3, -0.4, -0.45, -0.45}, 0, 0, 0}}},
    {"rotateArmsBackward",
     1.0,
     {{{LEFT_ARM, RIGHT_ARM}, {0, 60, 120, 180, 240, 300, 360}, 0, 0, 0},
      {{LEFT_SPREAD, RIGHT_SPREAD}, HOLD(8), 14, 1, 0.75},
      {{LEFT_ELBOW, RIGHT_ELBOW}, HOLD(12), 6, 1, 0},
      {{BEND}, HOLD(0), 4, 1, 0.25}}},
    {"sitDownChair",
     1.3,
     {{{LEFT_HIP, RIGHT_HIP}, {0, 22, 52, 76, 86, 90, 90}, 0, 0, 0},
      {{LEFT_KNEE, RIGHT_KNEE}, {0, 28, 60, 84, 90, 90, 90}, 0, 0, 0},
      {{BEND}, {0, 18, 36, 42, 26, 10, 5}, 0, 0, 0},
      {{WALK}, {0, 0, -0.1, -0.25, -0.3, -0.32, -0.32}, 0, 0, 0},
      {{LEFT_ARM, RIGHT_ARM}, {0, 10, 25, 35, 35, 30, 28}, 0, 0, 0},
      {{LEFT_ELBOW, RIGHT_ELBOW}, {10, 15, 25, 40, 50, 50, 50}, 0, 0, 0}}},
    {"sneak",
     1.7,
     {{{WALK}, {0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2}, 0.03, 2, 0},
      {{LEFT_HIP}, HOLD(32), 30, 1, 0},
      {{RIGHT_HIP}, HOLD(32), 30, 1, 0.5},
      {{LEFT_KNEE}, HOLD(55), 36, 1, 0.85},
      {{RIGHT_KNEE}, HOLD(55), 36, 1, 0.35},
      {{BEND}, HOLD(38), 7, 2, 0.2},
      {{LEFT_ARM}, HOLD(28), 24, 1, 0.5},
      {{RIGHT_ARM}, HOLD(28), 24, 1, 0},
      {{LEFT_ELBOW}, HOLD(85), 15, 1, 0.5},
      {{RIGHT_ELBOW}, HOLD(85), 15, 1, 0},
      {{TWIST}, HOLD(0), 10, 1, 0}}},
    {"squat",
     1.2,
     {{{LEFT_HIP, RIGHT_HIP}, HOLD(45), 45, 2, 0.75},
      {{LEFT_KNEE, RIGHT_KNEE}, HOLD(55), 55, 2, 0.75},
      {{BEND}, HOLD(14), 12, 2, 0.75},
      {{LEFT_ARM, RIGHT_ARM}, HOLD(70), 12, 2, 0.75}}},
    {"standUpLie",
     1.7,
     {{{LIE}, {1, 1, 0.9, 0.6, 0.25, 0.02, 0}, 0, 0, 0},
      {{PITCH}, {-90, -82, -50, -20, -4, 0, 0}, 0, 0, 0},
      {{LEFT_HIP}, {5, 45, 85, 98, 80, 36, 0}, 0, 0, 0},
      {{RIGHT_HIP}, {5, 30, 70, 90, 88, 40, 0}, 0, 0, 0},
      {{LEFT_KNEE}, {5, 50, 95, 115, 95, 40, 0}, 0, 0, 0},
      {{RIGHT_KNEE}, {5, 35, 80, 112, 105, 45, 0}, 0, 0, 0},
      {{BEND}, {0, 14, 30, 44, 42, 18, 0}, 0, 0, 0},
      {{RIGHT_ARM}, {0, -15, -40, -30, 5, 10, 0}, 0, 0, 0},
      {{LEFT_ARM}, {0, 10, 20, 35, 35, 12, 0}, 0, 0, 0},
      {{WALK}, {0, 0, 0.08, 0.2, 0.35, 0.42, 0.45}, 0, 0, 0}}},
    {"throwBasketball",
     1.0,
     {{{LEFT_KNEE, RIGHT_KNEE}, {5, 32, 52, 30, 5, 8, 5}, 0, 0, 0},
      {{LEFT_HIP, RIGHT_HIP}, {3, 24, 36, 20, 2, 5, 3}, 0, 0, 0},
      {{LEFT_ARM}, {20, 30, 60, 115, 150, 130, 50}, 0, 0, 0},
      {{RIGHT_ARM}, {20, 30, 62, 125, 162, 145, 55}, 0, 0, 0},
      {{LEFT_ELBOW}, {60, 92, 110, 85, 30, 20, 20}, 0, 0, 0},
      {{RIGHT_ELBOW}, {60, 92, 112, 88, 15, 10, 20}, 0, 0, 0},
      {{LIFT}, {0, 0, 0, 0.1, 0.14, 0.02, 0}, 0, 0, 0},
      {{BEND}, {0, 10, 15, 4, -6, 0, 0}, 0, 0, 0},
      {{LEFT_ANKLE, RIGHT_ANKLE}, {0, 0, 0, 20, 25, 5, 0}, 0, 0, 0}}},
};

double action_spline(const double key[ACTION_KEYS], double t)
{
    const int last = ACTION_KEYS - 1;
    const double x = (t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t) * last;
    const int i = x < last ? (int)x : last - 1;
    const double u = x - i, a = key[i], b = key[i + 1];
    /* Beyond the ends the keys stay what they are there: the motion begins and ends at rest. */
    const double before = key[i > 0 ? i - 1 : 0], after = key[i + 2 <= last ? i + 2 : last];
    const double from = (b - before) / 2.0, to = (after - a) / 2.0;
    return a + u * (from + u * (3.0 * (b - a) - 2.0 * from - to + u * (from + to - 2.0 * (b - a))));
}
