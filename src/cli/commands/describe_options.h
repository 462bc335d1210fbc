/* describe_options.h - the options of `spdml describe`: tables, and what they say to the library.
 */
#ifndef SPD_CLI_COMMANDS_DESCRIBE_OPTIONS_H
#define SPD_CLI_COMMANDS_DESCRIBE_OPTIONS_H

#include "cli/frame/session.h"

/* Groups of the help, each with the kinds of descriptor that it serves. */
extern const option options_describe_covariance[];
extern const option options_describe_labels[];
extern const option options_describe_signals[];
extern const option options_describe_images[];
extern const option options_describe_sift[];
extern const option options_describe_gabor[];
extern const option options_describe_region[];
extern const option options_describe_motion[];

/* What the command line asks for; what options point to belongs to the session. */
typedef struct describing {
    spd_descriptor kind;
    spd_describe_options options;
} describing;

/* d <- kind from the first operand, options from the others; files of --model and --rects are
 * read. An exit status. */
int describing_take(session *s, describing *d);

#endif
