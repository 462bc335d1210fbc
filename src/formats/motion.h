/* motion.h - motion capture from files: Acclaim .asf/.amc, .bvh, .c3d.
 *
 * Every count in a file is a claim, checked before memory is asked for. Units: Acclaim positions
 * are divided by the skeleton's `length` unit (which makes them inches by convention), those of
 * BVH and C3D are as in the file. */
#ifndef SPD_FORMATS_MOTION_H
#define SPD_FORMATS_MOTION_H

#include "base/context.h"

/* Positions of K joints or markers over time; all finite. */
typedef struct motion {
    size_t frames, joints;
    double *position; /* frames x (3 joints): x y z of joint 0 (the root), of joint 1, ... */
    char **name;      /* joints texts, UTF-8 */
    double rate;      /* frames per second; 0 when the file does not say */
    size_t *parent;   /* joints: the joint that each hangs on, itself for a root; NULL: unknown */
} motion;

/* A new clip, positions and names not set (names NULL); SPD_EINVAL when there are no frames or
 * joints, or over 2^28 numbers. */
spd_status motion_new(spd_context *ctx, size_t frames, size_t joints, motion **clip);
void motion_free(motion *clip);

/* SPD_EFORMAT when a position is not finite. */
spd_status motion_check(spd_context *ctx, const motion *clip);

/* An Acclaim skeleton, made from the text of an .asf file. */
typedef struct skeleton skeleton;
spd_status skeleton_parse(spd_context *ctx, const char *text, size_t size, skeleton **bones);
void skeleton_free(skeleton *bones);

/* *clip <- positions by forward kinematics from the text of an .amc file; new. Joints are the root
 * and then the far ends of the bones, in the order of the .asf file. Messages name the line, not
 * the file. The skeleton is only read: several threads may share it. */
spd_status amc_parse(spd_context *ctx, const skeleton *bones, const char *text, size_t size,
                     motion **clip);

/* Joints are the ROOT and every JOINT in the order of the file; End Sites are left out. */
spd_status bvh_parse(spd_context *ctx, const char *text, size_t size, motion **clip);

/* Joints are the markers. Gaps are filled by linear interpolation over time, before the first and
 * behind the last sight of a marker by what was seen there. */
spd_status c3d_parse(spd_context *ctx, const unsigned char *bytes, size_t size, motion **clip);

#endif
