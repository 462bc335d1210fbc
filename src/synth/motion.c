/* motion.c - people performing actions, as a folder of motion capture.
 *
 *   a.asf, b.asf, ...             a skeleton for each subject
 *   a_clapAboveHead_01.amc, ...   a clip for each subject, action and repeat
 *   index.csv                     file, action, subject of every clip
 *
 * Files are numbered in this order, clips with the repeat fastest, then the action. */
#include <stdio.h>

#include "io/text.h"
#include "synth/motion_text.h"
#include "synth/synth.h"

#define MOST_SUBJECTS 26 /* letters */
#define MOST_REPEATS  1000

static spd_status check_options(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > ACTIONS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu actions; expected 1 to %d", o->classes, ACTIONS);
    if (o->subjects < 1 || o->subjects > MOST_SUBJECTS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu subjects; expected 1 to %d", o->subjects,
                        MOST_SUBJECTS);
    if (o->samples < 1 || o->samples > MOST_REPEATS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu repetitions of an action; expected 1 to %d",
                        o->samples, MOST_REPEATS);
    if (o->frames < 20 || o->frames > 10000)
        return ctx_fail(ctx, SPD_EINVAL, "%zu frames in a clip; expected 20 to 10000", o->frames);
    return SPD_OK;
}

static size_t count_files(const spd_synth_options *o)
{
    return o->subjects + o->subjects * o->classes * o->samples;
}

static char letter(size_t subject)
{
    return (char)('a' + (int)subject);
}

/* Subject, action and repeat of file number i, which is a clip. */
static clip_key key_of(const spd_synth_options *o, size_t i)
{
    i -= o->subjects;
    return (clip_key){.seed = o->seed,
                      .subject = i / (o->classes * o->samples),
                      .action = i / o->samples % o->classes,
                      .repeat = i % o->samples};
}

static void name_file(const spd_synth_options *o, size_t i, char *name)
{
    if (i < o->subjects) {
        snprintf(name, SYNTH_NAME, "%c.asf", letter(i));
        return;
    }
    const clip_key key = key_of(o, i);
    snprintf(name, SYNTH_NAME, "%c_%s_%02zu.amc", letter(key.subject), actions[key.action].name,
             key.repeat + 1);
}

static int index_row(const spd_synth_options *o, size_t i, char *row)
{
    if (i < o->subjects)
        return 0;
    const clip_key key = key_of(o, i);
    return snprintf(row, SYNTH_NAME, "%s,%c", actions[key.action].name, letter(key.subject));
}

static spd_status fill(spd_context *ctx, const spd_synth_options *o, size_t i, outfile *out)
{
    if (i < o->subjects) {
        const char name[] = {letter(i), '\0'};
        body b;
        body_draw(o->seed, i, &b);
        motion_text_asf(&b, name, out);
        return SPD_OK;
    }
    const clip_key key = key_of(o, i);
    clip c;
    spd_status status = clip_make(ctx, &key, o->frames, &c);
    if (status < 0)
        return status;
    motion_text_amc(&c, out);
    clip_free(&c);
    return SPD_OK;
}

static spd_status write_file(spd_context *ctx, const spd_synth_options *options, const char *path,
                             size_t i)
{
    outfile *out;
    text_locale saved;
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    spd_status status = outfile_open(ctx, path, &out);
    if (status >= 0)
        status = outfile_close(out, fill(ctx, options, i, out));
    text_leave_c_locale(&saved);
    return status;
}

const generator generator_motion = {
    .name = "motion",
    .usual = {.classes = ACTIONS, .subjects = 5, .samples = 4, .frames = 150},
    .check = check_options,
    .files = count_files,
    .name_file = name_file,
    .write = write_file,
    .index = "file,action,subject",
    .row = index_row,
};
