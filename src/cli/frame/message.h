/* message.h - how the command ends and how it complains. */
#ifndef SPD_CLI_FRAME_MESSAGE_H
#define SPD_CLI_FRAME_MESSAGE_H

/* Exit statuses. */
enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_MISUSED = 2, CLI_INTERRUPTED = 130 };

/* "spdml: ..." on stderr, one line whatever the text holds (a file's name may hold newlines). */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; CLI_MISUSED, for the caller to return. */
int cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and the command ends there with CLI_FAILED, or with CLI_MISUSED for what is wrong with
 * the command line; what it holds is released (cli_memory.h). */
void cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void cli_misuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Messages say which process of a job they come from, unless it is the first. */
void cli_set_rank(int number);

#endif
