/* fuzz_mat.h - every array of a MATLAB file that is in memory is read, or there is a message. */
#ifndef SPD_FUZZ_MAT_H
#define SPD_FUZZ_MAT_H

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "formats/format.h"

static io_file *file_in_memory(const unsigned char *bytes, size_t size)
{
    io_file *file = mem_zero(1, sizeof *file);
    file->path = mem_text("fuzz.mat");
    file->source = mem_zero(1, sizeof *file->source);
    file->source->bytes = mem_alloc(size, 1);
    file->source->size = size;
    if (size)
        memcpy(file->source->bytes, bytes, size);
    return file;
}

/* Takes an array up whole: a byte that was never set is a finding of MemorySanitizer and valgrind,
 * one beyond the end of the array one of AddressSanitizer. */
static size_t sum_array(const spd_array *array)
{
    size_t sum = 0;
    for (size_t i = 0; array && i < array->count; i++)
        sum += array->f64   ? array->f64[i] > 0
               : array->i64 ? array->i64[i] > 0
                            : strlen(array->text[i]);
    return sum;
}

/* Reads all arrays; how many. */
static size_t read_mat(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    io_file *file = file_in_memory(bytes, size);
    size_t good = 0, sum = 0;
    spd_status status = mat_open(ctx, file);
    if (status < 0 && spd_context_error(ctx)->message[0] == '\0')
        abort();
    for (size_t i = 0; i < file->count && status == SPD_OK; i++) {
        spd_array *array = NULL;
        ctx_clear(ctx);
        spd_status got = io_read(ctx, file, &file->entry[i], &array);
        if (got < 0 ? array != NULL || spd_context_error(ctx)->message[0] == '\0' : !array)
            abort();
        good += got == SPD_OK;
        sum += sum_array(array);
        spd_array_free(array);
    }
    io_close(file);
    spd_context_free(ctx);
    return sum == SIZE_MAX ? 0 : good;
}

#endif
