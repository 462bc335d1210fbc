/* test_motion_acclaim.c - .asf and .amc against forward kinematics from its formula, by hand, and
 * with everything that can be wrong in a file. */
#include "unit/test_motion_common.h"

OWNER(skeleton)

/* ---- a random body, and its positions by definition ------------------------------------------ */

enum { MAX_BONES = 12 };

typedef struct body {
    int bones; /* without the root, which is 0 */
    int parent[MAX_BONES + 1];
    double direction[MAX_BONES + 1][3], length[MAX_BONES + 1];
    double axis[MAX_BONES + 1][3];
    char axis_order[MAX_BONES + 1][4];
    int dofs[MAX_BONES + 1];
    char dof[MAX_BONES + 1][7]; /* letters X Y Z turn, x y z move */
    double value[MAX_BONES + 1][6];
} body;

static const char *const orders[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"};

static double between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

static void random_bone(rng *r, body *b, int j)
{
    for (int i = 0; i < 3; i++) {
        b->direction[j][i] = rng_normal(r);
        b->axis[j][i] = between(r, -180, 180);
    }
    b->length[j] = between(r, 0.1, 9.0);
    memcpy(b->axis_order[j], orders[rng_below(r, 6)], 4);
    b->dofs[j] = (int)rng_below(r, 4); /* none, or the first ones of an order */
    memcpy(b->dof[j], orders[rng_below(r, 6)], 4);
    b->parent[j] = 0;
}

/* Bones hang on each other in the order of a random permutation, not of the file. */
static void random_body(rng *r, body *b, int bones)
{
    int rank[MAX_BONES + 1];
    b->bones = bones;
    for (int j = 0; j <= bones; j++) {
        random_bone(r, b, j);
        rank[j] = j;
    }
    for (int j = bones; j > 1; j--) {
        int k = 1 + (int)rng_below(r, (size_t)j), swap = rank[j];
        rank[j] = rank[k];
        rank[k] = swap;
    }
    for (int j = 1; j <= bones; j++)
        b->parent[rank[j]] = rank[rng_below(r, (size_t)j)];
    b->dofs[0] = 6;
    memcpy(b->dof[0], rng_below(r, 2) ? "xyzXYZ" : "zXyYZx", 7);
}

static void random_pose(rng *r, body *b)
{
    for (int j = 0; j <= b->bones; j++)
        for (int c = 0; c < b->dofs[j]; c++)
            b->value[j][c] = between(r, -400, 400);
}

static void write_dofs(text_buffer *out, const body *b, int j)
{
    for (int c = 0; c < b->dofs[j]; c++) {
        char letter = b->dof[j][c];
        int moves = letter >= 'x';
        put(out, " %c%c", moves ? 't' : 'r', moves ? letter : letter - 'X' + 'x');
    }
    put(out, "\n");
}

static void write_asf(text_buffer *out, const body *b, double unit)
{
    put(out, "# a comment \xfc\n:version 1.10\n:units\n mass 1\n length %.17g\n angle deg\n", unit);
    put(out, ":documentation\n begin with nothing; end\n:root\n axis %s\n order", b->axis_order[0]);
    write_dofs(out, b, 0);
    put(out, " position %.17g %.17g %.17g\n", b->direction[0][0], b->direction[0][1],
        b->direction[0][2]);
    put(out, " orientation %.17g %.17g %.17g\n:bonedata\n", b->axis[0][0], b->axis[0][1],
        b->axis[0][2]);
    for (int j = 1; j <= b->bones; j++) {
        put(out, " begin\n id %d\n name bone%d\n direction %.17g %.17g %.17g\n length %.17g\n", j,
            j, b->direction[j][0], b->direction[j][1], b->direction[j][2], b->length[j]);
        put(out, " axis %.17g %.17g %.17g %s\n", b->axis[j][0], b->axis[j][1], b->axis[j][2],
            b->axis_order[j]);
        if (b->dofs[j]) {
            put(out, " dof");
            write_dofs(out, b, j);
            put(out, " limits (-160.0 20.0)\n  (-inf inf)\n bodymass 3\n");
        }
        put(out, " end\n");
    }
    put(out, ":hierarchy\n begin\n");
    for (int p = 0; p <= b->bones; p++)
        for (int j = 1; j <= b->bones; j++)
            if (b->parent[j] == p)
                put(out, p ? "  bone%d bone%d\n" : "  root%.0d bone%d\n", p, j);
    put(out, " end\n");
}

static void write_values(text_buffer *out, const body *b, int j)
{
    if (b->dofs[j] == 0)
        return;
    put(out, j ? "bone%d" : "root%.0d", j);
    for (int c = 0; c < b->dofs[j]; c++)
        put(out, " %.17g", b->value[j][c]);
    put(out, "\r\n");
}

/* C M C' of one bone, and its shift. */
static matrix3 twin_local(const body *b, int j, double *shift)
{
    matrix3 C = unit3, M = unit3;
    for (int i = 0; i < 3; i++)
        C = times(rotation(b->axis_order[j][i], b->axis[j][i]), C);
    for (int c = 0; c < b->dofs[j]; c++) {
        char letter = b->dof[j][c];
        if (letter >= 'x')
            shift[letter - 'x'] += b->value[j][c];
        else
            M = times(rotation(letter, b->value[j][c]), M);
    }
    return times(times(C, M), transposed(C));
}

/* The rotation of a bone; its far end in x. */
static matrix3 twin_bone(const body *b, int j, double *x)
{
    double shift[3] = {0}, above[3];
    matrix3 local = twin_local(b, j, shift);
    if (j == 0) {
        for (int i = 0; i < 3; i++)
            x[i] = b->direction[0][i] + shift[i];
        return local;
    }
    matrix3 R = times(twin_bone(b, b->parent[j], above), local);
    double offset[3];
    for (int i = 0; i < 3; i++)
        offset[i] = b->direction[j][i] * b->length[j];
    add_turned(above, R, offset, x);
    return R;
}

static skeleton *parse_skeleton(const char *text, size_t size)
{
    skeleton *bones = NULL;
    spd_status status = skeleton_parse(ctx, text, size, &bones);
    CHECK(status == SPD_OK, "%s", said(ctx));
    return bones;
}

static void compare_random_body(rng *r, int bones)
{
    enum { FRAMES = 3 };
    body b;
    double expected[FRAMES][MAX_BONES + 1][3], unit = between(r, 0.2, 2.0);
    text_buffer asf = {0}, amc = {0};
    random_body(r, &b, bones);
    write_asf(&asf, &b, unit);
    put(&amc, ":FULLY-SPECIFIED\n:DEGREES\n");
    for (int f = 0; f < FRAMES; f++) {
        random_pose(r, &b);
        put(&amc, "%d\n", f + 7);
        for (int j = b.bones; j >= 0; j--) /* order within a frame is free */
            write_values(&amc, &b, j);
        for (int j = 0; j <= b.bones; j++)
            twin_bone(&b, j, expected[f][j]);
    }
    OWN(skeleton) bones_read = parse_skeleton(asf.text, asf.size);
    OWN(motion) clip = NULL;
    if (bones_read && CHECK_OK(ctx, amc_parse(ctx, bones_read, amc.text, amc.size, &clip))) {
        CHECK(clip->frames == FRAMES && clip->joints == (size_t)bones + 1, "%zu x %zu",
              clip->frames, clip->joints);
        for (size_t i = 0; i < clip->frames * clip->joints * 3; i++) {
            size_t f = i / (3 * clip->joints), j = i / 3 % clip->joints;
            CHECK_CLOSE(clip->position[i], expected[f][j][i % 3] / unit, 1e-11, "%d bones", bones);
        }
        CHECK(strcmp(clip->name[bones], "root") != 0 && strcmp(clip->name[0], "root") == 0,
              "names %s %s", clip->name[0], clip->name[bones]);
    }
}

TEST(random_bodies_agree_with_the_twin)
{
    rng r = seeded(5);
    for (int bones = 1; bones <= MAX_BONES; bones++)
        for (int repeat = 0; repeat < 10; repeat++)
            compare_random_body(&r, bones);
}

/* Two bones along y, the second turns about its own z. */
static const char two_bones[] = ":units\n length 2\n angle deg\n"
                                ":root\n order TX TY TZ RX RY RZ\n axis XYZ\n"
                                " position 0 0 0\n orientation 0 0 0\n"
                                ":bonedata\n"
                                " begin\n name upper\n direction 0 1 0\n length 4\n"
                                " axis 0 0 0 XYZ\n dof rz\n end\n"
                                " begin\n name lower\n direction 0 1 0\n length 2\n"
                                " axis 0 0 90 XYZ\n dof rx\n end\n"
                                " begin\n name tip\n direction 1 0 0\n length 6\n end\n"
                                ":hierarchy\n begin\n root upper\n upper lower\n lower tip\n end\n";

static const char two_frames[] = ":FULLY-SPECIFIED\n:DEGREES\n"
                                 "1\nroot 10 20 30 0 0 0\nupper 0\nlower 0\n"
                                 "2\nroot 10 20 30 0 90 0\nupper 90\nlower 90\n";

static spd_status parse_amc(const char *bytes, size_t size, motion **clip)
{
    OWN(skeleton) bones = NULL;
    spd_status status = skeleton_parse(ctx, two_bones, strlen(two_bones), &bones);
    if (status == SPD_OK)
        status = amc_parse(ctx, bones, bytes, size, clip);
    return status;
}

/* The skeleton is what is parsed, with a motion that fits the one above. */
static spd_status parse_asf(const char *bytes, size_t size, motion **clip)
{
    OWN(skeleton) bones = NULL;
    spd_status status = skeleton_parse(ctx, bytes, size, &bones);
    if (status == SPD_OK)
        status = amc_parse(ctx, bones, two_frames, strlen(two_frames), clip);
    return status;
}

/* Divided by the unit 2. Second frame: the root turns y by 90 (x to -z, z to x); upper turns z by
 * 90 (y to -x), so it points to -x, which the root makes z; lower turns by 90 about its z-turned x,
 * that is about y, and lies on that axis; tip's x is turned by y to -z, by upper's z it stays, by
 * the root's y it becomes -x. */
TEST(two_bones_by_hand)
{
    static const double expected[2][12] = {{5, 10, 15, 5, 12, 15, 5, 13, 15, 8, 13, 15},
                                           {5, 10, 15, 5, 10, 17, 5, 10, 18, 2, 10, 18}};
    OWN(motion) clip = NULL;
    CHECK_OK(ctx, parse_amc(two_frames, strlen(two_frames), &clip));
    for (size_t i = 0; clip && i < 24; i++)
        CHECK_CLOSE(clip->position[i], expected[i / 12][i % 12], 1e-13, "number %zu", i);
}

static void expect_same(const char *amc, const char *what)
{
    OWN(motion) a = NULL, *b = NULL;
    CHECK(parse_amc(two_frames, strlen(two_frames), &a) == SPD_OK, "reference");
    CHECK(parse_amc(amc, strlen(amc), &b) == SPD_OK, "%s: %s", what, said(ctx));
    for (size_t i = 0; a && b && i < 24; i++)
        CHECK_CLOSE(b->position[i], a->position[i], 1e-13, "%s, number %zu", what, i);
}

TEST(other_spellings_mean_the_same)
{
    expect_same(":fully-specified\r:degrees\r1\rroot 10 20 30 0 0 0\rupper 0\rlower 0\r"
                "2\rroot 10 20 30 0 90 0\rupper 90\rlower 90",
                "CR alone, no end of line at the end");
    expect_same("\xef\xbb\xbf# \xfc\r\n\r\n:RADIANS\r\n 1 # one\r\n\troot 1e1 2.0E+1 +30 0 0 0\r\n"
                "lower 0\r\nupper -0\r\n2\r\nroot 10. 20 30 0 1.5707963267948966 .0\r\n"
                "upper 1.5707963267948966\r\nlower 15707963267948966e-16\r\n",
                "mark, comments, radians, CR LF, numbers");
    expect_same("1\nroot 10 20 30 0 0 0\nupper 0\nlower 0\ntip\n"
                "2\nroot 10 20 30 0 90 0\nupper 90\nlower 90\n",
                "no header, a bone without values");
    OWN(motion) clip = NULL;
    char *rated = replaced(two_frames, ":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 60");
    CHECK(parse_amc(rated, strlen(rated), &clip) == SPD_OK && clip->rate == 60.0, "rate");
}

TEST(sections_may_come_in_any_order)
{
    char *late = replaced(two_bones, ":units\n length 2\n angle deg\n", "");
    text_buffer text = {0};
    put(&text, "%s:units\n length 2\n angle rad\n", late);
    char *radians = replaced(text.text, "axis 0 0 90 XYZ", "axis 0 0 1.5707963267948966 XYZ");
    OWN(motion) clip = NULL;
    CHECK_OK(ctx, parse_asf(radians, strlen(radians), &clip));
    CHECK(clip && fabs(clip->position[21] - 2.0) < 1e-13, "units behind the bones count");
}

TEST(names_become_utf8)
{
    char *latin = replaced(two_bones, "name tip", "name f\xfc");
    char *both = replaced(latin, "lower tip", "lower f\xfc");
    OWN(motion) clip = NULL;
    CHECK_OK(ctx, parse_asf(both, strlen(both), &clip));
    CHECK(clip && strcmp(clip->name[3], "f\xc3\xbc") == 0, "Latin-1");
}

static void check_number(const char *text)
{
    text_buffer amc = {0};
    OWN(motion) clip = NULL;
    put(&amc, "1\nroot %s 0 0 0 0 0\nupper 0\nlower 0\n", text);
    CHECK(parse_amc(amc.text, amc.size, &clip) == SPD_OK, "'%s': %s", text, said(ctx));
    CHECK(clip && clip->position[0] == strtod(text, NULL) / 2.0, "'%s' is %.17g", text,
          clip ? 2.0 * clip->position[0] : 0.0);
}

TEST(numbers_are_rounded_correctly)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "9007199254740993",
                                        "9007199254740992",
                                        "1e22",
                                        "1e23",
                                        "123e-22",
                                        "123e-23",
                                        "1e-300",
                                        "179769313486231570e290",
                                        ".5",
                                        "5.",
                                        "-3.1408e-014",
                                        "0.1",
                                        "0.30000000000000004",
                                        "8.5e-0001",
                                        "00000001",
                                        "4.9e-324",
                                        "1e-400",
                                        "36028797018963967"};
    rng r = seeded(6);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_number(texts[i]);
    for (int i = 0; i < 200; i++) { /* about 2^53, where integers cease to be exact */
        char text[80];
        snprintf(text, sizeof text, "90071992547409%02de-%d", i % 100, 1 + i / 10);
        check_number(text);
    }
    for (int i = 0; i < 3000; i++) {
        char text[80];
        int digits = 1 + (int)rng_below(&r, 19);
        snprintf(text, sizeof text, i % 2 ? "%.*e" : "%.*f", digits,
                 rng_normal(&r) * pow(10.0, between(&r, -12, 12)));
        check_number(text);
    }
}

