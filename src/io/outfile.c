/* outfile.c - atomic writing: temporary name, fsync, rename, fsync of the folder. */
#define _GNU_SOURCE /* fwrite_unlocked: a file belongs to one thread */
#include "io/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/slashes.h"

/* Characters of a name that its temporary begins with: it must not exceed what the file system
 * allows. */
#define NAME_ROOM  200
#define MOST_LINKS 40 /* one after the other, as the system allows */

spd_status outfile_error(spd_context *ctx, int error)
{
    return ctx_fail(ctx, SPD_EIO, "cannot write: %s", error ? strerror(error) : "unknown error");
}

/* Length of the folder part of a path, with its last slash; 0 when there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* *path (from mem_text) <- where a link leads, read once. */
static spd_status follow(spd_context *ctx, char **path)
{
    char to[PATH_MAX], next[2 * PATH_MAX];
    ssize_t length = readlink(*path, to, sizeof to - 1);
    if (length < 0)
        return outfile_error(ctx, errno);
    to[length] = '\0';
    int folder = path_is_absolute(to) ? 0 : (int)folder_length(*path);
    snprintf(next, sizeof next, "%.*s%s", folder, *path, to);
    mem_free(*path);
    *path = mem_text(next);
    return *path ? SPD_OK : ctx_nomem(ctx, "a path");
}

/* out->target <- path, or where a link leads; *mode <- permissions of a file that is there, else 0.
 * lstat alone decides, and rename follows no links: one that appears in between is replaced. */
static spd_status resolve(spd_context *ctx, const char *path, outfile *out, mode_t *mode)
{
    struct stat st = {0};
    spd_status status = SPD_OK;
    int there = 0, links = 0;
    out->target = mem_text(path);
    if (!out->target)
        return ctx_nomem(ctx, "a path");
    path_slashes(out->target, strlen(out->target));
    while (status == SPD_OK && (there = lstat(out->target, &st) == 0) && S_ISLNK(st.st_mode)) {
        /* In a folder that others write to, a link of theirs may lead anywhere. */
        if (st.st_uid != geteuid() && st.st_uid != 0)
            return ctx_fail(ctx, SPD_EIO,
                            "is a symbolic link that another user has made; name the file itself");
        status = ++links > MOST_LINKS ? outfile_error(ctx, ELOOP) : follow(ctx, &out->target);
    }
    if (status < 0)
        return status;
    if (there && S_ISDIR(st.st_mode))
        return ctx_fail(ctx, SPD_EIO, "is a directory, not a file");
    if (there && !S_ISREG(st.st_mode))
        return ctx_fail(ctx, SPD_EIO, "is not a regular file");
    if (there && access(out->target, W_OK) != 0)
        return outfile_error(ctx, errno);
    *mode = there ? st.st_mode & 0777 : 0;
    return SPD_OK;
}

/* While we live, outfile_tidy of others leaves the file alone: is it locked, and still there? One
 * of them may have come between open and here. Where there are no locks, nobody comes. */
static int hold(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return 0;
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* Creates `.name.XXXXXXXX.tmp` beside the target; open() applies the umask. */
static spd_status create_temp(spd_context *ctx, outfile *out)
{
    size_t folder = folder_length(out->target), size = strlen(out->target) + 32;
    out->temp = mem_alloc(size, 1);
    if (!out->temp)
        return ctx_nomem(ctx, "a path");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned mark = (unsigned)now.tv_nsec ^ (unsigned)now.tv_sec << 8 ^ (unsigned)getpid() << 16;
    for (int attempt = 0; attempt < 100; attempt++, mark = mark * 2654435761u + 1) {
        snprintf(out->temp, size, "%.*s.%.*s.%08x.tmp", (int)folder, out->target, NAME_ROOM,
                 out->target + folder, mark);
        int fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 && hold(fd)) {
            out->stream = fdopen(fd, "w");
            if (!out->stream)
                close(fd);
            return out->stream ? SPD_OK : ctx_nomem(ctx, "an output file");
        }
        if (fd >= 0)
            close(fd); /* who has taken it removes it */
        else if (errno != EEXIST)
            break;
    }
    int error = errno;
    mem_free(out->temp);
    out->temp = NULL; /* nothing to remove */
    return outfile_error(ctx, error);
}

/* Removes what is left of the temporary and frees out. */
static void discard(outfile *out)
{
    if (out->stream)
        fclose(out->stream);
    if (out->temp)
        unlink(out->temp);
    mem_free(out->temp);
    mem_free(out->target);
    mem_free(out->bytes);
    mem_free(out);
}

