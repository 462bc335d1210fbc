/* test_synth_images.c - noise, PNG files, folders that appear whole or not at all, textures and
 * faces: the same bytes for any number of threads, every failure leaves nothing behind. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "formats/folder.h"
#include "formats/image.h"
#include "formats/outfolder.h"
#include "synth/face.h"
#include "synth/noise.h"
#include "synth/synth.h"
#include "test_image_common.h"

#define FOLDER "made"

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static void clear(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

typedef struct listing {
    size_t files;
    uint64_t sum; /* of names and bytes */
} listing;

static void add_to_sum(uint64_t *sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *sum = (*sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static spd_status list_file(spd_context *ctx, void *user, const char *path)
{
    (void)ctx;
    listing *l = user;
    file_bytes file = bytes_of(path);
    l->files++;
    add_to_sum(&l->sum, path, strlen(path));
    add_to_sum(&l->sum, file.bytes, file.size);
    return SPD_OK;
}

/* What is in the folder. */
static listing list(const char *folder)
{
    listing l = {0, UINT64_C(0xcbf29ce484222325)};
    CHECK(folder_walk(NULL, folder, 1, list_file, NULL, &l) == SPD_OK, "%s", folder);
    return l;
}

TEST(noise_is_smooth_and_zero_on_the_lattice)
{
    rng r = seeded(4);
    for (int i = -5; i < 5; i++)
        CHECK(noise_perlin(9, i, 3 * i) == 0.0, "%d", i);
    for (int i = 0; i < 2000; i++) {
        const double x = 20.0 * rng_uniform(&r) - 10.0, y = 20.0 * rng_uniform(&r) - 10.0;
        const double step = 1e-6;
        const double change = noise_perlin(9, x + step, y - step) - noise_perlin(9, x, y);
        if (!CHECK(fabs(change) < 10.0 * step, "at %g, %g: %g", x, y, change))
            break;
    }
    CHECK(noise_floor(-0.5) == -1 && noise_floor(-2.0) == -2 && noise_floor(3.99) == 3, "floor");
    CHECK(noise_step(1.0, 3.0, 0.5) == 0.0 && noise_step(1.0, 3.0, 2.0) == 0.5 &&
              noise_step(1.0, 3.0, 4.0) == 1.0 && noise_step(3.0, 1.0, 0.0) == 1.0,
          "step");
}

/* The slow twin of noise_cells: all points of a large area, found through cells themselves. */
TEST(cells_are_about_their_nearest_points)
{
    enum { POINTS = 30 };
    rng r = seeded(5);
    for (int i = 0; i < 300; i++) {
        const double x = 10.0 * rng_uniform(&r), y = 10.0 * rng_uniform(&r);
        const noise_cell here = noise_cells(11, x, y, 0.8);
        /* The point itself is where its cell's distance is zero, with the same id. */
        const noise_cell at = noise_cells(11, x - here.x, y - here.y, 0.8);
        CHECK_CLOSE(at.near, 0.0, 1e-12, "at %g, %g", x, y);
        CHECK(at.id == here.id && here.near <= here.next, "at %g, %g", x, y);
        CHECK_CLOSE(hypot(here.x, here.y), here.near, 1e-12, "at %g, %g", x, y);
        /* No point that is found nearby is nearer. */
        for (int k = 0; k < POINTS; k++) {
            const double a = x + rng_normal(&r), b = y + rng_normal(&r);
            const noise_cell other = noise_cells(11, a, b, 0.8);
            const double far = hypot(a - other.x - x, b - other.y - y);
            if (other.id == here.id ? fabs(far - here.near) > 1e-9 : far < here.next - 1e-9)
                CHECK(0, "at %g, %g: %g, not %g or %g", x, y, far, here.near, here.next);
        }
    }
}

/* Written and read again: the nearest of 256 levels, what is beyond cut off. */
TEST(written_images_come_back)
{
    enum { WIDTH = 13, HEIGHT = 7 };
    rng r = seeded(6);
    for (size_t channels = 1; channels <= 3; channels += 2) {
        double pixel[WIDTH * HEIGHT * 3], expected[WIDTH * HEIGHT * 3];
        const size_t count = WIDTH * HEIGHT * channels;
        for (size_t i = 0; i < count; i++) {
            pixel[i] = 1.4 * rng_uniform(&r) - 0.2;
            expected[i] = round(255.0 * fmin(1.0, fmax(0.0, pixel[i]))) / 255.0;
        }
        pixel[5] = NAN;
        expected[5] = 0.0;
        const image picture = {WIDTH, HEIGHT, channels, pixel, NULL};
        CHECK(image_write(NULL, "x.png", &picture) == SPD_OK, "%zu", channels);
        file_bytes first = bytes_of("x.png");
        expect_pixels(&first, WIDTH, HEIGHT, channels, expected, 1e-15, "written");
        CHECK(image_write(NULL, "x.png", &picture) == SPD_OK, "%zu", channels);
        file_bytes second = bytes_take("x.png");
        CHECK(first.size == second.size && !memcmp(first.bytes, second.bytes, first.size),
              "%zu channels: other bytes", channels);
    }
}

TEST(images_that_cannot_be_written)
{
    double pixel[4] = {0.0};
    spd_context *ctx = context_on(0);
    const image odd = {2, 1, 2, pixel, NULL}, none = {0, 1, 1, pixel, NULL},
                good = {2, 2, 1, pixel, NULL};
    CHECK(image_write(ctx, "x.png", &odd) == SPD_EINVAL && !exists("x.png"), "two channels");
    CHECK(image_write(ctx, "x.png", &none) == SPD_EINVAL && !exists("x.png"), "no pixel");
    CHECK(image_write(ctx, "absent/x.png", &good) == SPD_EIO, "no folder");
    CHECK_SAYS(ctx, "No such file");
}

TEST(writing_survives_hunger)
{
    double pixel[30 * 3];
    const image picture = {6, 5, 3, pixel, NULL};
    for (size_t i = 0; i < 90; i++)
        pixel[i] = (double)i / 90.0;
    for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
        s.status = image_write(NULL, "x.png", &picture);
        CHECK((s.status == SPD_OK) == exists("x.png"), "allocation %ld", s.k);
    }
    remove("x.png");
}

static void write_text(const char *path)
{
    FILE *stream = fopen(path, "w");
    if (!stream)
        abort();
    fputs("x\n", stream);
    fclose(stream);
}

/* Two files, one of them in a folder. */
static void fill(const outfolder *out)
{
    char *path;
    CHECK(outfolder_make(NULL, out->work, "a") == SPD_OK, "make");
    CHECK(outfolder_make(NULL, out->work, "a") == SPD_OK, "make again");
    CHECK(outfolder_path(NULL, out->work, "a/one", &path) == SPD_OK, "path");
    write_text(path);
    mem_free(path);
    CHECK(outfolder_path(NULL, out->work, "two", &path) == SPD_OK, "path");
    write_text(path);
    mem_free(path);
}

TEST(folders_appear_whole)
{
    outfolder *out;
    for (int there = 0; there < 2; there++) {
        clear(FOLDER);
        if (there)
            CHECK(mkdir(FOLDER, 0777) == 0, "mkdir");
        CHECK(outfolder_open(NULL, FOLDER, &out) == SPD_OK, "open");
        fill(out);
        CHECK(!exists(FOLDER "/two") && list(FOLDER).files == 0, "too early");
        CHECK(outfolder_commit(NULL, out) == SPD_OK, "commit");
        CHECK(exists(FOLDER "/two") && exists(FOLDER "/a/one"), "not there");
        CHECK(list(FOLDER).files == 2, "%zu", list(FOLDER).files);
        CHECK(remove(FOLDER "/two") == 0 && remove(FOLDER "/a/one") == 0 &&
                  remove(FOLDER "/a") == 0 && remove(FOLDER) == 0,
              "more than that is there");
    }
}

TEST(folders_vanish_when_abandoned)
{
    outfolder *out;
    clear(FOLDER);
    CHECK(outfolder_open(NULL, FOLDER, &out) == SPD_OK, "open");
    fill(out);
    outfolder_abandon(out);
    CHECK(!exists(FOLDER), "it stays");
    CHECK(mkdir(FOLDER, 0777) == 0 && outfolder_open(NULL, FOLDER, &out) == SPD_OK, "open");
    fill(out);
    write_text(FOLDER "/foreign"); /* somebody else's, meanwhile */
    outfolder_abandon(out);
    CHECK(list(FOLDER).files == 1 && remove(FOLDER "/foreign") == 0 && remove(FOLDER) == 0,
          "the foreign file is gone, or more is there");
    outfolder_abandon(NULL);
}

static void expect_no_folder(const char *path, const char *part)
{
    spd_context *ctx = context_on(0);
    outfolder *out = NULL;
    CHECK(outfolder_open(ctx, path, &out) == SPD_EIO && !out, "%s", path);
    CHECK(strstr(said(ctx), part), "'%s' is not about '%s'", said(ctx), part);
}

TEST(folders_that_cannot_be_taken)
{
    clear(FOLDER);
    CHECK(mkdir(FOLDER, 0777) == 0, "mkdir");
    write_text(FOLDER "/.hidden");
    expect_no_folder(FOLDER, "not empty (it holds .hidden)");
    expect_no_folder(FOLDER "/.hidden", "a file, not a folder");
    expect_no_folder(FOLDER "/no/folder", "No such file");
    clear(FOLDER);
}

static const spd_synth_kind kinds[] = {SPD_SYNTH_TEXTURES, SPD_SYNTH_FACES};

static spd_synth_options small(spd_synth_kind kind)
{
    spd_synth_options o;
    spd_synth_defaults(kind, &o, sizeof o);
    o.classes = 3;
    o.samples = 2;
    o.side = 24;
    return o;
}

static listing generate(spd_synth_kind kind, const spd_synth_options *o, int threads)
{
    spd_context *ctx = spd_context_new();
    size_t files = 0;
    spd_context_set_threads(ctx, threads);
    clear(FOLDER);
    CHECK_OK(ctx, spd_synth_files(ctx, kind, o, FOLDER, &files));
    spd_context_free(ctx);
    const listing l = list(FOLDER);
    CHECK(l.files == files, "%zu files, not %zu", l.files, files);
    clear(FOLDER);
    return l;
}

TEST(same_seed_same_bytes)
{
    static const size_t files[] = {6, 28};
    for (size_t k = 0; k < 2; k++) {
        spd_synth_options o = small(kinds[k]);
        const listing one = generate(kinds[k], &o, 1), four = generate(kinds[k], &o, 4);
        CHECK(one.files == files[k] && one.sum == four.sum, "kind %d", (int)kinds[k]);
        o.seed++;
        CHECK(generate(kinds[k], &o, 4).sum != one.sum, "kind %d: the seed is of no use",
              (int)kinds[k]);
    }
}

/* Asking for more leaves what was there as it was. */
TEST(a_larger_set_begins_the_same)
{
    static const char *const path[] = {FOLDER "/bark/bark_02.png", FOLDER "/002_bg.png"};
    for (size_t k = 0; k < 2; k++) {
        spd_synth_options o = small(kinds[k]);
        file_bytes seen[2];
        for (size_t more = 0; more < 2; more++) {
            o.classes += more;
            o.samples += more;
            CHECK(spd_synth_files(NULL, kinds[k], &o, FOLDER, NULL) == SPD_OK, "%zu", k);
            seen[more] = bytes_take(path[k]);
            clear(FOLDER);
        }
        CHECK(seen[0].size == seen[1].size && !memcmp(seen[0].bytes, seen[1].bytes, seen[0].size),
              "%s", path[k]);
    }
}

/* Without noise and with the light in front, a head that looks to the right is the mirror image of
 * the one that looks to the left, but for skin, hair and parting, which are no mirror images. */
TEST(turned_heads_mirror)
{
    enum { SIZE = 48 };
    person p;
    shot s = {.scale = 1.0, .lamp = {0.0, 0.3, 1.0}, .ambient = 0.3, .gain = 1.0, .backdrop = 0.4};
    image *picture[3];
    rng r = seeded(8);
    face_draw(&r, &p);
    p.blotches = p.strands = p.parting = 0.0;
    for (int k = 0; k < 3; k++) {
        s.yaw = 0.5 * (k - 1);
        CHECK(face_render(NULL, &p, &s, SIZE, &r, &picture[k]) == SPD_OK, "%d", k);
    }
    double mirrored = 0.0, straight = 0.0, front = 0.0;
    for (size_t j = 0; j < SIZE; j++)
        for (size_t i = 0; i < SIZE; i++) {
            const size_t here = j * SIZE + i, there = j * SIZE + SIZE - 1 - i;
            mirrored += fabs(picture[0]->pixel[here] - picture[2]->pixel[there]);
            straight += fabs(picture[0]->pixel[here] - picture[2]->pixel[here]);
            front += fabs(picture[1]->pixel[here] - picture[1]->pixel[there]);
        }
    const double n = SIZE * SIZE;
    CHECK(mirrored / n < 0.02, "left and right differ by %g", mirrored / n);
    CHECK(front / n < 0.02, "from the front the halves differ by %g", front / n);
    CHECK(straight / n > 0.05, "turning changes %g", straight / n);
    for (int k = 0; k < 3; k++)
        image_free(picture[k]);
}

static void expect_refused(spd_synth_kind kind, const spd_synth_options *o, const char *part)
{
    spd_context *ctx = context_on(0);
    size_t files = 77;
    CHECK(spd_synth_files(ctx, kind, o, FOLDER, &files) < 0 && files == 77, "%s", part);
    CHECK(strstr(said(ctx), part), "'%s' is not about '%s'", said(ctx), part);
    CHECK(!exists(FOLDER), "%s: a folder stays", part);
}

TEST(options_that_make_no_sense)
{
    spd_synth_options o = small(SPD_SYNTH_TEXTURES);
    o.classes = 21;
    expect_refused(SPD_SYNTH_TEXTURES, &o, "1 to 20");
    o = small(SPD_SYNTH_TEXTURES);
    o.samples = 0;
    expect_refused(SPD_SYNTH_TEXTURES, &o, "0 textures per class");
    o = small(SPD_SYNTH_TEXTURES);
    o.side = 15;
    expect_refused(SPD_SYNTH_TEXTURES, &o, "15 x 15 pixels");
    o = small(SPD_SYNTH_FACES);
    o.classes = 0;
    expect_refused(SPD_SYNTH_FACES, &o, "0 people");
    o = small(SPD_SYNTH_FACES);
    o.side = 100000;
    expect_refused(SPD_SYNTH_FACES, &o, "sides must be 16 to 2048");
    expect_refused(SPD_SYNTH_SPD, NULL, "spd_synth_data");
    expect_refused(SPD_SYNTH_KINDS, NULL, "unknown kind");
}

TEST(cancelling_leaves_nothing)
{
    spd_synth_options o = small(SPD_SYNTH_TEXTURES);
    spd_context *ctx = context_on(0);
    int asked = 0;
    o.samples = 2000; /* much longer than it takes to be asked */
    clear(FOLDER);
    spd_context_set_progress(ctx, stop_now, &asked);
    CHECK(spd_synth_files(ctx, SPD_SYNTH_TEXTURES, &o, FOLDER, NULL) == SPD_ECANCELLED, "status");
    CHECK(asked > 0 && !exists(FOLDER), "asked %d times", asked);
}

TEST(hunger_leaves_nothing)
{
    spd_context *ctx = context_on(1);
    for (size_t k = 0; k < 2; k++) {
        spd_synth_options o = small(kinds[k]);
        o.classes = o.samples = 1;
        o.side = 16;
        clear(FOLDER);
        for (sweep_state s = SWEEP(ctx, 1, NULL, 0); sweep_on(&s);) {
            s.status = spd_synth_files(ctx, kinds[k], &o, FOLDER, NULL);
            CHECK((s.status == SPD_OK) == exists(FOLDER), "allocation %ld", s.k);
        }
        clear(FOLDER);
    }
}
