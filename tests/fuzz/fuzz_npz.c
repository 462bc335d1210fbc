/* fuzz_npz.c - any bytes as an .npz file: every array in it is read, or there is a message. */
#include "base/memory.h"
#include "fuzz.h"
#include "io/file.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    io_file *file = mem_zero(1, sizeof *file);
    file->path = mem_text("fuzz.npz");
    fuzz_read_arrays(ctx, npz_open(ctx, file, bytes, size), file);
    spd_context_free(ctx);
    return 0;
}
