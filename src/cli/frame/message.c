/* message.c - one line on stderr. */
#include "cli/frame/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/plain.h"
#include "cli/frame/cli_memory.h"

static void complain(const char *format, va_list args)
{
    char raw[1024], line[1024]; /* on the stack: memory may be what is missing */
    vsnprintf(raw, sizeof raw, format, args);
    plain_text(raw, "", line, sizeof line);
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