spd_status outfile_open(spd_context *ctx, const char *path, outfile **out)
{
    mode_t mode = 0;
    outfile *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "an output file");
    fresh->ctx = ctx;
    spd_status status = resolve(ctx, path, fresh, &mode);
    if (status == SPD_OK)
        status = create_temp(ctx, fresh);
    if (status == SPD_OK)
        setvbuf(fresh->stream, fresh->buffer, _IOFBF, sizeof fresh->buffer);
    if (status == SPD_OK && mode && fchmod(fileno(fresh->stream), mode) != 0)
        status = outfile_error(ctx, errno);
    if (status < 0) {
        discard(fresh);
        return status;
    }
    *out = fresh;
    return SPD_OK;
}

/* Is this `.base.XXXXXXXX.tmp`? */
static int is_temp_of(const char *base, const char *name)
{
    size_t length = strlen(base) < NAME_ROOM ? strlen(base) : NAME_ROOM;
    if (name[0] != '.' || strncmp(name + 1, base, length) != 0 || name[length + 1] != '.')
        return 0;
    const char *mark = name + length + 2;
    return strspn(mark, "0123456789abcdef") == 8 && strcmp(mark + 8, ".tmp") == 0;
}

static void remove_dead(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    close(fd);
}

void outfile_tidy(const outfile *out)
{
    size_t length = folder_length(out->target);
    char within[PATH_MAX];
    if (length >= sizeof within)
        return;
    snprintf(within, sizeof within, "%.*s", (int)length, out->target);
    DIR *folder = opendir(length ? within : ".");
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_temp_of(out->target + length, entry->d_name) &&
            strcmp(entry->d_name, out->temp + length) != 0)
            remove_dead(dirfd(folder), entry->d_name);
    if (folder)
        closedir(folder);
}

spd_status outfile_open_memory(spd_context *ctx, outfile **out)
{
    outfile *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "an output file");
    fresh->ctx = ctx;
    fresh->in_memory = 1;
    *out = fresh;
    return SPD_OK;
}

spd_status outfile_hand_over(outfile *out, spd_status status, unsigned char **bytes, size_t *size)
{
    if (status >= 0)
        status = out->status;
    if (status >= 0) {
        *bytes = out->bytes;
        *size = out->size;
        out->bytes = NULL;
    }
    discard(out);
    return status;
}

static void append(outfile *out, const void *bytes, size_t size)
{
    if (size > out->room - out->size) {
        size_t room = 2 * out->room + size + 4096;
        unsigned char *more = mem_grow(out->bytes, out->size, room);
        if (!more) {
            out->status = ctx_nomem(out->ctx, "a file in memory");
            return;
        }
        out->bytes = more;
        out->room = room;
    }
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

void outfile_write(outfile *out, const void *bytes, size_t size)
{
    if (out->in_memory && out->status == SPD_OK && size)
        append(out, bytes, size);
    else if (!out->in_memory && out->status == SPD_OK && size &&
             fwrite_unlocked(bytes, 1, size, out->stream) != size)
        out->status = outfile_error(out->ctx, errno);
}

void outfile_print(outfile *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (out->status == SPD_OK && vfprintf(out->stream, format, args) < 0)
        out->status = outfile_error(out->ctx, errno);
    va_end(args);
}

/* The rename itself is durable once the folder is; file systems that cannot are forgiven. */
static void sync_folder(outfile *out)
{
    out->temp[folder_length(out->temp)] = '\0';
    int fd = open(*out->temp ? out->temp : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static spd_status commit(outfile *out)
{
    if (out->status == SPD_OK && (fflush(out->stream) != 0 || fsync(fileno(out->stream)) != 0))
        out->status = outfile_error(out->ctx, errno);
    if (out->status == SPD_OK && rename(out->temp, out->target) != 0)
        out->status = outfile_error(out->ctx, errno);
    if (out->status == SPD_OK) {
        sync_folder(out);
        mem_free(out->temp);
        out->temp = NULL;
    }
    return out->status;
}

spd_status outfile_close(outfile *out, spd_status status)
{
    if (status >= 0)
        status = commit(out);
    discard(out);
    return status;
}

spd_status spd_text_write(spd_context *ctx, const char *path, const char *text, size_t length)
{
    outfile *out;
    ctx_clear(ctx);
    spd_status status = outfile_open(ctx, path, &out);
    if (status == SPD_OK) {
        outfile_tidy(out);
        outfile_write(out, text, length);
        status = outfile_close(out, SPD_OK);
    }
    if (status < 0)
        ctx_prefix(ctx, path);
    return status;
}
