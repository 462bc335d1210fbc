/* fuzz_npy.c - any bytes as an .npy file: an array that can be written again, or a message. */
#include "fuzz.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    spd_array *array = NULL;
    spd_status status = npy_read_memory(ctx, bytes, size, &array);
    fuzz_check(ctx, status, array);
    if (array) {
        npy_image image;
        if (npy_image_make(ctx, array, &image) < 0)
            abort(); /* whatever was read must be writable */
        npy_image_free(&image);
    }
    spd_array_free(array);
    spd_context_free(ctx);
    return 0;
}
