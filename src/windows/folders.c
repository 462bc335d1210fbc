/* folders.c - the names in a folder, one after the other, and walks through folders. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "windows/paths.h"
#include "windows/posix.h"
#undef stat
#undef open

#define DEEPEST 64 /* folders in folders */

struct posix_dir {
    int file;
    HANDLE search; /* INVALID_HANDLE_VALUE: at the beginning, or at the end */
    int ended;
    struct posix_dirent entry;
};

posix_dir *posix_fdopendir(int file)
{
    posix_dir *folder = calloc(1, sizeof *folder);
    if (!folder) {
        errno = ENOMEM;
        return NULL;
    }
    folder->file = file;
    folder->search = INVALID_HANDLE_VALUE;
    return folder;
}

posix_dir *posix_opendir(const char *path)
{
    int file = posix_open(path, O_RDONLY | O_DIRECTORY);
    posix_dir *folder = file >= 0 ? posix_fdopendir(file) : NULL;
    if (!folder && file >= 0)
        posix_close(file);
    return folder;
}

/* The first entry, or the next. */
static int find(posix_dir *folder, WIN32_FIND_DATAW *found)
{
    wchar_t wide[PATH_ROOM];
    if (folder->search != INVALID_HANDLE_VALUE)
        return FindNextFileW(folder->search, found) != 0;
    if (path_wide_in(folder->file, "*", wide))
        return 0;
    folder->search = FindFirstFileW(wide, found);
    return folder->search != INVALID_HANDLE_VALUE;
}

struct posix_dirent *posix_readdir(posix_dir *folder)
{
    WIN32_FIND_DATAW found;
    if (folder->ended)
        return NULL;
    if (find(folder, &found) &&
        path_narrow(found.cFileName, folder->entry.d_name, sizeof folder->entry.d_name) == 0)
        return &folder->entry;
    folder->ended = 1;
    return NULL;
}

void posix_rewinddir(posix_dir *folder)
{
    if (folder->search != INVALID_HANDLE_VALUE)
        FindClose(folder->search);
    folder->search = INVALID_HANDLE_VALUE;
    folder->ended = 0;
}

int posix_dirfd(const posix_dir *folder)
{
    return folder->file;
}

int posix_closedir(posix_dir *folder)
{
    posix_rewinddir(folder);
    int result = posix_close(folder->file);
    free(folder);
    return result;
}

/* Contents first; a folder elsewhere that only appears here is not entered.
 * NOLINTNEXTLINE(misc-no-recursion): folders lie in folders, DEEPEST at most */
static int walk(const char *path, posix_walk visit, struct FTW *where)
{
    struct posix_stat info;
    char within[PATH_MAX];
    int result = posix_stat(path, &info), is_folder = result == 0 && S_ISDIR(info.st_mode);
    int file = is_folder ? posix_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : -1;
    posix_dir *folder = file >= 0 && where->level < DEEPEST ? posix_fdopendir(file) : NULL;
    const struct posix_dirent *entry;
    where->level++;
    while (folder && result == 0 && (entry = posix_readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(within, sizeof within, "%s/%s", path, entry->d_name);
            result = walk(within, visit, where);
        }
    where->level--;
    if (folder)
        posix_closedir(folder);
    else if (file >= 0)
        posix_close(file);
    return result ? result : visit(path, &info, is_folder ? FTW_DP : FTW_F, where);
}

int posix_nftw(const char *path, posix_walk visit, int open_folders, int flags)
{
    struct FTW where = {0};
    (void)open_folders;
    (void)flags;
    return walk(path, visit, &where);
}
