/* classify_files.h - the predictions of `spdml classify` as a file. */
#ifndef SPD_CLI_COMMANDS_CLASSIFY_FILES_H
#define SPD_CLI_COMMANDS_CLASSIFY_FILES_H

#include "cli/frame/session.h"

/* Endings of files that predictions can be written to. */
const char *classify_endings(size_t i);

/* Writes predicted (test->p class numbers of train) to the file of --output, with the truth where
 * it is known and the names of the sources where there are; nothing without --output. */
void classify_write(session *s, const spd_data *train, const spd_data *test, const int *predicted);

#endif
