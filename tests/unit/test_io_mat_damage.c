/* test_io_mat_damage.c - small MATLAB files of both versions, the seeds of the fuzz targets, cut at
 * every byte and changed in every byte: each ends in arrays or in a message, and nothing leaks. */
#include <dirent.h>

#include "fuzz/fuzz_mat.h"
#include "unit/test_io_common.h"

/* A file as its reader sees it: what the fuzz target puts in front of the seed included. */
typedef struct sample {
    unsigned char bytes[20000];
    size_t size, from; /* where the seed begins */
} sample;

/* Tells whether the seed is a whole file. */
static int load_seed(const char *folder, const char *name, sample *s)
{
    char path[600];
    unsigned char seed[16000];
    int is_hdf5 = strcmp(folder, "mat73") == 0;
    snprintf(path, sizeof path, "%s/%s/%s", CORPUS, folder, name);
    size_t size = get_file(path, seed, sizeof seed);
    if (size < 100 || size == sizeof seed || (!is_hdf5 && seed[0] != 0))
        return 0;
    s->from = is_hdf5 ? 512 : 0;
    s->size = s->from + size - (is_hdf5 ? 0 : 1);
    memset(s->bytes, 0, sizeof s->bytes);
    memcpy(s->bytes, "MATLAB 7.3", 10);
    memcpy(s->bytes + 124, "\0\2IM", 4);
    memcpy(s->bytes + s->from, seed + (is_hdf5 ? 0 : 1), s->size - s->from);
    return 1;
}

/* Reads the first bytes of it from a block of that size: a look beyond is a sanitizer's finding. */
static size_t read_part(const sample *s, size_t size)
{
    SCOPE;
    return read_mat(take_copy(s->bytes, size), size);
}

static void cut_everywhere(sample *s, size_t whole)
{
    for (size_t size = s->from; size < s->size; size++)
        CHECK(read_part(s, size) <= whole, "cut at %zu", size);
}

static void flip_everywhere(sample *s)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    for (size_t i = s->from; i < s->size; i++)
        for (size_t k = 0; k < sizeof masks; k++) {
            s->bytes[i] ^= masks[k];
            read_part(s, s->size);
            s->bytes[i] ^= masks[k];
        }
}

static void damage_folder(const char *folder)
{
    static sample s;
    char path[600];
    size_t seeds = 0;
    snprintf(path, sizeof path, "%s/%s", CORPUS, folder);
    DIR *list = opendir(path);
    struct dirent *entry;
    while (list && (entry = readdir(list))) {
        if (!load_seed(folder, entry->d_name, &s))
            continue;
        long live = mem_live();
        size_t whole = read_part(&s, s.size);
        CHECK(whole > 0, "%s is read", entry->d_name);
        cut_everywhere(&s, whole);
        flip_everywhere(&s);
        CHECK(mem_live() == live, "%s: %ld blocks leaked", entry->d_name, mem_live() - live);
        seeds++;
    }
    if (list)
        closedir(list);
    CHECK(seeds >= 3, "%zu seeds in %s", seeds, path);
}

TEST(version_5)
{
    damage_folder("mat5");
}

TEST(version_73)
{
    damage_folder("mat73");
}

/* Every allocation fails once. */
TEST(memory_runs_out)
{
    static sample s;
    static const char *const seeds[][2] = {
        {"mat73", "packed.h5"},         {"mat73", "texts.h5"}, {"mat73", "packed-new.h5"},
        {"mat5", "both-packed.mat"},    {"mat5", "cells.mat"}, {"mat5", "complex.mat"},
        {"mat73", "complex_numbers.h5"}};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        CHECK(load_seed(seeds[i][0], seeds[i][1], &s), "%s", seeds[i][1]);
        long live = mem_live();
        size_t whole = read_part(&s, s.size), got = 0;
        long k = 1;
        for (; k < 200 && got < whole; k++) {
            mem_fail_at(k);
            got = read_part(&s, s.size);
            mem_fail_at(0);
            CHECK(mem_live() == live, "%s, allocation %ld leaks", seeds[i][1], k);
        }
        CHECK(k > 6 && k < 200, "%s: %ld allocations", seeds[i][1], k);
    }
}
