/* posix.h - what the sources ask of POSIX, for Windows.
 *
 * Included before every file that is compiled for Windows (cmake/Windows.cmake); the headers that
 * Windows lacks lie in headers/ and include this one. A path is UTF-8 with slashes, of any length
 * that Windows has; files are opened for bytes, and others may rename or remove them meanwhile, as
 * POSIX has it. There are no links, owners or permissions but "read only". */
#ifndef SPD_WINDOWS_POSIX_H
#define SPD_WINDOWS_POSIX_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <io.h>
#include <limits.h>
#include <locale.h>
#include <process.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Windows declares these, which the sources have for themselves. */
#define tell  posix_tell
#define raise posix_raise
#define write posix_write

#undef PATH_MAX
#define PATH_MAX 4096

/* ---- files (files.c) ------------------------------------------------------------------------- */

#define O_CLOEXEC   _O_NOINHERIT
#define O_NONBLOCK  0
#define O_NOCTTY    0
#define O_DIRECTORY 0x1000000
#define O_NOFOLLOW  0x2000000

#define AT_FDCWD     (-100)
#define AT_REMOVEDIR 0x200

#define LOCK_EX 2
#define LOCK_NB 4

#define S_IFLNK    0xA000
#define S_ISLNK(m) (((m)&0xF000) == S_IFLNK)

struct posix_stat {
    uint64_t st_dev, st_ino;
    unsigned st_mode, st_nlink, st_uid;
    int64_t st_size;
    struct timespec st_mtim;
};

int posix_open(const char *path, int flags, ...);
int posix_openat(int folder, const char *path, int flags, ...);
int posix_close(int file);
ssize_t posix_read(int file, void *bytes, size_t size);
ssize_t posix_pread(int file, void *bytes, size_t size, int64_t at);
int posix_fsync(int file);
int posix_flock(int file, int how);
int posix_stat(const char *path, struct posix_stat *info);
int posix_fstat(int file, struct posix_stat *info);
int posix_utimensat(int folder, const char *path, const struct timespec *times, int flags);
int posix_fchmod(int file, unsigned mode);
int posix_access(const char *path, int how);
int posix_unlink(const char *path);
int posix_unlinkat(int folder, const char *path, int flags);
int posix_rename(const char *from, const char *to);
int posix_renameat(int folder, const char *from, int other, const char *to);
int posix_remove(const char *path);
int posix_mkdir(const char *path, unsigned mode);
int posix_rmdir(const char *path);
char *posix_mkdtemp(char *pattern);
ssize_t posix_readlink(const char *path, char *to, size_t size);
char *posix_realpath(const char *path, char *real);
FILE *posix_fopen(const char *path, const char *mode);
FILE *posix_fdopen(int file, const char *mode);
FILE *posix_freopen(const char *path, const char *mode, FILE *stream);

#define open      posix_open
#define openat    posix_openat
#define close     posix_close
#define read      posix_read
#define pread     posix_pread
#define fsync     posix_fsync
#define flock     posix_flock
#define stat      posix_stat
#define lstat     posix_stat
#define fstat     posix_fstat
#define fchmod    posix_fchmod
#define utimensat posix_utimensat
#define access    posix_access
#define unlink    posix_unlink
#define unlinkat  posix_unlinkat
#define rename    posix_rename
#define renameat  posix_renameat
#define remove    posix_remove
#define mkdir     posix_mkdir
#define rmdir     posix_rmdir
#define mkdtemp   posix_mkdtemp
#define readlink  posix_readlink
#define realpath  posix_realpath
#define fopen     posix_fopen
#define fdopen    posix_fdopen
#define freopen   posix_freopen

#define fwrite_unlocked _fwrite_nolock
#define geteuid()       0u

#define POSIX_FADV_SEQUENTIAL                 2
#define posix_fadvise(file, at, length, hint) ((void)(file))

/* ---- folders (folders.c) --------------------------------------------------------------------- */

struct posix_dirent {
    char d_name[4 * 260]; /* UTF-8 */
};

