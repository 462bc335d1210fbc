/* faces.c - grey images of people in nine poses: folder/subject_pose.png, and index.csv, the last
 * file, with the columns file, subject, pose.
 *
 * A person comes from (seed, person), an image from (seed, person, pose): asking for more people
 * leaves those who were there as they were. */
#include <math.h>
#include <stdio.h>

#include "synth/face.h"
#include "synth/synth.h"

#define POSES       (sizeof poses / sizeof *poses)
#define MOST_PEOPLE 99999
#define SMALLEST    16
#define LARGEST     2048
#define FACE_SALT   0xface /* apart from the other kinds of the same seed */
#define RADIANS     0.017453292519943295

#define CLOSE 1.2 /* the face fills the image */

/* How much images of one person differ, whatever the pose. */
#define YAW_SPREAD   1.0 /* degrees */
#define PITCH_SPREAD 1.2
#define ROLL_SPREAD  0.8
#define SCALE_SPREAD 0.008
#define SHIFT_SPREAD 0.006
#define LAMP_SPREAD  0.05
#define GAIN_SPREAD  0.04
#define MOOD_SPREAD  0.12 /* of a full expression */
#define NOISE        0.006

/* The names are those of the FERET set. */
typedef struct pose {
    const char *name;
    double yaw; /* degrees */
    double mood, side_light;
} pose;

static const pose poses[] = {
    {"ba", 0.0, 0.0, 0.0},   {"bj", 0.0, 1.0, 0.0},   {"bk", 0.0, 0.0, 1.0},
    {"bc", 40.0, 0.0, 0.0},  {"bd", 25.0, 0.0, 0.0},  {"be", 15.0, 0.0, 0.0},
    {"bf", -15.0, 0.0, 0.0}, {"bg", -25.0, 0.0, 0.0}, {"bh", -40.0, 0.0, 0.0}};

/* ---- a shot --------------------------------------------------------------------------------- */

static void draw_mood(rng *r, double amount, expression *e)
{
    const double smile = amount + MOOD_SPREAD * rng_normal(r), open = rng_uniform(r);
    const double raised = rng_uniform(r), frown = rng_normal(r);
    e->smile = 0.06 * smile;
    e->wide = 0.2 * smile;
    e->open = amount > 0.0 ? 0.07 * open : 0.0;
    e->brow = 0.03 * amount * raised + 0.008 * frown;
}

static void draw_light(rng *r, double side, shot *s)
{
    const double from = rng_uniform(r) < 0.5 ? -1.0 : 1.0, far = 0.7 + 0.4 * rng_uniform(r);
    s->lamp[0] = side * from * far + LAMP_SPREAD * rng_normal(r);
    s->lamp[1] = 0.35 + LAMP_SPREAD * rng_normal(r);
    s->lamp[2] = 1.0;
    s->ambient = 0.3 + 0.15 * side;
    s->gain = (1.2 - 0.2 * side) * exp(GAIN_SPREAD * rng_normal(r));
    s->backdrop = 0.45 + 0.01 * rng_normal(r);
}

static void draw_shot(rng *r, const pose *how, shot *s)
{
    draw_mood(r, how->mood, &s->mood);
    draw_light(r, how->side_light, s);
    s->yaw = RADIANS * (how->yaw + YAW_SPREAD * rng_normal(r));
    s->pitch = RADIANS * PITCH_SPREAD * rng_normal(r);
    s->roll = RADIANS * ROLL_SPREAD * rng_normal(r);
    s->scale = CLOSE * exp(SCALE_SPREAD * rng_normal(r));
    s->shift[0] = SHIFT_SPREAD * rng_normal(r);
    s->shift[1] = SHIFT_SPREAD * rng_normal(r);
    s->noise = NOISE;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void faces_name(const spd_synth_options *o, size_t i, char *name)
{
    (void)o;
    snprintf(name, SYNTH_NAME, "%03zu_%s.png", i / POSES + 1, poses[i % POSES].name);
}

static int faces_row(const spd_synth_options *o, size_t i, char *row)
{
    (void)o;
    return snprintf(row, SYNTH_NAME, "%zu,%s", i / POSES + 1, poses[i % POSES].name);
}

static spd_status faces_write(spd_context *ctx, const spd_synth_options *o, const char *path,
                              size_t i)
{
    const size_t subject = i / POSES, which = i % POSES;
    person who;
    shot how = {0};
    image *picture = NULL;
    rng r;
    rng_seed(&r, rng_key(o->seed ^ FACE_SALT, subject, 0));
    face_draw(&r, &who);
    rng_seed(&r, rng_key(o->seed ^ FACE_SALT, subject, 1 + which));
    draw_shot(&r, &poses[which], &how);
    spd_status status = face_render(ctx, &who, &how, o->side, &r, &picture);
    if (status >= 0)
        status = image_write(ctx, path, picture);
    image_free(picture);
    return status;
}

static spd_status faces_check(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > MOST_PEOPLE)
        return ctx_fail(ctx, SPD_EINVAL, "faces of %zu people; expected 1 to %d", o->classes,
                        MOST_PEOPLE);
    if (o->side < SMALLEST || o->side > LARGEST)
        return ctx_fail(ctx, SPD_EINVAL, "faces of %zu x %zu pixels; sides must be %d to %d",
                        o->side, o->side, SMALLEST, LARGEST);
    return SPD_OK;
}

static size_t faces_files(const spd_synth_options *o)
{
    return o->classes * POSES;
}

const generator generator_faces = {.usual = {.classes = 200, .side = 64},
                                   .check = faces_check,
                                   .files = faces_files,
                                   .name_file = faces_name,
                                   .write = faces_write,
                                   .index = "file,subject,pose",
                                   .row = faces_row};
