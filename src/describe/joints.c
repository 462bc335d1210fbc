/* joints.c - the descriptor `joints`: how the joints of a body move together.
 *
 * A frame is one observation: the 3K coordinates of its K joints. The matrix is the covariance of
 * the frames. Rigid bones tie joints together, and clips are short, so it is singular as it stands;
 * unless told otherwise e tr(C)/n with e = 1e-3 is added to the diagonal. A coordinate that never
 * moves is handled by this, too.
 *
 * Centred on the root, positions are relative to that of joint 0, whose own columns would be zero
 * and are left out: 3(K - 1) coordinates.
 *
 * A temporal pyramid of L levels (Hussein et al. 2013) keeps the order of events: level l = 0 ..
 * L-1 cuts the T frames into 2^l windows, window w from floor(w T/2^l) to floor((w+1) T/2^l), not
 * overlapping. The matrix has the covariances of all 2^L - 1 windows on its diagonal, level after
 * level: 3K (2^L - 1) rows. Windows that overlap by half begin at every half of their length: level
 * l has 2^(l+1) - 1 of them, window w from floor(w T/2^(l+1)) to floor((w+2) T/2^(l+1)).
 *
 * In the unit range, x, y and z are each scaled to [0, 1] over all joints and frames first, so that
 * the size of the body and of its way does not matter (Hussein et al. 2013). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "describe/descriptor.h"

#define MAX_LEVELS 10
#define MAX_SIZE   ((size_t)1 << 12) /* rows of a matrix: 128 MiB */

static size_t levels_of(const spd_describe_options *options)
{
    return options->pyramid ? options->pyramid : 1;
}

static spd_status joints_prepare(spd_context *ctx, const spd_describe_options *options,
                                 void **shared)
{
    (void)shared;
    if (options->last_frame && options->first_frame >= options->last_frame)
        return ctx_fail(ctx, SPD_EINVAL,
                        "frames %zu:%zu are empty; the first must be below the last",
                        options->first_frame, options->last_frame);
    if (levels_of(options) > MAX_LEVELS)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a temporal pyramid of %zu levels is too deep; at most %d are possible",
                        options->pyramid, MAX_LEVELS);
    return SPD_OK;
}

/* *frames <- how many count of the clip; SPD_EINVAL when they are too few. */
static spd_status count_frames(spd_context *ctx, const spd_describe_options *o, const motion *clip,
                               size_t *frames)
{
    const size_t last = o->last_frame ? o->last_frame : clip->frames, levels = levels_of(o);
    if (last > clip->frames || o->first_frame >= last)
        return ctx_fail(ctx, SPD_EINVAL, "frames %zu:%zu requested, but the clip has %zu",
                        o->first_frame, last, clip->frames);
    *frames = last - o->first_frame;
    if (*frames < 2)
        return ctx_fail(ctx, SPD_EINVAL, "%zu frame is too short; a covariance needs at least 2",
                        *frames);
    if (*frames >> (levels - 1) < 2)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu frames cannot be cut into %zu windows of at least 2; use a temporal "
                        "pyramid of fewer levels than %zu",
                        *frames, (size_t)1 << (levels - 1), levels);
    if (o->center_root && clip->joints < 2)
        return ctx_fail(ctx, SPD_EINVAL, "one joint centred on itself leaves nothing to describe");
    return SPD_OK;
}

/* O (frames x n) <- each axis scaled to [0, 1]; one along which nothing differs becomes 0. */
static void to_unit_range(size_t frames, size_t n, double *O)
{
    for (size_t axis = 0; axis < 3; axis++) {
        double low = O[axis], high = O[axis];
        for (size_t e = axis; e < frames * n; e += 3) {
            low = fmin(low, O[e]);
            high = fmax(high, O[e]);
        }
        double range = high > low ? high - low : 1.0;
        for (size_t e = axis; e < frames * n; e += 3)
            O[e] = (O[e] - low) / range;
    }
}

/* *O <- frames x 3(K-1): positions relative to the root; new. */
static spd_status center(spd_context *ctx, size_t frames, size_t joints, const double *position,
                         double **O)
{
    size_t n = 3 * (joints - 1);
    double *relative = mem_alloc(frames * n, sizeof *relative);
    if (!relative)
        return ctx_nomem(ctx, "positions");
    for (size_t f = 0; f < frames; f++)
        for (size_t i = 0; i < n; i++)
            relative[f * n + i] =
                position[(f * joints + 1) * 3 + i] - position[f * joints * 3 + i % 3];
    *O = relative;
    return SPD_OK;
}

