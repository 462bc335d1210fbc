/* test_motion_common.h - what the tests of motion files share: texts put together piece by piece,
 * rotation matrices from their definition, parsers that must fail or run out of memory. */
#ifndef SPD_TEST_MOTION_COMMON_H
#define SPD_TEST_MOTION_COMMON_H

#include "base/rng.h"
#include "formats/motion.h"
#include "unit/test_io_common.h"

/* ---- texts ------------------------------------------------------------------------------------
 */

typedef struct text_buffer {
    char *text;
    size_t size, room;
} text_buffer;

__attribute__((format(printf, 2, 3), unused)) static void put(text_buffer *out, const char *format,
                                                              ...)
{
    if (out->room - out->size < 4096) {
        out->room = 2 * out->room + 8192;
        out->text = realloc(out->text, out->room);
        if (!out->text)
            abort();
    }
    va_list args;
    va_start(args, format);
    out->size += (size_t)vsnprintf(out->text + out->size, 4096, format, args);
    va_end(args);
}

__attribute__((unused)) static void buffer_free(text_buffer *out)
{
    free(out->text);
    *out = (text_buffer){0};
}

/* A new text with the first `old` replaced by `new`; the caller frees it. */
__attribute__((unused)) static char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    size_t room = strlen(text) + strlen(new) + 1;
    char *copy = malloc(room);
    if (!at || !copy)
        abort();
    snprintf(copy, room, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return copy;
}

/* ---- rotations, by their definition -----------------------------------------------------------
 */

typedef struct matrix3 {
    double e[3][3];
} matrix3;

static const matrix3 unit3 = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

__attribute__((unused)) static matrix3 times(matrix3 A, matrix3 B)
{
    matrix3 C = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                C.e[i][j] += A.e[i][k] * B.e[k][j];
    return C;
}

__attribute__((unused)) static matrix3 transposed(matrix3 A)
{
    matrix3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.e[i][j] = A.e[j][i];
    return C;
}

/* Right-handed, by degrees, about x, y or z ('X', 'Y', 'Z'). */
__attribute__((unused)) static matrix3 rotation(int axis, double degrees)
{
    double c = cos(degrees * M_PI / 180.0), s = sin(degrees * M_PI / 180.0);
    const matrix3 X = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
    const matrix3 Y = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
    const matrix3 Z = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    return axis == 'X' ? X : axis == 'Y' ? Y : Z;
}

/* y <- x + A v */
__attribute__((unused)) static void add_turned(const double *x, matrix3 A, const double *v,
                                               double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = x[i] + A.e[i][0] * v[0] + A.e[i][1] * v[1] + A.e[i][2] * v[2];
}

/* ---- parsers ----------------------------------------------------------------------------------
 */

typedef spd_status (*motion_parser)(const char *bytes, size_t size, motion **clip);

#define CHECK_PARSE_FAILS(parse, bytes, size, words)                                               \
    check_parse_fails(parse, bytes, size, words, __FILE__, __LINE__)

__attribute__((unused)) static void check_parse_fails(motion_parser parse, const char *bytes,
                                                      size_t size, const char *words,
                                                      const char *file, int line)
{
    long live = mem_live();
    motion *clip = NULL;
    check_failed(parse(bytes, size, &clip), SPD_EFORMAT, words, file, line);
    test_check(clip == NULL, file, line, "the output was touched");
    test_check(mem_live() == live, file, line, "%ld blocks leaked", mem_live() - live);
}

/* Every beginning of the bytes, in a block of its own so that a read beyond its end is seen:
 * positions or a message. How many beginnings parsed. */
__attribute__((unused)) static size_t check_truncations(motion_parser parse, const char *bytes,
                                                        size_t size)
{
    size_t parsed = 0;
    for (size_t cut = 0; cut < size; cut++) {
        char *part = malloc(cut ? cut : 1);
        if (!part)
            abort();
        memcpy(part, bytes, cut);
        motion *clip = NULL;
        spd_status status = parse(part, cut, &clip);
        CHECK((status == SPD_OK) == (clip != NULL), "cut at %zu", cut);
        CHECK(status == SPD_OK || (status == SPD_EFORMAT && spd_context_error(ctx)->message[0]),
              "cut at %zu: status %d", cut, status);
        parsed += status == SPD_OK;
        motion_free(clip);
        free(part);
    }
    return parsed;
}

/* The k-th allocation fails, for every k. */
__attribute__((unused)) static void sweep_allocations(motion_parser parse, const char *bytes,
                                                      size_t size)
{
    long k = 1, live = mem_live();
    for (; k < 200; k++) {
        motion *clip = NULL;
        mem_fail_at(k);
        spd_status status = parse(bytes, size, &clip);
        mem_fail_at(0);
        CHECK((status == SPD_OK) == (clip != NULL), "allocation %ld", k);
        motion_free(clip);
        CHECK(mem_live() == live, "allocation %ld: %ld blocks leaked", k, mem_live() - live);
        if (status == SPD_OK)
            break;
        CHECK_FAILED(status, SPD_ENOMEM, "out of memory");
    }
    CHECK(k > 4 && k < 200, "%ld allocations", k - 1);
}

#endif
