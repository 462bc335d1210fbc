/* cli_memory.h - the command's own allocations: they succeed, or the command ends with a line
 * that says what did not fit. */
#ifndef SPD_CLI_FRAME_CLI_MEMORY_H
#define SPD_CLI_FRAME_CLI_MEMORY_H

#include <stddef.h>

/* count * size zeroed bytes; what names them in the message ("100 x 100 distances"). */
void *cli_alloc(size_t count, size_t size, const char *what);

/* rows * columns elements of size bytes, a table of things called what ("distances"). */
void *cli_alloc_table(size_t rows, size_t columns, size_t size, const char *what);

/* A copy of the first `length` characters of a text, and their end. */
char *cli_text(const char *text, size_t length);

void cli_free(void *block);

/* Ends the command: out of memory for what. */
void cli_out_of_memory(const char *what) __attribute__((noreturn));

#endif
