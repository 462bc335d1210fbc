/* test_limits_groups.c - memory, swap and control groups as files that are written here say. */
#define LIMITS_ROOT "."
#include "base/limits.c" /* NOLINT(bugprone-suspicious-include) */

#include <sys/resource.h>
#include <sys/stat.h>

#include "test.h"

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        abort();
}

SETUP(folders_make)
{
    static const char *const folders[] = {"proc",
                                          "proc/self",
                                          "sys",
                                          "sys/fs",
                                          "sys/fs/cgroup",
                                          "sys/fs/cgroup/all",
                                          "sys/fs/cgroup/all/one"};
    char place[] = "/tmp/spdml-limits-XXXXXX";
    if (!mkdtemp(place) || chdir(place) != 0)
        abort();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (mkdir(folders[i], 0700) != 0)
            abort();
    put("proc/meminfo", "MemTotal: 4000 kB\nMemFree: 1 kB\nSwapTotal: 1000 kB\n");
    put("proc/self/cgroup", "4:memory:/other\n0::/all/one\n");
    put("proc/self/statm", "0 0 0 0 0 0 0\n");
}

TEARDOWN(folders_remove)
{
    static const char *const names[] = {"sys/fs/cgroup/all/one/memory.max",
                                        "sys/fs/cgroup/all/one/memory.swap.max",
                                        "sys/fs/cgroup/all/memory.max",
                                        "sys/fs/cgroup/all/memory.swap.max",
                                        "sys/fs/cgroup/all/one",
                                        "sys/fs/cgroup/all",
                                        "sys/fs/cgroup",
                                        "sys/fs",
                                        "sys",
                                        "proc/self/cgroup",
                                        "proc/self/statm",
                                        "proc/self",
                                        "proc/meminfo",
                                        "proc"};
    char here[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    if (getcwd(here, sizeof here) && chdir("/") == 0)
        remove(here);
}

static void check_total(double expected, const char *what)
{
    const double outer = least(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
    CHECK(limits_total() == least(expected, outer), "%s: %g, not %g", what, limits_total(),
          expected);
}

TEST(groups)
{
    const double kib = 1024.0;
    check_total(5000 * kib, "the machine, with its swap");
    put("sys/fs/cgroup/all/one/memory.max", "max\n");
    put("sys/fs/cgroup/all/one/memory.swap.max", "0\n");
    check_total(5000 * kib, "a group without a limit");
    put("sys/fs/cgroup/all/one/memory.max", "1024000\n");
    check_total(1000 * kib, "a group without swap");
    put("sys/fs/cgroup/all/one/memory.swap.max", "102400\n");
    check_total(1100 * kib, "a group with a part of the swap");
    put("sys/fs/cgroup/all/one/memory.swap.max", "max\n");
    check_total(2000 * kib, "a group with all of it, which is the machine's");
    put("sys/fs/cgroup/all/one/memory.swap.max", "9999999\n");
    check_total(2000 * kib, "a group that may use more than there is");
    put("sys/fs/cgroup/all/memory.max", "512000\n");
    put("sys/fs/cgroup/all/memory.swap.max", "1024\n");
    check_total(501 * kib, "the group around it has less");
    put("proc/self/cgroup", "0::/all\n");
    put("sys/fs/cgroup/all/memory.max", "2048000\n");
    check_total(2001 * kib, "what lies within a group does not count");
}
