/* test_motion_c3d.c - .c3d files of every kind of number, gaps, and damaged ones. */
#include "unit/test_motion_common.h"

static spd_status parse_c3d(const char *bytes, size_t size, motion **clip)
{
    return c3d_parse(ctx, (const unsigned char *)bytes, size, clip);
}

/* ---- a file made by hand --------------------------------------------------------------------- */

enum { INTEL = 84, DEC = 85, MIPS = 86, BLOCK = 512 };

typedef struct recipe {
    int machine, floats;
    int points, frames, analog;
    double scale;       /* of integers */
    const char *labels; /* of width label_width each, or NULL */
    int label_width;
    int long_frames; /* frames are in parameters, the header says 65535 */
} recipe;

typedef struct image_of_file {
    int machine;
    size_t size;
    char bytes[16384];
} c3d_image;

static void put_bytes(c3d_image *f, const void *bytes, size_t size)
{
    if (f->size + size > sizeof f->bytes)
        abort();
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_byte(c3d_image *f, int byte)
{
    char c = (char)byte;
    put_bytes(f, &c, 1);
}

static void put_word(c3d_image *f, int value)
{
    int low = value & 255, high = value >> 8 & 255;
    put_byte(f, f->machine == MIPS ? high : low);
    put_byte(f, f->machine == MIPS ? low : high);
}

/* IEEE, or what a VAX makes of it: halves swapped, exponent larger by two. */
static void put_float(c3d_image *f, double value)
{
    float number = (float)(f->machine == DEC ? 4.0 * value : value);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    int high = (int)(bits >> 16), low = (int)(bits & 0xffff);
    put_word(f, f->machine == INTEL ? low : high);
    put_word(f, f->machine == INTEL ? high : low);
}

static void pad(c3d_image *f, size_t size)
{
    while (f->size < size)
        put_byte(f, 0);
}

static void put_name(c3d_image *f, int group, const char *name)
{
    put_byte(f, (int)strlen(name));
    put_byte(f, group);
    put_bytes(f, name, strlen(name));
}

static void put_group(c3d_image *f, int group, const char *name)
{
    put_name(f, -group, name);
    put_word(f, 3);
    put_byte(f, 0);
}

static void put_float_parameter(c3d_image *f, int group, const char *name, double value)
{
    put_name(f, group, name);
    put_word(f, 2 + 2 + 4 + 1);
    put_byte(f, 4);
    put_byte(f, 0);
    put_float(f, value);
    put_byte(f, 0);
}

static void put_texts_parameter(c3d_image *f, int group, const char *name, int width,
                                const char *texts)
{
    int length = (int)strlen(texts);
    put_name(f, group, name);
    put_word(f, 2 + 4 + length + 1);
    put_byte(f, -1);
    put_byte(f, 2);
    put_byte(f, width);
    put_byte(f, length / width);
    put_bytes(f, texts, (size_t)length);
    put_byte(f, 0);
}

static void put_words_parameter(c3d_image *f, int group, const char *name, int low, int high)
{
    put_name(f, group, name);
    put_word(f, 2 + 3 + 4 + 1);
    put_byte(f, 2);
    put_byte(f, 1);
    put_byte(f, 2);
    put_word(f, low);
    put_word(f, high);
    put_byte(f, 0);
}

static void put_header(c3d_image *f, const recipe *r)
{
    put_byte(f, 2);
    put_byte(f, 0x50);
    put_word(f, r->points);
    put_word(f, r->analog);
    put_word(f, 11);
    put_word(f, r->long_frames ? 65535 : 10 + r->frames);
    put_word(f, 0);
    put_float(f, r->floats ? -r->scale : r->scale);
    put_word(f, 4);
    put_word(f, 1);
    put_float(f, 50.0);
    pad(f, BLOCK);
}

static void put_parameters(c3d_image *f, const recipe *r)
{
    put_byte(f, 1);
    put_byte(f, 0x50);
    put_byte(f, 2);
    put_byte(f, r->machine);
    put_group(f, 3, "TRIAL");
    put_group(f, 1, "POINT");
    put_float_parameter(f, 2, "SCALE", 77.0); /* of another group */
    put_float_parameter(f, 1, "SCALE", r->floats ? -r->scale : r->scale);
    if (r->long_frames) {
        put_words_parameter(f, 3, "ACTUAL_START_FIELD", 11, 0);
        put_words_parameter(f, 3, "ACTUAL_END_FIELD", 10 + r->frames, 0);
    }
    if (r->labels)
        put_texts_parameter(f, 1, "LABELS", r->label_width, r->labels);
    put_float_parameter(f, 1, "RATE", 120.0);
    put_byte(f, 0);
    pad(f, (size_t)3 * BLOCK);
}

/* x, y, z of a point in a frame, in units of the file's numbers. */
static int sample_coordinate(int point, int frame, int i)
{
    return (100 * point + 7 * frame) * (i == 1 ? -1 : 1) + 1000 * i;
}

/* seen: frames x points flags, NULL: everything. */
static void put_data(c3d_image *f, const recipe *r, const char *seen)
{
    for (int t = 0; t < r->frames; t++) {
        for (int p = 0; p < r->points; p++) {
            int there = !seen || seen[t * r->points + p] == '1';
            for (int i = 0; i < 4; i++) {
                int value = i < 3 ? (there ? sample_coordinate(p, t, i) : 0) : there ? 0x0305 : -1;
                if (r->floats)
                    put_float(f, i < 3 ? value * r->scale : value);
                else
                    put_word(f, value);
            }
        }
        for (int a = 0; a < r->analog; a++) {
            if (r->floats)
                put_float(f, 9999.0);
            else
                put_word(f, 9999);
        }
    }
}

static void make_file(c3d_image *f, const recipe *r, const char *seen)
{
    f->machine = r->machine;
    f->size = 0;
    put_header(f, r);
    put_parameters(f, r);
    put_data(f, r, seen);
}

static const recipe usual = {.machine = INTEL,
                             .floats = 1,
                             .points = 3,
                             .frames = 6,
                             .analog = 2,
                             .scale = 0.25,
                             .labels = "HEAD L\xfcLG  R ",
                             .label_width = 4};

static void check_clip(const c3d_image *f, const recipe *r, const char *what)
{
    OWN(motion) clip = NULL;
    CHECK(parse_c3d(f->bytes, f->size, &clip) == SPD_OK, "%s: %s", what, said(ctx));
    if (!clip)
        return;
    CHECK(clip->frames == (size_t)r->frames && clip->joints == (size_t)r->points, "%s: shape",
          what);
    CHECK(clip->rate == 120.0, "%s: rate %g", what, clip->rate);
    for (int t = 0; t < r->frames; t++)
        for (int p = 0; p < r->points; p++)
            for (int i = 0; i < 3; i++)
                CHECK_CLOSE(clip->position[(t * r->points + p) * 3 + i],
                            sample_coordinate(p, t, i) * r->scale, 0.0, "%s: frame %d point %d",
                            what, t, p);
}

TEST(every_kind_of_number)
{
    static const int machines[] = {INTEL, DEC, MIPS};
    for (int k = 0; k < 12; k++) {
        recipe r = usual;
        char what[80];
        c3d_image f;
        r.machine = machines[k % 3];
        r.floats = k / 3 % 2;
        r.long_frames = k / 6;
        snprintf(what, sizeof what, "machine %d, floats %d, long %d", r.machine, r.floats,
                 r.long_frames);
        make_file(&f, &r, NULL);
        check_clip(&f, &r, what);
    }
}

TEST(labels_are_names)
{
    c3d_image f;
    motion *clip = NULL;
    make_file(&f, &usual, NULL);
    CHECK_OK(ctx, parse_c3d(f.bytes, f.size, &clip));
    CHECK(clip && !strcmp(clip->name[0], "HEAD") && !strcmp(clip->name[1], " L\xc3\xbcL") &&
              !strcmp(clip->name[2], "G  R"),
          "labels");
    motion_free(clip);
    clip = NULL;
    recipe r = usual;
    r.labels = "A";
    r.label_width = 1;
    make_file(&f, &r, NULL);
    CHECK_OK(ctx, parse_c3d(f.bytes, f.size, &clip));
    CHECK(clip && !strcmp(clip->name[0], "A") && !strcmp(clip->name[2], ""), "too few labels");
    motion_free(clip);
}

/* Coordinates are linear in time, so a filled gap is what was there; at the ends the nearest frame
 * that was seen is repeated. */
TEST(gaps_are_filled)
{
    const char *seen = "011"
                       "011"
                       "101"
                       "001"
                       "110"
                       "010";
    for (int floats = 0; floats < 2; floats++) {
        recipe r = usual;
        c3d_image f;
        OWN(motion) clip = NULL;
        r.floats = floats;
        make_file(&f, &r, seen);
        CHECK_OK(ctx, parse_c3d(f.bytes, f.size, &clip));
        for (int t = 0; clip && t < 6; t++)
            for (int p = 0; p < 3; p++) {
                int from = p == 0 ? (t < 2 ? 2 : t > 4 ? 4 : t) : p == 2 && t > 3 ? 3 : t;
                for (int i = 0; i < 3; i++)
                    CHECK_CLOSE(clip->position[(t * 3 + p) * 3 + i],
                                sample_coordinate(p, from, i) * r.scale, 1e-12, "frame %d point %d",
                                t, p);
            }
    }
    c3d_image f;
    make_file(&f, &usual, "110110110110110110");
    CHECK_PARSE_FAILS(parse_c3d, f.bytes, f.size, "marker 3 ('G  R')|no frame|remove");
}

TEST(numbers_that_are_none_are_gaps)
{
    c3d_image f;
    OWN(motion) clip = NULL;
    make_file(&f, &usual, NULL);
    /* y of the second point in the third frame becomes NaN */
    size_t at = (size_t)3 * BLOCK + 4 * (2 * (4 * 3 + 2) + 4 + 1);
    memcpy(f.bytes + at, "\x00\x00\xc0\x7f", 4);
    CHECK_OK(ctx, parse_c3d(f.bytes, f.size, &clip));
    for (int i = 0; clip && i < 3; i++)
        CHECK_CLOSE(clip->position[(2 * 3 + 1) * 3 + i], sample_coordinate(1, 2, i) * usual.scale,
                    1e-12, "filled");
}

static void spoil(size_t at, const char *bytes, size_t size, const char *words)
{
    c3d_image f;
    make_file(&f, &usual, NULL);
    memcpy(f.bytes + at, bytes, size);
    CHECK_PARSE_FAILS(parse_c3d, f.bytes, f.size, words);
}

TEST(bad_files_are_named)
{
    spoil(0, "\x00", 1, "header of a .c3d file");
    spoil(0, "\x01", 1, "parameters should begin at byte 0");
    spoil(0, "\xff", 1, "parameters should begin at byte 130048");
    spoil(1, "\x51", 1, "header of a .c3d file");
    spoil(BLOCK + 3, "\x53", 1, "processor type 83|Intel");
    spoil(2, "\x00\x00", 2, "no 3-D points");
    spoil(2, "\xff\xff", 2, "of 6 frames|cut off");
    spoil(8, "\x00\xf0", 2, "6 of 61430 frames|cut off");
    spoil(8, "\x01\x00", 2, "no frames");
    spoil(16, "\x00\x00", 2, "where the data begin");
    spoil(16, "\xff\xff", 2, "0 of 6 frames");
    CHECK_PARSE_FAILS(parse_c3d, "", 0, "header of a .c3d file");
}

/* Whatever one byte of header and parameters says: positions or a message. */
TEST(every_byte_spoilt)
{
    static const unsigned char wrong[] = {0, 1, 0x7f, 0x80, 0xff};
    c3d_image f;
    make_file(&f, &usual, NULL);
    char *copy = take(f.size);
    for (size_t at = 0; copy && at < 700; at++)
        for (size_t k = 0; k < sizeof wrong; k++) {
            OWN(motion) clip = NULL;
            memcpy(copy, f.bytes, f.size);
            copy[at] = (char)wrong[k];
            spd_status status = parse_c3d(copy, f.size, &clip);
            CHECK((status == SPD_OK) == (clip != NULL), "byte %zu", at);
            CHECK(status == SPD_OK || said(ctx)[0], "byte %zu", at);
        }
}

TEST(file_cut_anywhere)
{
    c3d_image f;
    make_file(&f, &usual, NULL);
    CHECK(check_truncations(parse_c3d, f.bytes, f.size) == 0, "a cut file was read");
}

TEST(allocations_may_fail)
{
    c3d_image f;
    make_file(&f, &usual, NULL);
    sweep_allocations(parse_c3d, f.bytes, f.size);
}
