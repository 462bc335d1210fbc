/* test_motion_common.h - what the tests of motion files share: texts put together piece by piece,
 * rotation matrices from their definition, parsers that must fail or run out of memory. */
#ifndef SPD_TEST_MOTION_COMMON_H
#define SPD_TEST_MOTION_COMMON_H

#include "formats/motion.h"
#include "unit/test_io_common.h"

OWNER(motion)

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct text_buffer {
    char *text;
    size_t size, room;
} text_buffer;

__attribute__((format(printf, 2, 3), unused)) static void put(text_buffer *out, const char *format,
                                                              ...)
{
    if (out->room - out->size < 4096) {
        out->room = 2 * out->room + 8192;
        char *longer = take(out->room);
        if (out->size)
            memcpy(longer, out->text, out->size);
        out->text = longer;
    }
    va_list args;
    va_start(args, format);
    out->size += (size_t)vsnprintf(out->text + out->size, 4096, format, args);
    va_end(args);
}

/* A new text with the first `old` replaced by `new`. */
HELPER char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    size_t room = strlen(text) + strlen(new) + 1;
    char *copy = take(room);
    if (!at)
        abort();
    snprintf(copy, room, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return copy;
}

/* ---- rotations, by their definition ---------------------------------------------------------- */

typedef struct matrix3 {
    double e[3][3];
} matrix3;

static const matrix3 unit3 = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

HELPER matrix3 times(matrix3 A, matrix3 B)
{
    matrix3 C = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                C.e[i][j] += A.e[i][k] * B.e[k][j];
    return C;
}

HELPER matrix3 transposed(matrix3 A)
{
    matrix3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.e[i][j] = A.e[j][i];
    return C;
}

/* Right-handed, by degrees, about x, y or z ('X', 'Y', 'Z'). */
HELPER matrix3 rotation(int axis, double degrees)
{
    double c = cos(degrees * M_PI / 180.0), s = sin(degrees * M_PI / 180.0);
    const matrix3 X = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
    const matrix3 Y = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
    const matrix3 Z = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    return axis == 'X' ? X : axis == 'Y' ? Y : Z;
}

/* y <- x + A v */
HELPER void add_turned(const double *x, matrix3 A, const double *v, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = x[i] + A.e[i][0] * v[0] + A.e[i][1] * v[1] + A.e[i][2] * v[2];
}

/* ---- parsers --------------------------------------------------------------------------------- */

typedef spd_status (*motion_parser)(const char *bytes, size_t size, motion **clip);

#define CHECK_PARSE_FAILS(parse, bytes, size, words)                                               \
    check_parse_fails(parse, bytes, size, words, __FILE__, __LINE__)

HELPER void check_parse_fails(motion_parser parse, const char *bytes, size_t size,
                              const char *words, const char *file, int line)
{
    long live = mem_live();
    motion *clip = NULL;
    test_bad(ctx, parse(bytes, size, &clip), SPD_EFORMAT, words, file, line);
    test_check(clip == NULL, file, line, "the output was touched");
    test_check(mem_live() == live, file, line, "%ld blocks leaked", mem_live() - live);
}

/* Every beginning of the bytes, in a block of its own so that a read beyond its end is seen:
 * positions or a message. How many beginnings parsed. */
HELPER size_t check_truncations(motion_parser parse, const char *bytes, size_t size)
{
    size_t parsed = 0;
    for (size_t cut = 0; cut < size; cut++) {
        SCOPE;
        OWN(motion) clip = NULL;
        spd_status status = parse(take_copy(bytes, cut), cut, &clip);
        CHECK((status == SPD_OK) == (clip != NULL), "cut at %zu", cut);
        CHECK(status == SPD_OK || (status == SPD_EFORMAT && said(ctx)[0]), "cut at %zu", cut);
        parsed += status == SPD_OK;
    }
    return parsed;
}

typedef struct spoilt {
    const char *old, *new, *words;
} spoilt;

/* What is wrong is named. */
HELPER void check_spoilt(motion_parser parse, const char *text, size_t count, const spoilt *list)
{
    for (size_t i = 0; i < count; i++) {
        char *bad = replaced(text, list[i].old, list[i].new);
        CHECK_PARSE_FAILS(parse, bad, strlen(bad), list[i].words);
    }
}

/* The k-th allocation fails, for every k. */
HELPER void sweep_allocations(motion_parser parse, const char *bytes, size_t size)
{
    for (sweep_state s = SWEEP(ctx, 4, NULL, 0); sweep_on(&s);) {
        OWN(motion) clip = NULL;
        s.status = parse(bytes, size, &clip);
        CHECK_MADE(s, clip);
    }
}

#endif
