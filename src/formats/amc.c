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

typedef struct amc_reader {
    lines at;
    skeleton bones; /* a copy whose unit of angles is that of the motion; owns nothing */
    motion *clip;
    double rate;
    size_t frame;        /* frames begun */
    size_t number, line; /* of this frame */
    size_t *seen;        /* bones: frame that last gave values */
    double *value;       /* channels */
    double *R;           /* bones x 9 */
} amc_reader;

/* A header line; what is not known is passed over. */
static void parse_header(amc_reader *in, const word *key)
{
    if (word_is(key, ":degrees"))
        in->bones.radians = DEGREE;
    if (word_is(key, ":radians"))
        in->bones.radians = 1.0;
    if (word_is(key, ":samples-per-second"))
        lines_numbers(&in->at, ":samples-per-second", 1, &in->rate);
}

/* Behind the last line of a frame: every bone has moved, so that positions follow. */
static void end_frame(amc_reader *in)
{
    const skeleton *bones = &in->bones;
    if (in->frame == 0 || in->at.status < 0)
        return;
    for (size_t i = 0; i < bones->bones; i++)
        if (bones->bone[i].channels && in->seen[i] != in->frame)
            lines_fail(&in->at, in->line, "frame %zu has no values for bone '%s'", in->number,
                       word_show_text(bones->bone[i].name).text);
    skeleton_pose(bones, in->value, in->R, in->clip->position + (in->frame - 1) * 3 * bones->bones);
}

static void begin_frame(amc_reader *in, size_t number)
{
    end_frame(in);
    if (in->frame && number != in->number + 1)
        lines_fail(&in->at, in->at.line, "frame %zu follows frame %zu", number, in->number);
    in->frame++;
    in->number = number;
    in->line = in->at.line;
    lines_end(&in->at, "the number of a frame");
}

static void parse_bone(amc_reader *in, const word *name)
{
    size_t i = skeleton_find(&in->bones, name), line = in->at.line;
    if (i == BONE_NONE)
        lines_fail(&in->at, line,
                   "the skeleton has no bone '%s'; it is not the skeleton of this clip, or the "
                   "line is damaged",
                   word_show(name).text);
    else if (in->frame == 0)
        lines_fail(&in->at, line, "'%s' comes before the first frame", word_show(name).text);
    else if (in->seen[i] == in->frame)
        lines_fail(&in->at, line, "bone '%s' appears twice in frame %zu", word_show(name).text,
                   in->number);
    if (in->at.status < 0)
        return;
    const bone *b = &in->bones.bone[i];
    lines_numbers(&in->at, "values", b->channels, in->value + b->first);
    lines_end(&in->at, "the values");
    if (in->at.status < 0)
        ctx_append(in->at.ctx, " (bone '%s')", word_show(name).text);
    in->seen[i] = in->frame;
}

static void parse_line(amc_reader *in)
{
    word key;
    size_t number;
    lines_word(&in->at, &key);
    if (word_count(&key, &number))
        begin_frame(in, number);
    else if (key.from[0] == ':' && in->frame == 0)
        parse_header(in, &key);
    else
        parse_bone(in, &key);
}

static spd_status prepare(amc_reader *in, size_t frames)
{
    const skeleton *bones = &in->bones;
    in->seen = mem_zero(bones->bones, sizeof *in->seen);
    in->value = mem_zero(bones->channels, sizeof *in->value);
    in->R = mem_alloc(bones->bones, 9 * sizeof *in->R);
    if (!in->seen || !in->value || !in->R)
        return ctx_nomem(in->at.ctx, "a frame");
    return skeleton_clip(in->at.ctx, bones, frames, &in->clip);
}

spd_status amc_parse(spd_context *ctx, const skeleton *bones, const char *text, size_t size,
                     motion **clip)
{
    amc_reader in = {.bones = *bones};
    lines_start(&in.at, ctx, text, size, '#');
    lines walk = in.at;
    word key;
    size_t frames = 0, number;
    while (lines_next(&walk))
        frames += lines_word(&walk, &key) && word_count(&key, &number);
    if (frames == 0)
        return ctx_fail(ctx, SPD_EFORMAT, "there are no frames; is this an .amc file?");
    in.at.status = prepare(&in, frames);
    while (lines_next(&in.at))
        parse_line(&in);
    end_frame(&in);
    spd_status status = in.at.status < 0 ? in.at.status : motion_check(ctx, in.clip);
    mem_free(in.seen);
    mem_free(in.value);
    mem_free(in.R);
    if (status < 0) {
        motion_free(in.clip);
        return status;
    }
    in.clip->rate = in.rate > 0.0 ? in.rate : 0.0;
    *clip = in.clip;
    return SPD_OK;
}
