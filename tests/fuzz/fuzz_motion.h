/* fuzz_motion.h - what holds for a clip from any bytes: finite positions and names in UTF-8, or a
 * message; and nothing is left behind. */
#ifndef SPD_FUZZ_MOTION_H
#define SPD_FUZZ_MOTION_H

#include <math.h>

#include "base/memory.h"
#include "formats/motion.h"
#include "fuzz.h"
#include "io/text.h"

typedef spd_status (*clip_parser)(spd_context *ctx, const unsigned char *bytes, size_t size,
                                  motion **clip);

static void check_clip(const motion *clip)
{
    for (size_t i = 0; i < clip->frames * clip->joints * 3; i++)
        if (!isfinite(clip->position[i]))
            abort();
    for (size_t i = 0; i < clip->joints; i++)
        if (utf8_length(clip->name[i]) == SIZE_MAX)
            abort();
}

static void fuzz_clip(clip_parser parse, const unsigned char *bytes, size_t size)
{
    long live = mem_live();
    spd_context *ctx = spd_context_new();
    motion *clip = NULL;
    spd_status status = parse(ctx, bytes, size, &clip);
    fuzz_check(ctx, status, clip);
    if (clip)
        check_clip(clip);
    motion_free(clip);
    spd_context_free(ctx);
    if (mem_live() != live)
        abort();
}

#endif
