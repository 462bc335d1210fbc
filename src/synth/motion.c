/* motion.c - people performing actions, as a folder of motion capture.
 *
 *   a.asf, b.asf, ...             a skeleton for each subject
 *   a_clapAboveHead_01.amc, ...   a clip for each subject, action and repeat
 *   index.csv                     file, action, subject of every clip
 *
 * Files are numbered in this order, clips with the repeat fastest, then the action. */
#include <stdio.h>

#include "base/memory.h"
#include "formats/outfolder.h"
#include "io/text.h"
#include "synth/motion_text.h"
#include "synth/synth.h"

#define MOST_SUBJECTS 26 /* letters */
#define MOST_REPEATS  1000
#define NAME_ROOM     80

static void fill_defaults(spd_synth_options *options)
{
    options->classes = action_count();
    options->subjects = 5;
    options->samples = 4;
    options->frames = 150;
}

static spd_status check_options(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > action_count())
        return ctx_fail(ctx, SPD_EINVAL, "%zu actions; expected 1 to %zu", o->classes,
                        action_count());
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

static size_t count_clips(const spd_synth_options *o)
{
    return o->subjects * o->classes * o->samples;
}

static size_t count_files(const spd_synth_options *options)
{
    return options->subjects + count_clips(options) + 1;
}

static char letter(size_t subject)
{
    return (char)('a' + (int)subject);
}

/* Subject, action and repeat of clip number i. */
static clip_key key_of(const spd_synth_options *o, size_t i)
{
    return (clip_key){.seed = o->seed,
                      .subject = i / (o->classes * o->samples),
                      .action = i / o->samples % o->classes,
                      .repeat = i % o->samples};
}

static void name_clip(const clip_key *key, char *name)
{
    snprintf(name, NAME_ROOM, "%c_%s_%02zu.amc", letter(key->subject), action_at(key->action)->name,
             key->repeat + 1);
}

/* ---- what the files hold -----------------------------------------------------------------------
 */

static void fill_skeleton(const spd_synth_options *o, size_t subject, outfile *out)
{
    const char name[] = {letter(subject), '\0'};
    body b;
    body_draw(o->seed, subject, &b);
    motion_text_asf(&b, name, out);
}

static spd_status fill_clip(spd_context *ctx, const spd_synth_options *o, size_t i, outfile *out)
{
    const clip_key key = key_of(o, i);
    clip c;
    spd_status status = clip_make(ctx, &key, o->frames, &c);
    if (status < 0)
        return status;
    motion_text_amc(&c, out);
    clip_free(&c);
    return SPD_OK;
}

static void fill_index(const spd_synth_options *o, outfile *out)
{
    outfile_print(out, "file,action,subject\n");
    for (size_t i = 0; i < count_clips(o); i++) {
        const clip_key key = key_of(o, i);
        char name[NAME_ROOM];
        name_clip(&key, name);
        outfile_print(out, "%s,%s,%c\n", name, action_at(key.action)->name, letter(key.subject));
    }
}

static spd_status fill(spd_context *ctx, const spd_synth_options *o, size_t i, outfile *out)
{
    if (i >= o->subjects && i - o->subjects < count_clips(o))
        return fill_clip(ctx, o, i - o->subjects, out);
    if (i < o->subjects)
        fill_skeleton(o, i, out);
    else
        fill_index(o, out);
    return SPD_OK;
}

static void name_file(const spd_synth_options *o, size_t i, char *name)
{
    if (i < o->subjects) {
        snprintf(name, NAME_ROOM, "%c.asf", letter(i));
    } else if (i - o->subjects < count_clips(o)) {
        const clip_key key = key_of(o, i - o->subjects);
        name_clip(&key, name);
    } else {
        snprintf(name, NAME_ROOM, "index.csv");
    }
}

/* ---- files -------------------------------------------------------------------------------------
 */

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

static spd_status write_number(spd_context *ctx, const spd_synth_options *options,
                               const char *folder, size_t i)
{
    char name[NAME_ROOM], *path;
    name_file(options, i, name);
    spd_status status = outfolder_path(ctx, folder, name, &path);
    if (status < 0)
        return status;
    status = write_file(ctx, options, path, i);
    if (status < 0)
        ctx_prefix(ctx, name);
    mem_free(path);
    return status;
}

const generator generator_motion = {
    .defaults = fill_defaults,
    .check = check_options,
    .files = count_files,
    .write = write_number,
};
