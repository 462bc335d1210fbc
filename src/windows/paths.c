/* paths.c - UTF-8 with slashes to what Windows calls a path, and back. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <io.h>
#include <string.h>

#include "windows/paths.h"
#include "windows/posix.h"

#define LONG_PATH 240 /* beyond it Windows wants a mark before the path */

static const struct {
    DWORD error;
    int number;
} errors[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
              {ERROR_PATH_NOT_FOUND, ENOENT},
              {ERROR_INVALID_NAME, ENOENT},
              {ERROR_BAD_NETPATH, ENOENT},
              {ERROR_BAD_PATHNAME, ENOENT},
              {ERROR_INVALID_DRIVE, ENOENT},
              {ERROR_NO_MORE_FILES, ENOENT},
              {ERROR_ACCESS_DENIED, EACCES},
              {ERROR_SHARING_VIOLATION, EACCES},
              {ERROR_LOCK_VIOLATION, EACCES},
              {ERROR_WRITE_PROTECT, EROFS},
              {ERROR_FILE_EXISTS, EEXIST},
              {ERROR_ALREADY_EXISTS, EEXIST},
              {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
              {ERROR_DIRECTORY, ENOTDIR},
              {ERROR_DISK_FULL, ENOSPC},
              {ERROR_HANDLE_DISK_FULL, ENOSPC},
              {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
              {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
              {ERROR_OUTOFMEMORY, ENOMEM},
              {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
              {ERROR_BROKEN_PIPE, EPIPE},
              {ERROR_NO_DATA, EPIPE},
              {ERROR_INVALID_HANDLE, EBADF},
              {ERROR_INVALID_PARAMETER, EINVAL},
              {ERROR_NOT_SAME_DEVICE, EXDEV}};

int set_errno(void)
{
    DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            errno = errors[i].number;
    return -1;
}

static int fail(int number)
{
    errno = number;
    return -1;
}

/* wide <- the whole path, behind the mark that long ones need. */
static int complete(const wchar_t *path, wchar_t *wide)
{
    wchar_t full[PATH_ROOM];
    DWORD length = GetFullPathNameW(path, PATH_ROOM, full, NULL);
    if (length == 0)
        return set_errno();
    if (length + 8 >= PATH_ROOM)
        return fail(ENAMETOOLONG);
    if (length < LONG_PATH)
        return 0; /* the short one will do */
    int remote = full[0] == L'\\' && full[1] == L'\\', marked = remote && full[2] == L'?';
    swprintf(wide, PATH_ROOM, L"%ls%ls",
             marked   ? L""
             : remote ? L"\\\\?\\UNC"
                      : L"\\\\?\\",
             full + (remote && !marked));
    return 0;
}

int path_wide(const char *path, wchar_t *wide)
{
    if (strcmp(path, "/dev/null") == 0) {
        wcscpy(wide, L"NUL");
        return 0;
    }
    if (strcmp(path, "/proc/self/exe") == 0)
        return GetModuleFileNameW(NULL, wide, PATH_ROOM) ? 0 : set_errno();
    if (!*path)
        return fail(ENOENT);
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, PATH_ROOM))
        return fail(GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT);
    for (wchar_t *c = wide; *c; c++)
        if (*c == L'/')
            *c = L'\\';
    return complete(wide, wide);
}

int path_of_file(int file, wchar_t *wide)
{
    DWORD length = GetFinalPathNameByHandleW((HANDLE)_get_osfhandle(file), wide, PATH_ROOM, 0);
    return length > 0 && length < PATH_ROOM ? 0 : set_errno();
}

int path_wide_in(int folder, const char *path, wchar_t *wide)
{
    wchar_t name[PATH_ROOM];
    if (folder == AT_FDCWD)
        return path_wide(path, wide);
    if (path_of_file(folder, wide))
        return -1;
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, name, PATH_ROOM))
        return fail(ENOENT);
    if (wcslen(wide) + wcslen(name) + 2 > PATH_ROOM)
        return fail(ENAMETOOLONG);
    wcscat(wide, L"\\");
    wcscat(wide, name);
    return 0;
}

int path_narrow(const wchar_t *wide, char *text, size_t size)
{
    static const wchar_t share[] = L"\\\\?\\UNC\\", mark[] = L"\\\\?\\";
    int remote = wcsncmp(wide, share, 8) == 0;
    const wchar_t *from = remote ? wide + 6 : wcsncmp(wide, mark, 4) == 0 ? wide + 4 : wide;
    if (!WideCharToMultiByte(CP_UTF8, 0, from, -1, text, (int)size, NULL, NULL))
        return fail(ENAMETOOLONG);
    if (remote)
        text[0] = '\\';
    for (char *c = text; *c; c++)
        if (*c == '\\')
            *c = '/';
    return 0;
}
