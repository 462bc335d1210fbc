/* motion.c - life of a clip. */
#include "formats/motion.h"

#include <math.h>

#include "base/memory.h"
#include "formats/lines.h"

#define MAX_NUMBERS ((size_t)1 << 28)

spd_status motion_new(spd_context *ctx, size_t frames, size_t joints, motion **clip)
{
    size_t numbers;
    if (frames == 0 || joints == 0)
        return ctx_fail(ctx, SPD_EINVAL, "a clip of %zu frames and %zu joints is empty", frames,
                        joints);
    if (mem_mul(frames, joints, &numbers) || numbers > MAX_NUMBERS / 3)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu frames of %zu joints are more than 2^28 numbers; cut the clip into "
                        "parts",
                        frames, joints);
    motion *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a clip");
    fresh->frames = frames;
    fresh->joints = joints;
    fresh->position = mem_alloc(3 * numbers, sizeof *fresh->position);
    fresh->name = mem_zero(joints, sizeof *fresh->name);
    if (!fresh->position || !fresh->name) {
        motion_free(fresh);
        return ctx_nomem(ctx, "a clip");
    }
    *clip = fresh;
    return SPD_OK;
}

void motion_free(motion *clip)
{
    if (!clip)
        return;
    for (size_t i = 0; clip->name && i < clip->joints; i++)
        mem_free(clip->name[i]);
    mem_free(clip->name);
    mem_free(clip->parent);
    mem_free(clip->position);
    mem_free(clip);
}

spd_status motion_check(spd_context *ctx, const motion *clip)
{
    size_t columns = 3 * clip->joints;
    for (size_t i = 0; i < clip->frames * columns; i++)
        if (!isfinite(clip->position[i]))
            return ctx_fail(ctx, SPD_EFORMAT,
                            "the position of '%s' in frame %zu is not a finite number",
                            word_show_text(clip->name[i % columns / 3]).text, i / columns + 1);
    return SPD_OK;
}
