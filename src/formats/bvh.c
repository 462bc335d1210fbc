/* bvh.c - Biovision hierarchies and their motion.
 *
 *   HIERARCHY
 *   ROOT Hips {
 *     OFFSET 0 0 0
 *     CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 *     JOINT Chest {
 *       OFFSET 0 5.2 0
 *       CHANNELS 3 Zrotation Xrotation Yrotation
 *       End Site { OFFSET 0 5.4 0 }
 *     }
 *   }
 *   MOTION
 *   Frames: 2
 *   Frame Time: 0.0083333
 *   8.03 35.01 88.36 -3.41 14.78 -164.35 13.09 40.30 -24.60       a line for each frame
 *
 * Angles are degrees. Names go to the end of their line, blanks within. The hierarchy is read
 * without recursion: its depth is bounded by memory, not by the stack. */
#include "base/memory.h"
#include "formats/kinematics.h"
#include "io/text.h"

typedef struct bvh_reader {
    spd_context *ctx;
    lines at;
    skeleton *bones;
    size_t open; /* the innermost joint whose brace is open, or BONE_NONE */
    motion *clip;
} bvh_reader;

static spd_status fail_expected(bvh_reader *in, const word *w, int got, const char *expected)
{
    if (!got)
        return ctx_fail(in->ctx, SPD_EFORMAT, "the file ends where %s should be", expected);
    return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: '%s' where %s should be", in->at.line,
                    word_show(w).text, expected);
}

/* The next word must be this. */
static spd_status expect(bvh_reader *in, const char *text)
{
    word w;
    int got = lines_any_word(&in->at, &w);
    return got && word_is(&w, text) ? SPD_OK : fail_expected(in, &w, got, text);
}

static spd_status open_joint(bvh_reader *in, const word *key)
{
    word name;
    size_t number = 0;
    int root = word_is(key, "ROOT");
    if (root ? in->bones->bones > 0 : in->open == BONE_NONE)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: a %s stands %s", in->at.line,
                        root ? "second ROOT" : "JOINT",
                        root ? "behind the first; one is understood" : "outside of the ROOT");
    if (!lines_rest(&in->at, '{', &name))
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: a joint has no name", in->at.line);
    spd_status status = skeleton_add(in->ctx, in->bones, &name, in->at.line, &number);
    if (status < 0)
        return status;
    in->bones->bone[number].parent = in->open;
    in->open = number;
    return expect(in, "{");
}

/* Where a limb ends is no joint: passed over. */
static spd_status parse_end_site(bvh_reader *in)
{
    double offset[3];
    spd_status status = expect(in, "Site");
    if (status == SPD_OK)
        status = expect(in, "{");
    if (status == SPD_OK)
        status = expect(in, "OFFSET");
    if (status == SPD_OK)
        status = lines_numbers(in->ctx, &in->at, "OFFSET", 3, offset);
    return status == SPD_OK ? expect(in, "}") : status;
}

static spd_status parse_channels(bvh_reader *in, bone *b)
{
    static const char *const names[] = {"Xrotation", "Yrotation", "Zrotation",
                                        "Xposition", "Yposition", "Zposition"};
    word w = {0};
    if (!lines_word(&in->at, &w) || !word_count(&w, &b->channels) || b->channels > MAX_CHANNELS) {
        b->channels = 0;
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: '%s' channels; expected 0 to %d",
                        in->at.line, word_show(&w).text, MAX_CHANNELS);
    }
    for (size_t i = 0; i < b->channels; i++) {
        unsigned char c = 0;
        int got = lines_any_word(&in->at, &w);
        while (got && c < 6 && !word_is(&w, names[c]))
            c++;
        if (!got || c == 6)
            return fail_expected(in, &w, got, "a channel (Xposition ... Zrotation)");
        b->channel[i] = c;
    }
    return SPD_OK;
}

/* What may stand between the braces of a joint. */
static spd_status parse_inside(bvh_reader *in, const word *key)
{
    bone *b = &in->bones->bone[in->open];
    if (word_is(key, "OFFSET"))
        return lines_numbers(in->ctx, &in->at, "OFFSET", 3, b->offset);
    if (word_is(key, "CHANNELS"))
        return parse_channels(in, b);
    if (word_is(key, "JOINT"))
        return open_joint(in, key);
    if (word_is(key, "End"))
        return parse_end_site(in);
    if (word_is(key, "}")) {
        in->open = b->parent;
        return SPD_OK;
    }
    return fail_expected(in, key, 1, "OFFSET, CHANNELS, JOINT, End Site or }");
}

