/* test_joints.c - the descriptor `joints` against covariances written out, its options, and clips
 * that are too short. */
#include "describe/descriptor.h"
#include "unit/test_motion_common.h"

enum { FRAMES = 37, JOINTS = 4 };

static motion *random_clip(size_t frames, size_t joints)
{
    motion *clip = NULL;
    rng r = seeded(11);
    if (motion_new(ctx, frames, joints, &clip) < 0)
        abort();
    for (size_t i = 0; i < 3 * frames * joints; i++)
        clip->position[i] = 50.0 + rng_normal(&r) * (double)(1 + i % 5);
    return clip;
}

static spd_status run(const spd_describe_options *options, const motion *clip, description *out)
{
    const input in = {.motion = clip};
    void *shared = NULL;
    spd_status status = descriptor_joints.prepare(ctx, options, &shared);
    if (status == SPD_OK)
        status = descriptor_joints.describe(ctx, options, shared, &in, out);
    return status;
}

/* Coordinate i of frame f: of joint 0 on, or relative to joint 0 and from joint 1 on. */
static double coordinate(const motion *clip, int center, size_t f, size_t i)
{
    const double *frame = clip->position + f * 3 * clip->joints;
    return center ? frame[i + 3] - frame[i % 3] : frame[i];
}

/* The lowest and the highest of an axis, over the frames that count. */
static void twin_range(const motion *clip, const spd_describe_options *o, size_t axis, double *low,
                       double *high)
{
    size_t last = o->last_frame ? o->last_frame : clip->frames;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t f = o->first_frame; f < last; f++)
        for (size_t i = axis; i < 3 * (clip->joints - (o->center_root ? 1 : 0)); i += 3) {
            *low = fmin(*low, coordinate(clip, o->center_root, f, i));
            *high = fmax(*high, coordinate(clip, o->center_root, f, i));
        }
}

/* The mean of coordinate i, in the unit range where that is asked for. */
static double twin_mean(const motion *clip, const spd_describe_options *o, size_t from, size_t to,
                        size_t i)
{
    double sum = 0.0, low = 0.0, high = 1.0;
    for (size_t f = from; f < to; f++)
        sum += coordinate(clip, o->center_root, f, i) / (double)(to - from);
    if (o->unit_range)
        twin_range(clip, o, i % 3, &low, &high);
    return (sum - low) / (high - low);
}

static double twin_covariance(const motion *clip, const spd_describe_options *o, size_t from,
                              size_t to, size_t i, size_t j)
{
    double count = (double)(to - from), a = 0.0, b = 0.0, sum = 0.0, scale = 1.0;
    int center = o->center_root;
    for (size_t f = from; f < to; f++) {
        a += coordinate(clip, center, f, i) / count;
        b += coordinate(clip, center, f, j) / count;
    }
    for (size_t f = from; f < to; f++)
        sum += (coordinate(clip, center, f, i) - a) * (coordinate(clip, center, f, j) - b);
    for (int k = 0; k < 2 && o->unit_range; k++) {
        double low, high;
        twin_range(clip, o, (k ? i : j) % 3, &low, &high);
        scale *= high - low;
    }
    return sum / (count - 1.0) / scale;
}

/* X (n x n) <- one block after another, then e tr/n on the diagonal; the means of `out`, too. */
static void twin_matrix(const motion *clip, const spd_describe_options *o, double e, size_t n,
                        const description *out, double *X)
{
    size_t last = o->last_frame ? o->last_frame : clip->frames, frames = last - o->first_frame;
    size_t size = 3 * (clip->joints - (o->center_root ? 1 : 0)), at = 0;
    double trace = 0.0;
    memset(X, 0, n * n * sizeof *X);
    for (size_t windows = 1; windows < (size_t)1 << o->pyramid; windows *= 2)
        for (size_t w = 0; w < (o->overlap ? 2 * windows - 1 : windows); w++, at += size) {
            size_t half = o->overlap ? 2 : 1; /* windows begin at halves of their length */
            size_t from = o->first_frame + w * frames / (half * windows);
            size_t to = o->first_frame + (w + half) * frames / (half * windows);
            for (size_t i = 0; i < size; i++)
                for (size_t j = 0; j < size; j++)
                    X[(at + i) * n + at + j] = twin_covariance(clip, o, from, to, i, j);
            for (size_t i = 0; i < size; i++)
                CHECK_CLOSE(out->mean[at + i], twin_mean(clip, o, from, to, i), 1e-12 * 50,
                            "mean %zu", at + i);
            CHECK(out->seen[at / size] == (double)(to - from), "%g frames in window %zu",
                  out->seen[at / size], at / size);
        }
    for (size_t i = 0; i < n; i++)
        trace += X[i * n + i];
    for (size_t i = 0; i < n; i++)
        X[i * n + i] += e * trace / (double)n;
}

