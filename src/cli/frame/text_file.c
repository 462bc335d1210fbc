/* text_file.c - a text file through a temporary name beside it. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/text_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"

#define ENDING 40 /* characters that a temporary name has more */

static int refuse(const char *path, int why)
{
    cli_error("%s: cannot be written: %s", path, strerror(why ? why : EIO));
    return CLI_FAILED;
}

/* 0, or the error that kept the content from the disk. */
static int put_down(const char *temporary, text_file_fn print, const void *what)
{
    FILE *f = fopen(temporary, "w");
    if (!f)
        return errno ? errno : EIO;
    print(f, what);
    errno = 0;
    int bad = fflush(f) != 0 || ferror(f) || fsync(fileno(f)) != 0, why = errno;
    if (fclose(f) != 0 && !bad) {
        bad = 1;
        why = errno;
    }
    return bad ? (why ? why : EIO) : 0;
}

int text_file_write(const char *path, text_file_fn print, const void *what)
{
    size_t room = strlen(path) + ENDING;
    char *temporary = cli_alloc(room, 1, "a path");
    snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());
    int why = put_down(temporary, print, what);
    if (!why && rename(temporary, path) != 0)
        why = errno;
    if (why)
        unlink(temporary);
    cli_free(temporary);
    return why ? refuse(path, why) : CLI_GOOD;
}

void text_file_csv(FILE *f, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}
