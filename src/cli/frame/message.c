/* message.c - one line on stderr. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/plain.h"
#include "cli/frame/cli_memory.h"

/* Which process of a job this is. */
static int rank;

void cli_set_rank(int number)
{
    rank = number;
}

/* What goes wrong in all processes of a job alike is said by the first, which then ends the job:
 * the others wait for that signal. Zero if it comes. */
static int may_speak(void)
{
    const struct timespec moment = {.tv_sec = rank > 8 ? 2 : 1, .tv_nsec = rank % 8 * 100000000L};
    return rank == 0 || nanosleep(&moment, NULL) == 0;
}

static void complain(const char *format, va_list args)
{
    char raw[1024], line[1024]; /* on the stack: memory may be what is missing */
    vsnprintf(raw, sizeof raw, format, args);
    plain_text(raw, "", line, sizeof line);
    if (may_speak() && rank > 0)
        fprintf(stderr, "spdml: rank %d: %s\n", rank, line);
    else if (rank == 0)
        fprintf(stderr, "spdml: %s\n", line);
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
}

int cli_refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return CLI_MISUSED;
}

void cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    cli_leave(CLI_FAILED);
}

void cli_misuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    cli_leave(CLI_MISUSED);
}
