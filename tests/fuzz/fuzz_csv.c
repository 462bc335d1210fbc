/* fuzz_csv.c - any bytes as a .csv file, read as an array and as a data set. */
#include "base/memory.h"
#include "formats/format.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    for (int data_set = 0; data_set < 2; data_set++) {
        const io_purpose purpose = {data_set, NULL};
        spd_context *ctx = spd_context_new();
        io_file *file = mem_zero(1, sizeof *file);
        file->path = mem_text("fuzz.csv");
        fuzz_read_arrays(ctx, csv_open(ctx, file, (const char *)bytes, size, &purpose), file);
        spd_context_free(ctx);
    }
    return 0;
}