static void compare(const spd_describe_options *options, double e, size_t n)
{
    OWN(motion) clip = random_clip(FRAMES, JOINTS);
    double *X = take(n * n * sizeof *X);
    FREED_BY(description_free) description out = {0};
    CHECK_OK(ctx, run(options, clip, &out));
    CHECK(out.count == 1 && out.n == n && out.columns == 0, "%zu matrices of size %zu, not %zu",
          out.count, out.n, n);
    if (out.n == n) {
        twin_matrix(clip, options, e, n, &out, X);
        for (size_t i = 0; i < n * n; i++)
            CHECK_CLOSE(out.X[i], X[i], 1e-12 * 50, "entry %zu of %zu x %zu", i, n, n);
        CHECK_OK(ctx, spd_check(ctx, SPD_SET(n, 1, out.X), 0.0));
    }
}

static const spd_describe_options usual = {.covariance = {.regularize = 1e-3}, .pyramid = 1};

TEST(the_clip_as_it_is)
{
    spd_describe_options options = usual;
    compare(&options, 1e-3, 12);
    options.covariance.regularize = 0.0;
    compare(&options, 0.0, 12);
    options.covariance.regularize = 0.5;
    compare(&options, 0.5, 12);
}

TEST(centred_on_the_root)
{
    spd_describe_options options = usual;
    options.center_root = 1;
    compare(&options, 1e-3, 9);
}

TEST(some_frames)
{
    spd_describe_options options = usual;
    options.first_frame = 5;
    compare(&options, 1e-3, 12);
    options.last_frame = 30;
    compare(&options, 1e-3, 12);
}

TEST(pyramids)
{
    spd_describe_options options = usual;
    for (options.pyramid = 1; options.pyramid <= 4; options.pyramid++)
        for (options.center_root = 0; options.center_root < 2; options.center_root++)
            compare(&options, 1e-3,
                    3 * (size_t)(JOINTS - options.center_root) *
                        (((size_t)1 << options.pyramid) - 1));
}

/* As Hussein et al. have it: 4 windows in 2 levels. */
TEST(overlapping_windows)
{
    spd_describe_options options = usual;
    options.overlap = 1;
    for (options.pyramid = 1; options.pyramid <= 3; options.pyramid++)
        compare(&options, 1e-3,
                3 * JOINTS * (((size_t)2 << options.pyramid) - 2 - options.pyramid));
}

TEST(unit_range)
{
    spd_describe_options options = usual;
    options.unit_range = 1;
    compare(&options, 1e-3, 12);
    options.center_root = 1;
    options.first_frame = 5;
    compare(&options, 1e-3, 9);
    options.overlap = 1;
    options.pyramid = 2;
    compare(&options, 1e-3, 36);
}

/* W'X W of the matrix is the covariance of projected frames. */
TEST(projected_frames)
{
    enum { N = 36, M = 2 };
    OWN(motion) clip = random_clip(FRAMES, JOINTS);
    spd_describe_options options = usual;
    FREED_BY(description_free) description large = {0}, small = {0};
    double W[N * M], S[M * M] = {0};
    rng r = seeded(12);
    for (size_t i = 0; i < (size_t)N * M; i++)
        W[i] = rng_normal(&r);
    options.pyramid = 2;
    options.covariance.regularize = 0.0;
    options.covariance.shrinkage = SPD_SHRINKAGE_NONE;
    CHECK_OK(ctx, run(&options, clip, &large));
    options.covariance.W = W;
    options.covariance.m = M;
    options.covariance.n = N;
    CHECK_OK(ctx, run(&options, clip, &small));
    CHECK(small.n == M && large.n == N, "sizes %zu %zu", small.n, large.n);
    for (size_t i = 0; large.X && i < (size_t)N * N; i++)
        for (size_t k = 0; k < (size_t)M * M; k++)
            S[k] += W[i / N * M + k / M] * large.X[i] * W[i % N * M + k % M];
    for (size_t k = 0; small.X && k < (size_t)M * M; k++)
        CHECK_CLOSE(small.X[k], S[k], 1e-10 * fabs(S[0]), "entry %zu", k);
}

