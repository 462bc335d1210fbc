/* skeleton.c - the tree of joints, where they are when its channels have values, and clips. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/kinematics.h"
#include "formats/lines.h"
#include "formats/motion.h"

spd_status skeleton_new(spd_context *ctx, pose_rule rule, skeleton **bones)
{
    skeleton *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a skeleton");
    fresh->rule = rule;
    fresh->radians = 1.0;
    fresh->unit = 1.0;
    *bones = fresh;
    return SPD_OK;
}

void skeleton_free(skeleton *bones)
{
    if (!bones)
        return;
    for (size_t i = 0; i < bones->bones; i++)
        mem_free(bones->bone[i].name);
    mem_free(bones->bone);
    mem_free(bones->order);
    mem_free(bones->by_name);
    mem_free(bones);
}

spd_status skeleton_add(spd_context *ctx, skeleton *bones, const word *name, size_t line,
                        size_t *added)
{
    bone *grown = mem_list(bones->bone, bones->bones, sizeof *grown);
    char *copy = grown ? mem_part(name->from, name->size) : NULL;
    bones->bone = grown ? grown : bones->bone;
    if (!copy)
        return ctx_nomem(ctx, "a skeleton");
    bones->bone[bones->bones] = (bone){
        .name = copy, .line = line, .parent = BONE_NONE, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    *added = bones->bones++;
    return SPD_OK;
}

void skeleton_number(skeleton *bones)
{
    bones->channels = 0;
    for (size_t i = 0; i < bones->bones; i++) {
        bones->bone[i].first = bones->channels;
        bones->channels += bones->bone[i].channels;
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const bone_name *)a)->name, ((const bone_name *)b)->name);
}

spd_status skeleton_sort_names(spd_context *ctx, skeleton *bones)
{
    bones->by_name = mem_alloc(bones->bones, sizeof *bones->by_name);
    if (!bones->by_name)
        return ctx_nomem(ctx, "a skeleton");
    for (size_t i = 0; i < bones->bones; i++)
        bones->by_name[i] = (bone_name){bones->bone[i].name, i};
    qsort(bones->by_name, bones->bones, sizeof *bones->by_name, compare_names);
    for (size_t i = 1; i < bones->bones; i++)
        if (compare_names(&bones->by_name[i - 1], &bones->by_name[i]) == 0)
            return ctx_fail(ctx, SPD_EFORMAT, "two bones are named '%s'; names must differ",
                            word_show_text(bones->by_name[i].name).text);
    return SPD_OK;
}

/* < 0, 0, > 0 as a word comes before, is, or comes after a name. */
static int compare_word(const void *key, const void *element)
{
    const word *w = key;
    const char *name = ((const bone_name *)element)->name;
    int sign = strncmp(w->from, name, w->size);
    return sign ? sign : name[w->size] ? -1 : 0;
}

size_t skeleton_find(const skeleton *bones, const word *name)
{
    const bone_name *found =
        bsearch(name, bones->by_name, bones->bones, sizeof *bones->by_name, compare_word);
    return found ? found->bone : BONE_NONE;
}

/* Why a bone was not reached: it hangs on nothing, or on itself by a circle. */
static spd_status fail_unreached(spd_context *ctx, const skeleton *bones, size_t i)
{
    for (size_t steps = 0; steps < bones->bones && bones->bone[i].parent != BONE_NONE; steps++)
        i = bones->bone[i].parent;
    const bone *b = &bones->bone[i];
    if (b->parent == BONE_NONE)
        return ctx_fail(ctx, SPD_EFORMAT, "bone '%s' (line %zu) has no parent in :hierarchy",
                        word_show_text(b->name).text, b->line);
    return ctx_fail(ctx, SPD_EFORMAT, ":hierarchy has a cycle through bone '%s'",
                    word_show_text(b->name).text);
}

/* order <- breadth first from the root; how many bones it reached. link: 2 x bones scratch, first
 * child and next sibling of each bone. */
static size_t walk_tree(const skeleton *bones, size_t *link, size_t *order)
{
    size_t *child = link, *sibling = link + bones->bones, reached = 0;
    for (size_t i = 0; i < 2 * bones->bones; i++)
        link[i] = BONE_NONE;
    for (size_t i = bones->bones; i-- > 1;) {
        size_t parent = bones->bone[i].parent;
        if (parent == BONE_NONE)
            continue;
        sibling[i] = child[parent];
        child[parent] = i;
    }
    order[reached++] = 0;
    for (size_t k = 0; k < reached; k++)
        for (size_t i = child[order[k]]; i != BONE_NONE; i = sibling[i])
            order[reached++] = i;
    return reached;
}

