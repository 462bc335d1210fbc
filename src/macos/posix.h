/* posix.h - what the sources ask of Linux and C11, for macOS, which has it by other names.
 *
 * Included before every file that is compiled for macOS (cmake/Macos.cmake). */
#ifndef SPD_MACOS_POSIX_H
#define SPD_MACOS_POSIX_H

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <xlocale.h>

#define st_mtim         st_mtimespec
#define fwrite_unlocked fwrite

/* ---- threads.h ------------------------------------------------------------------------------- */

typedef pthread_once_t once_flag;
#define ONCE_FLAG_INIT PTHREAD_ONCE_INIT
#define call_once      pthread_once

/* ---- sched.h: no thread is bound to cores here, so a process may use all ----------------------- */

typedef struct cpu_set_t {
    int count;
} cpu_set_t;
#define CPU_COUNT(set) ((set)->count)

static inline int sched_getaffinity(int process, size_t size, cpu_set_t *set)
{
    size_t room = sizeof set->count;
    (void)process;
    (void)size;
    return sysctlbyname("hw.logicalcpu", &set->count, &room, NULL, 0);
}

/* ---- fcntl.h ----------------------------------------------------------------------------------- */

#define POSIX_FADV_SEQUENTIAL 2

static inline int posix_fadvise(int file, off_t from, off_t length, int advice)
{
    (void)from;
    (void)length;
    return fcntl(file, F_RDAHEAD, advice == POSIX_FADV_SEQUENTIAL);
}

/* ---- stdio.h: a stream for writing alone -------------------------------------------------------- */

typedef struct cookie_io_functions_t {
    ssize_t (*write)(void *cookie, const char *bytes, size_t size);
} cookie_io_functions_t;

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

#endif