static spd_status read_hierarchy(bvh_reader *in)
{
    word key;
    spd_status status = expect(in, "HIERARCHY");
    while (status == SPD_OK) {
        int got = lines_any_word(&in->at, &key);
        if (!got)
            status = fail_expected(in, &key, 0, in->open == BONE_NONE ? "MOTION" : "}");
        else if (in->open != BONE_NONE)
            status = parse_inside(in, &key);
        else if (word_is(&key, "ROOT") || word_is(&key, "JOINT"))
            status = open_joint(in, &key);
        else if (word_is(&key, "MOTION"))
            break;
        else
            status = fail_expected(in, &key, 1, "ROOT or MOTION");
    }
    if (status == SPD_OK && in->bones->bones == 0)
        status = ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: MOTION without a ROOT", in->at.line);
    if (status == SPD_OK)
        skeleton_number(in->bones);
    if (status == SPD_OK && in->bones->channels == 0)
        status = ctx_fail(in->ctx, SPD_EFORMAT, "no joint has CHANNELS, so nothing can move");
    return status == SPD_OK ? skeleton_sort_tree(in->ctx, in->bones) : status;
}

/* Frames: N, Frame Time: s; *frames and *rate from them. */
static spd_status read_counts(bvh_reader *in, size_t *frames, double *rate)
{
    word w;
    double time;
    spd_status status = expect(in, "Frames:");
    if (status == SPD_OK && (!lines_word(&in->at, &w) || !word_count(&w, frames)))
        status = ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: 'Frames:' has no count", in->at.line);
    if (status == SPD_OK)
        status = expect(in, "Frame");
    if (status == SPD_OK)
        status = expect(in, "Time:");
    if (status == SPD_OK)
        status = lines_numbers(in->ctx, &in->at, "Frame Time:", 1, &time);
    if (status == SPD_OK)
        *rate = time > 0.0 ? 1.0 / time : 0.0;
    return status == SPD_OK ? lines_end(in->ctx, &in->at, "Frame Time:") : status;
}

/* The claim of the header against the lines that are there. */
static spd_status check_count(bvh_reader *in, size_t frames)
{
    lines walk = in->at;
    size_t count = 0;
    while (lines_next(&walk))
        count++;
    if (frames == 0)
        return ctx_fail(in->ctx, SPD_EFORMAT, "there are no frames ('Frames: 0')");
    if (count != frames)
        return ctx_fail(in->ctx, SPD_EFORMAT,
                        "'Frames: %zu', but %zu lines of values follow; the file is %s", frames,
                        count, count < frames ? "cut off" : "damaged");
    return SPD_OK;
}

static spd_status read_frames(bvh_reader *in, size_t frames)
{
    const skeleton *bones = in->bones;
    double *R = mem_alloc(bones->bones, 9 * sizeof *R);
    double *value = mem_alloc(bones->channels, sizeof *value);
    spd_status status = R && value ? skeleton_clip(in->ctx, bones, frames, &in->clip)
                                   : ctx_nomem(in->ctx, "a frame");
    for (size_t f = 0; status == SPD_OK && f < frames; f++) {
        lines_next(&in->at);
        status = lines_numbers(in->ctx, &in->at, "a frame", bones->channels, value);
        if (status == SPD_OK)
            status = lines_end(in->ctx, &in->at, "the values of all channels");
        if (status == SPD_OK)
            skeleton_pose(bones, value, R, in->clip->position + f * 3 * bones->bones);
    }
    mem_free(R);
    mem_free(value);
    return status == SPD_OK ? motion_check(in->ctx, in->clip) : status;
}

static spd_status read_all(bvh_reader *in)
{
    size_t frames = 0;
    double rate = 0.0;
    spd_status status = skeleton_new(in->ctx, POSE_BVH, &in->bones);
    if (status < 0)
        return status;
    in->bones->radians = DEGREE;
    status = read_hierarchy(in);
    if (status == SPD_OK)
        status = read_counts(in, &frames, &rate);
    if (status == SPD_OK)
        status = check_count(in, frames);
    if (status == SPD_OK)
        status = read_frames(in, frames);
    if (status == SPD_OK)
        in->clip->rate = rate;
    return status;
}

spd_status bvh_parse(spd_context *ctx, const char *text, size_t size, motion **clip)
{
    bvh_reader in = {.ctx = ctx, .open = BONE_NONE};
    text_locale saved;
    lines_start(&in.at, text, size, '\0');
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    spd_status status = read_all(&in);
    text_leave_c_locale(&saved);
    if (status == SPD_OK)
        *clip = in.clip;
    else
        motion_free(in.clip);
    skeleton_free(in.bones);
    return status;
}
