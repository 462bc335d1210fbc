/* test_motion_bvh.c - .bvh against its definition, by hand, and with everything that can be wrong
 * in a file. */
#include "unit/test_motion_common.h"

static spd_status parse_bvh(const char *bytes, size_t size, motion **clip)
{
    return bvh_parse(ctx, bytes, size, clip);
}

enum { MAX_JOINTS = 10 };

typedef struct tree {
    int joints, parent[MAX_JOINTS], channels[MAX_JOINTS];
    double offset[MAX_JOINTS][3], value[MAX_JOINTS][6];
    char channel[MAX_JOINTS][6]; /* X Y Z turn, x y z move */
} tree;

/* The file is written depth first, so a parent is the last joint or one above it. */
static void random_tree(rng *r, tree *t, int joints)
{
    t->joints = joints;
    for (int j = 0; j < joints; j++) {
        t->parent[j] = j - 1;
        for (size_t up = j > 0 ? rng_below(r, 3) : 0; up > 0 && t->parent[j] > 0; up--)
            t->parent[j] = t->parent[t->parent[j]];
        t->channels[j] = j ? (int)rng_below(r, 7) : 6;
        for (int c = 0; c < 6; c++) {
            t->channel[j][c] = "XYZxyz"[rng_below(r, 6)];
            t->value[j][c] = 100.0 * rng_normal(r);
        }
        for (int i = 0; i < 3; i++)
            t->offset[j][i] = rng_normal(r);
    }
}

static void write_joint(text_buffer *out, const tree *t, int j)
{
    put(out, "%s joint %d\n{\n OFFSET %.17g %.17g %.17g\n CHANNELS %d", j ? "JOINT" : "ROOT", j,
        t->offset[j][0], t->offset[j][1], t->offset[j][2], t->channels[j]);
    for (int c = 0; c < t->channels[j]; c++) {
        char letter = t->channel[j][c];
        int moves = letter >= 'x';
        put(out, " %c%s", moves ? letter - 'x' + 'X' : letter, moves ? "position" : "rotation");
    }
    int children = 0;
    for (int k = j + 1; k < t->joints; k++)
        if (t->parent[k] == j) {
            put(out, "\n");
            write_joint(out, t, k);
            children++;
        }
    put(out, children ? "}\n" : "\nEnd Site { OFFSET 0 0 1 } }\n");
}

static matrix3 twin_joint(const tree *t, int j, double *x)
{
    static const double origin[3] = {0};
    double above[3] = {0}, shift[3];
    matrix3 P = j ? twin_joint(t, t->parent[j], above) : unit3, M = unit3;
    memcpy(shift, t->offset[j], sizeof shift);
    for (int c = 0; c < t->channels[j]; c++) {
        char letter = t->channel[j][c];
        if (letter >= 'x')
            shift[letter - 'x'] = t->value[j][c];
        else
            M = times(M, rotation(letter, t->value[j][c]));
    }
    add_turned(j ? above : origin, P, shift, x);
    return times(P, M);
}

static void compare_random_tree(rng *r, int joints)
{
    tree t;
    text_buffer text = {0};
    OWN(motion) clip = NULL;
    random_tree(r, &t, joints);
    put(&text, "HIERARCHY\n");
    write_joint(&text, &t, 0);
    put(&text, "MOTION\nFrames: 2\nFrame Time: 0.01\n");
    for (int frame = 0; frame < 2; frame++) {
        for (int j = 0; j < joints; j++)
            for (int c = 0; c < t.channels[j]; c++)
                put(&text, "%.17g ", frame ? t.value[j][c] : 0.0);
        put(&text, "\n");
    }
    CHECK_OK(ctx, parse_bvh(text.text, text.size, &clip));
    for (int j = 0; clip && j < joints; j++) {
        double expected[3];
        twin_joint(&t, j, expected);
        for (int i = 0; i < 3; i++)
            CHECK_CLOSE(clip->position[3 * (joints + j) + i], expected[i], 1e-10, "joint %d of %d",
                        j, joints);
    }
    CHECK(clip && clip->frames == 2 && clip->joints == (size_t)joints && clip->rate == 100.0,
          "shape");
}

TEST(random_trees_agree_with_the_twin)
{
    rng r = seeded(8);
    for (int joints = 1; joints <= MAX_JOINTS; joints++)
        for (int repeat = 0; repeat < 10; repeat++)
            compare_random_tree(&r, joints);
}

static const char small[] =
    "HIERARCHY\n"
    "ROOT Hips\n{\n  OFFSET 1 2 3\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n"
    "  JOINT Left Leg\n  {\n    OFFSET 1 0 0\n    CHANNELS 1 Zrotation\n"
    "    JOINT Foot {\n      OFFSET 2 0 0\n      CHANNELS 0\n"
    "      End Site\n      {\n        OFFSET 0 0 1\n      }\n    }\n  }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.5\n"
    "0 0 0 0 0 0 0\n"
    "10 20 30 90 0 90 90\n";

/* The root's shift takes the place of its offset. Second frame: the root's rotation is Rz(90)
 * Ry(90): x goes to -z and stays there. The leg's own turn takes the foot's x to y, which Ry leaves
 * and Rz makes -x. */
