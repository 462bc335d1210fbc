/* kinematics.c - rotations, and the positions of the joints of a skeleton. */
#include "formats/kinematics.h"

#include <math.h>
#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* C <- A B; C must not overlap. */
static void product(const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < 9; i += 3)
        for (size_t j = 0; j < 3; j++)
            C[i + j] = A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
}

/* C <- A B'; C must not overlap. */
static void product_trans(const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < 9; i += 3)
        for (size_t j = 0; j < 9; j += 3)
            C[i + j / 3] = A[i] * B[j] + A[i + 1] * B[j + 1] + A[i + 2] * B[j + 2];
}

/* y <- x + A v */
static void carry(const double *x, const double *A, const double *v, double *y)
{
    for (size_t i = 0; i < 3; i++)
        y[i] = x[i] + (A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2]);
}

/* The plane of a rotation: from axis a towards axis b, counted in step doubles. */
static void turn_plane(double *a, double *b, size_t step, double cosine, double sine)
{
    for (size_t i = 0; i < 3; i++, a += step, b += step) {
        double u = *a, v = *b;
        *a = cosine * u - sine * v;
        *b = sine * u + cosine * v;
    }
}

void turn_before(size_t axis, double angle, double *R)
{
    size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    turn_plane(R + 3 * a, R + 3 * b, 1, cos(angle), sin(angle));
}

void turn_after(size_t axis, double angle, double *R)
{
    size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    turn_plane(R + a, R + b, 3, cos(angle), -sin(angle));
}

/* M <- rotation and t <- place in the parent's frame, by one bone's channels. */
static void read_channels(const skeleton *bones, const bone *b, const double *value, double *M,
                          double *t)
{
    int acclaim = bones->rule == POSE_ACCLAIM;
    memcpy(M, identity, sizeof identity);
    memcpy(t, b->offset, sizeof b->offset);
    for (size_t c = 0; c < b->channels; c++) {
        double v = value[b->first + c];
        size_t axis = b->channel[c] % 3u;
        if (b->channel[c] >= MOVE_X)
            t[axis] = acclaim ? t[axis] + v : v;
        else if (acclaim)
            turn_before(axis, v * bones->radians, M);
        else
            turn_after(axis, v * bones->radians, M);
    }
}

static void pose_acclaim(const bone *b, const double *M, const double *t, const double *P,
                         const double *q, double *R, double *x)
{
    double A[9], B[9];
    product(b->frame, M, A);
    product_trans(A, b->frame, B);
    product(P, B, R);
    if (b->parent == BONE_NONE)
        memcpy(x, t, 3 * sizeof *x);
    else
        carry(q, R, b->offset, x);
}

static void pose_bvh(const double *M, const double *t, const double *P, const double *q, double *R,
                     double *x)
{
    product(P, M, R);
    carry(q, P, t, x);
}

void skeleton_pose(const skeleton *bones, const double *value, double *R, double *position)
{
    static const double origin[3] = {0};
    for (size_t k = 0; k < bones->bones; k++) {
        size_t j = bones->order[k];
        const bone *b = &bones->bone[j];
        int root = b->parent == BONE_NONE;
        const double *P = root ? identity : R + 9 * b->parent;
        const double *q = root ? origin : position + 3 * b->parent;
        double M[9], t[3];
        read_channels(bones, b, value, M, t);
        if (bones->rule == POSE_ACCLAIM)
            pose_acclaim(b, M, t, P, q, R + 9 * j, position + 3 * j);
        else
            pose_bvh(M, t, P, q, R + 9 * j, position + 3 * j);
    }
    for (size_t i = 0; bones->unit != 1.0 && i < 3 * bones->bones; i++)
        position[i] /= bones->unit;
}
