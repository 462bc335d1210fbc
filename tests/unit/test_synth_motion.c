/* test_synth_motion.c - generated motion capture, read back by the parsers of src/io: skeletons,
 * clips, index; curves against a slow twin; same seed, same bytes. */
#include "formats/motion.h"
#include "synth/motion.h"
#include "synth/synth.h"
#include "unit/test_io_common.h"

OWNER(motion)
OWNER(skeleton)

enum { JOINTS = 31, MOST_BYTES = 1 << 20 };
#define UNIT 0.45 /* of lengths in the .asf */

static spd_synth_options small(void)
{
    spd_synth_options o;
    spd_synth_defaults(SPD_SYNTH_MOTION, &o, sizeof o);
    o.seed = 5;
    o.subjects = 2;
    o.samples = 2;
    o.frames = 60;
    return o;
}

/* text <- the bytes of file number i, which is removed again; their number. */
static size_t written(const spd_synth_options *o, size_t i, const char *name, char *text)
{
    spd_status status = synth_write(ctx, &generator_motion, o, scratch_folder, i);
    CHECK(status == SPD_OK, "file %zu: %s", i, said(ctx));
    size_t size = get_file(scratch(name), text, MOST_BYTES);
    CHECK(size > 0 && size < MOST_BYTES, "%s: %zu bytes", name, size);
    scratch_each(scratch_remove);
    return size;
}

/* Number of a clip's file. */
static size_t number(const spd_synth_options *o, size_t subject, size_t act, size_t repeat)
{
    return o->subjects + (subject * o->classes + act) * o->samples + repeat;
}

static motion *read_clip(const spd_synth_options *o, size_t subject, size_t act, size_t repeat)
{
    char asf_name[20], amc_name[80], *text = take(MOST_BYTES);
    OWN(skeleton) bones = NULL;
    motion *moves = NULL;
    snprintf(asf_name, sizeof asf_name, "%c.asf", (char)('a' + (int)subject));
    snprintf(amc_name, sizeof amc_name, "%c_%s_%02zu.amc", (char)('a' + (int)subject),
             actions[act].name, repeat + 1);
    size_t size = written(o, subject, asf_name, text);
    CHECK_OK(ctx, skeleton_parse(ctx, text, size, &bones));
    size = written(o, number(o, subject, act, repeat), amc_name, text);
    CHECK(amc_parse(ctx, bones, text, size, &moves) == SPD_OK, "%s: %s", amc_name, said(ctx));
    if (!moves)
        abort();
    return moves;
}

static double distance(const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < 3; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* The parsers find 31 joints, and forward kinematics keeps every bone as long as it was drawn. */
TEST(clips_are_read_back)
{
    spd_synth_options o = small();
    body other, b;
    body_draw(o.seed, 0, &other);
    body_draw(o.seed, 1, &b);
    CHECK(fabs(other.length[BODY_LFEMUR] - b.length[BODY_LFEMUR]) > 1e-3, "people are alike");
    for (size_t a = 0; a < o.classes; a++) {
        OWN(motion) moves = read_clip(&o, 1, a, 0);
        CHECK(moves->joints == JOINTS && moves->rate == 120.0, "%zu joints", moves->joints);
        CHECK(moves->frames >= 24 && moves->frames <= 120, "%zu frames", moves->frames);
        for (size_t f = 0; f < moves->frames; f += 7)
            for (size_t j = 1; j < JOINTS; j++) {
                const bone_plan *plan = &body_plan[j];
                const double *frame = moves->position + f * 3 * JOINTS;
                double zero[3] = {0}, unit = distance(plan->direction, zero);
                CHECK_CLOSE(distance(frame + 3 * j, frame + 3 * plan->parent) * UNIT,
                            b.length[j] * unit, 1e-4, "%s, frame %zu", plan->name, f);
            }
        CHECK(strcmp(moves->name[0], "root") == 0 && strcmp(moves->name[30], "rthumb") == 0, "%s",
              moves->name[30]);
    }
}

/* Lowest and highest joint over a moves, in inches. */
static void extent(const motion *moves, size_t f, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t j = 0; j < moves->joints; j++) {
        const double y = moves->position[(f * moves->joints + j) * 3 + 1];
        *low = y < *low ? y : *low;
        *high = y > *high ? y : *high;
    }
}

static size_t action_named(const char *name)
{
    size_t a = 0;
    while (strcmp(actions[a].name, name) != 0)
        a++;
    return a;
}

/* Feet on the ground: who claps stands, who has lain down lies, who stood up stands. */
TEST(bodies_stand_and_lie)
{
    spd_synth_options o = small();
    double low, high;
    OWN(motion) clap = read_clip(&o, 0, action_named("clapAboveHead"), 0);
    for (size_t f = 0; f < clap->frames; f++) {
        extent(clap, f, &low, &high);
        CHECK(low > -6.0 && low < 6.0 && high > 45.0, "frame %zu: %g to %g", f, low, high);
    }
    OWN(motion) lie = read_clip(&o, 0, action_named("lieDownFloor"), 0);
    extent(lie, 0, &low, &high);
    CHECK(high > 45.0, "begins at %g", high);
    extent(lie, lie->frames - 1, &low, &high);
    CHECK(high < 25.0, "ends at %g", high);
    OWN(motion) rise = read_clip(&o, 0, action_named("standUpLie"), 0);
    extent(rise, rise->frames - 1, &low, &high);
    CHECK(high > 45.0, "ends at %g", high);
}

/* Where the body looks at first: across the hips, in degrees. */
static double heading(const motion *moves)
{
    const double *l = moves->position + 3 * BODY_LHIPJOINT,
                 *r = moves->position + 3 * BODY_RHIPJOINT;
    return atan2(-(l[2] - r[2]), l[0] - r[0]) / STYLE_DEGREE;
}

