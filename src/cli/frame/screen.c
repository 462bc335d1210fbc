/* screen.c - printing for people. */
#include "cli/frame/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "cli/frame/cli_memory.h"

void screen_vprint(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int found = vsnprintf(NULL, 0, format, again); /* < 0: longer than 2 GiB */
    const size_t length = found < 0 ? 0 : (size_t)found, before = strspn(format, "\n");
    va_end(again);
    if (length < before)
        return;
    char *text = cli_alloc(length + 1, 1, "a line");
    vsnprintf(text, length + 1, format, args);
    size_t after = 0;
    for (size_t end = strlen(format); end > before && format[end - 1] == '\n'; end--)
        after += length > before + after ? 1 : 0;
    text[length - after] = '\0';
    printf("%.*s", (int)before, format);
    const size_t room = plain_text(text + before, "", NULL, 0) + 1;
    char *plain = cli_alloc(room, 1, "a line");
    plain_text(text + before, "", plain, room);
    fputs(plain, stdout);
    cli_free(plain);
    while (after--)
        putchar('\n');
    cli_free(text);
}

void screen_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    screen_vprint(format, args);
    va_end(args);
}
