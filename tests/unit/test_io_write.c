/* test_io_write.c - files appear whole or not at all. */
#include "unit/test_io_common.h"

#include <sys/stat.h>

static const char old_content[] = "what was there before";

TEST(texts_are_written_as_they_are)
{
    const char *path = scratch("page.html"), text[] = "one line\n\0and a byte";
    char content[sizeof text] = "";
    put_file(path, old_content, strlen(old_content));
    size_t files = scratch_each(NULL);
    CHECK_OK(ctx, spd_text_write(ctx, path, text, sizeof text));
    size_t size = get_file(path, content, sizeof content);
    CHECK(size == sizeof text && memcmp(content, text, size) == 0, "%zu bytes: %s", size, content);
    CHECK(scratch_each(NULL) == files, "a temporary was left behind");
}

TEST(success_replaces_the_old_file)
{
    const char *names[] = {"new.npy", "new.npz", "new.mat", "new.csv"};
    for (size_t i = 0; i < 4; i++) {
        spd_array array = sample_array(SPD_TYPE_FLOAT64, 2), *in = NULL;
        const char *path = scratch(names[i]);
        put_file(path, old_content, strlen(old_content));
        size_t files = scratch_each(NULL);
        CHECK_OK(ctx, write_one(path, &array));
        CHECK(scratch_each(NULL) == files, "%s: a temporary was left behind", names[i]);
        CHECK(spd_array_read(ctx, path, NULL, &in) == SPD_OK && same_arrays(&array, in), "%s",
              names[i]);
        spd_array_free(in);
    }
}

TEST(targets_that_are_no_files)
{
    spd_array array = sample_array(SPD_TYPE_FLOAT64, 2);
    CHECK(mkdir(scratch("folder.npz"), 0700) == 0, "mkdir");
    CHECK_FAILED(ctx, write_one(scratch("folder.npz"), &array), SPD_EIO, "folder.npz: |directory");
    CHECK_FAILED(ctx, write_one(scratch("nowhere/a.npz"), &array), SPD_EIO,
                 "nowhere/a.npz: cannot write: No such file");
}

TEST(long_names)
{
    char name[256];
    spd_array array = sample_array(SPD_TYPE_FLOAT64, 2);
    memset(name, 'a', 255);
    memcpy(name + 251, ".npy", 5);
    char path[400];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, name);
    CHECK(write_one(path, &array) == SPD_OK, "255 characters: %s", said(ctx));
}
