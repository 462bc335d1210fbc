/* test_image_content.c - which reader a file is given to, files that are no image, headers that
 * claim too much, and images made without a file. */
#include "test_image_common.h"

#include "base/stop.h"

/* Appends a chunk of a PNG file, with its checksum. */
static void add_chunk(file_bytes *file, const char *name, const unsigned char *data, size_t size)
{
    unsigned char head[8] = {(unsigned char)(size >> 24), (unsigned char)(size >> 16),
                             (unsigned char)(size >> 8), (unsigned char)size};
    uint32_t sum = 0xffffffffu;
    memcpy(head + 4, name, 4);
    bytes_add(file, head, 8);
    if (size)
        bytes_add(file, data, size);
    for (size_t at = file->size - size - 4; at < file->size; at++) {
        sum ^= file->bytes[at];
        for (int bit = 0; bit < 8; bit++)
            sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320u : 0);
    }
    sum = ~sum;
    const unsigned char tail[] = {(unsigned char)(sum >> 24), (unsigned char)(sum >> 16),
                                  (unsigned char)(sum >> 8), (unsigned char)sum};
    bytes_add(file, tail, 4);
}

/* An RGB image that claims such a size, with `size` bytes of data. */
static file_bytes claiming_png(uint32_t width, uint32_t height, size_t size)
{
    unsigned char header[13] = {0};
    static const unsigned char none[100000];
    for (int b = 0; b < 4; b++) {
        header[b] = (unsigned char)(width >> (24 - 8 * b));
        header[4 + b] = (unsigned char)(height >> (24 - 8 * b));
    }
    header[8] = 8;
    header[9] = 2;
    file_bytes file = {NULL, 0};
    bytes_add(&file, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(&file, "IHDR", header, sizeof header);
    add_chunk(&file, "IDAT", none, size);
    add_chunk(&file, "IEND", NULL, 0);
    return file;
}

TEST(png_claims)
{
    file_bytes file = claiming_png(100000, 100000, 10);
    expect_refusal(file.bytes, file.size, "100000 x 100000");
    file = claiming_png(0x7fffffff, 0x7fffffff, 10);
    expect_refusal(file.bytes, file.size, "at most");
    file = claiming_png(8000, 8000, 1000); /* few enough, but not in a thousand bytes */
    expect_refusal(file.bytes, file.size, "too many for a file of");
    file = claiming_png(800, 800, 100000);
    expect_refusal(file.bytes, file.size, "PNG: ");
}

/* A chunk that claims more than a gigabyte is not given that. */
TEST(png_chunk_claims)
{
    file_bytes file = claiming_png(7, 9, 0);
    file.size = 8 + 25; /* signature and header alone */
    bytes_add(&file, "\x50\0\0\0sPLTname", 12);
    expect_refusal(file.bytes, file.size, "PNG: cut off");
}

/* The header of a JPEG file: size, one component. */
TEST(jpeg_claims)
{
    unsigned char file[] = {0xff, 0xd8, 0xff, 0xc0, 0,    11, 8,    0xfd, 0xe8,
                            0xfd, 0xe8, 1,    1,    0x11, 0,  0xff, 0xda, 0,
                            8,    1,    1,    0,    0,    63, 0,    0xff, 0xd9};
    expect_refusal(file, sizeof file, "65000 x 65000");
    file[7] = file[9] = 0x10;
    expect_refusal(file, sizeof file, "too many for a file of");
    file[7] = file[9] = 0;
    file[8] = file[10] = 8; /* 8 x 8, and the codes are missing */
    expect_refusal(file, sizeof file, "JPEG: ");
}

/* A TIFF file with width, height, 8 bits, no packing, grey, one strip. */
TEST(tiff_claims)
{
    unsigned char file[200] = {'I', 'I', '*', 0, 8, 0, 0, 0, 7, 0};
    static const unsigned char tags[7][12] = {
        {0x00, 1, 4, 0, 1, 0, 0, 0, 0xa0, 0x86, 1, 0},
        {0x01, 1, 4, 0, 1, 0, 0, 0, 0xa0, 0x86, 1, 0},
        {0x02, 1, 3, 0, 1, 0, 0, 0, 8, 0, 0, 0},
        {0x03, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0},
        {0x06, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0},
        {0x11, 1, 4, 0, 1, 0, 0, 0, 100, 0, 0, 0},
        {0x17, 1, 4, 0, 1, 0, 0, 0, 100, 0, 0, 0},
    };
    memcpy(file + 10, tags, sizeof tags);
    expect_refusal(file, sizeof file, "100000 x 100000");
    file[10 + 8] = file[22 + 8] = 0; /* 1536 x 1536 of 100 bytes */
    file[10 + 9] = file[22 + 9] = 6;
    file[10 + 10] = file[22 + 10] = 0;
    expect_refusal(file, sizeof file, "too many for a file of");
    file[10 + 8] = file[22 + 8] = 10; /* 10 x 10 */
    file[10 + 9] = file[22 + 9] = 0;
    OWN(image) picture = decode(file, sizeof file, NULL);
    CHECK(picture && picture->width == 10, " ");
}

TEST(no_images)
{
    expect_refusal("", 0, "an empty file");
    expect_refusal("hello\nworld\n", 12, "text, not a supported image");
    expect_refusal("<!DOCTYPE html>", 15, "HTML");
    expect_refusal("GIF89a......", 12, "GIF");
    expect_refusal("\x00\x01\x02\x03", 4, "unknown content");
    expect_refusal("P7\nWIDTH 4\n", 11, "PAM");
    expect_refusal("text", 4, "PNG, JPEG, TIFF, WebP, GIF, BMP or PNM");
    expect_refusal("\x89PNG\r\n\x1a", 7, "unknown content");
    expect_refusal("\x89PNG\r\n\x1a\n", 8, "PNG: cut off");
    expect_refusal("\xff\xd8\xff", 3, "JPEG: ");
    expect_refusal("II*\0\x08\0\0\0", 8, "TIFF: ");
    expect_refusal("MM\0*\0\0\0\x08", 8, "TIFF: ");
}

TEST(limits)
{
    spd_context *ctx = spd_context_new();
    image *picture = NULL;
    CHECK(image_new(ctx, 0, 5, 1, &picture) == SPD_EINVAL && !picture, " ");
    CHECK(image_new(ctx, 5, 5, 2, &picture) == SPD_EINVAL && !picture, " ");
    CHECK(image_new(ctx, (size_t)1 << 28, 2, 1, &picture) == SPD_EINVAL && !picture, " ");
    CHECK(image_new(ctx, SIZE_MAX, SIZE_MAX, 3, &picture) == SPD_EINVAL && !picture, " ");
    CHECK(image_new(ctx, SIZE_MAX / 3 + 1, 1, 3, &picture) == SPD_EINVAL && !picture, " ");
    CHECK(image_new(ctx, 6, 5, 3, &picture) == SPD_OK && picture->channels == 3, " ");
    image_free(picture);
    image_free(NULL);
    spd_context_free(ctx);

    /* the reader's own limit */
    static const char file[] = "P5 4 2 255\nabcdefgh";
    for (size_t most = 7; most <= 8; most++) {
        const image_file small = {
            .bytes = (const unsigned char *)file, .size = sizeof file - 1, .most = most};
        picture = NULL;
        CHECK((image_decode_file(&small, &picture) == SPD_OK) == (most == 8), "%zu", most);
        image_free(picture);
    }
}

static int always(void *user)
{
    (void)user;
    return 1;
}

/* The values of an image are taken from the budget as long as it lives; one that is too large
 * waits, unless it is alone. */
TEST(budgets)
{
    static const char whole[] = "P5 4 2 255\nabcdefgh", cut[] = "P5 4 2 255\nabcdefg";
    const unsigned char *bytes = (const unsigned char *)whole;
    budget room;
    image *one = NULL, *other = NULL;
    budget_begin(&room, 15);
    CHECK(image_decode(NULL, bytes, sizeof whole - 1, &room, &one) == SPD_OK, " ");
    CHECK(room.taken == 8, "%zu values", room.taken);
    const stop_source before = stop_swap((stop_source){always, NULL});
    CHECK(image_decode(NULL, bytes, sizeof whole - 1, &room, &other) == SPD_ECANCELLED && !other,
          "a second one had to wait");
    stop_swap(before);
    image_free(one);
    CHECK(room.taken == 0, "%zu values", room.taken);
    CHECK(image_decode(NULL, (const unsigned char *)cut, sizeof cut - 1, &room, &one) < 0 &&
              room.taken == 0,
          "%zu values of a damaged one", room.taken);
    mem_fail_at(1);
    CHECK(image_decode(NULL, bytes, sizeof whole - 1, &room, &one) == SPD_ENOMEM && room.taken == 0,
          "%zu values without memory", room.taken);
    mem_fail_at(0);
    budget_end(&room);
}
