/* files.c - files as POSIX has them: who holds one open hinders nobody, a rename replaces, a lock
 * ends with its holder. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "windows/paths.h"
#include "windows/posix.h"
#undef stat
#undef open
#undef close
#undef read
#undef access

#define LOCKS     16                   /* of folders, at once */
#define LOCK_HIGH 0x40000000           /* where a file is locked: far beyond its end */
#define EPOCH     116444736000000000LL /* 1970 in Windows' units of 100 ns */
#define SHARED    (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

static HANDLE handle_of(int file)
{
    return (HANDLE)_get_osfhandle(file);
}

static int fail(int number)
{
    errno = number;
    return -1;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Is the open file what the flags ask for? */
static int check_kind(HANDLE handle, int flags)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (!(flags & (O_DIRECTORY | O_NOFOLLOW)) || !GetFileInformationByHandle(handle, &info))
        return 0;
    if ((flags & O_NOFOLLOW) && (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return fail(ELOOP);
    if ((flags & O_DIRECTORY) && !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        return fail(ENOTDIR);
    return 0;
}

static int open_wide(const wchar_t *path, int flags)
{
    int access = flags & (O_WRONLY | O_RDWR);
    DWORD wanted = access == O_RDONLY   ? GENERIC_READ
                   : access == O_WRONLY ? GENERIC_WRITE
                                        : GENERIC_READ | GENERIC_WRITE;
    DWORD how = !(flags & O_CREAT) ? (flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING)
                : flags & O_EXCL   ? CREATE_NEW
                : flags & O_TRUNC  ? CREATE_ALWAYS
                                   : OPEN_ALWAYS;
    DWORD more = FILE_FLAG_BACKUP_SEMANTICS | /* folders too */
                 (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    HANDLE handle =
        CreateFileW(path, wanted, SHARED, NULL, how, FILE_ATTRIBUTE_NORMAL | more, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return set_errno();
    int file = check_kind(handle, flags) == 0
                   ? _open_osfhandle((intptr_t)handle, _O_BINARY | (flags & _O_APPEND))
                   : -1;
    if (file < 0)
        CloseHandle(handle);
    return file;
}

int posix_open(const char *path, int flags, ...)
{
    wchar_t wide[PATH_ROOM];
    return path_wide(path, wide) ? -1 : open_wide(wide, flags);
}

int posix_openat(int folder, const char *path, int flags, ...)
{
    wchar_t wide[PATH_ROOM];
    return path_wide_in(folder, path, wide) ? -1 : open_wide(wide, flags);
}

/* mode <- as Windows has it: for bytes, not inherited. */
static void wide_mode(const char *mode, wchar_t *wide)
{
    for (; *mode; mode++)
        if (*mode != 'e' && *mode != 'b')
            *wide++ = (wchar_t)*mode;
    wcscpy(wide, L"bN");
}

FILE *posix_fopen(const char *path, const char *mode)
{
    int flags = mode[0] == 'r' ? O_RDONLY : O_CREAT | (mode[0] == 'w' ? O_TRUNC : O_APPEND);
    flags |= strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? 0 : O_WRONLY;
    int file = posix_open(path, flags, 0666);
    return file < 0 ? NULL : posix_fdopen(file, mode);
}

FILE *posix_fdopen(int file, const char *mode)
{
    char own[8] = {mode[0], strchr(mode, '+') ? '+' : 'b', strchr(mode, '+') ? 'b' : '\0', '\0'};
    return _fdopen(file, own);
}

FILE *posix_freopen(const char *path, const char *mode, FILE *stream)
{
    wchar_t wide[PATH_ROOM], own[16];
    wide_mode(mode, own);
    return path_wide(path, wide) ? NULL : _wfreopen(wide, own, stream);
}

/* ---- reading and writing --------------------------------------------------------------------- */

ssize_t posix_read(int file, void *bytes, size_t size)
{
    return _read(file, bytes, size < INT_MAX ? (unsigned)size : INT_MAX);
}

ssize_t posix_pread(int file, void *bytes, size_t size, int64_t at)
{
    OVERLAPPED where = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
    DWORD got = 0, most = size < INT_MAX ? (DWORD)size : INT_MAX;
    if (ReadFile(handle_of(file), bytes, most, &got, &where))
        return got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : set_errno();
}

int posix_fsync(int file)
{
    return FlushFileBuffers(handle_of(file)) ? 0 : set_errno();
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* Windows locks no folders: an object named after one stands for its lock. */
static struct {
    pthread_mutex_t guard;
    struct {
        int file; /* plus one */
        HANDLE mark;
    } held[LOCKS];
} locks = {.guard = PTHREAD_MUTEX_INITIALIZER};

static int keep_mark(int file, HANDLE mark)
{
    int kept = 0;
    pthread_mutex_lock(&locks.guard);
    for (int i = 0; i < LOCKS && !kept; i++)
        if (!locks.held[i].file) {
            locks.held[i].file = file + 1;
            locks.held[i].mark = mark;
            kept = 1;
        }
    pthread_mutex_unlock(&locks.guard);
    return kept;
}

static int lock_folder(int file, const BY_HANDLE_FILE_INFORMATION *info)
{
    wchar_t name[80];
    swprintf(name, 80, L"Local\\spdml-%08lx-%08lx%08lx", info->dwVolumeSerialNumber,
             info->nFileIndexHigh, info->nFileIndexLow);
    HANDLE mark = CreateEventW(NULL, TRUE, FALSE, name);
    if (!mark)
        return set_errno();
    int taken = GetLastError() == ERROR_ALREADY_EXISTS;
    if (!taken && keep_mark(file, mark))
        return 0;
    CloseHandle(mark);
    return fail(taken ? EWOULDBLOCK : EMFILE);
}

int posix_flock(int file, int how)
{
    BY_HANDLE_FILE_INFORMATION info;
    OVERLAPPED where = {.OffsetHigh = LOCK_HIGH};
    DWORD wait = how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0;
    if (!GetFileInformationByHandle(handle_of(file), &info))
        return set_errno();
    if (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return lock_folder(file, &info);
    if (LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | wait, 0, 1, 0, &where))
        return 0;
    return GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING
               ? fail(EWOULDBLOCK)
               : set_errno();
}

int posix_close(int file)
{
    pthread_mutex_lock(&locks.guard);
    for (int i = 0; i < LOCKS; i++)
        if (locks.held[i].file == file + 1) {
            CloseHandle(locks.held[i].mark);
            locks.held[i].file = 0;
        }
    pthread_mutex_unlock(&locks.guard);
    return _close(file);
}

/* ---- what a file is -------------------------------------------------------------------------- */

static void describe(const BY_HANDLE_FILE_INFORMATION *from, struct posix_stat *info)
{
    int folder = (from->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    int locked = (from->dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
    int64_t time = (int64_t)((uint64_t)from->ftLastWriteTime.dwHighDateTime << 32 |
                             from->ftLastWriteTime.dwLowDateTime) -
                   EPOCH;
    *info = (struct posix_stat){
        .st_dev = from->dwVolumeSerialNumber,
        .st_ino = (uint64_t)from->nFileIndexHigh << 32 | from->nFileIndexLow,
        .st_mode = (folder ? S_IFDIR | 0755u : S_IFREG | 0644u) & ~(locked && !folder ? 0222u : 0u),
        .st_nlink = from->nNumberOfLinks,
        .st_size = (int64_t)((uint64_t)from->nFileSizeHigh << 32 | from->nFileSizeLow),
        .st_mtim = {.tv_sec = time / 10000000, .tv_nsec = (long)(time % 10000000) * 100}};
}

int posix_fstat(int file, struct posix_stat *info)
{
    BY_HANDLE_FILE_INFORMATION from;
    DWORD kind = GetFileType(handle_of(file));
    *info = (struct posix_stat){.st_mode = kind == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR};
    if (kind != FILE_TYPE_DISK)
        return kind == FILE_TYPE_UNKNOWN ? fail(EBADF) : 0;
    if (!GetFileInformationByHandle(handle_of(file), &from))
        return set_errno();
    describe(&from, info);
    return 0;
}

int posix_stat(const char *path, struct posix_stat *info)
{
    wchar_t wide[PATH_ROOM];
    if (path_wide(path, wide))
        return -1;
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return set_errno();
    BY_HANDLE_FILE_INFORMATION from;
    int known = GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, &from);
    *info = (struct posix_stat){.st_mode = S_IFCHR};
    if (known)
        describe(&from, info);
    CloseHandle(handle);
    return 0;
}

/* The second time, of the last change. */
int posix_utimensat(int folder, const char *path, const struct timespec *times, int flags)
{
    uint64_t ticks = (uint64_t)(times[1].tv_sec * 10000000 + times[1].tv_nsec / 100 + EPOCH);
    FILETIME changed = {(DWORD)ticks, (DWORD)(ticks >> 32)};
    int file = posix_openat(folder, path, O_RDWR | flags);
    int done = file >= 0 && SetFileTime(handle_of(file), NULL, NULL, &changed);
    if (file >= 0)
        posix_close(file);
    return done ? 0 : set_errno();
}

int posix_fchmod(int file, unsigned mode)
{
    (void)file;
    (void)mode;
    return 0; /* a file that is there can be written, or nobody would have come here */
}

int posix_access(const char *path, int how)
{
    wchar_t wide[PATH_ROOM];
    DWORD is = path_wide(path, wide) ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    if (is == INVALID_FILE_ATTRIBUTES)
        return set_errno();
    int locked = (is & FILE_ATTRIBUTE_READONLY) && !(is & FILE_ATTRIBUTE_DIRECTORY);
    return (how & W_OK) && locked ? fail(EACCES) : 0;
}

ssize_t posix_readlink(const char *path, char *to, size_t size)
{
    (void)path;
    (void)to;
    (void)size;
    return fail(EINVAL);
}

char *posix_realpath(const char *path, char *real)
{
    wchar_t wide[PATH_ROOM];
    int file = posix_open(path, O_RDONLY);
    int known = file >= 0 && path_of_file(file, wide) == 0;
    if (file >= 0)
        posix_close(file);
    char *room = !known ? NULL : real ? real : malloc(PATH_MAX);
    if (room && path_narrow(wide, room, PATH_MAX) != 0) {
        if (!real)
            free(room);
        return NULL;
    }
    return room;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int remove_wide(const wchar_t *path, int folder)
{
    return (folder ? RemoveDirectoryW(path) : DeleteFileW(path)) ? 0 : set_errno();
}

int posix_unlink(const char *path)
{
    wchar_t wide[PATH_ROOM];
    return path_wide(path, wide) ? -1 : remove_wide(wide, 0);
}

int posix_unlinkat(int folder, const char *path, int flags)
{
    wchar_t wide[PATH_ROOM];
    return path_wide_in(folder, path, wide) ? -1 : remove_wide(wide, flags & AT_REMOVEDIR);
}

int posix_rmdir(const char *path)
{
    wchar_t wide[PATH_ROOM];
    return path_wide(path, wide) ? -1 : remove_wide(wide, 1);
}

int posix_remove(const char *path)
{
    struct posix_stat info;
    int folder = posix_stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? posix_rmdir(path) : posix_unlink(path);
}

/* As POSIX has it, over a file that others have open: Windows can since 2018. */
static int replace_open(const wchar_t *from, const wchar_t *to)
{
    enum { RENAME_INFO_EX = 22, REPLACE = 1, POSIX_SEMANTICS = 2 };
    union {
        FILE_RENAME_INFO info;
        char room[sizeof(FILE_RENAME_INFO) + PATH_ROOM * sizeof(wchar_t)];
    } target = {.info = {.Flags = REPLACE | POSIX_SEMANTICS}};
    wchar_t whole[PATH_ROOM];
    DWORD length = GetFullPathNameW(to, PATH_ROOM, whole, NULL);
    if (length == 0 || length >= PATH_ROOM)
        return 0;
    target.info.FileNameLength = length * (DWORD)sizeof(wchar_t);
    memcpy(target.info.FileName, whole, (length + 1) * sizeof(wchar_t));
    HANDLE handle = CreateFileW(from, DELETE | SYNCHRONIZE, SHARED, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return 0;
    int done = SetFileInformationByHandle(handle, RENAME_INFO_EX, &target, sizeof target);
    CloseHandle(handle);
    return done;
}

static int rename_wide(const wchar_t *from, const wchar_t *to)
{
    if (replace_open(from, to))
        return 0;
    return MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0
                                                                                     : set_errno();
}

int posix_rename(const char *from, const char *to)
{
    wchar_t wide_from[PATH_ROOM], wide_to[PATH_ROOM];
    return path_wide(from, wide_from) || path_wide(to, wide_to) ? -1
                                                                : rename_wide(wide_from, wide_to);
}

int posix_renameat(int folder, const char *from, int other, const char *to)
{
    wchar_t wide_from[PATH_ROOM], wide_to[PATH_ROOM];
    int bad = path_wide_in(folder, from, wide_from) || path_wide_in(other, to, wide_to);
    return bad ? -1 : rename_wide(wide_from, wide_to);
}

int posix_mkdir(const char *path, unsigned mode)
{
    wchar_t wide[PATH_ROOM];
    (void)mode;
    if (path_wide(path, wide))
        return -1;
    return CreateDirectoryW(wide, NULL) ? 0 : set_errno();
}

char *posix_mkdtemp(char *pattern)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    char *mark = pattern + strlen(pattern) - 6;
    LARGE_INTEGER count;
    QueryPerformanceCounter(&count);
    uint64_t number = (uint64_t)count.QuadPart ^ (uint64_t)GetCurrentProcessId() << 32;
    for (int attempt = 0; attempt < 100; attempt++) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        for (int i = 0; i < 6; i++)
            mark[i] = letters[number >> (30 + 5 * i) & 31];
        if (posix_mkdir(pattern, 0700) == 0)
            return pattern;
        if (errno != EEXIST)
            break;
    }
    return NULL;
}
