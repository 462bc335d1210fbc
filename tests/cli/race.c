/* race.c - preloaded into the command: what another process does at the worst moment.
 *
 *   RACE=CALL:PART:COMMAND   the shell runs COMMAND once: at the first CALL on a path that contains
 *                            PART, after it if CALL is lstat, else before it
 *   RACE_LOG                 a file for the calls in their order, one "CALL path" per line */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The function that this one stands before. */
static void next(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    memcpy(function, &found, sizeof found);
}

static void note(const char *call, const char *path)
{
    const char *name = getenv("RACE_LOG");
    FILE *log = name ? fopen(name, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%s %s\n", call, path);
    fclose(log);
}

/* Has the moment come? Then the other process runs. */
static void meet(const char *call, const char *path)
{
    static int done;
    char plan[4096];
    note(call, path);
    snprintf(plan, sizeof plan, "%s", getenv("RACE") ? getenv("RACE") : "");
    char *part = strchr(plan, ':'), *command = part ? strchr(part + 1, ':') : NULL;
    if (done || !command)
        return;
    *part++ = *command++ = '\0';
    if (strcmp(plan, call) != 0 || !strstr(path, part))
        return;
    done = 1;
    unsetenv("LD_PRELOAD");
    if (system(command) != 0)
        abort();
}

static void meet_fd(const char *call, int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    meet(call, path);
}

int lstat(const char *path, struct stat *st)
{
    int (*real)(const char *, struct stat *);
    next("lstat", &real);
    int result = real(path, st);
    meet("lstat", path);
    return result;
}

int flock(int fd, int operation)
{
    int (*real)(int, int);
    next("flock", &real);
    meet_fd("flock", fd);
    return real(fd, operation);
}

int fsync(int fd)
{
    int (*real)(int);
    next("fsync", &real);
    meet_fd("fsync", fd);
    return real(fd);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    next("rename", &real);
    meet("rename", from);
    return real(from, to);
}