TEST(bad_skeletons_are_named)
{
    static const spoilt list[] = {
        {"length 2\n", "length 0\n", "line 2|unit of lengths is 0|> 0"},
        {"angle deg", "angle gon", "line 3|'gon'|deg or rad"},
        {"angle deg", "angle", "line 3|deg or rad"},
        {":root", ":rot", "no :root section"},
        {"TX TY TZ", "TX TQ TZ", "line 5|'TQ'|tx ty tz"},
        {"order TX", "order RX TX", "line 5|more than 6"},
        {"dof rz", "dof tz", "line 15|'tz'|rx ry rz"},
        {"direction 0 1 0", "direction 0 1", "line 12|direction|2 of 3"},
        {"direction 0 1 0", "direction 0 nan 0", "line 12|direction|'nan'|finite"},
        {"length 4", "length 1e999", "line 13|'1e999'|finite"},
        {"length 4", "", "line 10|has no length"},
        {"name upper\n", "", "line 10|has no name"},
        {"direction 0 1 0\n", "", "line 10|has no direction"},
        {"90 XYZ", "90 XYQ", "'XYQ'"},
        {"90 XYZ", "90 XY", "'XY'"},
        {" end\n:hierarchy", ":hierarchy", "line 24|has no end"},
        {" begin\n name lower", " name lower", "line 17|'name'|expected begin"},
        {"name lower", "name upper", "two bones are named 'upper'"},
        {"name lower", "name root", "two bones are named 'root'"},
        {"root upper", "root uper", "line 31|'uper'"},
        {"upper lower", "upper", "'lower' (line 17)|no parent"},
        {"lower tip", "lower upper tip", "line 33|'upper' has a parent"},
        {"lower tip", "lower root tip", "line 33|'root' cannot be a child"},
        {"root upper\n upper lower\n", "lower upper\n upper lower\n", "cycle"},
        {"root upper\n", "upper upper\n", "cycle through bone 'upper'"},
    };
    check_spoilt(parse_asf, two_bones, sizeof list / sizeof *list, list);
    CHECK_PARSE_FAILS(parse_asf, "", 0, "no :root section|.asf");
    const char *no_bones = ":root\n order TX\n:bonedata\n:hierarchy\n";
    CHECK_PARSE_FAILS(parse_asf, no_bones, strlen(no_bones), "no bones");
}

