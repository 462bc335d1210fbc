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

typedef struct bvh_reader {
    lines at;
    skeleton *bones;
    size_t open; /* the innermost joint whose brace is open, or BONE_NONE */
    motion *clip;
} bvh_reader;

static void fail_expected(bvh_reader *in, const word *w, int got, const char *expected)
{
    if (!got)
        lines_fail(&in->at, 0, "the file ends where %s should be", expected);
    else
        lines_fail(&in->at, in->at.line, "'%s' where %s should be", word_show(w).text, expected);
}

/* The next word must be this. */
static void expect(bvh_reader *in, const char *text)
{
    word w;
    int got = lines_any_word(&in->at, &w);
    if (!got || !word_is(&w, text))
        fail_expected(in, &w, got, text);
}

static void open_joint(bvh_reader *in, const word *key)
{
    word name = {"", 0};
    size_t number = 0, line = in->at.line;
    int root = word_is(key, "ROOT");
    if (root ? in->bones->bones > 0 : in->open == BONE_NONE)
        lines_fail(&in->at, line, "a %s %s", root ? "second ROOT" : "JOINT",
                   root ? "follows the first; only one is supported" : "is outside the ROOT");
    if (!lines_rest(&in->at, '{', &name))
        lines_fail(&in->at, line, "a joint has no name");
    if (in->at.status == SPD_OK)
        in->at.status = skeleton_add(in->at.ctx, in->bones, &name, in->at.line, &number);
    if (in->at.status < 0)
        return;
    in->bones->bone[number].parent = in->open;
    in->open = number;
    expect(in, "{");
}

/* Where a limb ends is no joint: passed over. */
static void parse_end_site(bvh_reader *in)
{
    double offset[3];
    expect(in, "Site");
    expect(in, "{");
    expect(in, "OFFSET");
    lines_numbers(&in->at, "OFFSET", 3, offset);
    expect(in, "}");
}

static void parse_channels(bvh_reader *in, bone *b)
{
    static const char *const names[] = {"Xrotation", "Yrotation", "Zrotation",
                                        "Xposition", "Yposition", "Zposition"};
    word w = {0};
    if (!lines_word(&in->at, &w) || !word_count(&w, &b->channels) || b->channels > MAX_CHANNELS) {
        b->channels = 0;
        lines_fail(&in->at, in->at.line, "'%s' channels; expected 0 to %d", word_show(&w).text,
                   MAX_CHANNELS);
    }
    for (size_t i = 0; i < b->channels; i++) {
        unsigned char c = 0;
        int got = lines_any_word(&in->at, &w);
        while (got && c < 6 && !word_is(&w, names[c]))
            c++;
        if (!got || c == 6)
            fail_expected(in, &w, got, "a channel (Xposition ... Zrotation)");
        b->channel[i] = c;
    }
}

/* What may stand between the braces of a joint. */
static void parse_inside(bvh_reader *in, const word *key)
{
    bone *b = &in->bones->bone[in->open];
    if (word_is(key, "OFFSET"))
        lines_numbers(&in->at, "OFFSET", 3, b->offset);
    else if (word_is(key, "CHANNELS"))
        parse_channels(in, b);
    else if (word_is(key, "JOINT"))
        open_joint(in, key);
    else if (word_is(key, "End"))
        parse_end_site(in);
    else if (word_is(key, "}"))
        in->open = b->parent;
    else
        fail_expected(in, key, 1, "OFFSET, CHANNELS, JOINT, End Site or }");
}

static void read_hierarchy(bvh_reader *in)
{
    word key = {0};
    int got = 0;
    expect(in, "HIERARCHY");
    while ((got = lines_any_word(&in->at, &key))) {
        if (in->open != BONE_NONE)
            parse_inside(in, &key);
        else if (word_is(&key, "ROOT") || word_is(&key, "JOINT"))
            open_joint(in, &key);
        else if (word_is(&key, "MOTION"))
            break;
        else
            fail_expected(in, &key, 1, "ROOT or MOTION");
    }
    if (!got)
        fail_expected(in, &key, 0, in->open == BONE_NONE ? "MOTION" : "}");
    if (in->bones->bones == 0)
        lines_fail(&in->at, in->at.line, "MOTION without a ROOT");
    skeleton_number(in->bones);
    if (in->bones->channels == 0)
        lines_fail(&in->at, 0, "no joint has CHANNELS, so nothing can move");
    if (in->at.status == SPD_OK)
        in->at.status = skeleton_sort_tree(in->at.ctx, in->bones);
}

/* Frames: N, Frame Time: s; *frames and *rate from them. */
static void read_counts(bvh_reader *in, size_t *frames, double *rate)
{
    word w;
    double time = 0.0;
    expect(in, "Frames:");
    if (!lines_word(&in->at, &w) || !word_count(&w, frames))
        lines_fail(&in->at, in->at.line, "'Frames:' has no count");
    expect(in, "Frame");
    expect(in, "Time:");
    lines_numbers(&in->at, "Frame Time:", 1, &time);
    lines_end(&in->at, "Frame Time:");
    *rate = time > 0.0 ? 1.0 / time : 0.0;
}

/* The claim of the header against the lines that are there. */
static void check_count(bvh_reader *in, size_t frames)
{
    lines walk = in->at;
    size_t count = 0;
    while (lines_next(&walk))
        count++;
    if (frames == 0)
        lines_fail(&in->at, 0, "there are no frames ('Frames: 0')");
    if (count != frames)
        lines_fail(&in->at, 0, "'Frames: %zu', but %zu lines of values follow; the file is %s",
                   frames, count, count < frames ? "cut off" : "damaged");
}

static spd_status read_frames(bvh_reader *in, size_t frames)
{
    const skeleton *bones = in->bones;
    double *R = mem_alloc(bones->bones, 9 * sizeof *R);
    double *value = mem_alloc(bones->channels, sizeof *value);
    spd_status status = R && value ? skeleton_clip(in->at.ctx, bones, frames, &in->clip)
                                   : ctx_nomem(in->at.ctx, "a frame");
    for (size_t f = 0; status == SPD_OK && f < frames; f++) {
        lines_next(&in->at);
        lines_numbers(&in->at, "a frame", bones->channels, value);
        lines_end(&in->at, "the values of all channels");
        status = in->at.status;
        if (status == SPD_OK)
            skeleton_pose(bones, value, R, in->clip->position + f * 3 * bones->bones);
    }
    mem_free(R);
    mem_free(value);
    return status == SPD_OK ? motion_check(in->at.ctx, in->clip) : status;
}

static spd_status read_all(bvh_reader *in)
{
    size_t frames = 0;
    double rate = 0.0;
    spd_status status = skeleton_new(in->at.ctx, POSE_BVH, &in->bones);
    if (status < 0)
        return status;
    in->bones->radians = DEGREE;
    read_hierarchy(in);
    read_counts(in, &frames, &rate);
    check_count(in, frames);
    status = in->at.status;
    if (status == SPD_OK)
        status = read_frames(in, frames);
    if (status == SPD_OK)
        in->clip->rate = rate;
    return status;
}

spd_status bvh_parse(spd_context *ctx, const char *text, size_t size, motion **clip)
{
    bvh_reader in = {.open = BONE_NONE};
    lines_start(&in.at, ctx, text, size, '\0');
    spd_status status = read_all(&in);
    if (status == SPD_OK)
        *clip = in.clip;
    else
        motion_free(in.clip);
    skeleton_free(in.bones);
    return status;
}
