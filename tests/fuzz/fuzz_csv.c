/* fuzz_csv.c - any bytes as a .csv file, read as an array and as a data set. */
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

static void read_as(const char *bytes, size_t size, int data_set)
{
    const io_purpose purpose = {data_set, NULL};
    spd_context *ctx = spd_context_new();
    io_file *file = mem_zero(1, sizeof *file);
    file->path = mem_text("fuzz.csv");
    spd_status status = csv_open(ctx, file, bytes, size, &purpose);
    for (size_t i = 0; i < file->count && status == SPD_OK; i++) {
        spd_array *array = NULL;
        status = io_read(ctx, file, &file->entry[i], &array);
        if (status < 0 && array)
            abort();
        spd_array_free(array);
    }
    if (status < 0 && spd_context_error(ctx)->message[0] == '\0')
        abort();
    io_close(file);
    spd_context_free(ctx);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    read_as((const char *)bytes, size, 0);
    read_as((const char *)bytes, size, 1);
    return 0;
}
