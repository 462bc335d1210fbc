/* image_sweep.h - what the tests of descriptors of images have in common: one image through a
 * descriptor, once, with other numbers of threads, and with every allocation failing. */
#ifndef SPD_IMAGE_SWEEP_H
#define SPD_IMAGE_SWEEP_H

#include "describe/descriptor.h"
#include "random_spd.h"
#include "repeat.h"

OWNER(image)

/* prepare, describe, release; *out is untouched by a failure. */
HELPER spd_status try_descriptor(spd_context *ctx, const descriptor *how,
                                 const spd_describe_options *options, const image *in,
                                 description *out)
{
    const input given = {.image = in};
    void *shared = NULL;
    spd_status status = how->prepare(ctx, options, &shared);
    if (status >= 0)
        status = how->describe(ctx, options, shared, &given, out);
    if (how->release)
        how->release(shared);
    return status;
}

/* The description of an image that has one; empty, with a failed check, when it has none. */
HELPER description describe_image(const descriptor *how, const spd_describe_options *options,
                                  const image *in)
{
    spd_context *ctx = context_on(0);
    description out = {0};
    CHECK_OK(ctx, try_descriptor(ctx, how, options, in, &out));
    return out;
}

HELPER void same_for_threads(const descriptor *how, const spd_describe_options *options,
                             const image *in)
{
    FREED_BY(description_free) description one = describe_image(how, options, in);
    for (int threads = 1; threads <= 3; threads++) {
        FREED_BY(description_free) description out = {0};
        spd_status status = try_descriptor(context_on(threads), how, options, in, &out);
        CHECK(status == SPD_OK && out.n == one.n &&
                  memcmp(out.X, one.X, one.n * one.n * sizeof *one.X) == 0,
              "%d threads: %d", threads, (int)status);
    }
}

/* The image, which is freed, must be refused with a message that holds the text. */
HELPER void expect_refusal(const descriptor *how, const spd_describe_options *options, image *in,
                           const char *text)
{
    spd_context *ctx = context_on(0);
    description out = {.count = 77};
    spd_status status = try_descriptor(ctx, how, options, in, &out);
    CHECK(status < 0 && out.count == 77, "%d, expected: %s", (int)status, text);
    CHECK_SAYS(ctx, text);
    image_free(in);
}

/* Every allocation fails once: a message, no leak, the output untouched. */
HELPER void sweep_descriptor(const descriptor *how, const spd_describe_options *options,
                             const image *in)
{
    description out;
    spd_context *ctx = context_on(1);
    for (sweep_state s = SWEEP(ctx, 4, &out, sizeof out); sweep_on(&s);) {
        s.what = spd_name(SPD_ENUM_DESCRIPTOR, how->kind);
        s.status = try_descriptor(ctx, how, options, in, &out);
        if (s.status >= 0)
            description_free(&out);
    }
}

#endif
