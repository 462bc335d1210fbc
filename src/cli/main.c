/* main.c - the command `spdml`: finds the command, reads its arguments, runs it, and makes sure
 * that what it printed arrived. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/frame/commands.h"
#include "cli/frame/manual.h"
#include "cli/frame/session.h"
#include "cli/frame/signals.h"

static int run_command(const command *c, int argc, char **argv)
{
    arguments args;
    session s;
    void *mark = cli_mark();
    int code = arguments_parse(&args, c, argc, argv);
    if (code == CLI_GOOD && args.brief) {
        manual_brief(stdout, c);
    } else if (code == CLI_GOOD && arguments_flag(&args, "help")) {
        manual_help(stdout, c);
    } else if (code == CLI_GOOD) {
        session_open(&s, &args);
        code = session_run(&s, c);
        session_close(&s);
    }
    cli_release(mark);
    return code;
}

static int is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        manual_help(stderr, NULL);
        return CLI_MISUSED;
    }
    if (is_one_of(argv[1], "--help", "-h")) {
        manual_help(stdout, NULL);
        return CLI_GOOD;
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        printf("spdml %s\n", spd_version());
        return CLI_GOOD;
    }
    if (argv[1][0] == '-')
        return cli_refuse("unknown option %s; options follow the command, see 'spdml --help'",
                          argv[1]);
    const command *c = commands_find(argv[1]);
    return c ? run_command(c, argc - 2, argv + 2) : commands_unknown(argv[1], 0);
}

/* Where a standard file is closed, the next file opened would take its place, and a table would
 * land in an output file. Held open for reading only, writing to it still fails. */
static void hold_standard_files(void)
{
    int file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO)
        file = open("/dev/null", O_RDONLY);
    if (file > STDERR_FILENO)
        close(file);
}

/* Has the reader of a pipe left, as `head` does when it has seen enough? The write that failed may
 * lie back, and its errno be lost. */
static int reader_left(int why)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return why == EPIPE || (!why && poll(&out, 1, 0) > 0 && (out.revents & POLLERR));
}

/* OpenBLAS starts threads before main, and each maps a buffer; where that fails it tries again for
 * ever, and the command would never end. It has no use for these threads, so where memory is
 * limited it begins anew without them. */
static void begin_without_blas_threads(char **argv)
{
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    if (!limits_refuse() || (threads && strcmp(threads, "1") == 0))
        return;
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0)
        execv("/proc/self/exe", argv); /* returns where there is no /proc: then go on */
}

int main(int argc, char **argv)
{
    begin_without_blas_threads(argv);
    hold_standard_files();
    signals_install();
    int code = dispatch(argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_GOOD) {
        int why = errno;
        if (!reader_left(why))
            cli_error("standard output: cannot be written: %s", why ? strerror(why) : "closed");
        code = CLI_FAILED;
    }
    return code;
}
