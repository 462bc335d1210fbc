/* test_image_common.h - what the tests of the image readers share: a file in memory, and what must
 * hold for every file that is cut off or damaged. */
#ifndef SPD_TEST_IMAGE_COMMON_H
#define SPD_TEST_IMAGE_COMMON_H

#include "base/context.h"
#include "formats/image_formats.h"
#include "random_spd.h"
#include "repeat.h"

OWNER(image)

typedef struct file_bytes {
    unsigned char *bytes;
    size_t size;
} file_bytes;

HELPER void bytes_add(file_bytes *file, const void *more, size_t size)
{
    unsigned char *longer = take(file->size + size + 1);
    if (file->size)
        memcpy(longer, file->bytes, file->size);
    memcpy(longer + file->size, more, size);
    file->bytes = longer;
    file->size += size;
}

/* The file of that name. */
HELPER file_bytes bytes_of(const char *path)
{
    file_bytes file = {NULL, 0};
    unsigned char part[4096];
    FILE *stream = fopen(path, "rb");
    if (!stream)
        abort();
    for (size_t got; (got = fread(part, 1, sizeof part, stream)) > 0;)
        bytes_add(&file, part, got);
    fclose(stream);
    return file;
}

/* And removes it. */
HELPER file_bytes bytes_take(const char *path)
{
    file_bytes file = bytes_of(path);
    remove(path);
    return file;
}

/* Decodes; on failure NULL, with the message in text (200) unless that is NULL. */
HELPER image *decode(const unsigned char *bytes, size_t size, char *text)
{
    SCOPE;
    spd_context *ctx = context_on(0);
    image *picture = NULL;
    spd_status status = image_decode(ctx, bytes, size, NULL, &picture);
    const char *message = said(ctx);
    if (status < 0)
        CHECK(!picture && message[0] && !strchr(message, '\n'), "'%s'", message);
    if (text)
        snprintf(text, 200, "%.199s", message);
    return picture;
}

/* The file has these pixels, to within so much. */
HELPER void expect_pixels(const file_bytes *file, size_t width, size_t height, size_t channels,
                          const double *pixel, double tolerance, const char *what)
{
    char text[200];
    OWN(image) picture = decode(file->bytes, file->size, text);
    if (!CHECK(picture, "%s: %s", what, text))
        return;
    CHECK(picture->width == width && picture->height == height && picture->channels == channels,
          "%s: %zu x %zu x %zu", what, picture->width, picture->height, picture->channels);
    for (size_t i = 0; i < width * height * channels; i++)
        if (!CHECK_CLOSE(picture->pixel[i], pixel[i], tolerance, "%s: value %zu", what, i))
            break;
}

/* The message about the file holds this text. */
HELPER void expect_refusal(const void *bytes, size_t size, const char *part)
{
    char text[200];
    OWN(image) picture = decode(bytes, size, text);
    CHECK(!picture && strstr(text, part), "'%s' is not about '%s'", text, part);
}

/* However the file is cut off, there is a message, and nothing stays allocated. The copy has the
 * size of the cut, so that reading past it is seen. */
HELPER void expect_cuts_refused(const file_bytes *file, const char *what)
{
    const long live = mem_live();
    for (size_t size = 0; size < file->size; size++) {
        SCOPE;
        OWN(image) picture = decode(take_copy(file->bytes, size), size, NULL);
        CHECK(!picture, "%s: cut to %zu of %zu bytes, and read", what, size, file->size);
    }
    CHECK(mem_live() == live, "%s: %ld blocks stay", what, mem_live() - live);
}

/* Whatever byte is wrong, it is read or refused, and nothing stays allocated. */
HELPER void expect_damage_survived(const file_bytes *file, const char *what)
{
    const long live = mem_live();
    rng r = seeded(5);
    for (size_t at = 0; at < file->size; at++) {
        const unsigned char good = file->bytes[at];
        const unsigned char wrong[] = {0, 0xff, (unsigned char)rng_next(&r)};
        for (size_t w = 0; w < sizeof wrong; w++) {
            file->bytes[at] = wrong[w];
            const image_file damaged = {
                .bytes = file->bytes, .size = file->size, .most = (size_t)1 << 20};
            OWN(image) picture = NULL;
            spd_status status = image_decode_file(&damaged, &picture);
            CHECK((status < 0) == !picture, "%s: byte %zu", what, at);
        }
        file->bytes[at] = good;
    }
    CHECK(mem_live() == live, "%s: %ld blocks stay", what, mem_live() - live);
}

/* Every allocation of ours fails once. */
HELPER void expect_hunger_survived(const file_bytes *file)
{
    spd_context *ctx = context_on(1);
    for (sweep_state s = SWEEP(ctx, 1, NULL, 0); sweep_on(&s);) {
        OWN(image) picture = NULL;
        s.status = image_decode(ctx, file->bytes, file->size, NULL, &picture);
        CHECK_MADE(s, picture);
    }
}

#endif
