/* describe_notes.h - what a description should not hide: files that were passed over, and matrices
 * of too few observations. */
#ifndef SPD_CLI_COMMANDS_DESCRIBE_NOTES_H
#define SPD_CLI_COMMANDS_DESCRIBE_NOTES_H

#include "cli/frame/session.h"

/* What spd_describe makes, freed when the command ends. */
typedef struct described {
    spd_data *data;
    spd_describe_info *notes;
} described;

/* Describes the operands behind the first one. */
const described *describe_operands(session *s, spd_descriptor kind,
                                   const spd_describe_options *how);

/* Remarks on stderr. */
void describe_notes_remark(session *s, const spd_describe_info *notes);

/* Adds lines to a sheet: "passed_over", a list of names, and "few_observations" where some have. */
void describe_notes_show(sheet *r, const spd_describe_info *notes);

#endif