TEST(bad_motions_are_named)
{
    static const spoilt list[] = {
        {"upper 0\n", "uper 0\n", "line 5|no bone 'uper'"},
        {"upper 0\n", "", "line 3|frame 1|'upper'"},
        {"upper 90\n", "", "line 7|frame 2|'upper'"},
        {"upper 0\n", "upper 0\nupper 0\n", "line 6|'upper' appears twice"},
        {"upper 0\n", "upper\n", "line 5|0 of 1|(bone 'upper')"},
        {"upper 0\n", "upper 0 1\n", "line 5|unexpected '1'|(bone 'upper')"},
        {"upper 0\n", "upper nan\n", "line 5|'nan'"},
        {"upper 0\n", "upper -1.#IND\n", "line 5|'-1.#IND'"},
        {"upper 0\n", "upper 0x10\n", "line 5|'0x10'"},
        {"upper 0\n", "upper 1e\n", "line 5|'1e'"},
        {"upper 0\n", "upper .\n", "line 5|'.'"},
        {"upper 0\n", "upper 0\ntip 1\n", "line 6|unexpected '1'|'tip'"},
        {"root 10 20 30 0 0 0", "root 1e308 20 30 0 0 0\n:x", "line 5|':x'"},
        {"\n2\n", "\n4\n", "line 7|frame 4 follows frame 1"},
        {"\n2\n", "\n1\n", "frame 1 follows frame 1"},
        {"\n2\n", "\n2 3\n", "line 7|unexpected '3'"},
        {"\n1\n", "\n", "line 3|'root'|before the first"},
        {"upper 90\nlower 90\n", "", "line 7|frame 2|'upper'"},
    };
    check_spoilt(parse_amc, two_frames, sizeof list / sizeof *list, list);
    CHECK_PARSE_FAILS(parse_amc, "", 0, "no frames");
    CHECK_PARSE_FAILS(parse_amc, ":DEGREES\n", 9, "no frames|.amc");
    /* far away, and twice as far by the unit */
    char *far = replaced(two_bones, "length 2", "length 0.5");
    char *farther = replaced(far, "position 0", "position 1.5e308");
    CHECK_PARSE_FAILS(parse_asf, farther, strlen(farther), "'root'|frame 1|not a finite");
}