typedef struct posix_dir posix_dir;

posix_dir *posix_opendir(const char *path);
posix_dir *posix_fdopendir(int file);
struct posix_dirent *posix_readdir(posix_dir *folder);
void posix_rewinddir(posix_dir *folder);
int posix_dirfd(const posix_dir *folder);
int posix_closedir(posix_dir *folder);

typedef int (*posix_walk)(const char *path, const struct posix_stat *info, int type,
                          struct FTW *where);
int posix_nftw(const char *path, posix_walk visit, int open_folders, int flags);

#define DIR       posix_dir
#define dirent    posix_dirent
#define opendir   posix_opendir
#define fdopendir posix_fdopendir
#define readdir   posix_readdir
#define rewinddir posix_rewinddir
#define dirfd     posix_dirfd
#define closedir  posix_closedir
#define nftw      posix_nftw

/* ---- the C library (library.c) --------------------------------------------------------------- */

typedef ssize_t (*posix_writer)(void *cookie, const char *bytes, size_t size);
typedef struct cookie_io_functions_t {
    posix_writer write;
} cookie_io_functions_t;

/* What is printed reaches the writer when the stream is closed, if the program comes to that. */
FILE *posix_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);
int posix_fclose(FILE *stream);

/* Valid until the thread has asked for eight more. TMPDIR is Windows' folder for temporary files. */
char *posix_getenv(const char *name);
int posix_setenv(const char *name, const char *value, int replace);
char *posix_strsep(char **rest, const char *separators);
char *posix_stpcpy(char *to, const char *from);

#define fopencookie posix_fopencookie
#define fclose      posix_fclose
#define getenv      posix_getenv
#define setenv      posix_setenv
#define strsep      posix_strsep
#define stpcpy      posix_stpcpy

/* Only the locale of numbers, and only "C", can be entered. */
typedef struct posix_locale *posix_locale;
posix_locale posix_newlocale(int mask, const char *name, posix_locale base);
posix_locale posix_uselocale(posix_locale wanted);
void posix_freelocale(posix_locale locale);
double posix_strtod_l(const char *text, char **end, posix_locale locale);

#define LC_ALL_MASK 0x3f
#define locale_t    posix_locale
#define newlocale   posix_newlocale
#define uselocale   posix_uselocale
#define freelocale  posix_freelocale
#define strtod_l    posix_strtod_l

/* ---- the system (system.c) ------------------------------------------------------------------- */

struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 1
int posix_ioctl(int file, int what, struct winsize *size);
int posix_isatty(int file);

struct pollfd {
    int fd;
    short events, revents;
};
#define POLLIN  1
#define POLLOUT 4
#define POLLERR 8
/* Of standard input alone. */
int posix_poll(struct pollfd *files, unsigned count, int milliseconds);

struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss; /* kibibytes */
};
#define RUSAGE_SELF 0
int posix_getrusage(int whose, struct rusage *used);

typedef struct posix_cpus {
    uint64_t mask;
} posix_cpus;
int posix_getaffinity(int process, size_t size, posix_cpus *set);
#define cpu_set_t         posix_cpus
#define sched_getaffinity posix_getaffinity
#define CPU_COUNT(set)    __builtin_popcountll((set)->mask)

#define PROT_READ     1
#define PROT_WRITE    2
#define MAP_PRIVATE   2
#define MAP_ANONYMOUS 32
#define MAP_FAILED    ((void *)-1)
void *posix_mmap(void *where, size_t size, int access, int kind, int file, int64_t at);
int posix_munmap(void *block, size_t size);

#define ioctl     posix_ioctl
#define isatty    posix_isatty
#define poll      posix_poll
#define getrusage posix_getrusage
#define mmap      posix_mmap
#define munmap    posix_munmap

/* ---- threads.h ------------------------------------------------------------------------------- */

typedef pthread_once_t once_flag;
#define ONCE_FLAG_INIT  PTHREAD_ONCE_INIT
#define call_once(f, g) ((void)pthread_once(f, g))

#endif
