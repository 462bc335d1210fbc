/* message.h - how the command ends and how it complains. */
#ifndef SPD_CLI_FRAME_MESSAGE_H
#define SPD_CLI_FRAME_MESSAGE_H

/* Exit statuses. */
enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_MISUSED = 2, CLI_INTERRUPTED = 130 };

/* "spdml: ..." on stderr, one line whatever the text holds (a file's name may hold newlines). */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
