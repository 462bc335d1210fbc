/* test_image_bmp.c - BMP files written here: all depths and headers, masks, both directions, greys;
 * cut off, damaged, out of memory, headers that lie. */
#include "test_image_common.h"

#define WIDTH  13
#define HEIGHT 7

typedef struct bmp_kind {
    unsigned header, bits;
    int from_above, grey;
    unsigned masks[3]; /* of 16 and 32 bits; 0: the usual ones */
} bmp_kind;

static void put_number(file_bytes *file, unsigned long value, size_t bytes)
{
    for (size_t b = 0; b < bytes; b++)
        bytes_add(file, &(unsigned char){(unsigned char)(value >> (8 * b))}, 1);
}

static unsigned colours_of(const bmp_kind *kind)
{
    return kind->bits <= 8 ? 1u << kind->bits : 0;
}

static void write_header(file_bytes *file, const bmp_kind *kind)
{
    const int core = kind->header == 12, masked = kind->masks[0] != 0;
    const unsigned entry = core ? 3 : 4, behind = masked && kind->header == 40 ? 12 : 0;
    bytes_add(file, "BM", 2);
    put_number(file, 0, 8);
    put_number(file, 14 + kind->header + behind + entry * colours_of(kind), 4);
    put_number(file, kind->header, 4);
    put_number(file, WIDTH, core ? 2 : 4);
    put_number(file, kind->from_above ? 0xfffffffful - HEIGHT + 1 : HEIGHT, core ? 2 : 4);
    put_number(file, 1, 2);
    put_number(file, kind->bits, 2);
    if (core)
        return;
    put_number(file, masked ? 3 : 0, 4);
    for (int k = 0; k < 5; k++)
        put_number(file, k == 3 ? colours_of(kind) : 0, 4);
    for (size_t c = 0; c < 3 && masked; c++)
        put_number(file, kind->masks[c], 4);
    while (file->size < 14 + kind->header)
        put_number(file, 0, 1);
}

static void write_palette(file_bytes *file, const bmp_kind *kind, rng *r, unsigned char (*map)[3])
{
    for (unsigned k = 0; k < colours_of(kind); k++) {
        for (int c = 0; c < 3; c++)
            map[k][c] = (unsigned char)(kind->grey && c ? map[k][0] : rng_below(r, 256));
        if (!kind->grey && k == 0)
            map[k][1] = (unsigned char)~map[k][0];
        put_number(file, map[k][2], 1);
        put_number(file, map[k][1], 1);
        put_number(file, map[k][0], 1);
        if (kind->header != 12)
            put_number(file, 0, 1);
    }
}

/* to (3) <- the colour of a pixel of 16, 24 or 32 bits, channel by channel, bit by bit. */
static void colour_of(const bmp_kind *kind, unsigned long value, double *to)
{
    static const unsigned usual[3][3] = {
        {0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}, {0xff0000, 0xff00, 0xff}};
    for (size_t c = 0; c < 3; c++) {
        const unsigned mask = kind->masks[0] ? kind->masks[c] : usual[kind->bits == 16 ? 0 : 1][c];
        double part = 0.0, whole = 0.0, weight = 1.0;
        for (unsigned bit = 0; bit < 32; bit++)
            if ((mask >> bit) & 1) {
                part += weight * (double)((value >> bit) & 1);
                whole += weight;
                weight *= 2.0;
            }
        to[c] = part / whole;
    }
}

static void write_row(file_bytes *file, const bmp_kind *kind, rng *r, unsigned char (*map)[3],
                      double *pixel)
{
    const size_t channels = kind->grey ? 1 : 3, begin = file->size;
    unsigned packed = 0, filled = 0;
    for (size_t x = 0; x < WIDTH; x++) {
        const unsigned long value = rng_next(r) & ((1ul << kind->bits) - 1);
        if (kind->bits > 8) {
            put_number(file, value, kind->bits / 8);
            colour_of(kind, value, pixel + 3 * x);
            continue;
        }
        for (size_t c = 0; c < channels; c++)
            pixel[x * channels + c] = map[value][c] / 255.0;
        packed = packed << kind->bits | (unsigned)value;
        filled += kind->bits;
        if (filled == 8 || x + 1 == WIDTH) {
            put_number(file, (unsigned long)packed << (8 - filled), 1);
            packed = filled = 0;
        }
    }
    while ((file->size - begin) % 4)
        put_number(file, 0, 1);
}