TEST(small_tree_by_hand)
{
    static const double expected[2][9] = {{0, 0, 0, 1, 0, 0, 3, 0, 0},
                                          {10, 20, 30, 10, 20, 29, 8, 20, 29}};
    OWN(motion) clip = NULL;
    CHECK_OK(ctx, parse_bvh(small, sizeof small - 1, &clip));
    for (size_t i = 0; clip && i < 18; i++)
        CHECK_CLOSE(clip->position[i], expected[i / 9][i % 9], 1e-13, "number %zu", i);
    CHECK(clip && clip->joints == 3 && clip->rate == 2.0, "End Sites are no joints");
    CHECK(clip && strcmp(clip->name[1], "Left Leg") == 0 && strcmp(clip->name[2], "Foot") == 0,
          "names");
}

TEST(bad_files_are_named)
{
    static const spoilt list[] = {
        {"HIERARCHY", "HIERARCH", "line 1|'HIERARCH'|HIERARCHY"},
        {"ROOT Hips", "ROOT", "line 2|no name"},
        {"ROOT Hips", "JOINT Hips", "line 2|outside the ROOT"},
        {"ROOT Hips\n{", "ROOT Hips\n", "line 4|'OFFSET' where { should be"},
        {"OFFSET 1 2 3", "OFFSET 1 2", "line 4|2 of 3"},
        {"OFFSET 1 2 3", "OFFSET 1 2 x", "line 4|'x'"},
        {"OFFSET 1 2 3", "OFFSEY 1 2 3", "line 4|'OFFSEY'|CHANNELS"},
        {"CHANNELS 6", "CHANNELS 7", "line 5|'7' channels"},
        {"CHANNELS 6", "CHANNELS 1000000000000000000000", "channels"},
        {"CHANNELS 6", "CHANNELS -6", "'-6' channels"},
        {"Xposition", "Xscale", "line 5|'Xscale'|Xposition"},
        {"End Site", "End Point", "line 13|'Point' where Site"},
        {"}\nMOTION", "}\nROOT b { }\nMOTION", "second ROOT"},
        {"}\nMOTION", "}\nJOINT b { }\nMOTION", "outside the ROOT"},
        {"}\nMOTION", "MOTION", "'MOTION'|}"},
        {"Frames: 2", "Frames: two", "line 21|no count"},
        {"Frames: 2", "Frames: 0", "no frames"},
        {"Frames: 2", "Frames: 1000000000", "Frames: 1000000000|2 lines|cut off"},
        {"Frames: 2", "Frames: 1", "2 lines|damaged"},
        {"Frame Time:", "Frame:", "line 22|'Frame:'"},
        {"0.5", "NaN", "line 22|'NaN'"},
        {"0 0 0 0 0 0 0\n", "0 0 0 0 0 0\n", "line 23|a frame|6 of 7"},
        {"0 0 0 0 0 0 0\n", "0 0 0 0 0 0 0 0\n", "line 23|unexpected '0'"},
        {"0 0 0 0 0 0 0\n", "0 0 0 inf 0 0 0\n", "line 23|'inf'"},
    };
    check_spoilt(parse_bvh, small, sizeof list / sizeof *list, list);
    CHECK_PARSE_FAILS(parse_bvh, "", 0, "ends where HIERARCHY");
    const char *empty = "HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 1\n1\n";
    CHECK_PARSE_FAILS(parse_bvh, empty, strlen(empty), "without a ROOT");
    const char *still = "HIERARCHY\nROOT a { OFFSET 0 0 0 }\nMOTION\nFrames: 1\nFrame Time: 1\n1\n";
    CHECK_PARSE_FAILS(parse_bvh, still, strlen(still), "no joint has CHANNELS");
    char *far = replaced(small, "OFFSET 1 0 0", "OFFSET 1.5e308 0 0");
    char *farther = replaced(far, "0 0 0 0 0 0 0", "1.5e308 0 0 0 0 0 0");
    CHECK_PARSE_FAILS(parse_bvh, farther, strlen(farther), "'Left Leg'|frame 1|not a finite");
}

/* Depth is bounded by memory, not by the stack. */
TEST(a_very_deep_tree_is_read)
{
    enum { DEPTH = 100000 };
    text_buffer text = {0};
    OWN(motion) clip = NULL;
    put(&text, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n");
    for (int i = 1; i < DEPTH; i++)
        put(&text, "JOINT j\n{\nOFFSET 1 0 0\n");
    CHECK_PARSE_FAILS(parse_bvh, text.text, text.size, "ends where } should be");
    for (int i = 0; i < DEPTH; i++)
        put(&text, "}\n");
    put(&text, "MOTION\nFrames: 1\nFrame Time: 1\n5\n");
    CHECK_OK(ctx, parse_bvh(text.text, text.size, &clip));
    CHECK(clip && clip->joints == DEPTH && clip->position[3 * (DEPTH - 1)] == DEPTH + 4,
          "position");
}

TEST(text_cut_anywhere)
{
    /* the last line may lose its end, and what is left of its last number is one, too */
    size_t parsed = check_truncations(parse_bvh, small, sizeof small - 1);
    CHECK(parsed == 2, "%zu", parsed);
}

TEST(allocations_may_fail)
{
    sweep_allocations(parse_bvh, small, sizeof small - 1);
}
