/* label_columns.h - which column of a data set without labels could hold them. */
#ifndef SPD_CLI_COMMANDS_LABEL_COLUMNS_H
#define SPD_CLI_COMMANDS_LABEL_COLUMNS_H

#include <stddef.h>

#include "spdml-data.h"

/* text <- "--y activity would take that column", "--y NAME would take one of activity, subject",
 * or "" when there is none: columns of texts or whole numbers, one per matrix, in which a value
 * occurs more than once. */
void label_columns(const spd_data *data, char *text, size_t size);

#endif