static void check_refused(const spd_describe_options *options, const motion *clip,
                          spd_status wanted, const char *words)
{
    description out = {0};
    long live = mem_live();
    spd_status status = run(options, clip, &out);
    CHECK_FAILED(ctx, status, wanted, words);
    CHECK(out.X == NULL && mem_live() == live, "left behind");
}

TEST(what_cannot_be_described)
{
    OWN(motion) clip = random_clip(FRAMES, JOINTS), *one = random_clip(1, JOINTS);
    OWN(motion) lone = random_clip(FRAMES, 1), *tall = random_clip(1024, 24);
    spd_describe_options options = usual;
    check_refused(&options, one, SPD_EINVAL, "1 frame|at least 2");
    options.first_frame = 40;
    check_refused(&options, clip, SPD_EINVAL, "frames 40:37|has 37");
    options.last_frame = 40;
    check_refused(&options, clip, SPD_EINVAL, "frames 40:40 are empty");
    options.first_frame = 10;
    check_refused(&options, clip, SPD_EINVAL, "frames 10:40|has 37");
    options = usual;
    options.pyramid = 6;
    check_refused(&options, clip, SPD_EINVAL, "37 frames|32 windows|fewer levels than 6");
    options.pyramid = 11;
    check_refused(&options, clip, SPD_EINVAL, "11 levels|at most 10");
    options.pyramid = 10;
    check_refused(&options, tall, SPD_EINVAL, "10 levels|73656 rows|fewer levels");
    options = usual;
    options.center_root = 1;
    check_refused(&options, lone, SPD_EINVAL, "centred on itself");
}

/* Joints that do not move, or always together. */
TEST(rigid_bodies)
{
    OWN(motion) clip = random_clip(FRAMES, JOINTS);
    spd_describe_options options = usual;
    description out = {0};
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < 3; i++) {
            clip->position[(f * JOINTS + 1) * 3 + i] = 7.0;
            clip->position[(f * JOINTS + 2) * 3 + i] = clip->position[f * JOINTS * 3 + i] + 1.0;
        }
    CHECK_OK(ctx, run(&options, clip, &out));
    CHECK(out.X && spd_check(ctx, SPD_SET(12, 1, out.X), 0.0) == SPD_OK,
          "the default does not suffice");
    description_free(&out);
    options.covariance.regularize = 0.0;
    check_refused(&options, clip, SPD_ENOTSPD, "not positive definite|bones");
    for (size_t i = 0; i < (size_t)FRAMES * JOINTS * 3; i++)
        clip->position[i] = 3.5;
    check_refused(&usual, clip, SPD_EINVAL, "no joint moves");
}

TEST(parameters_are_written)
{
    spd_describe_options options = usual;
    json_t *object = json_object();
    options.center_root = 1;
    options.first_frame = 3;
    options.last_frame = 9;
    options.pyramid = 0; /* means 1 */
    CHECK(descriptor_joints.parameters(&options, object) == 0, "out of memory");
    CHECK(!strcmp(json_string_value(json_object_get(object, "center")), "root"), "center");
    CHECK(json_integer_value(json_object_get(object, "first_frame")) == 3, "first");
    CHECK(json_integer_value(json_object_get(object, "last_frame")) == 9, "last");
    CHECK(json_integer_value(json_object_get(object, "temporal_pyramid")) == 1, "pyramid");
    json_decref(object);
}

TEST(allocations_may_fail)
{
    OWN(motion) clip = random_clip(FRAMES, JOINTS);
    spd_describe_options options = usual;
    options.center_root = 1;
    options.pyramid = 2;
    for (sweep_state s = SWEEP(ctx, 4, NULL, 0); sweep_on(&s);) {
        FREED_BY(description_free) description out = {0};
        s.status = run(&options, clip, &out);
        CHECK_MADE(s, out.X);
    }
}

SETUP(one_thread)
{
    spd_context_set_threads(ctx, 1);
}