/* Bones without channels cost a clip nothing in text, but memory in every frame. */
TEST(a_clip_beyond_all_bounds_is_refused)
{
    enum { BONES = 6000, FRAMES = 20000 };
    text_buffer asf = {0}, amc = {0};
    put(&asf, ":root\n order TX\n:bonedata\n");
    for (int j = 0; j < BONES; j++)
        put(&asf, "begin\nname b%d\ndirection 1 0 0\nlength 1\nend\n", j);
    put(&asf, ":hierarchy\n");
    for (int j = 0; j < BONES; j++)
        put(&asf, j ? "b%d b%d\n" : "root%.0d b%d\n", j - 1 + !j, j);
    for (int f = 0; f < FRAMES; f++)
        put(&amc, "%d\nroot 0\n", f + 1);
    OWN(skeleton) bones = parse_skeleton(asf.text, asf.size);
    motion *clip = NULL;
    spd_status status = bones ? amc_parse(ctx, bones, amc.text, amc.size, &clip) : SPD_OK;
    CHECK_FAILED(ctx, status, SPD_EINVAL, "20000 frames of 6001 joints|2^28");
    CHECK(clip == NULL, "output touched");
}

TEST(texts_cut_anywhere)
{
    CHECK(check_truncations(parse_asf, two_bones, sizeof two_bones - 1) < 8, "asf");
    CHECK(check_truncations(parse_amc, two_frames, sizeof two_frames - 1) < 8, "amc");
}

TEST(allocations_may_fail)
{
    sweep_allocations(parse_amc, two_frames, sizeof two_frames - 1);
    sweep_allocations(parse_asf, two_bones, sizeof two_bones - 1);
}
