/* test_io_common.h - what the tests of src/io share: a scratch folder, files made by hand,
 * and checks of messages. */
#ifndef SPD_TEST_IO_COMMON_H
#define SPD_TEST_IO_COMMON_H

#include <dirent.h>
#include <unistd.h>

#include "repeat.h"

static char scratch_folder[64];
static spd_context *ctx;

SETUP(scratch_begin)
{
    snprintf(scratch_folder, sizeof scratch_folder, "%s", "io-XXXXXX");
    if (!mkdtemp(scratch_folder))
        abort();
    ctx = context_on(0);
}

/* Calls visit for every name in the scratch folder. */
static size_t scratch_each(void (*visit)(const char *path))
{
    size_t count = 0;
    DIR *folder = opendir(scratch_folder);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char path[400];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
        count++;
        if (visit)
            visit(path);
    }
    if (folder)
        closedir(folder);
    return count;
}

static void scratch_remove(const char *path)
{
    if (remove(path) != 0)
        printf("    left behind: %s\n", path);
}

TEARDOWN(scratch_end)
{
    scratch_each(scratch_remove);
    rmdir(scratch_folder);
}

/* A path in the scratch folder; good until the eighth call after it. */
HELPER const char *scratch(const char *name)
{
    static char paths[8][200];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

HELPER void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* The first bytes of a file, at most room; how many there are. */
HELPER size_t get_file(const char *path, void *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

/* An .npy image at out: version 1, 2 or 3; the size of it. */
HELPER size_t make_npy(unsigned char *out, int version, const char *dictionary, const void *data,
                       size_t size)
{
    size_t length = strlen(dictionary), start = version == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    out[8] = (unsigned char)(length & 255);
    out[9] = (unsigned char)(length >> 8);
    if (version > 1)
        out[10] = out[11] = 0;
    memcpy(out + start, dictionary, length);
    if (size)
        memcpy(out + start + length, data, size);
    return start + length + size;
}

/* spd_array_read of a path must fail so. */
HELPER void check_unreadable(const char *path, spd_status wanted, const char *words,
                             const char *file, int line)
{
    long live = mem_live();
    spd_array *array = NULL;
    test_bad(ctx, spd_array_read(ctx, path, NULL, &array), wanted, words, file, line);
    test_check(array == NULL, file, line, "the output was touched");
    test_check(mem_live() == live, file, line, "%ld blocks leaked", mem_live() - live);
}

#define CHECK_UNREADABLE(path, wanted, words)                                                      \
    check_unreadable(path, wanted, words, __FILE__, __LINE__)

/* Same type, shape and elements; NaN equals NaN. */
HELPER int same_arrays(const spd_array *a, const spd_array *b)
{
    if (a->type != b->type || a->ndim != b->ndim || a->count != b->count ||
        memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) != 0)
        return 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->type == SPD_TYPE_FLOAT64 && memcmp(&a->f64[i], &b->f64[i], 8) != 0)
            return 0;
        if (a->type == SPD_TYPE_INT64 && a->i64[i] != b->i64[i])
            return 0;
        if (a->type == SPD_TYPE_TEXT && strcmp(a->text[i], b->text[i]) != 0)
            return 0;
    }
    return 1;
}

/* Arrays of every type, 2 x 3 each, and a vector of texts. */
static double sample_floats[] = {1.0 / 3, -2.5e-300, 0.0, 1e308, -7.0, 123456789.125};
static int64_t sample_integers[] = {0, -1, INT64_MAX, INT64_MIN, 42, 7};
static const char *sample_texts[] = {"plain", "", "ä€𝄞", "comma, \"quote\"", "12", "#x"};

HELPER spd_array sample_array(spd_type type, size_t ndim)
{
    static char names[3][8] = {"floats", "ints", "texts"};
    spd_array array = {
        .name = names[type], .type = type, .ndim = ndim, .shape = {2, 3}, .count = 6};
    if (ndim == 1)
        array.shape[0] = 6;
    if (ndim == 3) {
        array.shape[0] = 3;
        array.shape[1] = 1;
        array.shape[2] = 2;
    }
    if (type == SPD_TYPE_FLOAT64)
        array.f64 = sample_floats;
    if (type == SPD_TYPE_INT64)
        array.i64 = sample_integers;
    if (type == SPD_TYPE_TEXT)
        array.text = sample_texts;
    return array;
}

HELPER spd_status write_one(const char *path, const spd_array *array)
{
    return spd_arrays_write(ctx, path, 1, &array);
}

#endif
