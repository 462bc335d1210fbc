/* system.c - the terminal, standard input, memory and processors. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <psapi.h>

#include "windows/posix.h"

#define LOOK_MS 10 /* between two looks at a pipe */

int posix_isatty(int file)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(file), &mode) != 0;
}

int posix_ioctl(int file, int what, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    (void)what;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(file), &info))
        return -1;
    size->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
    size->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return 0;
}

/* Has the pipe something, or nobody who writes? */
static int has_input(HANDLE pipe)
{
    DWORD there = 0;
    return !PeekNamedPipe(pipe, NULL, 0, NULL, &there, NULL) || there > 0;
}

int posix_poll(struct pollfd *files, unsigned count, int milliseconds)
{
    HANDLE handle = (HANDLE)_get_osfhandle(files->fd);
    (void)count;
    files->revents = 0;
    if (files->events != POLLIN)
        return 0;
    if (GetFileType(handle) == FILE_TYPE_PIPE)
        for (int waited = 0; !has_input(handle); waited += LOOK_MS) {
            if (waited >= milliseconds)
                return 0;
            Sleep(LOOK_MS);
        }
    files->revents = POLLIN;
    return 1;
}

static struct timeval seconds_of(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return (struct timeval){.tv_sec = (long)(ticks / 10000000),
                            .tv_usec = (long)(ticks % 10000000 / 10)};
}

int posix_getrusage(int whose, struct rusage *used)
{
    PROCESS_MEMORY_COUNTERS memory;
    FILETIME begun, ended, kernel, user;
    (void)whose;
    if (!GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory) ||
        !GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user))
        return -1;
    *used = (struct rusage){.ru_utime = seconds_of(user),
                            .ru_stime = seconds_of(kernel),
                            .ru_maxrss = (long)(memory.PeakWorkingSetSize / 1024)};
    return 0;
}

int posix_getaffinity(int process, size_t size, posix_cpus *set)
{
    DWORD_PTR own = 0, all = 0;
    (void)process;
    (void)size;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all))
        return -1;
    set->mask = own;
    return 0;
}

void *posix_mmap(void *where, size_t size, int access, int kind, int file, int64_t at)
{
    (void)access;
    (void)kind;
    (void)file;
    (void)at;
    void *block = VirtualAlloc(where, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    return block ? block : MAP_FAILED;
}

int posix_munmap(void *block, size_t size)
{
    (void)size;
    return VirtualFree(block, 0, MEM_RELEASE) ? 0 : -1;
}