TEST(every_clip_has_a_place_and_a_heading)
{
    spd_synth_options o = small();
    OWN(motion) first = read_clip(&o, 0, 0, 0), *second = read_clip(&o, 0, 0, 1);
    CHECK(fabs(heading(first) - heading(second)) > 2.0, "%g", heading(first));
    CHECK(distance(first->position, second->position) > 1.0, "one place");
    clip_key key = {.seed = o.seed};
    for (key.repeat = 0; key.repeat < 2; key.repeat++) {
        style how;
        style_draw(&key, &how);
        double turned = heading(key.repeat ? second : first) - how.heading;
        CHECK(cos(turned * STYLE_DEGREE) > 0.95, "heading %g, looks %g away", how.heading, turned);
    }
}

/* Catmull-Rom by its Hermite form: h00 a + h10 m0 + h01 b + h11 m1. */
static double twin_spline(const double *key, double t)
{
    size_t i = t < 1.0 ? (size_t)(t * 6.0) : 5;
    double u = t * 6.0 - (double)i;
    double before = i ? key[i - 1] : key[0], after = i < 5 ? key[i + 2] : key[6];
    double m0 = (key[i + 1] - before) / 2.0, m1 = (after - key[i]) / 2.0;
    return (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u) * key[i] + u * (1.0 - u) * (1.0 - u) * m0 +
           u * u * (3.0 - 2.0 * u) * key[i + 1] + u * u * (u - 1.0) * m1;
}

TEST(splines)
{
    const double key[ACTION_KEYS] = {3, -20, 50, 50, 7, 120, -1};
    for (size_t i = 0; i < ACTION_KEYS; i++)
        CHECK_CLOSE(action_spline(key, (double)i / 6.0), key[i], 1e-12, "key %zu", i);
    for (double t = 0.0; t <= 1.0; t += 0.013)
        CHECK_CLOSE(action_spline(key, t), twin_spline(key, t), 1e-11, "t = %g", t);
    CHECK(action_spline(key, -0.5) == 3.0 && action_spline(key, 7.0) == -1.0, "outside");
}

TEST(action_table)
{
    for (size_t a = 0; a < ACTIONS; a++) {
        size_t curves = 0;
        while (curves < ACTION_CURVES && actions[a].curve[curves].control[0] != CONTROL_NONE)
            curves++;
        CHECK(curves >= 3 && curves < ACTION_CURVES, "%s: %zu curves", actions[a].name, curves);
        for (size_t b = 0; b < a; b++)
            CHECK(strcmp(actions[a].name, actions[b].name) != 0, "%s", actions[a].name);
    }
}

TEST(index_names_every_clip)
{
    spd_synth_options o = small();
    char *text = take(MOST_BYTES), want[100];
    size_t size = written(&o, synth_count(&generator_motion, &o) - 1, "index.csv", text), lines = 0;
    text[size] = '\0';
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    CHECK(lines == 1 + 2 * 14 * 2, "%zu lines", lines);
    CHECK(strncmp(text, "file,action,subject\n", 20) == 0, "%.30s", text);
    for (size_t i = 0; i < 14; i++) {
        snprintf(want, sizeof want, "\nb_%s_02.amc,%s,b\n", actions[i].name, actions[i].name);
        CHECK(strstr(text, want), "no%s", want);
    }
    CHECK(synth_count(&generator_motion, &o) == 2 + 56 + 1, "%zu files",
          synth_count(&generator_motion, &o));
}

TEST(seed_alone_decides)
{
    spd_synth_options o = small();
    char *one = take(MOST_BYTES), *two = take(MOST_BYTES);
    size_t i = number(&o, 1, 2, 1), size = written(&o, i, "b_elbowToKnee_02.amc", one);
    CHECK(written(&o, i, "b_elbowToKnee_02.amc", two) == size && memcmp(one, two, size) == 0,
          "the same seed gives other bytes");
    o.seed++;
    size_t other = written(&o, i, "b_elbowToKnee_02.amc", two);
    CHECK(other != size || memcmp(one, two, size) != 0, "another seed gives the same bytes");
}

static void refused(spd_synth_options o, const char *words)
{
    ctx_clear(ctx);
    CHECK_FAILED(ctx, generator_motion.check(ctx, &o), SPD_EINVAL, words);
}

TEST(options_without_sense)
{
    spd_synth_options o = small();
    CHECK(generator_motion.check(ctx, &o) == SPD_OK, "good options");
    o.classes = 15;
    refused(o, "15 actions|1 to 14");
    o = small();
    o.subjects = 27;
    refused(o, "27 subjects|26");
    o = small();
    o.samples = 0;
    refused(o, "0 repetitions");
    o = small();
    o.frames = 3;
    refused(o, "3 frames|20");
}

/* Skeleton, clip and index: SPD_ENOMEM, no leak, no file. */
TEST(memory_runs_out)
{
    spd_synth_options o = small();
    const size_t files[] = {0, 5, synth_count(&generator_motion, &o) - 1};
    for (size_t i = 0; i < 3; i++) {
        for (sweep_state s = SWEEP(ctx, 2, NULL, 0); sweep_on(&s);) {
            s.status = synth_write(ctx, &generator_motion, &o, scratch_folder, files[i]);
            CHECK(scratch_each(NULL) == (s.status == SPD_OK), "file %zu, allocation %ld", files[i],
                  s.k);
        }
        scratch_each(scratch_remove);
    }
}

TEST(folder_that_is_not_there)
{
    spd_synth_options o = small();
    ctx_clear(ctx);
    CHECK_FAILED(ctx, synth_write(ctx, &generator_motion, &o, "nowhere/at/all", 0), SPD_EIO,
                 "a.asf|No such file");
}
