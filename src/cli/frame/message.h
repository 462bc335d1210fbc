/* message.h - how the command ends and how it complains. */
#ifndef SPD_CLI_FRAME_MESSAGE_H
#define SPD_CLI_FRAME_MESSAGE_H

/* Exit statuses. */
enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_MISUSED = 2, CLI_INTERRUPTED = 130 };

/* "spdml: ..." on stderr, one line whatever the text holds (a file's name may hold newlines). */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; CLI_FAILED, and CLI_MISUSED for what is wrong with the command line. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
