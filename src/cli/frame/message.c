/* message.c - one line on stderr. */
#include "cli/frame/message.h"

#include <stdarg.h>
#include <stdio.h>

void cli_error(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    fprintf(stderr, "spdml: %s\n", line);
}
