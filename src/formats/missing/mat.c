/* mat.c - stands in for mat*.c in builds without matio or HDF5. */
#include "formats/format.h"

spd_status mat_open(spd_context *ctx, io_file *file)
{
    (void)file;
    return ctx_fail(ctx, SPD_EFORMAT,
                    "this build cannot read .mat: matio or HDF5 was missing when it was built; "
                    "save it as .npz or .csv");
}

spd_status mat_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    (void)out;
    (void)count;
    (void)arrays;
    return ctx_fail(ctx, SPD_EINVAL,
                    "this build cannot write .mat: matio or HDF5 was missing when it was built; "
                    "use .npz");
}
