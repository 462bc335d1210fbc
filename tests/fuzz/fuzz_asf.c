/* fuzz_asf.c - any bytes as an .asf skeleton: one that can be posed, or a message. */
#include "base/memory.h"
#include "formats/kinematics.h"
#include "fuzz.h"

/* All channels at zero: whatever was read has a pose. */
static void pose(const skeleton *bones)
{
    double *value = mem_zero(bones->channels, sizeof *value);
    double *R = mem_alloc(bones->bones, 9 * sizeof *R);
    double *position = mem_alloc(bones->bones, 3 * sizeof *position);
    skeleton_pose(bones, value, R, position);
    mem_free(value);
    mem_free(R);
    mem_free(position);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    long live = mem_live();
    spd_context *ctx = spd_context_new();
    skeleton *bones = NULL;
    spd_status status = skeleton_parse(ctx, (const char *)bytes, size, &bones);
    fuzz_check(ctx, status, bones);
    if (bones)
        pose(bones);
    skeleton_free(bones);
    spd_context_free(ctx);
    if (mem_live() != live)
        abort();
    return 0;
}