static file_bytes write_bmp(const bmp_kind *kind, rng *r, double *pixel)
{
    static unsigned char map[256][3];
    const size_t each = WIDTH * (size_t)(kind->grey ? 1 : 3);
    file_bytes file = {NULL, 0};
    write_header(&file, kind);
    write_palette(&file, kind, r, map);
    for (size_t k = 0; k < HEIGHT; k++)
        write_row(&file, kind, r, map, pixel + (kind->from_above ? k : HEIGHT - 1 - k) * each);
    return file;
}

static const bmp_kind kinds[] = {
    {40, 1, 0, 0, {0}},
    {40, 1, 0, 1, {0}},
    {40, 4, 1, 0, {0}},
    {40, 8, 0, 1, {0}},
    {40, 8, 1, 0, {0}},
    {12, 1, 0, 0, {0}},
    {12, 8, 0, 1, {0}},
    {12, 24, 0, 0, {0}},
    {40, 24, 1, 0, {0}},
    {124, 24, 0, 0, {0}},
    {40, 16, 0, 0, {0}},
    {40, 16, 0, 0, {0xf800, 0x7e0, 0x1f}},
    {108, 16, 1, 0, {0xf00, 0xf0, 0xf}},
    {40, 32, 0, 0, {0}},
    {56, 32, 0, 0, {0xff, 0xff00, 0xff0000}},
    {124, 32, 1, 0, {0x3ff00000, 0xffc00, 0x3ff}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

TEST(every_kind_is_read_exactly)
{
    static double pixel[WIDTH * HEIGHT * 3];
    rng r = seeded(1);
    for (size_t k = 0; k < KINDS; k++) {
        char what[80];
        file_bytes file = write_bmp(&kinds[k], &r, pixel);
        snprintf(what, sizeof what, "header %u, %u bits", kinds[k].header, kinds[k].bits);
        expect_pixels(&file, WIDTH, HEIGHT, kinds[k].grey ? 1 : 3, pixel, 0.0, what);
    }
}

TEST(bad_files)
{
    static double pixel[WIDTH * HEIGHT * 3];
    rng r = seeded(2);
    for (size_t k = 0; k < KINDS; k++) {
        file_bytes file = write_bmp(&kinds[k], &r, pixel);
        expect_cuts_refused(&file, "bmp");
        expect_damage_survived(&file, "bmp");
        expect_hunger_survived(&file);
    }
}

/* A good file of that kind with another byte in its header: the message holds the text. */
static void expect_wrong(size_t kind, size_t at, unsigned char byte, const char *text)
{
    static double pixel[WIDTH * HEIGHT * 3];
    rng r = seeded(3);
    file_bytes file = write_bmp(&kinds[kind], &r, pixel);
    file.bytes[at] = byte;
    expect_refusal(file.bytes, file.size, text);
}

TEST(headers_that_lie)
{
    expect_wrong(3, 30, 1, "packed; save it unpacked");
    expect_wrong(3, 28, 7, "7 bits for a pixel");
    expect_wrong(3, 14, 41 + 100, "an unknown header");
    expect_wrong(3, 18, 0, "0 x 7 pixels");
    expect_wrong(3, 21, 0x7f, "at most");
    expect_wrong(3, 10, 0, "cut off or damaged"); /* rows that begin in the header */
    expect_wrong(2, 46, 2, "colour that the palette has not");
    expect_wrong(14, 54, 0, "selects nothing");
    expect_refusal("BM: a letter of thirty bytes...", 30, "BMP: an unknown header");
    expect_refusal("BM......", 8, "text");
}
