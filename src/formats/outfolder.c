/* outfolder.c - a work folder within the target, moved up or removed at the end. */
#define _POSIX_C_SOURCE 200809L
#include "formats/outfolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define DEEPEST 8 /* folders in folders that are removed */
#define WORK    ".making-"

static spd_status fail(spd_context *ctx, const char *what)
{
    return ctx_fail(ctx, SPD_EIO, "%s: %s", what, strerror(errno));
}

static int is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

spd_status outfolder_path(spd_context *ctx, const char *folder, const char *name, char **path)
{
    const size_t length = strlen(folder), room = length + strlen(name) + 2;
    char *made = mem_alloc(room, 1);
    if (!made)
        return ctx_nomem(ctx, "a path");
    snprintf(made, room, length && folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
    *path = made;
    return SPD_OK;
}

spd_status outfolder_make(spd_context *ctx, const char *folder, const char *name)
{
    char *path;
    spd_status status = outfolder_path(ctx, folder, name, &path);
    if (status < 0)
        return status;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        status = fail(ctx, "cannot make a folder");
    mem_free(path);
    return status;
}

/* ---- removing -------------------------------------------------------------------------------- */

static int open_folder(int within, const char *name)
{
    return openat(within, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes all that is in an open folder, which is closed. Needs no memory of ours, so that it works
 * when there is none.
 * NOLINTNEXTLINE(misc-no-recursion): folders lie in folders, DEEPEST at most */
static void empty(int fd, int depth)
{
    DIR *folder = fdopendir(fd);
    const struct dirent *entry;
    size_t removed = 1;
    while (folder && removed) { /* one that changes while it is read may hide entries */
        removed = 0;
        rewinddir(folder);
        while ((entry = readdir(folder))) {
            if (is_dots(entry->d_name))
                continue;
            const int sub = depth < DEEPEST ? open_folder(fd, entry->d_name) : -1;
            if (sub >= 0)
                empty(sub, depth + 1);
            removed += unlinkat(fd, entry->d_name, sub >= 0 ? AT_REMOVEDIR : 0) == 0;
        }
    }
    if (folder)
        closedir(folder);
    else
        close(fd);
}

/* ---- the target ----------------------------------------------------------------------------- */

static int is_work(const char *name)
{
    return strncmp(name, WORK, strlen(WORK)) == 0;
}

/* Removes a work folder that a dead process has left: one of the user's that nobody has locked. */
static spd_status remove_dead(spd_context *ctx, int within, const char *name)
{
    struct stat st;
    const int fd = open_folder(within, name);
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_uid != geteuid() ||
        flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (fd >= 0)
            close(fd);
        return ctx_fail(ctx, SPD_EIO,
                        "another run is writing into the folder (it holds %.100s); name a new one",
                        name);
    }
    empty(fd, 0);
    return unlinkat(within, name, AT_REMOVEDIR) == 0 ? SPD_OK
                                                     : fail(ctx, "cannot empty the folder");
}

/* *work <- is there a work folder? SPD_EIO when there is anything else. */
static spd_status look_into(spd_context *ctx, DIR *folder, int *work)
{
    const struct dirent *entry;
    char other[101] = "";
    while ((entry = readdir(folder))) {
        *work |= is_work(entry->d_name);
        if (!is_dots(entry->d_name) && !is_work(entry->d_name))
            snprintf(other, sizeof other, "%.100s", entry->d_name);
    }
    if (other[0] && *work)
        return ctx_fail(ctx, SPD_EIO,
                        "the folder is incomplete: a run that filled it was stopped; remove it, or "
                        "name a new one");
    if (other[0])
        return ctx_fail(ctx, SPD_EIO, "the folder is not empty (it holds %s); name a new one",
                        other);
    return SPD_OK;
}

static spd_status check_empty(spd_context *ctx, const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int work = 0;
    if (!folder)
        return errno == ENOTDIR ? ctx_fail(ctx, SPD_EIO, "is a file, not a folder")
                                : fail(ctx, "cannot open the folder");
    spd_status status = look_into(ctx, folder, &work);
    rewinddir(folder);
    while (status == SPD_OK && work && (entry = readdir(folder)))
        if (is_work(entry->d_name))
            status = remove_dead(ctx, dirfd(folder), entry->d_name);
    closedir(folder);
    return status;
}

spd_status outfolder_open(spd_context *ctx, const char *path, outfolder **out)
{
    char *work = NULL;
    outfolder *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "an output folder");
    fresh->lock = -1;
    fresh->target = mem_text(path);
    spd_status status = fresh->target ? SPD_OK : ctx_nomem(ctx, "a path");
    if (status == SPD_OK)
        status = outfolder_path(ctx, path, WORK "XXXXXX", &work);
    if (status == SPD_OK && !(fresh->made = mkdir(fresh->target, 0777) == 0))
        status =
            errno == EEXIST ? check_empty(ctx, fresh->target) : fail(ctx, "cannot make the folder");
    if (status == SPD_OK && !mkdtemp(work))
        status = fail(ctx, "cannot write into the folder");
    if (status < 0) {
        mem_free(work);
        outfolder_abandon(fresh);
        return status;
    }
    fresh->work = work;
    fresh->lock = open_folder(AT_FDCWD, work);
    if (fresh->lock >= 0) /* while we live, nobody takes it for a dead one */
        (void)flock(fresh->lock, LOCK_EX | LOCK_NB);
    *out = fresh;
    return SPD_OK;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Moves every entry of a folder to another; *count <- how many. */
static spd_status move_all(spd_context *ctx, DIR *folder, int to, size_t *count)
{
    const struct dirent *entry;
    *count = 0;
    while ((errno = 0, entry = readdir(folder))) {
        if (is_dots(entry->d_name))
            continue;
        if (renameat(dirfd(folder), entry->d_name, to, entry->d_name) != 0)
            return fail(ctx, "cannot write into the folder");
        ++*count;
    }
    return errno ? fail(ctx, "cannot read the folder") : SPD_OK; /* not: nothing is left */
}

spd_status outfolder_commit(spd_context *ctx, outfolder *out)
{
    size_t moved = 1;
    DIR *folder = opendir(out->work);
    const int to = open(out->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    spd_status status = folder && to >= 0 ? SPD_OK : fail(ctx, "cannot open the folder");
    /* As above: until nothing is found any more. */
    while (status == SPD_OK && moved) {
        rewinddir(folder);
        status = move_all(ctx, folder, to, &moved);
    }
    if (folder)
        closedir(folder);
    if (to >= 0)
        close(to);
    if (status == SPD_OK)
        out->made = 0; /* it stays */
    outfolder_abandon(out);
    return status;
}

void outfolder_abandon(outfolder *out)
{
    if (!out)
        return;
    const int fd = out->work ? open_folder(AT_FDCWD, out->work) : -1;
    if (fd >= 0)
        empty(fd, 0);
    if (out->work)
        (void)rmdir(out->work);
    if (out->lock >= 0)
        close(out->lock);
    if (out->target && out->made)
        (void)rmdir(out->target);
    mem_free(out->target);
    mem_free(out->work);
    mem_free(out);
}
