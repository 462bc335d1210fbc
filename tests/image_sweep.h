/* image_sweep.h - what the tests of descriptors of images have in common: one image through a
 * descriptor, once, with other numbers of threads, and with every allocation failing. */
#ifndef SPD_IMAGE_SWEEP_H
#define SPD_IMAGE_SWEEP_H

#include "random_spd.h"
#include "test.h"

#include "base/memory.h"
#include "describe/descriptor.h"

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
    spd_context *ctx = spd_context_new();
    description out = {0};
    spd_status status = try_descriptor(ctx, how, options, in, &out);
    CHECK(status == SPD_OK, "%d: %s", (int)status, spd_context_error(ctx)->message);
    spd_context_free(ctx);
    return out;
}

HELPER void same_for_threads(const descriptor *how, const spd_describe_options *options,
                             const image *in)
{
    description one = describe_image(how, options, in);
    for (int threads = 1; threads <= 3; threads++) {
        spd_context *ctx = spd_context_new();
        description out = {0};
        spd_context_set_threads(ctx, threads);
        spd_status status = try_descriptor(ctx, how, options, in, &out);
        CHECK(status == SPD_OK && out.n == one.n &&
                  memcmp(out.X, one.X, one.n * one.n * sizeof *one.X) == 0,
              "%d threads: %d", threads, (int)status);
        description_free(&out);
        spd_context_free(ctx);
    }
    description_free(&one);
}

/* The image, which is freed, must be refused with a message that holds the text. */
HELPER void expect_refusal(const descriptor *how, const spd_describe_options *options, image *in,
                           const char *text)
{
    spd_context *ctx = spd_context_new();
    description out = {.count = 77};
    spd_status status = try_descriptor(ctx, how, options, in, &out);
    CHECK(status < 0 && out.count == 77, "%d, expected: %s", (int)status, text);
    CHECK(strstr(spd_context_error(ctx)->message, text), "'%s', expected: %s",
          spd_context_error(ctx)->message, text);
    image_free(in);
    spd_context_free(ctx);
}

/* Every allocation fails once: a message, no leak, the output untouched. */
HELPER void sweep_descriptor(const descriptor *how, const spd_describe_options *options,
                             const image *in)
{
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, 1);
    long live = mem_live(), k = 0;
    spd_status status = SPD_ENOMEM;
    while (status == SPD_ENOMEM && k < 200) {
        description out = {.count = 77};
        mem_fail_at(++k);
        status = try_descriptor(ctx, how, options, in, &out);
        CHECK(mem_fail_at(0) > 0 || status == SPD_ENOMEM, "allocation %ld fails unnoticed", k);
        if (status == SPD_ENOMEM) {
            CHECK(out.count == 77, "%s touches its output", spd_descriptor_name(how->kind));
            CHECK(strstr(spd_context_error(ctx)->message, "out of memory"), "%s",
                  spd_context_error(ctx)->message);
        } else {
            description_free(&out);
        }
        CHECK(mem_live() == live, "%s leaks at allocation %ld", spd_descriptor_name(how->kind), k);
    }
    CHECK(status == SPD_OK && k > 5, "%s: %d after %ld, %s", spd_descriptor_name(how->kind),
          (int)status, k, spd_context_error(ctx)->message);
    spd_context_free(ctx);
}

#endif
