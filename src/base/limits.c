/* limits.c - limits on memory, from getrlimit, /proc and the control group (version 2). */
#include "base/limits.h"

#include <float.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef LIMITS_ROOT /* a test has a /proc and a /sys of its own */
#define LIMITS_ROOT ""
#endif
#define GROUPS LIMITS_ROOT "/sys/fs/cgroup"
#define NONE   DBL_MAX

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double limit_of(int which)
{
    struct rlimit limit;
    int known = getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? (double)limit.rlim_cur : NONE;
}

/* The number in a file; `otherwise` for "max" and for no file. */
static double number_in(const char *path, double otherwise)
{
    double number = otherwise;
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%lf", &number) != 1)
        number = otherwise;
    if (f)
        fclose(f);
    return number;
}

int limits_refuse(void)
{
    return limit_of(RLIMIT_AS) < NONE || limit_of(RLIMIT_DATA) < NONE ||
           number_in(LIMITS_ROOT "/proc/sys/vm/overcommit_memory", 0.0) > 1.0;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* Memory and swap of the machine in bytes; NONE where they cannot be read. */
static void machine(double *memory, double *swap)
{
    char line[128];
    double kib;
    FILE *f = fopen(LIMITS_ROOT "/proc/meminfo", "re");
    *memory = NONE;
    *swap = 0.0;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemTotal: %lf", &kib) == 1)
            *memory = 1024.0 * kib;
        if (sscanf(line, "SwapTotal: %lf", &kib) == 1)
            *swap = 1024.0 * kib;
    }
    if (f)
        fclose(f);
}

/* ---- the control group ----------------------------------------------------------------------- */

/* path <- the folder of this process's group; is there one? */
static int group_folder(char *path, size_t size)
{
    char line[1024];
    int found = 0;
    FILE *f = fopen(LIMITS_ROOT "/proc/self/cgroup", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        found = strncmp(line, "0::/", 4) == 0;
    }
    if (f)
        fclose(f);
    if (found)
        snprintf(path, size, "%s%s", GROUPS, line + 3);
    return found;
}

/* The least limit of the group and of those it lies in; each may use so much of the swap. */
static double group_limit(double swap)
{
    char folder[1100], path[1200];
    double limit = NONE;
    if (!group_folder(folder, sizeof folder))
        return limit;
    for (size_t end = strlen(folder); end >= strlen(GROUPS); end--) {
        if (folder[end] != '\0' && folder[end] != '/')
            continue;
        snprintf(path, sizeof path, "%.*s/memory.max", (int)end, folder);
        double memory = number_in(path, NONE);
        snprintf(path, sizeof path, "%.*s/memory.swap.max", (int)end, folder);
        if (memory < NONE)
            limit = least(limit, memory + least(swap, number_in(path, NONE)));
    }
    return limit;
}

/* ---- together -------------------------------------------------------------------------------- */

static double physical(void)
{
    double memory, swap;
    machine(&memory, &swap);
    return least(memory < NONE ? memory + swap : NONE, group_limit(swap));
}

double limits_total(void)
{
    return least(physical(), least(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA)));
}

double limits_left(void)
{
    double page = (double)sysconf(_SC_PAGESIZE);
    double size = 0.0, resident = 0.0, shared = 0.0, text, library, data = 0.0;
    FILE *f = fopen(LIMITS_ROOT "/proc/self/statm", "re");
    if (f && fscanf(f, "%lf %lf %lf %lf %lf %lf", &size, &resident, &shared, &text, &library,
                    &data) != 6)
        size = resident = shared = data = 0.0;
    if (f)
        fclose(f);
    /* Pages of files can be dropped and read again: they do not count. */
    double left = physical() - page * (resident - shared);
    left = least(left, limit_of(RLIMIT_AS) - page * size);
    left = least(left, limit_of(RLIMIT_DATA) - page * data);
    return left > 0.0 ? left : 0.0;
}
