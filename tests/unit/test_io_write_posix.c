/* test_io_write_posix.c - what POSIX has and others have not: full disks by a limit on files, links,
 * permissions, pipes. */
#include "unit/test_io_common.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char old_content[] = "what was there before";

/* An array of about 4 MB that no format can pack away. */
static spd_array *large_array(void)
{
    static char name[] = "large";
    static spd_array array;
    size_t count = 500000;
    double *data = mem_alloc(count, sizeof *data);
    for (size_t i = 0; i < count; i++)
        data[i] = sin((double)(i * i));
    array = (spd_array){.name = name, .type = SPD_TYPE_FLOAT64, .ndim = 1, .shape = {count}};
    array.count = count;
    array.f64 = data;
    return &array;
}

static const char *large_text(size_t *length)
{
    static char text[500000];
    memset(text, 'a', sizeof text);
    *length = sizeof text;
    return text;
}

/* Writes an array, or without one a text, with files limited to so many bytes. */
static spd_status write_limited(const char *path, const spd_array *array, rlim_t limit)
{
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = limit;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    size_t length;
    const char *text = large_text(&length);
    spd_status status = array ? write_one(path, array) : spd_text_write(ctx, path, text, length);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    return status;
}

static void check_old(const char *path)
{
    char content[sizeof old_content] = "";
    size_t size = get_file(path, content, sizeof content);
    CHECK(size == sizeof old_content - 1 && strcmp(content, old_content) == 0, "%s: '%s'", path,
          content);
}

/* For every format and limits that strike at the header, within, and at the end. */
TEST(full_disks_leave_the_old_file)
{
    const char *names[] = {"full.npy", "full.npz", "full.mat", "full.csv", "full.html"};
    const rlim_t limits[] = {0, 100, 300000, 3999999};
    spd_array *arrays = large_array();
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < (i < 4 ? 4 : 3); k++) {
            const spd_array *array = i < 4 ? arrays : NULL;
            const char *path = scratch(names[i]);
            size_t files = scratch_each(NULL);
            CHECK_FAILED(ctx, write_limited(path, array, limits[k]), SPD_EIO, strerror(EFBIG));
            CHECK(strstr(said(ctx), names[i]), "%s", said(ctx));
            CHECK(scratch_each(NULL) == files, "%s: a file was left behind", names[i]);
            put_file(path, old_content, strlen(old_content));
            CHECK_FAILED(ctx, write_limited(path, array, limits[k]), SPD_EIO, "cannot write");
            check_old(path);
            CHECK(scratch_each(NULL) == files + 1, "%s: a temporary was left behind", names[i]);
            remove(path);
        }
    mem_free(arrays->f64);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (unsigned)st.st_mode & 0777 : 0;
}

TEST(permissions)
{
    const char *names[] = {"mode.npy", "mode.npz"};
    spd_array array = sample_array(SPD_TYPE_FLOAT64, 2);
    for (size_t i = 0; i < 2; i++) {
        mode_t before = umask(027);
        CHECK(write_one(scratch(names[i]), &array) == SPD_OK, "write");
        CHECK(mode_of(scratch(names[i])) == 0640, "%o", mode_of(scratch(names[i])));
        umask(before);
        chmod(scratch(names[i]), 0600);
        CHECK(write_one(scratch(names[i]), &array) == SPD_OK, "write");
        CHECK(mode_of(scratch(names[i])) == 0600, "a private file stays private: %o",
              mode_of(scratch(names[i])));
    }
}

TEST(links_are_followed)
{
    spd_array array = sample_array(SPD_TYPE_FLOAT64, 2), *in = NULL;
    struct stat st;
    put_file(scratch("target.npz"), old_content, strlen(old_content));
    CHECK(symlink("target.npz", scratch("link.npz")) == 0, "symlink");
    CHECK_OK(ctx, write_one(scratch("link.npz"), &array));
    CHECK(lstat(scratch("link.npz"), &st) == 0 && S_ISLNK(st.st_mode), "the link is still one");
    CHECK(spd_array_read(ctx, scratch("target.npz"), NULL, &in) == SPD_OK, "its target is new");
    spd_array_free(in);
}

TEST(pipes_are_no_targets)
{
    spd_array array = sample_array(SPD_TYPE_FLOAT64, 2);
    CHECK(mkfifo(scratch("pipe.npy"), 0600) == 0, "mkfifo");
    CHECK_FAILED(ctx, write_one(scratch("pipe.npy"), &array), SPD_EIO, "pipe.npy: |regular");
    CHECK_UNREADABLE(scratch("pipe.npy"), SPD_EIO, "pipe.npy: |regular");
}
