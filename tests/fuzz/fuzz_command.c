/* fuzz_command.c - any words, one a line, as a command that is run: on small files in memory, in a
 * folder of its own, with numbers of two digits at most, and interrupted when it takes long. It
 * ends with one of the command's exit statuses. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/session.h"
#include "fuzz.h"

enum { WORDS = 24 };

typedef struct line {
    const command *command;
    int count;
    char *word[WORDS + 1];
} line;

static char folder[4096]; /* where the command runs */
static int home;          /* and where we are */

/* ---- the folder ------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    size_t size;
    int kept = where->level == 0 || (where->level == 1 && fuzz_lent(path + where->base, &size));
    return kept ? 0 : remove(path);
}

/* But for the files that are lent: those are there too, for whoever looks at their kind. */
static void empty_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char set_csv[] = "2,0.5,0.5,1,a\n3,1,1,2,b\n1,0,0,1,a\n4,1,1,3,b\n"
                              "2,0,0,2,a\n5,1,1,2,b\n1,0.2,0.2,1,a\n4,0,0,4,b\n";
static const char table_csv[] = "t,u,v\n1,2,3\n2,1,4\n3,5,1\n4,2,2\n5,1,7\n6,8,3\n7,2,9\n";
static const char index_csv[] = "file,label\ntable.csv,one\nimage.pgm,two\n";
static const char weights_csv[] = "1\n2\n1\n0\n1\n1\n3\n1\n";
static const char image_pgm[] = "P2 8 8 9\n"
                                "1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1 1 3 5 7 9 2 4 6 0 0 1 1 2 2 3 3\n"
                                "9 8 7 6 5 4 3 2 1 1 2 3 5 8 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3\n";

/* A file in memory and in the folder. */
static void lend_text(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(name, "w");
    if (!f || fwrite(text, 1, size - 1, f) != size - 1 || fclose(f) != 0)
        abort();
    fuzz_lend(name, (const unsigned char *)text, size - 1);
}

static void remove_folder(void)
{
    static const char *const names[] = {"set.csv", "table.csv", "index.csv", "weights.csv",
                                        "image.pgm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fuzz_lend(names[i], NULL, 0);
    empty_folder();
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *place = getenv("TMPDIR");
    cpu_set_t one;
    (void)argc;
    (void)argv;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one); /* one core: no threads unless they are asked for */
    snprintf(folder, sizeof folder, "%s/spdml-fuzz-XXXXXX", place && *place ? place : "/tmp");
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) /* "-" must not wait for somebody */
        abort();
    close(nothing);
    if (home < 0 || !mkdtemp(folder) || chdir(folder) != 0)
        abort();
    setenv("TMPDIR", folder, 1);
    atexit(remove_folder);
    lend_text("set.csv", set_csv, sizeof set_csv);
    lend_text("table.csv", table_csv, sizeof table_csv);
    lend_text("index.csv", index_csv, sizeof index_csv);
    lend_text("weights.csv", weights_csv, sizeof weights_csv);
    lend_text("image.pgm", image_pgm, sizeof image_pgm);
    return fchdir(home); /* where the names of inputs are told from */
}

/* ---- words ----------------------------------------------------------------------------------- */

/* No word leaves the folder, and no number is large. */
static void tame(char *text)
{
    size_t digits = 0;
    char *to = text;
    for (const char *from = text; *from; from++) {
        digits = *from >= '0' && *from <= '9' ? digits + 1 : 0;
        if (digits <= 2)
            *to++ = *from == '/' ? '_' : *from;
    }
    *to = '\0';
}

static void split(char *text, size_t length, line *l)
{
    for (char *at = text; l->count < WORDS && at < text + length;) {
        char *next = at + strcspn(at, "\n");
        *next = '\0';
        tame(at);
        l->word[l->count++] = at;
        at = next + 1;
    }
}

static void run(void *user)
{
    const line *l = user;
    arguments args;
    session s;
    int code = arguments_parse(&args, l->command, l->count - 1, (char **)(uintptr_t)l->word + 1);
    if (code == CLI_GOOD && !arguments_flag(&args, "help")) {
        session_open(&s, &args);
        code = session_run(&s, l->command);
        session_close(&s);
    }
    if (code != CLI_GOOD)
        cli_leave(code);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    char text[600];
    line l = {0};
    size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, bytes, length);
    text[length] = '\0';
    split(text, length, &l);
    l.command = l.count ? commands_find(l.word[0]) : NULL;
    if (!l.command)
        return 0;
    void *mark = cli_mark();
    if (chdir(folder) != 0)
        abort();
    int code = fuzz_run(run, &l);
    if (fchdir(home) != 0)
        abort();
    if (code < 0)
        cli_release(mark);
    else if (code != CLI_FAILED && code != CLI_MISUSED && code != CLI_INTERRUPTED)
        abort();
    empty_folder();
    return 0;
}
