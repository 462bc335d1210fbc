/* amc.c - Acclaim motion: for every frame its number, then a line of values for each bone.
 *
 *   :FULLY-SPECIFIED
 *   :DEGREES                      or :RADIANS; else as the skeleton says
 *   1
 *   root 3.0 16.2 -15.6 0.8 -7.3 -1.0
 *   lowerback 12.5 -2.9 0.4
 *   ...
 *
 * The text is walked twice: once to count the frames, once to read them. */
#include "base/memory.h"
#include "formats/kinematics.h"
#include "io/text.h"

typedef struct amc_reader {
    spd_context *ctx;
    lines at;
    skeleton bones; /* a copy whose unit of angles is that of the motion; owns nothing */
    size_t moving;  /* bones with channels */
    motion *clip;
    double rate;
    size_t frame;        /* frames begun */
    size_t number, line; /* of this frame */
    size_t given;        /* bones that have their values */
    size_t *seen;        /* bones: frame that last gave values */
    double *value;       /* channels */
    double *R;           /* bones x 9 */
} amc_reader;

/* A header line; what is not known is passed over. */
static spd_status parse_header(amc_reader *in, const word *key)
{
    if (word_is(key, ":degrees"))
        in->bones.radians = DEGREE;
    if (word_is(key, ":radians"))
        in->bones.radians = 1.0;
    if (word_is(key, ":samples-per-second"))
        return lines_numbers(in->ctx, &in->at, ":samples-per-second", 1, &in->rate);
    return SPD_OK;
}

/* Behind the last line of a frame: every bone has moved, so that positions follow. */
static spd_status end_frame(amc_reader *in)
{
    if (in->frame == 0)
        return SPD_OK;
    const skeleton *bones = &in->bones;
    for (size_t i = 0; in->given < in->moving && i < bones->bones; i++)
        if (bones->bone[i].channels && in->seen[i] != in->frame)
            return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: frame %zu has no values for bone '%s'",
                            in->line, in->number, word_show_text(bones->bone[i].name).text);
    skeleton_pose(bones, in->value, in->R, in->clip->position + (in->frame - 1) * 3 * bones->bones);
    return SPD_OK;
}

static spd_status begin_frame(amc_reader *in, size_t number)
{
    spd_status status = end_frame(in);
    if (status < 0)
        return status;
    if (in->frame && number != in->number + 1)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: frame %zu follows frame %zu", in->at.line,
                        number, in->number);
    in->frame++;
    in->number = number;
    in->line = in->at.line;
    in->given = 0;
    return lines_end(in->ctx, &in->at, "the number of a frame");
}

static spd_status parse_bone(amc_reader *in, const word *name)
{
    size_t i = skeleton_find(&in->bones, name);
    if (i == BONE_NONE)
        return ctx_fail(in->ctx, SPD_EFORMAT,
                        "line %zu: the skeleton has no bone '%s'; it is not the skeleton of this "
                        "clip, or the line is damaged",
                        in->at.line, word_show(name).text);
    const bone *b = &in->bones.bone[i];
    if (in->frame == 0)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: '%s' stands before the first frame",
                        in->at.line, word_show(name).text);
    if (in->seen[i] == in->frame)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: bone '%s' is twice in frame %zu",
                        in->at.line, word_show(name).text, in->number);
    spd_status status =
        lines_numbers(in->ctx, &in->at, "values", b->channels, in->value + b->first);
    if (status == SPD_OK)
        status = lines_end(in->ctx, &in->at, "the values");
    if (status < 0)
        ctx_append(in->ctx, " (bone '%s')", word_show(name).text);
    in->seen[i] = in->frame;
    in->given += b->channels > 0;
    return status;
}

static spd_status parse_line(amc_reader *in)
{
    word key;
    size_t number;
    lines_word(&in->at, &key);
    if (word_count(&key, &number))
        return begin_frame(in, number);
    if (key.from[0] == ':' && in->frame == 0)
        return parse_header(in, &key);
    return parse_bone(in, &key);
}

static size_t count_frames(lines walk)
{
    size_t frames = 0, number;
    word key;
    while (lines_next(&walk))
        frames += lines_word(&walk, &key) && word_count(&key, &number);
    return frames;
}

static spd_status prepare(amc_reader *in, size_t frames)
{
    const skeleton *bones = &in->bones;
    for (size_t i = 0; i < bones->bones; i++)
        in->moving += bones->bone[i].channels > 0;
    in->seen = mem_zero(bones->bones, sizeof *in->seen);
    in->value = mem_zero(bones->channels, sizeof *in->value);
    in->R = mem_alloc(bones->bones, 9 * sizeof *in->R);
    if (!in->seen || !in->value || !in->R)
        return ctx_nomem(in->ctx, "a frame");
    return skeleton_clip(in->ctx, bones, frames, &in->clip);
}

static spd_status read_frames(amc_reader *in, size_t frames)
{
    spd_status status = prepare(in, frames);
    while (status == SPD_OK && lines_next(&in->at))
        status = parse_line(in);
    if (status == SPD_OK)
        status = end_frame(in);
    if (status == SPD_OK)
        status = motion_check(in->ctx, in->clip);
    mem_free(in->seen);
    mem_free(in->value);
    mem_free(in->R);
    return status;
}

spd_status amc_parse(spd_context *ctx, const skeleton *bones, const char *text, size_t size,
                     motion **clip)
{
    amc_reader in = {.ctx = ctx, .bones = *bones};
    text_locale saved;
    lines_start(&in.at, text, size, '#');
    size_t frames = count_frames(in.at);
    if (frames == 0)
        return ctx_fail(ctx, SPD_EFORMAT, "there are no frames; is this an .amc file?");
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    spd_status status = read_frames(&in, frames);
    text_leave_c_locale(&saved);
    if (status == SPD_OK) {
        in.clip->rate = in.rate > 0.0 ? in.rate : 0.0;
        *clip = in.clip;
    } else {
        motion_free(in.clip);
    }
    return status;
}
