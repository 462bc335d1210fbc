/* fuzz_archive.c - any bytes as an archive: every member is read, or there is a message. Checksums
 * of tar headers are put right after most mutations, so that what they guard is reached. */
#include <archive.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/archive.h"
#include "fuzz.h"

enum { BLOCK = 512, SUM_AT = 148, SUM_SIZE = 8, MEMBERS = 50 };

size_t LLVMFuzzerMutate(unsigned char *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(unsigned char *bytes, size_t size, size_t most, unsigned seed);
int __real_archive_read_open_fd(struct archive *a, int file, size_t block);
int __wrap_archive_read_open_fd(struct archive *a, int file, size_t block);

int __wrap_archive_read_open_fd(struct archive *a, int file, size_t block)
{
    size_t size = 0;
    const unsigned char *bytes = fuzz_lent("fuzz.tar", &size);
    return file < 0 ? archive_read_open_memory(a, bytes, size)
                    : __real_archive_read_open_fd(a, file, block);
}

/* Every block that has the mark of a header, or is the first, gets the checksum of one. */
static void repair_tar(unsigned char *bytes, size_t size)
{
    for (size_t at = 0; size - at >= BLOCK; at += BLOCK) {
        unsigned char *head = bytes + at;
        unsigned sum = SUM_SIZE * ' ';
        if (memcmp(head + 257, "ustar", 5) != 0)
            continue;
        for (size_t i = 0; i < BLOCK; i++)
            sum += i < SUM_AT || i >= SUM_AT + SUM_SIZE ? head[i] : 0;
        char text[SUM_SIZE + 1];
        snprintf(text, sizeof text, "%06o", sum);
        memcpy(head + SUM_AT, text, SUM_SIZE);
    }
}

size_t LLVMFuzzerCustomMutator(unsigned char *bytes, size_t size, size_t most, unsigned seed)
{
    size = LLVMFuzzerMutate(bytes, size, most);
    if (seed % 8)
        repair_tar(bytes, size);
    return size;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    const long live = mem_live();
    archive_file *file = NULL;
    const char *name = "";
    fuzz_lend("fuzz.tar", bytes, size);
    spd_status status = archive_file_open(ctx, "fuzz.tar", &file);
    fuzz_check(ctx, status, file);
    for (size_t i = 0; i < MEMBERS && status == SPD_OK && name; i++) {
        unsigned char *content = NULL;
        size_t length = 0;
        status = archive_file_next(ctx, file, &name);
        if (status == SPD_OK && name && strlen(name) < SIZE_MAX) {
            status = archive_file_read(ctx, file, (size_t)1 << 18, &content, &length);
            fuzz_check(ctx, status, content);
        }
        if (content && content[length] != '\0')
            abort();
        mem_free(content);
    }
    fuzz_check_message(ctx, status);
    archive_file_close(file);
    if (mem_live() != live)
        abort();
    return 0;
}
