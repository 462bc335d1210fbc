/* motion_body.c - the plan of a body, and proportions of people. */
#include "synth/motion.h"

#include <math.h>

#include "synth/noise.h"

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
    const double height = style_between(&r, 0.88, 1.12);
    for (size_t part = 0; part < PARTS; part++)
        scale[part] = height * style_between(&r, 0.9, 1.1);
    for (size_t i = 0; i < BODY_BONES; i++)
        b->length[i] =
            body_plan[i].length * scale[body_plan[i].part] * style_between(&r, 0.98, 1.02);
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
