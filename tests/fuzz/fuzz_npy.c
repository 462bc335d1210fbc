/* fuzz_npy.c - any bytes as an .npy file: an array that can be written again, or a message. */
#include <stdlib.h>

#include "base/context.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    spd_array *array = NULL;
    spd_status status = npy_read_memory(ctx, bytes, size, &array);
    if (status == SPD_OK) {
        npy_image image;
        if (npy_image_make(ctx, array, &image) == SPD_OK)
            npy_image_free(&image);
        else
            abort(); /* whatever was read must be writable */
    } else if (array || spd_context_error(ctx)->message[0] == '\0') {
        abort(); /* a failure leaves its output alone and says why */
    }
    spd_array_free(array);
    spd_context_free(ctx);
    return 0;
}
