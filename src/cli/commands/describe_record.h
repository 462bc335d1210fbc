/* describe_record.h - the record of a description, read back: how new inputs are described in the
 * same way. */
#ifndef SPD_CLI_COMMANDS_DESCRIBE_RECORD_H
#define SPD_CLI_COMMANDS_DESCRIBE_RECORD_H

#include "cli/frame/session.h"

/* *kind and *o <- what made (JSON, as `describe` writes it; or NULL) says. NULL, or why inputs
 * cannot be described from it, in words that follow "because". What o points to belongs to the
 * session. */
const char *describe_record_take(const char *made, spd_descriptor *kind, spd_describe_options *o);

#endif