/* Windows of all levels over the frames of O (frames x n). */
static void cut_windows(const spd_describe_options *o, size_t frames, size_t n, const double *O,
                        observations *window)
{
    size_t step = o->overlap ? 2 : 1; /* steps that a window is long */
    for (size_t level = 0; level < levels_of(o); level++) {
        size_t parts = step << level;
        for (size_t w = 0; w + step <= parts; w++) {
            size_t from = w * frames / parts, to = (w + step) * frames / parts;
            *window++ = (observations){to - from, n, O + from * n};
        }
    }
}

/* A body at rest has no covariance, and rigid bones may tie coordinates together. */
static spd_status check_matrix(spd_context *ctx, double regularize, size_t n, const double *X)
{
    double trace = 0.0;
    for (size_t i = 0; i < n; i++)
        trace += X[i * n + i];
    if (!(trace > 0.0))
        return ctx_fail(ctx, SPD_EINVAL, "no joint moves in these frames; leave this clip out");
    if (regularize > 0.0)
        return SPD_OK;
    spd_status status = spd_check(ctx, SPD_SET(n, 1, X), 0.0);
    if (status != SPD_ENOTSPD)
        return status;
    ctx_fail(
        ctx, SPD_ENOTSPD,
        "the covariance of the joints is not positive definite, since bones tie them together");
    return ctx_advise(ctx, SPD_ENOTSPD, SPD_REMEDY_REGULARIZE, 1e-3);
}

/* The matrix of frames x n coordinates. */
static spd_status make_matrix(spd_context *ctx, const spd_describe_options *o, size_t frames,
                              size_t n, const double *O, description *out)
{
    observations window[2 << MAX_LEVELS];
    const spd_covariance_options *c = &o->covariance;
    const size_t levels = levels_of(o), finest = (size_t)1 << levels;
    const size_t windows = o->overlap ? 2 * finest - 2 - levels : finest - 1; /* of all levels */
    const size_t size = c->W ? c->m : n * windows;
    description made;
    if (size > MAX_SIZE) {
        ctx_fail(ctx, SPD_EINVAL,
                 "a temporal pyramid of %zu levels gives a matrix of %zu rows, more than %zu; use "
                 "fewer levels, or project the frames",
                 levels, size, MAX_SIZE);
        return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_PROJECT, 0.0);
    }
    cut_windows(o, frames, n, O, window);
    spd_status status = description_of_blocks(ctx, c, windows, window, &made);
    if (status < 0)
        return status;
    status = check_matrix(ctx, c->regularize, size, made.X);
    return description_hand_over(status, &made, out);
}

static spd_status joints_describe(spd_context *ctx, const spd_describe_options *o,
                                  const void *shared, const input *in, description *out)
{
    const motion *clip = in->motion;
    size_t frames = 0, n = 3 * clip->joints;
    double *own = NULL;
    (void)shared;
    spd_status status = count_frames(ctx, o, clip, &frames);
    if (status < 0)
        return status;
    const double *O = clip->position + o->first_frame * n;
    if (o->center_root) {
        status = center(ctx, frames, clip->joints, O, &own);
        n -= 3;
    } else if (o->unit_range) {
        own = mem_alloc(frames * n, sizeof *own);
        if (!own)
            return ctx_nomem(ctx, "positions");
        memcpy(own, O, frames * n * sizeof *own);
    }
    if (status == SPD_OK && o->unit_range)
        to_unit_range(frames, n, own);
    if (status == SPD_OK)
        status = make_matrix(ctx, o, frames, n, own ? own : O, out);
    mem_free(own);
    return status;
}

static int joints_parameters(const spd_describe_options *options, json_t *object)
{
    return json_object_update_new(object,
                                  json_pack("{s:s, s:I, s:I, s:I, s:b, s:b}", "center",
                                            options->center_root ? "root" : "none", "first_frame",
                                            (json_int_t)options->first_frame, "last_frame",
                                            (json_int_t)options->last_frame, "temporal_pyramid",
                                            (json_int_t)levels_of(options), "overlap",
                                            options->overlap, "unit_range", options->unit_range));
}

const descriptor descriptor_joints = {.kind = SPD_DESCRIPTOR_JOINTS,
                                      .takes = INPUT_MOTION,
                                      .prepare = joints_prepare,
                                      .describe = joints_describe,
                                      .parameters = joints_parameters};
