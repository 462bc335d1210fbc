/* cli_memory.c - calloc with a message. */
#include "cli/frame/cli_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/message.h"

void cli_out_of_memory(const char *what)
{
    cli_error("out of memory for %s", what);
    exit(CLI_FAILED);
}

void *cli_alloc(size_t count, size_t size, const char *what)
{
    void *block = calloc(count ? count : 1, size);
    if (!block)
        cli_out_of_memory(what);
    return block;
}

void *cli_alloc_table(size_t rows, size_t columns, size_t size, const char *what)
{
    char text[120];
    snprintf(text, sizeof text, "%zu x %zu %s (%.3g GiB); use smaller sets", rows, columns, what,
             (double)rows * (double)columns * (double)size / 1073741824.0);
    if (columns && rows > SIZE_MAX / columns)
        cli_out_of_memory(text);
    return cli_alloc(rows * columns, size, text);
}

char *cli_text(const char *text, size_t length)
{
    return memcpy(cli_alloc(length + 1, 1, "a text"), text, length);
}

void cli_free(void *block)
{
    free(block);
}