spd_status skeleton_sort_tree(spd_context *ctx, skeleton *bones)
{
    spd_status status = SPD_OK;
    size_t n = bones->bones, reached, lost = 0;
    size_t *link = mem_alloc(n, 2 * sizeof *link);
    bones->order = mem_alloc(n, sizeof *bones->order);
    if (!link || !bones->order) {
        mem_free(link);
        return ctx_nomem(ctx, "a skeleton");
    }
    reached = walk_tree(bones, link, bones->order);
    if (reached < n) {
        memset(link, 0, n * sizeof *link);
        for (size_t k = 0; k < reached; k++)
            link[bones->order[k]] = 1;
        while (link[lost])
            lost++;
        status = fail_unreached(ctx, bones, lost);
    }
    mem_free(link);
    return status;
}

spd_status skeleton_clip(spd_context *ctx, const skeleton *bones, size_t frames, motion **clip)
{
    motion *fresh = NULL;
    spd_status status = motion_new(ctx, frames, bones->bones, &fresh);
    for (size_t i = 0; status == SPD_OK && i < bones->bones; i++)
        if (!(fresh->name[i] = text_from_bytes(bones->bone[i].name)))
            status = ctx_nomem(ctx, "names of joints");
    if (status == SPD_OK && !(fresh->parent = mem_alloc(bones->bones, sizeof *fresh->parent)))
        status = ctx_nomem(ctx, "a skeleton");
    for (size_t i = 0; status == SPD_OK && i < bones->bones; i++)
        fresh->parent[i] = bones->bone[i].parent == BONE_NONE ? i : bones->bone[i].parent;
    if (status == SPD_OK)
        *clip = fresh;
    else
        motion_free(fresh);
    return status;
}

/* ---- positions ------------------------------------------------------------------------------ */

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
            turn_plane(M + (axis + 1) % 3, M + (axis + 2) % 3, 3, cos(v * bones->radians),
                       -sin(v * bones->radians));
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
        if (bones->rule == POSE_ACCLAIM) {
            pose_acclaim(b, M, t, P, q, R + 9 * j, position + 3 * j);
        } else {
            product(P, M, R + 9 * j);
            carry(q, P, t, position + 3 * j);
        }
    }
    for (size_t i = 0; bones->unit != 1.0 && i < 3 * bones->bones; i++)
        position[i] /= bones->unit;
}

/* ---- clips ---------------------------------------------------------------------------------- */

#define MAX_NUMBERS ((size_t)1 << 28)

spd_status motion_new(spd_context *ctx, size_t frames, size_t joints, motion **clip)
{
    size_t numbers;
    if (frames == 0 || joints == 0)
        return ctx_fail(ctx, SPD_EINVAL, "a clip of %zu frames and %zu joints is empty", frames,
                        joints);
    if (mem_mul(frames, joints, &numbers) || numbers > MAX_NUMBERS / 3)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu frames of %zu joints are more than 2^28 numbers; cut the clip into "
                        "parts",
                        frames, joints);
    motion *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a clip");
    fresh->frames = frames;
    fresh->joints = joints;
    fresh->position = mem_alloc(3 * numbers, sizeof *fresh->position);
    fresh->name = mem_zero(joints, sizeof *fresh->name);
    if (!fresh->position || !fresh->name) {
        motion_free(fresh);
        return ctx_nomem(ctx, "a clip");
    }
    *clip = fresh;
    return SPD_OK;
}

void motion_free(motion *clip)
{
    if (!clip)
        return;
    for (size_t i = 0; clip->name && i < clip->joints; i++)
        mem_free(clip->name[i]);
    mem_free(clip->name);
    mem_free(clip->parent);
    mem_free(clip->position);
    mem_free(clip);
}

spd_status motion_check(spd_context *ctx, const motion *clip)
{
    size_t columns = 3 * clip->joints;
    for (size_t i = 0; i < clip->frames * columns; i++)
        if (!isfinite(clip->position[i]))
            return ctx_fail(ctx, SPD_EFORMAT,
                            "the position of '%s' in frame %zu is not a finite number",
                            word_show_text(clip->name[i % columns / 3]).text, i / columns + 1);
    return SPD_OK;
}
