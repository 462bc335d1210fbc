/* kinematics.h - a tree of joints, and where they are when its channels have values.
 *
 * Every joint has an offset o from its parent, a fixed rotation C, and channels: angles about x, y
 * or z and shifts along them, in any order. With R, x the rotation and the position of a joint and
 * P, q those of its parent (identity and zero above the root):
 *
 *   Acclaim   R = P C M C',  x = q + R o,  root: x = o + shifts     M = R_last ... R_first
 *   BVH       R = P M,       x = q + P t                            M = R_first ... R_last
 *
 * M is the product of the rotations of the joint's channels. An Acclaim bone turns with its own
 * channels, and its joint is its far end; a BVH joint turns what is below it. t is o where BVH has
 * no shift; a shift takes the place of the offset, as the programs that write joints with six
 * channels mean it. */
#ifndef SPD_FORMATS_KINEMATICS_H
#define SPD_FORMATS_KINEMATICS_H

#include "formats/lines.h"
#include "formats/motion.h"

/* What a channel changes: an angle about an axis, or a shift along it. */
enum { TURN_X = 0, TURN_Y, TURN_Z, MOVE_X, MOVE_Y, MOVE_Z };
enum { MAX_CHANNELS = 6 }; /* of one joint */

typedef struct bone {
    char *name; /* as in the file */
    size_t line;
    size_t parent;          /* BONE_NONE for the root and for a bone not yet attached */
    double offset[3];       /* o */
    double frame[9];        /* C */
    size_t channels, first; /* how many, and the number of the first among all */
    unsigned char channel[MAX_CHANNELS];
} bone;

#define BONE_NONE ((size_t)-1)
#define DEGREE    (3.14159265358979323846 / 180.0)

typedef enum pose_rule { POSE_ACCLAIM = 0, POSE_BVH } pose_rule;

typedef struct bone_name {
    const char *name;
    size_t bone;
} bone_name;

struct skeleton {
    pose_rule rule;
    size_t bones;
    bone *bone;         /* bones, as in the file; the root is the first */
    size_t *order;      /* bones numbers, parents before children */
    bone_name *by_name; /* bones names in alphabetical order */
    size_t channels;    /* of all bones */
    double radians;     /* in one unit of an angle */
    double unit;        /* positions are divided by it */
};

spd_status skeleton_new(spd_context *ctx, pose_rule rule, skeleton **bones);

/* A further bone, without a parent, at rest; *added is its number. */
spd_status skeleton_add(spd_context *ctx, skeleton *bones, const word *name, size_t line,
                        size_t *added);

/* Numbers the channels. */
void skeleton_number(skeleton *bones);

/* Makes by_name; SPD_EFORMAT when two bones have one name. */
spd_status skeleton_sort_names(spd_context *ctx, skeleton *bones);

/* The bone of that name, or BONE_NONE. */
size_t skeleton_find(const skeleton *bones, const word *name);

/* Makes order; SPD_EFORMAT when a bone cannot be reached from the root. */
spd_status skeleton_sort_tree(spd_context *ctx, skeleton *bones);

/* R (3 x 3) <- R_axis(angle) R, and R <- R R_axis(angle); axis 0, 1, 2 for x, y, z. */
void turn_before(size_t axis, double angle, double *R);

/* position (bones x 3) <- where the joints are for the values of all channels (channels).
 * R: bones x 9 doubles of scratch. */
void skeleton_pose(const skeleton *bones, const double *value, double *R, double *position);

/* A new clip with room for the positions of all bones, and their names. */
spd_status skeleton_clip(spd_context *ctx, const skeleton *bones, size_t frames, motion **clip);

#endif
