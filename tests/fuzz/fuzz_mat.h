/* fuzz_mat.h - every array of a MATLAB file that is in memory is read, or there is a message. */
#ifndef SPD_FUZZ_MAT_H
#define SPD_FUZZ_MAT_H

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "formats/format.h"

/* Takes an array up whole: a byte that was never set is a finding of MemorySanitizer and valgrind,
 * one beyond the end of the array one of AddressSanitizer. */
static size_t sum_array(const spd_array *array)
{
    size_t sum = 0;
    size_t each = array && array->type == SPD_TYPE_COMPLEX128 ? 2 : 1;
    for (size_t i = 0; array && i < each * array->count; i++)
        sum += array->f64   ? array->f64[i] > 0
               : array->i64 ? array->i64[i] > 0
                            : strlen(array->text[i]);
    return sum;
}

/* Reads every array of a file; how many could be read. */
static size_t read_arrays(spd_context *ctx, io_file *file)
{
    size_t good = 0, sum = 0;
    spd_status status = mat_open(ctx, file);
    if (status < 0 && spd_context_error(ctx)->message[0] == '\0')
        abort();
    for (size_t i = 0; i < file->count && status == SPD_OK; i++) {
        spd_array *array = NULL;
        ctx_clear(ctx);
        spd_status got = io_read_complex(ctx, file, &file->entry[i], &array);
        if (got < 0 ? array != NULL || spd_context_error(ctx)->message[0] == '\0' : !array)
            abort();
        good += got == SPD_OK;
        sum += sum_array(array);
        spd_array_free(array);
    }
    return sum == SIZE_MAX ? 0 : good;
}

/* The same of a file in memory: size bytes of a block that is no larger. */
static size_t read_mat(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    io_file *file = mem_zero(1, sizeof *file);
    size_t good = 0;
    if (ctx && file && (file->path = mem_text("fuzz.mat")) &&
        source_lend(ctx, bytes, size, &file->source) == SPD_OK)
        good = read_arrays(ctx, file);
    io_close(file);
    spd_context_free(ctx);
    return good;
}

#endif
