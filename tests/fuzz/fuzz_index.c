/* fuzz_index.c - any bytes as an index of inputs: rows that can be found, or a message. */
#include <string.h>

#include "base/memory.h"
#include "describe/labelling.h"
#include "fuzz.h"
#include "io/text.h"

static void check_index(const index_file *index)
{
    if (index->columns < 2 || index->rows == 0)
        abort();
    for (size_t j = 0; j < index->columns; j++) {
        const spd_array *column = index->column[j];
        if (!column->name || utf8_length(column->name) == SIZE_MAX || column->count != index->rows)
            abort();
        for (size_t i = 0; column->type == SPD_TYPE_TEXT && i < column->count; i++)
            if (utf8_length(column->text[i]) == SIZE_MAX)
                abort();
    }
}

static void find_rows(spd_context *ctx, const index_file *index)
{
    static const char *const names[] = {"a.png", "x/a.png", "", "/"};
    size_t row = SIZE_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fuzz_check_message(ctx, index_find(ctx, index, names[i], &row));
    for (size_t i = 0; i < index->rows && i < 4; i++) {
        spd_status status = index_find(ctx, index, index->column[0]->text[i], &row);
        fuzz_check_message(ctx, status);
        if (status == SPD_OK && row >= index->rows)
            abort();
    }
}

/* An index that must be read: else the inputs would not reach their reader. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char good[] = "file,label\na.png,b\n";
    index_file index = {0};
    (void)argc;
    (void)argv;
    fuzz_lend("index.csv", (const unsigned char *)good, sizeof good - 1);
    if (index_read(fuzz_context(), "index.csv", &index) < 0)
        abort();
    index_free(&index);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    const long live = mem_live();
    index_file index = {0};
    fuzz_lend("index.csv", bytes, size);
    index_is_likely((const char *)bytes, size);
    spd_status status = index_read(ctx, "index.csv", &index);
    fuzz_check_message(ctx, status);
    if (status == SPD_OK) {
        check_index(&index);
        find_rows(ctx, &index);
    }
    index_free(&index);
    if (mem_live() != live)
        abort();
    return 0;
}
