/* meta_compare.h - were the matrices of two data sets described alike? */
#ifndef SPD_CLI_COMMANDS_META_COMPARE_H
#define SPD_CLI_COMMANDS_META_COMPARE_H

#include <stddef.h>

/* text <- how the records of two descriptions (JSON, as `describe` writes them) differ, as options:
 * "--size 400 against 200"; empty where they agree or where one is NULL or no such record. */
void meta_compare(const char *first, const char *second, char *text, size_t size);

#endif
