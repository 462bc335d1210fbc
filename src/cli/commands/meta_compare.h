/* meta_compare.h - were the matrices of two data sets described alike? */
#ifndef SPD_CLI_COMMANDS_META_COMPARE_H
#define SPD_CLI_COMMANDS_META_COMPARE_H

#include "spdml-data.h"

/* How the records of two descriptions (JSON, as `describe` writes them) differ, "width 400 against
 * 200"; NULL if they agree, or if one is NULL or no such record. */
const char *meta_compare(const char *first, const char *second);

#endif
