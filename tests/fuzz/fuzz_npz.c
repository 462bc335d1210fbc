/* fuzz_npz.c - any bytes as an .npz file: every array in it is read, or there is a message. */
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "io/file.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    io_file *file = mem_zero(1, sizeof *file);
    file->path = mem_text("fuzz.npz");
    spd_status status = npz_open(ctx, file, bytes, size);
    for (size_t i = 0; i < file->count && status == SPD_OK; i++) {
        spd_array *array = NULL;
        status = io_read_complex(ctx, file, &file->entry[i], &array);
        if (status < 0 && array)
            abort();
        spd_array_free(array);
    }
    if (status < 0 && spd_context_error(ctx)->message[0] == '\0')
        abort();
    io_close(file);
    spd_context_free(ctx);
    return 0;
}
