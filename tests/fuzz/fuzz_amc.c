/* fuzz_amc.c - any bytes as an .amc motion of a small skeleton. */
#include "fuzz_motion.h"

static const char skeleton_text[] = ":units\n length 0.45\n angle deg\n"
                                    ":root\n order TX TY TZ RX RY RZ\n axis XYZ\n"
                                    ":bonedata\n"
                                    "begin\n name a\n direction 0 1 0\n length 2\n"
                                    " axis 10 20 30 XYZ\n dof rx ry rz\nend\n"
                                    "begin\n name b\n direction 1 0 0\n length 1\nend\n"
                                    "begin\n name c\n direction 0 0 1\n length 3\n dof rz\nend\n"
                                    ":hierarchy\nbegin\nroot a\na b c\nend\n";

static skeleton *bones;

static spd_status parse(spd_context *ctx, const unsigned char *bytes, size_t size, motion **clip)
{
    return amc_parse(ctx, bones, (const char *)bytes, size, clip);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (skeleton_parse(NULL, skeleton_text, sizeof skeleton_text - 1, &bones) < 0)
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    fuzz_clip(parse, bytes, size);
    return 0;
}
