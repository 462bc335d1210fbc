/* describe_notes.h - what a description should not hide: files that were passed over, and matrices
 * of too few observations. */
#ifndef SPD_CLI_COMMANDS_DESCRIBE_NOTES_H
#define SPD_CLI_COMMANDS_DESCRIBE_NOTES_H

#include "cli/frame/session.h"

/* Remarks on stderr. */
void describe_notes_remark(session *s, const spd_failures *notes);

/* Adds lines to a sheet: "passed_over", a list of names, and "few_observations" where some have. */
void describe_notes_show(sheet *r, const spd_failures *notes);

/* Frees them when the command ends. */
void describe_notes_keep(spd_failures *notes);

#endif
